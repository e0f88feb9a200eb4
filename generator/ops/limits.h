// Parts that the cases at the limits of a level share (Domain::limits).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// Returns the level's maximum `name`, such as "MAX_KERNEL". Level `none` has no maximum. For level
// `none`, the result exceeds the limits of level 8K, but a case of this size still fits in memory.
inline int64_t Limit(const Setting& setting, std::string_view name) {
  constexpr int64_t kLargest = 10007;
  return std::min(setting.level->Max(name), kLargest);
}

// Whether the first operand is of i8 or fp32. If the row has a weight, the weight must have the
// same type. Limits do not depend on types, so only such type rows have cases at limits.
inline bool IsI8OrFp32(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    const auto type = setting.row->PlainType(argument.element_type);
    if (!type || argument.category != ArgumentCategory::kInput) continue;
    const DType weight_t = setting.row->PlainType("weight_t").value_or(*type);
    return (type == DType::kI8 || type == DType::kFp32) && weight_t == *type;
  }
  return false;
}

}  // namespace cts
