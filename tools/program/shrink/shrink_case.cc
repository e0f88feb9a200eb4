#include "tools/program/shrink/shrink_case.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/report/explain.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "generator/partial_suite.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/bundle/bundle.h"
#include "reference/formats/mlir/mlir_text.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/ask/render.h"
#include "tools/program/run/case_runner.h"
#include "tools/program/run/runner.h"
#include "tools/program/shrink/failure_kind.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kShownElements = 64;
constexpr size_t kMaxMlir = 20000;

StatusOr<Case> ReadGiven(const ShrinkCaseOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(options.suite));
  CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry, FindCase(suite, options.id, options.suite));
  CTS_ASSIGN_OR_RETURN(const Folder folder, Folder::Open(options.suite));
  CTS_ASSIGN_OR_RETURN(Case c, ReadVerifiedCase(folder, *entry, suite.edition));
  CTS_RETURN_IF_ERROR(Annotate(ValidateAnswers(c), (options.suite / entry->id).string()));
  return c;
}

StatusOr<std::optional<CheckedCase>> RunAndJudge(CaseRunner& runner, const Case& c) {
  CTS_ASSIGN_OR_RETURN(const std::optional<CaseRunner::Files> files, runner.Run(c));
  if (!files) return std::optional<CheckedCase>();
  return CheckCase(c, [&](std::string_view name, uint64_t max_bytes) -> StatusOr<std::string> {
    const auto found = files->find(std::string(name.substr(name.rfind('/') + 1)));
    if (found == files->end()) return NotFound(name, ": no such file");
    if (found->second.size() > max_bytes) {
      return InvalidArgument(name, ": found ", found->second.size(), " bytes, expected ", max_bytes,
                             " at most");
    }
    return found->second;
  });
}

std::string InLowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// ---- REPORT.md ---------------------------------------------------------------------------------

std::string Count(int64_t n, const std::string& what) {
  return StrCat(n, " ", what, n == 1 ? "" : "s");
}

std::string Values(const Tensor& tensor) {
  std::string text;
  for (int64_t i = 0; i < std::min(tensor.size(), kShownElements); ++i) {
    text += (i == 0 ? "" : ", ") + FormatElement(tensor, i);
  }
  if (tensor.size() > kShownElements) text += StrCat(", ... ", tensor.size(), " in all");
  return text;
}

std::string TensorTable(const Case& c) {
  std::string text = "| tensor | what | type | values |\n|---|---|---|---|\n";
  const Block& block = c.graph.main();
  const auto row = [&](const GraphTensor& tensor, const std::string& what,
                       const std::string& values) {
    text +=
        StrCat("| `", tensor.name, "` | ", what, " | ", Describe(tensor), " | ", values, " |\n");
  };
  const auto executions = c.InputsOfExecutions();
  for (size_t k = 0; k < executions.size(); ++k) {
    for (const std::string& name : block.inputs) {
      row(*block.Find(name), executions.size() == 1 ? "input" : StrCat("input, execution ", k),
          executions[k]->contains(name) ? Values(executions[k]->at(name)) : "no file");
    }
  }
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) row(tensor, "constant", Values(*tensor.values));
  }
  for (const GraphTensor& tensor : block.tensors) {
    const bool given = tensor.values != nullptr || Contains(block.inputs, tensor.name);
    if (!given) row(tensor, "computed", "");
  }
  return text;
}

std::string OperatorList(const Case& c) {
  std::string text;
  for (const GraphOperator& op : c.graph.main().operators) {
    if (IsConstant(op)) continue;
    std::string line = StrCat("- `", op.op, "(");
    for (size_t i = 0; i < op.inputs.size(); ++i) line += (i == 0 ? "" : ", ") + op.inputs[i];
    line += ") -> ";
    for (size_t i = 0; i < op.outputs.size(); ++i) line += (i == 0 ? "" : ", ") + op.outputs[i];
    line += "`";
    size_t n = 0;
    for (const auto& [name, value] : op.attributes) {
      line += StrCat(n++ == 0 ? " with `" : ", `", name, " = ", AttributeText(value), "`");
    }
    text += line + "\n";
  }
  return text;
}

// Foreign text in a line of Markdown: it begins nothing and ends no cell.
std::string Line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    if (std::string_view("\\`*[]<>|~&").find(c) != std::string_view::npos) line += '\\';
    line += c == '\n' ? ' ' : c;
  }
  return line;
}

