#include "generator/cover/coverage.h"

#include <memory>
#include <utility>

#include "reference/base/json.h"
#include "tools/program/audit/coverage_report.h"
#include "tools/program/commands/command.h"

namespace cts {

void AddCoverage(CLI::App& app, Action& action) {
  struct Options {
    std::string suite, json, html;
    int jobs = 0;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("coverage", "Prove how much of its recipe a suite covers");
  command->add_option("SUITE", options->suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  AddJsonOption(*command, options->json);
  command->add_option("--html", options->html, "Write one page of HTML to this file")
      ->type_name("FILE");
  AddJobsOption(*command, options->jobs);
  command->footer(
      "Missing folders on the way to a FILE are made.\n\n"
      "Exit code: 0 no hole, 1 a hole, 2 usage or environment.");
  command->callback([&action, command, options] {
    if (command->count("--json") > 0 && options->json.empty()) options->json = "-";
    action = [options]() -> StatusOr<int> {
      if (options->json == "-" && options->html == "-") {
        return InvalidArgument(
            "coverage: --json and --html: found - for both, expected a file for one");
      }
      // Before the suite is read, which takes longer.
      for (const auto& [option, place] :
           {std::pair("--json", options->json), std::pair("--html", options->html)}) {
        if (!place.empty()) CTS_RETURN_IF_ERROR(Annotate(ProbePlace(place), option));
      }
      CTS_ASSIGN_OR_RETURN(const Coverage coverage, MeasureCoverage(options->suite, options->jobs));
      const Json json = CoverageToJson(coverage);
      if (!options->html.empty()) {
        CTS_RETURN_IF_ERROR(Emit(options->html, CoverageToHtml(json)));
      }
      if (!options->json.empty()) CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(json)));
      if (options->json != "-" && options->html != "-") {
        CTS_RETURN_IF_ERROR(Say(FormatCoverage(json)));
      }
      return coverage.Holes() == 0 ? kDone : kNotConformant;
    };
  });
}

}  // namespace cts
