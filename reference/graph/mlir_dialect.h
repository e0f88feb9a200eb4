// How MLIR's tosa dialect spells what an edition names, for the writer and the reader of its text:
// facts of mlir/Dialect/Tosa/IR and mlir/IR of LLVM 22.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace cts {

struct MlirSpelling {
  std::string_view name;
  std::string_view mlir;
};

// Element types. The dialect has no unsigned integers: RESCALE says it with an attribute. It has no
// operator on f64 either, which the text can say all the same.
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

// Enumerations that the dialect writes as an attribute of its own, under another name.
inline constexpr std::array<MlirSpelling, 3> kMlirEnumerations = {{
    {"nan_propagation_mode_t", "#tosa.nan_mode"},
    {"resize_mode_t", "#tosa.resize_mode"},
    {"rounding_mode_t", "#tosa.rounding_mode"},
}};

// The values of acc_type_t and var_t, which the dialect writes as types.
inline constexpr std::array<MlirSpelling, 8> kMlirTypeNames = {{
    {"BOOLEAN", "i1"},
    {"INT8", "i8"},
    {"INT16", "i16"},
    {"INT32", "i32"},
    {"INT48", "i48"},
    {"FP16", "f16"},
    {"BF16", "bf16"},
    {"FP32", "f32"},
}};

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

// A graph that names its regions again and again has no end of text: there are limits.
inline constexpr int kMaxMlirOperators = 1 << 16;
inline constexpr int kMaxMlirNesting = 512;

// [A-Za-z_][A-Za-z0-9_]*: what may stand after % and ^, and as the name of an attribute.
inline bool IsMlirName(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  for (const char c : text) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (c < '0' || c > '9')) return false;
  }
  return true;
}

}  // namespace cts
