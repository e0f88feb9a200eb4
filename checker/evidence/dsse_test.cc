#include "checker/evidence/dsse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sodium.h>

#include <cstdlib>
#include <filesystem>

#include "checker/judge/suite_on_disk.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing_suite::Directory;

// RFC 8032, section 7.1, test 2.
constexpr char kSecret[] = "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb";
constexpr char kPublic[] = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c";
constexpr char kMessage[] = "72";
constexpr char kSignature[] =
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00";
// RFC 8410: what stands before the 32 bytes in PKCS#8 and SubjectPublicKeyInfo.
constexpr char kPrivatePrefix[] = "302e020100300506032b657004220420";
constexpr char kPublicPrefix[] = "302a300506032b6570032100";
// SHA-256 of the latter and kPublic, by sha256sum.
constexpr char kKeyId[] = "deb2ded39dc26fce0e6085b6fc34bf6b5941913bbfe2ea614113cff9e004c170";

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

std::string Pem(const std::string& label, const std::string& der) {
  return StrCat("-----BEGIN ", label, "-----\n", Base64(der), "\n-----END ", label, "-----\n");
}

class Dsse : public testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(WriteFile(directory_ / name, text).ok());
    return directory_ / name;
  }
  Ed25519Key Private() {
    return *Ed25519Key::ReadPrivate(
        Write("private.pem", Pem("PRIVATE KEY", FromHex(StrCat(kPrivatePrefix, kSecret)))));
  }
  Ed25519Key Public() {
    return *Ed25519Key::ReadPublic(
        Write("public.pem", Pem("PUBLIC KEY", FromHex(StrCat(kPublicPrefix, kPublic)))));
  }
  // Another pair's public half: that of test 1 of the RFC.
  Ed25519Key Other() {
    return *Ed25519Key::ReadPublic(
        Write("other.pem", Pem("PUBLIC KEY", FromHex(StrCat(kPublicPrefix,
                                                            "d75a980182b10ab7d54bfed3c964073a"
                                                            "0ee172f3daa62325af021a68f707511a")))));
  }
  std::string Complaint(const std::string& envelope, const std::string& type = "t") {
    const auto payload = OpenEnvelope(Public(), type, envelope, "e.json");
    return payload.ok() ? "fine: " + *payload : Message(payload.status());
  }
  std::string ReadComplaint(bool is_private, const std::string& text) {
    const std::filesystem::path path = Write("key.pem", text);
    const auto key = is_private ? Ed25519Key::ReadPrivate(path) : Ed25519Key::ReadPublic(path);
    return key.ok() ? "fine" : Message(key.status());
  }

  Directory directory_;
};

TEST_F(Dsse, SignsAsTheRfcSays) {
  EXPECT_EQ(*Private().Sign(FromHex(kMessage)), FromHex(kSignature));
  EXPECT_TRUE(Public().Verify(FromHex(kMessage), FromHex(kSignature)));
  EXPECT_EQ(Private().id(), kKeyId);
  EXPECT_EQ(Public().id(), kKeyId);
}

TEST_F(Dsse, RefusesEverySignatureThatDiffersInABit) {
  const std::string signature = FromHex(kSignature);
  const Ed25519Key key = Public();
  for (size_t i = 0; i < 8 * signature.size(); ++i) {
    std::string other = signature;
    other[i / 8] = static_cast<char>(other[i / 8] ^ (1 << (i % 8)));
    EXPECT_FALSE(key.Verify(FromHex(kMessage), other)) << i;
  }
  EXPECT_FALSE(key.Verify(FromHex("73"), signature));
  EXPECT_FALSE(key.Verify(FromHex(kMessage), signature.substr(0, 63)));
  EXPECT_FALSE(key.Verify(FromHex(kMessage), signature + '\0'));
  EXPECT_FALSE(key.Verify(FromHex(kMessage), ""));
  EXPECT_FALSE(Other().Verify(FromHex(kMessage), signature));
}

