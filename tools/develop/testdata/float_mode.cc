// Sets floating-point modes for a test. Preloaded into a command it sets the one of CTS_FLOAT_MODE
// before main, as a library that was linked with -ffast-math does. Loaded as a plugin, which clears
// the signs of fp16 (ABS), each of its functions sets that of CTS_PLUGIN_MODE.
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "reference/base/foreign_modes_testing.h"
#include "tools/adapters/plugin.h"

namespace {

void SetModeOf(const char* variable) {
  const char* const name = std::getenv(variable);
  if (name == nullptr) return;
  for (const cts::ForeignMode& mode : cts::kForeignModes) {
    if (std::strcmp(name, mode.name) == 0) return cts::SetForeignMode(mode);
  }
  std::abort();  // a mode that no table has
}

__attribute__((constructor)) void Start() {
  SetModeOf("CTS_FLOAT_MODE");
  SetModeOf("CTS_PLUGIN_MODE");
}

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** /*prepared*/) {
  SetModeOf("CTS_PLUGIN_MODE");
  const tensor_cts_block& block = graph->blocks[0];
  const bool abs = block.operator_count == 1 && std::strcmp(block.operators[0].name, "ABS") == 0 &&
                   std::strcmp(block.values[block.inputs[0]].type, "fp16") == 0;
  return abs ? TENSOR_CTS_OK : TENSOR_CTS_UNSUPPORTED;
}

tensor_cts_status Execute(void* /*prepared*/, const tensor_cts_input_buffer* inputs, size_t,
                          tensor_cts_output_buffer* outputs, size_t) {
  SetModeOf("CTS_PLUGIN_MODE");
  const tensor_cts_output_buffer& out = outputs[0];
  std::memcpy(out.data, inputs[0].data, out.bytes);
  auto* const bytes = static_cast<uint8_t*>(out.data);
  // Little-endian: the sign of an fp16 stands in the second byte.
  for (size_t i = 1; i < out.bytes; i += 2) bytes[i] &= 0x7F;
  outputs[0].written = out.bytes;
  return TENSOR_CTS_OK;
}

const char* ErrorText() {
  SetModeOf("CTS_PLUGIN_MODE");
  return "no ABS of fp16";
}

void Free(void* /*prepared*/) { SetModeOf("CTS_PLUGIN_MODE"); }

}  // namespace

extern "C" const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t) {
  SetModeOf("CTS_PLUGIN_MODE");
  static const tensor_cts_plugin_table table = {
      TENSOR_CTS_PLUGIN_ABI, 0, "float_mode", "1", nullptr, Prepare, Execute, ErrorText, Free};
  return &table;
}
