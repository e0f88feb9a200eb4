// The vectorised loops of the dot-product operators.
#pragma once

#include <cstdint>

namespace cts {

// The number of sums that lie side by side. It is a whole number of vectors on every target.
inline constexpr int64_t kPanelLanes = 16;

// sums[c][lane] = panel[0][lane] * rows[c][0] + panel[1][lane] * rows[c][1] + ..., from +0 and in
// that order, of a panel of [depth][kPanelLanes] and `count` rows of [depth].
//
// Every product must be exact in fp64, as those of any two narrower floating-point values are. Then
// a fused multiply-add rounds like a multiplication and an addition, each lane is one sum from
// first to last, and every CPU gives the same numbers. Only the bits of a NaN may differ.
void MultiplyPanel(const double* panel, const double* rows, int64_t depth, int64_t count,
                   double* sums);

// sums[lane] = rows[0][lane] * weights[0][lane] + rows[1][lane] * weights[1][lane] + ..., as above,
// of `depth` rows and weights of `lanes` numbers, a multiple of kPanelLanes.
void MultiplyRows(const double* const* rows, const double* weights, int64_t depth, int64_t lanes,
                  double* sums);

}  // namespace cts
