// Facts of SPIR-V, of SPV_ARM_tensors, SPV_ARM_graph and the instruction set TOSA.001000.1, for the
// code that writes and reads modules. Numbers are those of spirv.core.grammar.json and
// extinst.tosa.001000.1.grammar.json (KhronosGroup/SPIRV-Headers).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"

namespace cts::spirv {

inline constexpr uint32_t kMagic = 0x07230203, kVersion = 0x00010600;
inline constexpr size_t kHeaderWords = 5;
inline constexpr std::string_view kInstructionSet = "TOSA.001000.1";

enum class Op : uint32_t {
  kSource = 3,
  kName = 5,
  kMemberName = 6,
  kString = 7,
  kExtension = 10,
  kExtInstImport = 11,
  kExtInst = 12,
  kMemoryModel = 14,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeArray = 28,
  kTypeStruct = 30,
  kTypePointer = 32,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kConstantComposite = 44,
  kConstantNull = 46,
  kSpecConstantTrue = 48,
  kSpecConstantFalse = 49,
  kSpecConstant = 50,
  kSpecConstantComposite = 51,
  kVariable = 59,
  kDecorate = 71,
  kCompositeExtract = 81,
  kTypeTensor = 4163,
  kGraphConstant = 4181,
  kGraphEntryPoint = 4182,
  kGraph = 4183,
  kGraphInput = 4184,
  kGraphSetOutput = 4185,
  kGraphEnd = 4186,
  kTypeGraph = 4190,
  kConstantCompositeReplicate = 4461,
  kSpecConstantCompositeReplicate = 4462,
};

enum class Capability : uint32_t {
  kShader = 1,
  kFloat16 = 9,
  kInt64 = 11,
  kInt16 = 22,
  kInt8 = 39,
  kTensors = 4174,
  kGraph = 4191,
  kFloat8 = 4212,
  kBFloat16 = 5116,
  kVulkanMemoryModel = 5345,
  kReplicatedComposites = 6024,
};

inline constexpr uint32_t kLogical = 0, kVulkan = 3;  // operands of OpMemoryModel
inline constexpr uint32_t kSpecId = 1, kBinding = 33, kDescriptorSet = 34;
inline constexpr uint32_t kUniformConstant = 0;

// An element type: OpTypeBool, OpTypeInt of signedness 0, or OpTypeFloat.
struct ElementType {
  DType dtype;
  Op op;
  uint32_t bits;                     // 0 for OpTypeBool
  std::optional<uint32_t> encoding;  // the encoding of OpTypeFloat
  std::optional<Capability> capability;
  std::string_view extension;
};
// If several rows have the same SPIR-V type, a reader takes the first row.
inline constexpr std::array<ElementType, 11> kElementTypes = {{
    {DType::kBool, Op::kTypeBool, 0, {}, {}, ""},
    {DType::kI8, Op::kTypeInt, 8, {}, Capability::kInt8, ""},
    {DType::kI16, Op::kTypeInt, 16, {}, Capability::kInt16, ""},
    {DType::kI32, Op::kTypeInt, 32, {}, {}, ""},
    {DType::kShape, Op::kTypeInt, 32, {}, {}, ""},
    {DType::kI48, Op::kTypeInt, 64, {}, Capability::kInt64, ""},
    {DType::kFp16, Op::kTypeFloat, 16, {}, Capability::kFloat16, ""},
    {DType::kBf16, Op::kTypeFloat, 16, 0, Capability::kBFloat16, "SPV_KHR_bfloat16"},
    {DType::kFp32, Op::kTypeFloat, 32, {}, {}, ""},
    {DType::kFp8E4M3, Op::kTypeFloat, 8, 4214, Capability::kFloat8, "SPV_EXT_float8"},
    {DType::kFp8E5M2, Op::kTypeFloat, 8, 4215, Capability::kFloat8, "SPV_EXT_float8"},
}};

constexpr const ElementType* FindElementType(DType dtype) {
  for (const ElementType& row : kElementTypes) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

// An instruction of the set TOSA.001000.1; its number is its index in Instructions().
struct Instruction {
  std::string_view op;        // the operator of TOSA
  std::string_view operands;  // names of the edition's arguments, attributes and inputs alike
};
std::span<const Instruction> Instructions();

// The number of the instruction for an operator of TOSA; nullopt if the set has no such
// instruction.
std::optional<uint32_t> FindInstruction(std::string_view op);

// Splits "axis input" into axis and input.
std::vector<std::string> Operands(const Instruction& instruction);

}  // namespace cts::spirv
