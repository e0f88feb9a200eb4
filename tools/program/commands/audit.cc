#include "tools/program/audit/audit.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/bundle/suite.h"
#include "tools/program/audit/accumulator_table.h"
#include "tools/program/audit/false_alarms.h"
#include "tools/program/audit/rule_margin.h"
#include "tools/program/commands/command.h"

namespace cts {
namespace {

// A measurement that ended before its time says so.
template <class T>
StatusOr<T> Told(const StatusOr<T>& result) {
  if (absl::IsCancelled(result.status())) {
    return Unavailable("audit: interrupted, nothing is written");
  }
  return result;
}

struct AuditArguments {
  AuditOptions audit;
  bool legal = false, slack = false, accumulators = false;
  double least = 100;
  std::string recipe = "certify", edition, json, html, since, suite;
  std::vector<std::string> operators, profiles;
};

// Writes JSON where --json says so; the text is printed unless the JSON is.
Status EmitBoth(const std::string& place, const Json& json, const std::string& text) {
  if (!place.empty()) CTS_RETURN_IF_ERROR(Emit(place, FormatJson(json)));
  return place == "-" ? absl::OkStatus() : Say(text);
}

// Measures with a bar of its progress, until an interrupt.
template <class Measure>
auto WithProgress(AuditOptions audit, Measure measure) {
  ProgressBar bar("audit");
  audit.progress = [&bar](size_t done, size_t total) {
    bar.Update(static_cast<int>(done), static_cast<int>(total));
  };
  audit.stop = CatchInterrupts();
  return Told(measure(audit));
}

StatusOr<int> AuditSlack(const AuditOptions& audit) {
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(audit.recipe.edition));
  CTS_ASSIGN_OR_RETURN(const std::vector<BoundSlack> bounds,
                       WithProgress(audit, [](const AuditOptions& watched) {
                         return MeasureBounds({.recipe = watched.recipe,
                                               .jobs = watched.jobs,
                                               .progress = watched.progress,
                                               .stop = watched.stop});
                       }));
  CTS_ASSIGN_OR_RETURN(const auto accumulators, MeasureAccumulators(*edition));
  CTS_RETURN_IF_ERROR(Say(FormatSlack(bounds, accumulators)));
  return kDone;
}

StatusOr<int> AuditAccumulators(const AuditOptions& audit) {
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(audit.recipe.edition));
  CTS_ASSIGN_OR_RETURN(const std::string page, FormatAccumulators(*edition, audit.jobs));
  CTS_RETURN_IF_ERROR(Say(page));
  return kDone;
}

StatusOr<int> AuditLegal(const AuditOptions& audit, const std::string& place) {
  CTS_ASSIGN_OR_RETURN(const std::vector<LegalRun> runs,
                       WithProgress(audit, [](const AuditOptions& watched) {
                         return FindFalseAlarms({.recipe = watched.recipe,
                                                 .legal = watched.faults,
                                                 .jobs = watched.jobs,
                                                 .progress = watched.progress,
                                                 .stop = watched.stop});
                       }));
  const Json json = FalseAlarmsToJson(runs);
  CTS_RETURN_IF_ERROR(EmitBoth(place, json, FormatFalseAlarms(json)));
  if (std::none_of(runs.begin(), runs.end(), [](const LegalRun& run) { return run.cases > 0; })) {
    return NotFound("audit: the recipe has no case of floating point to ask");
  }
  const bool alarm =
      std::any_of(runs.begin(), runs.end(), [](const LegalRun& run) { return run.refused > 0; });
  return alarm ? kNotConformant : kDone;
}

