// A registry of certificates: a folder, such as one in git, to which each product is submitted as a
// folder of its own.
//   registry.json                     the issuer, and the editions that are registered
//   keys/SIGNER.pem                   the public keys of those whose certificates are registered
//   products/NUMBER/registration.json number, dates, and what was certified
//   products/NUMBER/evidence          as certify wrote it; or evidence.tar.zst
// The issuer signs a list of all products and their states, which `verify --status` obeys.
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

// A product of a registry (schemas/registration.schema.json). Dates are YYYY-MM-DD, in UTC.
struct Registration {
  std::string number, signer, issued, valid_until;
  std::string statement;  // SHA-256 of the signed statement's file
  Claim product;          // without what names no product: symbolic, waived findings, declared
  std::optional<Revocation> revoked;
};

// Why a submission is refused: a word for scripts, the place, and a sentence.
struct Refusal {
  std::string kind, place, message;
};

struct RegisteredProduct {
  Registration registration;
  ProductState state = ProductState::kValid;
};

struct RegistryReport {
  std::string issuer;
  std::vector<RegisteredProduct> products;  // those that are not refused, in order of numbers
  std::vector<Refusal> refusals;
};

// The members of a claim that name a product.
Json ProductToJson(const Claim& claim);

struct RegistryOptions {
  std::filesystem::path folder;
  // The registry before a submission: one new product is expected, and no other change except
  // revocations. Empty: the registry as a whole is looked at.
  std::filesystem::path since;
  std::string today = Today();
  VerifyOptions verify;  // how evidence is verified; its place and key are set for each product
};

// Verifies the evidence of every product again.
// Errors: a registry without a readable registry.json or without products/, and an interrupt.
StatusOr<RegistryReport> CheckRegistry(const RegistryOptions& options);

// A table of refusals, and a line that counts the products by their state.
std::string FormatRegistryReport(const RegistryReport& report);

struct StatusListOptions {
  std::filesystem::path key;  // the issuer's private key
  std::filesystem::path out;  // a folder: status.json, index.html
  std::string today = Today();
  std::string next_update;  // the last day on which the list may be used
};

// Writes the signed list and its page. The number of the list is one more than that of the list
// which is there. Errors: a list there that this key did not sign.
Status WriteStatusList(const RegistryReport& report, const StatusListOptions& options);

// Holds evidence against a status list: its product must be registered and valid, and the list must
// not be out of date. What is wrong becomes a fault of `verification`. Errors: a key that cannot be
// read, a list that cannot be read or is not signed by this key.
Status ObeyStatusList(const std::filesystem::path& list, const std::filesystem::path& key,
                      const std::string& today, Verification* verification);

}  // namespace cts
