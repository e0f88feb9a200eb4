#include "checker/check.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "checker/printable.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/nearest.h"
#include "reference/base/npy.h"
#include "reference/graph/bundle.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVerdicts[kVerdictCount] = {"pass",    "fail",      "wrong_outcome",
                                                       "missing", "malformed", "unsupported",
                                                       "crash",   "timeout",   "protocol"};

constexpr size_t kMaxMessage = 4000;
constexpr uint64_t kMaxResultJson = 16 << 20;

StatusOr<Case> ReadVerified(const fs::path& suite, const SuiteEntry& entry) {
  const fs::path directory = suite / entry.id;
  const auto changed = [&](const auto&... what) {
    return InvalidArgument(directory.string(), ": case ", entry.id, ": ", what...,
                           "; the suite is not as it was generated: generate it again");
  };
  const StatusOr<std::string> digest = BundleDigestOnDisk(directory);
  if (!digest.ok()) return changed(Message(digest.status()));
  if (*digest != entry.digest) {
    return changed("the files have the digest ", *digest, ", suite.json says ", entry.digest);
  }
  StatusOr<Case> c = ReadCase(directory);
  if (!c.ok()) return changed(Message(c.status()));
  if (c->id != entry.id || c->op != entry.op || Name(c->outcome) != entry.outcome) {
    return changed("case.json has id ", c->id, ", operator ", c->op, ", outcome ", Name(c->outcome),
                   "; suite.json says ", entry.id, ", ", entry.op, ", ", entry.outcome);
  }
  for (const ExpectedOutput& output : c->outputs) {
    if (output.answers.empty()) return changed("output ", ResultName(output), " has no answer");
    for (const Answer& answer : output.answers) {
      const Status valid = ValidateAnswer(output, answer);
      if (!valid.ok()) return changed(Message(valid));
    }
  }
  return c;
}

// A shape_t list of no element, which no tensor reader takes: a header that says so, and no data.
Status ReadEmptyTensor(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, 1 << 16));
  const bool is_npy = bytes.substr(0, 6) == "\x93NUMPY" && bytes.back() == '\n' &&
                      bytes.find("(0,)") != std::string::npos;
  if (is_npy) return absl::OkStatus();
  return InvalidArgument(path.string(), ": expected a .npy file of shape (0,) without data");
}

StatusOr<Tensor> ReadOutput(const fs::path& path, const ExpectedOutput& output) {
  if (std::find(output.shape.begin(), output.shape.end(), 0) == output.shape.end()) {
    return ReadNpy(path, output.dtype, output.shape);
  }
  CTS_RETURN_IF_ERROR(ReadEmptyTensor(path));
  return Tensor(output.dtype, output.shape);
}

std::string DescribeError(const ElementError& error, DType dtype) {
  std::string text = StrCat("off by ", FormatFigure(error.ulp), IsFloat(dtype) ? " ulp" : "");
  if (error.of_bound.has_value() && std::isfinite(*error.of_bound)) {
    text += StrCat(", ", FormatFigure(*error.of_bound), " times what is allowed");
  }
  return text;
}

std::string DescribeFailure(const ExpectedOutput& output, const OutputReport& report,
                            const ElementError& first_error) {
  if (report.mismatches > 0) {
    return StrCat("output ", report.name, ", element ", report.first_index, ": expected ",
                  report.first_expected, ", got ", report.first_got, " (",
                  DescribeError(first_error, report.dtype), "); ", report.mismatches, " of ",
                  report.elements, " elements differ");
  }
  std::string text = StrCat("output ", report.name, ": every element is within its limit, but ");
  const DotProductFigures& figures = *report.figures;
  if (!figures.BiasAccepted(output.rule)) {
    text += StrCat("the sum of errors is ", FormatFigure(figures.error_sum), " (bias limit ",
                   FormatFigure(*output.rule.bias_limit), ")");
    if (!figures.VarianceAccepted(output.rule)) text += " and ";
  }
  if (!figures.VarianceAccepted(output.rule)) {
    text += StrCat("the sum of squared errors is ", FormatFigure(figures.squared_error_sum),
                   " (variance limit ", FormatFigure(*output.rule.variance_limit), ")");
  }
  return text;
}

std::string DescribeExpected(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  std::string expected = FormatElement(answer.expected, i);
  if (output.rule.kind != RuleKind::kInterval) return expected;
  const std::string upper = FormatElement(*answer.upper, i);
  return expected == upper ? expected : StrCat(expected, " to ", upper);
}

