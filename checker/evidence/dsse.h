// Signed statements: DSSE envelopes (github.com/secure-systems-lab/dsse, protocol.md) with Ed25519.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "checker/evidence/token_key.h"
#include "reference/base/status.h"

struct evp_pkey_st;  // an OpenSSL type

namespace cts {

class Ed25519Key {
 public:
  // ReadPrivate reads a private key in PEM, as `openssl genpkey -algorithm ed25519` writes it
  // (PKCS#8). ReadPublic reads a public key in PEM, as `openssl pkey -pubout` writes it. The first
  // line of the file `passphrase` unlocks an encrypted private key. Both functions refuse keys of
  // other algorithms. ReadPrivate refuses a public key, and ReadPublic refuses a private key. Both
  // also refuse a key whose point on the curve belongs to no valid key, such as a point of small
  // order or a point not in canonical form. The error says which kind of key or file was found.
  // ReadPrivate also accepts the URI of a key in a token (TokenKey) as `path`; the first line of
  // the file `passphrase` is then the PIN.
  static StatusOr<Ed25519Key> ReadPrivate(const std::filesystem::path& path,
                                          const std::filesystem::path& passphrase = {});
  static StatusOr<Ed25519Key> ReadPublic(const std::filesystem::path& path);
  // Takes a public key in DER form (SubjectPublicKeyInfo). The refusals are those of ReadPublic,
  // and any other form than that of `der` is refused, too. Errors name `origin`.
  static StatusOr<Ed25519Key> PublicFromDer(std::string_view der, std::string_view origin);

  // The SHA-256 of the public key in DER form (SubjectPublicKeyInfo), also for a private key.
  const std::string& id() const { return id_; }
  // The public key in DER form.
  const std::string& der() const { return der_; }

  // Returns a signature over `bytes`; it has 64 bytes. The key must be private.
  StatusOr<std::string> Sign(std::string_view bytes) const;
  bool Verify(std::string_view bytes, std::string_view signature) const;

 private:
  Ed25519Key() = default;
  static StatusOr<Ed25519Key> Read(const std::filesystem::path& path, bool is_private,
                                   const std::filesystem::path& passphrase);
  static StatusOr<Ed25519Key> FromPem(const std::string& text, std::string_view origin,
                                      bool is_private, const std::filesystem::path& passphrase);

  static StatusOr<Ed25519Key> OfToken(const std::string& uri,
                                      const std::filesystem::path& passphrase);
  bool SetId();

  std::shared_ptr<evp_pkey_st> key_;       // for a key in a token: only the public half
  std::shared_ptr<const TokenKey> token_;  // null for a key in a file
  std::string id_, der_;
};

// Returns the bytes that a signature covers: DSSE's pre-authentication encoding of type and body.
std::string PreAuthEncoding(std::string_view type, std::string_view body);

// Signs the payload and returns the envelope as JSON (schemas/envelope.schema.json). Refuses a
// payload with a byte order mark, because OpenEnvelope would refuse this payload, too.
StatusOr<std::string> SealEnvelope(const Ed25519Key& key, std::string_view payload_type,
                                   std::string_view payload);

// Adds a signature by `key` to an envelope of this type. Does not check the signatures that the
// envelope already has, so the caller must have verified the envelope. It is an error if `key` has
// already signed the envelope. Errors name `origin`.
StatusOr<std::string> Countersigned(const Ed25519Key& key, std::string_view payload_type,
                                    std::string_view text, std::string_view origin);

// Returns the payload if it has this type and `key` has signed it. The envelope may be any JSON
// text that fits schemas/envelope.schema.json. Signatures by other keys are ignored. Errors name
// `origin`.
StatusOr<std::string> OpenEnvelope(const Ed25519Key& key, std::string_view payload_type,
                                   std::string_view text, std::string_view origin);

// Base64 encodes in the standard alphabet with padding. FromBase64 also accepts the URL-safe
// alphabet, as DSSE requires. Apart from the alphabet, FromBase64 accepts only the exact text that
// Base64 returns.
std::string Base64(std::string_view bytes);
StatusOr<std::string> FromBase64(std::string_view text);

}  // namespace cts
