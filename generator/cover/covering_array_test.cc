#include "generator/cover/covering_array.h"

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

}  // namespace
}  // namespace cts
