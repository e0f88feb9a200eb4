#include "tools/program/shrink/search.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "reference/base/contains.h"
#include "reference/bundle/bundle.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/evaluate/trace.h"
#include "reference/graph/call.h"
#include "reference/graph/symbols.h"
#include "tools/program/shrink/case_edits.h"
#include "tools/program/shrink/failure_kind.h"

namespace cts {
namespace {

// Drops tensors and constants that nothing uses. False if no output is left.
bool Prune(Block& block, Case& c) {
  std::set<std::string> used(block.outputs.begin(), block.outputs.end());
  for (const GraphOperator& op : block.operators) {
    used.insert(op.inputs.begin(), op.inputs.end());
    if (!IsConstant(op)) used.insert(op.outputs.begin(), op.outputs.end());
    for (const auto& [name, value] : op.attributes) {
      // VARIABLE's initial value is a tensor.
      if (const auto* text = std::get_if<std::string>(&value)) used.insert(*text);
    }
  }
  const auto unused = [&](const std::string& name) { return used.count(name) == 0; };
  std::erase_if(block.operators, [&](const GraphOperator& op) {
    return IsConstant(op) && std::all_of(op.outputs.begin(), op.outputs.end(), unused);
  });
  std::erase_if(block.inputs, unused);
  std::erase_if(block.tensors, [&](const GraphTensor& tensor) { return unused(tensor.name); });
  for (std::map<std::string, Tensor>* inputs : InputsOf(c)) {
    std::erase_if(*inputs, [&](const auto& entry) { return unused(entry.first); });
  }
  return !block.outputs.empty() || c.outcome == Outcome::kError;
}

}  // namespace

Status Search::Start(const Case& given) {
  best_ = given;
  size_ = before_ = SizeOf(given);
  step_ = StepNamed("the case as it is");
  for (int k = 0; k < options_.repeats && !interrupted_; ++k) {
    CTS_ASSIGN_OR_RETURN(std::optional<CheckedCase> checked, RunOnce(given));
    if (!checked) break;
    const std::string kind = FailureKind(checked->report);
    if (k == 0) kind_ = kind;
    if (kind != kind_) {
      return InvalidArgument(
          "case ", given.id, ": the implementation is not deterministic: in run 1 of ",
          options_.repeats, " ", kind_.empty() ? "it passed" : "found " + kind_, ", in run ", k + 1,
          " ", kind.empty() ? "it passed" : "found " + kind,
          ", expected the same each time; tensor-cts run --repeat shows what differs");
    }
    ++steps_[step_].kept;
    failure_ = *std::move(checked);
  }
  if (interrupted_) return absl::OkStatus();
  if (kind_.empty()) {
    return InvalidArgument("case ", given.id, ": does not fail: it passed in ", runs_, " of ",
                           runs_, " runs, expected a case that check names as failed");
  }
  statistics_only_ = failure_.report.verdict == Verdict::kFail && !FailingOutput();
  return absl::OkStatus();
}

StatusOr<Shrunk> Search::Finish() {
  CTS_RETURN_IF_ERROR(error_);
  Shrunk shrunk;
  shrunk.smallest = std::move(best_);
  shrunk.failure = std::move(failure_);
  shrunk.kind = kind_;
  shrunk.before = before_;
  shrunk.after = size_;
  for (ShrinkStep& step : steps_) {
    if (step.runs + step.undefined > 0) shrunk.steps.push_back(std::move(step));
  }
  shrunk.runs = runs_;
  shrunk.limit_reached = limit_reached_;
  shrunk.interrupted = interrupted_;
  shrunk.statistics_only = statistics_only_;
  return shrunk;
}

size_t Search::StepNamed(const std::string& what) {
  for (size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].what == what) return i;
  }
  steps_.push_back({.what = what});
  return steps_.size() - 1;
}
void Search::Step(const std::string& what, void (*step)(Search&)) {
  if (Over()) return;
  step_ = StepNamed(what);
  step(*this);
}

StatusOr<std::optional<CheckedCase>> Search::RunOnce(const Case& c) {
  CTS_ASSIGN_OR_RETURN(std::optional<CheckedCase> checked, trial_(c));
  if (!checked) {
    interrupted_ = true;
    return checked;
  }
  ++runs_;
  ++steps_[step_].runs;
  if (options_.progress) options_.progress(runs_);
  return checked;
}

bool Search::Try(Case candidate) {
  if (Over()) return false;
  const auto undefined = [&] {
    ++steps_[step_].undefined;
    return false;
  };
  candidate.data_set = "shrunk";
  const bool symbolic = IsSymbolic(candidate.graph);
  if (!Prune(candidate.graph.main(), candidate)) return undefined();
  if (candidate.outcome == Outcome::kValid && !symbolic && !Infer(candidate)) return undefined();
  CaseSize size = SizeOf(candidate);
  if (!(size < size_)) return false;
  candidate.outputs.clear();
  if (!symbolic) NameOperator(candidate);
  std::string inputs;  // what the case is, without its answers
  for (const BundleFile& file : EncodeCase(candidate)) inputs += file.path + file.bytes;
  if (!tried_.insert(BundleDigest({{"case", std::move(inputs)}})).second) return false;
  if (!Answer(candidate)) {
    // Outputs of an error case may have to fit other changes.
    if (candidate.outcome != Outcome::kError || symbolic || !Infer(candidate)) return undefined();
    if (!((size = SizeOf(candidate)) < size_) || !Answer(candidate)) return undefined();
  }
  if (runs_ >= options_.max_runs) {
    limit_reached_ = true;
    return false;
  }
  StatusOr<std::optional<CheckedCase>> checked = RunOnce(candidate);
  if (!checked.ok()) error_ = checked.status();
  if (!checked.ok() || !*checked || FailureKind((*checked)->report) != kind_) return false;
  ++steps_[step_].kept;
  best_ = std::move(candidate);
  failure_ = **std::move(checked);
  size_ = size;
  return true;
}

