#include "tools/shrink/shrink.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "checker/printable.h"
#include "reference/base/float_format.h"
#include "reference/bundle/suite.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/infer_shapes.h"
#include "reference/graph/call.h"
#include "reference/graph/symbols.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

bool IsConstant(const GraphOperator& op) { return op.op == "CONST" || op.op == "CONST_SHAPE"; }

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

GraphTensor* Find(Block& block, const std::string& name) {
  return const_cast<GraphTensor*>(std::as_const(block).Find(name));
}

// The inputs of every execution.
std::vector<std::map<std::string, Tensor>*> InputsOf(Case& c) {
  std::vector<std::map<std::string, Tensor>*> all = {&c.inputs};
  for (auto& later : c.later_inputs) all.push_back(&later);
  return all;
}

// Applies `change` to the values of an input in every execution, or to those of a constant.
template <class Change>
void ChangeTensor(Case& c, const std::string& name, const Change& change) {
  GraphTensor* tensor = Find(c.graph.main(), name);
  if (tensor->values != nullptr) {
    tensor->values = std::make_shared<const Tensor>(change(*tensor->values));
    tensor->shape = tensor->values->shape();
    return;
  }
  for (std::map<std::string, Tensor>* inputs : InputsOf(c)) {
    Tensor& value = inputs->at(name);
    value = change(value);
    tensor->shape = value.shape();
  }
}

// ---- Sizes -------------------------------------------------------------------------------------

int64_t Complexity(int64_t value) {
  if (value == 0 || value == 1) return value;
  if (value == -1) return 2;
  const uint64_t magnitude =
      value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  // By its bits, among numbers of as many bits by how many are set.
  return 2 * std::bit_width(magnitude) + (std::popcount(magnitude) > 1 ? 1 : 0) + (value < 0) + 1;
}

int64_t Complexity(double value) {
  if (value == 0) return std::signbit(value) ? 2 : 0;
  if (value == 1) return 1;
  if (value == -1) return 2;
  if (std::isnan(value)) return 4;
  if (std::isinf(value)) return value > 0 ? 4 : 5;
  int exponent = 0;
  const double mantissa = std::frexp(std::abs(value), &exponent);  // from 0.5 to 1
  const auto bits = static_cast<uint64_t>(std::ldexp(mantissa, 53));
  const int64_t digits = 53 - std::countr_zero(bits);
  const auto scale = static_cast<uint64_t>(std::abs(exponent - 1));
  return 4 + 2 * digits + std::bit_width(scale) + (value < 0);
}

int64_t ElementComplexity(const Tensor& tensor, int64_t i) {
  return IsFloat(tensor.dtype()) ? Complexity(tensor.Float(i)) : Complexity(tensor.Integer(i));
}

int64_t TensorComplexity(const Tensor& tensor) {
  int64_t sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) sum += ElementComplexity(tensor, i);
  return sum;
}

// The position of an enumerator among those of the edition; 0 for names of other things.
int64_t EnumPosition(const Edition& edition, const std::string& name) {
  for (const EnumSpec& each : edition.enums) {
    for (size_t i = 0; i < each.values.size(); ++i) {
      if (each.values[i].name == name) return static_cast<int64_t>(i);
    }
  }
  return 0;
}

int64_t Complexity(const Edition& edition, const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<int64_t>(&value)) return Complexity(*number);
  if (const auto* number = std::get_if<double>(&value)) return Complexity(*number);
  if (const auto* name = std::get_if<std::string>(&value)) return EnumPosition(edition, *name);
  int64_t sum = 0;
  for (const int64_t number : std::get<std::vector<int64_t>>(value)) sum += Complexity(number);
  return sum;
}

// ---- Taking parts out --------------------------------------------------------------------------

// The elements whose index along `dim` is one of `keep`.
Tensor TakeSlices(const Tensor& from, size_t dim, const std::vector<int64_t>& keep) {
  Shape shape = from.shape();
  const int64_t before = shape[dim];
  shape[dim] = static_cast<int64_t>(keep.size());
  Tensor to(from.dtype(), shape);
  const int64_t inner =
      std::accumulate(shape.begin() + static_cast<ptrdiff_t>(dim) + 1, shape.end(),
                      int64_t{StorageBytes(from.dtype())}, std::multiplies<>());
  const int64_t outer =
      to.bytes().empty() ? 0 : static_cast<int64_t>(to.bytes().size()) / (inner * shape[dim]);
  uint8_t* out = to.bytes().data();
  for (int64_t o = 0; o < outer; ++o) {
    for (const int64_t k : keep) {
      out = std::copy_n(from.bytes().data() + (o * before + k) * inner, inner, out);
    }
  }
  return to;
}

std::vector<int64_t> Range(int64_t first, int64_t count) {
  std::vector<int64_t> range(static_cast<size_t>(count));
  std::iota(range.begin(), range.end(), first);
  return range;
}

// Delta debugging over a list of `n` things. `keep(positions)` tries the case with those only and
// says whether it was taken; then they are the list. At least `least` stay.
template <class Keep>
void Reduce(size_t n, size_t least, const Keep& keep) {
  int fruitless = 0;
  for (size_t chunk = least == 0 ? n : (n + 1) / 2; chunk > 0;) {
    bool any = false;
    for (size_t at = 0; at < n && n > least;) {
      const size_t end = std::min(n, at + chunk);
      std::vector<size_t> rest;
      for (size_t i = 0; i < n; ++i) {
        if (i < at || i >= end) rest.push_back(i);
      }
      if (rest.size() >= least && keep(rest)) {
        n = rest.size();
        any = true;
      } else {
        at = end;
      }
    }
    // Where nothing can go, trying every single one of many is not worth its runs.
    fruitless = any ? 0 : fruitless + 1;
    if (fruitless >= 3 && n / chunk >= 16) return;
    chunk = chunk == 1 ? 0 : std::min((chunk + 1) / 2, std::max<size_t>(1, (n + 1) / 2));
  }
}