// Matches a tensor against the answers. One of them must accept it as a whole.
void JudgeOutput(const ExpectedOutput& output, const Tensor& result, OutputReport* report,
                 size_t* chosen) {
  std::vector<Match> matches;
  for (const Answer& answer : output.answers) {
    matches.push_back(MatchTensor(output, answer, result));
  }
  *chosen = 0;
  for (size_t k = 1; k < matches.size(); ++k) {
    const auto rank = [&](size_t i) {
      return std::make_pair(!matches[i].accepted, matches[i].mismatches);
    };
    if (rank(k) < rank(*chosen)) *chosen = k;
  }
  const Match& match = matches[*chosen];
  const Answer& answer = output.answers[*chosen];
  report->mismatches = match.mismatches;
  report->figures = match.figures;
  const ElementJudge judge(output, answer, result);
  for (int64_t i = 0; i < result.size(); ++i) {
    const ElementError error = judge.Measure(i);
    report->worst_ulp = std::max(report->worst_ulp, error.ulp);
    report->ulps.Add(error.ulp);
    if (error.of_bound.has_value()) {
      report->worst_of_bound = std::max(report->worst_of_bound.value_or(0), *error.of_bound);
    }
  }
  if (match.accepted) {
    if (matches.size() > 1) {
      const bool all =
          std::all_of(matches.begin(), matches.end(), [](const Match& m) { return m.accepted; });
      report->answer = all ? "either" : answer.flushed ? "flushed" : "unflushed";
    }
    return;
  }
  report->verdict = Verdict::kFail;
  ElementError first_error;
  if (match.first >= 0) {
    report->first = match.first;
    report->first_index = ToString(Index(output.shape, match.first));
    report->first_expected = DescribeExpected(output, answer, match.first);
    report->first_got = FormatElement(result, match.first);
    first_error = judge.Measure(match.first);
  }
  report->message = DescribeFailure(output, *report, first_error);
}

void CheckOutputs(const fs::path& results, CheckedCase* checked) {
  for (const ExpectedOutput& output : checked->expected.outputs) {
    OutputReport report;
    report.name = ResultName(output);
    report.dtype = output.dtype;
    report.rule = output.rule;
    report.elements = ElementCount(output.shape);
    CheckedCase::Output detail;
    const std::string name = StrCat(checked->report.id, "/", report.name, ".npy");
    const StatusOr<fs::path> path = PathInside(results, name);
    std::error_code ignored;
    if (path.ok() && !fs::exists(fs::symlink_status(*path, ignored))) {
      report.verdict = Verdict::kMissing;
      report.message = StrCat("the status is ok, but there is no ", name);
    } else {
      StatusOr<Tensor> result =
          path.ok() ? ReadOutput(*path, output) : StatusOr<Tensor>(path.status());
      if (result.ok()) {
        JudgeOutput(output, *result, &report, &detail.answer);
        detail.result = *std::move(result);
      } else {
        report.verdict = Verdict::kMalformed;
        report.message = Printable(Message(result.status()));
      }
    }
    checked->report.outputs.push_back(std::move(report));
    checked->outputs.push_back(std::move(detail));
  }
}

// What `ok` is worth, once an error was not due: the worst of the outputs, and why.
void SummarizeOutputs(CaseReport* report) {
  report->verdict = Verdict::kPass;
  for (const Verdict worse : {Verdict::kFail, Verdict::kMalformed, Verdict::kMissing}) {
    for (const OutputReport& output : report->outputs) {
      if (output.verdict != worse || report->verdict == worse) continue;
      report->verdict = worse;
      report->message = output.message;
    }
  }
}

// "unsupported", "crash", "timeout", "protocol": what the schema leaves besides ok and error.
Verdict ParseUnanswered(const std::string& status) {
  const auto found = std::find(kVerdicts, kVerdicts + kVerdictCount, status);
  return static_cast<Verdict>(found - kVerdicts);
}

StatusOr<Json> ReadResult(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxResultJson));
  CTS_ASSIGN_OR_RETURN(Json json, ParseJson(text, path.string()));
  CTS_RETURN_IF_ERROR(ValidateJson(json, "result", path.string()));
  return json;
}

