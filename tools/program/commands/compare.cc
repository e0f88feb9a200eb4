#include <unistd.h>

#include <memory>

#include "reference/base/json.h"
#include "tools/program/commands/command.h"
#include "tools/program/compare/comparison.h"

namespace cts {

void AddCompare(CLI::App& app, Action& action) {
  struct Options {
    std::vector<std::filesystem::path> reports;
    std::string html, json;
    bool summary = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compare", "Put reports of one suite side by side");
  command
      ->add_option("REPORT", options->reports,
                   "Two or more reports, as check --json FILE wrote them")
      ->required()
      ->type_name("FILE...");
  command
      ->add_option("--html", options->html,
                   "Write one self-contained HTML page; - prints only that")
      ->type_name("FILE");
  command->add_flag("--summary", options->summary,
                    "The page without cases: operators, implementations, causes");
  AddJsonOption(*command, options->json);
  command->footer(
      "Shows where implementations are wrong and others right, by operator, type and cause; for\n"
      "two reports also what changed from the first to the second.\n"
      "Exit code: 0 compared, whatever the verdicts; 2 usage or environment: a file is no report,\n"
      "or the reports are of different suites.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->summary && options->html.empty()) {
        return InvalidArgument("--summary: found no --html, expected the page that it shortens");
      }
      for (const std::string* place : {&options->html, &options->json}) {
        if (!place->empty()) CTS_RETURN_IF_ERROR(ProbePlace(*place));
      }
      if (!options->html.empty() && options->html == options->json) {
        return InvalidArgument("--html and --json: found ", options->html,
                               " for both, expected a place of its own for each");
      }
      CTS_ASSIGN_OR_RETURN(const Comparison comparison, CompareReports(options->reports));
      if (!options->json.empty()) {
        CTS_RETURN_IF_ERROR(Emit(options->json, FormatJson(ComparisonToJson(comparison))));
      }
      if (!options->html.empty()) {
        const auto detail = options->summary ? ComparedDetail::kSummary : ComparedDetail::kCases;
        CTS_RETURN_IF_ERROR(Emit(options->html, ComparisonPage(comparison, detail)));
      }
      if (options->json == "-" || options->html == "-") return kDone;
      CTS_RETURN_IF_ERROR(Say(FormatComparison(comparison, Columns(STDOUT_FILENO))));
      return kDone;
    };
  });
}

}  // namespace cts
