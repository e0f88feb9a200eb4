#include "checker/gate/gate.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"
#include "tools/program/commands/report_options.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr char kInterrupted[] = "gate: interrupted, nothing was judged";

struct GateArguments {
  fs::path suite, results, out, declared;
  std::string write_baseline, write_accuracy, markdown, sarif, sarif_file;
  bool annotations = false;
  ImplementationOptions implementation;
  ReportOptions reports;
  GateOptions gate;
  int reruns = 0;
};

// The place for results that the user did not ask for. They are kept only while the user may want
// to look at them.
class Scratch {
 public:
  StatusOr<fs::path> Make() {
    std::error_code error;
    const fs::path parent = fs::temp_directory_path(error);
    if (error) {
      const char* const set = std::getenv("TMPDIR");
      return Unavailable(set == nullptr ? "/tmp" : set,
                         ": found no folder for the results: ", error.message(),
                         "; say where they go, by --out RESULTS");
    }
    StatusOr<NewFolder> folder = NewFolder::Beside(parent / "tensor-cts-gate");
    if (!folder.ok()) {
      return Unavailable(Message(folder.status()), "; say where the results go, by --out RESULTS");
    }
    folder_.emplace(*std::move(folder));
    return folder_->path() / "results";
  }
  void Keep() {
    if (folder_) folder_->Keep();
  }

 private:
  std::optional<NewFolder> folder_;
};

// The folder of the repository: the nearest one with .git; otherwise the working directory.
fs::path RepositoryRoot() {
  std::error_code error;
  fs::path here = fs::current_path(error);
  for (fs::path folder = here; !folder.empty(); folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", error)) return folder;
    if (folder == folder.root_path()) break;
  }
  return here;
}

// The path of a file from the root; empty if it is no file there, or in a hidden folder, such as
// the interpreter of a virtual environment.
fs::path WithinRepository(const fs::path& root, const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return {};
  const fs::path path = fs::weakly_canonical(fs::absolute(file, error), error)
                            .lexically_relative(fs::weakly_canonical(root, error));
  const bool hidden = std::any_of(path.begin(), path.end(), [](const fs::path& part) {
    return part.string().starts_with('.');
  });
  return hidden ? fs::path() : path;
}

// The file of the repository at which SARIF places failures: the one that the user names, or the
// first file of the adapter that lies in the repository.
StatusOr<fs::path> SarifFile(const GateArguments& options) {
  const fs::path root = RepositoryRoot();
  if (!options.sarif_file.empty()) {
    CTS_ASSIGN_OR_RETURN(const bool there, Exists(options.sarif_file));
    if (!there) {
      return NotFound("--sarif-file: ", options.sarif_file,
                      ": no such file, expected one of the repository");
    }
    const fs::path named = WithinRepository(root, options.sarif_file);
    return named.empty() ? fs::path(options.sarif_file) : named;
  }
  std::vector<AdapterFile> files;
  if (!options.results.empty()) {
    CTS_ASSIGN_OR_RETURN(const RunRecord record, ReadRunRecord(options.results));
    files = record.adapter_files.value_or(files);
  } else if (const RunOptions& run = options.implementation.run; !run.adapter.empty()) {
    CTS_ASSIGN_OR_RETURN(files, AdapterFiles(run.adapter, run.code));
  }
  for (const AdapterFile& file : files) {
    const fs::path path = WithinRepository(root, file.path);
    if (!path.empty()) return path;
  }
  return InvalidArgument("--sarif: found no script of the adapter within ", root.string(),
                         "; name the file of the repository that failures belong to, by ",
                         "--sarif-file FILE");
}

