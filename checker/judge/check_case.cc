#include "checker/judge/check_case.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "checker/judge/standing.h"
#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/json_view.h"
#include "reference/base/npy.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/bundle/bundle.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxMessage = 4000;
constexpr uint64_t kMaxResultJson = 16 << 20;

// A shape_t list without elements: a header that says so, and no data. No tensor reader takes it.
Status CheckEmptyTensor(std::string_view bytes) {
  const bool is_npy = bytes.substr(0, 6) == "\x93NUMPY" && bytes.back() == '\n' &&
                      bytes.find("(0,)") != std::string::npos;
  if (is_npy) return absl::OkStatus();
  return InvalidArgument("expected a .npy file of shape (0,) without data");
}

StatusOr<Tensor> DecodeOutput(std::string_view bytes, const ExpectedOutput& output) {
  if (!Contains(output.shape, 0)) {
    return DecodeNpy(bytes, output.dtype, output.shape, output.rule.is_unsigned);
  }
  CTS_RETURN_IF_ERROR(CheckEmptyTensor(bytes));
  return Tensor(output.dtype, output.shape);
}

// kNotFound only where there is no such file.
StatusOr<Tensor> ReadOutput(const ReadResultFile& read, const std::string& name,
                            const ExpectedOutput& output, std::string* stored_as) {
  const uint64_t limit = MaxNpyBytes(ElementCount(output.shape));
  CTS_ASSIGN_OR_RETURN(const std::string bytes, read(name, limit));
  return CatchBadAlloc(name, [&]() -> StatusOr<Tensor> {
    StatusOr<Tensor> result = DecodeOutput(bytes, output);
    if (!result.ok()) return Annotate(result.status(), name);
    *stored_as = StoredAsOther(bytes, output.dtype, output.rule.is_unsigned);
    return result;
  });
}

std::string DescribeError(const ElementError& error, DType dtype) {
  if (error.ulp == 0) return "the sign of zero differs";
  return "off by " + FormatDistance(error.ulp, error.of_bound, dtype);
}

// Names the execution that an output is of, where it is not the first.
std::string OfExecution(const ExpectedOutput& output) {
  return output.execution == 0 ? "" : StrCat(" of execution ", output.execution + 1);
}

std::string DescribeFailure(const ExpectedOutput& output, const OutputReport& report,
                            const ElementError& first_error) {
  if (report.mismatches > 0) {
    return StrCat("output ", report.name, OfExecution(output), ", element ", report.first_index,
                  ": expected ", report.first_expected, ", got ", report.first_got, " (",
                  DescribeError(first_error, report.dtype), "); ", report.mismatches, " of ",
                  report.elements, " elements differ");
  }
  std::string text = StrCat("output ", report.name, OfExecution(output),
                            ": every element is within its limit, but ");
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
  std::string expected = FormatElement(output, answer.expected, i);
  if (output.rule.kind != RuleKind::kInterval) return expected;
  const std::string upper = FormatElement(output, *answer.upper, i);
  return expected == upper ? expected : StrCat(expected, " to ", upper);
}

// Names the elements by which an accepted result shows that subnormals are flushed, or kept.
// `other` is the first element that the other answer refuses, or -1.
void NameShownElements(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                       int64_t other, OutputReport* report) {
  const auto is = [&](int64_t i) {
    return StrCat(ResultName(output), ToString(Index(output.shape, i)), " is ",
                  FormatElement(output, result, i));
  };
  const ShownChoices& shown = report->shown;
  if (shown.flushed >= 0) {
    report->flushed_at =
        StrCat(is(shown.flushed), " where ", DescribeExpected(output, answer, shown.flushed),
               " is expected", kZeroOfFlushedOnly);
  } else if (report->answer == "flushed" && other >= 0) {
    report->flushed_at = StrCat(is(other), ", where subnormals that are kept give ",
                                DescribeExpected(output, output.answers.front(), other));
  }
  if (report->answer == "unflushed" && other >= 0) {
    report->kept_at = StrCat(is(other), ", which flushed subnormals do not give");
  } else if (shown.kept >= 0) {
    report->kept_at = StrCat(is(shown.kept), ", a subnormal number");
  }
}

