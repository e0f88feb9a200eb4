#include "checker/judge/check.h"

#include <unistd.h>

#include <memory>
#include <optional>

#include "checker/report/report.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/audit/diagnose.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/report_options.h"
#include "tools/program/exchange/intermediates.h"

namespace cts {

void AddCheck(CLI::App& app, Action& action) {
  struct Options {
    CheckOptions check;
    ReportOptions reports;
    std::filesystem::path intermediates, declared;
    bool diagnose = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("check", "Judge the results of a run");
  command->add_option("SUITE", options->check.suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  command->add_option("RESULTS", options->check.results, "The results, as run wrote them")
      ->required()
      ->type_name("DIR");
  AddFilterOption(*command, options->check.filter);
  options->reports.Add(*command);
  command
      ->add_flag("--partial", options->check.partial,
                 "Judge only cases that have a result; the report counts the others,\n"
                 "and is no evidence")
      ->excludes("--junit");
  AddDeclaredOption(*command, options->declared);
  AddJobsOption(*command, options->check.jobs);
  command
      ->add_option("--intermediates", options->intermediates,
                   "Results of a network's operators; judge each by its inputs")
      ->type_name("DIR");
  command->add_flag("--diagnose", options->diagnose,
                    "Add notes: the faults that answer as the implementation did");
  command->footer(
      "Exit code: 0 conformant, 1 not conformant, 2 usage or environment. For the results of a\n"
      "shard, and with --filter or --partial, 0 means that these cases passed; it says nothing\n"
      "about the others.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CTS_RETURN_IF_ERROR(options->reports.Probe());
      CTS_ASSIGN_OR_RETURN(options->check.declared,
                           ReadDeclaredOption(options->declared, options->check.suite));
      std::optional<ProgressBar> bar(std::in_place, "check");
      options->check.progress = [&bar](size_t done, size_t total) {
        bar->Update(static_cast<int>(done), static_cast<int>(total));
      };
      options->check.meaning = MeaningOf;
      CTS_ASSIGN_OR_RETURN(Report report, CheckSuite(options->check));
      bar.reset();
      if (!options->intermediates.empty()) {
        CTS_RETURN_IF_ERROR(
            Annotate(JudgeIntermediates(options->intermediates, &report), "--intermediates"));
      }
      if (options->diagnose) {
        CTS_ASSIGN_OR_RETURN(const auto diagnoses,
                             Diagnose(report, DiagnoseOptions{.jobs = options->check.jobs}));
        for (std::string& note : NotesOf(diagnoses)) report.notes.push_back(std::move(note));
      }
      CTS_RETURN_IF_ERROR(options->reports.Emit(
          report, FormatText(report, {.width = Columns(STDOUT_FILENO),
                                      .all = TheVolume() == Volume::kVerbose})));
      return AllPassed(report) ? kDone : kNotConformant;
    };
  });
}

}  // namespace cts
