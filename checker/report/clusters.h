// The places of the elements that a rule refuses: at a border, in a channel, in the last lane of a
// vector. This is a guess at the kind of fault, for people; no verdict depends on it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reference/base/shape.h"

namespace cts {

// A set of elements that explains the refused ones.
struct Cluster {
  std::string words;    // "the last index (7) of axis 2"
  int64_t refused = 0;  // the refused elements that lie in it
  int64_t size = 0;     // its elements
};

// A set of elements that a caller knows, since the checker knows no operator: "windows that meet
// the padding".
struct NamedSet {
  std::string words;
  std::vector<bool> has;  // by flat offset
};

// At most three sets that explain the refused elements, the best first. No set where chance would
// explain as much. Each set holds nearly all refused elements, and a good part of the set is
// refused. `refused` are flat offsets, ascending. Where two sets have the same elements, a named
// one is taken.
std::vector<Cluster> FindClusters(const Shape& shape, const std::vector<int64_t>& refused,
                                  const std::vector<NamedSet>& named = {});

}  // namespace cts