// Matches a tensor against the answers. One of them must accept it as a whole.
void JudgeOutput(const ExpectedOutput& output, const Tensor& result, OutputReport* report,
                 size_t* chosen) {
  if (output.rule.kind == RuleKind::kUnchecked) {
    report->limits.unchecked = report->limits.elements;
    return;
  }
  std::vector<TensorErrors> matches;
  for (const Answer& answer : output.answers) {
    matches.push_back(MeasureTensor(output, answer, result));
  }
  *chosen = 0;
  for (size_t k = 1; k < matches.size(); ++k) {
    const auto rank = [&](size_t i) {
      return std::make_pair(!matches[i].accepted, matches[i].mismatches);
    };
    if (rank(k) < rank(*chosen)) *chosen = k;
  }
  const TensorErrors& match = matches[*chosen];
  const Answer& answer = output.answers[*chosen];
  report->mismatches = match.mismatches;
  report->figures = match.figures;
  if (output.rule.enclosure) report->enclosure = WidthsOf(output, answer);
  report->limits = report->enclosure ? LimitsOf(*report->enclosure) : LimitsOf(output, answer);
  report->worst_ulp = match.worst_ulp;
  report->worst_of_bound = match.worst_of_bound;
  report->ulps = match.ulps;
  report->flushing = output.flushing;
  if (match.accepted) {
    report->shown = LookAt(output, answer, result);
    if (matches.size() > 1) {
      const bool all = std::all_of(matches.begin(), matches.end(),
                                   [](const TensorErrors& m) { return m.accepted; });
      report->answer = all ? "either" : answer.flushed ? "flushed" : "unflushed";
    }
    const int64_t other = matches.size() > 1 ? matches[1 - *chosen].first : -1;
    NameShownElements(output, answer, result, other, report);
    return;
  }
  report->verdict = Verdict::kFail;
  ElementError first_error;
  if (match.first >= 0) {
    report->first = match.first;
    report->first_index = ToString(Index(output.shape, match.first));
    report->first_expected = DescribeExpected(output, answer, match.first);
    report->first_got = FormatElement(output, result, match.first);
    first_error = ElementJudge(output, answer, result).Measure(match.first);
  }
  report->message = DescribeFailure(output, *report, first_error);
}

// Whether an enclosure says too little for a pass: it limits too few elements, or every interval is
// wider than half of its magnitude.
bool SaysTooLittle(const EnclosureFigures& figures) {
  return figures.elements > 0 && (!LimitsOf(figures).LimitsEnough() || figures.SaysNothing());
}

// Counts what of the outputs can be judged, and says why that is too little. The figures of an
// output that was read are those of the answer that it is judged by.
void CountLimitsOfCase(const Case& expected, CaseReport* report) {
  const OutputReport* first = nullptr;  // of which too little can be judged
  for (size_t k = 0; k < expected.outputs.size(); ++k) {
    const ExpectedOutput& output = expected.outputs[k];
    const OutputReport* const read = k < report->outputs.size() ? &report->outputs[k] : nullptr;
    report->limits.Add(read != nullptr ? read->limits
                                       : Limits{.elements = ElementCount(output.shape)});
    bool silent = false;
    if (read != nullptr && read->enclosure) {
      silent = SaysTooLittle(*read->enclosure);
    } else if (output.rule.enclosure) {
      silent = SaysTooLittle(WidthsOf(output, output.answers.front()));
    }
    // Nothing rests on an output that is disputed.
    if (!expected.disputed.empty() && !output.undisputed) continue;
    report->silent += silent ? 1 : 0;
    if (!silent && output.rule.kind != RuleKind::kUnchecked) continue;
    report->unchecked = true;
    if (first == nullptr) first = read;
  }
  if (report->verdict != Verdict::kPass || first == nullptr) return;
  report->message = StrCat("output ", first->name, ": not checked: ", LimitsText(first->limits));
}

