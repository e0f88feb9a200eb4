// A plugin for `tensor-cts run SUITE --plugin libplugin.so`: CEIL and FLOOR of fp32, in graphs of
// one operator. It answers "not offered" to everything else, and refuses operands that
// cannot go together. Replace Prepare and Execute by calls of yours.
#include <tensor-cts/plugin.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

thread_local std::string why;

tensor_cts_status Say(tensor_cts_status status, std::string text) {
  why = std::move(text);
  return status;
}

// What Execute needs, and nothing that belongs to the graph.
struct Plan {
  float (*function)(float) = nullptr;
  std::vector<float> constant;  // the operand, if the graph has it
};

float Ceil(float x) { return std::ceil(x); }
float Floor(float x) { return std::floor(x); }

tensor_cts_status PlanOperator(const tensor_cts_block& block, const struct tensor_cts_operator& op,
                               Plan& plan) {
  const std::string_view name = op.name;
  plan.function = name == "CEIL" ? Ceil : name == "FLOOR" ? Floor : nullptr;
  if (plan.function == nullptr) {
    return Say(TENSOR_CTS_UNSUPPORTED, "an operator other than CEIL and FLOOR");
  }
  if (op.input_count != 1 || op.output_count != 1) {
    return Say(TENSOR_CTS_ERROR, "a wrong number of operands");
  }
  const tensor_cts_value& x = block.values[op.inputs[0]];
  const tensor_cts_value& y = block.values[op.outputs[0]];
  if (std::string_view(x.type) != y.type) {
    return Say(TENSOR_CTS_ERROR, "operand and result of different types");
  }
  if (!std::equal(x.shape, x.shape + x.rank, y.shape, y.shape + y.rank)) {
    return Say(TENSOR_CTS_ERROR, "operand and result of different shapes");
  }
  if (std::string_view(x.type) != "fp32") {
    return Say(TENSOR_CTS_UNSUPPORTED, "types other than fp32");
  }
  if (x.data != nullptr) {
    const auto* data = static_cast<const float*>(x.data);
    plan.constant.assign(data, data + x.bytes / sizeof(float));
  } else if (block.input_count != 1 || block.inputs[0] != op.inputs[0]) {
    return Say(TENSOR_CTS_UNSUPPORTED, "an operand that is no input of the graph");
  }
  return TENSOR_CTS_OK;
}

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** prepared) {
  try {
    const tensor_cts_block& block = graph->blocks[0];
    std::vector<const struct tensor_cts_operator*> operators;
    for (size_t i = 0; i < block.operator_count; ++i) {
      const bool is_constant = std::string_view(block.operators[i].name) == "CONST";
      if (!is_constant) operators.push_back(&block.operators[i]);  // a CONST's output has data
    }
    if (operators.size() != 1 || block.output_count != 1) {
      return Say(TENSOR_CTS_UNSUPPORTED, "graphs of more or less than one operator");
    }
    auto plan = std::make_unique<Plan>();
    const tensor_cts_status status = PlanOperator(block, *operators[0], *plan);
    *prepared = plan.release();  // the host frees it, whatever we return
    return status;
  } catch (const std::exception& error) {  // none may leave the plugin
    return Say(TENSOR_CTS_FAILED, error.what());
  }
}

tensor_cts_status Execute(void* prepared, const tensor_cts_input_buffer* inputs, size_t,
                          tensor_cts_output_buffer* outputs, size_t) {
  const Plan& plan = *static_cast<const Plan*>(prepared);
  const float* x =
      plan.constant.empty() ? static_cast<const float*>(inputs[0].data) : plan.constant.data();
  if (x == nullptr) return Say(TENSOR_CTS_ERROR, "a shape that no tensor has");
  const size_t count = outputs[0].bytes / sizeof(float);
  std::transform(x, x + count, static_cast<float*>(outputs[0].data), plan.function);
  outputs[0].written = count * sizeof(float);
  return TENSOR_CTS_OK;
}

const char* ErrorText() { return why.c_str(); }
void Free(void* prepared) { delete static_cast<Plan*>(prepared); }

const tensor_cts_plugin_table kTable = {
    TENSOR_CTS_PLUGIN_ABI, 0, "example", "1", nullptr, Prepare, Execute, ErrorText, Free};

}  // namespace

const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t abi) {
  return abi == TENSOR_CTS_PLUGIN_ABI ? &kTable : nullptr;
}
