// The signed list of a registry's products, and the page of the same.
#include <string>

#include "checker/evidence/dsse.h"
#include "checker/report/page_parts.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/certify/registry.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStatusType = "application/vnd.tensor-cts.status+json";
constexpr std::string_view kStatusFile = "status.json";

// The payload of a list that the key has signed.
StatusOr<Json> OpenStatusList(const fs::path& path, const Ed25519Key& key) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxStatement));
  CTS_ASSIGN_OR_RETURN(const std::string payload,
                       OpenEnvelope(key, kStatusType, text, path.string()));
  CTS_ASSIGN_OR_RETURN(Json list, ParseJson(payload, path.string()));
  CTS_RETURN_IF_ERROR(ValidateJson(list, "status", path.string()));
  return list;
}

// One more than that of the list which is there; 1 if there is none.
StatusOr<int64_t> NextSequence(const fs::path& path, const Ed25519Key& key) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(path));
  if (type == fs::file_type::not_found) return 1;
  const StatusOr<Json> before = OpenStatusList(path, key);
  if (before.ok()) return before->at("sequence").get<int64_t>() + 1;
  return Annotate(before.status(), "the list that is there cannot be continued");
}

Json EntryOf(const RegisteredProduct& product) {
  const Registration& registration = product.registration;
  Json entry = {{"number", registration.number},
                {"statement", registration.statement},
                {"product", ProductToJson(registration.product)},
                {"issued", registration.issued},
                {"valid_until", registration.valid_until},
                {"state", Name(product.state)}};
  // Also one that begins on a later day: the list may still be in use then.
  if (registration.revoked) {
    entry["revoked"] = {{"date", registration.revoked->date},
                        {"reason", registration.revoked->reason}};
  }
  return entry;
}

std::string Words(const Json& names) {
  std::string text;
  for (const Json& name : names) text += (text.empty() ? "" : ", ") + name.get<std::string>();
  return text;
}

std::string PageOfList(const Json& list) {
  std::string rows;
  for (const Json& entry : list["products"]) {
    const Json& product = entry["product"];
    std::string state = entry["state"];
    if (entry.contains("revoked")) {
      state += StrCat(state == "revoked" ? " on " : ", revoked from ",
                      entry["revoked"]["date"].get<std::string>(), ": ",
                      entry["revoked"]["reason"].get<std::string>());
    }
    rows += "<tr>";
    for (const std::string& cell :
         {entry["number"].get<std::string>(),
          StrCat(product["vendor"].get<std::string>(), " ", product["name"].get<std::string>(), " ",
                 product["version"].get<std::string>()),
          state, product["hardware"].get<std::string>(),
          StrCat(product["edition"].get<std::string>(), ", level ",
                 product["level"].get<std::string>()),
          Words(product["profiles"]), Words(product["extensions"]),
          entry["issued"].get<std::string>(), entry["valid_until"].get<std::string>()}) {
      rows += StrCat("<td class=\"text\">", Markup(cell), "</td>");
    }
    rows += "</tr>\n";
  }
  const std::string issuer = list["issuer"];
  const size_t products = list["products"].size();
  const std::string facts =
      StrCat(FactRow("list", StrCat("number ", list["sequence"].get<int64_t>())),
             FactRow("of", list["issued"].get<std::string>()),
             FactRow("valid until", list["next_update"].get<std::string>()));
  return PageOf(
      StrCat(issuer, ": registered products"),
      StrCat(PageHeader(issuer, "part", StrCat(products, products == 1 ? " product" : " products"),
                        "registered with a certificate", facts),
             "<main>\n",
             PageSection("products", "Products",
                         PageTable("Products",
                                   {"<number", "<product", "<state", "<hardware", "<edition",
                                    "<profiles", "<extensions", "<issued", "<valid until"},
                                   rows)),
             PageSection("list", "The signed list",
                         StrCat("<p><code>", kStatusFile,
                                "</code> is the same list, signed by the issuer. It decides. Hold "
                                "a certificate against it:</p>\n<p><code>tensor-cts verify "
                                "EVIDENCE --key SIGNER.pem --status status.json --issuer "
                                "ISSUER.pem</code></p>\n")),
             "</main>\n", PageFooter("registry")));
}

// The entry of the certificate; null if the list has none.
const Json* FindEntry(const Json& list, const std::string& statement) {
  for (const Json& entry : list["products"]) {
    if (entry["statement"] == statement) return &entry;
  }
  return nullptr;
}

}  // namespace

Status WriteStatusList(const RegistryReport& report, const StatusListOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key,
                       Ed25519Key::ReadPrivate(options.key, options.passphrase));
  std::error_code error;
  fs::create_directories(options.out, error);
  if (error) return Unavailable(options.out.string(), ": cannot be created: ", error.message());
  const fs::path file = options.out / kStatusFile;
  CTS_ASSIGN_OR_RETURN(const int64_t sequence, NextSequence(file, key));
  Json list = {{"format", "tensor-cts-status-1"},
               {"issuer", report.issuer},
               {"sequence", sequence},
               {"issued", options.today},
               {"next_update", options.next_update},
               {"products", Json::array()}};
  for (const RegisteredProduct& product : report.products) {
    list["products"].push_back(EntryOf(product));
  }
  CTS_ASSIGN_OR_RETURN(const std::string envelope,
                       SealEnvelope(key, kStatusType, FormatJson(list)));
  CTS_RETURN_IF_ERROR(WriteFile(options.out / "index.html", PageOfList(list)));
  return WriteFile(file, envelope);
}

Status ObeyStatusList(const fs::path& place, const fs::path& key_file, const std::string& today,
                      Verification* verification) {
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key, Ed25519Key::ReadPublic(key_file));
  CTS_ASSIGN_OR_RETURN(const Json list, OpenStatusList(place, key));
  if (!verification->Holds()) return absl::OkStatus();
  const auto fault = [&](const auto&... what) {
    verification->faults.push_back(StrCat(place.string(), ": ", what...));
  };
  const std::string issuer = list["issuer"], next_update = list["next_update"];
  if (next_update < today) {
    fault("was valid until ", next_update, ": found the date ", today,
          ", expected a later list of ", issuer);
  }
  const Json* const entry = FindEntry(list, verification->statement_digest);
  if (entry == nullptr) {
    fault("has no product with the statement ", verification->statement_digest, ": ", issuer,
          " has not registered it");
    return absl::OkStatus();
  }
  const std::string number = entry->at("number"), valid_until = entry->at("valid_until");
  const bool revokes = entry->contains("revoked");
  const std::string since = revokes ? entry->at("revoked")["date"].get<std::string>() : "";
  if (entry->at("state") == "revoked" || (revokes && since <= today)) {
    fault(number, " was revoked",
          revokes ? StrCat(" on ", since, ": ", entry->at("revoked")["reason"].get<std::string>())
                  : "");
  } else if (valid_until < today) {
    fault(number, " was valid until ", valid_until, ", and it is ", today);
  }
  verification->registered = {number, issuer, entry->at("issued"), valid_until,
                              list["sequence"].get<int64_t>()};
  return absl::OkStatus();
}

}  // namespace cts
