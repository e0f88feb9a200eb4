// The names by which editions write element types: as values of the enumerations acc_type_t and
// var_t, and with "_t" in the types of arguments.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/dtype.h"

namespace cts {

struct TypeEnumerator {
  DType dtype;
  std::string_view name;  // of the value: "INT8"
};

// Other file formats use these names, too. An edition has some of them; i64, fp64 and shape have no
// such name.
inline constexpr std::array<TypeEnumerator, 11> kTypeEnumerators = {{
    {DType::kBool, "BOOLEAN"},
    {DType::kI4, "INT4"},
    {DType::kI8, "INT8"},
    {DType::kI16, "INT16"},
    {DType::kI32, "INT32"},
    {DType::kI48, "INT48"},
    {DType::kFp8E4M3, "FP8E4M3"},
    {DType::kFp8E5M2, "FP8E5M2"},
    {DType::kFp16, "FP16"},
    {DType::kBf16, "BF16"},
    {DType::kFp32, "FP32"},
}};

// "INT8" -> kI8; nullopt for an unknown name.
constexpr std::optional<DType> TypeOfEnumerator(std::string_view name) {
  for (const TypeEnumerator& row : kTypeEnumerators) {
    if (row.name == name) return row.dtype;
  }
  return std::nullopt;
}

// kI8 -> "INT8"; empty for a type without such a name.
constexpr std::string_view EnumeratorOf(DType dtype) {
  for (const TypeEnumerator& row : kTypeEnumerators) {
    if (row.dtype == dtype) return row.name;
  }
  return "";
}

// "i32_t" -> "i32".
inline std::string WithoutSuffix(std::string_view type) {
  if (type.ends_with("_t")) type.remove_suffix(2);
  return std::string(type);
}

}  // namespace cts