struct Axis {
  std::string tensor;
  size_t dim = 0;
  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  auto operator<=>(const Axis&) const = default;
};

// ---- The search --------------------------------------------------------------------------------

class Shrinker {
 public:
  Shrinker(const Edition& edition, const Level& level, const Trial& trial,
           const ShrinkOptions& options)
      : edition_(edition), level_(level), trial_(trial), options_(options) {}

  StatusOr<Shrunk> Run(const Case& given) {
    CTS_RETURN_IF_ERROR(Start(given));
    if (interrupted_ || statistics_only_) return Finish();
    if (IsSymbolic(given.graph)) {
      // What follows from a symbol nobody else knows; resolve makes a static case of what is left.
      Step("executions", &Shrinker::LeaveOutExecutions);
      return Finish();
    }
    while (!Over()) {
      const CaseSize before = size_;
      Step("operators", &Shrinker::LeaveOutOperators);
      Step("executions", &Shrinker::LeaveOutExecutions);
      Step("what one wrong element is made of", &Shrinker::CutOutElement);
      Step("dimensions", &Shrinker::CropDimensions);
      Step("ranks", &Shrinker::DropDimensions);
      Step("attributes", &Shrinker::SimplifyAttributes);
      Step("values", &Shrinker::SimplifyValues);
      if (size_ == before) break;
    }
    return Finish();
  }