// The reference's answer. False: there is no result, or another than the case is about.
bool Search::Answer(Case& c) const {
  // A chain that was judged by its enclosures goes on being so.
  const bool enclosed = std::any_of(best_.outputs.begin(), best_.outputs.end(),
                                    [](const ExpectedOutput& o) { return o.rule.enclosure; });
  StatusOr<std::vector<Evaluation>> evaluations =
      EvaluateSequence(c.graph, c.InputsOfExecutions(), edition_, level_, -1,
                       enclosed ? Chains::kEnclosed : Chains::kExactOnly);
  if (!evaluations.ok() || evaluations->empty()) return false;
  const Evaluation& last = evaluations->back();
  if (last.outcome != c.outcome) return false;
  if (c.outcome == Outcome::kError) {
    return last.violations.size() == 1 && last.violations[0].condition == c.condition &&
           last.message.empty();
  }
  if (evaluations->size() != static_cast<size_t>(c.executions())) return false;
  for (Evaluation& each : *evaluations) {
    for (ExpectedOutput& output : each.outputs) c.outputs.push_back(std::move(output));
  }
  FindDispute(c);
  // An answer may have lost all that can be judged, as when every bound is infinite.
  return ValidateAnswers(c).ok();
}

bool Search::Infer(Case& c) const {
  Block& block = c.graph.main();
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) values[tensor.name] = tensor.values;
  }
  for (const GraphOperator& op : block.operators) {
    const OperatorSpec* spec = edition_.FindOperator(op.op);
    if (spec == nullptr || IsConstant(op)) continue;
    if (spec->group == "control-flow" || spec->group == "variable") continue;
    const auto shapes = InferShapes(op, block, values, edition_, level_);
    if (!shapes.ok()) {
      if (op.op == "CUSTOM") continue;
      return false;
    }
    for (const auto& [name, shape] : *shapes) Find(block, name)->shape = shape;
  }
  return true;
}

// Names the case after its one operator, if it was a graph of several.
void Search::NameOperator(Case& c) const {
  const Block& block = c.graph.main();
  const GraphOperator* only = nullptr;
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    if (only != nullptr) return;
    only = &op;
  }
  if (only == nullptr || only->op == c.op) return;
  const OperatorSpec* spec = edition_.FindOperator(only->op);
  if (spec == nullptr || spec->group == "control-flow" || spec->group == "variable") return;
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : block.tensors) values[tensor.name] = tensor.values;
  const Call call(edition_, *spec, level_, block, *only, values);
  if (!call.fits()) return;
  c.op = only->op;
  c.mode = call.row().mode;
  c.types = call.row().types;
  c.profiles = call.row().profiles;
}

const OutputReport* Search::FailingOutput() const {
  for (const OutputReport& output : failure_.report.outputs) {
    if (output.verdict == Verdict::kFail && output.mismatches > 0) return &output;
  }
  return nullptr;
}

std::vector<Search::Element> Search::ElementsToKeep() const {
  const std::vector<ExpectedOutput>& outputs = best_.outputs;
  const OutputReport* failing = FailingOutput();
  if (failing == nullptr) {
    if (outputs.empty()) return {};
    return {{0, 0}, {0, ElementCount(outputs[0].shape) - 1}};
  }
  const auto k = static_cast<size_t>(failing - failure_.report.outputs.data());
  const ElementJudge judge(outputs[k], outputs[k].answers[failure_.outputs[k].answer],
                           *failure_.outputs[k].result);
  int64_t worst = failing->first, last = failing->first;
  double worst_error = -1;
  for (int64_t i = failing->first; i < failing->elements; ++i) {
    if (judge.Accepts(i)) continue;
    last = i;
    const ElementError error = judge.Measure(i);
    if (const double off = error.of_bound.value_or(error.ulp); off > worst_error) {
      worst_error = off;
      worst = i;
    }
  }
  return {{k, failing->first}, {k, worst}, {k, last}};
}

std::map<std::string, std::set<int64_t>> Search::ReadFor(const Element& element) const {
  std::map<std::string, std::set<int64_t>> read;
  const ExpectedOutput& output = best_.outputs[element.output];
  const auto trace = TraceSequence(best_.graph, best_.InputsOfExecutions(output.execution + 1),
                                   edition_, level_, output.name, element.offset);
  if (!trace.ok()) return read;
  const Block& block = best_.graph.main();
  for (const ReadElement& each : *trace) {
    const GraphTensor* tensor = block.Find(each.tensor);
    if (tensor == nullptr || tensor->dtype == DType::kShape) continue;
    if (tensor->values == nullptr && !Contains(block.inputs, each.tensor)) continue;
    read[each.tensor].insert(Offset(tensor->shape, each.index));
  }
  return read;
}

std::vector<std::string> Search::Leaves() const {
  std::vector<std::string> leaves;
  for (const GraphTensor& tensor : best_.graph.main().tensors) {
    const bool given = tensor.values != nullptr || Contains(best_.graph.main().inputs, tensor.name);
    if (given && tensor.dtype != DType::kShape) leaves.push_back(tensor.name);
  }
  return leaves;
}

}  // namespace cts
