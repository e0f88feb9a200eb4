#include "tools/program/audit/diagnose.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checker/judge/check_notes.h"
#include "checker/report/causes.h"
#include "checker/rules/match.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/base/parallel_for.h"
#include "reference/evaluate/native.h"
#include "reference/faults/catalogue.h"
#include "reference/faults/right_answers.h"
#include "reference/faults/symbolic.h"
#include "reference/graph/graph.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/audit/diagnose_part.h"

namespace cts {
namespace {

// One case of an operator, as the implementation answered it.
struct Answered {
  const CaseReport* report = nullptr;
  CheckedCase checked;
  // The elements that the rule refuses, output by output.
  std::vector<std::vector<int64_t>> wrong;
  // For a symbolic program: the shapes of the outputs that have a wrong shape.
  std::vector<std::optional<Shape>> shapes;
};

bool IsFailing(Verdict verdict) {
  return verdict == Verdict::kFail || verdict == Verdict::kWrongOutcome;
}

// The same value; of NaN there is one.
bool Same(const Tensor& a, const Tensor& b, int64_t i) {
  if (a.Bits(i) == b.Bits(i)) return true;
  return IsFloat(a.dtype()) && a.Element(i) != a.Element(i) && b.Element(i) != b.Element(i);
}

void FindWrongElements(Answered* answered) {
  const CheckedCase& checked = answered->checked;
  for (size_t k = 0; k < checked.outputs.size(); ++k) {
    std::vector<int64_t>& wrong = answered->wrong.emplace_back();
    const ExpectedOutput& expected = checked.expected.outputs[k];
    const auto& [result, answer] = checked.outputs[k];
    if (!result || expected.answers.empty()) continue;
    const ElementJudge judge(expected, expected.answers[answer], *result);
    for (int64_t i = 0; i < result->size(); ++i) {
      if (!judge.Accepts(i)) wrong.push_back(i);
    }
    // Only the tensor as a whole is wrong: bias or variance, or a mixture of two answers.
    if (wrong.empty() && checked.report.outputs[k].verdict == Verdict::kFail) {
      for (int64_t i = 0; i < result->size(); ++i) wrong.push_back(i);
    }
  }
}

// In a static graph no fault makes other shapes; with symbols it may.
void FindWrongShapes(const Folder& results, Answered* answered) {
  const CheckedCase& checked = answered->checked;
  answered->shapes.resize(checked.outputs.size());
  if (!IsSymbolic(checked.expected.graph)) return;
  for (size_t k = 0; k < checked.outputs.size(); ++k) {
    const ExpectedOutput& output = checked.expected.outputs[k];
    if (checked.report.outputs[k].verdict != Verdict::kMalformed) continue;
    const StatusOr<std::string> bytes = results.Read(
        StrCat(checked.expected.id, "/", ResultName(output), ".npy"), MaxNpyBytes(kMaxElements));
    if (!bytes.ok()) continue;
    const StatusOr<Shape> shape = DecodeNpyShape(*bytes);
    if (!shape.ok() || *shape == output.shape) continue;
    // Nothing else is wrong with the file.
    if (DecodeNpy(*bytes, output.dtype, *shape).ok()) answered->shapes[k] = *shape;
  }
}

// The result of a case with the fault; nothing if its execution fails.
std::vector<NativeResult> Execute(const Fault& fault, const Case& c) {
  const Edition& edition = **FindEdition(c.edition);
  const Level* const level = edition.FindLevel(c.level);
  if (level == nullptr) return {};
  auto results = ExecuteFaulty(fault, c.graph, c.InputsOfExecutions(), edition, *level);
  return results.ok() ? std::move(*results) : std::vector<NativeResult>();
}

// The outcome of all executions: valid only if each is.
Outcome OutcomeOf(const std::vector<NativeResult>& results) {
  for (const NativeResult& result : results) {
    if (result.outcome != Outcome::kValid) return result.outcome;
  }
  return Outcome::kValid;
}

const Tensor* Find(const std::vector<NativeResult>& results, const ExpectedOutput& output,
                   const Shape& shape) {
  const auto execution = static_cast<size_t>(output.execution);
  if (execution >= results.size()) return nullptr;
  const auto found = results[execution].outputs.find(output.name);
  if (found == results[execution].outputs.end()) return nullptr;
  const Tensor& tensor = found->second;
  return tensor.dtype() == output.dtype && tensor.shape() == shape ? &tensor : nullptr;
}

// Whether some answer accepts an element.
bool IsRight(const ExpectedOutput& output, const Tensor& made, int64_t i) {
  return std::any_of(output.answers.begin(), output.answers.end(), [&](const Answer& answer) {
    return ElementJudge(output, answer, made).Accepts(i);
  });
}

// If the fault reproduces a failing case, all of its wrong elements and no others: their number, or
// 0 for a wrong outcome or shape. Otherwise nullopt.
std::optional<uint64_t> Reproduces(const Fault& fault, const Answered& answered) {
  const Case& c = answered.checked.expected;
  const std::vector<NativeResult> results = Execute(fault, c);
  if (results.empty()) return std::nullopt;
  const Outcome outcome = OutcomeOf(results);
  if (answered.report->verdict == Verdict::kWrongOutcome) {
    const bool refused = answered.report->answered == CaseStatus::kError;
    const bool same = c.outcome == Outcome::kError ? !refused && outcome == Outcome::kUnpredictable
                                                   : refused && outcome == Outcome::kError;
    return same ? std::optional<uint64_t>(0) : std::nullopt;
  }
  if (outcome != Outcome::kValid) return std::nullopt;
  uint64_t elements = 0;
  bool of_shapes = false;
  for (size_t k = 0; k < c.outputs.size(); ++k) {
    const ExpectedOutput& output = c.outputs[k];
    if (const std::optional<Shape>& shape = answered.shapes[k]; shape) {
      if (Find(results, output, *shape) == nullptr) return std::nullopt;
      of_shapes = true;
      continue;
    }
    if (output.answers.empty()) continue;
    const Tensor* const made = Find(results, output, output.shape);
    const std::optional<Tensor>& got = answered.checked.outputs[k].result;
    if (made == nullptr || !got) return std::nullopt;
    size_t wrong = 0;
    for (int64_t i = 0; i < got->size(); ++i) {
      const bool is_wrong = wrong < answered.wrong[k].size() && answered.wrong[k][wrong] == i;
      wrong += is_wrong ? 1 : 0;
      if (Same(*made, *got, i)) continue;
      // An implementation with the fault would have that element wrong, too.
      if (is_wrong || !IsRight(output, *made, i)) return std::nullopt;
    }
    elements += wrong;
  }
  return elements > 0 || of_shapes ? std::optional<uint64_t>(elements) : std::nullopt;
}

// Whether the fault would have failed a case that the implementation passed.
bool Contradicts(const Fault& fault, const Answered& answered) {
  const Case& c = answered.checked.expected;
  const std::vector<NativeResult> results = Execute(fault, c);
  const Outcome outcome = OutcomeOf(results);
  if (c.outcome == Outcome::kError) return outcome != Outcome::kError;
  if (results.empty() || outcome != Outcome::kValid) return true;
  for (const ExpectedOutput& output : c.outputs) {
    const Tensor* const made = Find(results, output, output.shape);
    if (made == nullptr || JudgeTensor(output, *made).verdict != Verdict::kPass) return true;
  }
  return false;
}

// The operators of all blocks that compute something; empty if they are more than a few: such a
// graph takes long, and `shrink` cuts it.
std::set<std::string> OperatorsOf(const Graph& graph) {
  constexpr size_t kMost = 24;
  std::set<std::string> names;
  size_t count = 0;
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphOperator& op : block.operators) {
        if (IsConstant(op.op)) continue;
        names.insert(op.op);
        ++count;
      }
    }
  }
  return count > kMost ? std::set<std::string>() : names;
}

