#include "generator/recipe/covering_array.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <numeric>
#include <tuple>

#include "generator/data/random.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

uint64_t Bit(size_t i) { return uint64_t{1} << i; }
size_t First(uint64_t mask) { return static_cast<size_t>(std::countr_zero(mask)); }

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

// The open tuples: combinations of some axes' values that no row has yet. There is a place for
// every choice of a value, or of any value, for each of the axes; it counts the open tuples of that
// choice.
class OpenTuples {
 public:
  OpenTuples(std::vector<size_t> axes, const std::vector<int>& sizes) : axes_(std::move(axes)) {
    size_t places = 1;
    for (const size_t axis : axes_) {
      sizes_.push_back(static_cast<size_t>(sizes[axis]));
      strides_.push_back(places);
      places *= sizes_.back() + 1;
    }
    counts_.assign(places, 1);
    for (size_t place = 0; place < places; ++place) {
      for (size_t i = 0; i < axes_.size(); ++i) {
        if (ValueAt(place, i) == sizes_[i]) counts_[place] *= static_cast<uint32_t>(sizes_[i]);
      }
    }
  }

  const std::vector<size_t>& axes() const { return axes_; }
  uint32_t size() const { return counts_.back(); }

  // Adds to the gain of each value of one of these axes the number of open tuples that the row
  // would contain. This is the average over the values that the undecided axes may take, in units
  // of 2^-20.
  void AddGains(const Row& row, size_t axis, std::vector<uint64_t>& gains) const {
    const size_t i =
        static_cast<size_t>(std::find(axes_.begin(), axes_.end(), axis) - axes_.begin());
    size_t place = PlaceOf(row);
    place -= strides_[i] * sizes_[i];  // the axis is undecided
    uint64_t share = uint64_t{1} << 20;
    for (size_t k = 0; k < axes_.size(); ++k) {
      if (k != i && row[axes_[k]] == kUndecided) share /= sizes_[k];
    }
    for (uint64_t& gain : gains) {
      gain += share * counts_[place];
      place += strides_[i];
    }
  }

  // Decides these axes by an open tuple; there must be one.
  void TakeNext(Row& row) {
    while (counts_[next_] == 0 || IsPartial(next_)) ++next_;
    for (size_t i = 0; i < axes_.size(); ++i) row[axes_[i]] = static_cast<int>(ValueAt(next_, i));
  }

  // Takes out those that contain the tuple.
  void RemoveThoseWith(const Row& tuple) {
    for (size_t axis = 0; axis < tuple.size(); ++axis) {
      if (tuple[axis] == kUndecided) continue;
      if (!Contains(axes_, axis)) return;
    }
    Remove(tuple);
  }

  // Removes the tuples that agree with the row, as far as it is decided.
  void Remove(const Row& row) {
    const size_t place = PlaceOf(row);
    if (counts_[place] == 0) return;
    if (!IsPartial(place)) {
      RemoveOne(place);
      return;
    }
    for (size_t full = 0; full < counts_.size(); ++full) {
      if (counts_[full] == 0 || IsPartial(full)) continue;
      bool agrees = true;
      for (size_t i = 0; i < axes_.size(); ++i) {
        const int value = row[axes_[i]];
        agrees &= value == kUndecided || static_cast<size_t>(value) == ValueAt(full, i);
      }
      if (agrees) RemoveOne(full);
    }
  }

 private:
  size_t ValueAt(size_t place, size_t i) const { return place / strides_[i] % (sizes_[i] + 1); }
  bool IsPartial(size_t place) const {
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (ValueAt(place, i) == sizes_[i]) return true;
    }
    return false;
  }
  size_t PlaceOf(const Row& row) const {
    size_t place = 0;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const int value = row[axes_[i]];
      place += strides_[i] * (value == kUndecided ? sizes_[i] : static_cast<size_t>(value));
    }
    return place;
  }
  // A tuple is counted at every place that has "any" for some of its values.
  void RemoveOne(size_t place) {
    for (uint64_t some = 0; some < Bit(axes_.size()); ++some) {
      size_t at = place;
      for (size_t i = 0; i < axes_.size(); ++i) {
        if ((some & Bit(i)) != 0) at += strides_[i] * (sizes_[i] - ValueAt(place, i));
      }
      --counts_[at];
    }
  }

  std::vector<size_t> axes_, sizes_, strides_;
  std::vector<uint32_t> counts_;
  size_t next_ = 0;  // no tuple before it is open
};

