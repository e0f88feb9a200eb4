#include "tools/audit/audit.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "reference/base/json.h"
#include "tools/audit/false_alarms.h"
#include "tools/audit/rule_margin.h"
#include "tools/commands/command.h"

namespace cts {
namespace {

// What ended before its time says so.
template <class T>
StatusOr<T> Told(const StatusOr<T>& result) {
  if (absl::IsCancelled(result.status())) {
    return Unavailable("audit: interrupted, nothing is written");
  }
  return result;
}

}  // namespace

void AddAudit(CLI::App& app, Action& action) {
  struct Options {
    AuditOptions audit;
    bool legal = false, slack = false;
    double least = 100;
    std::string recipe = "certify", edition, json;
    std::vector<std::string> operators, profiles;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("audit", "Run a recipe against deliberately wrong implementations");
  command->add_option("--recipe", options->recipe, "The recipe: a name, or a file")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  command->add_option("--edition", options->edition, "Edition instead of the recipe's")
      ->type_name("EDITION");
  command
      ->add_option("--fault", options->audit.faults,
                   "Only these faults, or legal implementations: ids, with * and ?")
      ->type_name("ID");
  command->add_option("--operator", options->operators, "Only faults and cases of these operators")
      ->type_name("OPERATOR");
  command->add_option("--profile", options->profiles, "Only cases of these profiles")
      ->type_name("PROFILE");
  command->add_flag("--all", options->audit.count_all,
                    "Count every case that catches a fault, not only the first");
  command
      ->add_option("--least", options->least,
                   "Exit code 0 if at least this many percent are caught")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str()
      ->type_name("PERCENT");
  command->add_flag("--legal", options->legal,
                    "Run legal implementations instead; refusing one is an error");
  command->add_flag("--slack", options->slack,
                    "Measure how much the rules let pass: two tables in Markdown");
  command
      ->add_option("--json", options->json,
                   "Write JSON to this file; with - or no file print only that")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
  command->add_option("--jobs", options->audit.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->footer(
      "tensor-cts list faults prints the catalogue. run --implementation builtin:fault:ID gives\n"
      "the results of one fault.\n\n"
      "Exit code: 0 every fault (or --least percent of them) is caught, and no legal\n"
      "implementation is refused; 1 otherwise; 2 usage, environment, interrupted, or no case to "
      "ask.");
  command->get_option("--slack")->excludes("--legal")->excludes("--fault")->excludes("--json");
  command->callback([&action, command, options] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    action = [options]() -> StatusOr<int> {
      AuditOptions& audit = options->audit;
      if (!options->json.empty()) {
        CTS_RETURN_IF_ERROR(Annotate(ProbePlace(options->json), "--json"));
      }
      CTS_ASSIGN_OR_RETURN(audit.recipe, FindRecipe(options->recipe));
      if (!options->edition.empty()) audit.recipe.edition = options->edition;
      if (!options->operators.empty()) audit.recipe.operators = options->operators;
      if (!options->profiles.empty()) audit.recipe.profiles = options->profiles;
      std::optional<ProgressBar> bar(std::in_place, "audit");
      audit.progress = [&bar](size_t done, size_t total) {
        bar->Update(static_cast<int>(done), static_cast<int>(total));
      };
      audit.stop = CatchInterrupts();
      if (options->slack) {
        CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(audit.recipe.edition));
        const auto measured = MeasureBounds({.recipe = audit.recipe,
                                             .jobs = audit.jobs,
                                             .progress = audit.progress,
                                             .stop = audit.stop});
        bar.reset();
        CTS_ASSIGN_OR_RETURN(const std::vector<BoundSlack> bounds, Told(measured));
        CTS_ASSIGN_OR_RETURN(const auto accumulators, MeasureAccumulators(*edition));
        CTS_RETURN_IF_ERROR(Emit("-", FormatSlack(bounds, accumulators)));
        return kDone;
      }
      if (options->legal) {
        const auto found = FindFalseAlarms({.recipe = audit.recipe,
                                            .legal = audit.faults,
                                            .jobs = audit.jobs,
                                            .progress = audit.progress,
                                            .stop = audit.stop});
        bar.reset();
        CTS_ASSIGN_OR_RETURN(const std::vector<LegalRun> runs, Told(found));
        const Json json = FalseAlarmsToJson(runs);
        if (!options->json.empty()) CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(json)));
        if (options->json != "-") CTS_RETURN_IF_ERROR(Emit("-", FormatFalseAlarms(json)));
        if (std::none_of(runs.begin(), runs.end(),
                         [](const LegalRun& run) { return run.cases > 0; })) {
          return NotFound("audit: the recipe has no case of floating point to ask");
        }
        const bool alarm = std::any_of(runs.begin(), runs.end(),
                                       [](const LegalRun& run) { return run.refused > 0; });
        return alarm ? kNotConformant : kDone;
      }
      const StatusOr<Audit> run = RunAudit(audit);
      bar.reset();
      CTS_ASSIGN_OR_RETURN(const Audit result, Told(run));
      const Json json = AuditToJson(result);
      if (!options->json.empty()) CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(json)));
      if (options->json != "-") CTS_RETURN_IF_ERROR(Emit("-", FormatAudit(json)));
      const uint64_t caught = result.Caught(), of = caught + result.Survivors();
      if (of == 0) return NotFound("audit: the recipe has no case that could show any of these");
      return static_cast<double>(caught) * 100 >= options->least * static_cast<double>(of)
                 ? kDone
                 : kNotConformant;
    };
  });
}

}  // namespace cts
