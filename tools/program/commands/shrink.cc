#include <memory>
#include <optional>

#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"
#include "tools/program/shrink/failure_kind.h"
#include "tools/program/shrink/shrink_case.h"

namespace cts {
namespace {

Json FactsOf(const CaseSize& size) {
  return {{"elements", size.elements}, {"outputs", size.outputs}, {"operators", size.operators}};
}

Json FactsOf(const ShrunkCase& result, const std::string& report) {
  const Shrunk& shrunk = result.shrunk;
  return {{"case", result.id},
          {"failure", FailureTitle(shrunk.failure.report)},
          {"before", FactsOf(shrunk.before)},
          {"after", FactsOf(shrunk.after)},
          {"runs", shrunk.runs},
          {"limit_reached", shrunk.limit_reached},
          {"statistics_only", shrunk.statistics_only},
          {"report", report}};
}

std::string TextOf(const ShrunkCase& result, const std::string& report) {
  const Shrunk& shrunk = result.shrunk;
  return StrCat(
      result.id, ": ", FailureTitle(shrunk.failure.report), "\n", shrunk.before.elements, " -> ",
      shrunk.after.elements, " elements of inputs and constants, ", shrunk.before.outputs, " -> ",
      shrunk.after.outputs, " of outputs, ", shrunk.before.operators, " -> ",
      shrunk.after.operators, " operators, in ", shrunk.runs, " runs",
      shrunk.limit_reached ? " (--runs reached: it may get smaller yet)" : "", "\n",
      shrunk.statistics_only ? "Only the errors of all values together are beyond their limit: the "
                               "case stays as it is.\n"
                             : "",
      report, "\n");
}

}  // namespace

void AddShrink(CLI::App& app, Action& action) {
  struct Options {
    ImplementationOptions implementation;
    ShrinkCaseOptions shrink;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  ShrinkCaseOptions& shrink = options->shrink;
  CLI::App* command =
      app.add_subcommand("shrink", "Find the smallest case that still fails, for a bug report");
  command->add_option("SUITE", shrink.suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  command->add_option("CASE", shrink.id, "Id of a case that fails, as check prints it")
      ->required()
      ->type_name("ID");
  AddImplementationOptions(command, options->implementation);
  // Every step depends on the one before it.
  command->remove_option(command->get_option("--jobs"));
  command
      ->add_option("--runs", shrink.shrink.max_runs,
                   "Greatest number of runs of the implementation")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000))
      ->type_name("N");
  command
      ->add_option("--repeat", shrink.shrink.repeats,
                   "Times that a case must fail to count as failing")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command->add_option("--out", shrink.out, "Folder for REPORT.md, suite and results")
      ->required()
      ->type_name("DIR");
  AddJsonFlag(*command, options->json);
  command->footer(
      "Exit code: 0 done; 2 usage or environment, the case does not fail, the implementation is\n"
      "not deterministic; 130 interrupted (then the smallest case so far is written).");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CTS_RETURN_IF_ERROR(options->implementation.Resolve("shrink"));
      ShrinkCaseOptions& given = options->shrink;
      given.run = options->implementation.run;
      std::optional<ProgressBar> bar(std::in_place, "shrink");
      given.shrink.progress = [&](int runs) { bar->Update(runs, given.shrink.max_runs); };
      CTS_ASSIGN_OR_RETURN(const ShrunkCase result, ShrinkCase(given));
      bar.reset();
      const Shrunk& shrunk = result.shrunk;
      const std::string report = (given.out / "REPORT.md").string();
      CTS_RETURN_IF_ERROR(options->json ? Emit("-", FormatJson(FactsOf(result, report)))
                                        : Say(TextOf(result, report)));
      if (shrunk.interrupted) {
        return Unavailable("shrink: interrupted; the smallest case so far is in ",
                           given.out.string());
      }
      if (!result.not_repeatable.empty()) {
        return Unavailable(
            "shrink: the implementation is not deterministic: ", Printable(result.not_repeatable),
            "; what was found is in ", given.out.string());
      }
      return kDone;
    };
  });
}

}  // namespace cts