// The verdict from result.json, and from the outputs where it says ok.
void Judge(const fs::path& results, CheckedCase* checked) {
  CaseReport& report = checked->report;
  const std::string name = StrCat(report.id, "/result.json");
  const StatusOr<fs::path> path = PathInside(results, name);
  std::error_code ignored;
  if (path.ok() && !fs::exists(fs::symlink_status(*path, ignored))) {
    report.verdict = Verdict::kMissing;
    report.message = StrCat("there is no ", name, ": the case did not run");
    return;
  }
  const StatusOr<Json> json = path.ok() ? ReadResult(*path) : StatusOr<Json>(path.status());
  if (!json.ok()) {
    report.verdict = Verdict::kMalformed;
    report.message = Shortened(Printable(Message(json.status())), kMaxMessage);
    return;
  }
  report.answered = (*json)["status"].get<std::string>();
  report.said = Shortened(Printable(json->value("message", "")), kMaxMessage);
  report.log = Shortened(Printable(json->value("log", ""), Lines::kKeep), kMaxResultJson);
  report.seconds = json->value("seconds", 0.0);
  if (json->contains("exit_code")) report.exit_code = (*json)["exit_code"].get<int64_t>();
  if (json->contains("signal")) report.signal = (*json)["signal"].get<int64_t>();

  const std::string said = report.said.empty() ? "" : StrCat(": ", report.said);
  const bool error_due = report.outcome == Outcome::kError;
  if (report.answered == "ok") {
    if (error_due) {
      report.verdict = Verdict::kWrongOutcome;
      report.message = StrCat("expected error (", report.condition, "), answered ok", said);
      return;
    }
    CheckOutputs(results, checked);
    SummarizeOutputs(&report);
  } else if (report.answered == "error") {
    report.verdict = error_due ? Verdict::kPass : Verdict::kWrongOutcome;
    if (!error_due) report.message = StrCat("expected a result, answered error", said);
  } else {
    report.verdict = ParseUnanswered(report.answered);
    report.message = report.said;
    if (report.said.empty()) {
      report.message = "no message";
      if (report.signal) report.message += StrCat(" (signal ", *report.signal, ")");
      if (report.exit_code) report.message += StrCat(" (exit code ", *report.exit_code, ")");
    }
    // Most often the last line says why: an exception, an assertion.
    const std::string last = LastLine(report.log);
    if (report.verdict != Verdict::kUnsupported && !last.empty()) {
      report.message += StrCat("; the last line of its log: ", Shortened(last, 300));
    }
  }
}

// Directories of results that belong to no case. Names that begin with a dot are the runner's.
std::vector<std::string> StrayDirectories(const fs::path& results, const Suite& suite) {
  std::set<std::string> operators;
  for (const SuiteEntry& entry : suite.cases)
    operators.insert(entry.id.substr(0, entry.id.find('/')));
  std::vector<std::string> stray;
  const auto directories = [](const fs::path& parent) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
      std::string name = it->path().filename().string();
      std::error_code ignored;
      if (!name.starts_with('.') && it->is_directory(ignored)) names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  for (const std::string& op : directories(results)) {
    if (operators.count(op) == 0) {
      stray.push_back(op);
      continue;
    }
    for (const std::string& name : directories(results / op)) {
      const std::string id = StrCat(op, "/", name);
      if (suite.Find(id) == nullptr) stray.push_back(id);
    }
  }
  return stray;
}

// Subnormals of a type are flushed all or none (Floating-Point Precision Requirements). Which type
// was flushed, that of an input or of the output, an answer does not say; so this is a note.
void NoteFlushing(Report* report) {
  struct Choices {
    int flushed = 0, unflushed = 0;
    std::string flushed_case, unflushed_case;
  };
  std::map<std::string, Choices> by_type;
  for (const CaseReport& c : report->cases) {
    for (const OutputReport& output : c.outputs) {
      Choices& choices = by_type[std::string(Name(output.dtype))];
      if (output.answer == "flushed" && choices.flushed++ == 0) choices.flushed_case = c.id;
      if (output.answer == "unflushed" && choices.unflushed++ == 0) choices.unflushed_case = c.id;
    }
  }
  for (const auto& [type, choices] : by_type) {
    if (choices.flushed == 0 || choices.unflushed == 0) continue;
    report->notes.push_back(StrCat(
        "subnormal numbers around ", type, " outputs are flushed in ", choices.flushed,
        " outputs (first ", choices.flushed_case, ") and kept in ", choices.unflushed, " (first ",
        choices.unflushed_case, "); an implementation does one or the other for a type"));
  }
}

void NoteStrayDirectories(Report* report) {
  constexpr size_t kShown = 5;
  const std::vector<std::string> stray = StrayDirectories(report->results_path, report->suite);
  if (stray.empty()) return;
  std::string text = StrCat(stray.size(), " result director", stray.size() == 1 ? "y" : "ies",
                            " of no case of this suite, not counted: ");
  for (size_t i = 0; i < std::min(kShown, stray.size()); ++i) {
    text += StrCat(i == 0 ? "" : ", ", Shortened(Printable(stray[i]), 240));
  }
  if (stray.size() > kShown) text += ", ...";
  report->notes.push_back(std::move(text));
}

}  // namespace

std::string_view Name(Verdict verdict) { return kVerdicts[static_cast<int>(verdict)]; }

