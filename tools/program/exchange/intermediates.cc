#include "tools/program/exchange/intermediates.h"

#include <algorithm>
#include <memory>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/judge/across_cases.h"
#include "checker/judge/check_notes.h"
#include "checker/report/report.h"
#include "reference/base/contains.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/npy.h"
#include "reference/bundle/bundle.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/exchange/graph_parts.h"
#include "tools/program/exchange/operator_verdicts.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

StatusOr<Tensor> ReadHandedOver(const Folder& folder, const std::string& id,
                                const GraphTensor& tensor, int execution) {
  const std::string name = StrCat(id, "/", ResultName(tensor.name, execution), ".npy");
  CTS_ASSIGN_OR_RETURN(const std::string bytes,
                       folder.Read(name, MaxNpyBytes(ElementCount(tensor.shape))));
  StatusOr<Tensor> value = DecodeNpy(bytes, tensor.dtype, tensor.shape);
  if (!value.ok()) return Annotate(value.status(), (folder.path() / name).string());
  return value;
}

using Kind = OperatorVerdict::Kind;

size_t Count(const std::vector<OperatorVerdict>& verdicts, Kind kind) {
  return static_cast<size_t>(
      std::count_if(verdicts.begin(), verdicts.end(),
                    [kind](const OperatorVerdict& v) { return v.kind == kind; }));
}

const OperatorVerdict* First(const std::vector<OperatorVerdict>& verdicts, Kind kind) {
  const auto found = std::find_if(verdicts.begin(), verdicts.end(),
                                  [kind](const OperatorVerdict& v) { return v.kind == kind; });
  return found == verdicts.end() ? nullptr : &*found;
}

// An output that depends on an operator that failed has not been checked.
void FailOutput(const Graph& graph, const std::string& name,
                const std::vector<OperatorVerdict>& verdicts, OutputReport* output) {
  const std::vector<GraphOperator> needed = DownTo(graph, name).main().operators;
  for (const OperatorVerdict& verdict : verdicts) {
    if (verdict.kind != Kind::kFail) continue;
    const std::vector<std::string>& made = graph.main().operators[verdict.position].outputs;
    const bool on_the_way = std::any_of(needed.begin(), needed.end(),
                                        [&](const auto& op) { return op.outputs == made; });
    if (!on_the_way) continue;
    output->verdict = Verdict::kFail;
    output->message = StrCat("output ", output->name, " depends on ", verdict.op,
                             ", which breaks its bound: ", verdict.message);
    return;
  }
}

// Every operator was judged by its own rule: no element hangs on an enclosure any more, but one may
// be left undefined by the operator that made it.
void CountAllAsJudged(const Case& expected, const std::vector<OperatorVerdict>& verdicts,
                      CaseReport* report) {
  report->unchecked = false;
  report->silent = 0;
  report->message.clear();
  report->limits = {};
  for (size_t i = 0; i < report->outputs.size(); ++i) {
    OutputReport& output = report->outputs[i];
    int64_t undefined = output.limits.undefined;
    for (const OperatorVerdict& verdict : verdicts) {
      for (const OutputReport& made : verdict.outputs) {
        if (made.name == expected.outputs[i].name)
          undefined = std::max(undefined, made.limits.undefined);
      }
    }
    output.limits = {.elements = output.elements,
                     .limited = output.elements - undefined,
                     .undefined = undefined};
    report->limits.Add(output.limits);
  }
}

// The note says how much was checked; it is empty if the case failed.
std::string ApplyToCase(const Case& expected, const std::vector<OperatorVerdict>& verdicts,
                        CaseReport* report) {
  const auto of_all = StrCat(" of ", verdicts.size(), " operators");
  if (const OperatorVerdict* const failed = First(verdicts, Kind::kFail); failed != nullptr) {
    const std::string text =
        StrCat("the first operator to break its bound is ", failed->op, ": ", failed->message, "; ",
               Count(verdicts, Kind::kFail), of_all, " do");
    report->wrong_operator = expected.graph.main().operators[failed->position].op;
    // Where it passed, its message says only how little of it could be judged.
    const bool passed = report->verdict == Verdict::kPass;
    report->message =
        passed || report->message.empty() ? text : StrCat(report->message, "; ", text);
    // The operator has no disputed operand: whatever else the case asks, this is wrong.
    report->disputed.clear();
    if (passed || report->verdict == Verdict::kDisputed) report->verdict = Verdict::kFail;
    for (size_t i = 0; i < report->outputs.size(); ++i) {
      OutputReport& output = report->outputs[i];
      const bool said = output.rule.kind != RuleKind::kUnchecked && !output.rule.enclosure;
      if (said || output.verdict != Verdict::kPass) continue;
      FailOutput(expected.graph, expected.outputs[i].name, verdicts, &output);
    }
    return "";
  }
  const OperatorVerdict* reason = First(verdicts, Kind::kMissing);
  if (reason == nullptr) reason = First(verdicts, Kind::kNotJudged);
  if (reason == nullptr) {
    if (report->verdict == Verdict::kPass) CountAllAsJudged(expected, verdicts, report);
    return StrCat("all", of_all.substr(3), " were checked by what was handed over");
  }
  return StrCat(Count(verdicts, Kind::kPass), of_all, " were checked; not ", reason->op, ": ",
                reason->message);
}

