#include "reference/graph/evaluate.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "reference/graph/call.h"
#include "reference/ops/operator.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

using Values = std::map<std::string, std::shared_ptr<const Tensor>>;

std::string Place(const GraphOperator& op, size_t position) {
  return StrCat(op.op, " (operator ", position, ")");
}

// What makes a description a graph at all; the specification starts after that.
Status CheckStructure(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                      const Edition& edition) {
  if (graph.regions.empty() || graph.regions.front().blocks.empty()) {
    return InvalidArgument("graph: found no block, expected regions[0].blocks[0]");
  }
  const Block& block = graph.main();
  std::set<std::string> names;
  for (const GraphTensor& tensor : block.tensors) {
    if (!names.insert(tensor.name).second) {
      return InvalidArgument("graph: tensor ", tensor.name, " is declared twice");
    }
  }
  const auto declared = [&](const std::string& name, const std::string& where) -> Status {
    if (names.contains(name)) return absl::OkStatus();
    return InvalidArgument("graph, ", where, ": tensor ", name, " is not declared in the block");
  };
  std::set<std::string> defined;
  for (const std::string& name : block.inputs) {
    CTS_RETURN_IF_ERROR(declared(name, "inputs"));
    const auto found = inputs.find(name);
    const GraphTensor& tensor = *block.Find(name);
    if (found != inputs.end() &&
        (found->second.dtype() != tensor.dtype || found->second.shape() != tensor.shape)) {
      return InvalidArgument("graph, inputs: ", name, " is given as ", Name(found->second.dtype()),
                             ToString(found->second.shape()), ", declared as ", Name(tensor.dtype),
                             ToString(tensor.shape));
    }
    defined.insert(name);
  }
  for (size_t i = 0; i < block.operators.size(); ++i) {
    const GraphOperator& op = block.operators[i];
    const std::string where = Place(op, i);
    if (edition.FindOperator(op.op) == nullptr) {
      return InvalidArgument("graph, ", where, ": ", edition.id, " has no operator of that name");
    }
    if (FindOperator(op.op) == nullptr) {
      return InvalidArgument("graph, ", where, ": the reference does not have it yet");
    }
    for (const std::string& name : op.inputs) {
      CTS_RETURN_IF_ERROR(declared(name, where));
      if (!defined.contains(name)) {
        return InvalidArgument("graph, ", where, ": input ", name,
                               " is used before an operator or the graph's inputs define it");
      }
    }
    for (const std::string& name : op.outputs) {
      CTS_RETURN_IF_ERROR(declared(name, where));
      if (!defined.insert(name).second) {
        return InvalidArgument("graph, ", where, ": tensor ", name, " is defined twice");
      }
    }
  }
  for (const std::string& name : block.outputs) {
    CTS_RETURN_IF_ERROR(declared(name, "outputs"));
    if (!defined.contains(name)) {
      return InvalidArgument("graph, outputs: no operator defines ", name);
    }
  }
  return absl::OkStatus();
}

// The dimensions that no condition of the operator looks at, but that its inputs determine. The
// specification leaves them to the rule that output shapes are derivable from the inputs.
std::string OutputShapeMismatch(const Operator& op, const Call& call) {
  const StatusOr<Shapes> shapes = op.infer(call);
  if (!shapes.ok()) return "";  // no condition minds: only the computation can tell
  size_t next = 0;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    for (const GraphTensor* tensor : argument.tensors) {
      const Shape& expected = (*shapes)[next++];
      if (tensor->shape == expected) continue;
      return StrCat(argument.spec->name, ": found shape ", ToString(tensor->shape), ", expected ",
                    ToString(expected));
    }
  }
  return "";
}

// Everything wrong with a call before it is computed.
void CheckCall(const Operator& op, const Call& call, const std::string& where,
               std::vector<Violation>& violations) {
  for (const ArgumentViolation& v : call.violations()) {
    violations.push_back({v.condition, where, v.message});
  }
  if (!call.fits()) return;
  const unsigned edition = MaskOf(call.edition().id);
  const size_t before = violations.size();
  for (const Condition& condition : op.conditions()) {
    if ((condition.editions & edition) == 0 || condition.broken == nullptr) continue;
    if (condition.broken(call)) {
      violations.push_back({std::string(condition.id), where, std::string(condition.paraphrase)});
    }
  }
  if (violations.size() == before) {
    if (std::string mismatch = OutputShapeMismatch(op, call); !mismatch.empty()) {
      violations.push_back({"graph.output_shape", where, std::move(mismatch)});
    }
  }
}

