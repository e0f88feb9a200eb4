#include "checker/evidence/dsse.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sodium.h>

#include <algorithm>
#include <new>

#include "checker/evidence/token_key.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

constexpr uint64_t kMaxKeyBytes = 1 << 16;
constexpr size_t kSignatureBytes = 64;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

using Context = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
Context NewContext() { return {EVP_MD_CTX_new(), EVP_MD_CTX_free}; }

// Whether a public key is one that a pair has: a point of the curve in its canonical form, of the
// prime order. OpenSSL verifies by others as well; by one of small order a signature says nothing.
bool IsPublicPoint(const EVP_PKEY* key) {
  unsigned char point[crypto_core_ed25519_BYTES];
  size_t size = sizeof(point);
  return EVP_PKEY_get_raw_public_key(key, point, &size) == 1 && size == sizeof(point) &&
         crypto_core_ed25519_is_valid_point(point) == 1;
}

// RFC 8259, section 8.1: JSON must not begin with one. Some readers accept it.
bool HasByteOrderMark(std::string_view text) { return text.starts_with("\xEF\xBB\xBF"); }

// Gives OpenSSL the passphrase at `data`, a std::string; never asks the terminal for one.
int GivePassphrase(char* buffer, int size, int /*writing*/, void* data) {
  const auto* const passphrase = static_cast<const std::string*>(data);
  if (passphrase->empty() || passphrase->size() > static_cast<size_t>(size)) return -1;
  std::copy(passphrase->begin(), passphrase->end(), buffer);
  return static_cast<int>(passphrase->size());
}

}  // namespace

StatusOr<Ed25519Key> Ed25519Key::Read(const std::filesystem::path& path, bool is_private,
                                      const std::filesystem::path& passphrase) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxKeyBytes));
  return FromPem(text, path.string(), is_private, passphrase);
}

StatusOr<Ed25519Key> Ed25519Key::FromPem(const std::string& text, std::string_view origin,
                                         bool is_private, const std::filesystem::path& passphrase) {
  const auto wrong = [&](const auto&... found) {
    return InvalidArgument(origin, ": found ", found..., ", expected ",
                           is_private ? "an Ed25519 private key, as `openssl genpkey -algorithm "
                                        "ed25519 -out FILE` writes it"
                                      : "an Ed25519 public key, as `openssl pkey -in PRIVATE "
                                        "-pubout -out FILE` writes it");
  };
  const bool has_private = text.find("PRIVATE KEY-----") != std::string::npos;
  if (has_private && !is_private) return wrong("a private key");
  const bool encrypted =
      is_private && (text.find("-----BEGIN ENCRYPTED PRIVATE KEY-----") != std::string::npos ||
                     text.find("Proc-Type: 4,ENCRYPTED") != std::string::npos);
  std::string secret;
  if (encrypted && passphrase.empty()) {
    return InvalidArgument(origin,
                           ": found an encrypted key, expected --passphrase FILE: "
                           "the first line of that file unlocks it");
  }
  if (encrypted) {
    CTS_ASSIGN_OR_RETURN(secret,
                         ReadPassphrase(passphrase, StrCat("passphrase of ", std::string(origin))));
  }
  if (is_private && text.find("-----BEGIN PUBLIC KEY-----") != std::string::npos) {
    return wrong("a public key");
  }
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free);
  Ed25519Key key;
  key.key_.reset(is_private ? PEM_read_bio_PrivateKey(bio.get(), nullptr, GivePassphrase, &secret)
                            : PEM_read_bio_PUBKEY(bio.get(), nullptr, GivePassphrase, &secret),
                 EVP_PKEY_free);
  OPENSSL_cleanse(secret.data(), secret.size());
  if (key.key_ == nullptr && encrypted) {
    return InvalidArgument(origin, ": found an encrypted key that the first line of ",
                           passphrase.string(), " does not unlock");
  }
  if (key.key_ == nullptr) return wrong("no key in PEM");
  if (EVP_PKEY_get_id(key.key_.get()) != EVP_PKEY_ED25519) {
    const char* const name = EVP_PKEY_get0_type_name(key.key_.get());
    return wrong("a key of type ", name == nullptr ? "unknown" : name);
  }
  if (!IsPublicPoint(key.key_.get())) {
    return wrong("a key that no pair has: its point is not on the curve, not in its canonical ",
                 "form, or not of the prime order");
  }
  if (!key.SetId()) return wrong("a key without its public half");
  return key;
}

