// The vectorised loops of the dot-product operators.
#pragma once

#include <cstdint>

namespace cts {

// The number of sums that are computed side by side, one in each lane. This number is a multiple of
// the vector length on every target.
inline constexpr int64_t kPanelLanes = 16;

// sums[c][lane] = panel[0][lane] * rows[c][0] + panel[1][lane] * rows[c][1] + ..., added to +0 in
// this order. Shapes: `panel` [depth][kPanelLanes], `rows` [count][depth], `sums`
// [count][kPanelLanes].
//
// Every product must be exact in fp64. The product of two values of narrower floating-point types
// is always exact. A fused multiply-add then gives the same result as a multiplication and an
// addition. Each lane adds its products in order, so every CPU gives the same numbers. Only the
// bits of a NaN may differ.
void MultiplyPanel(const double* panel, const double* rows, int64_t depth, int64_t count,
                   double* sums);

// sums[lane] = rows[0][lane] * weights[0][lane] + rows[1][lane] * weights[1][lane] + ..., added to
// +0 in this order. The products must be exact, as for MultiplyPanel. `rows` and `weights` have
// `depth` rows each, and each row has `lanes` numbers. `lanes` must be a multiple of kPanelLanes.
void MultiplyRows(const double* const* rows, const double* weights, int64_t depth, int64_t lanes,
                  double* sums);

}  // namespace cts
