// Shared by the cases at the limits of a level (Domain::limits).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// The level's maximum; at level `none` a value that fits the memory and still exceeds 8K's limits.
inline int64_t Limit(const Setting& setting, std::string_view name) {
  constexpr int64_t kLargest = 10007;
  return std::min(setting.level->Max(name), kLargest);
}

// One type row of the integers and one of floating point, by the first operand, have the limits'
// cases: limits do not depend on types.
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
