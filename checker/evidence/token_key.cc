#include "checker/evidence/token_key.h"

#include <openssl/crypto.h>
#include <p11-kit/p11-kit.h>
#include <p11-kit/uri.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "checker/judge/check_notes.h"
#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/shared_library.h"
#include "reference/base/system_package.h"

namespace cts {
namespace {

constexpr uint64_t kMaxPassphraseFile = 1 << 16;
constexpr size_t kPublicKeyBytes = 32, kTokenSignatureBytes = 64;

struct P11Kit {
#define CTS_P11_KIT_FUNCTIONS(F)         \
  F(p11_kit_message)                     \
  F(p11_kit_module_initialize)           \
  F(p11_kit_module_load)                 \
  F(p11_kit_modules_load_and_initialize) \
  F(p11_kit_strerror)                    \
  F(p11_kit_uri_free)                    \
  F(p11_kit_uri_get_attributes)          \
  F(p11_kit_uri_get_module_name)         \
  F(p11_kit_uri_get_module_path)         \
  F(p11_kit_uri_get_pin_source)          \
  F(p11_kit_uri_get_pin_value)           \
  F(p11_kit_uri_get_slot_id)             \
  F(p11_kit_uri_match_module_info)       \
  F(p11_kit_uri_match_slot_info)         \
  F(p11_kit_uri_match_token_info)        \
  F(p11_kit_uri_message)                 \
  F(p11_kit_uri_new)                     \
  F(p11_kit_uri_parse)
#define CTS_P11_KIT_MEMBER(name) decltype(&::name) name = nullptr;
  CTS_P11_KIT_FUNCTIONS(CTS_P11_KIT_MEMBER)
#undef CTS_P11_KIT_MEMBER

  static StatusOr<P11Kit> Open() {
    const auto remedy = [] {
      return StrCat(
          "a key of a token needs p11-kit: ",
          InstallIt({{"debian", {0, 0}, "libp11-kit0"}, {"ubuntu", {0, 0}, "libp11-kit0"}}),
          ", or use a key in a file");
    };
    CTS_ASSIGN_OR_RETURN(const SharedLibrary library,
                         SharedLibrary::Open({"libp11-kit.so.0"}, remedy));
    P11Kit found;
#define CTS_P11_KIT_FIND(name) CTS_RETURN_IF_ERROR(library.Find(#name, found.name));
    CTS_P11_KIT_FUNCTIONS(CTS_P11_KIT_FIND)
#undef CTS_P11_KIT_FIND
    return found;
  }
};

using Uri = std::unique_ptr<P11KitUri, decltype(&p11_kit_uri_free)>;

// A field of PKCS #11: of fixed length, filled up with spaces.
template <size_t N>
std::string FieldText(const unsigned char (&field)[N]) {
  std::string text(reinterpret_cast<const char*>(field), N);
  text.erase(text.find_last_not_of(' ') + 1);
  return Printable(text);
}

CK_ATTRIBUTE Attribute(CK_ATTRIBUTE_TYPE type, CK_ULONG& value) {
  return {type, &value, sizeof(value)};
}

class Token final : public TokenKey {
 public:
  Token(P11Kit kit, std::string uri)
      : kit_(kit),
        uri_(std::move(uri)),
        shown_(uri_.begin(), std::find(uri_.begin(), uri_.end(), '?')) {}
  ~Token() override {
    if (session_) module_->C_CloseSession(*session_);
  }
  Token(const Token&) = delete;
  Token& operator=(const Token&) = delete;

