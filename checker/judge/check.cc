#include "checker/judge/check.h"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "checker/judge/across_cases.h"
#include "checker/judge/run_record.h"
#include "checker/judge/stored_result.h"
#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "checker/text/selection.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/json_view.h"
#include "reference/base/nearest.h"
#include "reference/base/npy.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/parallel_for.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/bundle/bundle.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVerdicts[kVerdictCount] = {
    "pass",  "fail",    "wrong_outcome", "missing",  "malformed", "unsupported",
    "crash", "timeout", "protocol",      "accepted", "disputed"};

constexpr std::string_view kStandings[kStandingCount] = {
    "right", "wrong", "not_supported", "not_run", "not_shown", "not_checked", "disputed"};

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

// Why a result is wrong where an error is due. The text before the meaning must stay as it is:
// users match it.
std::string WrongResult(const CaseReport& report) {
  return StrCat("expected error (", report.condition, "), answered ", Name(*report.answered),
                Said(report), report.meaning.empty() ? "" : "; ", report.meaning);
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

StatusOr<std::vector<std::string>> StrayDirectories(const fs::path& results, const Suite& suite) {
  std::set<std::string> operators;
  for (const SuiteEntry& entry : suite.cases)
    operators.insert(entry.id.substr(0, entry.id.find('/')));
  std::vector<std::string> stray;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> found, StoredOperators(results));
  for (const std::string& op : found) {
    if (operators.count(op) == 0) {
      stray.push_back(op);
      continue;
    }
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> cases, StoredCases(results, op));
    for (const std::string& name : cases) {
      const std::string id = StrCat(op, "/", name);
      if (suite.Find(id) == nullptr) stray.push_back(id);
    }
  }
  return stray;
}

std::string FirstNames(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += StrCat(i == 0 ? "" : ", ", Shortened(Printable(names[i]), 240));
  }
  return names.size() > kShown ? text + ", ..." : text;
}

namespace {

Status NoteStrayDirectories(Report* report) {
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> stray,
                       StrayDirectories(report->results_path, report->suite));
  if (stray.empty()) return absl::OkStatus();
  report->notes.push_back(StrCat(stray.size(), " result director", stray.size() == 1 ? "y" : "ies",
                                 " of no case of this suite, not counted: ", FirstNames(stray)));
  return absl::OkStatus();
}

void CollectDeclared(const CheckOptions& options, Report* report) {
  report->declared = WhoDeclares(options.declared, report->run, report->suite.edition);
  if (report->run.declared && report->run.declared->edition != report->suite.edition) {
    report->notes.push_back(StrCat("the implementation declares what it supports of ",
                                   Printable(report->run.declared->edition), ", and nothing of ",
                                   report->suite.edition));
  }
}

// Nothing is lost, so nothing is wrong; but the user may not know.
void NoteConverted(Report* report) {
  int64_t count = 0;
  std::string first;
  for (const CaseReport& c : report->cases) {
    for (const OutputReport& output : c.outputs) {
      if (output.stored_as.empty() || count++ > 0) continue;
      first = StrCat(output.name, " of ", c.id, ": '", Printable(output.stored_as), "' for ",
                     Name(output.dtype));
    }
  }
  if (count == 0) return;
  report->notes.push_back(StrCat(count, count == 1 ? " output came" : " outputs came",
                                 " as another type of elements and lost nothing when converted; ",
                                 "the first, ", first));
}

// Not refuted is less than right: what was accepted in this way, and how much it says.
void NoteEnclosed(Report* report) {
  int64_t cases = 0, outputs = 0, elements = 0, limited = 0;
  std::string first;
  for (const CaseReport& c : report->cases) {
    if (c.verdict != Verdict::kPass) continue;
    bool enclosed = false;
    for (const OutputReport& output : c.outputs) {
      if (!output.enclosure) continue;
      enclosed = true;
      ++outputs;
      elements += output.enclosure->elements;
      limited += output.enclosure->elements - output.enclosure->unlimited - output.enclosure->wide;
    }
    if (enclosed && cases++ == 0) first = c.id;
  }
  if (cases == 0) return;
  report->notes.push_back(
      StrCat(cases, cases == 1 ? " case is not refuted" : " cases are not refuted", ", the first ",
             first, ": ", outputs, outputs == 1 ? " output lies" : " outputs lie",
             " within what operators in a row may give; ", limited, " of ", elements,
             " elements are known to half of their magnitude"));
}

