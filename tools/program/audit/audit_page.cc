// The page of `tensor-cts audit`.
#include <map>

#include "checker/report/page_parts.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "tools/program/audit/audit.h"

namespace cts {
namespace {

std::string TextOf(const Json& json, const char* key) { return json[key].get<std::string>(); }

std::string ScoreTable(const Json& scores, std::string_view key) {
  std::string rows;
  for (const Json& score : scores) {
    const uint64_t caught = score["caught"], of = score["of"];
    rows += StrCat("<tr><th scope=\"row\">", Markup(TextOf(score, std::string(key).c_str())),
                   "</th><td>", score["faults"].get<uint64_t>(), "</td><td class=\"",
                   ShareClass(caught, of), "\">", caught, " / ", of, "</td><td>",
                   score["unreachable"].get<uint64_t>(), "</td></tr>\n");
  }
  return PageTable(key, {key, "faults", "caught", "that no case can show"}, rows);
}

// Entries as rows: which fault, in which types, what it does, against which clause; what caught it.
std::string EntryRow(const Json& entry) {
  const std::string first = entry.value("first", ""), unreachable = entry.value("unreachable", "");
  return StrCat(
      "<tr><th scope=\"row\"><code>", Markup(TextOf(entry, "fault")),
      "</code></th><td class=\"text\">", Markup(entry.value("types", "")),
      "</td><td class=\"text\">", Markup(TextOf(entry, "sentence")), "</td><td class=\"text\">",
      Markup(TextOf(entry, "clause")), "</td><td class=\"text ",
      !first.empty()         ? "h5"
      : !unreachable.empty() ? ""
                             : "h0",
      "\">",
      !first.empty()         ? StrCat("<code>", Markup(first), "</code>")
      : !unreachable.empty() ? Markup(unreachable)
                             : "survives",
      entry.contains("caught_by") ? StrCat(" and ", entry["caught_by"].get<uint64_t>() - 1, " more")
                                  : "",
      "</td></tr>\n");
}

std::string EntryTable(std::string_view label, const std::string& rows) {
  return PageTable(label, {"fault", "<types", "<what it does", "<against", "<caught first by"},
                   rows);
}

}  // namespace

std::string AuditToHtml(const Json& json) {
  const uint64_t caught = json["caught"], survivors = json["survivors"];
  const uint64_t of = caught + survivors;
  std::string surviving;
  std::map<std::string, std::pair<std::string, uint64_t>> by_operator;  // rows, survivors
  for (const Json& entry : json["entries"]) {
    const std::string row = EntryRow(entry);
    const bool survives = !entry.contains("first") && !entry.contains("unreachable");
    if (survives) surviving += row;
    auto& [rows, count] = by_operator[TextOf(entry, "operator")];
    rows += row;
    count += survives ? 1 : 0;
  }
  std::string all;
  for (const auto& [op, entries] : by_operator) {
    const std::string name = op.empty() ? "any operator" : op;
    all += StrCat("<details><summary>", Markup(name),
                  entries.second == 0 ? "" : StrCat(": ", entries.second, " survive"),
                  "</summary>\n", EntryTable(name, entries.first), "</details>\n");
  }
  std::string first;
  for (const Json& data_set : json["first_by_data_set"]) {
    first += StrCat("<tr><th scope=\"row\">", Markup(TextOf(data_set, "data_set")), "</th><td>",
                    data_set["caught"].get<uint64_t>(), "</td></tr>\n");
  }
  const std::string facts = StrCat(
      FactRow("recipe", TextOf(json, "recipe")), FactRow("edition", TextOf(json, "edition")),
      FactRow("faults",
              StrCat(json["faults"].get<uint64_t>(), ", each in every type row that it touches")),
      FactRow("caught", StrCat(caught, " of ", of)),
      FactRow("that no case can show", std::to_string(json["unreachable"].get<uint64_t>())),
      FactRow("bounds that no condition looks at",
              std::to_string(json["not_asked"].get<uint64_t>())));
  const std::string body = StrCat(
      PageHeader("Tensor CTS: how strong a recipe is",
                 of == 0          ? "part"
                 : survivors == 0 ? "good"
                                  : "bad",
                 of == 0          ? "NOTHING ASKED"
                 : survivors == 0 ? "EVERY FAULT IS CAUGHT"
                                  : StrCat(WithCommas(static_cast<int64_t>(survivors)),
                                           survivors == 1 ? " SURVIVES" : " SURVIVE"),
                 StrCat("deliberately wrong implementations against ", TextOf(json, "recipe")),
                 facts),
      "<main>\n",
      surviving.empty() ? ""
                        : PageSection("survivors", "Survivors", EntryTable("Survivors", surviving)),
      PageSection("operators", "Operators", ScoreTable(json["by_operator"], "operator")),
      PageSection("sources", "Where the faults come from", ScoreTable(json["by_source"], "source")),
      PageSection("data", "Which data catch first",
                  PageTable("Data sets", {"data set", "caught"}, first)),
      PageSection("faults", "All faults", all), "</main>\n", PageFooter("audit"));
  return PageOf(StrCat("Audit of ", TextOf(json, "recipe")), body);
}

}  // namespace cts