StatusOr<std::vector<OperatorVerdict>> JudgeHandedOver(const Folder& handed, const Folder& results,
                                                       const std::string& id, const Case& c) {
  return JudgeOperators(c, [&](const GraphTensor& tensor, int execution) -> StatusOr<Tensor> {
    const auto& outputs = c.graph.main().outputs;
    StatusOr<Tensor> value = NotFound("");
    // The value of an output is the one in the results, even if another file has one.
    const bool output = Contains(outputs, tensor.name);
    if (!output) value = ReadHandedOver(handed, id, tensor, execution);
    if (!absl::IsNotFound(value.status())) return value;
    value = ReadHandedOver(results, id, tensor, execution);
    // The check has said what is wrong with it.
    return value.ok() || !output ? value : NotFound("");
  });
}

// Compares what operators and cases show of flushing. `operators` has one entry for each operator;
// its name is the case's id, ", " and words.
void FindMixedFlushingOfOperators(const std::vector<CaseReport>& operators, Report* report) {
  Report shown;
  shown.suite = report->suite;
  shown.cases = report->cases;
  shown.cases.insert(shown.cases.end(), operators.begin(), operators.end());
  FindChoices(&shown);
  // The operators show what the cases show by themselves.
  std::erase_if(report->findings, [](const Finding& f) {
    return f.kind == "mixed_flushing" || f.kind == kMovedNotComputed || f.kind == "mixed_choice";
  });
  for (Finding& finding : shown.findings) {
    for (std::string& id : finding.cases) id = id.substr(0, id.find(", "));
    finding.cases.erase(std::unique(finding.cases.begin(), finding.cases.end()),
                        finding.cases.end());
    report->findings.push_back(std::move(finding));
  }
  report->choices = std::move(shown.choices);
  for (std::string& note : shown.notes) {
    if (Contains(report->notes, note)) continue;
    report->notes.push_back(std::move(note));
  }
}

// The files in the folder of a case that are none of its tensors.
StatusOr<std::vector<std::string>> StrayFiles(const fs::path& directory, const Case& c) {
  std::set<std::string> known;
  for (const GraphTensor& tensor : c.graph.main().tensors) {
    for (int k = 0; k < c.executions(); ++k) known.insert(ResultName(tensor.name, k) + ".npy");
  }
  std::vector<std::string> stray;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (!name.starts_with('.') && !known.contains(name)) stray.push_back(std::move(name));
  }
  if (error) return Unavailable(directory.string(), ": cannot be read: ", error.message());
  std::sort(stray.begin(), stray.end());
  return stray;
}

StatusOr<std::string> NoteStrayFiles(const fs::path& directory, const std::string& id,
                                     const Case& c) {
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> stray, StrayFiles(directory / id, c));
  if (stray.empty()) return std::string();
  return StrCat(id, ": ", stray.size(), stray.size() == 1 ? " file" : " files", " of no tensor in ",
                (directory / id).string(), ", not read: ", FirstNames(stray),
                "; expected names as in case.json, <tensor>.npy");
}

}  // namespace

