#include "tools/program/certify/registry.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <utility>

#include "checker/evidence/dsse.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRegistryFile = "registry.json";
constexpr std::string_view kRegistrationFile = "registration.json";
constexpr std::string_view kEvidenceNames[] = {"evidence", "evidence.tar.zst"};

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

StatusOr<Registration> ReadRegistration(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, "registration"));
  Registration registration{.number = json["number"],
                            .signer = json["signer"],
                            .issued = json["issued"],
                            .valid_until = json["valid_until"],
                            .statement = json["statement"]};
  Json claim = json["product"];
  claim["format"] = "tensor-cts-claim-1";
  CTS_ASSIGN_OR_RETURN(registration.product,
                       ClaimFromJson(claim, StrCat(path.string(), ": /product")));
  if (json.contains("revoked")) {
    registration.revoked = {json["revoked"]["date"], json["revoked"]["reason"]};
  }
  return registration;
}

ProductState StateOf(const Registration& registration, const std::string& today) {
  if (registration.revoked && registration.revoked->date <= today) return ProductState::kRevoked;
  return registration.valid_until < today ? ProductState::kExpired : ProductState::kValid;
}

// Names of the entries of a folder, in order.
StatusOr<std::vector<std::string>> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  if (error) return Unavailable(folder.string(), ": cannot be read: ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

bool IsLink(const fs::path& path) {
  const StatusOr<fs::file_type> type = TypeOfLink(path);
  return type.ok() && *type == fs::file_type::symlink;
}

class Registrar {
 public:
  explicit Registrar(const RegistryOptions& options) : options_(options), today_(options.today) {}

  StatusOr<RegistryReport> Run() {
    CTS_ASSIGN_OR_RETURN(const Json registry,
                         LoadJson(options_.folder / kRegistryFile, "registry"));
    report_.issuer = registry["issuer"];
    editions_ = registry["editions"].get<std::vector<std::string>>();
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                         NamesIn(options_.folder / "products"));
    if (!options_.since.empty()) {
      CTS_RETURN_IF_ERROR(FindSubmission(names));
      CTS_RETURN_IF_ERROR(CompareRest());
    }
    FindDoubles(names);
    for (const std::string& name : names) CTS_RETURN_IF_ERROR(Product(name));
    return std::move(report_);
  }

 private:
  fs::path PlaceOf(const std::string& name) const { return options_.folder / "products" / name; }

  template <class... What>
  void Refuse(std::string_view kind, const fs::path& place, const What&... what) {
    report_.refusals.push_back({std::string(kind), place.string(), StrCat(what...)});
  }

  // The new products, which are judged as submissions; everything else must be as it was.
  Status FindSubmission(const std::vector<std::string>& names) {
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> before,
                         NamesIn(options_.since / "products"));
    for (const std::string& name : names) {
      if (!Contains(before, name)) submitted_.insert(name);
    }
    for (const std::string& name : before) {
      if (!Contains(names, name)) {
        Refuse("removed", PlaceOf(name), "was registered in ", options_.since.string(),
               ", and is gone: expected every product to stay; revoke it instead");
        continue;
      }
      const auto was = ReadRegistration(options_.since / "products" / name / kRegistrationFile);
      const auto now = ReadRegistration(PlaceOf(name) / kRegistrationFile);
      if (was.ok() && now.ok() && !IsRevisionOf(*was, *now)) {
        Refuse("changed", PlaceOf(name) / kRegistrationFile, "differs from the one in ",
               options_.since.string(), ": expected the same, or one that is revoked since");
      }
    }
    if (submitted_.size() > 1) {
      Refuse("two_products", options_.folder / "products", "found the new products ",
             *submitted_.begin(), " and ", *std::next(submitted_.begin()),
             ": expected one in a submission");
    }
    return absl::OkStatus();
  }

  // A submission may not bring its own key, or another issuer.
  Status CompareRest() {
    CTS_ASSIGN_OR_RETURN(const Files before, FilesBesideProducts(options_.since));
    CTS_ASSIGN_OR_RETURN(const Files now, FilesBesideProducts(options_.folder));
    for (const auto& [name, bytes] : now) {
      const auto was = before.find(name);
      if (was != before.end() && was->second == bytes) continue;
      Refuse("changed", options_.folder / name, was == before.end() ? "is new" : "differs",
             ": expected the file of ", options_.since.string(),
             ", as a submission adds a product");
    }
    for (const auto& [name, bytes] : before) {
      if (!now.contains(name)) {
        Refuse("removed", options_.folder / name, "is in ", options_.since.string(),
               ", and is gone");
      }
    }
    return absl::OkStatus();
  }

  // The bytes of registry.json and of the keys, by their names.
  using Files = std::map<std::string, std::string>;
  static StatusOr<Files> FilesBesideProducts(const fs::path& folder) {
    constexpr uint64_t kMost = 1 << 20;
    Files files;
    CTS_ASSIGN_OR_RETURN(files[std::string(kRegistryFile)],
                         ReadFile(folder / kRegistryFile, kMost));
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> keys, NamesIn(folder / "keys"));
    for (const std::string& key : keys) {
      CTS_ASSIGN_OR_RETURN(files["keys/" + key], ReadFile(folder / "keys" / key, kMost));
    }
    return files;
  }

  static bool IsRevisionOf(const Registration& was, const Registration& now) {
    return was.number == now.number && was.signer == now.signer && was.issued == now.issued &&
           was.valid_until == now.valid_until && was.statement == now.statement &&
           ProductToJson(was.product) == ProductToJson(now.product) &&
           (!was.revoked || (now.revoked && was.revoked->date == now.revoked->date &&
                             was.revoked->reason == now.revoked->reason));
  }

  // Two numbers that differ in case alone are one number to people, and to some file systems.
  void FindDoubles(const std::vector<std::string>& names) {
    std::map<std::string, std::string> first;
    for (const std::string& name : names) {
      const auto [found, inserted] = first.emplace(LowerCase(name), name);
      if (!inserted) {
        Refuse("number_twice", PlaceOf(name), "found the number ", name, " beside ", found->second,
               ": expected every number once, whatever its case");
      }
    }
  }

  // Everything that can be wrong with one product, the cheapest first.
  Status Product(const std::string& name) {
    const size_t before = report_.refusals.size();
    const fs::path place = PlaceOf(name), file = place / kRegistrationFile;
    StatusOr<fs::file_type> type = TypeOfLink(place);
    if (!type.ok() || *type != fs::file_type::directory) {
      Refuse("stray_file", place, "expected only folders of products here");
      return absl::OkStatus();
    }
    const fs::path keys = options_.folder / "keys";
    if (IsLink(file) || IsLink(keys)) {
      Refuse("stray_file", IsLink(file) ? file : keys, "found a link, expected the file itself");
      return absl::OkStatus();
    }
    const StatusOr<Registration> registration = ReadRegistration(file);
    if (!registration.ok()) {
      std::string message = Message(registration.status());
      if (message.starts_with(file.string() + ": ")) message.erase(0, file.string().size() + 2);
      Refuse("malformed", file, message);
      return absl::OkStatus();
    }
    CheckNumber(*registration, name, file);
    CheckDates(*registration, name, file);
    if (!Contains(editions_, registration->product.edition)) {
      Refuse("edition_unsupported", file, "found the edition ", registration->product.edition,
             ", expected one of ", kRegistryFile);
    }
    CTS_ASSIGN_OR_RETURN(const std::optional<fs::path> evidence, FindEvidence(place));
    const fs::path key = keys / (registration->signer + ".pem");
    if (const auto found = TypeOfLink(key); !found.ok() || *found != fs::file_type::regular) {
      Refuse("key_unknown", file, "found the signer ", registration->signer, ", expected ",
             key.string());
    }
    if (report_.refusals.size() == before && evidence) {
      CTS_RETURN_IF_ERROR(Verify(*registration, file, *evidence, key));
    }
    if (report_.refusals.size() > before) return absl::OkStatus();
    report_.products.push_back({*registration, StateOf(*registration, today_)});
    return absl::OkStatus();
  }

  void CheckNumber(const Registration& registration, const std::string& name,
                   const fs::path& file) {
    if (registration.number == name) return;
    std::error_code ignored;
    const bool taken = fs::exists(PlaceOf(registration.number), ignored);
    Refuse(taken ? "number_twice" : "number_differs", file, "found the number ",
           registration.number, taken ? ", which another product has: expected " : ", expected ",
           name, " as the folder says");
  }

  void CheckDates(const Registration& registration, const std::string& name, const fs::path& file) {
    std::vector<std::string> dates = {registration.issued, registration.valid_until};
    if (registration.revoked) dates.push_back(registration.revoked->date);
    for (const std::string& date : dates) {
      if (!IsDate(date)) Refuse("dates", file, "found the date ", date, ", expected a day");
    }
    if (registration.valid_until < registration.issued) {
      Refuse("dates", file, "is valid from ", registration.issued, " until ",
             registration.valid_until, ": expected a later end");
    }
    if (registration.issued > today_) {
      Refuse("not_yet_issued", file, "is issued on ", registration.issued,
             ", expected no day after ", today_);
    }
    if (!submitted_.contains(name)) return;
    if (registration.revoked) Refuse("revoked", file, "a new product is revoked already");
    if (registration.valid_until < today_) {
      Refuse("expired", file, "a new product was valid until ", registration.valid_until);
    }
  }

  StatusOr<std::optional<fs::path>> FindEvidence(const fs::path& place) {
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(place));
    std::vector<fs::path> found;
    for (const std::string& name : names) {
      if (IsLink(place / name)) {
        Refuse("stray_file", place / name, "found a link, expected the evidence itself");
      } else if (std::find(std::begin(kEvidenceNames), std::end(kEvidenceNames), name) !=
                 std::end(kEvidenceNames)) {
        found.push_back(place / name);
      } else if (name != kRegistrationFile) {
        Refuse("stray_file", place / name, "expected ", kRegistrationFile, " and the evidence of ",
               "one product");
      }
    }
    if (found.size() == 1) return std::optional(found.front());
    Refuse(found.empty() ? "evidence_missing" : "two_products", place,
           found.empty() ? "found no evidence" : "found two evidences", ", expected ",
           kEvidenceNames[0], " or ", kEvidenceNames[1]);
    return std::optional<fs::path>();
  }

  Status Verify(const Registration& registration, const fs::path& file, const fs::path& evidence,
                const fs::path& key) {
    VerifyOptions options = options_.verify;
    options.evidence = evidence;
    options.key = key;
    const StatusOr<Verification> verification = VerifyEvidence(options);
    if (options.stop != nullptr && *options.stop) return verification.status();
    if (!verification.ok()) {
      Refuse("not_verifiable", evidence, Message(verification.status()));
      return absl::OkStatus();
    }
    for (const std::string& fault : verification->faults) {
      Refuse("does_not_hold", evidence, fault);
    }
    if (!verification->Holds()) return absl::OkStatus();
    // Another spelling of the envelope is another file, and no other certificate.
    const auto [first, is_first] =
        statements_.emplace(verification->payload_digest, registration.number);
    if (!is_first) {
      Refuse("registered_twice", file, "found the certificate of ", first->second,
             ", expected every certificate once");
    }
    CheckResult(*verification, evidence);
    CheckClaim(registration, *verification, file);
    return absl::OkStatus();
  }

  void CheckResult(const Verification& verification, const fs::path& evidence) {
    if (!verification.Passed()) {
      Refuse("not_conformant", evidence, "says that the implementation failed");
    } else if (ResultOf(verification.report) == "WARNED") {
      Refuse("positive_control", evidence, "found results of this program itself, expected those ",
             "of an implementation");
    }
  }

  void CheckClaim(const Registration& registration, const Verification& verification,
                  const fs::path& file) {
    if (registration.statement != verification.statement_digest) {
      Refuse("statement_differs", file, "/statement: found ", registration.statement, ", expected ",
             verification.statement_digest, ", which is the digest of ",
             verification.statement_file);
    }
    const Json registered = ProductToJson(registration.product);
    for (const std::string& difference :
         Differences(registered, ProductToJson(verification.claim))) {
      Refuse("claim_differs", file, "/product", difference);
    }
  }

  const RegistryOptions& options_;
  const std::string& today_;
  std::vector<std::string> editions_;
  std::set<std::string> submitted_;
  std::map<std::string, std::string> statements_;  // the number of each signed statement
  RegistryReport report_;
};

}  // namespace

