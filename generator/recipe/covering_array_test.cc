#include "generator/recipe/covering_array.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace cts {
namespace {

// Every complete row, by counting.
std::vector<Row> AllRows(const std::vector<int>& sizes) {
  int count = 1;
  for (int size : sizes) count *= size;
  std::vector<Row> rows;
  for (int i = 0; i < count; ++i) {
    Row row;
    int rest = i;
    for (int size : sizes) {
      row.push_back(rest % size);
      rest /= size;
    }
    rows.push_back(row);
  }
  return rows;
}

// (axes, values) of every `t` axes of a row, by bit masks over the axes.
std::set<std::pair<unsigned, Row>> Tuples(const std::vector<Row>& rows, int t) {
  std::set<std::pair<unsigned, Row>> tuples;
  for (const Row& row : rows) {
    for (unsigned mask = 0; mask < 1u << row.size(); ++mask) {
      if (__builtin_popcount(mask) != t) continue;
      Row values;
      for (size_t axis = 0; axis < row.size(); ++axis) {
        if (mask >> axis & 1) values.push_back(row[axis]);
      }
      tuples.insert({mask, values});
    }
  }
  return tuples;
}

bool Any(const Row&) { return true; }

using AllowedRow = bool (*)(const Row&);

// All rows of these sizes, with a constraint on all axes.
RowSpace SpaceOf(const std::vector<int>& sizes, AllowedRow allowed = Any) {
  std::vector<size_t> axes(sizes.size());
  std::iota(axes.begin(), axes.end(), size_t{0});
  return RowSpace(sizes, {{axes, allowed}});
}

bool FirstBelowThirdUnlessBothOdd(const Row& row) {
  return row[0] < row[2] || (row[0] % 2 == 1 && row[2] % 2 == 1);
}

bool SumIsDivisibleByThree(const Row& row) {
  int sum = 0;
  for (int value : row) {
    sum += value;
  }
  return sum % 3 == 0;
}

TEST(CoveringArray, CoversExactlyTheTuplesOfAllowedRows) {
  const std::vector<std::vector<int>> domains = {
      {3}, {2, 3}, {4, 3, 5}, {2, 3, 4, 2}, {3, 1, 3, 2, 3}};
  const std::vector<AllowedRow> constraints = {Any, FirstBelowThirdUnlessBothOdd,
                                               SumIsDivisibleByThree};
  for (const std::vector<int>& sizes : domains) {
    for (size_t c = 0; c < constraints.size(); ++c) {
      if (c == 1 && sizes.size() < 3) continue;
      std::vector<Row> allowed_rows = AllRows(sizes);
      std::erase_if(allowed_rows, [&](const Row& row) { return !constraints[c](row); });
      for (int t = 1; t <= 3; ++t) {
        for (uint64_t seed : {0, 1, 12345}) {
          const std::vector<Row> rows = CoveringArray(SpaceOf(sizes, constraints[c]), t, seed);
          const int strength = std::min(t, static_cast<int>(sizes.size()));
          EXPECT_EQ(Tuples(rows, strength), Tuples(allowed_rows, strength))
              << "axes " << sizes.size() << ", constraint " << c << ", strength " << t;
          EXPECT_TRUE(std::all_of(rows.begin(), rows.end(), constraints[c]));
        }
      }
    }
  }
}

// Constraints on 1 to 5 axes, some of which no array could guess: each looks at its axes alone.
std::vector<RowConstraint> ConstraintsOn(const std::vector<std::vector<size_t>>& axis_sets) {
  std::vector<RowConstraint> constraints;
  constraints.reserve(axis_sets.size());
  for (const std::vector<size_t>& axes : axis_sets) {
    constraints.push_back({axes, [axes](const Row& row) {
                             uint32_t hash = 2166136261;
                             for (size_t axis : axes) {
                               hash = (hash ^ static_cast<uint32_t>(row[axis] + 1)) * 16777619;
                             }
                             return (hash >> 16) % 3 != 0;
                           }});
  }
  return constraints;
}

bool AllHold(const std::vector<RowConstraint>& constraints, const Row& row) {
  return std::all_of(constraints.begin(), constraints.end(),
                     [&](const RowConstraint& c) { return c.holds(row); });
}

const std::vector<std::vector<std::vector<size_t>>> kConstraintSets = {
    {},
    {{0}},
    {{0}, {1}, {2}, {3}},
    {{0, 5}},
    {{0, 5}, {1, 4}, {2, 3}},
    {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}},
    {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}},
    {{0, 2, 4}, {1, 3}},
    {{1, 2, 3, 5}, {0}, {0, 5}},
    {{0, 1, 2, 3, 4}},
    {{1, 2, 3, 4, 5}, {0, 1}, {3}},
};

