// The greater and the lesser of two values: apply_max_s and apply_min_s of the specification.
#pragma once

namespace cts {

// If one value is NaN, the result is NaN, or the other value if `ignore_nan` is set. If both values
// are zeros, either may be the result.
template <class A, class Value>
Value Max(A& a, Value x, Value y, bool ignore_nan) {
  if (a.IsNan(x)) return ignore_nan ? y : x;
  if (a.IsNan(y)) return ignore_nan ? x : y;
  return a.Less(x, y) ? y : x;
}

template <class A, class Value>
Value Min(A& a, Value x, Value y, bool ignore_nan) {
  if (a.IsNan(x)) return ignore_nan ? y : x;
  if (a.IsNan(y)) return ignore_nan ? x : y;
  return a.Less(x, y) ? x : y;
}

}  // namespace cts
