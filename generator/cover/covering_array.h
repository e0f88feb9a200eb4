// t-wise covering arrays: few rows, in which every allowed combination of the values of any t axes
// occurs.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace cts {

inline constexpr int kUndecided = -1;

// A choice of one value index per axis; kUndecided where none was chosen yet.
using Row = std::vector<int>;

// Excludes rows by the values of some axes.
struct RowConstraint {
  std::vector<size_t> axes;  // in ascending order
  // Asked only of rows in which all of `axes` are decided; looks at nothing else, and answers the
  // same each time. It is asked once for each combination of their values that matters.
  std::function<bool(const Row&)> holds;
};

// The rows that may be: at most 64 axes with their numbers of values, and at most 64 constraints
// that exclude some of them. It remembers what the constraints answer: not for several threads at
// once.
class RowSpace {
 public:
  RowSpace(std::vector<int> sizes, std::vector<RowConstraint> constraints);

  const std::vector<int>& sizes() const { return sizes_; }
  // Whether no constraint excludes the row; those with an undecided axis do not.
  bool Allows(const Row& row) const;
  // Whether the partial row can be completed; if so it is, with the first values that fit.
  bool Complete(Row& row) const;
  // Constraints, by their places, that together leave no completion of the partial row, and none of
  // which can be spared. Empty if there is a completion.
  std::vector<size_t> WhyImpossible(const Row& row) const;

  // Whether the partial row can be completed, shown by `witness`: the row with a value for every
  // axis that stands in a constraint.
  bool FindWitness(const Row& row, Row& witness) const;
  // The group of each axis, -1 for those that stand in no constraint. Values of axes of different
  // groups have nothing to do with each other.
  std::vector<int> Groups() const;

 private:
  using Mask = uint64_t;  // of axes, or of constraints

  bool Holds(size_t constraint, const Row& row) const;
  // Whether what `used` has on `axis` holds, but for what still has an axis in `open`.
  bool HoldsAt(size_t axis, const Row& row, Mask open, Mask used) const;
  // Of `open`, the axes that share a constraint with `axis`, directly or through others of `open`.
  Mask Linked(size_t axis, Mask open, Mask used) const;
  // Decides the axes in `open`, of which each group is decided by itself, so that the constraints
  // hold. Leaves them undecided if that is impossible.
  bool Search(Row& row, Mask open, Mask used) const;
  bool SearchGroup(Row& row, Mask open, Mask used) const;
  // All of a row: whether it can be completed under the constraints in `used`.
  bool SearchRow(Row& row, Mask used) const;

  std::vector<int> sizes_;
  std::vector<RowConstraint> constraints_;
  Mask all_ = 0;                      // constraints
  std::vector<Mask> axes_of_;         // each constraint
  std::vector<Mask> constraints_on_;  // each axis
  // What each constraint has answered, by the values of its axes.
  mutable std::vector<std::unordered_map<uint64_t, bool>> answers_;
};

// Greedy and deterministic. Every row is complete and allowed; combinations that no allowed row
// contains are left out. With more strength than axes all axes are combined. Where values are
// equally good `seed` decides, so that arrays of different seeds combine the same values
// differently.
std::vector<Row> CoveringArray(const RowSpace& space, int strength, uint64_t seed = 0);

}  // namespace cts