TEST(CoveringArray, CoversExactlyTheTuplesThatConstraintsAllow) {
  const std::vector<int> sizes = {4, 3, 2, 3, 3, 2};
  const std::vector<Row> all_rows = AllRows(sizes);
  size_t impossible_tuples = 0;
  for (const auto& axis_sets : kConstraintSets) {
    const std::vector<RowConstraint> constraints = ConstraintsOn(axis_sets);
    std::vector<Row> allowed_rows = all_rows;
    std::erase_if(allowed_rows, [&](const Row& row) { return !AllHold(constraints, row); });
    for (int t = 1; t <= 4; ++t) {
      const auto allowed = Tuples(allowed_rows, t);
      impossible_tuples += Tuples(all_rows, t).size() - allowed.size();
      const std::vector<Row> rows = CoveringArray(RowSpace(sizes, constraints), t, 5);
      EXPECT_EQ(Tuples(rows, t), allowed)
          << testing::PrintToString(axis_sets) << ", strength " << t;
      EXPECT_LE(rows.size(), allowed_rows.size());
      for (const Row& row : rows) EXPECT_TRUE(AllHold(constraints, row));
    }
  }
  EXPECT_GT(impossible_tuples, 1000u);
}

TEST(CoveringArray, NeedsNoMoreRowsThanTheLargestAxisForSingleValues) {
  EXPECT_EQ(CoveringArray(SpaceOf({2, 7, 3, 7}), 1).size(), 7u);
  EXPECT_EQ(CoveringArray(SpaceOf({1, 1}), 1).size(), 1u);
}

TEST(CoveringArray, NeedsAllRowsForAllAxes) {
  EXPECT_EQ(CoveringArray(SpaceOf({2, 3, 4}), 3).size(), 24u);
}

// The product of the two largest axes is the least possible; greedy stays below twice that.
TEST(CoveringArray, StaysSmallForPairs) {
  const size_t rows = CoveringArray(SpaceOf({5, 4, 3, 3, 2, 2}), 2).size();
  EXPECT_GE(rows, 20u);
  EXPECT_LE(rows, 26u);
}

// 225 pairs of two axes are the least; without constraints AETG-like greedy algorithms need some
// 350 rows here.
TEST(CoveringArray, StaysSmallForPairsOfManyValues) {
  EXPECT_LE(CoveringArray(SpaceOf({15, 15, 3, 3, 2, 2, 2}), 2).size(), 235u);
  EXPECT_LE(CoveringArray(RowSpace(std::vector<int>(10, 15), {}), 2).size(), 375u);
}

// 1000 triples of three axes are the least.
TEST(CoveringArray, StaysSmallForTriples) {
  EXPECT_LE(CoveringArray(RowSpace(std::vector<int>(8, 10), {}), 3).size(), 2100u);
}

// A constraint needs most of its time for parsing labels.
TEST(CoveringArray, AsksAConstraintOnceForEachCombination) {
  size_t calls = 0;
  const std::vector<RowConstraint> constraints = {{{1, 2}, [&calls](const Row& row) {
                                                     ++calls;
                                                     return row[1] + row[2] != 4;
                                                   }}};
  EXPECT_GT(CoveringArray(RowSpace({6, 7, 8, 3}, constraints), 3).size(), 300u);
  EXPECT_LE(calls, 56u);
}

TEST(CoveringArray, TakesOtherValuesOfAnAxisThatPrefersItsFirstNoMoreThanItMust) {
  RowSpace space({7, 2, 3}, {});
  const auto others = [&space](int strength) {
    const std::vector<Row> rows = CoveringArray(space, strength);
    return std::count_if(rows.begin(), rows.end(), [](const Row& row) { return row[1] == 1; });
  };
  EXPECT_GT(others(1), 1);
  space.PreferFirst(1);
  EXPECT_EQ(others(1), 1);
  EXPECT_LE(others(2), 8);  // at least one with each value of the first axis
}

TEST(CoveringArray, IsEmptyIfAnAxisIs) {
  EXPECT_TRUE(CoveringArray(RowSpace({3, 0, 2}, {}), 2).empty());
  EXPECT_TRUE(CoveringArray(RowSpace({3, 0, 2}, {{{1}, Any}}), 1).empty());
  EXPECT_EQ(CoveringArray(RowSpace({}, {}), 2), std::vector<Row>{{}});
}

