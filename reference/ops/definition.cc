#include "reference/ops/definition.h"

#include <cassert>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reference/ops/conditions.h"
#include "reference/ops/facts.h"
#include "reference/ops/finding.h"

namespace cts {
namespace {

using Values = std::map<std::string, std::shared_ptr<const Tensor>>;

// The definition of a call's operator over the tensors of that call, step by step.
class Steps {
 public:
  explicit Steps(const Call& call) : call_(call), definition_(*call.spec().definition) {
    edition_ = *FindEdition(definition_.edition);
    level_ = edition_->FindLevel(call.level().name);
    if (level_ == nullptr) level_ = &edition_->WidestLevel();
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kInput) continue;
      Declare(argument.spec->name, call.dtype(argument.spec->name), call.shape(argument.spec->name),
              argument.values.front());
    }
    for (const DefinitionConstant& constant : definition_.constants) {
      auto tensor = std::make_shared<Tensor>(constant.dtype, constant.shape);
      for (int64_t i = 0; i < tensor->size(); ++i) {
        const double value = constant.values[static_cast<size_t>(i)];
        IsFloat(constant.dtype) ? tensor->SetElement(i, value)
                                : tensor->SetInteger(i, static_cast<int64_t>(value));
      }
      Declare(constant.name, constant.dtype, constant.shape, std::move(tensor));
    }
  }

  // Declares every step's output. `at` is called with each step's call, which meets its conditions;
  // what it returns becomes the values of the step's output.
  template <class At>
  Status Run(At&& at) {
    for (const DefinitionStep& step : definition_.steps) {
      const OperatorSpec& spec = *edition_->FindOperator(step.op);
      const Operator& op = *OperatorFor(spec);
      GraphOperator node{step.op, step.inputs, {step.output}, {}};
      for (const auto& [name, value] : step.attributes) node.attributes[name] = Attribute(value);
      const auto bad = [&](const std::string& message) {
        return InvalidArgument(call_.spec().name, ", definition, ", step.op, " that makes ",
                               step.output, ": ", message);
      };
      const Call sizes(*edition_, spec, *level_, block_, node, values_);
      if (!sizes.fits()) return bad(sizes.violations().front().message);
      CTS_ASSIGN_OR_RETURN(const Shapes shapes, op.facts().infer(sizes));
      const std::optional<DType> dtype = call_.row().PlainType(step.type);
      Declare(step.output, dtype ? *dtype : *ParseDType(step.type), shapes.front(), nullptr);
      const Call call(*edition_, spec, *level_, block_, node, values_);
      if (!call.fits()) return bad(call.violations().front().message);
      for (const Condition& condition : ConditionsOf(op, spec, *edition_)) {
        if (condition.broken != nullptr && condition.broken(call)) {
          return bad(ExplainBroken(condition, call));
        }
      }
      StatusOr<std::shared_ptr<const Tensor>> values = at(op, call);
      if (!values.ok()) return bad(Message(values.status()));
      values_[step.output] = *std::move(values);
      block_.operators.push_back(std::move(node));
    }
    return absl::OkStatus();
  }

  // The steps that have been run, behind the constants that they read.
  Block WrittenOut() const {
    Block block = block_;
    std::vector<GraphOperator> made;
    for (const DefinitionConstant& constant : definition_.constants) {
      const bool is_shape = constant.dtype == DType::kShape;
      made.push_back({is_shape ? "CONST_SHAPE" : "CONST", {}, {constant.name}, {}});
      for (GraphTensor& tensor : block.tensors) {
        if (tensor.name == constant.name) tensor.values = values_.at(constant.name);
      }
    }
    block.operators.insert(block.operators.begin(), made.begin(), made.end());
    for (const Argument& argument : call_.arguments()) {
      const ArgumentCategory category = argument.spec->category;
      if (category == ArgumentCategory::kInput) block.inputs.push_back(argument.spec->name);
      if (category == ArgumentCategory::kOutput) block.outputs.push_back(argument.spec->name);
    }
    return block;
  }

