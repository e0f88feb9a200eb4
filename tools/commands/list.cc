#include "tools/ask/list.h"

#include <filesystem>
#include <iostream>
#include <memory>

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
        rows = Json::array();
        for (const std::string& name : RecipeNames()) {
          CTS_ASSIGN_OR_RETURN(const Recipe recipe, FindRecipe(name));
          rows.push_back({{"name", recipe.name},
                          {"edition", recipe.edition},
                          {"level", recipe.level},
                          {"strength", recipe.strength},
                          {"summary", recipe.summary}});
        }
        text = FormatTable(rows, {"name", "edition", "level", "strength", "summary"});
      } else {
        rows = ListConditions(*edition);
        text = FormatTable(rows, {"id", "operator", "kind", "paraphrase"});
        if (rows.empty()) {
          text.clear();
          std::cerr << "note: the reference does not cover " << edition->id
                    << " yet; its operators, types and levels can be listed\n";
        }
      }
      CTS_RETURN_IF_ERROR(Emit("-", options->json ? FormatJson(rows) : text));
      return kDone;
    };
  });
}

}  // namespace cts
