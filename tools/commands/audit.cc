#include "tools/audit.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "reference/base/json.h"
#include "tools/commands/command.h"
#include "tools/false_alarms.h"
#include "tools/slack.h"

namespace cts {
namespace {

std::atomic<bool> interrupted{false};

void OnInterrupt(int) { interrupted = true; }

}  // namespace

void AddAudit(CLI::App& app, Action& action) {
  struct Options {
    AuditOptions audit;
    bool legal = false, slack = false;
    double least = 100;
    std::string recipe = "certify", json;
    std::vector<std::string> operators, profiles;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("audit", "Run a recipe against deliberately wrong implementations");
  command->add_option("--recipe", options->recipe, "What to audit: a name, or a file")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  command->add_option("--fault", options->audit.faults, "Only these faults: ids, with * and ?")
      ->type_name("ID");
  command->add_option("--operator", options->operators, "Only faults and cases of these operators")
      ->type_name("OPERATOR");
  command->add_option("--profile", options->profiles, "Only what these profiles hold")
      ->type_name("PROFILE");
  command->add_flag("--all", options->audit.count_all,
                    "Count every case that catches a fault, not only the first");
  command->add_flag("--legal", options->legal,
                    "Run legal implementations instead: none may be refused");
  command->add_flag("--slack", options->slack,
                    "Measure instead what the rules let pass: two tables in Markdown");
  command
      ->add_option("--least", options->least,
                   "Exit code 0 if so many percent are caught of what a case could show")
      ->capture_default_str()
      ->check(CLI::Range(0, 100))
      ->type_name("PERCENT");
  command
      ->add_option("--json", options->json,
                   "Write JSON to this file; - or no file prints it, and nothing else")
      ->expected(0, 1)
      ->default_str("-")
      ->type_name("FILE");
  command->add_option("--jobs", options->audit.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  options->audit.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  command->footer(
      "tensor-cts list faults prints the catalogue; run --implementation builtin:fault:ID gives\n"
      "the results of one.\n\n"
      "Exit code: 0 every fault is caught (or --least), 1 some survive, 2 usage or environment.");
  command->get_option("--slack")->excludes("--legal")->excludes("--fault")->excludes("--json");
  command->callback([&action, command, options] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    action = [options]() -> StatusOr<int> {
      AuditOptions& audit = options->audit;
      CTS_ASSIGN_OR_RETURN(audit.recipe, FindRecipe(options->recipe));
      if (!options->operators.empty()) audit.recipe.operators = options->operators;
      if (!options->profiles.empty()) audit.recipe.profiles = options->profiles;
      ProgressBar bar("audit");
      audit.progress = [&bar](size_t done, size_t total) {
        bar.Update(static_cast<int>(done), static_cast<int>(total));
      };
      audit.stop = &interrupted;
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, OnInterrupt);
      if (options->slack) {
        CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(audit.recipe.edition));
        CTS_ASSIGN_OR_RETURN(const auto bounds, MeasureBounds({.recipe = audit.recipe,
                                                               .jobs = audit.jobs,
                                                               .progress = audit.progress,
                                                               .stop = audit.stop}));
        CTS_ASSIGN_OR_RETURN(const auto accumulators, MeasureAccumulators(*edition));
        CTS_RETURN_IF_ERROR(Emit("-", FormatSlack(bounds, accumulators)));
        return kDone;
      }
      if (options->legal) {
        CTS_ASSIGN_OR_RETURN(const auto runs, FindFalseAlarms({.recipe = audit.recipe,
                                                               .legal = audit.faults,
                                                               .jobs = audit.jobs,
                                                               .progress = audit.progress,
                                                               .stop = audit.stop}));
        const Json json = FalseAlarmsToJson(runs);
        if (!options->json.empty()) CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(json)));
        if (options->json != "-") CTS_RETURN_IF_ERROR(Emit("-", FormatFalseAlarms(json)));
        const bool alarm = std::any_of(runs.begin(), runs.end(),
                                       [](const LegalRun& run) { return run.refused > 0; });
        return alarm ? kNotConformant : kDone;
      }
      CTS_ASSIGN_OR_RETURN(const Audit result, RunAudit(audit));
      const Json json = AuditToJson(result);
      if (!options->json.empty()) CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(json)));
      if (options->json != "-") CTS_RETURN_IF_ERROR(Emit("-", FormatAudit(json)));
      const auto of = static_cast<double>(result.Caught() + result.Survivors());
      return static_cast<double>(result.Caught()) >= options->least / 100 * of ? kDone
                                                                               : kNotConformant;
    };
  });
}

}  // namespace cts