Status JudgeIntermediates(const fs::path& directory, Report* report) {
  CTS_ASSIGN_OR_RETURN(const Folder suite, Folder::Open(report->suite_path));
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(report->results_path));
  CTS_ASSIGN_OR_RETURN(const Folder handed, Folder::Open(directory));
  report->intermediates_path = directory;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> stray,
                       StrayDirectories(directory, report->suite));
  bool any = false;
  std::vector<CaseReport> operators;
  for (CaseReport& c : report->cases) {
    CTS_ASSIGN_OR_RETURN(const bool given, IsDirectory(directory / c.id));
    if (!given) continue;
    any = true;
    CTS_ASSIGN_OR_RETURN(const Case expected,
                         ReadVerifiedCase(suite, *report->suite.Find(c.id), report->suite.edition));
    CTS_ASSIGN_OR_RETURN(std::string strays, NoteStrayFiles(directory, c.id, expected));
    if (!strays.empty()) report->notes.push_back(std::move(strays));
    if (c.outcome != Outcome::kValid || c.answered != CaseStatus::kOk) continue;
    CTS_ASSIGN_OR_RETURN(const std::vector<OperatorVerdict> verdicts,
                         JudgeHandedOver(handed, results, c.id, expected));
    for (const OperatorVerdict& verdict : verdicts) {
      CaseReport& shows = operators.emplace_back();
      shows.id = StrCat(c.id, ", ", verdict.op);
      shows.outputs = verdict.outputs;
    }
    const std::string note = ApplyToCase(expected, verdicts, &c);
    if (!note.empty()) report->notes.push_back(StrCat(c.id, ": ", note));
  }
  if (!stray.empty()) {
    report->notes.push_back(StrCat(stray.size(), stray.size() == 1 ? " folder" : " folders",
                                   " of no case of this suite in ", directory.string(),
                                   ", not read: ", FirstNames(stray)));
  }
  FindUnchecked(report);
  FindMixedFlushingOfOperators(operators, report);
  if (any) return absl::OkStatus();
  return NotFound(directory.string(), ": found no folder of a case",
                  stray.empty() ? "" : StrCat(" but ", FirstNames(stray)),
                  ", expected intermediate results in <case id>/<tensor>.npy, such as ",
                  report->cases.empty() ? "networks/mine" : report->cases.front().id);
}

StatusOr<std::string> ExplainIntermediates(const fs::path& directory, const fs::path& results_path,
                                           bool full, CheckedCase* checked) {
  constexpr size_t kShown = 10;
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(results_path));
  CTS_ASSIGN_OR_RETURN(const Folder handed, Folder::Open(directory));
  CaseReport& report = checked->report;
  CTS_ASSIGN_OR_RETURN(const bool given, IsDirectory(directory / report.id));
  if (!given) {
    return NotFound((directory / report.id).string(), ": no such folder, expected the case's ",
                    "intermediate results in it, <tensor>.npy");
  }
  std::string text = StrCat("\nintermediate results in ", (directory / report.id).string(), "\n");
  CTS_ASSIGN_OR_RETURN(const std::string strays,
                       NoteStrayFiles(directory, report.id, checked->expected));
  if (!strays.empty()) text += StrCat("  ", Fold(strays, 4), "\n");
  if (report.outcome != Outcome::kValid || report.answered != CaseStatus::kOk) {
    return text + "  not judged: the case has no result\n";
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<OperatorVerdict> verdicts,
                       JudgeHandedOver(handed, results, report.id, checked->expected));
  ApplyToCase(checked->expected, verdicts, &report);
  text += StrCat("  ", verdicts.size(), " operators: ", Count(verdicts, Kind::kPass), " pass, ",
                 Count(verdicts, Kind::kFail), " fail, ", Count(verdicts, Kind::kMissing),
                 " were not handed over, ", Count(verdicts, Kind::kNotJudged), " not judged\n");
  size_t shown = 0;
  for (const OperatorVerdict& verdict : verdicts) {
    if (verdict.kind == Kind::kPass) continue;
    if (++shown > kShown) continue;
    const char* const words = verdict.kind == Kind::kFail ? "fails: " : "is not judged: ";
    text += StrCat("    ", Fold(StrCat(verdict.op, " ", words, verdict.message), 6), "\n");
  }
  if (shown > kShown) text += StrCat("    and ", shown - kShown, " more\n");
  const OperatorVerdict* const failed = First(verdicts, Kind::kFail);
  if (failed == nullptr) return text;
  text += StrCat("\nthe first operator to break its bound: ", failed->op, "\n");
  for (size_t k = 0; k < failed->failure->outputs.size(); ++k) {
    text += ExplainOutput(*failed->failure, k, OriginOf, full, WindowSetsOf);
  }
  return text;
}

}  // namespace cts
