#include "reference/graph/disputed.h"

#include <algorithm>
#include <set>

#include "reference/base/float_format.h"

namespace cts {
namespace {

// The bit that tells a quiet NaN from a signalling one; 0 of types in which nothing does.
uint64_t QuietBit(DType dtype) {
  return HasSignallingNans(dtype) ? uint64_t{1} << (Format(dtype).fraction_bits - 1) : 0;
}

bool HasSignallingNan(const Tensor& tensor) {
  if (QuietBit(tensor.dtype()) == 0) return false;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsSignallingNan(tensor.dtype(), tensor.Bits(i))) return true;
  }
  return false;
}

bool AnyConstantHasOne(const Graph& graph) {
  for (const Region& region : graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphTensor& tensor : block.tensors) {
        if (tensor.values != nullptr && HasSignallingNan(*tensor.values)) return true;
      }
    }
  }
  return false;
}

// Whether it has nan_mode IGNORE, and an operand of a type whose NaNs are of both kinds. Of other
// types the mode means nothing, or nothing is disputed.
bool IgnoresNan(const GraphOperator& op, const Block& block) {
  const auto mode = op.attributes.find("nan_mode");
  if (mode == op.attributes.end()) return false;
  const auto* const name = std::get_if<std::string>(&mode->second);
  if (name == nullptr || *name != "IGNORE") return false;
  return std::any_of(op.inputs.begin(), op.inputs.end(), [&](const std::string& input) {
    const GraphTensor* const tensor = block.Find(input);
    return tensor != nullptr && HasSignallingNans(tensor->dtype);
  });
}

bool Ignores(const Region& region) {
  return std::any_of(region.blocks.begin(), region.blocks.end(), [](const Block& block) {
    return std::any_of(block.operators.begin(), block.operators.end(),
                       [&](const GraphOperator& op) { return IgnoresNan(op, block); });
  });
}

// Whether it is an operator of control flow in a graph in which any of the others ignores NaN.
bool RunsWhatIgnoresNan(const GraphOperator& op, const Graph& graph) {
  const bool runs =
      std::any_of(op.attributes.begin(), op.attributes.end(), [&](const auto& attribute) {
        const auto* const name = std::get_if<std::string>(&attribute.second);
        return name != nullptr && graph.FindGraph(*name) != nullptr;
      });
  return runs && std::any_of(graph.regions.begin() + 1, graph.regions.end(), Ignores);
}

}  // namespace

bool HasSignallingNans(DType dtype) {
  return dtype == DType::kFp16 || dtype == DType::kBf16 || dtype == DType::kFp32;
}

bool IsSignallingNan(DType dtype, uint64_t bits) {
  const uint64_t quiet = QuietBit(dtype);
  if (quiet == 0 || (bits & quiet) != 0) return false;
  const double value = DecodeFloat(dtype, bits);
  return value != value;
}

bool IgnoresNan(const Graph& graph) {
  return std::any_of(graph.regions.begin(), graph.regions.end(), Ignores);
}

bool IsDisputed(const Graph& graph, std::string_view output) {
  const Block& block = graph.main();
  std::set<std::string_view> behind = {output};
  for (auto op = block.operators.rbegin(); op != block.operators.rend(); ++op) {
    const bool makes = std::any_of(op->outputs.begin(), op->outputs.end(),
                                   [&](const std::string& name) { return behind.contains(name); });
    if (!makes) continue;
    // An earlier execution may have written anything there.
    if (op->op == "VARIABLE_READ") return true;
    if (IgnoresNan(*op, block) || RunsWhatIgnoresNan(*op, graph)) return true;
    behind.insert(op->inputs.begin(), op->inputs.end());
  }
  return false;
}

bool QuietNans(Tensor& tensor) {
  const uint64_t quiet = QuietBit(tensor.dtype());
  bool any = false;
  for (int64_t i = 0; quiet != 0 && i < tensor.size(); ++i) {
    const uint64_t bits = tensor.Bits(i);
    if (!IsSignallingNan(tensor.dtype(), bits)) continue;
    tensor.SetBits(i, bits | quiet);
    any = true;
  }
  return any;
}

std::string DisputeOf(const Graph& graph, const InputSequence& inputs) {
  if (!IgnoresNan(graph)) return "";
  const auto has_one = [](const ExecutionInputs& given) {
    return std::any_of(given->begin(), given->end(),
                       [](const auto& input) { return HasSignallingNan(input.second); });
  };
  if (!std::any_of(inputs.begin(), inputs.end(), has_one) && !AnyConstantHasOne(graph)) return "";
  return std::string(kSignallingNanPoint);
}

}  // namespace cts