// The edition has cases where its own rule takes every number of an output: a right answer, and one
// that shows nothing.
void NoteUndefined(Report* report) {
  const auto is_undefined = [](const CaseReport& c) {
    return StandingOf(c) == Standing::kRight &&
           std::any_of(c.outputs.begin(), c.outputs.end(), [](const OutputReport& output) {
             return output.elements > 0 && output.limits.undefined == output.elements;
           });
  };
  const auto count = std::count_if(report->cases.begin(), report->cases.end(), is_undefined);
  if (count == 0) return;
  const auto first = std::find_if(report->cases.begin(), report->cases.end(), is_undefined);
  report->notes.push_back(StrCat(count, count == 1 ? " case passes" : " cases pass",
                                 " with any numbers, the first ", first->id,
                                 ": the specification limits no element of an output there"));
}

void NoteUndeclared(Report* report) {
  const auto is_undeclared = [](const CaseReport& c) {
    return c.verdict == Verdict::kPass && !c.declared.value_or(true);
  };
  const auto count = std::count_if(report->cases.begin(), report->cases.end(), is_undeclared);
  if (count == 0) return;
  const auto first = std::find_if(report->cases.begin(), report->cases.end(), is_undeclared);
  report->notes.push_back(StrCat(count, count == 1 ? " case passes" : " cases pass",
                                 " that no declaration covers, the first ", first->id, " (",
                                 first->beyond, "): declare it, so that its loss is noticed"));
}

std::string OneAfterAnother(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", name);
  return text;
}

// Cases of a profile that a declaration calls conformant, and which have no right answer. A case
// that did not run, or showed no value, contradicts no declaration. Each of these cases fails by
// itself: the finding names the declaration that it contradicts.
void FindNotAsAnnounced(Report* report) {
  std::set<std::string> who, names;
  int64_t wrong = 0, unanswered = 0;
  const CaseReport *first_wrong = nullptr, *first_unanswered = nullptr;
  for (const CaseReport& c : report->cases) {
    if (c.called_conformant_by.empty()) continue;
    const Standing standing = StandingOf(c);
    if (standing != Standing::kWrong && standing != Standing::kNotSupported) continue;
    for (const size_t i : c.called_conformant_by) {
      const DeclaredBy& each = report->declared[i];
      who.insert(Printable(each.by));
      for (const std::vector<std::string>& all_of : c.profiles) {
        if (IsCalledConformant(each.declared, all_of)) names.insert(all_of.begin(), all_of.end());
      }
    }
    const bool is_unanswered = c.verdict == Verdict::kUnsupported;
    const CaseReport*& first = is_unanswered ? first_unanswered : first_wrong;
    if (first == nullptr) first = &c;
    ++(is_unanswered ? unanswered : wrong);
  }
  if (who.empty()) return;
  const auto told = [](int64_t count, const char* how, const CaseReport* first) {
    if (count == 0) return std::string();
    return StrCat(count, count == 1 ? " case of that is " : " cases of that are ", how,
                  ", the first ", first->id);
  };
  report->findings.push_back(
      {"not_as_announced",
       StrCat("conformant according to ", OneAfterAnother(who), ": ", OneAfterAnother(names),
              "; but ", told(wrong, "wrong", first_wrong),
              wrong > 0 && unanswered > 0 ? ", and " : "",
              told(unanswered, "not answered", first_unanswered)),
       {}});
}

// The run did not ask about it: a suite for a claim has only the claim's cases.
void NoteAnnouncedAndNotAsked(Report* report) {
  std::set<std::string> asked;
  for (const CaseReport& c : report->cases) {
    for (const std::vector<std::string>& all_of : c.profiles) {
      asked.insert(all_of.begin(), all_of.end());
    }
  }
  for (const DeclaredBy& each : report->declared) {
    std::set<std::string> names;
    for (const std::string& name : each.declared.conformant) {
      if (!asked.contains(name)) names.insert(Printable(name));
    }
    if (names.empty()) continue;
    report->notes.push_back(StrCat("conformant according to ", Printable(each.by), ": ",
                                   OneAfterAnother(names), "; no case here asks about that"));
  }
}