  Status Open(const std::filesystem::path& passphrase) {
    const Uri uri(kit_.p11_kit_uri_new(), kit_.p11_kit_uri_free);
    if (uri == nullptr) return Unavailable("p11-kit has no memory");
    if (const int rc = kit_.p11_kit_uri_parse(uri_.c_str(), P11_KIT_URI_FOR_ANY, uri.get());
        rc != P11_KIT_URI_OK) {
      return Wrong(kit_.p11_kit_uri_message(rc), ", expected a URI of RFC 7512, such as ",
                   "'pkcs11:token=lab;object=key?module-path=/usr/lib/softhsm/libsofthsm2.so'");
    }
    if (kit_.p11_kit_uri_get_pin_value(uri.get()) != nullptr ||
        kit_.p11_kit_uri_get_pin_source(uri.get()) != nullptr) {
      return Wrong("found a PIN or its source, expected --passphrase FILE: the first line of that ",
                   "file is the PIN");
    }
    if (kit_.p11_kit_uri_get_module_name(uri.get()) != nullptr) {
      return Wrong("found module-name, expected module-path with the file of the module");
    }
    CTS_RETURN_IF_ERROR(FindToken(uri.get()));
    CTS_RETURN_IF_ERROR(LogIn(passphrase));
    return FindKey(uri.get());
  }

  const std::string& public_key() const override { return public_key_; }

  StatusOr<std::string> Sign(std::string_view bytes) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    CK_MECHANISM mechanism = {CKM_EDDSA, nullptr, 0};
    std::string signature(kTokenSignatureBytes, '\0');
    CK_ULONG size = signature.size();
    std::string data(bytes);  // C_Sign takes what it may change
    CK_RV rv = module_->C_SignInit(*session_, &mechanism, key_);
    if (rv == CKR_OK) {
      rv = module_->C_Sign(*session_, reinterpret_cast<CK_BYTE*>(data.data()), data.size(),
                           reinterpret_cast<CK_BYTE*>(signature.data()), &size);
    }
    if (rv != CKR_OK) return Failed("the token did not sign", rv);
    if (size != kTokenSignatureBytes) {
      return Unavailable(shown_, ": the token gave a signature of ", size, " bytes, expected ",
                         kTokenSignatureBytes);
    }
    return signature;
  }

 private:
  template <class... Parts>
  Status Wrong(const Parts&... parts) const {
    return InvalidArgument(shown_, ": ", parts...);
  }
  Status Failed(std::string_view what, CK_RV rv) const {
    return Unavailable(shown_, ": ", what, ": ", kit_.p11_kit_strerror(rv));
  }

  std::string WhyNot() const {
    const char* const why = kit_.p11_kit_message();
    return why == nullptr ? "p11-kit does not say why" : why;
  }

  StatusOr<std::vector<CK_FUNCTION_LIST*>> Modules(P11KitUri* uri) const {
    if (const char* const path = kit_.p11_kit_uri_get_module_path(uri); path != nullptr) {
      CK_FUNCTION_LIST* const module = kit_.p11_kit_module_load(path, P11_KIT_MODULE_CRITICAL);
      if (module == nullptr) {
        return Unavailable(path, ": cannot be loaded as a PKCS #11 module: ", WhyNot());
      }
      if (const CK_RV rv = kit_.p11_kit_module_initialize(module); rv != CKR_OK) {
        return Failed(StrCat(path, " cannot be initialized"), rv);
      }
      return std::vector<CK_FUNCTION_LIST*>{module};
    }
    CK_FUNCTION_LIST** const all = kit_.p11_kit_modules_load_and_initialize(0);
    if (all == nullptr) return Unavailable(shown_, ": ", WhyNot());
    std::vector<CK_FUNCTION_LIST*> modules;
    for (size_t i = 0; all[i] != nullptr; ++i) modules.push_back(all[i]);
    return modules;
  }