// Whether an operator may have the fault where it stands among others: it computes wrongly, in one
// execution, and in more than one shape.
bool IsOfAnyGraph(const Fault& fault) {
  return !fault.IsOfConditions() && fault.source != FaultSource::kState &&
         fault.source != FaultSource::kShape;
}

// Whether the fault could touch a case: its operator and type row; of error cases, the condition.
bool CouldTouch(const Fault& fault, const Case& c, const Edition& edition) {
  if (FindSymbolicFault(edition, fault.id) == &fault) {
    if (c.outcome == Outcome::kError) return fault.Missed() == c.condition;
    const std::vector<GraphOperator>& operators = c.graph.main().operators;
    return fault.As<GraphRewrite>() != nullptr && IsSymbolic(c.graph) &&
           std::any_of(operators.begin(), operators.end(),
                       [&](const GraphOperator& found) { return found.op == fault.op; });
  }
  if (fault.op != c.op) {
    return c.outcome == Outcome::kValid && IsOfAnyGraph(fault) &&
           OperatorsOf(c.graph).contains(fault.op);
  }
  if (c.outcome == Outcome::kError) {
    const auto* const shifted = fault.As<ShiftedBound>();
    return fault.Missed() == c.condition ||
           (shifted != nullptr && shifted->condition == c.condition);
  }
  if (fault.IsOfConditions() || fault.touches == nullptr) return fault.Missed().empty();
  for (const TypeRow& row : edition.FindOperator(c.op)->type_rows) {
    if (row.mode == c.mode) return fault.touches(row);
  }
  return false;
}

