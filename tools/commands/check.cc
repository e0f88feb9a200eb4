#include "checker/check.h"

#include <memory>

#include "checker/report.h"
#include "tools/commands/command.h"

namespace cts {

void AddCheck(CLI::App& app, Action& action) {
  struct Options {
    CheckOptions check;
    std::string json, junit;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Judge the results of a run");
  command->add_option("SUITE", options->check.suite, "Folder of the suite")->required();
  command->add_option("RESULTS", options->check.results, "Folder that `run` wrote")->required();
  command->add_option("--json", options->json,
                      "Write a JSON report to this file; - prints it, and nothing else");
  command->add_option("--junit", options->junit, "Write JUnit XML to this file");
  command->add_option("--jobs", options->check.jobs, "Threads (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CTS_ASSIGN_OR_RETURN(const Report report, CheckSuite(options->check));
      if (!options->junit.empty()) {
        CTS_RETURN_IF_ERROR(Emit(options->junit, FormatJUnit(report)));
      }
      if (!options->json.empty()) {
        CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(ReportToJson(report))));
      }
      if (options->json != "-" && options->junit != "-") {
        CTS_RETURN_IF_ERROR(Emit("-", FormatText(report)));
      }
      return Conformant(report) ? kDone : kNotConformant;
    };
  });
}

}  // namespace cts