  Status FindToken(P11KitUri* uri) {
    CTS_ASSIGN_OR_RETURN(const std::vector<CK_FUNCTION_LIST*> modules, Modules(uri));
    std::vector<std::string> others, found;
    for (CK_FUNCTION_LIST* const module : modules) {
      CK_ULONG count = 0;
      if (module->C_GetSlotList(CK_TRUE, nullptr, &count) != CKR_OK) continue;
      std::vector<CK_SLOT_ID> slots(count);
      if (module->C_GetSlotList(CK_TRUE, slots.data(), &count) != CKR_OK) continue;
      slots.resize(std::min<size_t>(count, slots.size()));
      for (const CK_SLOT_ID slot : slots) {
        CK_TOKEN_INFO info = {};
        CK_INFO of_module = {};
        CK_SLOT_INFO of_slot = {};
        if (module->C_GetTokenInfo(slot, &info) != CKR_OK ||
            module->C_GetInfo(&of_module) != CKR_OK ||
            module->C_GetSlotInfo(slot, &of_slot) != CKR_OK ||
            (info.flags & CKF_TOKEN_INITIALIZED) == 0) {
          continue;
        }
        const std::string label = StrCat("'", FieldText(info.label), "'");
        const CK_SLOT_ID wanted = kit_.p11_kit_uri_get_slot_id(uri);
        if (kit_.p11_kit_uri_match_token_info(uri, &info) == 0 ||
            kit_.p11_kit_uri_match_module_info(uri, &of_module) == 0 ||
            kit_.p11_kit_uri_match_slot_info(uri, &of_slot) == 0 ||
            (wanted != CK_UNAVAILABLE_INFORMATION && wanted != slot)) {
          others.push_back(label);
          continue;
        }
        found.push_back(label);
        module_ = module;
        slot_ = slot;
        needs_login_ = (info.flags & CKF_LOGIN_REQUIRED) != 0;
      }
    }
    if (found.size() == 1) return absl::OkStatus();
    if (found.empty()) {
      return Wrong("found no such token among ", others.size(),
                   others.empty() ? "" : StrCat(": ", FirstNames(others)),
                   "; expected one whose label follows token=");
    }
    return Wrong("found ", found.size(), " tokens, ", FirstNames(found),
                 ", expected one; name it by token=, serial= or slot-id=");
  }

  Status LogIn(const std::filesystem::path& passphrase) {
    CK_SESSION_HANDLE session = 0;
    CK_RV rv = module_->C_OpenSession(slot_, CKF_SERIAL_SESSION, nullptr, nullptr, &session);
    if (rv != CKR_OK) return Failed("the token opens no session", rv);
    session_ = session;
    if (!needs_login_) return absl::OkStatus();
    if (passphrase.empty()) {
      return Wrong("found a token that asks for a PIN, expected --passphrase FILE: the first line ",
                   "of that file is the PIN");
    }
    CTS_ASSIGN_OR_RETURN(std::string pin, ReadPassphrase(passphrase, StrCat("PIN of ", shown_)));
    rv = module_->C_Login(session, CKU_USER, reinterpret_cast<CK_BYTE*>(pin.data()), pin.size());
    OPENSSL_cleanse(pin.data(), pin.size());
    if (rv == CKR_OK || rv == CKR_USER_ALREADY_LOGGED_IN) return absl::OkStatus();
    if (rv == CKR_PIN_INCORRECT) {
      return Wrong("found a token that does not take the first line of ", passphrase.string(),
                   " as its PIN; after a few wrong ones it is locked");
    }
    return Failed("the token does not take the PIN", rv);
  }

  // The objects that have all these attributes; the first two are enough.
  StatusOr<std::vector<CK_OBJECT_HANDLE>> Find(std::vector<CK_ATTRIBUTE> attributes) const {
    std::array<CK_OBJECT_HANDLE, 2> objects = {};
    CK_ULONG count = 0;
    CK_RV rv = module_->C_FindObjectsInit(*session_, attributes.data(), attributes.size());
    if (rv == CKR_OK) {
      rv = module_->C_FindObjects(*session_, objects.data(), objects.size(), &count);
      module_->C_FindObjectsFinal(*session_);
    }
    if (rv != CKR_OK) return Failed("the token does not search its objects", rv);
    return std::vector(objects.begin(), objects.begin() + std::min<size_t>(count, objects.size()));
  }

  StatusOr<std::string> ValueOf(CK_OBJECT_HANDLE object, CK_ATTRIBUTE_TYPE type) const {
    CK_ATTRIBUTE attribute = {type, nullptr, 0};
    CK_RV rv = module_->C_GetAttributeValue(*session_, object, &attribute, 1);
    constexpr CK_ULONG kMost = 1 << 10;
    if (rv != CKR_OK) return Failed("the token does not show an attribute of the key", rv);
    if (attribute.ulValueLen > kMost) return Wrong("found a key with an overlong attribute");
    std::string value(attribute.ulValueLen, '\0');
    attribute.pValue = value.data();
    rv = module_->C_GetAttributeValue(*session_, object, &attribute, 1);
    if (rv != CKR_OK) return Failed("the token does not show an attribute of the key", rv);
    value.resize(std::min<size_t>(attribute.ulValueLen, value.size()));
    return value;
  }