StatusOr<Answered> ReadAnswered(const Report& report, const CaseReport& c) {
  CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry,
                       FindCase(report.suite, c.id, report.suite_path));
  Answered answered{.report = &c};
  CTS_ASSIGN_OR_RETURN(answered.checked, CheckCase(report.suite_path, *entry, report.suite.edition,
                                                   report.results_path));
  FindWrongElements(&answered);
  CTS_ASSIGN_OR_RETURN(const Folder results, Folder::Open(report.results_path));
  FindWrongShapes(results, &answered);
  return answered;
}

// The cases of an operator that fail in a way that a fault may explain.
StatusOr<std::vector<const CaseReport*>> FailingOf(const Report& report, const std::string& op) {
  std::vector<const CaseReport*> failing;
  for (const CaseReport& c : report.cases) {
    if (c.op != op) continue;
    bool fails = IsFailing(c.verdict);
    if (c.verdict == Verdict::kMalformed && c.answered == CaseStatus::kOk) {
      CTS_ASSIGN_OR_RETURN(const Answered answered, ReadAnswered(report, c));
      // Malformed outputs here differ only in shape.
      fails = !answered.shapes.empty();
      for (size_t k = 0; k < answered.shapes.size(); ++k) {
        const Verdict verdict = answered.checked.report.outputs[k].verdict;
        fails = fails && verdict != Verdict::kMissing &&
                (verdict != Verdict::kMalformed || answered.shapes[k]);
      }
    }
    if (fails) failing.push_back(&c);
  }
  return failing;
}

// Counts the cases that were tried, by any thread.
class TriedCases {
 public:
  TriedCases(const std::function<void(size_t, size_t)>& tell, size_t total)
      : tell_(tell), total_(total) {}

  void AddOne() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++done_;
    if (tell_) tell_(done_, total_);
  }
  // The cases of an operator are done, tried or not.
  void AddRestOf(size_t cases) {
    const std::lock_guard<std::mutex> lock(mutex_);
    operators_ += cases;
    done_ = operators_;
    if (tell_) tell_(done_, total_);
  }

 private:
  const std::function<void(size_t, size_t)>& tell_;
  const size_t total_;
  std::mutex mutex_;
  size_t done_ = 0, operators_ = 0;
};

// `most` of them, evenly taken.
template <class T>
std::vector<T> Sample(const std::vector<T>& all, uint64_t most) {
  if (all.size() <= most) return all;
  std::vector<T> some;
  for (uint64_t k = 0; k < most; ++k) some.push_back(all[k * all.size() / most]);
  return some;
}

bool Explains(const std::vector<TriedCase>& tried) {
  return std::any_of(tried.begin(), tried.end(),
                     [](const TriedCase& one) { return one.elements.has_value(); });
}

// Threads try cases in no fixed order.
void SortById(std::vector<TriedCase>* tried) {
  std::sort(tried->begin(), tried->end(),
            [](const TriedCase& a, const TriedCase& b) { return a.id < b.id; });
}

// The faults of an operator, and of the others that its graphs have, tried on its cases. Scouts are
// a few failing cases of each type row and condition. A fault that reproduces a scout, or a case
// that no other fault explains, is tried on all failing cases and compared with the passing ones.
// Other cases that it would reproduce have another explanation. A fault of another operator is
// tried on the cases that no fault of the operator itself explains.
class Trials {
 public:
  // The first `own` faults are those of the operator itself.
  Trials(const Report& report, const Edition& edition, const std::vector<const Fault*>& faults,
         size_t own, const std::vector<const CaseReport*>& failing,
         std::vector<const CaseReport*> passing, const ParallelOptions& parallel,
         TriedCases* progress)
      : report_(report),
        edition_(edition),
        faults_(faults),
        own_(own),
        failing_(failing),
        passing_(std::move(passing)),
        parallel_(parallel),
        progress_(progress),
        begun_(failing.size()),
        tried_(faults.size()),
        done_(faults.size(), std::vector<bool>(failing.size())),
        compared_(faults.size()) {}