// The results to judge: those given, or those of a run.
StatusOr<fs::path> ResultsOf(GateArguments& options, Scratch& scratch,
                             const std::atomic<bool>& stop) {
  if (!options.results.empty()) {
    if (!options.implementation.Given() && options.out.empty()) return options.results;
    return InvalidArgument("gate: --results judges an existing run: expected no --adapter, ",
                           "--python, --implementation, --plugin or --out beside it");
  }
  RunOptions& run = options.implementation.run;
  run.suite = options.suite;
  run.out = options.out;
  if (run.out.empty()) {
    CTS_ASSIGN_OR_RETURN(run.out, scratch.Make());
  }
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(run.out / "run.json"));
  if (there) {
    return InvalidArgument(run.out.string(), ": holds results already; judge these with --results ",
                           "instead of --out, or give another directory");
  }
  ProgressBar bar("run");
  CTS_ASSIGN_OR_RETURN(const RunSummary summary,
                       RunSuite(run, [&](int done, int total, const RunSummary& so_far) {
                         // A signal that came before the run began to listen.
                         if (stop) std::raise(SIGINT);
                         bar.Update(done, total, [&] { return CountsText(so_far); });
                       }));
  if (summary.interrupted) return Unavailable(kInterrupted);
  if (!summary.IsOfImplementation()) {
    return Unavailable("gate: no case got an answer; the first, ", summary.first_id, ", ended as ",
                       Printable(summary.first_message), ". Mend the adapter");
  }
  return run.out;
}

// The file of the adapter that is another one in a run of some cases; empty if there is none.
std::string AnotherFile(const RunRecord& first, const RunRecord& again) {
  const auto before = first.adapter_files.value_or(std::vector<AdapterFile>());
  const auto now = again.adapter_files.value_or(std::vector<AdapterFile>());
  if (!again.announced_code) return ChangedFile(before, now);
  // Workers may load less code, or other code, for these cases.
  for (const AdapterFile& file : now) {
    for (const AdapterFile& was : before) {
      if (was.path == file.path && was.sha256 != file.sha256) return file.path;
    }
  }
  return "";
}

// The answers of another adapter do not make a case flaky.
Status CheckSameAdapter(const fs::path& first, const fs::path& again) {
  CTS_ASSIGN_OR_RETURN(const RunRecord before, ReadRunRecord(first));
  CTS_ASSIGN_OR_RETURN(const RunRecord now, ReadRunRecord(again));
  const std::string path = AnotherFile(before, now);
  if (path.empty()) return absl::OkStatus();
  return InvalidArgument("gate: --rerun: ", Printable(path), ": a file of the adapter, changed ",
                         "since the first run: expected the same adapter, gate again");
}

// Runs the failed cases again, each time in new processes.
StatusOr<std::map<std::string, Reruns>> RunAgain(const GateArguments& options,
                                                 const CheckOptions& first,
                                                 const std::vector<std::string>& ids) {
  std::map<std::string, Reruns> reruns;
  Scratch scratch;
  CTS_ASSIGN_OR_RETURN(const fs::path results, scratch.Make());
  for (int i = 1; i <= options.reruns; ++i) {
    RunOptions run = options.implementation.run;
    run.filter = ids;
    run.out = results / std::to_string(i);
    ProgressBar bar(StrCat("run again ", i, " of ", options.reruns));
    CTS_ASSIGN_OR_RETURN(const RunSummary summary,
                         RunSuite(run, [&](int done, int total, const RunSummary& so_far) {
                           if (*first.stop) std::raise(SIGINT);
                           bar.Update(done, total, [&] { return CountsText(so_far); });
                         }));
    if (summary.interrupted) return Unavailable(kInterrupted);
    CTS_RETURN_IF_ERROR(CheckSameAdapter(first.results, run.out));
    CheckOptions check = first;
    check.results = run.out;
    check.filter = ids;
    check.progress = {};
    CTS_ASSIGN_OR_RETURN(const Report report, CheckSuite(check));
    for (const CaseReport& c : report.cases) {
      ++reruns[c.id].of;
      reruns[c.id].passed += StandingOf(c) == Standing::kRight ? 1 : 0;
    }
  }
  return reruns;
}

// The error of a file that an option names, with what was expected where there is none.
Status OfOption(const Status& error, const std::string& option, std::string_view expected) {
  if (!absl::IsNotFound(error)) return Annotate(error, option);
  return NotFound(option, ": ", Message(error), ", expected ", expected);
}

