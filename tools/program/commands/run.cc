#include <memory>
#include <optional>

#include "checker/judge/check.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"
#include "tools/program/run/engine_shard.h"
#include "tools/program/run/launcher.h"

namespace cts {
namespace {

// Cases that a report leaves out may have failed, too.
Status CheckOfAllCases(const Report& report, const Suite& suite, const std::string& file) {
  if (report.cases.size() == suite.cases.size()) return absl::OkStatus();
  return InvalidArgument(file, ": /cases: found ", report.cases.size(), " of the ",
                         suite.cases.size(), " cases of the suite, expected all of them: take the ",
                         "report of a whole run, by check without --partial and --filter");
}

// The cases that have a wrong answer in a report of the suite, or none.
Status TakeFailed(const std::string& file, RunOptions& run) {
  constexpr uint64_t kMaxReport = uint64_t{1} << 30;
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxReport));
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, file));
  CTS_RETURN_IF_ERROR(ValidateJson(json, "report", file));
  CTS_ASSIGN_OR_RETURN(const Report report, ReportFromJson(json, file));
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuiteToRun(run.suite));
  if (report.suite.digest != suite.digest) {
    return InvalidArgument(file, ": /suite/digest: found ", report.suite.digest, ", expected ",
                           suite.digest, " of ", run.suite.string(),
                           ": the report is of another suite");
  }
  CTS_RETURN_IF_ERROR(CheckOfAllCases(report, suite, file));
  for (const CaseReport& c : report.cases) {
    const Standing standing = StandingOf(c);
    if (standing == Standing::kWrong || standing == Standing::kNotRun) run.filter.push_back(c.id);
  }
  run.again = Sha256(text);
  return absl::OkStatus();
}

std::string CountsLine(const RunSummary& summary, const RunOptions& run) {
  return StrCat(
      summary.cases, " cases run: ", summary[CaseStatus::kOk], " ok, ", summary[CaseStatus::kError],
      " error, ",
      summary[CaseStatus::kAccepted] > 0 ? StrCat(summary[CaseStatus::kAccepted], " accepted, ")
                                         : "",
      summary[CaseStatus::kUnsupported], " unsupported, ", summary[CaseStatus::kCrash], " crash, ",
      summary[CaseStatus::kTimeout], " timeout, ", summary[CaseStatus::kProtocol], " protocol",
      run.shard ? StrCat("; shard ", run.shard->index, "/", run.shard->of, " only") : "", "\n");
}

// Faults of workers that no case repeats, and results that differ; empty if there are none.
std::string OdditiesText(const RunSummary& summary) {
  std::string text;
  if (summary.unexplained > 0) {
    text += StrCat(summary.unexplained, " times a worker did something wrong that no case does ",
                   "alone; first, ", Printable(summary.first_unexplained), "\n");
  }
  if (summary.differs > 0) {
    text += StrCat(summary.differs, " cases gave another result when they ran again",
                   summary.late > 0 ? StrCat(", ", summary.late, " without an answer in time") : "",
                   "; the first, ", summary.first_differs_id, ": ",
                   Printable(summary.first_difference), "\n");
  }
  return text;
}

Json FactsOf(const RunSummary& summary, const RunOptions& run) {
  Json facts = {{"cases", summary.cases},
                {"unexplained", summary.unexplained},
                {"differs", summary.differs},
                {"late", summary.late},
                {"out", run.out.string()}};
  for (const CaseStatus status : kCaseStatuses) {
    facts["statuses"][std::string(Name(status))] = summary[status];
  }
  if (run.shard) facts["shard"] = {{"index", run.shard->index}, {"of", run.shard->of}};
  return facts;
}

}  // namespace

