// The report of `tensor-cts audit`.
#include <algorithm>
#include <map>
#include <set>

#include "reference/base/json.h"
#include "tools/program/ask/list.h"
#include "tools/program/audit/audit.h"

namespace cts {
namespace {

// Caught faults, and all.
struct Score {
  uint64_t caught = 0, all = 0, unreachable = 0;
  std::set<std::string> faults;

  void Add(const AuditedFault& fault) {
    faults.insert(fault.fault->id);
    if (!fault.caught() && !fault.unreachable.empty()) {
      ++unreachable;
      return;
    }
    ++all;
    caught += fault.caught() ? 1 : 0;
  }
  Json ToJson(const char* key, const std::string& name) const {
    return {{key, name},
            {"faults", faults.size()},
            {"caught", caught},
            {"of", all},
            {"unreachable", unreachable}};
  }
};

template <class Key>
Json ScoresBy(const Audit& audit, const char* name, Key key) {
  std::map<std::string, Score> scores;
  for (const AuditedFault& fault : audit.faults) scores[key(fault)].Add(fault);
  Json rows = Json::array();
  for (const auto& [value, score] : scores) rows.push_back(score.ToJson(name, value));
  return rows;
}

}  // namespace

Json AuditToJson(const Audit& audit) {
  Json json = {{"format", "tensor-cts-audit-1"},
               {"recipe", audit.recipe},
               {"edition", audit.edition},
               {"caught", audit.Caught()},
               {"survivors", audit.Survivors()},
               {"unreachable", audit.faults.size() - audit.Caught() - audit.Survivors()},
               {"not_asked", audit.not_asked}};
  std::set<std::string> ids;
  for (const AuditedFault& fault : audit.faults) ids.insert(fault.fault->id);
  json["faults"] = ids.size();
  json["by_operator"] =
      ScoresBy(audit, "operator", [](const AuditedFault& f) { return f.fault->op; });
  json["by_source"] = ScoresBy(
      audit, "source", [](const AuditedFault& f) { return std::string(Name(f.fault->source)); });
  std::map<std::string, uint64_t> first;
  for (const AuditedFault& fault : audit.faults) {
    if (fault.caught()) ++first[fault.data_set];
  }
  json["first_by_data_set"] = Json::array();
  for (const auto& [data_set, count] : first) {
    json["first_by_data_set"].push_back({{"data_set", data_set}, {"caught", count}});
  }
  json["entries"] = Json::array();
  for (const AuditedFault& fault : audit.faults) {
    Json entry = {{"fault", fault.fault->id},
                  {"operator", fault.fault->op},
                  {"source", Name(fault.fault->source)},
                  {"sentence", fault.fault->sentence},
                  {"clause", fault.fault->clause}};
    if (!fault.mode.empty()) entry["types"] = fault.mode;
    if (fault.caught()) {
      entry["first"] = fault.first;
      entry["data_set"] = fault.data_set;
      if (audit.count_all) entry["caught_by"] = fault.caught_by;
    } else if (!fault.unreachable.empty()) {
      entry["unreachable"] = fault.unreachable;
    }
    json["entries"].push_back(std::move(entry));
  }
  return json;
}

std::string FormatAudit(const Json& json) {
  std::string text =
      FormatTable(json["by_operator"], {"operator", "faults", "caught", "of", "unreachable"});
  text += StrCat("\n", FormatTable(json["by_source"], {"source", "faults", "caught", "of"}));
  text += StrCat("\n", FormatTable(json["first_by_data_set"], {"data_set", "caught"}));
  Json survivors = Json::array();
  for (const Json& entry : json["entries"]) {
    if (entry.contains("first") || entry.contains("unreachable")) continue;
    survivors.push_back({{"survivor", entry["fault"]},
                         {"types", entry.value("types", "")},
                         {"what it does", entry["sentence"]},
                         {"against", entry["clause"]}});
  }
  if (!survivors.empty()) {
    text += StrCat("\n", FormatTable(survivors, {"survivor", "types", "what it does", "against"}));
  }
  const uint64_t caught = json["caught"], of = caught + json["survivors"].get<uint64_t>();
  text += StrCat("\n", json["recipe"].get<std::string>(), ", ", json["edition"].get<std::string>(),
                 ": ", caught, " of ", of, " caught (", json["faults"].get<uint64_t>(),
                 " faults, each in every type row that it touches), ",
                 json["survivors"].get<uint64_t>(), " survive, ",
                 json["unreachable"].get<uint64_t>(), " that no case can show");
  if (const uint64_t not_asked = json["not_asked"]; not_asked > 0) {
    text += StrCat(", ", not_asked, " bounds that no case's condition looks at");
  }
  text += "\n";
  return text;
}

}  // namespace cts
