// Searches a range for a value.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace cts {

// Returns whether `range` contains `value`. For ranges without a member function `contains`, such
// as a vector or an array.
template <class Range, class T>
bool Contains(const Range& range, const T& value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}
template <class Each, class T>
bool Contains(std::initializer_list<Each> range, const T& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

}  // namespace cts
