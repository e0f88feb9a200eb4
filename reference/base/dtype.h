// Element types of tensors. The name of each type is the specification's name without `_t`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cts {

enum class DType : uint8_t {
  kBool,
  kI4,
  kI8,
  kI16,
  kI32,
  kI48,
  kI64,
  kFp8E4M3,
  kFp8E5M2,
  kFp16,
  kBf16,
  kFp32,
  kFp64,
  kShape,
};

inline constexpr int kDTypeCount = 14;

struct DTypeInfo {
  DType dtype;
  std::string_view name;  // "i8", "fp8e4m3", ...
  int bits;               // bits of a value in TOSA: 4 for i4, 48 for i48
  int storage_bytes;      // bytes of one element in memory and in .npy files
  std::string_view npy;   // the `descr` in the header of a .npy file
  bool is_float;
  bool may_flush;  // whether an implementation may flush subnormals to zero
};

// The facts about each type, indexed by DType.
inline constexpr std::array<DTypeInfo, kDTypeCount> kDTypes = {{
    {DType::kBool, "bool", 1, 1, "|b1", false, false},
    {DType::kI4, "i4", 4, 1, "|i1", false, false},
    {DType::kI8, "i8", 8, 1, "|i1", false, false},
    {DType::kI16, "i16", 16, 2, "<i2", false, false},
    {DType::kI32, "i32", 32, 4, "<i4", false, false},
    {DType::kI48, "i48", 48, 8, "<i8", false, false},
    {DType::kI64, "i64", 64, 8, "<i8", false, false},
    {DType::kFp8E4M3, "fp8e4m3", 8, 1, "|V1", true, false},
    {DType::kFp8E5M2, "fp8e5m2", 8, 1, "|V1", true, false},
    {DType::kFp16, "fp16", 16, 2, "<f2", true, true},
    {DType::kBf16, "bf16", 16, 2, "<V2", true, true},
    {DType::kFp32, "fp32", 32, 4, "<f4", true, true},
    {DType::kFp64, "fp64", 64, 8, "<f8", true, true},
    {DType::kShape, "shape", 64, 8, "<i8", false, false},
}};

constexpr const DTypeInfo& Info(DType dtype) { return kDTypes[static_cast<int>(dtype)]; }
constexpr std::string_view Name(DType dtype) { return Info(dtype).name; }
constexpr bool IsFloat(DType dtype) { return Info(dtype).is_float; }
constexpr bool IsInteger(DType dtype) { return !Info(dtype).is_float && dtype != DType::kBool; }
constexpr int StorageBytes(DType dtype) { return Info(dtype).storage_bytes; }

// Returns the type that has this name, such as kI8 for "i8"; nullopt for an unknown name.
constexpr std::optional<DType> ParseDType(std::string_view name) {
  for (const DTypeInfo& info : kDTypes) {
    if (info.name == name) return info.dtype;
  }
  return std::nullopt;
}

// The type of a tensor's elements. In a block-scaled type each block of 32 elements shares a scale
// (TOSA 1.1).
struct ElementType {
  DType dtype;  // of the stored values
  bool block_scaled = false;

  constexpr explicit ElementType(DType of_values, bool scaled = false)
      : dtype(of_values), block_scaled(scaled) {}

  friend constexpr bool operator==(ElementType, ElementType) = default;
  // An ElementType without scales equals the DType of its values. A block-scaled ElementType equals
  // no DType.
  friend constexpr bool operator==(ElementType type, DType plain) {
    return type == ElementType(plain);
  }
};

inline constexpr std::string_view kBlockScaledPrefix = "bs32_fp8ue8m0_";

// The name of the type: "i8", "bs32_fp8ue8m0_fp8e4m3".
std::string Name(ElementType type);

// Returns the type that has this name; nullopt for an unknown name.
constexpr std::optional<ElementType> ParseElementType(std::string_view name) {
  const bool scaled = name.starts_with(kBlockScaledPrefix);
  if (scaled) name.remove_prefix(kBlockScaledPrefix.size());
  const std::optional<DType> dtype = ParseDType(name);
  return dtype ? std::optional(ElementType(*dtype, scaled)) : std::nullopt;
}

// The least (IntegerMin) and the greatest (IntegerMax) stored value of an integer or boolean type.
// The least value of i4 is -7, since int4_t excludes -8 (introduction, Number formats).
constexpr int64_t IntegerMin(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return 0;
    case DType::kI4:
      return -7;
    default:
      return Info(dtype).bits == 64 ? INT64_MIN : -(int64_t{1} << (Info(dtype).bits - 1));
  }
}
constexpr int64_t IntegerMax(DType dtype) {
  if (dtype == DType::kBool) return 1;
  return Info(dtype).bits == 64 ? INT64_MAX : (int64_t{1} << (Info(dtype).bits - 1)) - 1;
}

}  // namespace cts