// Counts the cases about which the text contradicts itself. They decide nothing.
void NoteDisputed(Report* report) {
  struct Counts {
    int cases = 0, expected = 0, otherwise = 0, wrong = 0;
  };
  std::map<std::string, Counts> points;
  for (const CaseReport& c : report->cases) {
    if (c.disputed.empty()) continue;
    Counts& counts = points[c.disputed];
    ++counts.cases;
    counts.expected += c.verdict == Verdict::kPass ? 1 : 0;
    counts.otherwise += c.verdict == Verdict::kDisputed ? 1 : 0;
    counts.wrong += StandingOf(c) == Standing::kWrong ? 1 : 0;
  }
  for (const auto& [point, counts] : points) {
    const int unanswered = counts.cases - counts.expected - counts.otherwise - counts.wrong;
    report->notes.push_back(StrCat(
        counts.cases,
        counts.cases == 1 ? " case is disputed and decides" : " cases are disputed and decide",
        " nothing: ", counts.expected, " answered as expected, ", counts.otherwise, " otherwise",
        unanswered > 0 ? StrCat(", ", unanswered, " not answered") : "",
        counts.wrong > 0 ? StrCat(", ", counts.wrong, " wrong where nothing is disputed") : "",
        ". The point is ", point));
  }
}

// Outcomes alone never make an implementation conformant.
void NoteNotShown(Report* report) {
  const auto count =
      std::count_if(report->cases.begin(), report->cases.end(),
                    [](const CaseReport& c) { return c.verdict == Verdict::kAccepted; });
  if (count == 0) return;
  report->notes.push_back(
      StrCat(count, count == 1 ? " case was" : " cases were",
             " accepted as legal without values: their results are unknown, and "
             "outcomes alone never make an implementation conformant"));
}

// Results that contradict run.json: they belong to another shard, or the run was of the whole
// suite.
Status FindResultsOutsideShard(const Folder& results, Report* report) {
  if (!report->run.shard) return absl::OkStatus();
  Finding finding{"outside_shard", "", {}};
  for (size_t i = 0; i < report->suite.cases.size(); ++i) {
    const std::string& id = report->suite.cases[i].id;
    if (report->run.shard->Has(i)) continue;
    Status found = results.Inside(id).status();
    if (absl::IsUnavailable(found)) return found;
    if (!absl::IsNotFound(found)) finding.cases.push_back(id);
  }
  if (finding.cases.empty()) return absl::OkStatus();
  finding.message = StrCat(finding.cases.size(), " results are there of cases outside of shard ",
                           report->run.shard->index, "/", report->run.shard->of, ", the first of ",
                           finding.cases[0], ": expected those of the shard only");
  report->findings.push_back(std::move(finding));
  return absl::OkStatus();
}

std::vector<RunPart> PartsOf(const RunRecord& record) {
  std::vector<RunPart> parts;
  const auto add = [&](const RunPlace& place) {
    const auto text = [](const std::optional<std::string>& words) {
      return Printable(words.value_or(""));
    };
    parts.push_back(
        {text(place.host), text(place.started), text(place.ended), text(place.last_result)});
  };
  add(record.place);
  for (const RunPlace& place : record.resumed) add(place);
  return parts;
}

std::string EndOfShards(const std::vector<MergedShard>& shards) {
  std::string end;
  for (const MergedShard& shard : shards) {
    const RunPlace& last = shard.resumed.empty() ? shard.place : shard.resumed.back();
    if (!last.ended) return "";
    end = std::max(end, Printable(*last.ended));
  }
  return end;
}

}  // namespace

std::string_view Name(Verdict verdict) { return kVerdicts[static_cast<int>(verdict)]; }