// The files that are asked for beside the reports: place -> contents.
ReportOptions::Files FilesForCi(const GateArguments& options, const Report& report,
                                const GateResult& result) {
  const GateOptions& gate = options.gate;
  ReportOptions::Files files;
  if (!options.markdown.empty()) {
    files.emplace_back(options.markdown, FormatGateMarkdown(report, gate, result));
  }
  if (!options.sarif.empty()) {
    files.emplace_back(options.sarif, FormatJson(GateSarif(report, gate, result)));
  }
  if (!options.write_baseline.empty()) {
    files.emplace_back(options.write_baseline, FormatJson(BaselineToJson(result.now)));
  }
  if (!options.write_accuracy.empty()) {
    Accuracy accuracy = AccuracyNow(report);
    if (gate.accuracy) accuracy.slack = gate.accuracy->slack;
    files.emplace_back(options.write_accuracy, FormatJson(AccuracyToJson(accuracy)));
  }
  return files;
}

StatusOr<int> RunGate(GateArguments& options) {
  GateOptions& gate = options.gate;
  if (gate.today.empty()) gate.today = Today();
  if (!IsDate(gate.today)) {
    return InvalidArgument("--today: found ", gate.today, ", expected a day as YYYY-MM-DD");
  }
  ReportOptions::Places places = {{"--markdown", options.markdown},
                                  {"--sarif", options.sarif},
                                  {"--write-baseline", options.write_baseline},
                                  {"--write-accuracy", options.write_accuracy}};
  if (options.annotations) places.emplace_back("--annotations", "-");
  CTS_RETURN_IF_ERROR(options.reports.Probe(places));
  // Before the run, which takes longer.
  if (!gate.baseline_path.empty()) {
    StatusOr<Baseline> baseline = ReadBaseline(gate.baseline_path);
    if (!baseline.ok()) {
      return OfOption(baseline.status(), "--baseline", "a file that gate --write-baseline wrote");
    }
    gate.baseline = *std::move(baseline);
  }
  if (!gate.waivers_path.empty()) {
    StatusOr<std::vector<Waiver>> waivers = ReadWaivers(gate.waivers_path);
    if (!waivers.ok()) {
      return OfOption(waivers.status(), "--waivers",
                      "a list of waivers, as `tensor-cts init github` writes one");
    }
    gate.waivers = *std::move(waivers);
  }
  if (!gate.accuracy_path.empty()) {
    StatusOr<Accuracy> accuracy = ReadAccuracy(gate.accuracy_path);
    if (!accuracy.ok()) {
      return OfOption(accuracy.status(), "--accuracy", "a file that gate --write-accuracy wrote");
    }
    gate.accuracy = *std::move(accuracy);
  }
  if (options.results.empty()) CTS_RETURN_IF_ERROR(options.implementation.Resolve("gate"));
  if (!options.sarif.empty()) {
    CTS_ASSIGN_OR_RETURN(gate.sarif_file, SarifFile(options));
  }
  CheckOptions check{options.suite, {}, options.implementation.run.jobs};
  CTS_ASSIGN_OR_RETURN(check.declared, ReadDeclaredOption(options.declared, options.suite));
  gate.tolerate_undeclared = check.declared.has_value();
  // Files under a name that the user does not know are removed, however this ends.
  check.stop = CatchInterrupts();
  Scratch scratch;
  CTS_ASSIGN_OR_RETURN(check.results, ResultsOf(options, scratch, *check.stop));
  std::optional<ProgressBar> bar(std::in_place, "check");
  check.progress = [&bar](size_t done, size_t total) {
    bar->Update(static_cast<int>(done), static_cast<int>(total));
  };
  check.meaning = MeaningOf;
  const StatusOr<Report> checked = CheckSuite(check);
  bar.reset();
  if (*check.stop) return Unavailable(kInterrupted);
  CTS_ASSIGN_OR_RETURN(Report report, checked);
  if (report.run.shard) {
    return InvalidArgument(check.results.string(), ": found the results of shard ",
                           report.run.shard->index, " of ", report.run.shard->of,
                           ", expected those of a whole suite: put all shards together by ",
                           "tensor-cts merge, and gate that");
  }
  CTS_ASSIGN_OR_RETURN(GateResult result, ApplyGate(report, gate));
  if (const auto ids = CasesToRunAgain(result); options.reruns > 0 && !ids.empty()) {
    CTS_ASSIGN_OR_RETURN(gate.reruns, RunAgain(options, check, ids));
    CTS_ASSIGN_OR_RETURN(result, ApplyGate(report, gate));
    for (const auto& [id, again] : gate.reruns) {
      if (again.passed == 0) continue;
      report.notes.push_back(StrCat(id, ": flaky: failed, and passed ", again.passed, " of ",
                                    again.of, " times when it ran again"));
    }
  }
  CTS_RETURN_IF_ERROR(options.reports.Emit(report, FormatGate(report, gate, result),
                                           FilesForCi(options, report, result)));
  if (options.annotations) CTS_RETURN_IF_ERROR(Emit("-", GateAnnotations(report, result)));
  if (result.Passed()) return kDone;
  scratch.Keep();
  return kNotConformant;
}

}  // namespace

