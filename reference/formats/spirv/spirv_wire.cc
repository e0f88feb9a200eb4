#include "reference/formats/spirv/spirv_wire.h"

#include <sstream>

namespace cts::spirv {
namespace {

constexpr Instruction kInstructions[] = {
    {"ARGMAX", "axis nan_mode input"},
    {"AVG_POOL2D", "kernel stride pad acc_type input input_zp output_zp"},
    {"CONV2D", "pad stride dilation acc_type local_bound input weight bias input_zp weight_zp"},
    {"CONV3D", "pad stride dilation acc_type local_bound input weight bias input_zp weight_zp"},
    {"DEPTHWISE_CONV2D",
     "pad stride dilation acc_type local_bound input weight bias input_zp weight_zp"},
    {"FFT2D", "inverse local_bound input_real input_imag"},
    {"MATMUL", "A B A_zp B_zp"},
    {"MAX_POOL2D", "kernel stride pad nan_mode input"},
    {"RFFT2D", "local_bound input_real"},
    {"TRANSPOSE_CONV2D",
     "out_pad stride acc_type local_bound input weight bias input_zp weight_zp"},
    {"CLAMP", "min_val max_val nan_mode input"},
    {"ERF", "input"},
    {"SIGMOID", "input"},
    {"TANH", "input"},
    {"ADD", "input1 input2"},
    {"ARITHMETIC_RIGHT_SHIFT", "round input1 input2"},
    {"BITWISE_AND", "input1 input2"},
    {"BITWISE_OR", "input1 input2"},
    {"BITWISE_XOR", "input1 input2"},
    {"INTDIV", "input1 input2"},
    {"LOGICAL_AND", "input1 input2"},
    {"LOGICAL_LEFT_SHIFT", "input1 input2"},
    {"LOGICAL_RIGHT_SHIFT", "input1 input2"},
    {"LOGICAL_OR", "input1 input2"},
    {"LOGICAL_XOR", "input1 input2"},
    {"MAXIMUM", "nan_mode input1 input2"},
    {"MINIMUM", "nan_mode input1 input2"},
    {"MUL", "input1 input2 shift"},
    {"POW", "input1 input2"},
    {"SUB", "input1 input2"},
    {"TABLE", "input1 table"},
    {"ABS", "input1"},
    {"BITWISE_NOT", "input1"},
    {"CEIL", "input1"},
    {"CLZ", "input1"},
    {"COS", "input1"},
    {"EXP", "input1"},
    {"FLOOR", "input1"},
    {"LOG", "input1"},
    {"LOGICAL_NOT", "input1"},
    {"NEGATE", "input1 input1_zp output_zp"},
    {"RECIPROCAL", "input1"},
    {"RSQRT", "input1"},
    {"SIN", "input1"},
    {"SELECT", "input1 input2 input3"},
    {"EQUAL", "input1 input2"},
    {"GREATER", "input1 input2"},
    {"GREATER_EQUAL", "input1 input2"},
    {"REDUCE_ALL", "axis input"},
    {"REDUCE_ANY", "axis input"},
    {"REDUCE_MAX", "axis nan_mode input"},
    {"REDUCE_MIN", "axis nan_mode input"},
    {"REDUCE_PRODUCT", "axis input"},
    {"REDUCE_SUM", "axis input"},
    {"CONCAT", "axis input1"},
    {"PAD", "input1 padding pad_const"},
    {"RESHAPE", "input1 shape"},
    {"REVERSE", "axis input1"},
    {"SLICE", "input1 start size"},
    {"TILE", "input1 multiples"},
    {"TRANSPOSE", "perms input1"},
    {"GATHER", "values indices"},
    {"SCATTER", "values_in indices input"},
    {"RESIZE", "mode input scale offset border"},
    {"CAST", "input"},
    {"RESCALE",
     "scale32 rounding_mode per_channel input_unsigned output_unsigned input multiplier shift "
     "input_zp output_zp"},
};

}  // namespace

std::span<const Instruction> Instructions() { return kInstructions; }

std::optional<uint32_t> FindInstruction(std::string_view op) {
  for (uint32_t number = 0; number < std::size(kInstructions); ++number) {
    if (kInstructions[number].op == op) return number;
  }
  return std::nullopt;
}

std::vector<std::string> Operands(const Instruction& instruction) {
  std::istringstream words{std::string(instruction.operands)};
  std::vector<std::string> names;
  for (std::string name; words >> name;) names.push_back(name);
  return names;
}

}  // namespace cts::spirv