// The example of protocol.md.
TEST_F(Dsse, EncodesAsTheProtocolSays) {
  EXPECT_EQ(PreAuthEncoding("http://example.com/HelloWorld", "hello world"),
            "DSSEv1 29 http://example.com/HelloWorld 11 hello world");
}

// RFC 4648, section 10.
TEST_F(Dsse, Base64IsThatOfTheRfc) {
  for (const auto& [bytes, text] :
       {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="),
        std::pair("foo", "Zm9v"), std::pair("foob", "Zm9vYg=="), std::pair("fooba", "Zm9vYmE="),
        std::pair("foobar", "Zm9vYmFy")}) {
    EXPECT_EQ(Base64(bytes), text);
    EXPECT_EQ(*FromBase64(text), bytes);
  }
  EXPECT_EQ(*FromBase64("_-8="), "\xff\xef");
  // Texts without whole groups, with bits beyond the end, whitespace, padding in the middle or
  // alone.
  for (const char* text : {"Zg", "Zg=", "Z", "Zh==", "Zm9", "Zm9v\n", " Zm9v", "Zm 9v",
                           "Zg==Zg==", "====", "=", "Zm9v====", "Z===", "Zm9*"}) {
    EXPECT_FALSE(FromBase64(text).ok()) << text;
  }
}

TEST_F(Dsse, OpensWhatItSealed) {
  const std::string envelope = *SealEnvelope(Private(), "t", "payload");
  EXPECT_EQ(Complaint(envelope), "fine: payload");
  // Ed25519 signatures are deterministic.
  EXPECT_EQ(*SealEnvelope(Private(), "t", "payload"), envelope);
}

TEST_F(Dsse, ToleratesAnotherFormattingAndFurtherSignatures) {
  Json json = *ParseJson(*SealEnvelope(Private(), "t", "payload"), "");
  EXPECT_EQ(Complaint(json.dump()), "fine: payload");
  const Json other = {{"keyid", "lab"}, {"sig", "AAAA"}};
  json["signatures"].insert(json["signatures"].begin(), other);
  EXPECT_EQ(Complaint(json.dump()), "fine: payload");
}

// A further signature under another key's name changes nothing.
TEST_F(Dsse, OpensBesideASignatureThatIsNotByTheKeyItNames) {
  const Json json = *ParseJson(*SealEnvelope(Private(), "t", "payload"), "");
  for (const std::string& junk : {Base64(FromHex(kSignature)), std::string("AAAA")}) {
    Json more = json;
    const Json first = {{"keyid", kKeyId}, {"sig", junk}};
    more["signatures"].insert(more["signatures"].begin(), first);
    EXPECT_EQ(Complaint(more.dump()), "fine: payload");
    more["signatures"].erase(1);
    EXPECT_THAT(Complaint(more.dump()), HasSubstr("e.json: /signatures/0/sig: found "));
  }
}

