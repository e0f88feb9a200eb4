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

bool AnyConstantHasOne(const Block& block) {
  return std::any_of(block.tensors.begin(), block.tensors.end(), [](const GraphTensor& tensor) {
    return tensor.values != nullptr && HasSignallingNan(*tensor.values);
  });
}

bool AnyConstantHasOne(const Graph& graph) {
  return std::any_of(graph.regions.begin(), graph.regions.end(), [](const Region& region) {
    return std::any_of(region.blocks.begin(), region.blocks.end(),
                       [](const Block& block) { return AnyConstantHasOne(block); });
  });
}

// Whether it has nan_mode IGNORE, and an operand of a type whose NaNs are of both kinds. For other
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

bool AnyInputHasOne(const ExecutionInputs& given) {
  return std::any_of(given->begin(), given->end(),
                     [](const auto& input) { return HasSignallingNan(input.second); });
}

bool IsControlFlow(const GraphOperator& op, const Graph& graph) {
  return std::any_of(op.attributes.begin(), op.attributes.end(), [&](const auto& attribute) {
    const auto* const name = std::get_if<std::string>(&attribute.second);
    return name != nullptr && graph.FindGraph(*name) != nullptr;
  });
}

bool ReadsAVariable(const GraphOperator& op) { return op.op == "VARIABLE_READ"; }

// The graphs that control flow runs, taken together.
struct InnerGraphs {
  explicit InnerGraphs(const Graph& graph) {
    for (size_t i = 1; i < graph.regions.size(); ++i) {
      ignore = ignore || Ignores(graph.regions[i]);
      for (const Block& block : graph.regions[i].blocks) {
        read = read || std::any_of(block.operators.begin(), block.operators.end(), ReadsAVariable);
        signal = signal || AnyConstantHasOne(block);
      }
    }
  }

  bool ignore = false;  // some operator ignores NaN
  bool read = false;    // some variable is read, which may hold anything
  bool signal = false;  // some constant holds a signalling NaN
};

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

std::set<std::string> DisputedTensors(const Graph& graph, const InputSequence& inputs,
                                      size_t execution) {
  const bool any =
      AnyConstantHasOne(graph) ||
      std::any_of(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(execution) + 1,
                  AnyInputHasOne);
  if (!any || !IgnoresNan(graph)) return {};
  const Block& block = graph.main();
  const InnerGraphs inner(graph);
  std::set<std::string> carry;  // tensors that may hold a signalling NaN
  for (const auto& [name, tensor] : *inputs[execution]) {
    if (HasSignallingNan(tensor)) carry.insert(name);
  }
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr && HasSignallingNan(*tensor.values)) carry.insert(tensor.name);
  }
  std::set<std::string> disputed;
  for (const GraphOperator& op : block.operators) {
    const auto takes = [&](const std::set<std::string>& names) {
      return std::any_of(op.inputs.begin(), op.inputs.end(),
                         [&](const std::string& name) { return names.contains(name); });
    };
    const bool runs = IsControlFlow(op, graph);
    const bool reads = ReadsAVariable(op) || (runs && inner.read);
    const bool carries = takes(carry) || reads || (runs && inner.signal);
    const bool ignores = IgnoresNan(op, block) || (runs && inner.ignore);
    const bool is_disputed = takes(disputed) || reads || (ignores && carries);
    for (const std::string& name : op.outputs) {
      if (carries) carry.insert(name);
      if (is_disputed) disputed.insert(name);
    }
  }
  return disputed;
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
  const bool any =
      AnyConstantHasOne(graph) || std::any_of(inputs.begin(), inputs.end(), AnyInputHasOne);
  return any ? std::string(kSignallingNanPoint) : "";
}

}  // namespace cts