// A block that what is in it cannot end.
std::string Fenced(const std::string& language, const std::string& text) {
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return StrCat(fence, language, "\n", text, text.ends_with('\n') ? "" : "\n", fence, "\n");
}

// For an outcome: the section that defines the operator.
std::string ClauseOf(const Case& c) {
  return StrCat(c.edition, ", Operators, ", c.op,
                c.condition.empty() ? "" : StrCat(": `", c.condition, "`"));
}

// Why RenderCases could not render its one case; empty if it could.
std::string WhyNoMlir(const std::string& mlir) {
  constexpr std::string_view kUnsupported = " unsupported: ";
  const std::string first = mlir.substr(0, mlir.find('\n'));
  const size_t at = first.find(kUnsupported);
  return at == std::string::npos ? "" : first.substr(at + kUnsupported.size());
}

// Makes the static case of a symbolic program that is left with one binding.
std::string ResolveCommand(const RunInfo& run, const Case& c) {
  if (c.bindings.size() != 1 || c.outcome != Outcome::kValid) return "";
  std::string command = StrCat("tensor-cts", EditionOption(run), " resolve suite/", c.id);
  for (const auto& [symbol, size] : c.bindings[0]) {
    command += StrCat(" --bind ", symbol, "=", size);
  }
  return command + " --out static\n";
}

struct Written {
  const Case& given;
  const Case& smallest;
  const Shrunk& shrunk;
  const std::string& repeat;   // the command that runs the smallest case again
  const std::string& explain;  // what explain says; empty: there are no results
  const std::string& mlir;
  const std::string& not_repeatable;
  const RunInfo& run;
  double seconds = 0;
  int max_runs = 0, repeats = 0;
  bool by_adapter = false;
};

std::string Tried(const Written& w) {
  const Shrunk& shrunk = w.shrunk;
  std::string text =
      StrCat("From the case `", w.given.id, "`:\n\n| | before | after |\n|---|---|---|\n");
  const auto row = [&](const char* what, int64_t before, int64_t after) {
    text += StrCat("| ", what, " | ", before, " | ", after, " |\n");
  };
  row("operators", shrunk.before.operators, shrunk.after.operators);
  if (shrunk.before.executions > 1) {
    row("executions", shrunk.before.executions, shrunk.after.executions);
  }
  row("elements of inputs and constants", shrunk.before.elements, shrunk.after.elements);
  row("elements of outputs", shrunk.before.outputs, shrunk.after.outputs);
  text += StrCat("\nIn ", Count(shrunk.runs, "run"), " of the implementation, ",
                 FormatFigure(w.seconds), " seconds. A step counts only if the smaller case fails ",
                 "in the same way:\n\n",
                 "| tried to leave out or simplify | runs | failed likewise | not run |\n",
                 "|---|---|---|---|\n");
  for (const ShrinkStep& step : shrunk.steps) {
    text +=
        StrCat("| ", step.what, " | ", step.runs, " | ", step.kept, " | ", step.undefined, " |\n");
  }
  text +=
      "\nNot run: cases that the specification does not settle in the way that this one is "
      "about.\n";
  if (shrunk.statistics_only) {
    text +=
        "\nNo single value is beyond its limit, only the errors of all together are: that "
        "needs their number and their data, so the case stays as it is.\n";
  } else if (shrunk.limit_reached) {
    text += StrCat("\nStopped after ", w.max_runs, " runs (`--runs`): it may get smaller yet.\n");
  }
  if (shrunk.interrupted) text += "\nInterrupted: it may get smaller yet.\n";
  return text;
}