  Status Run() {
    std::map<std::pair<std::string, std::string>, std::vector<size_t>> rows;
    for (size_t k = 0; k < failing_.size(); ++k) {
      rows[{failing_[k]->mode, failing_[k]->condition}].push_back(k);
    }
    std::vector<bool> scout(failing_.size());
    for (auto& [row, cases] : rows) {
      // The half with the fewest elements: large cases take long, and show no more.
      std::stable_sort(cases.begin(), cases.end(),
                       [this](size_t a, size_t b) { return Elements(a) < Elements(b); });
      cases.resize(std::max<size_t>((cases.size() + 1) / 2, std::min(cases.size(), kScouts)));
      for (const size_t k : Sample(cases, kScouts)) scout[k] = true;
    }
    CTS_RETURN_IF_ERROR(Try([&](size_t f, size_t k) { return f < own_ && scout[k]; }));
    CTS_RETURN_IF_ERROR(TryCandidates());
    std::vector<bool> explained = Explained();
    CTS_RETURN_IF_ERROR(Try([&](size_t f, size_t k) { return f < own_ && !explained[k]; }));
    CTS_RETURN_IF_ERROR(TryCandidates());
    if (own_ == faults_.size()) return absl::OkStatus();
    explained = Explained();
    CTS_RETURN_IF_ERROR(Try([&](size_t, size_t k) { return !explained[k]; }));
    return TryCandidates();
  }

  // By fault.
  std::vector<std::vector<TriedCase>> tried() && { return std::move(tried_); }

  // The number of scouts of each type row and condition.
  static constexpr size_t kScouts = 8;

  int64_t Elements(size_t k) const {
    int64_t elements = 0;
    for (const OutputReport& output : failing_[k]->outputs) elements += output.elements;
    return elements;
  }

  // Faults that reproduce something, on all cases.
  Status TryCandidates() {
    std::vector<bool> candidate;
    for (const std::vector<TriedCase>& tried : tried_) candidate.push_back(Explains(tried));
    CTS_RETURN_IF_ERROR(Try([&](size_t f, size_t) { return candidate[f]; }));
    std::vector<size_t> fresh;
    for (size_t f = 0; f < faults_.size(); ++f) {
      if (candidate[f] && !compared_[f]) fresh.push_back(f);
    }
    for (const size_t f : fresh) compared_[f] = true;
    if (fresh.empty()) return absl::OkStatus();
    const bool first = !std::exchange(has_compared_, true);
    return ParallelFor(passing_.size(), parallel_, [&](size_t k) {
      CTS_RETURN_IF_ERROR(Compare(*passing_[k], fresh));
      if (first) progress_->AddOne();
      return absl::OkStatus();
    });
  }

  // The failing cases that some fault explains where it fits best.
  std::vector<bool> Explained() {
    std::set<std::string> ids;
    for (std::vector<TriedCase>& tried : tried_) {
      if (!Explains(tried)) continue;
      SortById(&tried);
      const std::optional<PartCounts> best = BestPart(tried);
      if (!best) continue;
      for (const TriedCase& c : tried) {
        if (c.elements && IsOf(best->part, c)) ids.insert(c.id);
      }
    }
    std::vector<bool> explained;
    for (const CaseReport* const c : failing_) explained.push_back(ids.contains(c->id));
    return explained;
  }

  // Tries a fault on a failing case where `wants` it and it was not tried.
  template <class Wants>
  Status Try(const Wants& wants) {
    std::vector<std::pair<size_t, std::vector<size_t>>> work;  // a case with faults
    for (size_t k = 0; k < failing_.size(); ++k) {
      std::vector<size_t> faults;
      for (size_t f = 0; f < faults_.size(); ++f) {
        if (done_[f][k] || !wants(f, k)) continue;
        done_[f][k] = true;
        faults.push_back(f);
      }
      if (!faults.empty()) work.emplace_back(k, std::move(faults));
    }
    return ParallelFor(work.size(), parallel_, [&](size_t w) {
      const auto& [k, of_case] = work[w];
      CTS_RETURN_IF_ERROR(TryCase(*failing_[k], of_case));
      // No two items are of one case.
      if (begun_[k] == 0) progress_->AddOne();
      begun_[k] = 1;
      return absl::OkStatus();
    });
  }

  Status TryCase(const CaseReport& failing, const std::vector<size_t>& faults) {
    CTS_ASSIGN_OR_RETURN(const Answered answered, ReadAnswered(report_, failing));
    const Case& c = answered.checked.expected;
    const RightAnswers right;
    for (const size_t f : faults) {
      if (!CouldTouch(*faults_[f], c, edition_)) continue;
      Add(f, {.id = c.id,
              .features = FeaturesOf(c),
              .failing = true,
              .elements = Reproduces(*faults_[f], answered)});
    }
    return absl::OkStatus();
  }

  Status Compare(const CaseReport& passing, const std::vector<size_t>& faults) {
    CTS_ASSIGN_OR_RETURN(const Answered answered, ReadAnswered(report_, passing));
    const Case& c = answered.checked.expected;
    const RightAnswers right;
    for (const size_t f : faults) {
      if (!CouldTouch(*faults_[f], c, edition_)) continue;
      Add(f, {.id = c.id,
              .features = FeaturesOf(c),
              .contradicts = Contradicts(*faults_[f], answered)});
    }
    return absl::OkStatus();
  }

