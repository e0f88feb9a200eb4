#include "checker/report/explain.h"

#include <memory>

#include "checker/judge/run_record.h"
#include "checker/report/explain_page.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/ask/mode_words.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/report_options.h"
#include "tools/program/exchange/intermediates.h"

namespace cts {
namespace {

Json FactsOf(const CaseToExplain& of, bool full) {
  return {{"suite", of.suite_path.string()},
          {"results", of.results_path.string()},
          {"implementation", Printable(of.run.name)},
          {"case", CaseToJson(of.checked.report)},
          {"meaning", of.meaning},
          {"text", Printable(ExplainText(of, OriginOf, full, WindowSetsOf), Lines::kKeep)}};
}

}  // namespace

void AddExplain(CLI::App& app, Action& action) {
  struct Options {
    std::filesystem::path suite, results, intermediates;
    std::string id;
    std::filesystem::path declared;
    std::string html;
    bool full = false, python = false, json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("explain", "Show why a case has its verdict: values, inputs, rule");
  command->add_option("RESULTS", options->results, "The results, as run wrote them")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("CASE", options->id,
                   "Id of the case, as check prints it; a part lists the nearest ids")
      ->required()
      ->type_name("ID");
  command->add_option("--suite", options->suite, "The suite, if it has moved since the run")
      ->type_name("DIR");
  command->add_flag("--full", options->full, "Print every term of a dot product and every input");
  AddDeclaredOption(*command, options->declared);
  CLI::Option* const intermediates =
      command
          ->add_option("--intermediates", options->intermediates,
                       "Results of a network's operators; explain the first wrong one")
          ->type_name("DIR");
  command
      ->add_flag("--python", options->python,
                 "Print a NumPy script that shows the case and compares once more")
      ->excludes(intermediates);
  command
      ->add_option("--html", options->html,
                   "Write one self-contained HTML page, with pictures of the\n"
                   "result, the errors and the graph; - prints only that")
      ->excludes("--python")
      ->type_name("FILE");
  AddJsonFlag(*command, options->json)->excludes("--python")->excludes("--html");
  command->footer("Exit code: 0 done, whatever the verdict is; 2 usage or environment.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->suite.empty()) {
        const StatusOr<RunRecord> run = ReadRunRecord(options->results);
        if (!run.ok()) {
          return Annotate(run.status(), options->results.string() +
                                            ": expected results as tensor-cts run writes them");
        }
        if (!run->suite_path) {
          return InvalidArgument((options->results / "run.json").string(),
                                 ": does not say where the suite lies; add --suite SUITE");
        }
        options->suite = *run->suite_path;
        CTS_ASSIGN_OR_RETURN(const bool there, Exists(options->suite / "suite.json"));
        if (!there) {
          return NotFound(options->suite.string(), ": no longer holds the suite that ",
                          options->results.string(), " is of; say where it is, by --suite SUITE");
        }
      }
      CTS_ASSIGN_OR_RETURN(const std::optional<DeclaredBy> declared,
                           ReadDeclaredOption(options->declared, options->suite));
      const MoreEvidence more = [&options](CheckedCase* checked) -> StatusOr<std::string> {
        const std::string modes = NanModeText(checked->expected);
        if (options->intermediates.empty()) return modes;
        CTS_ASSIGN_OR_RETURN(
            const std::string text,
            ExplainIntermediates(options->intermediates, options->results, options->full, checked));
        return modes + text;
      };
      if (options->python) {
        CTS_ASSIGN_OR_RETURN(const std::string script,
                             ExplainInPython(options->suite, options->results, options->id));
        CTS_RETURN_IF_ERROR(Say(script));
        return kDone;
      }
      CTS_ASSIGN_OR_RETURN(
          const CaseToExplain of,
          ReadToExplain(options->suite, options->results, options->id, MeaningOf, more, declared));
      if (options->json) {
        CTS_RETURN_IF_ERROR(Emit("-", FormatJson(FactsOf(of, options->full))));
        return kDone;
      }
      if (!options->html.empty()) {
        CTS_RETURN_IF_ERROR(Emit(options->html, ExplainPage(of, OriginOf, WindowSetsOf)));
        if (options->html == "-") return kDone;
      }
      CTS_RETURN_IF_ERROR(Say(ExplainText(of, OriginOf, options->full, WindowSetsOf)));
      return kDone;
    };
  });
}

}  // namespace cts
