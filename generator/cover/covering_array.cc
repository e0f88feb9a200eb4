#include "generator/cover/covering_array.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "generator/data/random.h"

namespace cts {
namespace {

// Every set of `count` out of `axes` axes, in lexicographical order.
std::vector<std::vector<size_t>> AxisSets(size_t axes, size_t count) {
  std::vector<std::vector<size_t>> sets;
  std::vector<size_t> set;
  const auto extend = [&](auto& self, size_t first) -> void {
    if (set.size() == count) {
      sets.push_back(set);
      return;
    }
    for (size_t axis = first; axis < axes; ++axis) {
      set.push_back(axis);
      self(self, axis + 1);
      set.pop_back();
    }
  };
  extend(extend, 0);
  return sets;
}

// Every combination of values of these axes, as partial rows.
std::vector<Row> Combinations(const std::vector<int>& sizes, const std::vector<size_t>& axes) {
  std::vector<Row> rows = {Row(sizes.size(), kUndecided)};
  for (size_t axis : axes) {
    std::vector<Row> longer;
    for (const Row& row : rows) {
      for (int value = 0; value < sizes[axis]; ++value) {
        longer.push_back(row);
        longer.back()[axis] = value;
      }
    }
    rows = std::move(longer);
  }
  return rows;
}

bool Contains(const Row& row, const Row& combination) {
  for (size_t axis = 0; axis < row.size(); ++axis) {
    if (combination[axis] != kUndecided && combination[axis] != row[axis]) return false;
  }
  return true;
}

// Whether a combination and a partial row agree where both are decided.
bool Agrees(const Row& row, const Row& combination) {
  for (size_t axis = 0; axis < row.size(); ++axis) {
    if (combination[axis] != kUndecided && row[axis] != kUndecided &&
        combination[axis] != row[axis]) {
      return false;
    }
  }
  return true;
}

// How often each value of each axis was used so far.
using Uses = std::vector<std::vector<int>>;

// Decides the undecided axes: each time the value that leaves the most open combinations within
// reach, then the one used least, then the one that `seed` draws. Gives up only if no completion is
// allowed.
bool Fill(const RowSpace& space, const std::vector<Row>& open, const Uses& uses, uint64_t seed,
          Row& row) {
  const std::vector<int>& sizes = space.sizes();
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (row[axis] != kUndecided) continue;
    struct Candidate {
      int gain, uses;
      uint32_t draw;
      int value;
    };
    std::vector<Candidate> candidates;
    for (int value = 0; value < sizes[axis]; ++value) {
      row[axis] = value;
      int gain = 0;
      for (const Row& combination : open) {
        gain += combination[axis] == value && Agrees(row, combination);
      }
      const uint32_t draw =
          Philox4x32({static_cast<uint32_t>(axis), static_cast<uint32_t>(value)},
                     {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)})[0];
      candidates.push_back({gain, uses[axis][value], draw, value});
    }
    std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
      if (a.gain != b.gain) return a.gain > b.gain;
      if (a.uses != b.uses) return a.uses < b.uses;
      return std::tie(a.draw, a.value) < std::tie(b.draw, b.value);
    });
    bool decided = false;
    for (const Candidate& candidate : candidates) {
      row[axis] = candidate.value;
      Row completion = row;
      if (space.Complete(completion)) {
        decided = true;
        break;
      }
    }
    if (!decided) {
      row[axis] = kUndecided;
      return false;
    }
  }
  return space.Allows(row);
}

}  // namespace

RowSpace::RowSpace(std::vector<int> sizes, std::vector<RowConstraint> constraints)
    : sizes_(std::move(sizes)), constraints_(std::move(constraints)) {}

bool RowSpace::Allows(const Row& row) const {
  return std::all_of(constraints_.begin(), constraints_.end(), [&](const RowConstraint& c) {
    return std::any_of(c.axes.begin(), c.axes.end(),
                       [&](size_t axis) { return row[axis] == kUndecided; }) ||
           c.holds(row);
  });
}

bool RowSpace::Complete(Row& row) const {
  if (!Allows(row)) return false;
  const auto undecided = std::find(row.begin(), row.end(), kUndecided);
  if (undecided == row.end()) return true;
  const size_t axis = static_cast<size_t>(undecided - row.begin());
  for (int value = 0; value < sizes_[axis]; ++value) {
    row[axis] = value;
    if (Complete(row)) return true;
  }
  row[axis] = kUndecided;
  return false;
}

std::vector<Row> CoveringArray(const RowSpace& space, int strength, uint64_t seed) {
  const std::vector<int>& sizes = space.sizes();
  const size_t t = std::min(sizes.size(), static_cast<size_t>(strength));
  std::vector<Row> open;
  for (const std::vector<size_t>& axes : AxisSets(sizes.size(), t)) {
    for (Row& combination : Combinations(sizes, axes)) open.push_back(std::move(combination));
  }
  Uses uses;
  for (int size : sizes) uses.emplace_back(size, 0);
  std::vector<Row> rows;
  while (!open.empty()) {
    Row row = open.front();
    if (!Fill(space, open, uses, seed, row)) {
      open.erase(open.begin());  // no allowed row contains it
      continue;
    }
    std::erase_if(open, [&](const Row& combination) { return Contains(row, combination); });
    for (size_t axis = 0; axis < row.size(); ++axis) ++uses[axis][row[axis]];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cts
