// The C library's own functions of float as a plugin, to be swept:
//
//   tensor-cts sweep --operator EXP --type fp32 --plugin libcts_libm.so
//
// fp32 calls them as they are; fp16 and bf16 are widened, computed in float and rounded to nearest
// even. Functions that the library lacks are made of those that it has: SIGMOID is 1 / (1 +
// expf(-x)), RSQRT 1 / sqrtf(x), RECIPROCAL 1 / x.
#include "tools/adapters/plugin.h"

#include <gnu/libc-version.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <new>

namespace {

using Function = void (*)(const float* x, const float* y, float* z, size_t n);

template <float (*kFunction)(float)>
void Unary(const float* x, const float*, float* z, size_t n) {
  for (size_t i = 0; i < n; ++i) z[i] = kFunction(x[i]);
}
void Power(const float* x, const float* y, float* z, size_t n) {
  for (size_t i = 0; i < n; ++i) z[i] = powf(x[i], y[i]);
}

float Reciprocal(float x) { return 1 / x; }
float Rsqrt(float x) { return 1 / sqrtf(x); }
float Sigmoid(float x) { return 1 / (1 + expf(-x)); }

constexpr struct {
  const char* name;
  Function function;
  size_t operands;
} kFunctions[] = {
    {"COS", Unary<cosf>, 1},    {"ERF", Unary<erff>, 1},
    {"EXP", Unary<expf>, 1},    {"LOG", Unary<logf>, 1},
    {"POW", Power, 2},          {"RECIPROCAL", Unary<Reciprocal>, 1},
    {"RSQRT", Unary<Rsqrt>, 1}, {"SIGMOID", Unary<Sigmoid>, 1},
    {"SIN", Unary<sinf>, 1},    {"TANH", Unary<tanhf>, 1},
};

float OfBf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }
uint16_t ToBf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float OfFp16(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, magnitude = bits & 0x7FFFu;
  if (magnitude >= 0x7C00) {
    return std::bit_cast<float>(sign | 0x7F800000 | (magnitude & 0x3FF) << 13);
  }
  // 2^112 makes up for the difference of the biases, of subnormal numbers, too.
  const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
}
uint16_t ToFp16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const uint32_t sign = bits >> 16 & 0x8000;
  const float magnitude = std::fabs(value);
  if (value != value) return static_cast<uint16_t>(sign | 0x7E00);
  if (magnitude >= 65520) return static_cast<uint16_t>(sign | 0x7C00);
  // Added to a number with the right last place, the sum is rounded there.
  const float at_least = magnitude < 0x1p-14f ? 0x1p-14f : magnitude;
  const uint32_t exponent = std::bit_cast<uint32_t>(at_least) & 0x7F800000;
  const auto shifter = std::bit_cast<float>(exponent + (13u << 23));
  const uint32_t steps =
      std::bit_cast<uint32_t>(magnitude + shifter) - std::bit_cast<uint32_t>(shifter);
  const uint32_t binade = (exponent >> 23) - 113;  // 0: 2^-14 and below
  return static_cast<uint16_t>(sign + (binade << 10) + steps);
}

enum class Type { kFp32, kFp16, kBf16 };

struct Prepared {
  Function function;
  size_t operands;
  Type type;
};

thread_local const char* error = nullptr;

tensor_cts_status Refuse(tensor_cts_status status, const char* why) {
  error = why;
  return status;
}

