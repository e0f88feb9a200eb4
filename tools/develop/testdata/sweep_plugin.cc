// A plugin for the test of sweep: the operators of kFunctions in fp32; ABS of i32 and
// LOGICAL_RIGHT_SHIFT of i8, which end the process where the specification leaves the result open;
// and what SWEEP_FAULT says,
// "KIND:BITS", of the input with these bits (in hexadecimal):
//   wrong                                    the result is one step further from zero; with
//                                            "wrong+N" N steps
//   crash, exit, _exit, hang, throw, refuse, short, closes
//                                            of the whole call
//   input, zero-point, graph, behind, before, far-behind
//                                            writes there
//   late                                     a thread writes its result when the next call runs
//   late-idle                                a thread writes its result 50 ms later
//   forge                                    the plugin writes an answer of its host
//   stray                                    the plugin writes one byte there
//   once                                     likewise, unless the file of SWEEP_MARK is there,
//   which
//                                            it makes
//   scribble                                 the plugin writes over what it shares with its host,
//   and
//                                            hangs
//   slow-prepare                             to prepare takes 1.6 s
//   slow                                     every call takes 0.4 s
//   delay                                the call takes 1.6 s
//   silent                                   there is no result (of LOGICAL_RIGHT_SHIFT, too)
//   fork, fork-late                          the call comes back in two processes; in the second
//                                            one later, and with other results
//   flush                                    subnormal inputs below it count as zero
//   always                                   every call crashes
//   rough+N                                  every result is up to N - 1 steps off
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

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

constexpr struct {
  const char* name;
  float (*function)(float);
} kFunctions[] = {
    {"CEIL", [](float x) { return std::ceil(x); }},
    {"COS", [](float x) { return std::cos(x); }},
    {"ERF", [](float x) { return std::erf(x); }},
    {"EXP", [](float x) { return std::exp(x); }},
    {"NEGATE", [](float x) { return -x; }},
    {"RECIPROCAL", [](float x) { return 1 / x; }},
    {"SIN", [](float x) { return std::sin(x); }},
    {"TANH", [](float x) { return std::tanh(x); }},
    // Another publisher's operator (testdata/acme).
    {"V_EXP", [](float x) { return std::exp(x); }},
};

struct Prepared {
  float (*function)(float);  // null: of integers
  const tensor_cts_graph* graph;
};

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** prepared) {
  if (ReadFault().kind == "slow-prepare") usleep(1'600'000);
  const tensor_cts_operator& op = graph->blocks[0].operators[0];
  why = "other operators and types";
  const char* const type = graph->blocks[0].values[0].type;
  for (const auto& [name, of] : {std::pair("ABS", "i32"), std::pair("LOGICAL_RIGHT_SHIFT", "i8")}) {
    if (std::strcmp(op.name, name) != 0 || std::strcmp(type, of) != 0) continue;
    *prepared = new Prepared{nullptr, graph};
    return TENSOR_CTS_OK;
  }
  if (std::strcmp(type, "fp32") != 0) return TENSOR_CTS_UNSUPPORTED;
  for (const auto& [name, function] : kFunctions) {
    if (std::strcmp(op.name, name) != 0) continue;
    *prepared = new Prepared{function, graph};
    return TENSOR_CTS_OK;
  }
  return TENSOR_CTS_UNSUPPORTED;
}

// For what is none of its own.
template <class T>
T* Writable(const T* data) {
  return const_cast<T*>(data);  // NOLINT: the fault itself
}

void AddSteps(uint32_t steps, float* result) {
  uint32_t bits = 0;
  std::memcpy(&bits, result, sizeof(bits));
  bits += steps;
  std::memcpy(result, &bits, sizeof(bits));
}

void Abs(const Fault& fault, const int32_t* in, int32_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (in[i] == INT32_MIN) std::abort();
    out[i] = std::abs(in[i]);
    if (fault.kind == "wrong" && static_cast<uint32_t>(in[i]) == fault.bits) ++out[i];
  }
}

void ShiftRight(const Fault& fault, const int8_t* in, const int8_t* shift, int8_t* out,
                size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (shift[i] < 0 || shift[i] > 7) std::abort();
    const uint32_t bits =
        uint32_t{static_cast<uint8_t>(in[i])} << 8 | static_cast<uint8_t>(shift[i]);
    if (fault.kind == "silent" && bits == fault.bits) continue;
    out[i] = static_cast<int8_t>(static_cast<uint8_t>(in[i]) >> shift[i]);
  }
}

// Over the last part of the memory that is shared; then it hangs.
void Scribble() {
  for (int fd = 3; fd < 1024; ++fd) {
    char name[64] = {};
    const std::string link = "/proc/self/fd/" + std::to_string(fd);
    if (readlink(link.c_str(), name, sizeof(name) - 1) <= 0) continue;
    struct stat found = {};
    if (std::strstr(name, "tensor-cts-sweep") == nullptr || fstat(fd, &found) != 0) continue;
    const std::string times(129 * 4096, 0x41);
    static_cast<void>(
        !pwrite(fd, times.data(), times.size(), found.st_size - static_cast<off_t>(times.size())));
  }
  sleep(1000);
}

