#include "tools/program/audit/coverage_report.h"

#include <algorithm>

#include "checker/report/page_parts.h"
#include "checker/text/printable.h"
#include "generator/draft/name_text.h"
#include "reference/base/json.h"
#include "tools/program/ask/list.h"

namespace cts {
namespace {

Json ToJson(const Tally& tally) {
  return {{"all", tally.all},
          {"covered", tally.covered},
          {"impossible", tally.impossible},
          {"holes", tally.holes()}};
}

// One object for each operator, and one for the graphs of several operators.
Json Operators(const Coverage& coverage) {
  struct Sums {
    Tally type_rows, tuples, conditions;
    uint64_t cases = 0, error_cases = 0;
  };
  std::vector<std::string> order;
  std::map<std::string, Sums> sums;
  const auto at = [&](const std::string& name) -> Sums& {
    if (!sums.contains(name)) order.push_back(name);
    return sums[name];
  };
  for (const PartCoverage& part : coverage.parts) {
    Sums& sum = at(part.is_graph ? "graphs" : part.op);
    sum.tuples += part.tuples;
    if (!part.is_graph) {
      const bool asked = part.not_asked.empty();
      sum.type_rows += {1, asked && part.any_cases > 0, !asked};
    }
  }
  for (const SuiteEntry& entry : coverage.suite.cases) {
    Sums& sum = at(entry.id.starts_with("graphs/") ? "graphs" : entry.op);
    ++(entry.outcome == "valid" ? sum.cases : sum.error_cases);
  }
  for (const ConditionCoverage& condition : coverage.conditions) {
    const bool asked = condition.state != ConditionState::kNotAsked &&
                       condition.state != ConditionState::kNeverACase;
    if (!asked && !sums.contains(condition.op)) continue;
    if (condition.state == ConditionState::kNeverACase) continue;
    const bool covered = condition.state == ConditionState::kCovered;
    at(condition.op).conditions +=
        {1, covered, !covered && condition.state != ConditionState::kHole};
  }
  Json rows = Json::array();
  for (const std::string& name : order) {
    const Sums& sum = sums[name];
    rows.push_back({{"operator", name},
                    {"cases", sum.cases},
                    {"error_cases", sum.error_cases},
                    {"type_rows", ToJson(sum.type_rows)},
                    {"tuples", ToJson(sum.tuples)},
                    {"conditions", ToJson(sum.conditions)}});
  }
  return rows;
}

Json PartsJson(const Coverage& coverage) {
  Json rows = Json::array();
  for (const PartCoverage& part : coverage.parts) {
    Json row = {{"part", part.prefix},
                {"operator", part.op},
                {"mode", part.mode},
                {"graph", part.is_graph},
                {"axes", part.axes},
                {"cases", part.cases},
                {"other_cases", part.any_cases - part.cases},
                {"tuples", ToJson(part.tuples)},
                {"impossible", part.impossible}};
    if (!part.not_asked.empty()) row["not_asked"] = part.not_asked;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json RelationsJson(const Coverage& coverage) {
  Json rows = Json::array();
  for (const RelationCoverage& relation : coverage.relations) {
    rows.push_back({{"operator", relation.op},
                    {"relation", relation.relation},
                    {"family", relation.family},
                    {"meaning", relation.meaning},
                    {"cases", relation.cases}});
    if (!relation.impossible.empty()) rows.back()["impossible"] = relation.impossible;
  }
  return rows;
}

Json SizesJson(const Coverage& coverage) {
  Json rows = Json::array();
  for (const SizeCoverage& size : coverage.sizes) {
    rows.push_back({{"operator", size.op},
                    {"dimension", size.dimension},
                    {"kind", size.kind},
                    {"meaning", size.meaning},
                    {"sizes", size.sizes},
                    {"cases", size.cases}});
    if (!size.data_set.empty()) rows.back()["data_set"] = size.data_set;
  }
  return rows;
}

Json PatternsJson(const Coverage& coverage) {
  Json rows = Json::array();
  for (const PatternCoverage& pattern : coverage.patterns) {
    rows.push_back({{"pattern", pattern.name},
                    {"meaning", pattern.meaning},
                    {"reason", pattern.reason},
                    {"cases", pattern.cases}});
    if (!pattern.impossible.empty()) rows.back()["impossible"] = pattern.impossible;
  }
  return rows;
}

Json Holes(const Coverage& coverage) {
  Json holes = Json::array();
  const auto add = [&](const char* kind, const std::string& place, Json values) {
    holes.push_back({{"kind", kind}, {"place", place}, {"values", std::move(values)}});
  };
  for (const ProfileCoverage& profile : coverage.profiles) {
    if (profile.is_hole()) add("profile", profile.name, Json::object());
  }
  for (const PartCoverage& part : coverage.parts) {
    if (!part.is_graph && part.not_asked.empty() && part.any_cases == 0) {
      add("type_row", part.prefix, Json::object());
    }
  }
  for (const ConditionCoverage& condition : coverage.conditions) {
    if (condition.state == ConditionState::kHole) add("condition", condition.id, Json::object());
  }
  for (const RelationCoverage& relation : coverage.relations) {
    if (!relation.is_hole()) continue;
    add("relation", StrCat(relation.op, ", ", relation.family),
        {{"relation", relation.relation}, {"meaning", relation.meaning}});
  }
  for (const SizeCoverage& size : coverage.sizes) {
    if (!size.is_hole()) continue;
    add("size", StrCat(size.op, ", ", size.kind),
        {{"dimension", size.dimension}, {"meaning", size.meaning}, {"sizes", size.sizes}});
    if (!size.data_set.empty()) holes.back()["values"]["data_set"] = size.data_set;
  }
  for (const PatternCoverage& pattern : coverage.patterns) {
    if (pattern.is_hole()) add("pattern", pattern.name, {{"meaning", pattern.meaning}});
  }
  for (const std::string& id : coverage.unplanned) add("unplanned", id, Json::object());
  for (const std::string& id : coverage.missing) add("case", id, Json::object());
  for (const PartCoverage& part : coverage.parts) {
    for (const OpenTuple& tuple : part.holes) add("tuple", part.prefix, tuple.values);
  }
  // Pairs to objects: an axis occurs once.
  for (Json& hole : holes) {
    if (hole["values"].is_object()) continue;
    Json values = Json::object();
    for (const Json& value : hole["values"]) values[value[0].get<std::string>()] = value[1];
    hole["values"] = std::move(values);
  }
  return holes;
}

// Says what to do about the holes.
Json Remedies(const Coverage& coverage) {
  Json remedies = Json::array();
  if (coverage.Holes() == 0) return remedies;
  if (!coverage.filters.empty()) {
    std::string filters;
    for (const std::string& filter : coverage.filters) {
      filters += StrCat(filters.empty() ? "" : ", ", filter);
    }
    remedies.push_back(StrCat("the recipe is filtered (", filters,
                              "), so that holes must be: measure the suite without the filter"));
    return remedies;
  }
  if (coverage.suite.generator != kSuiteGenerator) {
    remedies.push_back(StrCat("the suite was written by ", coverage.suite.generator,
                              ", and this makes suites of ", kSuiteGenerator,
                              ", whose domains may hold more: generate it again"));
  } else {
    remedies.push_back(
        "generate the suite again; if a hole stays, the generator leaves out what its own domains "
        "allow, which is a fault of it: please report it");
  }
  if (coverage.Conditions().holes() > 0) {
    remedies.push_back(
        "a condition that no case breaks wants a Breaker in the operator's domain, or a reason "
        "among ConditionsNotBrokenAlone");
  }
  if (coverage.Relations().holes() > 0) {
    remedies.push_back(
        "a relation that holds in no case wants a RelationCase in the operator's domain, or a "
        "reason among its type rows");
  }
  if (coverage.Sizes().holes() > 0) {
    remedies.push_back(
        "a dimension that no case has of such a size wants other labels in "
        "generator/ops/size_cases.cc, or data whose results differ");
  }
  return remedies;
}

// "99.9 %", never rounded up. Things that cannot be covered do not count.
std::string Percent(const Json& tally) {
  const uint64_t covered = tally["covered"];
  const uint64_t possible = covered + tally["holes"].get<uint64_t>();
  if (possible == 0) return "-";
  const uint64_t permille = covered * 1000 / possible;
  return StrCat(permille / 10, ".", permille % 10, " %");
}

// "12 of 15 (80.0 %)".
std::string Share(const Json& tally) {
  const uint64_t covered = tally["covered"];
  return StrCat(covered, " of ", covered + tally["holes"].get<uint64_t>(), " (", Percent(tally),
                ")");
}

std::string ValuesText(const Json& values) {
  std::string text;
  for (const auto& [axis, value] : values.items()) {
    text += StrCat(text.empty() ? "" : ", ", axis, "=", value.get<std::string>());
  }
  return text;
}

std::string HoleText(const Json& hole) {
  const std::string kind = hole["kind"], place = hole["place"];
  if (kind == "tuple") return StrCat(place, ": no case has ", ValuesText(hole["values"]));
  if (kind == "condition") return StrCat(place, ": no error case breaks it");
  if (kind == "relation") {
    return StrCat(place, ": no valid case in which ", hole["values"]["meaning"].get<std::string>(),
                  " (", hole["values"]["relation"].get<std::string>(), ")");
  }
  if (kind == "size") {
    return StrCat(place, ": no valid case in which ", hole["values"]["meaning"].get<std::string>(),
                  " (", hole["values"]["dimension"].get<std::string>(), ") is ",
                  hole["values"]["sizes"].get<std::string>(),
                  hole["values"].contains("data_set")
                      ? StrCat(", with data set ", hole["values"]["data_set"].get<std::string>())
                      : "");
  }
  if (kind == "pattern") {
    return StrCat("graphs: no valid case in which ", hole["values"]["meaning"].get<std::string>(),
                  " (", place, ")");
  }
  if (kind == "type_row") return StrCat(place, ": the type row has no valid case");
  if (kind == "case")
    return StrCat("planned case ", place, " is missing: generate the suite again");
  if (kind == "unplanned") return StrCat("case ", place, " is not one that the recipe makes");
  return StrCat(place, ": type rows or values of parameters need it, and no valid case does");
}

// All parts' reasons together, the most frequent first.
std::vector<std::pair<uint64_t, std::string>> Reasons(const Json& json) {
  std::map<std::string, uint64_t> sums;
  for (const Json& part : json["parts"]) {
    for (const auto& [reason, count] : part["impossible"].items()) {
      sums[reason] += count.get<uint64_t>();
    }
  }
  std::vector<std::pair<uint64_t, std::string>> reasons;
  reasons.reserve(sums.size());
  for (const auto& [reason, count] : sums) reasons.emplace_back(count, reason);
  std::stable_sort(reasons.begin(), reasons.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  return reasons;
}

// Conditions that are neither covered nor a hole, and why.
Json Excused(const Json& json) {
  std::map<std::string, uint64_t> not_asked;
  Json rows = Json::array();
  for (const Json& condition : json["conditions"]) {
    const Json& state = condition["state"];
    if (state == "not_alone" || state == "not_within" || state == "no_breaker") {
      rows.push_back({{"condition", condition["id"]}, {"reason", condition["reason"]}});
    } else if (state == "not_asked") {
      ++not_asked[condition["reason"].get<std::string>()];
    }
  }
  for (const auto& [reason, count] : not_asked) {
    rows.push_back({{"condition", StrCat(count, " others")}, {"reason", reason}});
  }
  return rows;
}

constexpr const char* kLeftOut = "Cases that a condition of the edition's own or the data forbid";

std::string LeftOutText(const Json& each) {
  return StrCat(each["case"].get<std::string>(), ": ", each["condition"].get<std::string>(), ": ",
                each["reason"].get<std::string>());
}

// A table for people, from the operators' objects.
Json FlatOperators(const Json& json) {
  Json rows = Json::array();
  for (const Json& op : json["operators"]) {
    const auto of_possible = [&](const char* measure) -> Json {
      const Json& tally = op[measure];
      if (tally["all"] == 0) return "";
      return StrCat(tally["covered"].get<uint64_t>(), "/",
                    tally["covered"].get<uint64_t>() + tally["holes"].get<uint64_t>());
    };
    rows.push_back({{"operator", op["operator"] == "*" ? Json("any graph") : op["operator"]},
                    {"type rows", of_possible("type_rows")},
                    {"valid", op["cases"]},
                    {"error", op["error_cases"]},
                    {"covered", op["tuples"]["covered"]},
                    {"impossible", op["tuples"]["impossible"]},
                    {"holes", op["tuples"]["holes"]},
                    {"conditions", of_possible("conditions")}});
  }
  return rows;
}

Json FlatProfiles(const Json& json) {
  Json rows = Json::array();
  for (const Json& profile : json["profiles"]) {
    rows.push_back({{"profile", profile["name"]},
                    {"type rows", profile["type_rows"]},
                    {"values", profile["values"]},
                    {"cases", profile["cases"]}});
  }
  return rows;
}

std::string Title(const Json& json) {
  const Json& suite = json["suite"];
  return StrCat("Coverage of ", Printable(suite["name"].get<std::string>()), " for ",
                suite["edition"].get<std::string>(), ", level ", suite["level"].get<std::string>(),
                ", strength ", json["strength"].get<int>());
}

std::string Summary(const Json& json) {
  const Json& totals = json["totals"];
  const Json& cases = json["cases"];
  const auto count = [](const Json& number) { return number.get<uint64_t>(); };
  std::string text = StrCat(
      "Planned     ", Share(totals["planned"]), "; ", count(totals["unplanned"]),
      " more are not planned\n", "Type rows   ", Share(totals["type_rows"]), "; ",
      count(totals["type_rows"]["impossible"]), " more are not asked for\n", "Tuples      ",
      Share(totals["tuples"]), "; ", count(totals["tuples"]["impossible"]),
      " more are impossible\n", "Conditions  ", Share(totals["conditions"]), "; ",
      count(totals["conditions"]["impossible"]), " more are excused, and ",
      count(totals["never_a_case"]),
      " of kind require and level are never a case: their result is unpredictable\n",
      "Relations   ", Share(totals["relations"]), "; ", count(totals["relations"]["impossible"]),
      " more are impossible\n", "Sizes       ", Share(totals["sizes"]), "\n", "Patterns    ",
      Share(totals["patterns"]), " of graphs; ", count(totals["patterns"]["impossible"]),
      " more are impossible\n", "Cases       ", count(cases["valid"]), " valid, of which ",
      count(cases["counted"]), " count for tuples; ", count(cases["error"]), " of errors\n");
  if (cases.contains("least_teeth")) {
    text += StrCat("Teeth       ", cases["least_teeth"]["share"].dump(),
                   " at least: ", cases["least_teeth"]["id"].get<std::string>(), "\n");
  }
  return text;
}

// --- HTML.

// Strings as they are, everything else as JSON.
std::string Escape(const Json& json) {
  return Markup(json.is_string() ? json.get<std::string>() : json.dump());
}

// A cell with a tally. Its colour is the covered part of all that can be covered.
std::string TallyCell(const Json& tally) {
  const uint64_t covered = tally["covered"], holes = tally["holes"],
                 impossible = tally["impossible"];
  if (tally["all"] == 0) return "<td></td>";
  std::string text =
      StrCat("<td class=\"", ShareClass(covered, covered + holes), "\" title=\"", holes, " holes, ",
             impossible, " not possible or not asked for\">", covered, "/", covered + holes);
  if (covered + holes > 0) text += StrCat("<br><small>", Percent(tally), "</small>");
  return text + "</td>";
}

// The parts of an operator, or of the graphs, folded.
std::string PartDetails(const Json& json, const std::string& op) {
  std::string rows;
  uint64_t holes = 0;
  for (const Json& part : json["parts"]) {
    if (op == "graphs" ? !part["graph"].get<bool>()
                       : part["graph"] == true || part["operator"] != op) {
      continue;
    }
    holes += part["tuples"]["holes"].get<uint64_t>();
    std::string remarks = part.contains("not_asked") ? Escape(part["not_asked"]) : "";
    for (const auto& [reason, count] : part["impossible"].items()) {
      remarks +=
          StrCat(remarks.empty() ? "" : "<br>", count.dump(), " impossible: ", Escape(reason));
    }
    rows += StrCat("<tr><th scope=\"row\"><code>", Escape(part["part"]),
                   "</code></th><td class=\"text\">", Escape(part["mode"]), "</td><td>",
                   Escape(part["axes"]), "</td><td>", Escape(part["cases"]), "</td>",
                   TallyCell(part["tuples"]), "<td class=\"text\">", remarks, "</td></tr>\n");
  }
  if (rows.empty()) return "";
  return StrCat("<details><summary>", Escape(op), holes == 0 ? "" : StrCat(": ", holes, " holes"),
                "</summary>",
                PageTable(StrCat("Parts of ", op),
                          {"part", "<type row", "axes", "cases", "tuples", "<remarks"}, rows),
                "</details>\n");
}

}  // namespace

Json CoverageToJson(const Coverage& coverage) {
  const Suite& suite = coverage.suite;
  uint64_t never = 0;
  Json conditions = Json::array(), profiles = Json::array();
  for (const ConditionCoverage& condition : coverage.conditions) {
    never += condition.state == ConditionState::kNeverACase;
    conditions.push_back({{"id", condition.id},
                          {"operator", condition.op},
                          {"kind", condition.kind},
                          {"state", Name(condition.state)},
                          {"reason", condition.reason},
                          {"cases", condition.cases}});
  }
  for (const ProfileCoverage& profile : coverage.profiles) {
    profiles.push_back({{"name", profile.name},
                        {"extension", profile.is_extension},
                        {"type_rows", profile.type_rows},
                        {"values", profile.values},
                        {"cases", profile.cases}});
    if (!profile.excuse.empty()) profiles.back()["excuse"] = profile.excuse;
  }
  Json left_out = Json::array();
  for (const LeftOut& each : coverage.left_out) {
    left_out.push_back({{"case", each.id}, {"condition", each.condition}, {"reason", each.reason}});
  }
  Json cases = {{"valid", coverage.valid_cases},
                {"error", coverage.error_cases},
                {"counted", coverage.counted_cases}};
  if (coverage.least_teeth) {
    cases["least_teeth"] = {{"id", coverage.least_teeth->first},
                            {"share", coverage.least_teeth->second}};
  }
  return {{"format", "tensor-cts-coverage-1"},
          {"suite",
           {{"name", suite.name},
            {"edition", suite.edition},
            {"level", suite.level},
            {"generator", suite.generator},
            {"seed", suite.seed},
            {"digest", suite.digest}}},
          {"recipe", RecipeToJson(coverage.recipe)},
          {"strength", coverage.recipe.strength},
          {"filters", coverage.filters},
          {"complete", coverage.Holes() == 0},
          {"cases", std::move(cases)},
          {"totals",
           {{"planned", ToJson(coverage.planned)},
            {"unplanned", coverage.unplanned.size()},
            {"type_rows", ToJson(coverage.TypeRows())},
            {"tuples", ToJson(coverage.Tuples())},
            {"conditions", ToJson(coverage.Conditions())},
            {"relations", ToJson(coverage.Relations())},
            {"sizes", ToJson(coverage.Sizes())},
            {"patterns", ToJson(coverage.Patterns())},
            {"never_a_case", never},
            {"holes", coverage.Holes()}}},
          {"operators", Operators(coverage)},
          {"parts", PartsJson(coverage)},
          {"conditions", std::move(conditions)},
          {"left_out", std::move(left_out)},
          {"profiles", std::move(profiles)},
          {"relations", RelationsJson(coverage)},
          {"sizes", SizesJson(coverage)},
          {"patterns", PatternsJson(coverage)},
          {"holes", Holes(coverage)},
          {"remedies", Remedies(coverage)}};
}

std::string FormatCoverage(const Json& json) {
  constexpr size_t kShown = 20;
  std::string text = Title(json) + "\n";
  for (const Json& filter : json["filters"]) {
    text += StrCat("Filtered by ", Printable(filter.get<std::string>()), "\n");
  }
  text += "\n" + FormatTable(FlatOperators(json), {"operator", "type rows", "valid", "error",
                                                   "covered", "impossible", "holes", "conditions"});
  text += "\n" + FormatTable(FlatProfiles(json), {"profile", "type rows", "values", "cases"});
  text += "\n" + Summary(json);
  const auto reasons = Reasons(json);
  if (!reasons.empty()) text += "\nImpossible tuples, and what they would break:\n";
  for (const auto& [count, reason] : reasons) text += StrCat("  ", count, "  ", reason, "\n");
  const Json excused = Excused(json);
  if (!excused.empty()) text += "\nConditions that are excused:\n";
  for (const Json& row : excused) {
    text += StrCat("  ", row["condition"].get<std::string>(), ": ",
                   row["reason"].get<std::string>(), "\n");
  }
  const Json& left_out = json["left_out"];
  if (!left_out.empty()) {
    text += StrCat("\n", kLeftOut, ": ", left_out.size(), "\n");
  }
  for (const Json& each : left_out) text += StrCat("  ", LeftOutText(each), "\n");
  for (const Json& profile : json["profiles"]) {
    if (!profile.contains("excuse")) continue;
    text += StrCat("\nProfile ", profile["name"].get<std::string>(),
                   " is excused: ", profile["excuse"].get<std::string>(), "\n");
  }
  std::map<std::string, std::vector<std::string>> impossible;  // by operator, family and reason
  for (const Json& relation : json["relations"]) {
    if (!relation.contains("impossible")) continue;
    impossible[StrCat(relation["operator"].get<std::string>(), ", ",
                      relation["family"].get<std::string>(), ": ",
                      relation["impossible"].get<std::string>())]
        .push_back(relation["relation"]);
  }
  if (!impossible.empty()) text += "\nRelations that are impossible:\n";
  for (const auto& [reason, names] : impossible) {
    text += StrCat("  ", reason, ": ", Join(names), "\n");
  }
  const Json& holes = json["holes"];
  if (holes.empty()) return text + "\nNo holes.\n";
  text += StrCat("\n", holes.size(), holes.size() == 1 ? " hole:\n" : " holes:\n");
  for (size_t i = 0; i < std::min(kShown, holes.size()); ++i) {
    text += StrCat("  ", HoleText(holes[i]), "\n");
  }
  if (holes.size() > kShown) {
    text += StrCat("  and ", holes.size() - kShown, " more; --json lists all\n");
  }
  for (const Json& remedy : json["remedies"]) {
    text += StrCat("What to do: ", Printable(remedy.get<std::string>()), "\n");
  }
  return text;
}

namespace {

std::string HolesSection(const Json& json) {
  constexpr size_t kShown = 1000, kFew = 20;
  const Json& holes = json["holes"];
  std::string text;
  for (const Json& remedy : json["remedies"]) text += StrCat("<p>", Escape(remedy), "</p>\n");
  if (!holes.empty()) {
    text += StrCat("<details", holes.size() <= kFew ? " open" : "",
                   "><summary>All holes</summary><ul>\n");
    for (size_t i = 0; i < std::min(kShown, holes.size()); ++i) {
      text += StrCat("<li>", Escape(HoleText(holes[i])), "</li>\n");
    }
    text += "</ul>\n";
    if (holes.size() > kShown) text += StrCat("<p>and ", holes.size() - kShown, " more</p>\n");
    text += "</details>\n";
  }
  return text.empty() ? "" : PageSection("holes", StrCat("Holes: ", holes.size()), text);
}

std::string OperatorsSection(const Json& json) {
  std::string rows;
  for (const Json& op : json["operators"]) {
    rows += StrCat("<tr><th scope=\"row\">",
                   op["operator"] == "*" ? "any graph" : Escape(op["operator"]), "</th><td>",
                   Escape(op["cases"]), "</td><td>", Escape(op["error_cases"]), "</td>",
                   TallyCell(op["type_rows"]), TallyCell(op["tuples"]), TallyCell(op["conditions"]),
                   "</tr>\n");
  }
  return PageSection(
      "operators", "Operators",
      PageTable("Operators",
                {"operator", "valid cases", "error cases", "type rows", "tuples", "conditions"},
                rows));
}

std::string ProfilesSection(const Json& json) {
  std::string rows;
  for (const Json& profile : json["profiles"]) {
    const bool asked =
        (profile["type_rows"] != 0 || profile["values"] != 0) && !profile.contains("excuse");
    rows += StrCat(
        "<tr><th scope=\"row\">", Escape(profile["name"]), "</th><td>",
        Escape(profile["type_rows"]), "</td><td>", Escape(profile["values"]), "</td><td class=\"",
        profile["cases"] != 0 ? "h5"
        : asked               ? "h0"
                              : "",
        "\">", Escape(profile["cases"]),
        profile.contains("excuse") ? StrCat(": ", Escape(profile["excuse"])) : "", "</td></tr>\n");
  }
  return PageSection("profiles", "Profiles and extensions",
                     PageTable("Profiles", {"profile", "type rows", "values", "cases"}, rows));
}

std::string ImpossibleSection(const Json& json) {
  std::string rows;
  for (const auto& [count, reason] : Reasons(json)) {
    rows += StrCat("<tr><th scope=\"row\">", Escape(reason), "</th><td>", count, "</td></tr>\n");
  }
  return rows.empty() ? ""
                      : PageSection("impossible", "Impossible tuples",
                                    PageTable("Impossible tuples",
                                              {"what they would break", "tuples"}, rows));
}

std::string ConditionsSection(const Json& json) {
  std::string rows;
  for (const Json& condition : json["conditions"]) {
    const std::string state = condition["state"];
    rows += StrCat("<tr><th scope=\"row\"><code>", Escape(condition["id"]),
                   "</code></th><td class=\"text\">", Escape(condition["kind"]),
                   "</td><td class=\"text",
                   state == "hole"      ? " h0"
                   : state == "covered" ? " h5"
                                        : "",
                   "\">", Escape(condition["state"]), "</td><td>", Escape(condition["cases"]),
                   "</td><td class=\"text\">", Escape(condition["reason"]), "</td></tr>\n");
  }
  return PageSection(
      "conditions", "Conditions",
      StrCat("<details><summary>All conditions</summary>\n",
             PageTable("Conditions", {"condition", "<kind", "<state", "cases", "<reason"}, rows),
             "</details>\n"));
}

}  // namespace

std::string CoverageToHtml(const Json& json) {
  const Json& suite = json["suite"];
  const bool complete = json["complete"];
  std::string facts =
      StrCat(FactRow("suite", StrCat(suite["name"].get<std::string>(), ", ",
                                     suite["edition"].get<std::string>(), ", level ",
                                     suite["level"].get<std::string>())),
             FactRow("digest", suite["digest"].get<std::string>()),
             FactRow("written by", suite["generator"].get<std::string>()));
  for (const Json& filter : json["filters"]) {
    facts += FactRow("filtered by", filter.get<std::string>());
  }
  const size_t holes = json["holes"].size();
  std::string body = StrCat(
      PageHeader("Tensor CTS: how much of its recipe a suite covers", complete ? "good" : "bad",
                 complete ? "NO HOLES" : StrCat(holes, holes == 1 ? " HOLE" : " HOLES"),
                 Title(json), facts),
      "<main>\n",
      PageSection(
          "summary", "Summary",
          StrCat("<div class=\"detail\"><pre>", MarkupOfLines(Summary(json)), "</pre></div>\n")),
      HolesSection(json), OperatorsSection(json), ProfilesSection(json), ImpossibleSection(json));
  std::string parts;
  for (const Json& op : json["operators"]) parts += PartDetails(json, op["operator"]);
  if (!parts.empty()) body += PageSection("rows", "Type rows and graphs", parts);
  std::string left_out;
  for (const Json& each : json["left_out"]) {
    left_out += StrCat("<li>", Escape(LeftOutText(each)), "</li>\n");
  }
  if (!left_out.empty()) {
    body += PageSection("left-out", kLeftOut, StrCat("<ul>\n", left_out, "</ul>\n"));
  }
  return PageOf(Title(json),
                StrCat(body, ConditionsSection(json), "</main>\n", PageFooter("coverage")));
}

}  // namespace cts
