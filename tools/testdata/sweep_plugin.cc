// A plugin for the test of sweep: EXP, RECIPROCAL and CEIL of fp32, and what SWEEP_FAULT says,
// "KIND:BITS", of the input with these bits (in hexadecimal):
//   wrong                                    the result is one step further from zero; with
//                                            "wrong+N" N steps
//   crash, exit, hang, throw, refuse, short  of the whole call
//   input, behind, before                    writes there
//   silent                                   there is no result
//   fork                                     the call comes back in two processes
//   flush                                    subnormal inputs below it count as zero
//   always                                   every call crashes
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "tools/adapters/plugin.h"

namespace {

struct Fault {
  std::string kind;
  uint32_t bits = 0, steps = 1;
};

Fault ReadFault() {
  const char* const text = std::getenv("SWEEP_FAULT");
  if (text == nullptr) return {};
  const char* const colon = std::strchr(text, ':');
  Fault fault{std::string(text, colon),
              static_cast<uint32_t>(std::strtoul(colon + 1, nullptr, 16))};
  if (const size_t plus = fault.kind.find('+'); plus != std::string::npos) {
    fault.steps = static_cast<uint32_t>(std::atoi(fault.kind.c_str() + plus + 1));
    fault.kind.resize(plus);
  }
  return fault;
}

const char* why = "";

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** prepared) {
  const tensor_cts_operator& op = graph->blocks[0].operators[0];
  float (*function)(float) = nullptr;
  if (std::strcmp(op.name, "EXP") == 0) function = std::exp;
  if (std::strcmp(op.name, "CEIL") == 0) function = std::ceil;
  if (std::strcmp(op.name, "RECIPROCAL") == 0) function = [](float x) { return 1 / x; };
  why = "EXP, CEIL and RECIPROCAL of fp32";
  if (function == nullptr || std::strcmp(graph->blocks[0].values[0].type, "fp32") != 0) {
    return TENSOR_CTS_UNSUPPORTED;
  }
  *prepared = reinterpret_cast<void*>(function);
  return TENSOR_CTS_OK;
}

tensor_cts_status Execute(void* prepared, const tensor_cts_input_buffer* inputs, size_t,
                          tensor_cts_output_buffer* outputs, size_t) {
  static const Fault fault = ReadFault();
  const auto function = reinterpret_cast<float (*)(float)>(prepared);
  const auto* const in = static_cast<const float*>(inputs[0].data);
  auto* const out = static_cast<float*>(outputs[0].data);
  const size_t count = inputs[0].bytes / sizeof(float);
  outputs[0].written = outputs[0].bytes;
  for (size_t i = 0; i < count; ++i) {
    uint32_t bits = 0;
    std::memcpy(&bits, in + i, sizeof(bits));
    float x = in[i];
    if (fault.kind == "flush" && (bits & 0x7F800000) == 0 && (bits & 0x7FFFFFFF) < fault.bits) {
      x = std::copysign(0.0F, x);
    }
    if (fault.kind == "silent" && bits == fault.bits) continue;
    out[i] = function(x);
    if (fault.kind == "always") std::abort();
    if (bits != fault.bits || fault.kind.empty() || fault.kind == "flush") continue;
    if (fault.kind == "wrong") {
      uint32_t result = 0;
      std::memcpy(&result, out + i, sizeof(result));
      result += fault.steps;
      std::memcpy(out + i, &result, sizeof(result));
    }
    if (fault.kind == "crash") std::abort();
    if (fault.kind == "exit") std::exit(3);
    if (fault.kind == "hang") sleep(1000);
    if (fault.kind == "throw") throw std::runtime_error("thrown by the plugin");
    if (fault.kind == "input") const_cast<float*>(in)[i] = 2;  // NOLINT: the fault itself
    if (fault.kind == "behind") out[count] = 2;
    if (fault.kind == "before") out[-1] = 2;
    if (fault.kind == "fork") static_cast<void>(fork());
    if (fault.kind == "short") outputs[0].written = 1;
    why = "this one not";
    if (fault.kind == "refuse") return TENSOR_CTS_FAILED;
  }
  return TENSOR_CTS_OK;
}

}  // namespace

extern "C" const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t) {
  static const tensor_cts_plugin_table table = {
      TENSOR_CTS_PLUGIN_ABI, 0,           "sweep test", "1", nullptr, Prepare, Execute,
      [] { return why; },    [](void*) {}};
  return &table;
}
