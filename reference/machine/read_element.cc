#include "reference/machine/read_element.h"

#include <algorithm>
#include <memory>

#include "reference/base/permute.h"

namespace cts {

ReadElement ReadOf(const Call& call, const Computation& trace, const TracedLoad& load) {
  const auto [name, k] = trace.OperandName(load.operand);
  const std::shared_ptr<const Tensor>& tensor = call.values(name, k);
  ReadElement element{.index = Index(tensor->shape(), load.offset)};
  for (const Argument& input : call.arguments()) {
    if (input.spec->name != name || input.was_attribute) continue;
    element.tensor = input.tensors[static_cast<size_t>(k)]->name;
    element.index = Permute(element.index, Inverse(input.view_axes));
  }
  element.dtype = tensor->dtype();
  element.factors = load.factors;
  if (IsFloat(tensor->dtype())) {
    element.value = tensor->Element(load.offset);
  } else {
    element.integer = tensor->Integer(load.offset);
  }
  return element;
}

std::string BrokenElement(const Operator& op, const Call& call, std::string_view broken) {
  constexpr size_t kMost = 4;
  for (const Argument& output : call.arguments()) {
    if (output.spec->category != ArgumentCategory::kOutput) continue;
    Computation trace(call, ComputationKind::kTrace);
    trace.set_traced(output.spec->name, -1);
    op.compute(call, trace);
    if (trace.broken() != broken) continue;
    const Shape& shape = output.tensors[0]->shape;
    std::string text =
        StrCat(output.tensors[0]->name,
               ToString(Permute(Index(shape, trace.broken_at()), Inverse(output.view_axes))));
    const Loads& loads = trace.loads();
    for (size_t k = 0; k < std::min(loads.size(), kMost); ++k) {
      const ReadElement read = ReadOf(call, trace, loads[k]);
      const std::string value =
          IsFloat(read.dtype) ? NumberText(read.value) : std::to_string(read.integer);
      const std::string operand = trace.OperandName(loads[k].operand).first;
      text += StrCat(k == 0 ? " of " : ", ", read.tensor.empty() ? operand : read.tensor,
                     ToString(read.index), " = ", value);
    }
    if (loads.size() > kMost) text += StrCat(" and ", loads.size() - kMost, " more");
    return text;
  }
  return "";
}

}  // namespace cts
