// t-wise covering arrays: few rows, in which every allowed combination of the values of any t axes
// occurs.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace cts {

inline constexpr int kUndecided = -1;

// A choice of one value index per axis; kUndecided where none was chosen yet.
using Row = std::vector<int>;

// Excludes rows by the values of some axes.
struct RowConstraint {
  std::vector<size_t> axes;  // in ascending order
  // Asked only of rows in which all of `axes` are decided; looks at nothing else, and answers the
  // same each time.
  std::function<bool(const Row&)> holds;
};

// The rows that may be: axes with their numbers of values, and what excludes some of them.
class RowSpace {
 public:
  RowSpace(std::vector<int> sizes, std::vector<RowConstraint> constraints);

  const std::vector<int>& sizes() const { return sizes_; }
  // Whether no constraint excludes the row; those with an undecided axis do not.
  bool Allows(const Row& row) const;
  // Whether the partial row can be completed; if so it is, with the first values that fit.
  bool Complete(Row& row) const;

 private:
  std::vector<int> sizes_;
  std::vector<RowConstraint> constraints_;
};

// Greedy and deterministic. Every row is complete and allowed; combinations that no allowed row
// contains are left out. With more strength than axes all axes are combined. Where values are
// equally good `seed` decides, so that arrays of different seeds combine the same values
// differently.
std::vector<Row> CoveringArray(const RowSpace& space, int strength, uint64_t seed = 0);

}  // namespace cts