StatusOr<int> AuditFaults(const AuditOptions& audit, const std::string& place,
                          const std::string& page, double least) {
  CTS_ASSIGN_OR_RETURN(const Audit result, WithProgress(audit, RunAudit));
  const Json json = AuditToJson(result);
  if (!page.empty()) CTS_RETURN_IF_ERROR(Emit(page, AuditToHtml(json)));
  CTS_RETURN_IF_ERROR(EmitBoth(place, json, FormatAudit(json)));
  const uint64_t caught = result.Caught(), of = caught + result.Survivors();
  if (of == 0) return NotFound("audit: the recipe has no case that could show any of these");
  return static_cast<double>(caught) * 100 >= least * static_cast<double>(of) ? kDone
                                                                              : kNotConformant;
}

// The faults are those that the recipe is asked for, the cases and the name those of the suite.
Status AskSuite(const std::string& suite, AuditOptions* audit) {
  CTS_ASSIGN_OR_RETURN(const Suite asked, ReadSuite(suite));
  audit->suite = suite;
  audit->recipe.name = asked.name;
  audit->recipe.edition = asked.edition;
  return absl::OkStatus();
}

StatusOr<int> RunAuditCommand(AuditArguments& options) {
  AuditOptions& audit = options.audit;
  if (!options.json.empty()) CTS_RETURN_IF_ERROR(Annotate(ProbePlace(options.json), "--json"));
  if (!options.html.empty()) CTS_RETURN_IF_ERROR(Annotate(ProbePlace(options.html), "--html"));
  CTS_ASSIGN_OR_RETURN(audit.recipe, FindRecipe(options.recipe));
  if (!options.suite.empty()) CTS_RETURN_IF_ERROR(AskSuite(options.suite, &audit));
  if (!options.edition.empty()) audit.recipe.edition = options.edition;
  if (!options.operators.empty()) audit.recipe.operators = options.operators;
  if (!options.profiles.empty()) audit.recipe.profiles = options.profiles;
  if (!options.since.empty()) {
    CTS_RETURN_IF_ERROR(Annotate(RecallFirstCases(options.since, &audit), "--since"));
  }
  if (options.slack) return AuditSlack(audit);
  if (options.accumulators) return AuditAccumulators(audit);
  if (options.legal) return AuditLegal(audit, options.json);
  return AuditFaults(audit, options.json, options.html, options.least);
}

}  // namespace

void AddAudit(CLI::App& app, Action& action) {
  auto options = std::make_shared<AuditArguments>();
  CLI::App* command =
      app.add_subcommand("audit", "Run a recipe against deliberately wrong implementations");
  command->add_option("--recipe", options->recipe, "The recipe: a name, or a file")
      ->capture_default_str()
      ->type_name("NAME|FILE");
  command
      ->add_option("--suite", options->suite,
                   "The cases of this suite, such as one that import made,\n"
                   "instead of a recipe's")
      ->type_name("DIR");
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
      ->add_option("--since", options->since, "JSON of an earlier audit: its cases are tried first")
      ->type_name("FILE");
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
  command->add_flag("--accumulators", options->accumulators,
                    "Tell which accumulators pass the dot-product rule, in Markdown");
  AddJsonOption(*command, options->json);
  command->add_option("--html", options->html, "Write one page of HTML to this file")
      ->type_name("FILE");
  AddJobsOption(*command, options->audit.jobs);
  command->footer(
      "tensor-cts list faults prints the catalogue. run --implementation builtin:fault:ID gives\n"
      "the results of one fault.\n\n"
      "Exit code: 0 every fault (or --least percent of them) is caught, and no legal\n"
      "implementation is refused; 1 otherwise; 2 usage, environment, or no case to "
      "ask.");
  command->get_option("--slack")->excludes("--legal")->excludes("--fault")->excludes("--json");
  command->get_option("--html")->excludes("--legal")->excludes("--slack")->excludes(
      "--accumulators");
  for (const char* const other :
       {"--recipe", "--edition", "--profile", "--since", "--legal", "--slack", "--accumulators"}) {
    command->get_option("--suite")->excludes(other);
  }
  command->get_option("--since")->excludes("--all")->excludes("--legal")->excludes("--slack");
  command->callback([&action, command, options] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    action = [options] { return RunAuditCommand(*options); };
  });
}

}  // namespace cts