  void Add(size_t fault, TriedCase one) {
    const std::lock_guard<std::mutex> lock(mutex_);
    tried_[fault].push_back(std::move(one));
  }

  const Report& report_;
  const Edition& edition_;
  const std::vector<const Fault*>& faults_;
  const size_t own_;
  const std::vector<const CaseReport*>& failing_;
  const std::vector<const CaseReport*> passing_;
  const ParallelOptions parallel_;
  TriedCases* const progress_;
  std::vector<char> begun_;  // by failing case
  bool has_compared_ = false;
  std::mutex mutex_;  // of tried_
  std::vector<std::vector<TriedCase>> tried_;
  std::vector<std::vector<bool>> done_;  // by fault and failing case
  std::vector<bool> compared_;           // with the passing cases
};

// The cases of an operator.
struct CasesOf {
  std::vector<const CaseReport*> all_failing;
  // The judged ones, and the ones of them that will be tried.
  std::vector<const CaseReport*> failing, passing, tried_passing;

  size_t Tried() const { return failing.size() + tried_passing.size(); }
};

CasesOf CasesOfOperator(const Report& report, const std::string& op,
                        std::vector<const CaseReport*> failing, const DiagnoseOptions& options) {
  CasesOf cases{.all_failing = std::move(failing)};
  std::copy_if(cases.all_failing.begin(), cases.all_failing.end(),
               std::back_inserter(cases.failing),
               [](const CaseReport* c) { return !c->unchecked; });
  for (const CaseReport& c : report.cases) {
    if (c.op == op && !c.unchecked && c.verdict == Verdict::kPass) cases.passing.push_back(&c);
  }
  cases.failing = Sample(cases.failing, options.most_failing);
  cases.tried_passing = Sample(cases.passing, options.most_passing);
  return cases;
}

// The most cases whose wrong elements are looked at for what they have in common.
constexpr uint64_t kMostInCommon = 24;

// What the wrong elements of cases have in common that no fault explains.
StatusOr<std::vector<std::string>> InCommonOf(const Report& report,
                                              std::vector<const CaseReport*> unexplained,
                                              const ParallelOptions& parallel) {
  std::erase_if(unexplained, [](const CaseReport* c) { return c->verdict != Verdict::kFail; });
  unexplained = Sample(unexplained, kMostInCommon);
  std::vector<CaseRemarks> remarks(unexplained.size());
  const Status looked = ParallelFor(unexplained.size(), parallel, [&](size_t k) -> Status {
    CTS_ASSIGN_OR_RETURN(const Answered answered, ReadAnswered(report, *unexplained[k]));
    const CheckedCase& checked = answered.checked;
    remarks[k].id = checked.expected.id;
    for (size_t i = 0; i < checked.outputs.size(); ++i) {
      if (answered.wrong[i].empty()) continue;
      const ExpectedOutput& output = checked.expected.outputs[i];
      const std::vector<std::string> words =
          InCommon(checked.expected, output, output.answers[checked.outputs[i].answer],
                   *checked.outputs[i].result, answered.wrong[i]);
      remarks[k].words.insert(remarks[k].words.end(), words.begin(), words.end());
    }
    return absl::OkStatus();
  });
  CTS_RETURN_IF_ERROR(looked);
  return MostFrequent(remarks);
}

// The operators besides `op` in the graphs of its failing legal cases.
StatusOr<std::set<std::string>> OthersOf(const Report& report, const std::string& op,
                                         const std::vector<const CaseReport*>& failing) {
  std::set<std::string> others;
  for (const CaseReport* const c : failing) {
    if (OnIllegalGraph(*c)) continue;
    CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry,
                         FindCase(report.suite, c->id, report.suite_path));
    CTS_ASSIGN_OR_RETURN(
        const CheckedCase checked,
        CheckCase(report.suite_path, *entry, report.suite.edition, report.results_path));
    if (!IsSymbolic(checked.expected.graph)) others.merge(OperatorsOf(checked.expected.graph));
  }
  others.erase(op);
  return others;
}