std::optional<Verdict> VerdictOf(std::string_view name) {
  for (int i = 0; i < kVerdictCount; ++i) {
    if (Name(static_cast<Verdict>(i)) == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

std::string_view Name(Standing standing) { return kStandings[static_cast<int>(standing)]; }

StatusOr<RunInfo> ReadRun(const fs::path& results, const Suite& suite, const fs::path& suite_path) {
  const fs::path path = results / "run.json";
  const StatusOr<RunRecord> record = ReadRunRecord(results);
  if (!record.ok()) {
    return Annotate(record.status(),
                    StrCat(results.string(), ": expected results as tensor-cts run writes them"));
  }
  RunInfo run;
  run.suite = Printable(record->suite);
  run.suite_digest = record->suite_digest;
  run.name = Printable(record->implementation.name);
  run.version = Printable(record->implementation.version);
  run.command = Printable(record->command);
  run.edition_file = Printable(record->edition_file.value_or(""));
  run.host = Printable(record->place.host.value_or(""));
  run.started = Printable(record->place.started.value_or(""));
  run.seconds = record->seconds.value_or(0);
  run.packed = record->packs && !record->packs->empty();
  run.complete = record->complete.value_or(true);
  if (record->options) {
    run.timeout_seconds = record->options->timeout_seconds.value_or(0);
    run.memory_mb = record->options->memory_mb;
    run.symbolic = record->options->symbolic;
  }
  if (record->unexplained) {
    run.unexplained = record->unexplained->count;
    run.first_unexplained = Printable(record->unexplained->first);
  }
  if (record->changed) {
    return InvalidArgument(
        path.string(), ": /changed: found \"", Printable(*record->changed),
        "\", a file of the adapter that changed while it ran: the results are of ",
        "no one implementation; run again into a new folder");
  }
  run.declared = record->implementation.declared;
  run.shard = record->shard;
  if (run.shard && run.shard->index > run.shard->of) {
    return InvalidArgument(path.string(), ": /shard: found ", run.shard->index, " of ",
                           run.shard->of, ", expected an index from 1 to that");
  }
  if (run.shard && !run.shard->positions.empty() &&
      (!std::is_sorted(run.shard->positions.begin(), run.shard->positions.end()) ||
       run.shard->positions.back() >= suite.cases.size())) {
    return InvalidArgument(path.string(), ": /shard/positions: expected ascending positions in a ",
                           "suite of ", suite.cases.size(), " cases; run this shard again");
  }
  for (const std::string& pattern : record->filter.value_or(std::vector<std::string>())) {
    run.filter.push_back(Printable(pattern));
  }
  run.again = record->again.has_value();
  for (const std::string& named : record->code.value_or(std::vector<std::string>())) {
    run.code.push_back(Printable(named));
  }
  if (record->announced_code)
    run.announced_code = static_cast<int64_t>(record->announced_code->size());
  run.repeats = record->repeats.value_or(1);
  // certify did not see a blind run, or a run before it, so the load is not witnessed.
  run.under_load = record->under_load && !record->blind && !record->given;
  run.parts = PartsOf(*record);
  run.shards = record->shards.size();
  for (const MergedShard& shard : record->shards) run.shards_resumed += shard.resumed.size();
  run.shards_ended = EndOfShards(record->shards);
  if (record->given) run.taken = Printable(record->given->taken);
  run.tensor_cts = Printable(record->tensor_cts.value_or(""));
  run.commit = Printable(record->commit.value_or(""));
  if (run.suite_digest != suite.digest) {
    return InvalidArgument(path.string(), ": /suite_digest: found ", run.suite_digest,
                           " (results of the suite '", run.suite, "'), expected ", suite.digest,
                           " of ", suite_path.string(),
                           ": check against the suite that ran, or run this one");
  }
  return run;
}

std::vector<DeclaredBy> WhoDeclares(const std::optional<DeclaredBy>& file, const RunInfo& run,
                                    std::string_view edition) {
  std::vector<DeclaredBy> declared;
  if (file) declared.push_back(*file);
  if (run.declared && run.declared->edition == edition) {
    declared.push_back({"the implementation", *run.declared});
  }
  return declared;
}

void CompareWithDeclared(const std::vector<DeclaredBy>& declared, bool symbolic, const Case& c,
                         CaseReport* known) {
  if (declared.empty()) return;
  known->declared = false;
  const bool not_accepted = !c.bindings.empty() && !symbolic;
  for (size_t i = 0; i < declared.size() && !not_accepted; ++i) {
    if (CalledConformant(declared[i].declared, c)) known->called_conformant_by.push_back(i);
  }
  for (const DeclaredBy& each : declared) {
    std::string beyond = not_accepted ? std::string("symbolic programs (--symbolic)")
                                      : BeyondDeclared(each.declared, c);
    if (beyond.empty()) {
      known->declared = true;
      known->beyond.clear();
      if (known->verdict == Verdict::kUnsupported) {
        known->message =
            StrCat("declared by ", Printable(each.by), ", not answered: ", known->message);
      }
      return;
    }
    if (known->beyond.empty()) known->beyond = std::move(beyond);
  }
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

namespace {

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

}  // namespace

StatusOr<CheckedCase> CheckCase(const fs::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const fs::path& results) {
  CTS_ASSIGN_OR_RETURN(const Folder suite_folder, Folder::Open(suite));
  CTS_ASSIGN_OR_RETURN(const Folder results_folder, Folder::Open(results));
  return CheckCaseIn(suite_folder, entry, edition, results_folder);
}

namespace {

// Which run.json is there: every run that begins or goes on puts another one in its place.
std::tuple<uint64_t, int64_t, int64_t> StampOf(const fs::path& results) {
  struct stat info {};
  if (stat((results / "run.json").c_str(), &info) != 0) return {};
  return {info.st_ino, info.st_ctim.tv_sec, info.st_ctim.tv_nsec};
}

}  // namespace

namespace {

void LeaveOutMissing(Report* report) {
  const size_t left_out = std::erase_if(report->cases, [](const CaseReport& c) {
    return c.verdict == Verdict::kMissing && !c.answered;
  });
  if (left_out > 0) report->missing = left_out;
}

}  // namespace

StatusOr<Report> CheckSuite(const CheckOptions& options) {
  const PlainArithmetic plain;
  Report report;
  report.suite_path = options.suite;
  report.results_path = options.results;
  CTS_ASSIGN_OR_RETURN(report.suite, ReadSuite(options.suite));
  const auto begun = StampOf(options.results);
  CTS_ASSIGN_OR_RETURN(report.run, ReadRun(options.results, report.suite, options.suite));

  report.filter = options.filter;
  CollectDeclared(options, &report);
  CTS_ASSIGN_OR_RETURN(const std::vector<const SuiteEntry*> entries,
                       SelectCases(report.suite, report.run.shard, report.filter, options.suite));
  CTS_ASSIGN_OR_RETURN(const Folder suite, Folder::Open(options.suite));
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(options.results));
  report.cases.resize(entries.size());
  CTS_RETURN_IF_ERROR(ParallelFor(
      entries.size(), {.jobs = options.jobs, .stop = options.stop, .progress = options.progress},
      [&](size_t i) -> Status {
        CTS_ASSIGN_OR_RETURN(
            CheckedCase checked, CatchBadAlloc(StrCat("case ", entries[i]->id), [&] {
              return CheckCaseIn(suite, *entries[i], report.suite.edition, results);
            }));
        CaseReport& known = report.cases[i] = std::move(checked.report);
        CompareWithDeclared(report.declared, report.run.symbolic, checked.expected, &known);
        if (options.meaning && known.outcome == Outcome::kError &&
            known.verdict != Verdict::kPass) {
          known.meaning = Printable(options.meaning(checked.expected));
          if (known.verdict == Verdict::kWrongOutcome) known.message = WrongResult(known);
        }
        return absl::OkStatus();
      }));

  // A run that goes on takes its packs away for a while: what was not there may be there again.
  if (report.run.packed && StampOf(options.results) != begun) {
    return Unavailable(options.results.string(), ": a run went on there while its results were ",
                       "checked; wait for its end and check again");
  }
  if (options.partial) LeaveOutMissing(&report);
  FindChoices(&report);
  FindNondeterminism(&report);
  if (report.run.unexplained > 0) {
    report.findings.push_back(
        {"unexplained_fault",
         StrCat(report.run.unexplained, " times a worker did something wrong, and no case that it ",
                "had in hand did so again when it ran alone; first, ",
                report.run.first_unexplained),
         {}});
  }
  if (!report.run.complete && !report.missing) {
    report.notes.push_back(StrCat("the run was interrupted: cases without a result count as ",
                                  "missing; go on with the same command and --resume"));
  }
  if (report.run.again) {
    if (report.filter.empty() && !report.missing) {
      report.notes.push_back(StrCat("only cases that failed in a report ran, the others have no ",
                                    "result; check those that ran by --partial"));
    }
  } else if (!report.run.filter.empty() && report.filter.empty()) {
    std::string patterns;
    for (const std::string& pattern : report.run.filter) {
      patterns += StrCat(" --filter ", ShellQuoted(pattern));
    }
    report.notes.push_back(StrCat("only a part of the suite ran, the other cases have no result; ",
                                  "check that part alone by", patterns));
  }
  FindNotAsAnnounced(&report);
  NoteAnnouncedAndNotAsked(&report);
  NoteUndeclared(&report);
  NoteDisputed(&report);
  NoteNotShown(&report);
  NoteConverted(&report);
  NoteEnclosed(&report);
  NoteUndefined(&report);
  FindUnchecked(&report);
  CTS_RETURN_IF_ERROR(NoteStrayDirectories(&report));
  CTS_RETURN_IF_ERROR(FindResultsOutsideShard(results, &report));
  return report;
}

bool Conformant(const Report& report) {
  return AllPassed(report) && !report.run.shard && report.filter.empty() && !report.missing;
}

void FindUnchecked(Report* report) {
  std::erase_if(report->findings, [](const Finding& f) { return f.kind == "not_checked"; });
  Finding finding{"not_checked", "", {}};
  size_t outputs = 0, unseen = 0;
  int64_t silent = 0;
  const CaseReport* first = nullptr;
  for (const CaseReport& c : report->cases) {
    if (StandingOf(c) != Standing::kNotChecked) continue;
    if (first == nullptr) first = &c;
    finding.cases.push_back(c.id);
    outputs += c.rules.size();
    unseen += static_cast<size_t>(std::count(c.rules.begin(), c.rules.end(), RuleKind::kUnchecked));
    silent += c.silent;
  }
  if (first == nullptr) return;
  const auto of_outputs = [&](size_t count) {
    return count < outputs ? StrCat(" for ", count, " of ", outputs, " outputs") : std::string();
  };
  finding.message = StrCat(
      "of ", finding.cases.size(), finding.cases.size() == 1 ? " case" : " cases",
      unseen > 0 ? " only outcome and shapes were checked" + of_outputs(unseen) : "",
      unseen > 0 && silent > 0 ? ", and" : "",
      silent > 0 ? StrCat(" too little can be judged", of_outputs(static_cast<size_t>(silent)))
                 : "",
      ", the first ", first->id, first->message.empty() ? "" : StrCat(" (", first->message, ")"),
      ": hand over its intermediate results, check --intermediates DIR");
  report->findings.push_back(std::move(finding));
}

std::string LimitsText(const Limits& limits) {
  if (limits.limited == limits.elements && limits.wide == 0) return "";
  std::string text = StrCat(PercentText(limits.limited, limits.elements), " of elements judged (",
                            WithCommas(limits.limited), " of ", WithCommas(limits.elements), ")");
  const auto add = [&](int64_t count, std::string_view words) {
    if (count > 0) text += StrCat(", ", WithCommas(count), " ", words);
  };
  add(limits.wide, "of the judged ones wide, not known to half of their magnitude");
  add(limits.undefined, "not limited by the specification");
  add(limits.unlimited, "not limited by an enclosure");
  add(limits.unchecked, "with nothing to compare them with");
  add(limits.Unanswered(), "without a result");
  return text;
}

LimitsByStanding CountLimits(const Report& report) {
  LimitsByStanding limits{};
  for (const CaseReport& c : report.cases) {
    limits[static_cast<size_t>(StandingOf(c))].Add(c.limits);
  }
  return limits;
}

bool AllPassed(const Report& report) {
  const Standings standings = CountStandings(report);
  const int right = Count(standings, Standing::kRight);
  return right > 0 &&
         right + Count(standings, Standing::kDisputed) == static_cast<int>(report.cases.size()) &&
         std::all_of(report.findings.begin(), report.findings.end(),
                     [](const Finding& f) { return f.waived; });
}

VerdictCounts CountVerdicts(const Report& report, std::string_view op) {
  VerdictCounts counts{};
  for (const CaseReport& c : report.cases) {
    if (op.empty() || c.op == op) ++counts[static_cast<int>(c.verdict)];
  }
  return counts;
}

Standing StandingOf(const CaseReport& c) {
  // No answer is due to a disputed case.
  const bool unanswered = c.verdict == Verdict::kUnsupported || c.verdict == Verdict::kAccepted ||
                          (c.verdict == Verdict::kMissing && !c.answered);
  if (unanswered && !c.disputed.empty()) return Standing::kDisputed;
  switch (c.verdict) {
    case Verdict::kPass:
      return c.unchecked ? Standing::kNotChecked : Standing::kRight;
    case Verdict::kUnsupported:
      return c.declared.value_or(false) ? Standing::kWrong : Standing::kNotSupported;
    case Verdict::kAccepted:
      return Standing::kNotShown;
    case Verdict::kDisputed:
      return Standing::kDisputed;
    case Verdict::kMissing:
      // `ok` without its outputs is an answer, and a wrong one.
      return !c.answered ? Standing::kNotRun : Standing::kWrong;
    default:
      return Standing::kWrong;
  }
}

Standings CountStandings(const Report& report) {
  Standings standings{};
  for (const CaseReport& c : report.cases) ++standings[static_cast<size_t>(StandingOf(c))];
  return standings;
}

int CountDeclaredNotAnswered(const Report& report) {
  return static_cast<int>(
      std::count_if(report.cases.begin(), report.cases.end(), [](const CaseReport& c) {
        return c.verdict == Verdict::kUnsupported && StandingOf(c) == Standing::kWrong;
      }));
}

}  // namespace cts