TEST_F(Dsse, RefusalsNameThePlace) {
  const std::string envelope = *SealEnvelope(Private(), "t", "payload");
  const Json good = *ParseJson(envelope, "");
  const auto with = [&](const char* pointer, const Json& value) {
    Json json = good;
    json[Json::json_pointer(pointer)] = value;
    return Complaint(json.dump());
  };
  EXPECT_THAT(Complaint(envelope, "u"),
              HasSubstr("e.json: /payloadType: found \"t\", expected \"u\""));
  EXPECT_THAT(with("/payloadType", "u"), HasSubstr("e.json: /payloadType: "));
  EXPECT_THAT(with("/payload", Base64("Payload")),
              HasSubstr("e.json: /signatures/0/sig: found a signature of something else"));
  EXPECT_THAT(with("/payload", "?"), HasSubstr("e.json: /payload: found what is not base64"));
  EXPECT_THAT(with("/signatures/0/sig", Base64(FromHex(kSignature))),
              HasSubstr("a signature of something else"));
  EXPECT_THAT(with("/signatures/0/sig", Base64(FromHex(kSignature).substr(0, 40))),
              HasSubstr("e.json: /signatures/0/sig: found 40 bytes, expected the 64"));
  EXPECT_THAT(with("/signatures/0/sig", "A"), HasSubstr("e.json: /signatures/0/sig: found what"));
  EXPECT_THAT(with("/signatures", Json::array()), HasSubstr("e.json: /signatures"));
  EXPECT_THAT(with("/signatures/0/keyid", "abc"),
              AllOf(HasSubstr("found no signature by the key "), HasSubstr("but by abc")));
  EXPECT_THAT(with("/more", 1), HasSubstr("unknown member \"more\""));
  EXPECT_THAT(Complaint("{\"payload\": \"\", \"payload\": \"\"}"), HasSubstr("payload"));
  EXPECT_THAT(Complaint(envelope.substr(0, envelope.size() / 2)), HasSubstr("e.json: line "));
  EXPECT_THAT(Message(OpenEnvelope(Other(), "t", envelope, "e.json").status()),
              HasSubstr(StrCat("but by ", kKeyId)));
}

// RFC 8259, section 8.1: readers of JSON may refuse it, so that two would see two things.
TEST_F(Dsse, RefusesAByteOrderMark) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_THAT(Complaint(mark + *SealEnvelope(Private(), "t", "{}")),
              HasSubstr("e.json: found a byte order mark, expected JSON without one"));
  Json marked = *ParseJson(*SealEnvelope(Private(), "t", "{}"), "");
  marked["payload"] = Base64(mark + "{}");
  EXPECT_THAT(Complaint(FormatJson(marked)),
              HasSubstr("e.json: /payload: found a byte order mark"));
  // SealEnvelope does not sign what OpenEnvelope refuses.
  EXPECT_THAT(Message(SealEnvelope(Private(), "t", mark + "{}").status()),
              HasSubstr("payload: found a byte order mark"));
}

TEST_F(Dsse, RefusesKeysByName) {
  const std::string good = Pem("PRIVATE KEY", FromHex(StrCat(kPrivatePrefix, kSecret)));
  const std::string good_public = Pem("PUBLIC KEY", FromHex(StrCat(kPublicPrefix, kPublic)));
  // RFC 8410 gives X25519 the identifier 1.3.101.110 instead of 112.
  const std::string x25519 = "302a300506032b656e032100";
  EXPECT_THAT(ReadComplaint(false, good), HasSubstr("key.pem: found a private key, expected"));
  EXPECT_THAT(ReadComplaint(true, good_public), HasSubstr("key.pem: found a public key, expected"));
  EXPECT_THAT(ReadComplaint(true, Pem("ENCRYPTED PRIVATE KEY", "x")),
              HasSubstr("found an encrypted key"));
  EXPECT_THAT(ReadComplaint(false, Pem("PUBLIC KEY", FromHex(x25519 + kPublic))),
              HasSubstr("found a key of type X25519, expected an Ed25519 public key"));
  EXPECT_THAT(ReadComplaint(true, "hello"), HasSubstr("found no key in PEM"));
  EXPECT_THAT(ReadComplaint(false, ""), HasSubstr("found no key in PEM"));
  EXPECT_THAT(ReadComplaint(true, good.substr(0, 60)), HasSubstr("found no key in PEM"));
  EXPECT_THAT(Message(Ed25519Key::ReadPrivate(directory_ / "none").status()),
              HasSubstr("none: no such file"));
}

