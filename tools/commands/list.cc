#include "tools/ask/list.h"

#include <filesystem>
#include <iostream>
#include <memory>

#include "cts_locks.h"
#include "cts_recipe_seconds.h"
#include "generator/recipe/recipe.h"
#include "reference/base/json.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/edition_wording.h"
#include "reference/ops/operator.h"
#include "tools/commands/command.h"

namespace cts {
namespace {

// What a recipe yields, by its lock; and the seconds of one core that generating took, by
// suites/seconds.json, where somebody has measured them.
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
  // Those of any operator.
  for (const Condition& c : GraphConditions()) add(c, "*", "Operator Graphs");
  for (const Condition& c : LibraryConditions()) add(c, "*", "Operators' helper functions");
  for (const Condition& c : SymbolConditions()) add(c, "*", "Symbolic shapes (notes.md)");
  return rows;
}

}  // namespace

void AddList(CLI::App& app, Action& action) {
  struct Options {
    std::string what, edition{kDefaultEdition};
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("list", "Print what an edition holds");
  command->add_option("WHAT", options->what, "What to list")
      ->required()
      ->check(CLI::IsMember(
          {"operators", "types", "conditions", "levels", "features", "recipes", "faults"}));
  std::string editions;
  for (const std::string& id : EditionIds()) editions += (editions.empty() ? "" : ", ") + id;
  command
      ->add_option("--edition", options->edition,
                   "One of " + editions + ",\nor the id of an --edition-file")
      ->capture_default_str()
      ->type_name("EDITION");
  command->add_flag("--json", options->json, "Print a JSON array");
  command->footer(kDoneOrCannot);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      const StatusOr<const Edition*> found = FindEdition(options->edition);
      if (!found.ok()) return Annotate(found.status(), "list: --edition");
      const Edition* const edition = *found;
      Json rows;
      std::string text;
      if (options->what == "operators") {
        rows = ListOperators(*edition);
        text = FormatOperators(rows);
      } else if (options->what == "types") {
        rows = ListTypes(*edition);
        text = FormatTypes(rows);
      } else if (options->what == "levels") {
        rows = ListLevels(*edition);
        text = FormatLevels(rows);
      } else if (options->what == "features") {
        rows = ListFeatures(*edition);
        text = FormatFeatures(rows);
      } else if (options->what == "faults") {
        rows = ListFaults(*edition);
        text = FormatFaults(rows);
      } else if (options->what == "recipes") {
        CTS_ASSIGN_OR_RETURN(rows, ListRecipes());
        text = FormatTable(
            rows, {"name", "edition", "level", "strength", "cases", "MB", "seconds", "summary"});
      } else {
        rows = ListConditions(*edition);
        text = FormatTable(rows, {"id", "operator", "kind", "paraphrase"});
        if (rows.empty()) {
          text.clear();
          std::cerr << "note: the reference does not cover " << edition->id
                    << " yet; its operators, types and levels can be listed\n";
        }
      }
      CTS_RETURN_IF_ERROR(Say(options->json ? FormatJson(rows) : text));
      return kDone;
    };
  });
}

}  // namespace cts
