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

// Whether a row may be. Of a partial row: false only if no completion is allowed; an answer of true
// promises nothing.
using AllowedRow = std::function<bool(const Row&)>;

// `sizes` are the numbers of values of the axes. Greedy and deterministic. Every row is complete
// and allowed; combinations that no allowed row contains are left out. With more strength than axes
// all axes are combined. Where values are equally good `seed` decides, so that arrays of different
// seeds combine the same values differently.
std::vector<Row> CoveringArray(const std::vector<int>& sizes, int strength,
                               const AllowedRow& allowed, uint64_t seed = 0);

// Whether the partial row can be completed; if so it is, with the first values that fit.
bool Complete(const std::vector<int>& sizes, const AllowedRow& allowed, Row& row);

}  // namespace cts
