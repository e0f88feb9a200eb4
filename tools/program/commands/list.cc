#include "tools/program/ask/list.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "checker/text/printable.h"
#include "checker/text/selection.h"
#include "cts_locks.h"
#include "cts_recipe_seconds.h"
#include "generator/recipe/recipe.h"
#include "reference/base/json.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/operator.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

// Adds what a recipe yields, by its lock; and the seconds of one core that generating took, by
// suites/seconds.json, where they were measured.
Status AddYield(Json& row) {
  const std::string name = row["name"];
  for (const EmbeddedFile& file : EmbeddedLocks()) {
    if (file.name != name + ".lock.json") continue;
    CTS_ASSIGN_OR_RETURN(const Json lock, ParseJson(file.text, file.name));
    constexpr uint64_t kMegabyte = 1000000;
    row["cases"] = lock["cases"];
    row["MB"] = (lock["bytes"].get<uint64_t>() + kMegabyte - 1) / kMegabyte;
  }
  const EmbeddedFile& file = EmbeddedRecipeSeconds().front();
  CTS_ASSIGN_OR_RETURN(const Json seconds, ParseJson(file.text, file.name));
  if (seconds["seconds"].contains(name)) row["seconds"] = seconds["seconds"][name];
  return absl::OkStatus();
}

// One object for each recipe: name, edition, level, strength, cases, MB, seconds, summary.
StatusOr<Json> ListRecipes() {
  Json rows = Json::array();
  for (const std::string& name : RecipeNames()) {
    CTS_ASSIGN_OR_RETURN(const Recipe recipe, FindRecipe(name));
    Json& row = rows.emplace_back(Json{{"name", recipe.name},
                                       {"edition", recipe.edition},
                                       {"level", recipe.level},
                                       {"strength", recipe.strength},
                                       {"summary", recipe.summary}});
    CTS_RETURN_IF_ERROR(AddYield(row));
  }
  return rows;
}

// One object for each condition: id, operator, kind, paraphrase, section.
Json ListConditions(const Edition& edition) {
  Json rows = Json::array();
  const auto add = [&](const Condition& c, std::string_view op, const std::string& section) {
    if (!StandsIn(c, edition)) return;
    rows.push_back({{"id", c.id},
                    {"operator", op},
                    {"kind", Name(c.kind)},
                    {"paraphrase", Paraphrase(edition, c)},
                    {"section", section}});
  };
  for (const OperatorSpec& spec : edition.operators) {
    const Operator* op = OperatorFor(spec);
    if (op == nullptr) continue;
    for (const Condition& c : ConditionsOf(*op, spec, edition)) {
      add(c, spec.name, StrCat("Operators, ", spec.name));
    }
  }
  // Conditions on any operator.
  for (const Condition& c : GraphConditions()) add(c, "*", "Operator Graphs");
  for (const Condition& c : LibraryConditions()) add(c, "*", "Operators' helper functions");
  for (const Condition& c : SymbolConditions()) add(c, "*", "Symbolic shapes (notes.md)");
  return rows;
}

// A kind of thing that can be listed, and how people read it.
struct Listing {
  std::string what;
  // The rows of cases come from the suite, all others from the edition.
  std::function<StatusOr<Json>(const Edition&)> rows;
  std::function<std::string(const Json&, size_t width)> text;
};

std::function<std::string(const Json&, size_t)> Table(std::vector<std::string> columns) {
  return [columns = std::move(columns)](const Json& rows, size_t width) {
    return FormatTable(rows, columns, width);
  };
}