StatusOr<RunInfo> ReadRun(const fs::path& results, const Suite& suite, const fs::path& suite_path) {
  const fs::path path = results / "run.json";
  const StatusOr<Json> json = LoadJson(path, "run");
  if (!json.ok()) {
    return Annotate(json.status(),
                    StrCat(results.string(), ": expected results as tensor-cts run writes them"));
  }
  RunInfo run;
  run.suite = Printable((*json)["suite"].get<std::string>());
  run.suite_digest = (*json)["suite_digest"].get<std::string>();
  run.name = Printable((*json)["implementation"]["name"].get<std::string>());
  run.version = Printable((*json)["implementation"]["version"].get<std::string>());
  run.command = Printable((*json)["command"].get<std::string>());
  run.host = Printable(json->value("host", ""));
  run.started = Printable(json->value("started", ""));
  run.seconds = json->value("seconds", 0.0);
  if (run.suite_digest != suite.digest) {
    return InvalidArgument(path.string(), ": /suite_digest: found ", run.suite_digest,
                           " (results of the suite '", run.suite, "'), expected ", suite.digest,
                           " of ", suite_path.string(),
                           ": check against the suite that ran, or run this one");
  }
  return run;
}

StatusOr<const SuiteEntry*> FindCase(const Suite& suite, std::string_view id,
                                     const fs::path& suite_path) {
  if (const SuiteEntry* const entry = suite.Find(id); entry != nullptr) return entry;
  std::vector<std::string> ids;
  ids.reserve(suite.cases.size());
  for (const SuiteEntry& other : suite.cases) ids.push_back(other.id);
  std::string nearest;
  for (const std::string& other : NearestNames(ids, id, 5)) nearest += StrCat("\n  ", other);
  return NotFound("case '", Shortened(Printable(id), 240), "': not in ", suite_path.string(),
                  ", which has ", ids.size(), " cases",
                  nearest.empty() ? "" : "; nearest:", nearest);
}

StatusOr<Case> ReadVerifiedCase(const fs::path& suite, const SuiteEntry& entry) {
  return ReadVerified(suite, entry);
}

OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result, size_t* answer) {
  OutputReport report;
  report.name = ResultName(output);
  report.dtype = output.dtype;
  report.rule = output.rule;
  report.elements = result.size();
  size_t chosen = 0;
  JudgeOutput(output, result, &report, &chosen);
  if (answer != nullptr) *answer = chosen;
  return report;
}

StatusOr<CheckedCase> CheckCase(const fs::path& suite, const SuiteEntry& entry,
                                const fs::path& results) {
  CTS_ASSIGN_OR_RETURN(Case c, ReadVerified(suite, entry));
  CheckedCase checked;
  checked.report.id = c.id;
  checked.report.op = c.op;
  checked.report.mode = c.mode;
  checked.report.data_set = c.data_set;
  checked.report.types = c.types;
  checked.report.profiles = c.profiles;
  checked.report.parameters = c.parameters;
  checked.report.outcome = c.outcome;
  checked.report.condition = c.condition;
  checked.expected = std::move(c);
  Judge(results, &checked);
  return checked;
}

StatusOr<Report> CheckSuite(const CheckOptions& options) {
  Report report;
  report.suite_path = options.suite;
  report.results_path = options.results;
  CTS_ASSIGN_OR_RETURN(report.suite, ReadSuite(options.suite));
  CTS_ASSIGN_OR_RETURN(report.run, ReadRun(options.results, report.suite, options.suite));

  const size_t count = report.suite.cases.size();
  report.cases.resize(count);
  std::vector<Status> errors(count);
  std::atomic<size_t> next{0};
  std::mutex mutex;
  size_t done = 0;
  const auto work = [&] {
    for (size_t i = next++; i < count; i = next++) {
      if (options.stop != nullptr && *options.stop) return;
      StatusOr<CheckedCase> checked =
          CheckCase(options.suite, report.suite.cases[i], options.results);
      if (checked.ok()) {
        report.cases[i] = std::move(checked->report);
      } else {
        errors[i] = checked.status();
      }
      if (!options.progress) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      options.progress(++done, count);
    }
  };
  const size_t jobs = options.jobs > 0 ? static_cast<size_t>(options.jobs)
                                       : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(jobs, count); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (options.stop != nullptr && *options.stop) return Unavailable("interrupted");
  for (const Status& error : errors) CTS_RETURN_IF_ERROR(error);

  NoteFlushing(&report);
  NoteStrayDirectories(&report);
  return report;
}

bool Conformant(const Report& report) {
  return !report.cases.empty() && report.findings.empty() &&
         std::all_of(report.cases.begin(), report.cases.end(),
                     [](const CaseReport& c) { return c.verdict == Verdict::kPass; });
}

VerdictCounts CountVerdicts(const Report& report, std::string_view op) {
  VerdictCounts counts{};
  for (const CaseReport& c : report.cases) {
    if (op.empty() || c.op == op) ++counts[static_cast<int>(c.verdict)];
  }
  return counts;
}

}  // namespace cts