  const Shape& ShapeOf(std::string_view tensor) const { return block_.Find(tensor)->shape; }
  const Tensor& ValuesOf(const std::string& tensor) const { return *values_.at(tensor); }

 private:
  void Declare(const std::string& name, DType dtype, const Shape& shape,
               std::shared_ptr<const Tensor> values) {
    block_.tensors.push_back({name, dtype, shape, nullptr});
    if (values != nullptr) values_[name] = std::move(values);
  }

  // "$axis" is the attribute `axis` of the operator that is defined.
  AttributeValue Attribute(const AttributeValue& value) const {
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr || !text->starts_with('$')) return value;
    for (const Argument& argument : call_.arguments()) {
      if (argument.spec->name == text->substr(1)) return *argument.attribute;
    }
    assert(false && "the edition has been checked when it was read");
    return value;
  }

  const Call& call_;
  const Definition& definition_;
  const Edition* edition_;
  const Level* level_;
  Block block_;
  Values values_;
};

std::vector<std::string> OutputsOf(const Call& call) {
  std::vector<std::string> names;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category == ArgumentCategory::kOutput) names.push_back(argument.spec->name);
  }
  return names;
}

Conditions DefinedConditions() { return {}; }

// Declares what the steps make, without values.
Status DeclareSteps(Steps& steps) {
  return steps.Run([](const Operator&, const Call&) {
    return StatusOr<std::shared_ptr<const Tensor>>(std::shared_ptr<const Tensor>());
  });
}

StatusOr<Shapes> InferDefined(const Call& call) {
  Steps steps(call);
  CTS_RETURN_IF_ERROR(DeclareSteps(steps));
  Shapes shapes;
  for (const std::string& name : OutputsOf(call)) shapes.push_back(steps.ShapeOf(name));
  return shapes;
}

OperatorFacts DefinedFacts() { return {.infer = InferDefined}; }

Status ComputeSteps(ComputationKind kind, bool flush, Steps& steps) {
  return steps.Run(
      [&](const Operator& op, const Call& step) -> StatusOr<std::shared_ptr<const Tensor>> {
        Computation each(step, kind);
        each.set_flush(flush);
        op.compute(step, each);
        if (!each.broken().empty()) return InvalidArgument(each.broken());
        return std::shared_ptr<const Tensor>(each.outputs().begin()->second);
      });
}

void ComputeDefined(const Call& call, Computation& computation) {
  if (computation.kind() == ComputationKind::kTrace) return;  // no one operator makes an element
  Steps steps(call);
  // A fault of arithmetic is one of a text. The steps compute as they should.
  const bool faulty = computation.kind() == ComputationKind::kFaulty;
  const ComputationKind kind = faulty ? ComputationKind::kNative : computation.kind();
  const bool fits = ComputeSteps(kind, computation.flush(), steps).ok();
  if (!fits) computation.Break("definition.step");
  for (const std::string& name : OutputsOf(call)) {
    // Every computation has all outputs, those that mean nothing, too.
    computation.Put(name, fits ? steps.ValuesOf(name) : Tensor(call.dtype(name), call.shape(name)));
  }
}

}  // namespace

const Operator* OperatorFor(const OperatorSpec& spec) {
  static const Operator defined{"", "definition", DefinedConditions, ComputeDefined, DefinedFacts};
  return spec.definition != nullptr ? &defined : FindOperator(spec.Seen().name);
}

StatusOr<Block> WriteOut(const Call& call) {
  Steps steps(call);
  CTS_RETURN_IF_ERROR(DeclareSteps(steps));
  return steps.WrittenOut();
}

Breach StepRefuses(const Call& call) {
  if (call.spec().definition == nullptr) return false;
  Steps steps(call);
  const Status run = ComputeSteps(ComputationKind::kReference, false, steps);
  return !run.ok() ? Breach::Saying(Message(run)) : false;
}

}  // namespace cts
