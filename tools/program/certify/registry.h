// A registry of certificates: a folder, often in git, with a subfolder for each submitted product.
//
//   registry.json                     the issuer, and the accepted editions
//   keys/SIGNER.pem                   the public key of each signer
//   products/NUMBER/registration.json number, dates, and the certified product
//   products/NUMBER/evidence          the folder from `certify`, or the file evidence.tar.zst
//
// The issuer signs a status list, which has all products with their states. `verify --status` obeys
// this list.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/gate/gate.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "tools/program/certify/verify.h"

namespace cts {

enum class ProductState { kValid, kExpired, kRevoked };
std::string_view Name(ProductState state);

struct Revocation {
  std::string date, reason;
};

// A product in a registry (schemas/registration.schema.json). Dates are YYYY-MM-DD, in UTC.
struct Registration {
  std::string number, signer, issued, valid_until;
  std::string statement;  // SHA-256 of the file of the signed statement
  Claim product;  // without the members that do not name a product: symbolic, waived findings,
                  // declared
  std::optional<Revocation> revoked;
};

// The reason why a product or a change of the registry is refused: a word for scripts, the place,
// and a sentence.
struct Refusal {
  std::string kind, place, message;
};

struct RegisteredProduct {
  Registration registration;
  ProductState state = ProductState::kValid;
};

struct RegistryReport {
  std::string issuer;
  std::vector<RegisteredProduct> products;  // products that are not refused, by number
  std::vector<Refusal> refusals;
};

// The members of a claim that name a product.
Json ProductToJson(const Claim& claim);

struct RegistryOptions {
  std::filesystem::path folder;
  // The registry before a submission. If it is given, the only accepted changes since then are one
  // new product and revocations. Empty: the registry is checked as a whole.
  std::filesystem::path since;
  std::string today = Today();
  VerifyOptions verify;  // how evidence is verified; `evidence` and `key` are set for each product
};

// Verifies the evidence of every product again. Errors: a registry without a readable registry.json
// or without products/, and an interruption.
StatusOr<RegistryReport> CheckRegistry(const RegistryOptions& options);

// A table of refusals, and a line that counts the products by their state.
std::string FormatRegistryReport(const RegistryReport& report);

struct StatusListOptions {
  std::filesystem::path key;         // the issuer's private key
  std::filesystem::path passphrase;  // the file with the passphrase of an encrypted key
  std::filesystem::path out;         // a folder for status.json and index.html
  std::string today = Today();
  std::string next_update;  // the last day on which the list may be used
};

// Writes the signed list and its page. The sequence number is one more than that of the list in
// `out`, or 1 if `out` has no list. Errors: a list in `out` that this key did not sign.
Status WriteStatusList(const RegistryReport& report, const StatusListOptions& options);

// Checks evidence against a status list: its product must be registered and valid, and the list
// must not be out of date. Anything wrong becomes a fault of `verification`. Errors: a key that
// cannot be read, a list that cannot be read or is not signed by this key.
Status ObeyStatusList(const std::filesystem::path& list, const std::filesystem::path& key,
                      const std::string& today, Verification* verification);

}  // namespace cts