StatusOr<OperatorDiagnosis> DiagnoseOperator(const Report& report, const std::string& op,
                                             const CasesOf& cases, const Edition& edition,
                                             const DiagnoseOptions& options, TriedCases* progress) {
  const std::vector<const CaseReport*>& failing = cases.failing;
  OperatorDiagnosis diagnosis{
      .op = op, .failing = cases.all_failing.size(), .tried = failing.size()};
  std::vector<const Fault*> faults;
  for (const Fault& fault : FaultsOf(edition)) {
    if (fault.op == op) faults.push_back(&fault);
  }
  // A case with symbols may go wrong before it has the operator.
  for (const Fault& fault : SymbolicFaultsOf(edition)) faults.push_back(&fault);
  const size_t own = faults.size();
  CTS_ASSIGN_OR_RETURN(const std::set<std::string> others, OthersOf(report, op, failing));
  for (const Fault& fault : FaultsOf(edition)) {
    if (others.contains(fault.op) && IsOfAnyGraph(fault)) faults.push_back(&fault);
  }

  const ParallelOptions parallel{.jobs = options.jobs, .stop = options.stop};
  Trials trials(report, edition, faults, own, failing, cases.tried_passing, parallel, progress);
  CTS_RETURN_IF_ERROR(trials.Run());
  std::vector<std::vector<TriedCase>> tried = std::move(trials).tried();
  std::vector<size_t> candidates;
  for (size_t f = 0; f < faults.size(); ++f) {
    if (Explains(tried[f])) candidates.push_back(f);
  }
  std::set<std::string> explained, illegal;
  for (const CaseReport* const c : failing) {
    if (OnIllegalGraph(*c)) illegal.insert(c->id);
  }
  for (const size_t f : candidates) {
    SortById(&tried[f]);
    std::optional<PartCounts> best = BestPart(tried[f]);
    if (!best) continue;
    Diagnosis one{.fault = faults[f],
                  .part = std::move(best->part),
                  .cases = best->cases,
                  .of_cases = best->of_cases,
                  .elements = best->elements,
                  .contradicted = best->contradicted,
                  .of_passing = best->of_passing};
    one.illegal = true;
    for (const TriedCase& c : tried[f]) {
      if (!c.elements || !IsOf(one.part, c)) continue;
      one.illegal = one.illegal && illegal.contains(c.id);
      explained.insert(c.id);
      if (one.first.size() < 3) one.first.push_back(c.id);
    }
    const auto first = std::find_if(failing.begin(), failing.end(), [&](const CaseReport* c) {
      return c->id == one.first.front();
    });
    one.meaning = (*first)->meaning;
    diagnosis.faults.push_back(std::move(one));
  }
  diagnosis.explained = explained.size();
  std::vector<const CaseReport*> unexplained = failing;
  std::erase_if(unexplained, [&](const CaseReport* c) { return explained.contains(c->id); });
  CTS_ASSIGN_OR_RETURN(diagnosis.in_common, InCommonOf(report, std::move(unexplained), parallel));
  // The faults of legal graphs come first, and of these those that most cases support and fewest
  // contradict; then the order of the catalogue.
  std::stable_sort(
      diagnosis.faults.begin(), diagnosis.faults.end(), [](const Diagnosis& a, const Diagnosis& b) {
        if (a.illegal != b.illegal) return b.illegal;
        const uint64_t of_a = a.cases - a.contradicted, of_b = b.cases - b.contradicted;
        if (of_a != of_b) return of_a > of_b;
        return a.contradicted < b.contradicted;
      });
  CTS_ASSIGN_OR_RETURN(diagnosis.accumulator,
                       DiagnoseAccumulator(report, failing, cases.passing,
                                           {.jobs = options.jobs, .stop = options.stop}));
  return diagnosis;
}

}  // namespace

StatusOr<std::vector<OperatorDiagnosis>> Diagnose(const Report& report,
                                                  const DiagnoseOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(report.suite.edition));
  std::map<std::string, std::vector<const CaseReport*>> operators;
  for (const CaseReport& c : report.cases) operators[c.op];
  for (auto& [op, failing] : operators) {
    CTS_ASSIGN_OR_RETURN(failing, FailingOf(report, op));
  }
  std::erase_if(operators, [](const auto& entry) { return entry.second.empty(); });
  std::vector<std::pair<std::string, CasesOf>> known;
  std::vector<OperatorDiagnosis> diagnoses;
  size_t total = 0;
  for (auto& [op, failing] : operators) {
    if (edition->FindOperator(op) == nullptr) {
      diagnoses.push_back({.op = op, .failing = failing.size()});
      continue;
    }
    known.emplace_back(op, CasesOfOperator(report, op, std::move(failing), options));
    total += known.back().second.Tried();
  }
  TriedCases progress(options.progress, total);
  for (const auto& [op, cases] : known) {
    CTS_ASSIGN_OR_RETURN(diagnoses.emplace_back(),
                         DiagnoseOperator(report, op, cases, *edition, options, &progress));
    progress.AddRestOf(cases.Tried());
  }
  std::map<std::string, size_t> places;  // of an operator's gravest failure
  for (const CaseReport* c : FailuresByCause(report)) places.emplace(c->op, places.size());
  std::stable_sort(diagnoses.begin(), diagnoses.end(),
                   [&](const OperatorDiagnosis& a, const OperatorDiagnosis& b) {
                     return places.at(a.op) < places.at(b.op);
                   });
  return diagnoses;
}