// The tuples of at most `strength` values that no allowed row contains, without those that contain
// another one of them.
std::vector<Row> ImpossibleTuples(const RowSpace& space, size_t strength) {
  const std::vector<int>& sizes = space.sizes();
  const std::vector<int> groups = space.Groups();
  std::vector<Row> impossible, witnesses;
  for (size_t count = 1; count <= strength; ++count) {
    for (const std::vector<size_t>& axes : AxisSets(sizes.size(), count)) {
      // A tuple across groups is impossible only if its part in one of the groups is.
      if (groups[axes[0]] < 0 || std::any_of(axes.begin(), axes.end(), [&](size_t axis) {
            return groups[axis] != groups[axes[0]];
          })) {
        continue;
      }
      OpenTuples unknown(axes, sizes);
      for (const Row& tuple : impossible) unknown.RemoveThoseWith(tuple);
      for (const Row& witness : witnesses) unknown.Remove(witness);
      while (unknown.size() > 0) {
        Row tuple(sizes.size(), kUndecided), witness;
        unknown.TakeNext(tuple);
        unknown.Remove(tuple);
        if (space.FindWitness(tuple, witness)) {
          witnesses.push_back(std::move(witness));
        } else {
          impossible.push_back(std::move(tuple));
        }
      }
    }
  }
  return impossible;
}

// The number of times that each value of each axis has been used.
using Uses = std::vector<std::vector<uint32_t>>;

// Decides the undecided axes of a row that can be completed. Each time it takes the value that
// promises most open tuples, then the least used one, then the one that `seed` draws. (Bryce,
// Colbourn: The density algorithm for pairwise interaction testing. STVR 17, 2007.)
void Fill(const RowSpace& space, const std::vector<std::vector<OpenTuples*>>& open_on,
          const std::vector<size_t>& order, const Uses& uses, uint64_t seed, Row& row) {
  Row witness, trial_witness;
  [[maybe_unused]] const bool possible = space.FindWitness(row, witness);
  assert(possible);
  std::vector<uint64_t> gains;
  std::vector<std::tuple<uint64_t, uint32_t, uint32_t, int>> candidates;  // the best is the least
  for (const size_t axis : order) {
    if (row[axis] != kUndecided) continue;
    gains.assign(uses[axis].size(), 0);
    for (const OpenTuples* open : open_on[axis]) open->AddGains(row, axis, gains);
    candidates.clear();
    for (size_t value = 0; value < gains.size(); ++value) {
      const uint32_t draw =
          Philox4x32({static_cast<uint32_t>(axis), static_cast<uint32_t>(value)},
                     {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)})[0];
      // The other values of an axis that prefers its first come early, where rows are usual.
      const uint32_t used =
          space.PrefersFirst(axis) ? (value == 0) == (gains[value] > 0) : uses[axis][value];
      candidates.emplace_back(~gains[value], used, draw, static_cast<int>(value));
    }
    std::sort(candidates.begin(), candidates.end());
    for (const auto& [gain, used, draw, value] : candidates) {
      row[axis] = value;
      if (witness[axis] == kUndecided || witness[axis] == value) break;
      if (!space.FindWitness(row, trial_witness)) continue;
      witness = trial_witness;
      break;
    }
  }
}

}  // namespace

RowSpace::RowSpace(std::vector<int> sizes, std::vector<RowConstraint> constraints)
    : sizes_(std::move(sizes)), constraints_(std::move(constraints)) {
  assert(sizes_.size() <= 64 && constraints_.size() <= 64);
  constraints_on_.assign(sizes_.size(), 0);
  answers_.resize(constraints_.size());
  for (size_t c = 0; c < constraints_.size(); ++c) {
    all_ |= Bit(c);
    axes_of_.push_back(0);
    for (const size_t axis : constraints_[c].axes) {
      axes_of_[c] |= Bit(axis);
      constraints_on_[axis] |= Bit(c);
    }
  }
}

bool RowSpace::Holds(size_t constraint, const Row& row) const {
  uint64_t key = 0;
  for (const size_t axis : constraints_[constraint].axes) {
    key = key * static_cast<uint64_t>(sizes_[axis]) + static_cast<uint64_t>(row[axis]);
  }
  const auto [answer, is_new] = answers_[constraint].try_emplace(key, false);
  if (is_new) answer->second = constraints_[constraint].holds(row);
  return answer->second;
}

bool RowSpace::Allows(const Row& row) const {
  for (size_t c = 0; c < constraints_.size(); ++c) {
    const std::vector<size_t>& axes = constraints_[c].axes;
    const bool decided = std::none_of(axes.begin(), axes.end(),
                                      [&](size_t axis) { return row[axis] == kUndecided; });
    if (decided && !Holds(c, row)) return false;
  }
  return true;
}

bool RowSpace::HoldsAt(size_t axis, const Row& row, Mask open, Mask used) const {
  for (Mask rest = constraints_on_[axis] & used; rest != 0; rest &= rest - 1) {
    const size_t c = First(rest);
    if ((axes_of_[c] & open) == 0 && !Holds(c, row)) return false;
  }
  return true;
}

RowSpace::Mask RowSpace::Linked(size_t axis, Mask open, Mask used) const {
  Mask linked = Bit(axis);
  for (Mask next = linked; next != 0;) {
    const size_t from = First(next);
    next &= next - 1;
    for (Mask rest = constraints_on_[from] & used; rest != 0; rest &= rest - 1) {
      const Mask found = axes_of_[First(rest)] & open & ~linked;
      linked |= found;
      next |= found;
    }
  }
  return linked;
}