// error_if and the argument tables make an error; require, levels and what is not said make the
// result unpredictable, and outrank them.
Outcome OutcomeOf(const std::vector<Violation>& violations) {
  static const std::map<std::string, ConditionKind, std::less<>> kinds = [] {
    std::map<std::string, ConditionKind, std::less<>> map;
    for (const Operator& op : Operators()) {
      for (const Condition& c : op.conditions()) map.emplace(c.id, c.kind);
    }
    for (const Conditions& list : {LibraryConditions(), GraphConditions()}) {
      for (const Condition& c : list) map.emplace(c.id, c.kind);
    }
    return map;
  }();
  Outcome outcome = Outcome::kValid;
  for (const Violation& v : violations) {
    if (kinds.at(v.condition) != ConditionKind::kErrorIf) return Outcome::kUnpredictable;
    outcome = Outcome::kError;
  }
  return outcome;
}

// A reference value in the type of its tensor. Only for results that are exact in it.
std::shared_ptr<const Tensor> Typed(const Tensor& ref, DType dtype) {
  if (ref.dtype() == dtype) return std::make_shared<Tensor>(ref);
  auto typed = std::make_shared<Tensor>(dtype, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) typed->SetFloat(i, ref.Float(i));
  return typed;
}

// One walk through a block.
class Walk {
 public:
  Walk(const Block& block, const Edition& edition, const Level& level,
       const std::map<std::string, Tensor>& inputs)
      : block_(block), edition_(edition), level_(level) {
    for (const auto& [name, tensor] : inputs) {
      values_[name] = std::make_shared<Tensor>(tensor);
    }
  }

  // What holds for the graph as a whole.
  void CheckInterface() {
    if (edition_.id == "tosa-0.100") return;
    for (const std::vector<std::string>* names : {&block_.inputs, &block_.outputs}) {
      for (const std::string& name : *names) {
        if (block_.Find(name)->dtype != DType::kShape) continue;
        violations_.push_back(
            {"graph.shape_interface", "graph", StrCat(name, ": found a shape, expected a tensor")});
      }
    }
  }

  // Calls `each(op, call, outputs)` for every operator but the constants, in order, once its
  // conditions hold; stops where one does not. `each` puts the values of its outputs in Values.
  template <class Each>
  Status Run(Each&& each) {
    CheckInterface();
    if (!violations_.empty()) return absl::OkStatus();
    for (size_t i = 0; i < block_.operators.size(); ++i) {
      const GraphOperator& node = block_.operators[i];
      const Operator& op = *FindOperator(node.op);
      const OperatorSpec& spec = *edition_.FindOperator(node.op);
      const Call call(edition_, spec, level_, block_, node, values_);
      if (call.fits()) {
        for (const Argument& argument : call.arguments()) {
          if (argument.spec->category != ArgumentCategory::kInput) continue;
          for (size_t k = 0; k < argument.values.size(); ++k) {
            // DIM looks at the shape alone.
            if (argument.values[k] != nullptr || node.op == "DIM") continue;
            return InvalidArgument("graph, ", Place(node, i), ": the values of ",
                                   argument.tensors[k]->name,
                                   " are not known: neither an input with a file, nor a constant, "
                                   "nor an exact result of another operator");
          }
        }
      }
      CheckCall(op, call, Place(node, i), violations_);
      if (!violations_.empty()) return absl::OkStatus();
      if (node.op == "CONST" || node.op == "CONST_SHAPE") {
        const GraphTensor& tensor = *block_.Find(node.outputs[0]);
        if (tensor.values == nullptr) {
          return InvalidArgument("graph, ", Place(node, i), ": tensor ", tensor.name,
                                 " has no values");
        }
        values_[tensor.name] = tensor.values;
        continue;
      }
      CTS_RETURN_IF_ERROR(each(op, call, node));
      // What a broken REQUIRE left without a value must not be asked for.
      if (!violations_.empty()) return absl::OkStatus();
    }
    return absl::OkStatus();
  }

  // A REQUIRE that broke while computing.
  void Break(std::string_view condition, const GraphOperator& node) {
    if (condition.empty()) return;
    violations_.push_back({std::string(condition), node.op, "broken by the data"});
  }

  Values& values() { return values_; }
  const std::vector<Violation>& violations() const { return violations_; }

