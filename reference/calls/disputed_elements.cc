#include "reference/calls/disputed_elements.h"

#include <memory>
#include <string>
#include <utility>

#include "reference/base/float_format.h"
#include "reference/graph/disputed.h"

namespace cts {
namespace {

// The tensor without its other NaNs: what is left of them is in dispute.
Tensor WithoutQuietNans(Tensor tensor) {
  for (int64_t i = 0; HasSignallingNans(tensor.dtype()) && i < tensor.size(); ++i) {
    const double value = tensor.Element(i);
    const bool quiet = value != value && !IsSignallingNan(tensor.dtype(), tensor.Bits(i));
    if (quiet) tensor.SetBits(i, 0);
  }
  return tensor;
}

}  // namespace

std::vector<std::vector<bool>> DisputedElements(const OperatorCall& call) {
  // Where NaN is handed on, an element is NaN if and only if one reaches it.
  OperatorCall reached = call;
  for (auto& input : reached.inputs) input.second = WithoutQuietNans(std::move(input.second));
  Block& block = reached.graph.main();
  for (GraphTensor& tensor : block.tensors) {
    if (tensor.values == nullptr) continue;
    tensor.values = std::make_shared<const Tensor>(WithoutQuietNans(*tensor.values));
  }
  for (GraphOperator& op : block.operators) {
    const auto mode = op.attributes.find("nan_mode");
    if (mode != op.attributes.end()) mode->second = std::string("PROPAGATE");
  }
  const StatusOr<Evaluation> evaluation = EvaluateCall(reached);
  std::vector<std::vector<bool>> disputed;
  for (size_t k = 0; k < block.outputs.size(); ++k) {
    const Tensor* values = nullptr;
    if (evaluation.ok() && k < evaluation->outputs.size()) {
      const ExpectedOutput& output = evaluation->outputs[k];
      const bool known = IsFloat(output.dtype) && !output.answers.empty();
      if (known) values = &output.answers.front().expected;
    }
    const int64_t count = values != nullptr ? values->size() : 0;
    std::vector<bool>& elements = disputed.emplace_back();
    for (int64_t i = 0; i < count; ++i) {
      const double value = values->Element(i);
      elements.push_back(value != value);
    }
  }
  return disputed;
}

}  // namespace cts
