// The vectorised loops of the dot-product operators.
#pragma once

#include <cstdint>

namespace cts {

// The number of sums that are computed side by side. It is a multiple of the vector length on every
// target.
inline constexpr int64_t kPanelLanes = 16;

// sums[c][lane] = panel[0][lane] * rows[c][0] + panel[1][lane] * rows[c][1] + ..., starting from +0
// and in that order. The panel has shape [depth][kPanelLanes], and there are `count` rows of
// `depth` numbers.
//
// Every product must be exact in fp64, as is the product of any two values of narrower
// floating-point types. Then a fused multiply-add rounds like a multiplication and an addition.
// Each lane adds its products in order, so every CPU gives the same numbers. Only the bits of a NaN
// may differ.
void MultiplyPanel(const double* panel, const double* rows, int64_t depth, int64_t count,
                   double* sums);

// sums[lane] = rows[0][lane] * weights[0][lane] + rows[1][lane] * weights[1][lane] + ..., under the
// conditions of MultiplyPanel. `rows` and `weights` have `depth` rows each, and each row has
// `lanes` numbers. `lanes` is a multiple of kPanelLanes.
void MultiplyRows(const double* const* rows, const double* weights, int64_t depth, int64_t lanes,
                  double* sums);

}  // namespace cts