  Status FindKey(P11KitUri* uri) {
    CK_ULONG private_class = CKO_PRIVATE_KEY, public_class = CKO_PUBLIC_KEY;
    CK_ULONG type = CKK_EC_EDWARDS;
    std::vector<CK_ATTRIBUTE> wanted = {Attribute(CKA_CLASS, private_class),
                                        Attribute(CKA_KEY_TYPE, type)};
    CK_ULONG count = 0;
    const CK_ATTRIBUTE* const named = kit_.p11_kit_uri_get_attributes(uri, &count);
    for (CK_ULONG i = 0; i < count; ++i) {
      if (named[i].type != CKA_CLASS) wanted.push_back(named[i]);
    }
    CTS_ASSIGN_OR_RETURN(const std::vector<CK_OBJECT_HANDLE> keys, Find(wanted));
    if (keys.size() != 1) {
      return Wrong("found ", keys.empty() ? "no" : "several",
                   " private Ed25519 keys of that name, expected one; name it by object= or id=");
    }
    key_ = keys[0];
    // A module that does not know the attribute asks for no PIN each time.
    if (const auto each = ValueOf(key_, CKA_ALWAYS_AUTHENTICATE);
        each.ok() && !each->empty() && each->front() != 0) {
      return Wrong(
          "found a key that asks for the PIN at every signature, expected one that asks once");
    }
    CTS_ASSIGN_OR_RETURN(std::string id, ValueOf(key_, CKA_ID));
    CTS_ASSIGN_OR_RETURN(const std::vector<CK_OBJECT_HANDLE> halves,
                         Find({Attribute(CKA_CLASS, public_class),
                               Attribute(CKA_KEY_TYPE, type),
                               {CKA_ID, id.data(), id.size()}}));
    if (halves.size() != 1) {
      return Wrong("found ", halves.empty() ? "no" : "several",
                   " public keys with the id of the private key, expected one");
    }
    CTS_ASSIGN_OR_RETURN(public_key_, ValueOf(halves[0], CKA_EC_POINT));
    // As the standard has it, or within a DER octet string, as most modules have it.
    if (public_key_.size() == kPublicKeyBytes + 2 && public_key_.starts_with("\x04\x20")) {
      public_key_.erase(0, 2);
    }
    if (public_key_.size() == kPublicKeyBytes) return absl::OkStatus();
    return Wrong("found a public key of ", public_key_.size(), " bytes, expected ", kPublicKeyBytes,
                 ", as Ed25519 has");
  }

  const P11Kit kit_;
  const std::string uri_;
  const std::string shown_;  // without what follows '?', which may be a PIN
  CK_FUNCTION_LIST* module_ = nullptr;
  CK_SLOT_ID slot_ = 0;
  bool needs_login_ = false;
  std::optional<CK_SESSION_HANDLE> session_;
  CK_OBJECT_HANDLE key_ = 0;
  std::string public_key_;
  mutable std::mutex mutex_;  // of the session, which does one thing at a time
};

}  // namespace

StatusOr<std::shared_ptr<const TokenKey>> TokenKey::Open(const std::string& uri,
                                                         const std::filesystem::path& passphrase) {
  static const StatusOr<P11Kit> kit = P11Kit::Open();
  if (!kit.ok()) return kit.status();
  auto token = std::make_shared<Token>(*kit, uri);
  CTS_RETURN_IF_ERROR(token->Open(passphrase));
  return token;
}

StatusOr<std::string> ReadPassphrase(const std::filesystem::path& file, std::string_view what) {
  CTS_ASSIGN_OR_RETURN(std::string secret, ReadFile(file, kMaxPassphraseFile));
  secret.resize(std::min(secret.find_first_of("\r\n"), secret.size()));
  if (!secret.empty()) return secret;
  return InvalidArgument(file.string(), ": found an empty first line, expected the ", what);
}

}  // namespace cts