std::string WriteReport(const Written& w) {
  const Case& c = w.smallest;
  const CaseReport& report = w.shrunk.failure.report;
  std::string text;
  if (!w.not_repeatable.empty()) {
    text += StrCat("**The implementation is not deterministic**: ", Line(w.not_repeatable), "\n\n");
  }
  const OutputReport* deciding = DecidingOutput(report);
  const bool wrong = deciding != nullptr && deciding->mismatches > 0;
  text = StrCat(
      "# ", c.op, ": ", Line(FailureTitle(report)),
      wrong ? StrCat(": ", deciding->first_got, ", expected ", deciding->first_expected) : "",
      "\n\n", text);
  std::string expected = "a result";
  if (report.outcome == Outcome::kError) {
    const std::string meaning = MeaningOf(c);
    expected = StrCat("an error: the graph breaks `", c.condition, "`",
                      meaning.empty() ? "" : StrCat(" (", Line(meaning), ")"));
  } else if (wrong) {
    expected = StrCat("`", deciding->name, deciding->first_index, "` = ", deciding->first_expected);
  }
  const std::string got =
      wrong ? StrCat("`", deciding->name, deciding->first_index, "` = ", deciding->first_got)
            : StrCat(report.answered ? Name(*report.answered) : "nothing",
                     report.message.empty() ? "" : ": " + Line(report.message));
  text += StrCat("| | |\n|---|---|\n| implementation | ", Line(w.run.name),
                 w.run.version.empty() ? "" : " " + Line(w.run.version), " |\n| operator | ", c.op,
                 ", ", c.mode, " |\n| specification | ", c.edition, ", level ", c.level,
                 " |\n| expected | ", expected, " |\n| got | ", got, " |\n");
  if (deciding != nullptr) {
    text += StrCat("| rule | ", Name(deciding->rule.kind), " |\n| clause | ", deciding->rule.clause,
                   " |\n");
  } else {
    text +=
        StrCat("| rule | ",
               report.outcome == Outcome::kError ? "a graph that breaks this condition is refused"
                                                 : "a graph that breaks no condition has a result",
               " |\n| clause | ", ClauseOf(c), " |\n");
  }
  text += StrCat("\n## The case\n\n", OperatorList(c), "\n", TensorTable(c), "\n");
  for (size_t k = 0; k < c.bindings.size(); ++k) {
    text += StrCat("Execution ", k, " binds ", Describe(c.bindings[k]), ".\n\n");
  }
  const std::string no_mlir = WhyNoMlir(w.mlir);
  if (!no_mlir.empty()) {
    text += StrCat("No text of MLIR's `tosa` dialect: ", Line(no_mlir), "\n\n");
  } else if (w.mlir.size() <= kMaxMlir) {
    const StatusOr<const Edition*> edition = FindEdition(c.edition);
    const std::string version(edition.ok() ? MlirVersionOf(**edition) : "");
    text += StrCat("As text of the `tosa` dialect of MLIR ", version, ":\n\n",
                   Fenced("mlir", w.mlir), "\n");
  }
  if (!w.explain.empty()) {
    text += StrCat("## Got and expected\n\n", Fenced("", w.explain), "\n");
  }
  const std::string option = EditionOption(w.run);
  text += StrCat(
      "## How to repeat it\n\nIn the folder of this file",
      w.by_adapter ? "; paths of the adapter are from where `shrink` was called" : "", ":\n\n",
      Fenced("", StrCat(w.repeat, "\ntensor-cts", option, " check suite again\n", "tensor-cts",
                        option, " explain again ", c.id, "\n",
                        no_mlir.empty() ? StrCat("tensor-cts", option,
                                                 " render --format mlir suite/", c.id, "\n")
                                        : "",
                        ResolveCommand(w.run, c))),
      "\n`suite/", c.id, "/case.json` is the graph; inputs and expected values lie ",
      "beside it as `.npy`.");
  if (w.not_repeatable.empty() && !w.shrunk.interrupted) {
    text += StrCat(" It failed in the same way in each of ", w.repeats, " further runs.");
  }
  return text + StrCat("\n\n## How it was found\n\n", Tried(w));
}

// ---- The way there -----------------------------------------------------------------------------

// OUT, removed with everything in it unless it is kept.
class OutFolder {
 public:
  ~OutFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  Status Create(const fs::path& path) {
    CTS_RETURN_IF_ERROR(CheckFree(path));
    std::error_code error;
    fs::create_directories(path, error);
    if (error) return Unavailable(path.string(), ": cannot be created: ", error.message());
    path_ = path;
    return absl::OkStatus();
  }
  void Keep() { path_.clear(); }

 private:
  fs::path path_;
};

