// The places of the elements that a rule refuses: at a border, in a channel, in the last lane of a
// vector. This is a guess at the kind of fault, for people; no verdict depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/shape.h"

namespace cts {

// A set of elements that explains the refused elements.
struct Cluster {
  std::string words;    // "the last index (7) of axis 2"
  int64_t refused = 0;  // the number of refused elements in the set
  int64_t size = 0;     // the number of elements in the set
};

// A set of elements that the caller names, such as "windows that meet the padding". The checker
// itself knows no operators.
struct NamedSet {
  std::string words;
  std::vector<bool> has;  // whether the set has the element, by flat offset
};

// Returns at most three sets that explain the refused elements, the best set first. Leaves out a
// set if the refused elements may be in it by chance. Each set holds nearly all refused elements,
// and at least a tenth of the set is refused. `refused` has flat offsets in ascending order. If two
// sets have the same number of elements and the same number of refused elements, only one of the
// two is returned, if possible a named set.
std::vector<Cluster> FindClusters(const Shape& shape, const std::vector<int64_t>& refused,
                                  const std::vector<NamedSet>& named = {});

}  // namespace cts