TEST_F(Dsse, TakesAPublicKeyInDer) {
  const std::string der = FromHex(StrCat(kPublicPrefix, kPublic));
  EXPECT_EQ(Public().der(), der);
  EXPECT_EQ(Private().der(), der);
  const auto key = Ed25519Key::PublicFromDer(der, "place");
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(key->id(), kKeyId);
  EXPECT_TRUE(key->Verify(FromHex(kMessage), FromHex(kSignature)));
  for (const std::string& other : {std::string(), std::string("x"), der.substr(1), der + "x",
                                   FromHex(StrCat(kPublicPrefix, std::string(64, '0')))}) {
    EXPECT_THAT(Message(Ed25519Key::PublicFromDer(other, "place").status()),
                HasSubstr("place: found "));
  }
  // The same key with a length of two bytes, as BER allows.
  EXPECT_THAT(
      Message(Ed25519Key::PublicFromDer(StrCat("\x30\x81", der.substr(1)), "place").status()),
      HasSubstr("place: found an Ed25519 public key in another form, expected DER"));
}

// A key of small order lets anyone sign without its secret: a point of order 1, 2, 4 or 8,
// multiplied by the message's digest, is one of few points.
TEST_F(Dsse, RefusesPointsThatNoPairHas) {
  const std::string middle(58, '0'), all(60, 'f');
  for (const std::string& point : {
           "01" + middle + "0000",  // the identity
           "ec" + all + "7f",       // of order 2
           "00" + middle + "0000",  // of order 4
           "00" + middle + "0080",
           // The points of order 8, and their negatives.
           std::string("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
           std::string("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85"),
           std::string("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
           std::string("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"),
           // Not canonical: 2^255 - 19 + 0 and + 1, and the identity with a sign.
           "ed" + all + "7f",
           "ee" + all + "7f",
           "01" + middle + "0080",
           // No point of the curve: y = 2.
           "02" + middle + "0000",
       }) {
    ASSERT_EQ(point.size(), 64u);
    EXPECT_THAT(ReadComplaint(false, Pem("PUBLIC KEY", FromHex(kPublicPrefix + point))),
                HasSubstr("key.pem: found a key that no pair has"))
        << point;
  }
  // A key and a point of order 8 together: not of the prime order.
  const std::string key = FromHex(kPublic);
  const std::string small =
      FromHex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05");
  std::string sum(32, '\0');
  ASSERT_EQ(crypto_core_ed25519_add(reinterpret_cast<unsigned char*>(sum.data()),
                                    reinterpret_cast<const unsigned char*>(key.data()),
                                    reinterpret_cast<const unsigned char*>(small.data())),
            0);
  EXPECT_THAT(ReadComplaint(false, Pem("PUBLIC KEY", FromHex(kPublicPrefix) + sum)),
              HasSubstr("key.pem: found a key that no pair has"));
}

// A token without hardware, with the key of the RFC under the name "cts".
class KeyOfToken : public Dsse {
 protected:
  static constexpr const char* kModule = "/usr/lib/softhsm/libsofthsm2.so";

  // The module reads its configuration once, so that all tests of a process share the token.
  static void SetUpTestSuite() {
    token_ = new Directory;
    const std::string place = (*token_ / "tokens").parent_path().string();
    if (!std::filesystem::exists(kModule)) return;
    ASSERT_TRUE(
        WriteFile(*token_ / "softhsm2.conf", StrCat("directories.tokendir = ", place, "/tokens\n"))
            .ok());
    ASSERT_TRUE(
        WriteFile(*token_ / "key.pem", Pem("PRIVATE KEY", FromHex(StrCat(kPrivatePrefix, kSecret))))
            .ok());
    std::filesystem::create_directory(*token_ / "tokens");
    setenv("SOFTHSM2_CONF", StrCat(place, "/softhsm2.conf").c_str(), 1);
    const auto run = [](const std::string& arguments) {
      return std::system(StrCat("softhsm2-util ", arguments, " >/dev/null 2>&1").c_str());
    };
    ready_ = run("--init-token --free --label lab --pin 1234 --so-pin 5678") == 0 &&
             run(StrCat("--import ", place,
                        "/key.pem --token lab --label cts --id 01 --pin 1234")) == 0 &&
             run("--init-token --free --label empty --pin 1234 --so-pin 5678") == 0;
    ASSERT_TRUE(ready_);
  }
  static void TearDownTestSuite() { delete token_; }

  void SetUp() override {
    if (!ready_) GTEST_SKIP() << "SoftHSM is not installed";
  }
  std::string Uri(const std::string& attributes) const {
    return StrCat("pkcs11:", attributes, "?module-path=", kModule);
  }
  std::string Refusal(const std::string& uri, const std::filesystem::path& pin) {
    const auto key = Ed25519Key::ReadPrivate(uri, pin);
    return key.ok() ? "" : std::string(key.status().message());
  }

  static inline Directory* token_ = nullptr;
  static inline bool ready_ = false;
  const std::filesystem::path pin_ = Write("pin", "1234\nnot this line\n");
};

TEST_F(KeyOfToken, SignsAsTheRfcSays) {
  const auto key = Ed25519Key::ReadPrivate(Uri("token=lab;object=cts"), pin_);
  ASSERT_TRUE(key.ok()) << key.status();
  EXPECT_EQ(key->id(), kKeyId);
  EXPECT_EQ(*key->Sign(FromHex(kMessage)), FromHex(kSignature));
  EXPECT_TRUE(Public().Verify(FromHex(kMessage), FromHex(kSignature)));
  // Without the name of the key: there is one in the token.
  EXPECT_TRUE(Ed25519Key::ReadPrivate(Uri("token=lab"), pin_).ok());
}

TEST_F(KeyOfToken, RefusalsSayWhatToDo) {
  // The first one, before a session of this process has logged in.
  EXPECT_THAT(Refusal(Uri("token=lab;object=cts"), Write("wrong", "4321\n")),
              AllOf(HasSubstr("does not take the first line of "), HasSubstr("it is locked")));
  EXPECT_THAT(Refusal(Uri("token=lab;object=cts"), {}), HasSubstr("expected --passphrase FILE"));
  EXPECT_THAT(Refusal(Uri("token=lab;object=cts"), Write("none", "\n")),
              HasSubstr("none: found an empty first line, expected the PIN of pkcs11:token=lab"));
  EXPECT_THAT(Refusal(StrCat(Uri("token=lab"), "&pin-value=1234"), pin_),
              AllOf(HasSubstr("found a PIN or its source, expected --passphrase FILE"),
                    Not(HasSubstr("1234"))));
  EXPECT_THAT(Refusal(StrCat(Uri("token=lab"), "&module-name=softhsm2"), pin_),
              HasSubstr("found module-name, expected module-path"));
  // A library or a slot in the URI must match as well.
  EXPECT_THAT(Refusal(Uri("token=lab;library-manufacturer=Other"), pin_),
              HasSubstr("found no such token among "));
  EXPECT_THAT(Refusal(Uri("token=lab;slot-id=7"), pin_), HasSubstr("found no such token among "));
  EXPECT_THAT(Refusal(StrCat(Uri("token=lab"), "&pin-source=file:/etc/pin"), pin_),
              HasSubstr("found a PIN or its source"));
  EXPECT_THAT(Refusal(Uri("token=other"), pin_),
              AllOf(HasSubstr("found no such token among "), HasSubstr("'lab'")));
  EXPECT_THAT(Refusal(Uri("manufacturer=SoftHSM%20project"), pin_),
              HasSubstr("expected one; name it by token=, serial= or slot-id="));
  EXPECT_THAT(Refusal(Uri("token=lab;object=other"), pin_),
              HasSubstr("found no private Ed25519 keys of that name"));
  EXPECT_THAT(Refusal(Uri("token=empty"), pin_), HasSubstr("found no private Ed25519 keys"));
  EXPECT_THAT(Refusal("pkcs11:token=lab?module-path=/nowhere.so", pin_),
              HasSubstr("/nowhere.so: cannot be loaded as a PKCS #11 module: "));
  EXPECT_THAT(Refusal("pkcs11:token", pin_), HasSubstr("expected a URI of RFC 7512"));
}

}  // namespace
}  // namespace cts