 private:
  const Block& block_;
  const Edition& edition_;
  const Level& level_;
  Values values_;
  std::vector<Violation> violations_;
};

// One reference run: the outcome, and the answer for every tensor that an operator computed.
struct ReferenceRun {
  std::vector<Violation> violations;
  std::map<std::string, RuledAnswer> answers;  // by tensor
};

StatusOr<ReferenceRun> RunReference(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                                    const Edition& edition, const Level& level, int data_set,
                                    bool flush) {
  const Block& block = graph.main();
  Walk walk(block, edition, level, inputs);
  ReferenceRun run;
  CTS_RETURN_IF_ERROR(
      walk.Run([&](const Operator& op, const Call& call, const GraphOperator& node) {
        Computation computation(call, ComputationKind::kReference);
        computation.set_flush(flush);
        op.compute(call, computation);
        walk.Break(computation.broken(), node);
        if (!walk.violations().empty()) return absl::OkStatus();
        auto answers = ApplyPrecision(op, call, computation, flush, data_set);
        for (const Argument& argument : call.arguments()) {
          if (argument.spec->category != ArgumentCategory::kOutput) continue;
          const GraphTensor& tensor = *argument.tensors[0];
          RuledAnswer& answer = answers.at(argument.spec->name);
          // A result with a bound has no one value that a further operator could start from.
          if (answer.rule.kind == RuleKind::kExact) {
            walk.values()[tensor.name] = Typed(answer.answer.expected, tensor.dtype);
          }
          run.answers.emplace(tensor.name, std::move(answer));
        }
        return absl::OkStatus();
      }));
  // A constant that is itself an output of the graph.
  for (const std::string& name : block.outputs) {
    const GraphTensor& tensor = *block.Find(name);
    if (tensor.values == nullptr || !walk.violations().empty()) continue;
    Tensor expected = *tensor.values;
    if (IsFloat(tensor.dtype)) {
      expected = Tensor(DType::kFp64, tensor.shape);
      for (int64_t i = 0; i < expected.size(); ++i) {
        double x = tensor.values->Float(i);
        if (flush && Info(tensor.dtype).may_flush && IsSubnormal(tensor.dtype, x)) {
          x = std::copysign(0.0, x);
        }
        expected.SetFloat(i, x);
      }
    }
    run.answers.emplace(
        name, RuledAnswer{{.form = edition.id, .clause = StrCat(edition.id, ", CONST: exact")},
                          {.flushed = flush, .expected = std::move(expected)}});
  }
  run.violations = walk.violations();
  return run;
}

bool SameAnswer(const Answer& a, const Answer& b) {
  return a.expected == b.expected && a.bound == b.bound && a.upper == b.upper;
}

}  // namespace

const Conditions& GraphConditions() {
  static const Conditions conditions = {
      {"graph.operand_count", ConditionKind::kErrorIf,
       "an operator has another number of inputs or outputs than its argument table", nullptr},
      {"graph.attribute", ConditionKind::kErrorIf,
       "an attribute is missing, unknown, or of another type than in the argument table", nullptr},
      {"graph.type_row", ConditionKind::kErrorIf,
       "the tensors' types are in no row of the table of supported types", nullptr},
      {"graph.rank", ConditionKind::kErrorIf, "a tensor's rank is outside its argument's range",
       nullptr},
      {"graph.shape", ConditionKind::kErrorIf,
       "a tensor's shape contradicts its argument's, or another tensor's with the same dimension",
       nullptr},
      {"graph.output_shape", ConditionKind::kErrorIf,
       "an output's shape is not the one that the inputs determine", nullptr},
      {"graph.shape_interface", ConditionKind::kErrorIf,
       "an input or output of the graph is a shape", nullptr, kTosa10},
      {"graph.dimension", ConditionKind::kRequire, "a dimension is below 1", nullptr},
      {"graph.level_rank", ConditionKind::kLevel, "a tensor's rank exceeds the level's MAX_RANK",
       nullptr},
  };
  return conditions;
}

