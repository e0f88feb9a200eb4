// The greater and the lesser of two values: apply_max_s and apply_min_s of the specification.
#pragma once

namespace cts {

// A NaN is the result, or is ignored unless both are NaN. Either of two zeros may be the result.
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
