// Parts that the cases at the limits of a level share (Domain::limits).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// The level's maximum `name`, such as "MAX_KERNEL". Level `none` has no such maximum. For this
// level, the value exceeds the limits of level 8K, but a case with it still fits in memory.
inline int64_t Limit(const Setting& setting, std::string_view name) {
  constexpr int64_t kLargest = 10007;
  return std::min(setting.level->Max(name), kLargest);
}

// Whether the first operand, and the weight if there is one, are both of i8 or both of fp32. Limits
// do not depend on types, so only such type rows have the cases at limits.
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
