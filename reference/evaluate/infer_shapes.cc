#include "reference/evaluate/infer_shapes.h"

#include <algorithm>

#include "reference/graph/call.h"
#include "reference/graph/structure.h"
#include "reference/ops/definition.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {

StatusOr<std::map<std::string, Shape>> InferShapes(
    const GraphOperator& op, const Block& block,
    const std::map<std::string, std::shared_ptr<const Tensor>>& values, const Edition& edition,
    const Level& level, const Surroundings& surroundings) {
  const OperatorSpec* spec = edition.FindOperator(op.op);
  const Operator* known = spec == nullptr ? nullptr : OperatorFor(*spec);
  if (spec == nullptr || known == nullptr) {
    return InvalidArgument(op.op, ": ", UnknownOperator(op.op, edition));
  }
  if ((spec->group == "control-flow" && surroundings.graph == nullptr) ||
      (spec->group == "variable" && surroundings.variables == nullptr)) {
    return InvalidArgument(op.op, ": its graph is not known");
  }
  // A call skips outputs that are not declared.
  Block inputs{.name = block.name};
  const bool constant = IsConstant(op);
  for (const std::string& name : constant ? op.outputs : op.inputs) {
    const GraphTensor* tensor = block.Find(name);
    if (tensor == nullptr) return InvalidArgument(op.op, ": tensor ", name, " is not declared");
    if (inputs.Find(name) == nullptr) inputs.tensors.push_back(*tensor);
  }
  const Call call(edition, *spec, level, inputs, op, values, surroundings);
  if (!call.fits()) {
    const ArgumentViolation& first = call.violations().front();
    return InvalidArgument(op.op, ": ", first.condition, ": ", first.message);
  }
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kInput) continue;
    if (!argument.spec->type.starts_with("shape_t") || argument.values[0] != nullptr) continue;
    return InvalidArgument(op.op, ": the values of ", argument.spec->name, " are not known");
  }
  CTS_ASSIGN_OR_RETURN(const Shapes shapes, known->facts().infer(call));
  const bool lists_sizes =
      std::any_of(spec->arguments.begin(), spec->arguments.end(), [](const ArgumentSpec& argument) {
        return argument.category == ArgumentCategory::kOutput && argument.type == "shape_t";
      });
  if (shapes.size() != op.outputs.size()) {
    return InvalidArgument(op.op, ": found ", op.outputs.size(), " outputs, expected ",
                           shapes.size());
  }
  std::vector<AxisOrder> back;  // to the edition's layout, output by output
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    back.resize(back.size() + std::max<size_t>(1, argument.tensors.size()),
                Inverse(argument.view_axes));
  }
  std::map<std::string, Shape> result;
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    const Shape shape = Permute(shapes[i], back[i]);
    // A list of sizes may be empty.
    const StatusOr<int64_t> count = CheckedElementCount(shape);
    if (!count.ok() && !(lists_sizes && shape == Shape{0})) {
      return Annotate(count.status(), StrCat(op.op, ", ", op.outputs[i]));
    }
    result[op.outputs[i]] = shape;
  }
  return result;
}

}  // namespace cts