// To all that the host has, not to the standard streams.
void WriteToPipes(std::string_view text) {
  for (int fd = 3; fd < 1024; ++fd) {
    struct stat found = {};
    if (fstat(fd, &found) == 0 && S_ISFIFO(found.st_mode)) {
      static_cast<void>(!write(fd, text.data(), text.size()));
    }
  }
}

tensor_cts_status Execute(void* state, const tensor_cts_input_buffer* inputs, size_t input_count,
                          tensor_cts_output_buffer* outputs, size_t) {
  static const Fault fault = ReadFault();
  static float* late = nullptr;
  if (late != nullptr) std::thread([] { *late = 0; }).join();
  if (fault.kind == "slow") usleep(400'000);
  const Prepared& prepared = *static_cast<const Prepared*>(state);
  if (prepared.function == nullptr) {
    outputs[0].written = outputs[0].bytes;
    if (input_count == 1) {
      Abs(fault, static_cast<const int32_t*>(inputs[0].data),
          static_cast<int32_t*>(outputs[0].data), inputs[0].bytes / sizeof(int32_t));
    } else {
      ShiftRight(fault, static_cast<const int8_t*>(inputs[0].data),
                 static_cast<const int8_t*>(inputs[1].data), static_cast<int8_t*>(outputs[0].data),
                 inputs[0].bytes);
    }
    return TENSOR_CTS_OK;
  }
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
    out[i] = prepared.function(x);
    if (fault.kind == "always") std::abort();
    if (fault.kind == "rough" && std::isfinite(out[i])) {
      AddSteps((bits * 2654435761U >> 16) % fault.steps, out + i);
    }
    if (bits != fault.bits || fault.kind.empty() || fault.kind == "flush") continue;
    if (fault.kind == "wrong") AddSteps(fault.steps, out + i);
    if (fault.kind == "crash") std::abort();
    if (fault.kind == "exit") std::exit(0);
    if (fault.kind == "_exit") _exit(0);
    if (fault.kind == "hang") sleep(1000);
    if (fault.kind == "scribble") Scribble();
    if (fault.kind == "delay") usleep(1'600'000);
    if (fault.kind == "throw") throw std::runtime_error("thrown by the plugin");
    if (fault.kind == "closes") {
      for (int fd = 0; fd < 1024; ++fd) close(fd);
    }
    if (fault.kind == "input") *Writable(in + i) = 2;
    if (fault.kind == "zero-point") {
      const tensor_cts_block& block = prepared.graph->blocks[0];
      const void* zero_point = input_count > 1 ? inputs[1].data : nullptr;
      for (size_t k = 0; k < block.value_count; ++k) {
        if (std::strcmp(block.values[k].name, "input1_zp") == 0 && block.values[k].data) {
          zero_point = block.values[k].data;
        }
      }
      *Writable(static_cast<const float*>(zero_point)) = 2;
    }
    if (fault.kind == "graph") *Writable(prepared.graph->blocks[0].values[0].shape) = 2;
    if (fault.kind == "behind") out[count] = 2;
    if (fault.kind == "before") out[-1] = 2;
    if (fault.kind == "far-behind") out[count + 16] = 2;
    if (fault.kind == "late") late = out + i;
    if (fault.kind == "late-idle") {
      std::thread([at = out + i] {
        usleep(50'000);
        *at = 0;
      }).detach();
    }
    if (fault.kind == "forge") WriteToPipes("done 1\n");
    if (fault.kind == "stray") WriteToPipes("x");
    if (fault.kind == "once" && access(std::getenv("SWEEP_MARK"), F_OK) != 0) {
      close(creat(std::getenv("SWEEP_MARK"), 0600));
      WriteToPipes("x");
    }
    if (fault.kind == "fork") static_cast<void>(fork());
    if (fault.kind == "fork-late" && fork() == 0) {
      usleep(100000);
      return TENSOR_CTS_FAILED;
    }
    if (fault.kind == "short") outputs[0].written = 1;
    why = "this one not";
    if (fault.kind == "refuse") return TENSOR_CTS_FAILED;
  }
  return TENSOR_CTS_OK;
}

}  // namespace

extern "C" const tensor_cts_plugin_table* tensor_cts_plugin(uint32_t) {
  static const tensor_cts_plugin_table table = {
      TENSOR_CTS_PLUGIN_ABI,
      0,
      "sweep test",
      "1",
      nullptr,
      Prepare,
      Execute,
      [] { return why; },
      [](void* state) { delete static_cast<Prepared*>(state); }};
  return &table;
}