StatusOr<Evaluation> Evaluate(const Graph& graph, const std::map<std::string, Tensor>& inputs,
                              const Edition& edition, const Level& level, int data_set) {
  CTS_RETURN_IF_ERROR(CheckStructure(graph, inputs, edition));
  CTS_ASSIGN_OR_RETURN(ReferenceRun run,
                       RunReference(graph, inputs, edition, level, data_set, false));
  Evaluation evaluation;
  evaluation.violations = run.violations;
  evaluation.outcome = OutcomeOf(run.violations);
  if (evaluation.outcome != Outcome::kValid) return evaluation;

  const Block& block = graph.main();
  const bool may_flush = std::any_of(block.tensors.begin(), block.tensors.end(),
                                     [](const GraphTensor& t) { return Info(t.dtype).may_flush; });
  ReferenceRun flushed;
  if (may_flush) {
    CTS_ASSIGN_OR_RETURN(flushed, RunReference(graph, inputs, edition, level, data_set, true));
  }
  for (const std::string& name : block.outputs) {
    const GraphTensor& tensor = *block.Find(name);
    const auto found = run.answers.find(name);
    if (found == run.answers.end()) {
      return InvalidArgument("graph, outputs: ", name, " is an input of the graph");
    }
    ExpectedOutput output{
        name, tensor.dtype, tensor.shape, found->second.rule, {found->second.answer}};
    if (const auto other = flushed.answers.find(name); other != flushed.answers.end()) {
      if (!SameAnswer(other->second.answer, output.answers[0])) {
        output.answers.push_back(other->second.answer);
      }
    }
    evaluation.outputs.push_back(std::move(output));
  }
  return evaluation;
}

StatusOr<NativeResult> ExecuteNative(const Graph& graph,
                                     const std::map<std::string, Tensor>& inputs,
                                     const Edition& edition, const Level& level) {
  CTS_RETURN_IF_ERROR(CheckStructure(graph, inputs, edition));
  const Block& block = graph.main();
  Walk walk(block, edition, level, inputs);
  CTS_RETURN_IF_ERROR(
      walk.Run([&](const Operator& op, const Call& call, const GraphOperator& node) {
        Computation computation(call, ComputationKind::kNative);
        op.compute(call, computation);
        walk.Break(computation.broken(), node);
        for (const Argument& argument : call.arguments()) {
          if (argument.spec->category != ArgumentCategory::kOutput) continue;
          walk.values()[argument.tensors[0]->name] = computation.outputs().at(argument.spec->name);
        }
        return absl::OkStatus();
      }));
  NativeResult result{.outcome = OutcomeOf(walk.violations())};
  if (result.outcome != Outcome::kValid) {
    const Violation& first = walk.violations().front();
    result.message = StrCat(first.op, ": ", first.condition, ": ", first.message);
    return result;
  }
  for (const std::string& name : block.outputs) result.outputs.emplace(name, *walk.values()[name]);
  return result;
}

StatusOr<std::vector<ReadElement>> TraceElement(const Graph& graph,
                                                const std::map<std::string, Tensor>& inputs,
                                                const Edition& edition, const Level& level,
                                                std::string_view output, int64_t offset) {
  CTS_RETURN_IF_ERROR(CheckStructure(graph, inputs, edition));
  const Block& block = graph.main();
  Walk walk(block, edition, level, inputs);
  std::vector<ReadElement> elements;
  CTS_RETURN_IF_ERROR(
      walk.Run([&](const Operator& op, const Call& call, const GraphOperator& node) {
        for (const Argument& argument : call.arguments()) {
          if (argument.spec->category != ArgumentCategory::kOutput) continue;
          if (argument.tensors[0]->name != output) continue;
          Computation trace(call, ComputationKind::kTrace);
          trace.set_traced(argument.spec->name, offset);
          op.compute(call, trace);
          for (const auto& [id, position] : trace.loads()) {
            const auto [name, k] = trace.OperandName(id);
            const std::shared_ptr<const Tensor>& tensor = call.values(name, k);
            ReadElement element{.index = Index(tensor->shape(), position)};
            for (const Argument& input : call.arguments()) {
              if (input.spec->name == name) element.tensor = input.tensors[k]->name;
            }
            element.dtype = tensor->dtype();
            if (IsFloat(tensor->dtype())) {
              element.value = tensor->Float(position);
            } else {
              element.integer = tensor->Integer(position);
            }
            elements.push_back(std::move(element));
          }
          return absl::OkStatus();
        }
        // An earlier operator: what it computes is needed further on.
        Computation computation(call, ComputationKind::kNative);
        op.compute(call, computation);
        for (const Argument& argument : call.arguments()) {
          if (argument.spec->category != ArgumentCategory::kOutput) continue;
          walk.values()[argument.tensors[0]->name] = computation.outputs().at(argument.spec->name);
        }
        (void)node;
        return absl::OkStatus();
      }));
  return elements;
}

}  // namespace cts