tensor_cts_status Prepare(const tensor_cts_graph* graph, void** prepared) {
  const tensor_cts_block& block = graph->blocks[0];
  if (graph->block_count != 1 || block.operator_count != 1 || block.output_count != 1) {
    return Refuse(TENSOR_CTS_UNSUPPORTED, "graphs of one operator only");
  }
  const tensor_cts_operator& op = block.operators[0];
  for (const auto& [name, function, operands] : kFunctions) {
    if (std::strcmp(op.name, name) != 0) continue;
    if (op.input_count != operands || block.input_count != operands || op.output_count != 1) break;
    const tensor_cts_value& output = block.values[op.outputs[0]];
    for (size_t k = 0; k < operands; ++k) {
      const tensor_cts_value& input = block.values[op.inputs[k]];
      if (std::strcmp(input.type, output.type) != 0 || input.bytes != output.bytes) {
        return Refuse(TENSOR_CTS_UNSUPPORTED, "operands like the result only");
      }
    }
    Type type = Type::kFp32;
    if (std::strcmp(output.type, "fp16") == 0) {
      type = Type::kFp16;
    } else if (std::strcmp(output.type, "bf16") == 0) {
      type = Type::kBf16;
    } else if (std::strcmp(output.type, "fp32") != 0) {
      return Refuse(TENSOR_CTS_UNSUPPORTED, "fp32, fp16 and bf16 only");
    }
    *prepared = new (std::nothrow) Prepared{function, operands, type};
    return *prepared == nullptr ? Refuse(TENSOR_CTS_FAILED, "no memory") : TENSOR_CTS_OK;
  }
  return Refuse(TENSOR_CTS_UNSUPPORTED, "the C library has no function for this operator");
}

// 16 bits, in parts that stay in the cache.
void Widened(const Prepared& prepared, const uint16_t* in1, const uint16_t* in2, uint16_t* out,
             size_t count) {
  constexpr size_t kPart = 1024;
  float x[kPart], y[kPart], z[kPart];
  const bool is_fp16 = prepared.type == Type::kFp16;
  for (size_t first = 0; first < count; first += kPart) {
    const size_t n = count - first < kPart ? count - first : kPart;
    for (size_t i = 0; i < n; ++i) x[i] = is_fp16 ? OfFp16(in1[first + i]) : OfBf16(in1[first + i]);
    for (size_t i = 0; i < n; ++i) y[i] = is_fp16 ? OfFp16(in2[first + i]) : OfBf16(in2[first + i]);
    prepared.function(x, y, z, n);
    for (size_t i = 0; i < n; ++i) out[first + i] = is_fp16 ? ToFp16(z[i]) : ToBf16(z[i]);
  }
}

tensor_cts_status Execute(void* state, const tensor_cts_input_buffer* inputs, size_t input_count,
                          tensor_cts_output_buffer* outputs, size_t output_count) {
  const Prepared& prepared = *static_cast<const Prepared*>(state);
  if (input_count != prepared.operands || output_count != 1) {
    return Refuse(TENSOR_CTS_FAILED, "another number of tensors than prepared");
  }
  const void *first = inputs[0].data, *second = inputs[input_count - 1].data;
  tensor_cts_output_buffer& output = outputs[0];
  output.written = output.bytes;
  if (prepared.type == Type::kFp32) {
    prepared.function(static_cast<const float*>(first), static_cast<const float*>(second),
                      static_cast<float*>(output.data), output.bytes / 4);
  } else {
    Widened(prepared, static_cast<const uint16_t*>(first), static_cast<const uint16_t*>(second),
            static_cast<uint16_t*>(output.data), output.bytes / 2);
  }
  return TENSOR_CTS_OK;
}

const char* ErrorText() { return error; }
void Free(void* state) { delete static_cast<Prepared*>(state); }

}  // namespace

extern "C" __attribute__((visibility("default"))) const tensor_cts_plugin_table* tensor_cts_plugin(
    uint32_t abi) {
  static const tensor_cts_plugin_table table = {
      TENSOR_CTS_PLUGIN_ABI,
      TENSOR_CTS_PLUGIN_THREADS,
      "glibc libm",
      gnu_get_libc_version(),
      "float functions of the C library; sigmoid, rsqrt and reciprocal made of them",
      Prepare,
      Execute,
      ErrorText,
      Free,
  };
  return abi == TENSOR_CTS_PLUGIN_ABI ? &table : nullptr;
}
