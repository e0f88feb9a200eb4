// t-wise covering arrays: a small number of rows that together hold every allowed combination of
// the values of any t axes.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace cts {

inline constexpr int kUndecided = -1;

// For each axis the index of its value, or kUndecided if the axis has no value yet.
using Row = std::vector<int>;

// A constraint that excludes rows by the values of some axes.
struct RowConstraint {
  std::vector<size_t> axes;  // in ascending order
  // Called only for rows in which all of `axes` are decided. The function must read only `axes`,
  // and must return the same result for the same values. RowSpace calls it only once for each
  // combination of these values that it needs.
  std::function<bool(const Row&)> holds;
};

// The possible rows. `sizes` has the number of values of each axis. There are at most 64 axes, and
// at most 64 constraints that exclude rows. The object stores the results of the constraints, so
// several threads must not share it.
class RowSpace {
 public:
  RowSpace(std::vector<int> sizes, std::vector<RowConstraint> constraints);

  const std::vector<int>& sizes() const { return sizes_; }
  // From now on, the axis takes its first value in CoveringArray unless another value covers more
  // combinations.
  void PreferFirst(size_t axis) { prefers_first_ |= Mask{1} << axis; }
  bool PrefersFirst(size_t axis) const { return (prefers_first_ >> axis & 1) != 0; }
  // Whether no constraint excludes the row. A constraint with an undecided axis does not exclude
  // the row.
  bool Allows(const Row& row) const;
  // Whether the partial row can be completed. If so, completes it with the first values that fit.
  bool Complete(Row& row) const;
  // Returns the indexes of constraints that together make it impossible to complete the partial
  // row. If any single one of these constraints is dropped, the others allow a completion. Empty if
  // the row can be completed.
  std::vector<size_t> WhyImpossible(const Row& row) const;

  // Whether the partial row can be completed. If so, `witness` becomes the proof: the row with a
  // value for every axis that occurs in a constraint.
  bool FindWitness(const Row& row, Row& witness) const;
  // Divides the axes into numbered groups. Returns, for each axis, the number of its group; -1 for
  // an axis that occurs in no constraint. Values of axes in different groups do not depend on each
  // other.
  std::vector<int> Groups() const;

 private:
  using Mask = uint64_t;  // a set of axes, or of constraints

  bool Holds(size_t constraint, const Row& row) const;
  // Whether the constraints on `axis` that are in `used` hold. Ignores constraints that have an
  // axis in `open`.
  bool HoldsAt(size_t axis, const Row& row, Mask open, Mask used) const;
  // The axes of `open` that share a constraint with `axis`, directly or through other axes of
  // `open`.
  Mask Linked(size_t axis, Mask open, Mask used) const;
  // Gives the axes in `open` values for which the constraints hold, group by group. Leaves the axes
  // undecided if there are no such values.
  bool Search(Row& row, Mask open, Mask used) const;
  bool SearchGroup(Row& row, Mask open, Mask used) const;
  // Whether the row can be completed if only the constraints in `used` count. If so, gives values
  // to the axes of these constraints.
  bool SearchRow(Row& row, Mask used) const;

  std::vector<int> sizes_;
  std::vector<RowConstraint> constraints_;
  Mask all_ = 0;                      // all constraints
  Mask prefers_first_ = 0;            // axes
  std::vector<Mask> axes_of_;         // the axes of each constraint
  std::vector<Mask> constraints_on_;  // the constraints on each axis
  // The results of each constraint so far, by the values of its axes.
  mutable std::vector<std::unordered_map<uint64_t, bool>> answers_;
};

// Makes a covering array by a greedy and deterministic algorithm. Every row is complete and
// allowed. Combinations that no allowed row contains are left out. `strength` is t. If it exceeds
// the number of axes, all axes are combined. If several values are equally good, `seed` decides, so
// that arrays with different seeds combine the same values differently.
std::vector<Row> CoveringArray(const RowSpace& space, int strength, uint64_t seed = 0);

}  // namespace cts