// The error is kUnavailable: then there is no verdict.
Status CheckOutputs(const ReadResultFile& read, CheckedCase* checked) {
  const Case& expected = checked->expected;
  for (const ExpectedOutput& output : expected.outputs) {
    OutputReport report;
    report.name = ResultName(output);
    report.dtype = output.dtype;
    report.rule = output.rule;
    report.elements = report.limits.elements = ElementCount(output.shape);
    report.disputed = !expected.disputed.empty() && !output.undisputed;
    CheckedCase::Output detail;
    const std::string name = checked->report.id + "/" + report.name + ".npy";
    StatusOr<Tensor> result = ReadOutput(read, name, output, &report.stored_as);
    if (absl::IsUnavailable(result.status())) return result.status();
    if (result.ok()) {
      JudgeOutput(output, *result, &report, &detail.answer);
      detail.result = *std::move(result);
    } else if (absl::IsNotFound(result.status())) {
      report.verdict = Verdict::kMissing;
      report.message = StrCat("the status is ok, but there is no ", name,
                              output.execution == 0 ? "" : ", the output", OfExecution(output));
    } else {
      report.verdict = Verdict::kMalformed;
      report.message = Printable(Message(result.status()));
    }
    checked->report.outputs.push_back(std::move(report));
    checked->outputs.push_back(std::move(detail));
  }
  return absl::OkStatus();
}

// The verdict of `ok` when no error was due: that of the worst output, with the reason. Among
// equally bad outputs, the first undisputed one gives the reason.
void SummarizeOutputs(CaseReport* report) {
  report->verdict = Verdict::kPass;
  for (const Verdict worse : {Verdict::kFail, Verdict::kMalformed, Verdict::kMissing}) {
    for (const bool disputed : {false, true}) {
      for (const OutputReport& output : report->outputs) {
        const bool meant = output.verdict == worse && output.disputed == disputed;
        if (!meant || report->verdict == worse) continue;
        report->verdict = worse;
        report->message = output.message;
      }
    }
  }
}

// The contents of result.json. kNotFound only if there is none.
Status ReadResult(const ReadResultFile& read_file, CaseReport* report) {
  const std::string name = report->id + "/result.json";
  CTS_ASSIGN_OR_RETURN(const std::string text, read_file(name, kMaxResultJson));
  CTS_ASSIGN_OR_RETURN(const JsonText read, JsonText::Read(text, "result", name));
  const JsonView json = read.root();
  report->answered = CaseStatusOf(json["status"].Text());
  report->said = Shortened(Printable(json["message"].View()), kMaxMessage);
  report->log = Shortened(Printable(json["log"].View(), Lines::kKeep), kMaxResultJson);
  report->seconds = json["seconds"].Number();
  report->exit_code = json["exit_code"].Integer();
  report->signal = json["signal"].Integer();
  report->reported = json["reported"].Boolean();
  report->differs = Shortened(Printable(json["differs"].View()), kMaxMessage);
  return absl::OkStatus();
}

std::string Said(const CaseReport& report) {
  return report.said.empty() ? "" : StrCat(": ", report.said);
}

// Whether the broken condition may depend on a value that only an execution has, so that a compiler
// need not refuse the graph. Such a value is a symbolic program's binding, or an operand that an
// extension allows to come from outside of the graph.
bool MayErrAtRunTime(const Case& c) {
  if (!c.bindings.empty()) return true;
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  if (!edition.ok()) return true;
  std::set<std::string> lifting;
  for (const OperatorSpec& op : (*edition)->operators) {
    for (const ArgumentSpec& argument : op.arguments) {
      lifting.insert(argument.ctc_remove.begin(), argument.ctc_remove.end());
    }
  }
  return std::any_of(c.profiles.begin(), c.profiles.end(), [&](const auto& all_of) {
    return std::any_of(all_of.begin(), all_of.end(),
                       [&](const std::string& name) { return lifting.count(name) != 0; });
  });
}

// Why there is no answer.
std::string WithoutAnswer(const CaseReport& report) {
  if (!report.said.empty()) return report.said;
  return StrCat("no message", report.signal ? StrCat(" (signal ", *report.signal, ")") : "",
                report.exit_code ? StrCat(" (exit code ", *report.exit_code, ")") : "");
}

// The last line gives the reason most often: an exception, an assertion.
std::string LastOfLog(const CaseReport& report) {
  const std::string last = LastLine(report.log);
  const bool said = report.reported && report.said.find(last) != std::string::npos;
  return last.empty() || said ? "" : StrCat("; the last line of its log: ", Shortened(last, 300));
}

