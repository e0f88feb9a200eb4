// For the code that writes and reads VGF files: the facts that schemas/vgf.fbs cannot express, and
// the numbers of Vulkan's formats (arm/ai-ml-sdk-vgf-library, KhronosGroup/Vulkan-Headers).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "reference/base/dtype.h"

namespace cts::vgf {

// The header consists of:
// - the magic bytes;
// - two bytes with the version of Vulkan's header (0: unknown), and two zeros;
// - three bytes with the container's version, and five zeros;
// - the offset and size of each section, 64 bits each, and zeros to the end.
inline constexpr std::string_view kMagic = "VGF1";
inline constexpr size_t kHeaderBytes = 128, kVersionAt = 8, kSectionsAt = 16, kSectionAlignment = 8;
inline constexpr uint8_t kMajor = 0, kMinor = 4, kPatch = 3;  // the version that the writer writes
inline constexpr uint8_t kNewestMinor = 5;                    // the newest known version
enum Section : size_t { kModules, kSequence, kResources, kConstants, kSectionCount };

// The section of constants consists of:
// - kConstantsMark;
// - the number of constants, 64 bits;
// - a record for each constant: the resource and the sparse dimension (-1: not sparse), 32 bits
//   each; the size of the bytes, and their offset from the end of the records, 64 bits each;
// - the bytes of each constant, at a multiple of eight.
inline constexpr std::string_view kConstantsMark{"CONST00\0", 8};
inline constexpr size_t kConstantRecordBytes = 24;

// In a file, a constant has kNone in place of a descriptor type.
inline constexpr uint32_t kNone = UINT32_MAX;
inline constexpr uint32_t kTensorType = 1000460000;  // VK_DESCRIPTOR_TYPE_TENSOR_ARM

// The VkFormat of a type. `alternative` is the format that differs only in signedness, since TOSA's
// types have no signedness; it equals `format` if there is no such format.
struct Format {
  DType dtype;
  uint32_t format, alternative;
};
inline constexpr std::array<Format, 10> kFormats = {{
    {DType::kBool, 1000460000, 1000460000},
    {DType::kI8, 14, 13},
    {DType::kI16, 75, 74},
    {DType::kI32, 99, 98},
    {DType::kI48, 111, 110},
    {DType::kFp16, 76, 76},
    {DType::kBf16, 1000460001, 1000460001},
    {DType::kFp32, 100, 100},
    {DType::kFp8E4M3, 1000460002, 1000460002},
    {DType::kFp8E5M2, 1000460003, 1000460003},
}};

// Null for a type that Vulkan does not have.
constexpr const Format* FindFormat(DType dtype) {
  for (const Format& row : kFormats) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace cts::vgf