StatusOr<std::vector<OperatorDiagnosis>> Diagnose(const DiagnoseOptions& options) {
  CheckOptions check{.suite = options.suite,
                     .results = options.results,
                     .jobs = options.jobs,
                     .progress = options.check_progress,
                     .stop = options.stop,
                     .meaning = MeaningOf};
  CTS_ASSIGN_OR_RETURN(const Report report, CheckSuite(check));
  return Diagnose(report, options);
}

namespace {

// The faults that have as many cases for and against them as the best.
std::vector<std::string> AsGood(const OperatorDiagnosis& of) {
  const Diagnosis& best = of.faults.front();
  std::vector<std::string> ids;
  for (size_t k = 1; k < of.faults.size(); ++k) {
    const Diagnosis& other = of.faults[k];
    if (other.illegal != best.illegal || other.cases != best.cases ||
        other.contradicted != best.contradicted) {
      break;
    }
    ids.push_back(other.fault->id);
  }
  return ids;
}

}  // namespace

std::vector<std::string> NotesOf(const std::vector<OperatorDiagnosis>& diagnoses) {
  std::vector<std::string> notes;
  for (const OperatorDiagnosis& of : diagnoses) {
    if (of.accumulator && !of.accumulator->factor) {
      notes.push_back(StrCat(of.op, ": ", AccumulatorText(*of.accumulator)));
    }
    if (of.faults.empty()) continue;
    const Diagnosis& best = of.faults.front();
    const bool all = best.cases == of.tried && best.contradicted == 0;
    std::string note = StrCat(of.op,
                              all              ? " answers"
                              : best.IsGuess() ? " may answer, as a guess,"
                                               : " answers in some cases",
                              " as fault ", best.fault->id, " would (", best.fault->sentence,
                              "): ", Evidence(best));
    if (const std::vector<std::string> alike = AsGood(of); !alike.empty()) {
      note += StrCat("; ", alike.size(), " other", alike.size() == 1 ? "" : "s",
                     " just as well: ", FirstNames(alike));
    }
    notes.push_back(std::move(note));
  }
  return notes;
}

std::string Evidence(const Diagnosis& diagnosis) {
  const std::string elements =
      diagnosis.elements == 0 ? "" : StrCat(", all ", diagnosis.elements, " wrong elements");
  std::string where;
  for (const std::string& feature : diagnosis.part) {
    where += (where.empty() ? "" : ", ") + feature;
  }
  if (!where.empty()) where = StrCat("for ", where, " alone: ");
  return StrCat(where, diagnosis.cases, " of ", diagnosis.of_cases, " failing cases", elements,
                "; contradicted by ", diagnosis.contradicted, " of ", diagnosis.of_passing,
                " passing cases");
}

Json DiagnosisToJson(const std::vector<OperatorDiagnosis>& diagnoses) {
  Json json = {{"format", "tensor-cts-diagnosis-1"}, {"operators", Json::array()}};
  for (const OperatorDiagnosis& of : diagnoses) {
    Json entry = {{"operator", of.op},
                  {"failing", of.failing},
                  {"tried", of.tried},
                  {"explained", of.explained},
                  {"faults", Json::array()}};
    for (const Diagnosis& one : of.faults) {
      entry["faults"].push_back({{"fault", one.fault->id},
                                 {"sentence", one.fault->sentence},
                                 {"clause", one.fault->clause},
                                 {"cases", one.cases},
                                 {"of_cases", one.of_cases},
                                 {"first", one.first},
                                 {"elements", one.elements},
                                 {"contradicted", one.contradicted},
                                 {"of_passing", one.of_passing}});
      if (one.IsGuess()) entry["faults"].back()["guess"] = true;
      if (!one.part.empty()) entry["faults"].back()["part"] = one.part;
      if (!one.fault->report.empty()) entry["faults"].back()["report"] = one.fault->report;
      if (!one.meaning.empty()) entry["faults"].back()["meaning"] = one.meaning;
    }
    if (!of.in_common.empty()) entry["in_common"] = of.in_common;
    if (of.accumulator) entry["accumulator"] = AccumulatorToJson(*of.accumulator);
    json["operators"].push_back(std::move(entry));
  }
  return json;
}