void AddGate(CLI::App& app, Action& action) {
  auto options = std::make_shared<GateArguments>();
  CLI::App* command = app.add_subcommand("gate", "Run, judge, and fail on new failures: for CI");
  command->add_option("--suite", options->suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  AddImplementationOptions(command, options->implementation);
  command->add_option("--results", options->results, "Judge these results of run; run nothing")
      ->type_name("DIR");
  command
      ->add_option("--out", options->out,
                   "Folder for the results (default: a new one, kept on failure)")
      ->type_name("DIR");
  command
      ->add_option("--baseline", options->gate.baseline_path,
                   "Failures of an earlier run, which are tolerated")
      ->type_name("FILE");
  command
      ->add_option("--write-baseline", options->write_baseline,
                   "Write the failures that are not waived; same exit code")
      ->type_name("FILE");
  command
      ->add_option("--accuracy", options->gate.accuracy_path,
                   "Errors of an earlier run: greater ones fail, though they are legal")
      ->type_name("FILE");
  command
      ->add_option("--write-accuracy", options->write_accuracy,
                   "Write the errors by operator, type and data; same exit code")
      ->type_name("FILE");
  command
      ->add_option("--waivers", options->gate.waivers_path,
                   "Known failures, each with reason, owner and expiry")
      ->type_name("FILE");
  command
      ->add_option("--rerun", options->reruns,
                   "Run failed cases N times again. One that passes then is flaky:\n"
                   "it fails the gate, unless a waiver names that verdict")
      ->check(CLI::Range(1, 100))
      ->excludes("--results")
      ->type_name("N");
  AddDeclaredOption(*command, options->declared);
  command
      ->add_option("--today", options->gate.today,
                   "The day on which waivers must hold (default: today, in UTC)")
      ->type_name("YYYY-MM-DD");
  options->reports.Add(*command);
  command
      ->add_option("--markdown", options->markdown,
                   "Write a summary in Markdown, such as to \"$GITHUB_STEP_SUMMARY\"")
      ->type_name("FILE");
  CLI::Option* const sarif =
      command
          ->add_option("--sarif", options->sarif,
                       "Write new failures as SARIF 2.1.0, such as for code scanning")
          ->type_name("FILE");
  command
      ->add_option("--sarif-file", options->sarif_file,
                   "The file of the repository at which SARIF places them (default:\n"
                   "the adapter's script)")
      ->needs(sarif)
      ->type_name("FILE");
  command->add_flag("--annotations", options->annotations,
                    "Also print new failures as GitHub's workflow commands");
  command->footer(
      "Exit code: 0 every failure is in the baseline or waived; 1 another case failed, a waiver "
      "has\n"
      "to be mended, or results are less accurate than --accuracy says; 2 usage or environment.\n"
      "With --declared, a case that FILE does not declare may be unsupported.");
  command->callback([&action, options] { action = [options] { return RunGate(*options); }; });
}

}  // namespace cts
