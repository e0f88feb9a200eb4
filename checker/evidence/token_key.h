// Ed25519 keys that stay in a token, such as a smart card or a hardware security module. The token
// signs by PKCS #11. The library p11-kit is loaded when a key of a token is first opened.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

class TokenKey {
 public:
  // Whether a --key names a key of a token: "pkcs11:..." (RFC 7512).
  static bool IsUri(std::string_view text) { return text.starts_with("pkcs11:"); }

  // Opens a session with the token and logs in. `uri` must match exactly one token and exactly one
  // private Ed25519 key in the token, and the token must also have the public key with the same id.
  // The attribute module-path of `uri` names the PKCS #11 module; without it, the modules that are
  // registered with p11-kit are used. The key must not ask for the PIN at every signature. The
  // first line of the file `passphrase` is the PIN. A PIN in
  // `uri` is refused, because other users can see a command line.
  static StatusOr<std::shared_ptr<const TokenKey>> Open(const std::string& uri,
                                                        const std::filesystem::path& passphrase);
  virtual ~TokenKey() = default;

  // The 32 bytes of the public key, as the token states them. Only a signature proves that the
  // token signs with the private half of this key.
  virtual const std::string& public_key() const = 0;
  // Returns the 64 bytes that the token gives as the signature; the caller must verify them.
  // Several threads may call this function.
  virtual StatusOr<std::string> Sign(std::string_view bytes) const = 0;
};

// Returns the first line of a file with a passphrase or a PIN. An error if this line is empty; the
// error calls the missing text `what`.
StatusOr<std::string> ReadPassphrase(const std::filesystem::path& file, std::string_view what);

}  // namespace cts