void AddRun(CLI::App& app, Action& action) {
  struct Options {
    ImplementationOptions implementation;
    std::string shard, again;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  RunOptions& run_options = options->implementation.run;
  CLI::App* command =
      app.add_subcommand("run", "Run an implementation over a suite and keep its results");
  command->add_option("SUITE", run_options.suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  AddImplementationOptions(command, options->implementation);
  AddRepeatOption(command, run_options);
  AddUnderLoadOption(command, run_options);
  command
      ->add_option("--shard", options->shard,
                   "Only the I-th of N parts of the suite; merge puts them together.\n"
                   "auto: as many parts as the engine has tasks, this task's part;\n"
                   "auto/N where the engine does not say how many")
      ->type_name("I/N|auto[/N]");
  AddBalanceOption(command, run_options);
  AddFilterOption(*command, run_options.filter);
  command
      ->add_option("--again", options->again,
                   "Only the cases that failed in this report of all cases, as check\n"
                   "--json wrote it; check --partial judges the results, which are\n"
                   "no evidence")
      ->excludes("--filter")
      ->excludes("--shard")
      ->type_name("REPORT");
  command->add_flag("--pack", run_options.pack,
                    "One file an operator, a .tar, instead of a folder a case; commands\n"
                    "that read results read both");
  command->add_flag("--resume", run_options.resume,
                    "Continue an interrupted run and keep its results");
  command->add_option("--out", run_options.out, "Folder for the results")
      ->required()
      ->type_name("DIR");
  AddJsonFlag(*command, options->json);
  command->footer(
      "Exit code: 0 every case has a result, good or bad, also a crash (check judges them);\n"
      "2 usage or environment, or no case got an answer and the adapter seems to be broken: each\n"
      "time it ended by itself or printed no answer.");
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      CTS_RETURN_IF_ERROR(options->implementation.Resolve("run"));
      RunOptions& run = options->implementation.run;
      if (!options->shard.empty()) {
        CTS_ASSIGN_OR_RETURN(run.shard, ShardOfTask(options->shard));
      }
      if (!options->again.empty()) {
        CTS_RETURN_IF_ERROR(Annotate(TakeFailed(options->again, run), "--again"));
        if (run.filter.empty()) {
          CTS_RETURN_IF_ERROR(
              options->json
                  ? Emit("-", FormatJson(FactsOf({}, run)))
                  : SayNews(StrCat(options->again, ": no case failed: nothing to run\n")));
          return kDone;
        }
      }
      std::optional<ProgressBar> bar(std::in_place, "run");
      CTS_ASSIGN_OR_RETURN(const RunSummary summary,
                           RunSuite(run, [&bar](int done, int total, const RunSummary& so_far) {
                             bar->Update(done, total, [&] { return CountsText(so_far); });
                           }));
      bar.reset();
      if (options->json) {
        CTS_RETURN_IF_ERROR(Emit("-", FormatJson(FactsOf(summary, run))));
      } else {
        CTS_RETURN_IF_ERROR(SayNews(CountsLine(summary, run)));
        const std::string oddities = OdditiesText(summary);
        if (!oddities.empty()) CTS_RETURN_IF_ERROR(Say(oddities));
      }
      if (summary.interrupted) {
        return Unavailable(
            "run: interrupted; finished results are kept, go on with the same command and "
            "--resume");
      }
      if (summary.AnyAnswer() && summary.gave_up) {
        return Unavailable("run: gave up after ", summary.cases, " cases, since none had an ",
                           "answer; one came since then: go on with the same command and --resume");
      }
      if (summary.AnyAnswer()) return kDone;
      const std::string log = LastLine(Printable(summary.first_log, Lines::kKeep));
      const std::string none = StrCat("no case got an answer; the first, ", summary.first_id,
                                      ", ended as ", Printable(summary.first_message),
                                      log.empty() ? "" : "; the last line of its log: " + log);
      if (!summary.IsOfImplementation()) {
        return Unavailable(
            "run: ", summary.gave_up ? StrCat("gave up after ", summary.cases, " cases: ") : "",
            none, ". Mend the adapter and run again into a new folder",
            AllSaid(Printable(summary.first_log, Lines::kKeep)));
      }
      if (!options->json) CTS_RETURN_IF_ERROR(Say(none + "\n"));
      return kDone;
    };
  });
}

}  // namespace cts