TEST(CoveringArray, DependsOnTheSeedOnly) {
  const std::vector<int> sizes = {4, 3, 5, 2};
  EXPECT_EQ(CoveringArray(SpaceOf(sizes), 1, 3), CoveringArray(SpaceOf(sizes), 1, 3));
  EXPECT_NE(CoveringArray(SpaceOf(sizes), 1, 3), CoveringArray(SpaceOf(sizes), 1, 4));
}

TEST(CoveringArray, IsEmptyIfNothingIsAllowed) {
  EXPECT_TRUE(CoveringArray(SpaceOf({2, 2}, [](const Row&) { return false; }), 2).empty());
}

TEST(Complete, KeepsWhatIsDecided) {
  Row row = {kUndecided, 1, kUndecided};
  ASSERT_TRUE(SpaceOf({3, 2, 3}, SumIsDivisibleByThree).Complete(row));
  EXPECT_EQ(row, (Row{0, 1, 2}));
  Row impossible = {2, 1, 1};
  EXPECT_FALSE(SpaceOf({3, 2, 3}, SumIsDivisibleByThree).Complete(impossible));
}

// By brute force: the first of all rows, in their order, that has the decided values.
TEST(Complete, TakesTheFirstValuesThatFit) {
  const std::vector<int> sizes = {4, 3, 2, 3, 3, 2};
  std::vector<Row> all_rows = AllRows(sizes);
  std::sort(all_rows.begin(), all_rows.end());
  int impossible = 0;
  for (const auto& axis_sets : kConstraintSets) {
    const std::vector<RowConstraint> constraints = ConstraintsOn(axis_sets);
    const RowSpace space(sizes, constraints);
    for (size_t k = 0; k < all_rows.size(); ++k) {
      Row partial = all_rows[k];
      for (size_t axis = 0; axis < partial.size(); ++axis) {
        if ((k * 2654435761u >> axis) % 4 != 0) partial[axis] = kUndecided;
      }
      const auto first = std::find_if(all_rows.begin(), all_rows.end(), [&](const Row& row) {
        for (size_t axis = 0; axis < row.size(); ++axis) {
          if (partial[axis] != kUndecided && partial[axis] != row[axis]) return false;
        }
        return AllHold(constraints, row);
      });
      Row completed = partial;
      const bool is_possible = first != all_rows.end();
      EXPECT_EQ(space.Complete(completed), is_possible);
      EXPECT_EQ(completed, is_possible ? *first : partial);
      EXPECT_EQ(space.WhyImpossible(partial).empty(), is_possible);
      impossible += !is_possible;
    }
  }
  EXPECT_GT(impossible, 500);
}

// A chain in which only the last link fails takes no time, though the axes between could take 10^12
// combinations of values.
TEST(Complete, SearchesOnlyWhatIsLinked) {
  const std::vector<int> sizes(14, 10);
  std::vector<RowConstraint> constraints = {
      {{0, 13}, [](const Row& row) { return row[0] == 9 && row[13] == 0; }}};
  for (size_t axis = 1; axis < 12; ++axis) {
    constraints.push_back(
        {{axis, axis + 1}, [axis](const Row& row) { return row[axis] <= row[axis + 1]; }});
  }
  constraints.push_back({{0, 1, 13}, [](const Row& row) { return row[1] == 7; }});
  const RowSpace space(sizes, constraints);
  Row row(14, kUndecided);
  ASSERT_TRUE(space.Complete(row));
  EXPECT_EQ(row, (Row{9, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 0}));
  Row impossible(14, kUndecided);
  impossible[12] = 6;  // below what the chain begins with
  EXPECT_FALSE(space.Complete(impossible));
}

TEST(WhyImpossible, NamesConstraintsOfWhichNoneCanBeSpared) {
  const std::vector<RowConstraint> constraints = {
      {{0, 1}, [](const Row& row) { return row[0] <= row[1]; }},
      {{3}, [](const Row& row) { return row[3] != 0; }},
      {{1, 2}, [](const Row& row) { return row[1] <= row[2]; }},
      {{2, 3}, [](const Row& row) { return row[2] != row[3]; }}};
  const RowSpace space({3, 3, 3, 3}, constraints);
  const int any = kUndecided;
  EXPECT_EQ(space.WhyImpossible({2, any, 1, any}), (std::vector<size_t>{0, 2}));
  EXPECT_EQ(space.WhyImpossible({any, any, any, 0}), (std::vector<size_t>{1}));
  EXPECT_EQ(space.WhyImpossible({any, 2, any, 2}), (std::vector<size_t>{2, 3}));
  EXPECT_TRUE(space.WhyImpossible({2, any, any, 1}).empty());
}

}  // namespace
}  // namespace cts