std::string_view Name(ProductState state) {
  switch (state) {
    case ProductState::kValid:
      return "valid";
    case ProductState::kExpired:
      return "expired";
    case ProductState::kRevoked:
      return "revoked";
  }
  return "";
}

Json ProductToJson(const Claim& claim) {
  return {{"name", claim.name},
          {"version", claim.version},
          {"vendor", claim.vendor},
          {"hardware", claim.hardware},
          {"edition", claim.edition},
          {"profiles", claim.profiles},
          {"extensions", claim.extensions},
          {"level", claim.level}};
}

StatusOr<RegistryReport> CheckRegistry(const RegistryOptions& options) {
  return Registrar(options).Run();
}

std::string FormatRegistryReport(const RegistryReport& report) {
  std::string text;
  for (const Refusal& refusal : report.refusals) {
    text += StrCat(refusal.kind, ": ", refusal.place, ": ", Printable(refusal.message), "\n");
  }
  std::map<ProductState, int> states;
  for (const RegisteredProduct& product : report.products) ++states[product.state];
  const size_t count = report.products.size();
  text += StrCat(count, count == 1 ? " product is registered:" : " products are registered:");
  for (const ProductState state :
       {ProductState::kValid, ProductState::kExpired, ProductState::kRevoked}) {
    text += StrCat(state == ProductState::kValid ? " " : ", ", states[state], " ", Name(state));
  }
  const size_t refused = report.refusals.size();
  return StrCat(text, "; ", refused, refused == 1 ? " refusal\n" : " refusals\n");
}

}  // namespace cts