bool Ed25519Key::SetId() {
  unsigned char* der = nullptr;
  const int size = i2d_PUBKEY(key_.get(), &der);
  if (size <= 0) return false;
  der_.assign(reinterpret_cast<const char*>(der), static_cast<size_t>(size));
  id_ = Sha256(der_);
  OPENSSL_free(der);
  return true;
}

StatusOr<Ed25519Key> Ed25519Key::OfToken(const std::string& uri,
                                         const std::filesystem::path& passphrase) {
  Ed25519Key key;
  CTS_ASSIGN_OR_RETURN(key.token_, TokenKey::Open(uri, passphrase));
  const std::string& point = key.token_->public_key();
  key.key_.reset(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(point), point.size()),
                 EVP_PKEY_free);
  if (key.key_ == nullptr || !IsPublicPoint(key.key_.get()) || !key.SetId()) {
    return InvalidArgument(uri, ": found a public key that no pair has, expected one of Ed25519");
  }
  return key;
}

StatusOr<Ed25519Key> Ed25519Key::ReadPrivate(const std::filesystem::path& path,
                                             const std::filesystem::path& passphrase) {
  if (TokenKey::IsUri(path.string())) return OfToken(path.string(), passphrase);
  return Read(path, true, passphrase);
}

StatusOr<Ed25519Key> Ed25519Key::ReadPublic(const std::filesystem::path& path) {
  return Read(path, false, {});
}

StatusOr<Ed25519Key> Ed25519Key::PublicFromDer(std::string_view der, std::string_view origin) {
  CTS_ASSIGN_OR_RETURN(Ed25519Key key, FromPem(StrCat("-----BEGIN PUBLIC KEY-----\n", Base64(der),
                                                      "\n-----END PUBLIC KEY-----\n"),
                                               origin, false, {}));
  if (key.der_ == der) return key;
  return InvalidArgument(origin, ": found an Ed25519 public key in another form, expected DER");
}

StatusOr<std::string> Ed25519Key::Sign(std::string_view bytes) const {
  if (token_ != nullptr) {
    CTS_ASSIGN_OR_RETURN(std::string by_token, token_->Sign(bytes));
    if (Verify(bytes, by_token)) return by_token;
    return Unavailable("the token signed with another key than its public key says");
  }
  const Context context = NewContext();
  std::string signature(kSignatureBytes, '\0');
  size_t size = signature.size();
  if (context == nullptr ||
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1 ||
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     Bytes(bytes), bytes.size()) != 1 ||
      size != kSignatureBytes) {
    return Unavailable("Ed25519: OpenSSL refused to sign");
  }
  return signature;
}

bool Ed25519Key::Verify(std::string_view bytes, std::string_view signature) const {
  const Context context = NewContext();
  // Nothing is wrong with the signature then: it was not looked at.
  if (context == nullptr ||
      EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) != 1) {
    throw std::bad_alloc();
  }
  return signature.size() == kSignatureBytes &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(), Bytes(bytes),
                          bytes.size()) == 1;
}

std::string PreAuthEncoding(std::string_view type, std::string_view body) {
  return StrCat("DSSEv1 ", type.size(), " ", type, " ", body.size(), " ", body);
}

std::string Base64(std::string_view bytes) {
  std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');  // OpenSSL adds a NUL
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), Bytes(bytes),
                                   static_cast<int>(bytes.size()));
  text.resize(static_cast<size_t>(size));
  return text;
}

StatusOr<std::string> FromBase64(std::string_view text) {
  std::string standard(text);
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  std::string bytes(standard.size() / 4 * 3 + 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()), Bytes(standard),
                                   static_cast<int>(standard.size()));
  if (size >= 0) {
    // OpenSSL counts the padding as zeros.
    const size_t padding = standard.ends_with("==") ? 2 : standard.ends_with("=") ? 1 : 0;
    bytes.resize(static_cast<size_t>(size) - std::min(padding, static_cast<size_t>(size)));
    if (Base64(bytes) == standard) return bytes;
  }
  return InvalidArgument("found what is not base64");
}