namespace {

// Whether a fault is that illegal graphs are accepted, for all that passing cases say.
bool IsAcceptance(const Diagnosis& one) {
  return one.illegal && !one.IsGuess() && one.part.empty() && !one.fault->Missed().empty();
}

std::string FormatFault(const Diagnosis& one) {
  return StrCat("  ", one.IsGuess() ? "a guess, which passing cases contradict: " : "",
                one.fault->id, ": ", one.fault->sentence, "\n    ", Evidence(one), "\n    ",
                one.fault->clause, one.fault->report.empty() ? "" : "; reported as ",
                one.fault->report, "\n    first: ", one.first.front(),
                one.meaning.empty() ? "" : ": ", one.meaning, "\n");
}

// Whether illegal graphs are accepted that a fault of FormatAcceptances explains as well.
bool IsPartOfAcceptance(const Diagnosis& one, const OperatorDiagnosis& of) {
  const auto* const shifted = one.fault->As<ShiftedBound>();
  return one.illegal && shifted != nullptr &&
         std::any_of(of.faults.begin(), of.faults.end(), [&](const Diagnosis& other) {
           return IsAcceptance(other) && other.fault->Missed() == shifted->condition &&
                  other.cases >= one.cases;
         });
}

// An operator with everything but illegal graphs that it accepts; empty if it has nothing else.
std::string FormatOperator(const OperatorDiagnosis& of) {
  constexpr size_t kShown = 5;
  std::vector<const Diagnosis*> faults;
  uint64_t accepted = 0;
  for (const Diagnosis& one : of.faults) {
    if (IsAcceptance(one)) {
      accepted += one.cases;
    } else if (!IsPartOfAcceptance(one, of)) {
      faults.push_back(&one);
    }
  }
  if (faults.empty() && accepted == of.failing) return "";
  std::string text = StrCat(of.op, ": ", of.failing, " failing, ");
  if (of.tried < of.failing) text += StrCat(of.tried, " tried, ");
  text += StrCat(of.explained, " explained");
  if (accepted > 0) {
    text += StrCat("; it accepts ", accepted, accepted == 1 ? " illegal graph" : " illegal graphs",
                   ", which are listed below");
  }
  text += "\n";
  if (of.tried == 0) text += "  no single operator's: shrink may cut a case to one\n";
  if (of.accumulator) text += StrCat("  accumulator: ", AccumulatorText(*of.accumulator), "\n");
  for (size_t k = 0; k < std::min(kShown, faults.size()); ++k) text += FormatFault(*faults[k]);
  if (faults.size() > kShown) text += StrCat("  and ", faults.size() - kShown, " more\n");
  if (!of.in_common.empty()) {
    text += StrCat("  what the wrong elements have in common that no fault explains, by cases (",
                   kMostInCommon, " at most):\n");
  }
  for (const std::string& words : of.in_common) text += StrCat("    ", words, "\n");
  return text;
}

// The illegal graphs that are accepted, by condition: the one that most operators do not check
// comes first.
std::string FormatAcceptances(const std::vector<OperatorDiagnosis>& diagnoses) {
  struct Accepted {
    std::string_view condition;
    const Diagnosis* first = nullptr;
    std::string operators;  // with the number of cases of each
    size_t count = 0;       // of operators
    uint64_t cases = 0;
  };
  std::vector<Accepted> all;
  for (const OperatorDiagnosis& of : diagnoses) {
    for (const Diagnosis& one : of.faults) {
      if (!IsAcceptance(one)) continue;
      const std::string_view condition = one.fault->Missed();
      auto found = std::find_if(all.begin(), all.end(), [&](const Accepted& known) {
        return known.condition == condition;
      });
      if (found == all.end()) found = all.insert(all.end(), {condition, &one});
      found->operators += StrCat(found->count == 0 ? "" : ", ", of.op, " ", one.cases);
      ++found->count;
      found->cases += one.cases;
    }
  }
  if (all.empty()) return "";
  std::stable_sort(all.begin(), all.end(), [](const Accepted& a, const Accepted& b) {
    return std::pair(a.count, a.cases) > std::pair(b.count, b.cases);
  });
  std::string text = "illegal graphs that are accepted, by the condition that they break:\n";
  for (const Accepted& one : all) {
    text +=
        StrCat("  ", one.condition, ": ", one.first->fault->sentence, "\n    ",
               Fold(StrCat(one.cases, one.cases == 1 ? " case: " : " cases: ", one.operators), 4),
               "\n    first: ", one.first->first.front(), one.first->meaning.empty() ? "" : ": ",
               one.first->meaning, "\n");
  }
  return text;
}

}  // namespace

std::string FormatDiagnosis(const std::vector<OperatorDiagnosis>& diagnoses) {
  std::string text;
  uint64_t failing = 0, tried = 0, explained = 0;
  for (const OperatorDiagnosis& of : diagnoses) {
    failing += of.failing;
    tried += of.tried;
    explained += of.explained;
    text += FormatOperator(of);
  }
  text += FormatAcceptances(diagnoses);
  text += StrCat(diagnoses.empty() ? "" : "\n", explained, " of ", failing,
                 " cases with a wrong value or outcome are explained by some fault");
  if (tried < failing) text += StrCat(" (", failing - tried, " were not tried)");
  text += "\n";
  return text;
}

}  // namespace cts