bool RowSpace::Search(Row& row, Mask open, Mask used) const {
  for (Mask rest = open; rest != 0;) {
    const Mask group = Linked(First(rest), rest, used);
    rest &= ~group;
    if (SearchGroup(row, group, used)) continue;
    for (; open != 0; open &= open - 1) row[First(open)] = kUndecided;
    return false;
  }
  return true;
}

bool RowSpace::SearchGroup(Row& row, Mask open, Mask used) const {
  // The axis of the constraint that comes nearest to an answer.
  size_t next = First(open);
  int fewest = 65;
  for (Mask axes = open; axes != 0; axes &= axes - 1) {
    for (Mask rest = constraints_on_[First(axes)] & used; rest != 0; rest &= rest - 1) {
      const int count = std::popcount(axes_of_[First(rest)] & open);
      if (count < fewest) fewest = count, next = First(axes);
    }
  }
  const Mask others = open & ~Bit(next);
  for (int value = 0; value < sizes_[next]; ++value) {
    row[next] = value;
    if (HoldsAt(next, row, others, used) && Search(row, others, used)) return true;
  }
  row[next] = kUndecided;
  return false;
}

bool RowSpace::SearchRow(Row& row, Mask used) const {
  Mask open = 0;
  for (size_t axis = 0; axis < sizes_.size(); ++axis) {
    if (row[axis] == kUndecided && (constraints_on_[axis] & used) != 0) open |= Bit(axis);
  }
  for (size_t c = 0; c < constraints_.size(); ++c) {
    if ((used & Bit(c)) != 0 && (axes_of_[c] & open) == 0 && !Holds(c, row)) return false;
  }
  return Search(row, open, used);
}

bool RowSpace::FindWitness(const Row& row, Row& witness) const {
  witness = row;
  return SearchRow(witness, all_);
}

bool RowSpace::Complete(Row& row) const {
  for (size_t axis = 0; axis < sizes_.size(); ++axis) {
    if (row[axis] == kUndecided && sizes_[axis] == 0) return false;
  }
  Row witness;
  if (!FindWitness(row, witness)) return false;
  for (size_t axis = 0; axis < sizes_.size(); ++axis) {
    if (row[axis] != kUndecided) continue;
    row[axis] = 0;
    while (witness[axis] != kUndecided && witness[axis] != row[axis]) {
      Row trial;
      if (FindWitness(row, trial)) {
        witness = trial;
      } else {
        ++row[axis];
      }
    }
  }
  return true;
}

std::vector<size_t> RowSpace::WhyImpossible(const Row& row) const {
  Row trial = row;
  if (SearchRow(trial, all_)) return {};
  Mask needed = all_;
  for (size_t c = constraints_.size(); c-- > 0;) {
    trial = row;
    if (!SearchRow(trial, needed & ~Bit(c))) needed &= ~Bit(c);
  }
  std::vector<size_t> constraints;
  for (; needed != 0; needed &= needed - 1) constraints.push_back(First(needed));
  return constraints;
}

std::vector<int> RowSpace::Groups() const {
  std::vector<int> groups(sizes_.size(), -1);
  const Mask all_axes = sizes_.empty() ? 0 : ~Mask{0} >> (64 - sizes_.size());
  for (size_t axis = 0; axis < sizes_.size(); ++axis) {
    if (groups[axis] >= 0 || constraints_on_[axis] == 0) continue;
    for (Mask group = Linked(axis, all_axes, all_); group != 0; group &= group - 1) {
      groups[First(group)] = static_cast<int>(axis);
    }
  }
  return groups;
}

std::vector<Row> CoveringArray(const RowSpace& space, int strength, uint64_t seed) {
  const std::vector<int>& sizes = space.sizes();
  const size_t t = std::min(sizes.size(), static_cast<size_t>(strength));
  Row any(sizes.size(), kUndecided);
  if (!space.Complete(any)) return {};
  std::vector<OpenTuples> open;
  for (std::vector<size_t>& axes : AxisSets(sizes.size(), t)) open.emplace_back(axes, sizes);
  for (const Row& tuple : ImpossibleTuples(space, t)) {
    for (OpenTuples& tuples : open) tuples.RemoveThoseWith(tuple);
  }
  std::vector<std::vector<OpenTuples*>> open_on(sizes.size());
  for (OpenTuples& tuples : open) {
    for (const size_t axis : tuples.axes()) open_on[axis].push_back(&tuples);
  }
  // Axes with many values come first: few tuples are left when these axes are exhausted.
  std::vector<size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return sizes[a] > sizes[b]; });
  Uses uses;
  for (int size : sizes) uses.emplace_back(size, 0);
  std::vector<Row> rows;
  while (true) {
    const auto most = std::max_element(
        open.begin(), open.end(),
        [](const OpenTuples& a, const OpenTuples& b) { return a.size() < b.size(); });
    if (most->size() == 0) break;
    Row row(sizes.size(), kUndecided);
    most->TakeNext(row);
    Fill(space, open_on, order, uses, seed, row);
    for (OpenTuples& tuples : open) tuples.Remove(row);
    for (size_t axis = 0; axis < row.size(); ++axis) ++uses[axis][static_cast<size_t>(row[axis])];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace cts
