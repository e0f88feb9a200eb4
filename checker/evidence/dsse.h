// Signed statements: DSSE envelopes (github.com/secure-systems-lab/dsse, protocol.md) with Ed25519.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "reference/base/status.h"

struct evp_pkey_st;  // of OpenSSL

namespace cts {

class Ed25519Key {
 public:
  // PEM, as `openssl genpkey -algorithm ed25519` writes it (PKCS#8), and `openssl pkey -pubout`.
  // Refuses encrypted keys, other algorithms, the other half of a pair, and points that no pair has
  // (of small order, not canonical), with an error that names them.
  static StatusOr<Ed25519Key> ReadPrivate(const std::filesystem::path& path);
  static StatusOr<Ed25519Key> ReadPublic(const std::filesystem::path& path);

  // SHA-256 of the public key as DER, SubjectPublicKeyInfo.
  const std::string& id() const { return id_; }

  // 64 bytes. The key must be private.
  StatusOr<std::string> Sign(std::string_view bytes) const;
  bool Verify(std::string_view bytes, std::string_view signature) const;

 private:
  Ed25519Key() = default;
  static StatusOr<Ed25519Key> Read(const std::filesystem::path& path, bool is_private);

  std::shared_ptr<evp_pkey_st> key_;
  std::string id_;
};

// Returns the bytes that are signed: the pre-authentication encoding.
std::string PreAuthEncoding(std::string_view type, std::string_view body);

// The envelope as JSON (schemas/envelope.schema.json). Refuses a payload with a byte order mark,
// which OpenEnvelope would refuse.
StatusOr<std::string> SealEnvelope(const Ed25519Key& key, std::string_view payload_type,
                                   std::string_view payload);

// The payload, if it is of that type and the key has signed it. The envelope may be formatted in
// another way, and may have signatures by other keys, which are ignored. Errors name `origin`.
StatusOr<std::string> OpenEnvelope(const Ed25519Key& key, std::string_view payload_type,
                                   std::string_view text, std::string_view origin);

// Base64 in the standard alphabet with padding. Decoding also takes the URL-safe alphabet, as DSSE
// wants, but only exactly the text that encoding gives, never a second spelling.
std::string Base64(std::string_view bytes);
StatusOr<std::string> FromBase64(std::string_view text);

}  // namespace cts
