// The spelling of an edition's names in MLIR's tosa dialect, for the code that writes and reads
// text of the dialect. The facts are from mlir/Dialect/Tosa/IR and mlir/IR of LLVM 22 and 19.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "reference/spec/type_names.h"

namespace cts {

struct MlirSpelling {
  std::string_view name;
  std::string_view mlir;
};

// Element types. The dialect of MLIR 22 has no unsigned integers, since RESCALE has an attribute
// for them. No operator of this dialect takes f64, but the text can hold this type.
inline constexpr std::array<MlirSpelling, 13> kMlirElementTypes = {{
    {"bool", "i1"},
    {"i4", "i4"},
    {"i8", "i8"},
    {"i16", "i16"},
    {"i32", "i32"},
    {"i48", "i48"},
    {"i64", "i64"},
    {"fp8e4m3", "f8E4M3FN"},
    {"fp8e5m2", "f8E5M2"},
    {"fp16", "f16"},
    {"bf16", "bf16"},
    {"fp32", "f32"},
    {"fp64", "f64"},
}};

// Enumerations for which the dialect has its own attributes, with other names.
inline constexpr std::array<MlirSpelling, 3> kMlirEnumerations = {{
    {"nan_propagation_mode_t", "#tosa.nan_mode"},
    {"resize_mode_t", "#tosa.resize_mode"},
    {"rounding_mode_t", "#tosa.rounding_mode"},
}};

// The form of an argument that the dialect names or represents differently from the edition. Each
// comment gives the edition's form before the colon, and the dialect's form after it.
enum class MlirForm {
  kString,       // an enumeration: a string
  kI32,          // a number of the tensor's type: an i32
  kI64List,      // a constant shape: a list, and no operand
  kI32List,      // a constant of one dimension: a list of i32, and no operand
  kI8List,       // a constant of one dimension: a list of i8, and no operand
  kI8,           // a constant scalar: an i8, and no operand
  kPermutation,  // an attribute: an operand, a constant of i32
  kPairs,        // a constant shape: an operand, a constant of i64 with two columns
  kScalar,       // an attribute of the tensor's type: an operand, a constant scalar
  kBound,        // a number: two attributes, <mlir>_int and <mlir>_fp, of which only one is used
  kZeroPoint,    // a zero point: a member of the attribute quantization_info
  kImplied,      // an accumulator type: nothing; the types of the tensors imply it
  kUnsigned,     // whether the first input or output is unsigned: the type of that tensor
  kSymbol,       // a number: the name of the variable
  kTensorType,   // the element type of a variable: the attribute `type`, with the shape
  kPartOfType,   // the shape of a variable: a part of the attribute `type`
  kOutputShape,  // the first output: also an attribute with its shape
};

struct MlirArgument {
  std::string_view op, argument;  // the edition's names
  MlirForm form;
  std::string_view mlir;  // the name of the dialect's attribute or member; empty if there is none
  std::string_view attribute{};  // kZeroPoint: the attribute with the zero point as a member
};

// One version of the dialect.
struct MlirDialect {
  std::string_view version;       // of LLVM and MLIR
  std::string_view const_values;  // the attribute of CONST that holds its values
  bool has_shapes;                // whether it has !tosa.shape and operators on shapes
  // The operators whose names are not the edition's names in lower case.
  std::span<const MlirSpelling> operators;
  std::span<const MlirArgument> arguments;
};

inline constexpr std::array<MlirSpelling, 4> kMlir19Operators = {{
    {"INTDIV", "int_div"},
    {"REDUCE_PRODUCT", "reduce_prod"},
    {"VARIABLE_READ", "variable.read"},
    {"VARIABLE_WRITE", "variable.write"},
}};

inline constexpr std::array<MlirArgument, 46> kMlir19Arguments = {{
    {"AVG_POOL2D", "input_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.unary_quant"},
    {"AVG_POOL2D", "output_zp", MlirForm::kZeroPoint, "output_zp", "#tosa.unary_quant"},
    {"CLAMP", "max_val", MlirForm::kBound, "max"},
    {"CLAMP", "min_val", MlirForm::kBound, "min"},
    {"CONV2D", "acc_type", MlirForm::kImplied, ""},
    {"CONV2D", "input_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.conv_quant"},
    {"CONV2D", "weight_zp", MlirForm::kZeroPoint, "weight_zp", "#tosa.conv_quant"},
    {"CONV3D", "acc_type", MlirForm::kImplied, ""},
    {"CONV3D", "input_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.conv_quant"},
    {"CONV3D", "weight_zp", MlirForm::kZeroPoint, "weight_zp", "#tosa.conv_quant"},
    {"DEPTHWISE_CONV2D", "acc_type", MlirForm::kImplied, ""},
    {"DEPTHWISE_CONV2D", "input_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.conv_quant"},
    {"DEPTHWISE_CONV2D", "weight_zp", MlirForm::kZeroPoint, "weight_zp", "#tosa.conv_quant"},
    {"FULLY_CONNECTED", "input_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.conv_quant"},
    {"FULLY_CONNECTED", "weight_zp", MlirForm::kZeroPoint, "weight_zp", "#tosa.conv_quant"},
    {"MATMUL", "A_zp", MlirForm::kZeroPoint, "a_zp", "#tosa.matmul_quant"},
    {"MATMUL", "B_zp", MlirForm::kZeroPoint, "b_zp", "#tosa.matmul_quant"},
    {"MUL", "shift", MlirForm::kI8, "shift"},
    {"NEGATE", "input1_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.unary_quant"},
    {"NEGATE", "output_zp", MlirForm::kZeroPoint, "output_zp", "#tosa.unary_quant"},
    {"PAD", "pad_const", MlirForm::kScalar, ""},
    {"PAD", "padding", MlirForm::kPairs, ""},
    {"RESCALE", "input_unsigned", MlirForm::kUnsigned, ""},
    {"RESCALE", "input_zp", MlirForm::kI32, "input_zp"},
    {"RESCALE", "multiplier", MlirForm::kI32List, "multiplier"},
    {"RESCALE", "output_unsigned", MlirForm::kUnsigned, ""},
    {"RESCALE", "output_zp", MlirForm::kI32, "output_zp"},
    {"RESCALE", "shift", MlirForm::kI8List, "shift"},
    {"RESHAPE", "shape", MlirForm::kI64List, "new_shape"},
    {"RESIZE", "border", MlirForm::kI64List, "border"},
    {"RESIZE", "mode", MlirForm::kString, "mode"},
    {"RESIZE", "offset", MlirForm::kI64List, "offset"},
    {"RESIZE", "scale", MlirForm::kI64List, "scale"},
    {"SLICE", "size", MlirForm::kI64List, "size"},
    {"SLICE", "start", MlirForm::kI64List, "start"},
    {"TILE", "multiples", MlirForm::kI64List, "multiples"},
    {"TRANSPOSE", "perms", MlirForm::kPermutation, ""},
    {"TRANSPOSE_CONV2D", "acc_type", MlirForm::kImplied, ""},
    {"TRANSPOSE_CONV2D", "input_zp", MlirForm::kZeroPoint, "input_zp", "#tosa.conv_quant"},
    {"TRANSPOSE_CONV2D", "output", MlirForm::kOutputShape, "out_shape"},
    {"TRANSPOSE_CONV2D", "weight_zp", MlirForm::kZeroPoint, "weight_zp", "#tosa.conv_quant"},
    {"VARIABLE", "type", MlirForm::kTensorType, "type"},
    {"VARIABLE", "uid", MlirForm::kSymbol, "name"},
    {"VARIABLE", "var_shape", MlirForm::kPartOfType, ""},
    {"VARIABLE_READ", "uid", MlirForm::kSymbol, "name"},
    {"VARIABLE_WRITE", "uid", MlirForm::kSymbol, "name"},
}};

inline constexpr std::array<MlirDialect, 2> kMlirDialects = {{
    {"22", "values", true, {}, {}},
    {"19", "value", false, kMlir19Operators, kMlir19Arguments},
}};

// The dialect of a version of MLIR; null if the version is unknown.
constexpr const MlirDialect* FindMlirDialect(std::string_view version) {
  for (const MlirDialect& dialect : kMlirDialects) {
    if (dialect.version == version) return &dialect;
  }
  return nullptr;
}

template <size_t kSize>
std::optional<std::string_view> ToMlir(const std::array<MlirSpelling, kSize>& table,
                                       std::string_view name) {
  for (const MlirSpelling& row : table) {
    if (row.name == name) return row.mlir;
  }
  return std::nullopt;
}

template <size_t kSize>
std::optional<std::string_view> FromMlir(const std::array<MlirSpelling, kSize>& table,
                                         std::string_view mlir) {
  for (const MlirSpelling& row : table) {
    if (row.mlir == mlir) return row.name;
  }
  return std::nullopt;
}

// A value of acc_type_t or var_t, which the dialect writes as a type: "INT8" -> "i8".
inline std::optional<std::string_view> TypeEnumeratorToMlir(std::string_view name) {
  const std::optional<DType> dtype = TypeOfEnumerator(name);
  return dtype ? ToMlir(kMlirElementTypes, Name(*dtype)) : std::nullopt;
}

// A dialect's name of an operator, after "tosa.": "conv2d". It is the edition's name in lower case,
// unless the dialect's table has another name.
inline std::string MnemonicOf(const MlirDialect& dialect, std::string_view op) {
  for (const MlirSpelling& row : dialect.operators) {
    if (row.name == op) return std::string(row.mlir);
  }
  std::string mnemonic(op);
  for (char& c : mnemonic) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return mnemonic;
}

// The inverse of MnemonicOf: the edition's name of an operator that a dialect calls `mnemonic`.
inline std::string OperatorOf(const MlirDialect& dialect, std::string_view mnemonic) {
  for (const MlirSpelling& row : dialect.operators) {
    if (row.mlir == mnemonic) return std::string(row.name);
  }
  std::string op(mnemonic);
  for (char& c : op) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return op;
}

// Limits for the number of operators and the depth of regions in the text of a graph. Without these
// limits, the text of regions that refer to each other would never end.
inline constexpr int kMaxMlirOperators = 1 << 16;
inline constexpr int kMaxMlirNesting = 512;

// Whether a text matches [A-Za-z_][A-Za-z0-9_]*. Such a text is valid after % and ^ and as an
// attribute's name.
inline bool IsMlirName(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (c < '0' || c > '9')) return false;
  }
  return true;
}

}  // namespace cts