// The verdict from result.json, and if it says ok, from the outputs. The error is kUnavailable: a
// file could not be read, which says nothing about the implementation.
Status Judge(const ReadResultFile& read_file, CheckedCase* checked) {
  CaseReport& report = checked->report;
  if (const Status read = ReadResult(read_file, &report); !read.ok()) {
    if (absl::IsUnavailable(read)) return Status(read);
    if (absl::IsNotFound(read)) {
      report.verdict = Verdict::kMissing;
      report.message = StrCat("there is no ", report.id, "/result.json: the case did not run");
    } else {
      report.verdict = Verdict::kMalformed;
      report.message = Shortened(Printable(Message(read)), kMaxMessage);
    }
    return absl::OkStatus();
  }
  const CaseStatus status = *report.answered;
  // A crash is no answer, whatever outputs there are beside it.
  if (IsAnswer(status) && status != CaseStatus::kUnsupported &&
      (report.signal || report.exit_code.value_or(0) != 0)) {
    report.verdict = Verdict::kMalformed;
    report.message = StrCat(report.id, "/result.json: found the status ", Name(status), " with ",
                            report.signal ? "a signal" : "an exit code that is not 0",
                            ", expected one or the other");
    return absl::OkStatus();
  }
  if (report.reported && status != CaseStatus::kCrash) {
    report.verdict = Verdict::kMalformed;
    report.message = StrCat(report.id, "/result.json: found \"reported\" with the status ",
                            Name(status), ", expected it of a crash only");
    return absl::OkStatus();
  }
  const bool error_due = report.outcome == Outcome::kError;
  switch (status) {
    case CaseStatus::kOk:
      if (error_due) {
        report.verdict = Verdict::kWrongOutcome;
        report.message = WrongResult(report);
        break;
      }
      CTS_RETURN_IF_ERROR(CheckOutputs(read_file, checked));
      SummarizeOutputs(&report);
      break;
    case CaseStatus::kError:
      report.verdict = error_due ? Verdict::kPass : Verdict::kWrongOutcome;
      if (!error_due) report.message = StrCat("expected a result, answered error", Said(report));
      break;
    case CaseStatus::kAccepted: {
      // Outcomes alone tell that a refusal is missing. They never tell that a value is right.
      const bool refusal_due = error_due && !MayErrAtRunTime(checked->expected);
      report.verdict = refusal_due ? Verdict::kWrongOutcome : Verdict::kAccepted;
      report.message =
          refusal_due ? WrongResult(report) : StrCat("accepted, values not shown", Said(report));
      break;
    }
    case CaseStatus::kUnsupported:
      report.verdict = Verdict::kUnsupported;
      report.message = WithoutAnswer(report);
      break;
    case CaseStatus::kCrash:
      report.verdict = Verdict::kCrash;
      report.message = WithoutAnswer(report) + LastOfLog(report);
      break;
    case CaseStatus::kTimeout:
      report.verdict = Verdict::kTimeout;
      report.message = WithoutAnswer(report) + LastOfLog(report);
      break;
    case CaseStatus::kProtocol:
      report.verdict = Verdict::kProtocol;
      report.message = WithoutAnswer(report) + LastOfLog(report);
      break;
  }
  return absl::OkStatus();
}

}  // namespace

std::string WrongResult(const CaseReport& report) {
  return StrCat("expected error (", report.condition, "), answered ", Name(*report.answered),
                Said(report), report.meaning.empty() ? "" : "; ", report.meaning);
}

Status ValidateAnswers(const Case& c) {
  const PlainArithmetic plain;
  for (const ExpectedOutput& output : c.outputs) {
    if (output.rule.kind == RuleKind::kUnchecked) continue;
    if (output.answers.empty()) {
      return InvalidArgument("output ", ResultName(output), " has no answer");
    }
    for (const Answer& answer : output.answers) {
      CTS_RETURN_IF_ERROR(ValidateAnswer(output, answer));
    }
  }
  return absl::OkStatus();
}

OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result, size_t* answer) {
  const PlainArithmetic plain;
  OutputReport report;
  report.name = ResultName(output);
  report.dtype = output.dtype;
  report.rule = output.rule;
  report.elements = report.limits.elements = result.size();
  if (const Status valid = CheckElements(result); !valid.ok()) {
    report.verdict = Verdict::kMalformed;
    report.message = StrCat("output ", report.name, ": ", Message(valid));
    return report;
  }
  size_t chosen = 0;
  JudgeOutput(output, result, &report, &chosen);
  if (answer != nullptr) *answer = chosen;
  return report;
}

std::string DisputedMessage(const std::string& message, const std::string& point) {
  return StrCat(message, "; disputed, and decides nothing: ", Printable(point));
}

void SetDisputed(CaseReport* report) {
  // Another value or a refusal may follow the other clause; no clause asks for a crash, or for
  // other values of an output that the point does not reach.
  const bool answered =
      report->verdict == Verdict::kFail || report->verdict == Verdict::kWrongOutcome;
  if (report->disputed.empty() || !answered) return;
  const bool wrong =
      std::any_of(report->outputs.begin(), report->outputs.end(), [](const OutputReport& output) {
        return output.verdict != Verdict::kPass && !output.disputed;
      });
  if (wrong) return;
  report->message =
      DisputedMessage(StrCat(Name(report->verdict), ": ", report->message), report->disputed);
  report->verdict = Verdict::kDisputed;
}

namespace {

// As CaseReport::graph has them.
std::vector<std::string> OperatorsOf(const Graph& graph) {
  std::vector<std::string> operators;
  for (const GraphOperator& op : graph.main().operators) {
    if (!IsConstant(op) && !Contains(operators, op.op)) operators.push_back(op.op);
  }
  if (operators.size() < 2) operators.clear();
  return operators;
}

}  // namespace

StatusOr<CheckedCase> CheckCase(Case c, const ReadResultFile& read) {
  const PlainArithmetic plain;
  CTS_RETURN_IF_ERROR(ValidateAnswers(c));
  CheckedCase checked;
  checked.report.id = c.id;
  checked.report.op = c.op;
  checked.report.mode = c.mode;
  checked.report.data_set = c.data_set;
  checked.report.types = c.types;
  checked.report.profiles = c.profiles;
  checked.report.parameters = c.parameters;
  checked.report.graph = OperatorsOf(c.graph);
  checked.report.outcome = c.outcome;
  checked.report.condition = c.condition;
  checked.report.disputed = Printable(c.disputed);
  for (const ExpectedOutput& output : c.outputs) {
    checked.report.rules.push_back(output.rule.kind);
  }
  checked.expected = std::move(c);
  CTS_RETURN_IF_ERROR(Judge(read, &checked));
  CountLimitsOfCase(checked.expected, &checked.report);
  SetDisputed(&checked.report);
  return checked;
}

StatusOr<CheckedCase> CheckCaseIn(const Folder& suite, const SuiteEntry& entry,
                                  std::string_view edition, const Folder& results) {
  CTS_ASSIGN_OR_RETURN(Case c, ReadVerifiedCase(suite, entry, edition));
  StatusOr<CheckedCase> checked = CheckCase(
      std::move(c), [&](std::string_view name, uint64_t max_bytes) -> StatusOr<std::string> {
        StatusOr<std::string> bytes = results.Read(name, max_bytes);
        if (bytes.ok()) return bytes;
        // Reports of the same results must be the same, wherever the results lie.
        std::string message = Message(bytes.status());
        const std::string place = (results.path() / "").string();
        if (message.starts_with(place)) message.erase(0, place.size());
        return Status(bytes.status().code(), message);
      });
  if (checked.ok()) return checked;
  if (absl::IsUnavailable(checked.status())) {
    return Annotate(checked.status(), StrCat("results ", results.path().string()));
  }
  return InvalidArgument((suite.path() / entry.id).string(), ": case ", entry.id, ": ",
                         Message(checked.status()),
                         "; the suite is not as it was generated: generate it again");
}

StatusOr<CheckedCase> CheckCase(const fs::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const fs::path& results) {
  CTS_ASSIGN_OR_RETURN(const Folder suite_folder, Folder::Open(suite));
  CTS_ASSIGN_OR_RETURN(const Folder results_folder, Folder::Open(results));
  return CheckCaseIn(suite_folder, entry, edition, results_folder);
}

}  // namespace cts
