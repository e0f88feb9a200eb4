// For the code that writes and reads .tosa files: the facts about the wire format that
// schemas/tosa.fbs cannot express.
#pragma once

#include <tosa_generated.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "reference/base/dtype.h"
#include "reference/spec/edition.h"

namespace cts::tosa {

// A type and its number in files. The format has the type names of an edition's enumerations,
// except that BOOLEAN is called BOOL.
struct WireType {
  cts::DType dtype;
  DType number;
};
inline constexpr std::array<WireType, 12> kTypes = {{
    {cts::DType::kBool, DType::BOOL},
    {cts::DType::kI4, DType::INT4},
    {cts::DType::kI8, DType::INT8},
    {cts::DType::kI16, DType::INT16},
    {cts::DType::kI32, DType::INT32},
    {cts::DType::kI48, DType::INT48},
    {cts::DType::kFp8E4M3, DType::FP8E4M3},
    {cts::DType::kFp8E5M2, DType::FP8E5M2},
    {cts::DType::kFp16, DType::FP16},
    {cts::DType::kBf16, DType::BF16},
    {cts::DType::kFp32, DType::FP32},
    {cts::DType::kShape, DType::SHAPE},
}};

// The row of a type or of a number; null if there is no row.
template <class Key>
constexpr const WireType* FindType(Key WireType::*member, const Key& key) {
  for (const WireType& row : kTypes) {
    if (row.*member == key) return &row;
  }
  return nullptr;
}

// The number of bytes of `count` elements. Two i4 share a byte; the earlier i4 is in the low half.
// An i48 has six bytes, and a size in a shape has eight. All other types are stored as in a Tensor.
constexpr uint64_t DataBytes(cts::DType dtype, uint64_t count) {
  if (dtype == cts::DType::kI4) return count / 2 + count % 2;
  if (dtype == cts::DType::kI48) return count * 6;
  return count * static_cast<uint64_t>(StorageBytes(dtype));
}

// A release of the serialization of TOSA.
struct Release {
  int32_t year, month;
  constexpr bool IsAfter(const Release& other) const {
    return year > other.year || (year == other.year && month > other.month);
  }
};
// kRelease: the newest release that schemas/tosa.fbs follows. kFirstRelease: the first release that
// writes its own number into files.
inline constexpr Release kRelease = {2026, 8}, kFirstRelease = {2026, 2};

// Zeros may follow a tensor's data until the number of bytes is a multiple of kDataAlignment.
inline constexpr uint64_t kDataAlignment = 8;

// The fields of an operator's attributes; null if the format has no such operator. The fields have
// the names of the edition's arguments.
inline const flatbuffers::TypeTable* AttributeFields(Op op) {
  const flatbuffers::TypeTable& attributes = *AttributeTypeTable();
  const auto number = static_cast<size_t>(op);  // also the number of the operator's union member
  if (number == 0 || number >= attributes.num_elems) return nullptr;
  return attributes.type_refs[attributes.type_codes[number].sequence_ref]();
}

inline flatbuffers::voffset_t FieldOffset(size_t index) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(index));
}

// The number of a name in an enumeration of the schema.
inline std::optional<uint32_t> NumberOf(const flatbuffers::TypeTable& enumeration,
                                        std::string_view name) {
  for (size_t i = 0; i < enumeration.num_elems; ++i) {
    if (enumeration.names[i] == name) return static_cast<uint32_t>(i);
  }
  return std::nullopt;
}

}  // namespace cts::tosa