const std::vector<Listing>& Listings() {
  static const std::vector<Listing> listings = {
      {"operators", ListOperators, FormatOperators},
      {"types", ListTypes, FormatTypes},
      {"conditions", ListConditions, Table({"id", "operator", "kind", "paraphrase"})},
      {"levels", ListLevels, FormatLevels},
      {"profiles", ListProfiles,
       Table({"profile", "kind", "status", "numbers", "extends", "includes"})},
      {"enumerations", ListEnumerations, Table({"enumeration", "value", "number", "needs"})},
      {"features", ListFeatures, FormatFeatures},
      {"choices", ListChoices, Table({"choice", "options", "about"})},
      {"faults", ListFaults, FormatFaults},
      {"editions", [](const Edition&) { return ListEditions(); },
       Table({"edition", "version", "operators", "follows", "certify"})},
      {"recipes", [](const Edition&) { return ListRecipes(); },
       Table({"name", "edition", "level", "strength", "cases", "MB", "seconds", "summary"})}};
  return listings;
}

struct ListOptions {
  std::string what, suite, edition{kDefaultEdition};
  std::vector<std::string> filter;
  bool json = false;
};

// A script gets a line for each row, whatever its width.
size_t ListWidth() {
  return isatty(STDOUT_FILENO) == 1 || std::getenv("COLUMNS") != nullptr ? Columns(STDOUT_FILENO)
                                                                         : kAnyWidth;
}

// The cases of a suite that match: nothing of the edition.
StatusOr<int> PrintCases(const ListOptions& options) {
  if (options.suite.empty()) {
    return InvalidArgument("list cases: expected a suite: tensor-cts list cases SUITE");
  }
  CTS_ASSIGN_OR_RETURN(Suite suite, ReadSuiteToRun(options.suite));
  CTS_ASSIGN_OR_RETURN(const std::vector<const SuiteEntry*> selected,
                       SelectCases(suite, std::nullopt, options.filter, options.suite));
  Suite shown;
  for (const SuiteEntry* entry : selected) shown.cases.push_back(*entry);
  const Json rows = ListCases(shown);
  CTS_RETURN_IF_ERROR(Say(options.json ? FormatJson(rows) : FormatCases(rows)));
  return kDone;
}

StatusOr<int> Print(const ListOptions& options) {
  if (options.what == "cases") return PrintCases(options);
  if (!options.suite.empty() || !options.filter.empty()) {
    return InvalidArgument("list ", options.what, ": found ",
                           options.suite.empty() ? "--filter" : Printable(options.suite),
                           ", which only tensor-cts list cases takes");
  }
  const StatusOr<const Edition*> edition = FindEdition(options.edition);
  if (!edition.ok()) return Annotate(edition.status(), "list: --edition");
  const auto listing = std::find_if(Listings().begin(), Listings().end(),
                                    [&](const Listing& each) { return each.what == options.what; });
  CTS_ASSIGN_OR_RETURN(const Json rows, listing->rows(**edition));
  if (rows.empty() && options.what == "conditions") {
    std::cerr << "note: the reference does not cover " << (*edition)->id
              << " yet; its operators, types and levels can be listed\n";
  }
  CTS_RETURN_IF_ERROR(Say(options.json   ? FormatJson(rows)
                          : rows.empty() ? ""
                                         : listing->text(rows, ListWidth())));
  return kDone;
}

}  // namespace

void AddList(CLI::App& app, Action& action) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      app.add_subcommand("list", "Print what an edition holds, or the cases of a suite");
  std::vector<std::string> names;
  for (const Listing& each : Listings()) names.push_back(each.what);
  names.push_back("cases");
  command->add_option("WHAT", options->what, "What to list")->required()->check(OneOf(names));
  command->add_option("SUITE", options->suite, "For cases: the suite; prints an id a line")
      ->type_name("DIR");
  AddFilterOption(*command, options->filter);
  std::string editions;
  for (const std::string& id : EditionIds()) editions += (editions.empty() ? "" : ", ") + id;
  command
      ->add_option("--edition", options->edition,
                   "One of " + editions + ",\nor the id of an --edition-file")
      ->capture_default_str()
      ->type_name("EDITION");
  command->add_flag("--json", options->json, "Print a JSON array");
  command->footer(kDoneOrCannot);
  command->callback([&action, options] { action = [options] { return Print(*options); }; });
}

}  // namespace cts