// Runs the smallest case as any user would. Returns the difference in the result, if there is one;
// nothing if it was interrupted.
StatusOr<std::optional<std::string>> RunAgain(const ShrinkCaseOptions& options, const Suite& suite,
                                              const fs::path& out, const std::string& kind) {
  RunOptions run = options.run;
  run.suite = out / "suite";
  run.out = out / "results";
  run.jobs = 1;
  run.repeats = options.shrink.repeats;
  CTS_ASSIGN_OR_RETURN(const RunSummary summary, RunSuite(run, nullptr));
  if (summary.interrupted) {
    std::error_code ignored;
    fs::remove_all(run.out, ignored);
    return std::optional<std::string>();
  }
  CTS_ASSIGN_OR_RETURN(const CheckedCase checked,
                       CheckCase(run.suite, suite.cases[0], suite.edition, run.out));
  const std::string now = FailureKind(checked.report);
  std::optional<std::string> otherwise = "";
  if (now != kind) {
    otherwise = StrCat("found ", kind, " in the smallest case, and when it ran once more ",
                       now.empty() ? "it passed" : now);
  } else if (!checked.report.differs.empty()) {
    otherwise = StrCat("the smallest case gives something else when it runs again: ",
                       checked.report.differs);
  }
  return otherwise;
}

}  // namespace

StatusOr<ShrunkCase> ShrinkCase(const ShrinkCaseOptions& given_options) {
  ShrinkCaseOptions options = given_options;
  std::error_code error;
  options.out = fs::absolute(options.out, error).lexically_normal();
  const auto start = std::chrono::steady_clock::now();
  CTS_ASSIGN_OR_RETURN(const Case given, ReadGiven(options));
  OutFolder folder;
  CTS_RETURN_IF_ERROR(folder.Create(options.out));
  const fs::path scratch = options.out / ".tmp";
  fs::create_directory(scratch, error);
  if (error) return Unavailable(scratch.string(), ": cannot be created: ", error.message());

  ShrunkCase result;
  RunInfo run;
  {
    CTS_ASSIGN_OR_RETURN(const std::unique_ptr<CaseRunner> runner,
                         CaseRunner::Open(options.run, scratch));
    run.name = run.command = runner->command();
    run.timeout_seconds = options.run.timeout_seconds;
    run.memory_mb = options.run.memory_mb;
    CTS_ASSIGN_OR_RETURN(
        result.shrunk,
        Shrink(
            given, [&](const Case& c) { return RunAndJudge(*runner, c); }, options.shrink));
  }
  fs::remove_all(scratch, error);
  if (result.shrunk.failure.report.id.empty()) {
    return Unavailable("shrink: interrupted before the case failed once, nothing is written");
  }
  Case& c = result.shrunk.smallest;
  if (c.data_set == "shrunk") {
    c.id = StrCat(InLowerCase(c.op == given.op ? given.id.substr(0, given.id.find('/')) : c.op),
                  "/shrunk");
    c.parameters = {{"shrunk_from", given.id}};
  }
  result.id = c.id;
  CTS_ASSIGN_OR_RETURN(const Suite suite, WriteSuiteOf(c, "shrunk", options.out / "suite"));
  std::string explain;
  if (!result.shrunk.interrupted) {
    CTS_ASSIGN_OR_RETURN(const std::optional<std::string> otherwise,
                         RunAgain(options, suite, options.out, result.shrunk.kind));
    result.shrunk.interrupted = !otherwise;
    result.not_repeatable = otherwise.value_or("");
  }
  if (!result.shrunk.interrupted) {
    if (const StatusOr<RunInfo> known =
            ReadRun(options.out / "results", suite, options.out / "suite");
        known.ok()) {
      run = *known;
    }
    StatusOr<std::string> text =
        Explain(options.out / "suite", options.out / "results", c.id, OriginOf, MeaningOf);
    // Its place here means nothing elsewhere.
    if (text.ok()) explain = text->substr(0, text->rfind("\nfiles:  ") + 1);
  }
  CTS_ASSIGN_OR_RETURN(const std::string mlir,
                       RenderCases({options.out / "suite" / c.id}, "shrunk"));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const std::string repeat = RerunCommand("suite", run, c.id);
  result.report = WriteReport({given, c, result.shrunk, repeat, explain, mlir,
                               result.not_repeatable, run, seconds.count(), options.shrink.max_runs,
                               options.shrink.repeats, !options.run.adapter.empty()});
  CTS_RETURN_IF_ERROR(WriteFile(options.out / "REPORT.md", result.report));
  folder.Keep();
  return result;
}

}  // namespace cts