StatusOr<std::string> SealEnvelope(const Ed25519Key& key, std::string_view payload_type,
                                   std::string_view payload) {
  if (HasByteOrderMark(payload)) {
    return InvalidArgument("payload: found a byte order mark, expected JSON without one");
  }
  CTS_ASSIGN_OR_RETURN(const std::string signature,
                       key.Sign(PreAuthEncoding(payload_type, payload)));
  const Json signed_by = {{"keyid", key.id()}, {"sig", Base64(signature)}};
  return FormatJson({{"payload", Base64(payload)},
                     {"payloadType", payload_type},
                     {"signatures", Json::array({signed_by})}});
}

StatusOr<std::string> OpenEnvelope(const Ed25519Key& key, std::string_view payload_type,
                                   std::string_view text, std::string_view origin) {
  constexpr std::string_view kMark = ": found a byte order mark, expected JSON without one";
  if (HasByteOrderMark(text)) return InvalidArgument(origin, kMark);
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, origin));
  CTS_RETURN_IF_ERROR(ValidateJson(json, "envelope", origin));
  const std::string type = json["payloadType"];
  if (type != payload_type) {
    return InvalidArgument(origin, ": /payloadType: found \"", Shortened(Printable(type), 200),
                           "\", expected \"", payload_type, "\"");
  }
  StatusOr<std::string> payload = FromBase64(json["payload"].get_ref<const std::string&>());
  if (!payload.ok()) return Annotate(payload.status(), StrCat(origin, ": /payload"));
  if (HasByteOrderMark(*payload)) return InvalidArgument(origin, ": /payload", kMark);
  std::string others;
  Status wrong;  // of the first signature that has the key's name and is not by it
  for (size_t i = 0; i < json["signatures"].size(); ++i) {
    const Json& item = json["signatures"][i];
    const std::string place = StrCat(origin, ": /signatures/", i);
    const StatusOr<std::string> signature = FromBase64(item["sig"].get_ref<const std::string&>());
    if (!signature.ok()) return Annotate(signature.status(), place + "/sig");
    // A name that was changed is a change of the file. DSSE calls it a hint: beside a signature
    // that has the key's name and is not by it, another may be.
    const std::string id = item["keyid"];
    if (id != key.id()) {
      others += StrCat(others.empty() ? "" : ", ", Shortened(Printable(id), 64));
    } else if (signature->size() != kSignatureBytes) {
      wrong.Update(InvalidArgument(place, "/sig: found ", signature->size(),
                                   " bytes, expected the ", kSignatureBytes,
                                   " of an Ed25519 signature"));
    } else if (key.Verify(PreAuthEncoding(type, *payload), *signature)) {
      return payload;
    } else {
      wrong.Update(InvalidArgument(
          place, "/sig: found a signature of something else, expected one ",
          "of the payload by the key ", key.id(), ": payload or signature were changed"));
    }
  }
  CTS_RETURN_IF_ERROR(wrong);
  return InvalidArgument(origin, ": /signatures: found no signature by the key ", key.id(),
                         ", but by ", others);
}

StatusOr<std::string> Countersigned(const Ed25519Key& key, std::string_view payload_type,
                                    std::string_view text, std::string_view origin) {
  if (OpenEnvelope(key, payload_type, text, origin).ok()) {
    return InvalidArgument(origin, ": /signatures: found a signature by the key ", key.id(),
                           ", expected a key that has not signed yet");
  }
  CTS_ASSIGN_OR_RETURN(Json json, ParseJson(text, origin));
  CTS_RETURN_IF_ERROR(ValidateJson(json, "envelope", origin));
  if (json["payloadType"] != payload_type) {
    return InvalidArgument(origin, ": /payloadType: expected \"", payload_type, "\"");
  }
  CTS_ASSIGN_OR_RETURN(const std::string payload,
                       FromBase64(json["payload"].get_ref<const std::string&>()));
  CTS_ASSIGN_OR_RETURN(const std::string signature,
                       key.Sign(PreAuthEncoding(payload_type, payload)));
  json["signatures"].push_back({{"keyid", key.id()}, {"sig", Base64(signature)}});
  CTS_RETURN_IF_ERROR(ValidateJson(json, "envelope", origin));
  return FormatJson(json);
}

}  // namespace cts