 private:
  // The case as it is, so often as asked.
  Status Start(const Case& given) {
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
            options_.repeats, " ", kind_.empty() ? "it passed" : "found " + kind_, ", in run ",
            k + 1, " ", kind.empty() ? "it passed" : "found " + kind,
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

  StatusOr<Shrunk> Finish() {
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

  size_t StepNamed(const std::string& what) {
    for (size_t i = 0; i < steps_.size(); ++i) {
      if (steps_[i].what == what) return i;
    }
    steps_.push_back({.what = what});
    return steps_.size() - 1;
  }
  void Step(const std::string& what, void (Shrinker::*step)()) {
    if (Over()) return;
    step_ = StepNamed(what);
    (this->*step)();
  }

  bool Over() const { return interrupted_ || limit_reached_ || !error_.ok(); }

  StatusOr<std::optional<CheckedCase>> RunOnce(const Case& c) {
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

  // Whether a smaller case fails likewise; then it is the best.
  bool Try(Case candidate) {
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
      // Outputs of an error may have to fit what else has changed.
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

  // The reference's answer. False: no result, or another than the case is about.
  bool Answer(Case& c) const {
    StatusOr<std::vector<Evaluation>> evaluations =
        EvaluateSequence(c.graph, c.InputsOfExecutions(), edition_, level_);
    if (!evaluations.ok() || evaluations->empty()) return false;
    const Evaluation& last = evaluations->back();
    if (last.outcome != c.outcome) return false;
    if (c.outcome == Outcome::kError) {
      return last.violations.size() == 1 && last.violations[0].condition == c.condition;
    }
    if (evaluations->size() != static_cast<size_t>(c.executions())) return false;
    for (Evaluation& each : *evaluations) {
      for (ExpectedOutput& output : each.outputs) c.outputs.push_back(std::move(output));
    }
    return true;
  }

  // Drops tensors and constants that nothing uses. False if nothing is left to ask for.
  static bool Prune(Block& block, Case& c) {
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

  // Shapes of what the operators of the main block compute. Those that only their surroundings
  // know stay as they were.
  bool Infer(Case& c) const {
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

  // Names the case after its one operator, where it was a graph of several.
  void NameOperator(Case& c) const {
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

  // ---- What is wrong ----

  // The first output with an element that the rule refuses.
  const OutputReport* FailingOutput() const {
    for (const OutputReport& output : failure_.report.outputs) {
      if (output.verdict == Verdict::kFail && output.mismatches > 0) return &output;
    }
    return nullptr;
  }

  // Elements to keep: wrong ones, or where none is known (a crash) those at both ends.
  struct Element {
    size_t output = 0;
    int64_t offset = 0;
  };
  std::vector<Element> ElementsToKeep() const {
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

  // What of the inputs and constants an element was made of: offsets by tensor.
  std::map<std::string, std::set<int64_t>> ReadFor(const Element& element) const {
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

  // ---- Steps ----

  // Inputs and constants that have elements to leave out.
  std::vector<std::string> Leaves() const {
    std::vector<std::string> leaves;
    for (const GraphTensor& tensor : best_.graph.main().tensors) {
      const bool given =
          tensor.values != nullptr || Contains(best_.graph.main().inputs, tensor.name);
      if (given && tensor.dtype != DType::kShape) leaves.push_back(tensor.name);
    }
    return leaves;
  }

  void LeaveOutOperators() {
    size_t count = 0;
    for (const GraphOperator& op : best_.graph.main().operators) count += !IsConstant(op);
    if (count < 2) return;
    Reduce(count, 1, [&](const std::vector<size_t>& keep) { return TryOperators(keep); });
  }

  // What goes away before an operator that stays becomes an input with what the embedded
  // implementation computes.
  bool TryOperators(const std::vector<size_t>& keep) {
    Case c = best_;
    const Block& from = best_.graph.main();
    Block& block = c.graph.main();
    block.operators.clear();
    std::set<std::string> made, read, dropped;
    size_t position = 0, next = 0;
    for (const GraphOperator& op : from.operators) {
      bool stays = IsConstant(op);
      if (!stays) {
        stays = next < keep.size() && keep[next] == position;
        next += stays;
        ++position;
      }
      if (stays) block.operators.push_back(op);
      (stays ? made : dropped).insert(op.outputs.begin(), op.outputs.end());
      if (stays) read.insert(op.inputs.begin(), op.inputs.end());
    }
    std::erase_if(block.outputs, [&](const std::string& name) { return made.count(name) == 0; });
    for (const GraphOperator& op : block.operators) {
      if (IsConstant(op)) continue;
      for (const std::string& name : op.outputs) {
        if (read.count(name) == 0 && !Contains(block.outputs, name)) block.outputs.push_back(name);
      }
    }
    std::vector<std::string> wanted;
    for (const std::string& name : dropped) {
      if (read.count(name) > 0) wanted.push_back(name);
    }
    if (!wanted.empty()) {
      Case all = best_;
      all.graph.main().outputs = wanted;
      const auto native =
          ExecuteNativeSequence(all.graph, all.InputsOfExecutions(), edition_, level_);
      if (!native.ok() || native->size() != static_cast<size_t>(c.executions())) return false;
      for (const std::string& name : wanted) {
        for (size_t k = 0; k < native->size(); ++k) {
          const auto value = (*native)[k].outputs.find(name);
          if ((*native)[k].outcome != Outcome::kValid || value == (*native)[k].outputs.end()) {
            return false;
          }
          InputsOf(c)[k]->insert_or_assign(name, value->second);
        }
        block.inputs.push_back(name);
      }
    }
    return Try(std::move(c));
  }

  void LeaveOutExecutions() {
    const int count = best_.executions();
    if (count < 2) return;
    Reduce(static_cast<size_t>(count), 1, [&](const std::vector<size_t>& keep) {
      Case c = best_;
      std::vector<std::map<std::string, Tensor>> all;
      all.reserve(keep.size());
      for (const size_t k : keep) all.push_back(*InputsOf(c)[k]);
      c.inputs = all.front();
      c.later_inputs.assign(all.begin() + 1, all.end());
      if (!best_.bindings.empty()) {
        c.bindings.clear();
        for (const size_t k : keep) c.bindings.push_back(best_.bindings[k]);
      }
      return Try(std::move(c));
    });
  }

  // The smallest boxes of inputs and constants that hold all that one wrong element was made of.
  void CutOutElement() {
    for (const Element& element : ElementsToKeep()) {
      const auto read = ReadFor(element);
      if (read.empty()) continue;
      Case c = best_;
      for (const auto& [name, offsets] : read) {
        const Shape shape = best_.graph.main().Find(name)->shape;
        for (size_t dim = 0; dim < shape.size(); ++dim) {
          int64_t low = shape[dim], high = -1;
          for (const int64_t offset : offsets) {
            const int64_t at = Index(shape, offset)[dim];
            low = std::min(low, at);
            high = std::max(high, at);
          }
          if (high - low + 1 == shape[dim]) continue;
          ChangeTensor(c, name, [&, dim = dim](const Tensor& tensor) {
            return TakeSlices(tensor, dim, Range(low, high - low + 1));
          });
        }
      }
      for (Case& variant : PaddingVariants(c)) {
        if (Try(std::move(variant))) return;
      }
      // What was not read is zero, where it cannot go away.
      Case zeros = best_;
      for (const std::string& name : Leaves()) {
        const auto found = read.find(name);
        ChangeTensor(zeros, name, [&](Tensor tensor) {
          for (int64_t i = 0; i < tensor.size(); ++i) {
            if (found == read.end() || found->second.count(i) == 0) tensor.SetBits(i, 0);
          }
          return tensor;
        });
      }
      if (Try(std::move(zeros))) return;
    }
  }

  // A box at a border still needs the padding there; elsewhere it would only add elements. The
  // variants by how many elements come out, the fewest first, three at most.
  std::vector<Case> PaddingVariants(const Case& c) const {
    std::vector<std::pair<int64_t, Case>> variants;
    const auto add = [&](Case variant) {
      if (variant.outcome == Outcome::kValid && !Infer(variant)) return;
      const CaseSize size = SizeOf(variant);
      variants.emplace_back(size.outputs, std::move(variant));
    };
    const std::vector<GraphOperator>& operators = c.graph.main().operators;
    const auto padded =
        std::find_if(operators.begin(), operators.end(),
                     [](const GraphOperator& op) { return op.attributes.count("pad") > 0; });
    const auto* pad = padded == operators.end()
                          ? nullptr
                          : std::get_if<std::vector<int64_t>>(&padded->attributes.at("pad"));
    if (pad == nullptr || pad->size() > 6) return {c};
    for (size_t zeros = 0; zeros < size_t{1} << pad->size(); ++zeros) {
      Case variant = c;
      auto& changed = std::get<std::vector<int64_t>>(
          variant.graph.main()
              .operators[static_cast<size_t>(padded - operators.begin())]
              .attributes.at("pad"));
      bool again = false;
      for (size_t i = 0; i < changed.size(); ++i) {
        if ((zeros >> i & 1) == 0) continue;
        again = again || changed[i] == 0;
        changed[i] = 0;
      }
      if (!again) add(std::move(variant));
    }
    std::stable_sort(variants.begin(), variants.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Case> best;
    for (auto& [outputs, variant] : variants) {
      if (best.size() < 3) best.push_back(std::move(variant));
    }
    return best;
  }

  // Sets of dimensions that may have to shrink together, the largest gain first.
  std::vector<std::vector<Axis>> JointAxes() const {
    const Block& block = best_.graph.main();
    // The tensors whose dimensions are ours to say; of an error, outputs as well.
    std::vector<const GraphTensor*> tensors;
    for (const GraphTensor& tensor : block.tensors) {
      const bool given = tensor.values != nullptr || Contains(block.inputs, tensor.name);
      if (tensor.dtype != DType::kShape && (given || best_.outcome == Outcome::kError)) {
        tensors.push_back(&tensor);
      }
    }
    std::map<Axis, std::set<std::string>> symbols;  // that the tables of arguments give it
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const GraphOperator& op = block.operators[i];
      const OperatorSpec* spec = edition_.FindOperator(op.op);
      if (spec == nullptr) continue;
      size_t in = 0, out = 0;
      for (const ArgumentSpec& argument : spec->arguments) {
        if (argument.category == ArgumentCategory::kAttribute) continue;
        const bool input = argument.category == ArgumentCategory::kInput;
        const std::vector<std::string>& names = input ? op.inputs : op.outputs;
        size_t& at = input ? in : out;
        if (at >= names.size()) break;
        const GraphTensor* tensor = block.Find(names[at++]);
        if (tensor == nullptr || !argument.shape.starts_with('[')) continue;
        std::string list = argument.shape.substr(1, argument.shape.size() - 2) + ",";
        for (size_t dim = 0; dim < tensor->shape.size() && !list.empty(); ++dim) {
          const size_t comma = list.find(',');
          symbols[{tensor->name, dim}].insert(StrCat(i, ":", list.substr(0, comma)));
          list.erase(0, comma + 1);
        }
      }
    }
    std::vector<std::vector<Axis>> sets;
    const auto add = [&](std::vector<Axis> set) {
      std::sort(set.begin(), set.end());
      if (std::find(sets.begin(), sets.end(), set) == sets.end()) sets.push_back(std::move(set));
    };
    for (const GraphTensor* tensor : tensors) {
      for (size_t dim = 0; dim < tensor->shape.size(); ++dim) {
        const int64_t size = tensor->shape[dim];
        if (size < 2) continue;
        const Axis self{tensor->name, dim};
        std::vector<Axis> named, with_lists, same_place, from_end, same_size;
        for (const GraphTensor* other : tensors) {
          for (size_t d = 0; d < other->shape.size(); ++d) {
            if (other->shape[d] != size) continue;
            const Axis axis{other->name, d};
            const bool shares =
                axis == self || std::any_of(symbols[self].begin(), symbols[self].end(),
                                            [&](const std::string& symbol) {
                                              return symbols[axis].count(symbol) > 0;
                                            });
            if (shares) named.push_back(axis);
            if (shares || other->shape.size() == 1) with_lists.push_back(axis);
            if (axis == self || (d == dim && other->shape.size() == tensor->shape.size())) {
              same_place.push_back(axis);
            }
            same_size.push_back(axis);
          }
        }
        for (auto& set : {named, with_lists, same_place, std::vector<Axis>{self}, same_size}) {
          add(set);
        }
      }
    }
    std::stable_sort(sets.begin(), sets.end(), [&](const auto& a, const auto& b) {
      return best_.graph.main().Find(a[0].tensor)->shape[a[0].dim] >
             best_.graph.main().Find(b[0].tensor)->shape[b[0].dim];
    });
    return sets;
  }

  void CropDimensions() {
    for (const std::vector<Axis>& set : JointAxes()) {
      if (Over()) return;
      const auto size = [&] {
        const GraphTensor* tensor = best_.graph.main().Find(set[0].tensor);
        return tensor != nullptr && set[0].dim < tensor->shape.size() ? tensor->shape[set[0].dim]
                                                                      : 0;
      };
      const int64_t n = size();
      // Another set may have had these dimensions.
      const bool together = std::all_of(set.begin(), set.end(), [&](const Axis& axis) {
        const GraphTensor* tensor = best_.graph.main().Find(axis.tensor);
        return tensor != nullptr && axis.dim < tensor->shape.size() && tensor->shape[axis.dim] == n;
      });
      if (!together || n < 2) continue;
      // One slice alone, at first that of a wrong element.
      bool one = false;
      for (const int64_t slice : SlicesToKeep(set[0])) {
        one = one || TrySlices(set, {slice});
      }
      if (one) continue;
      Reduce(static_cast<size_t>(n), 1, [&](const std::vector<size_t>& keep) {
        return TrySlices(set, std::vector<int64_t>(keep.begin(), keep.end()));
      });
    }
  }

  // Indices along an axis that the first wrong element speaks for.
  std::vector<int64_t> SlicesToKeep(const Axis& axis) const {
    const std::vector<Element> elements = ElementsToKeep();
    std::vector<int64_t> slices;
    if (!elements.empty()) {
      const Shape shape = best_.graph.main().Find(axis.tensor)->shape;
      const auto read = ReadFor(elements[0]);
      if (const auto found = read.find(axis.tensor); found != read.end()) {
        slices.push_back(Index(shape, *found->second.begin())[axis.dim]);
      }
    }
    if (slices.empty() || slices[0] != 0) slices.push_back(0);
    return slices;
  }

  bool TrySlices(const std::vector<Axis>& set, const std::vector<int64_t>& keep) {
    Case c = best_;
    Block& block = c.graph.main();
    for (const Axis& axis : set) {
      GraphTensor* tensor = Find(block, axis.tensor);
      const int64_t before = tensor->shape[axis.dim];
      if (tensor->values == nullptr && !Contains(block.inputs, axis.tensor)) {
        tensor->shape[axis.dim] = static_cast<int64_t>(keep.size());
        continue;
      }
      ChangeTensor(c, axis.tensor,
                   [&](const Tensor& value) { return TakeSlices(value, axis.dim, keep); });
      for (GraphOperator& op : block.operators) {
        if (!op.inputs.empty() && op.inputs[0] == axis.tensor) {
          FitShapeOperands(c, op, axis.dim, before, keep);
        }
      }
    }
    const CaseSize size = SizeOf(c);
    for (Case& variant : BorderVariants(std::move(c))) {
      if (size < size_ && Try(std::move(variant))) return true;
    }
    return false;
  }

  // The constant of type shape that an operator has as its `k`-th input; null if it is none.
  static GraphTensor* ShapeOperand(Block& block, const GraphOperator& op, size_t k) {
    if (k >= op.inputs.size()) return nullptr;
    GraphTensor* tensor = Find(block, op.inputs[k]);
    const bool known =
        tensor != nullptr && tensor->dtype == DType::kShape && tensor->values != nullptr;
    return known ? tensor : nullptr;
  }
  static void SetOperand(GraphTensor& tensor, const std::vector<int64_t>& values) {
    tensor.shape = {static_cast<int64_t>(values.size())};
    tensor.values =
        std::make_shared<const Tensor>(Tensor::OfIntegers(DType::kShape, tensor.shape, values));
  }

  // SLICE goes on taking what is left of what it took; RESHAPE makes as many elements as there are.
  static void FitShapeOperands(Case& c, const GraphOperator& op, size_t dim, int64_t before,
                               const std::vector<int64_t>& keep) {
    Block& block = c.graph.main();
    const auto now = static_cast<int64_t>(keep.size());
    if (op.op == "SLICE") {
      GraphTensor* start = ShapeOperand(block, op, 1);
      GraphTensor* size = ShapeOperand(block, op, 2);
      if (start == nullptr || size == nullptr) return;
      std::vector<int64_t> from = start->values->Integers(), count = size->values->Integers();
      if (dim >= from.size() || dim >= count.size()) return;
      const auto below = [&](int64_t end) {
        return std::count_if(keep.begin(), keep.end(), [&](int64_t k) { return k < end; });
      };
      const int64_t first = below(from[dim]), last = below(from[dim] + count[dim]);
      if (first == last || from[dim] < 0 || from[dim] + count[dim] > before) return;
      from[dim] = first;
      count[dim] = last - first;
      SetOperand(*start, from);
      SetOperand(*size, count);
    } else if (op.op == "RESHAPE") {
      GraphTensor* shape = ShapeOperand(block, op, 1);
      if (shape == nullptr) return;
      std::vector<int64_t> sizes = shape->values->Integers();
      for (int64_t& size : sizes) {
        if (size % before != 0) continue;
        size = size / before * now;
        SetOperand(*shape, sizes);
        return;
      }
    }
  }

  // RESIZE wants its border to fit: the case, or if that does not, with other borders that do, the
  // smallest outputs first.
  std::vector<Case> BorderVariants(Case c) const {
    std::vector<Case> variants;
    Block& block = c.graph.main();
    const auto resize = std::find_if(block.operators.begin(), block.operators.end(),
                                     [](const GraphOperator& op) { return op.op == "RESIZE"; });
    const bool error = c.outcome != Outcome::kValid;
    if (error || resize == block.operators.end() || Infer(c)) return {std::move(c)};
    GraphTensor* operands[3] = {ShapeOperand(block, *resize, 1), ShapeOperand(block, *resize, 2),
                                ShapeOperand(block, *resize, 3)};
    if (operands[0] == nullptr || operands[1] == nullptr || operands[2] == nullptr) return {};
    const std::vector<int64_t> scale = operands[0]->values->Integers(),
                               offset = operands[1]->values->Integers();
    const Shape& input = Find(block, resize->inputs[0])->shape;
    if (scale.size() != 4 || offset.size() != 2 || input.size() != 4) return {};
    for (int64_t height = 1; height <= 3; ++height) {
      for (int64_t width = 1; width <= 3; ++width) {
        Case variant = c;
        // From OH = ((IH - 1) * n - offset + border) / d + 1.
        SetOperand(*Find(variant.graph.main(), operands[2]->name),
                   {(height - 1) * scale[1] + offset[0] - (input[1] - 1) * scale[0],
                    (width - 1) * scale[3] + offset[1] - (input[2] - 1) * scale[2]});
        if (Infer(variant)) variants.push_back(std::move(variant));
      }
    }
    return variants;
  }

  // Dimensions of size 1, from all tensors of the same rank.
  void DropDimensions() {
    size_t most = 0;
    for (const GraphTensor& tensor : best_.graph.main().tensors) {
      most = std::max(most, tensor.shape.size());
    }
    for (size_t dim = most; dim-- > 0;) {
      Case c = best_;
      Block& block = c.graph.main();
      for (GraphTensor& tensor : block.tensors) {
        if (tensor.dtype == DType::kShape || tensor.shape.size() != most) continue;
        if (tensor.shape[dim] != 1) continue;
        Shape shape = tensor.shape;
        shape.erase(shape.begin() + static_cast<ptrdiff_t>(dim));
        if (tensor.values == nullptr && !Contains(block.inputs, tensor.name)) {
          tensor.shape = shape;
          continue;
        }
        ChangeTensor(c, tensor.name, [&](const Tensor& value) {
          Tensor flat(value.dtype(), shape);
          flat.bytes() = value.bytes();
          return flat;
        });
      }
      const auto at = static_cast<int64_t>(dim);
      for (GraphOperator& op : block.operators) {
        if (const auto axis = op.attributes.find("axis"); axis != op.attributes.end()) {
          if (auto* number = std::get_if<int64_t>(&axis->second)) *number -= *number > at;
        }
        if (const auto perms = op.attributes.find("perms"); perms != op.attributes.end()) {
          if (auto* list = std::get_if<std::vector<int64_t>>(&perms->second)) {
            std::erase(*list, at);
            for (int64_t& number : *list) number -= number > at;
          }
        }
        for (size_t k = 1; k < op.inputs.size(); ++k) {
          GraphTensor* operand = ShapeOperand(block, op, k);
          if (operand == nullptr) continue;
          std::vector<int64_t> values = operand->values->Integers();
          // One number a dimension, or PAD's two.
          const size_t each = values.size() / most;
          if (each == 0 || values.size() % most != 0) continue;
          values.erase(values.begin() + static_cast<ptrdiff_t>(dim * each),
                       values.begin() + static_cast<ptrdiff_t>((dim + 1) * each));
          SetOperand(*operand, values);
        }
      }
      if (Try(std::move(c))) return DropDimensions();
      if (Over()) return;
    }
  }

  // ---- Attributes ----

  // Simpler values of a number, the simplest first.
  static std::vector<int64_t> Simpler(int64_t value) {
    std::vector<int64_t> simpler = {0, 1};
    if (value < 0) simpler.push_back(-1);
    for (const int shift : {16, 8, 4, 2, 1}) {
      if (const int64_t part = value / (int64_t{1} << shift); part != 0) simpler.push_back(part);
    }
    if (value != INT64_MIN) {
      const auto power =
          static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::abs(value))));
      simpler.push_back(value < 0 ? -power : power);
    }
    return Ordered(value, std::move(simpler));
  }
  static std::vector<double> Simpler(double value) {
    std::vector<double> simpler = {0, 1, -1};
    if (std::isfinite(value) && value != 0) {
      int exponent = 0;
      const double mantissa = std::frexp(value, &exponent);
      for (const int bits : {1, 2, 4, 8, 12, 16}) {
        simpler.push_back(std::ldexp(std::trunc(std::ldexp(mantissa, bits)), exponent - bits));
      }
      for (const int scale : {1, exponent / 2, exponent / 4 * 3}) {
        simpler.push_back(std::ldexp(mantissa, scale));
        simpler.push_back(std::ldexp(mantissa < 0 ? -0.5 : 0.5, scale));
      }
      simpler.push_back(-value);
    }
    return Ordered(value, std::move(simpler));
  }
  template <class T>
  static std::vector<T> Ordered(T value, std::vector<T> simpler) {
    std::erase_if(simpler, [&](T each) { return !(Complexity(each) < Complexity(value)); });
    std::stable_sort(simpler.begin(), simpler.end(),
                     [](T a, T b) { return Complexity(a) < Complexity(b); });
    simpler.erase(std::unique(simpler.begin(), simpler.end()), simpler.end());
    return simpler;
  }

  std::vector<AttributeValue> SimplerAttributes(const AttributeValue& value) const {
    std::vector<AttributeValue> simpler;
    if (const auto* flag = std::get_if<bool>(&value)) {
      if (*flag) simpler.emplace_back(false);
    } else if (const auto* number = std::get_if<int64_t>(&value)) {
      for (const int64_t each : Simpler(*number)) simpler.emplace_back(each);
    } else if (const auto* real = std::get_if<double>(&value)) {
      for (const double each : Simpler(*real)) simpler.emplace_back(each);
    } else if (const auto* name = std::get_if<std::string>(&value)) {
      for (const EnumSpec& each : edition_.enums) {
        const int64_t position = EnumPosition(edition_, *name);
        if (position == 0 || position >= static_cast<int64_t>(each.values.size())) continue;
        if (each.values[static_cast<size_t>(position)].name != *name) continue;
        simpler.emplace_back(each.values[0].name);
      }
    } else {
      for (const std::vector<int64_t>& list : SimplerLists(std::get<std::vector<int64_t>>(value))) {
        simpler.emplace_back(list);
      }
    }
    return simpler;
  }

  // All zero, all one, then every number alone.
  static std::vector<std::vector<int64_t>> SimplerLists(const std::vector<int64_t>& list) {
    std::vector<std::vector<int64_t>> simpler = {std::vector<int64_t>(list.size(), 0),
                                                 std::vector<int64_t>(list.size(), 1)};
    for (size_t i = 0; i < list.size(); ++i) {
      for (const int64_t each : Simpler(list[i])) {
        simpler.push_back(list);
        simpler.back()[i] = each;
      }
    }
    return simpler;
  }

  void SimplifyAttributes() {
    TryNeutral();
    for (size_t i = 0; i < best_.graph.main().operators.size(); ++i) {
      const GraphOperator op = best_.graph.main().operators[i];
      if (IsConstant(op)) continue;
      for (const auto& [name, unused] : op.attributes) {
        while (!Over()) {
          bool changed = false;
          for (AttributeValue& value :
               SimplerAttributes(best_.graph.main().operators[i].attributes.at(name))) {
            Case c = best_;
            c.graph.main().operators[i].attributes[name] = std::move(value);
            if ((changed = Try(std::move(c)))) break;
          }
          if (!changed) break;
        }
      }
      for (size_t k = 0; k < op.inputs.size(); ++k) {
        while (!Over()) {
          bool changed = false;
          const GraphTensor* operand = ShapeOperand(best_.graph.main(), op, k);
          if (operand == nullptr) break;
          for (const std::vector<int64_t>& values : SimplerLists(operand->values->Integers())) {
            Case c = best_;
            SetOperand(*Find(c.graph.main(), op.inputs[k]), values);
            for (Case& variant : BorderVariants(std::move(c))) {
              if ((changed = Try(std::move(variant)))) break;
            }
            if (changed) break;
          }
          if (!changed) break;
        }
      }
    }
  }

  // What most often has nothing to do with it, all at once.
  void TryNeutral() {
    Case c = best_;
    for (GraphOperator& op : c.graph.main().operators) {
      for (auto& [name, value] : op.attributes) {
        auto* list = std::get_if<std::vector<int64_t>>(&value);
        if (list == nullptr) continue;
        if (name == "stride" || name == "dilation") list->assign(list->size(), 1);
        if (name == "pad" || name == "out_pad") list->assign(list->size(), 0);
      }
    }
    Try(std::move(c));
  }

  // ---- Values ----

  // One element of an input in one execution (-1: of a constant).
  struct Place {
    std::string tensor;
    int execution = -1;
    int64_t offset = 0;
  };

  static const Tensor& At(const Case& c, const Place& place) {
    if (place.execution < 0) return *c.graph.main().Find(place.tensor)->values;
    return c.InputsOfExecutions()[static_cast<size_t>(place.execution)]->at(place.tensor);
  }
  // Sets elements of one case, each tensor copied once.
  static void Set(Case& c, const std::vector<std::pair<Place, double>>& reals,
                  const std::vector<std::pair<Place, int64_t>>& integers) {
    std::map<std::pair<std::string, int>, Tensor> changed;
    const auto tensor = [&](const Place& place) -> Tensor& {
      return changed.try_emplace({place.tensor, place.execution}, At(c, place)).first->second;
    };
    for (const auto& [place, value] : reals) tensor(place).SetFloat(place.offset, value);
    for (const auto& [place, value] : integers) tensor(place).SetInteger(place.offset, value);
    for (auto& [where, value] : changed) {
      if (where.second < 0) {
        Find(c.graph.main(), where.first)->values =
            std::make_shared<const Tensor>(std::move(value));
      } else {
        InputsOf(c)[static_cast<size_t>(where.second)]->insert_or_assign(where.first,
                                                                         std::move(value));
      }
    }
  }
  static void SetAll(Case& c, const std::vector<Place>& places, int64_t value) {
    std::vector<std::pair<Place, double>> reals;
    std::vector<std::pair<Place, int64_t>> integers;
    for (const Place& place : places) {
      if (IsFloat(At(c, place).dtype())) {
        reals.emplace_back(place, static_cast<double>(value));
      } else {
        integers.emplace_back(place, value);
      }
    }
    Set(c, reals, integers);
  }

  // Elements that are more than `complexity`.
  std::vector<Place> PlacesAbove(int64_t complexity) const {
    std::vector<Place> places;
    for (const std::string& name : Leaves()) {
      const bool constant = best_.graph.main().Find(name)->values != nullptr;
      for (int k = constant ? -1 : 0; k < (constant ? 0 : best_.executions()); ++k) {
        const Tensor& tensor = At(best_, {name, k, 0});
        for (int64_t i = 0; i < tensor.size(); ++i) {
          if (ElementComplexity(tensor, i) > complexity) places.push_back({name, k, i});
        }
      }
    }
    return places;
  }

  void SimplifyValues() {
    // As many as possible to zero, tensor by tensor; then to one.
    for (const int64_t value : {0, 1}) {
      for (const std::string& name : Leaves()) {
        std::vector<Place> places = PlacesAbove(value);
        std::erase_if(places, [&](const Place& place) { return place.tensor != name; });
        if (places.empty()) continue;
        Reduce(places.size(), 0, [&](const std::vector<size_t>& keep) {
          std::vector<Place> kept, gone;
          size_t next = 0;
          for (size_t i = 0; i < places.size(); ++i) {
            const bool stays = next < keep.size() && keep[next] == i;
            next += stays;
            (stays ? kept : gone).push_back(places[i]);
          }
          Case c = best_;
          SetAll(c, gone, value);
          if (!Try(std::move(c))) return false;
          places = std::move(kept);
          return true;
        });
        if (Over()) return;
      }
    }
    // Each alone; of very many that would take a run for every step of each.
    constexpr size_t kMany = 64;
    const std::vector<Place> places = PlacesAbove(1);
    if (places.size() > kMany) return;
    for (const Place& place : places) SimplifyElement(place);
  }

  void SimplifyElement(const Place& place) {
    while (!Over()) {
      const Tensor& tensor = At(best_, place);
      bool changed = false;
      if (IsFloat(tensor.dtype())) {
        for (const double value : Simpler(tensor.Float(place.offset))) {
          Case c = best_;
          Set(c, {{place, value}}, {});
          if ((changed = Try(std::move(c)))) break;
        }
      } else {
        for (const int64_t value : Simpler(tensor.Integer(place.offset))) {
          Case c = best_;
          Set(c, {}, {{place, value}});
          if ((changed = Try(std::move(c)))) break;
        }
      }
      if (!changed) return;
    }
  }

  const Edition& edition_;
  const Level& level_;
  const Trial& trial_;
  const ShrinkOptions& options_;

  Case best_;
  CheckedCase failure_;  // of best_
  CaseSize before_, size_;
  std::string kind_;
  std::set<std::string> tried_;  // digests
  std::vector<ShrinkStep> steps_;
  size_t step_ = 0;
  int runs_ = 0;
  bool limit_reached_ = false, interrupted_ = false, statistics_only_ = false;
  Status error_;
};

// Where the bracket ends that begins at `at`; at `at` if it does not, as in "x < 5".
size_t EndOfBracket(const std::string& text, size_t at) {
  int depth = 0;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    const bool arrow = c == '>' && i > 0 && text[i - 1] == '-';
    if (c == '<' || c == '[' || c == '(') ++depth;
    if ((c == '>' && !arrow) || c == ']' || c == ')') --depth;
    if (depth == 0) return i;
  }
  return at;
}

// Whether a word holds an address, which is another in every process.
bool IsAddress(const std::string& word) {
  const size_t at = word.find("0x");
  return at != std::string::npos && at + 2 < word.size() &&
         std::isxdigit(static_cast<unsigned char>(word[at + 2])) != 0;
}

// What a message says without what changes from case to case: numbers, addresses, shapes, paths,
// types of tensors.
std::string Words(const std::string& message) {
  constexpr size_t kMaxWords = 200;
  std::string plain;
  for (size_t i = 0; i < message.size(); ++i) {
    const char c = message[i];
    if (c == '<' || c == '[' || c == '(') {
      const size_t end = EndOfBracket(message, i);
      if (end > i) {
        i = end;
        continue;
      }
    }
    plain += c == '\n' ? ' ' : c;
  }
  std::string words;
  size_t at = 0;
  while (at < plain.size() && words.size() < kMaxWords) {
    const size_t end = std::min(plain.find(' ', at), plain.size());
    std::string word = plain.substr(at, end - at);
    at = end + 1;
    if (word.find('/') != std::string::npos || IsAddress(word)) continue;
    std::erase_if(word, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (word.empty() || word == "-" || word == ",") continue;
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

}  // namespace

std::string FailureKind(const CaseReport& report) {
  switch (report.verdict) {
    case Verdict::kPass:
      return "";
    case Verdict::kFail:
      for (const OutputReport& output : report.outputs) {
        if (output.mismatches > 0) return "a wrong value";
      }
      return "a wrong distribution of errors, every value within its limit";
    case Verdict::kWrongOutcome:
      if (report.outcome == Outcome::kError) return "a result where an error is due";
      return StrCat("an error where a result is due: ", Words(report.said));
    case Verdict::kMissing:
      return "a missing output";
    case Verdict::kMalformed: {
      const size_t colon = report.message.find(": ");
      return StrCat(
          "a malformed output: ",
          Words(colon == std::string::npos ? report.message : report.message.substr(colon + 2)));
    }
    case Verdict::kUnsupported:
      return StrCat("unsupported: ", Words(report.said));
    case Verdict::kTimeout:
      return "no answer in time";
    case Verdict::kProtocol:
      return StrCat("a broken protocol: ", Words(report.said));
    case Verdict::kCrash:
      break;
  }
  std::string kind = "a crash";
  if (report.signal) kind += StrCat(", signal ", *report.signal);
  if (report.exit_code && *report.exit_code != 0) kind += StrCat(", exit code ", *report.exit_code);
  // An assertion says which.
  const size_t assertion = report.log.find("ssertion");
  if (assertion != std::string::npos) {
    const size_t begin = report.log.rfind('\n', assertion) + 1;
    kind += ": " + Words(report.log.substr(begin, report.log.find('\n', assertion) - begin));
  }
  return kind;
}

CaseSize SizeOf(const Case& c) {
  const StatusOr<const Edition*> edition = FindEdition(c.edition);
  const Block& block = c.graph.main();
  CaseSize size;
  size.executions = c.executions();
  for (const GraphOperator& op : block.operators) {
    if (IsConstant(op)) continue;
    ++size.operators;
    for (const auto& [name, value] : op.attributes) {
      if (edition.ok()) size.attributes += Complexity(**edition, value);
    }
  }
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.dtype == DType::kShape) {
      if (tensor.values != nullptr) size.attributes += TensorComplexity(*tensor.values);
      continue;
    }
    int64_t elements = 1;
    for (const int64_t n : tensor.shape) elements *= std::max<int64_t>(n, 0);
    size.ranks += static_cast<int64_t>(tensor.shape.size());
    if (Contains(block.outputs, tensor.name)) size.outputs += elements;
    if (tensor.values != nullptr) {
      size.elements += elements;
      size.values += TensorComplexity(*tensor.values);
    }
  }
  for (const ExecutionInputs& inputs : c.InputsOfExecutions()) {
    for (const auto& [name, tensor] : *inputs) {
      size.elements += tensor.size();
      size.values += TensorComplexity(tensor);
    }
  }
  return size;
}

StatusOr<Shrunk> Shrink(const Case& given, const Trial& trial, const ShrinkOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(given.edition));
  const Level* level = edition->FindLevel(given.level);
  if (level == nullptr) {
    return InvalidArgument(given.id, ": edition ", given.edition, " has no level ", given.level);
  }
  return Shrinker(*edition, *level, trial, options).Run(given);
}

}  // namespace cts
