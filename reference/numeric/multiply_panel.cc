#include "reference/numeric/multiply_panel.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/numeric/multiply_panel.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of lanes by four rows at a time: eight sums hide the latency of one addition.
void MultiplyPanel(const double* panel, const double* rows, int64_t depth, int64_t count,
                   double* sums) {
  const hn::CappedTag<double, kPanelLanes / 2> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t first = 0; first < count; first += 4) {
    // Missing rows of the last four are the last row again. (No std::min: a header's function that
    // is compiled here could end up in the rest of the program, on any CPU.)
    const int64_t c1 = first + 1 < count ? first + 1 : first;
    const int64_t c2 = first + 2 < count ? first + 2 : c1;
    const int64_t c3 = first + 3 < count ? first + 3 : c2;
    const double *row0 = rows + first * depth, *row1 = rows + c1 * depth, *row2 = rows + c2 * depth,
                 *row3 = rows + c3 * depth;
    for (int64_t lane = 0; lane < kPanelLanes; lane += 2 * lanes) {
      auto low0 = hn::Zero(d), low1 = low0, low2 = low0, low3 = low0;
      auto high0 = low0, high1 = low0, high2 = low0, high3 = low0;
      const double* x = panel + lane;
      for (int64_t k = 0; k < depth; ++k, x += kPanelLanes) {
        const auto low = hn::LoadU(d, x), high = hn::LoadU(d, x + lanes);
        const auto w0 = hn::Set(d, row0[k]), w1 = hn::Set(d, row1[k]);
        low0 = hn::MulAdd(low, w0, low0), high0 = hn::MulAdd(high, w0, high0);
        low1 = hn::MulAdd(low, w1, low1), high1 = hn::MulAdd(high, w1, high1);
        const auto w2 = hn::Set(d, row2[k]), w3 = hn::Set(d, row3[k]);
        low2 = hn::MulAdd(low, w2, low2), high2 = hn::MulAdd(high, w2, high2);
        low3 = hn::MulAdd(low, w3, low3), high3 = hn::MulAdd(high, w3, high3);
      }
      double* out = sums + lane;
      hn::StoreU(low0, d, out + first * kPanelLanes);
      hn::StoreU(high0, d, out + first * kPanelLanes + lanes);
      hn::StoreU(low1, d, out + c1 * kPanelLanes);
      hn::StoreU(high1, d, out + c1 * kPanelLanes + lanes);
      hn::StoreU(low2, d, out + c2 * kPanelLanes);
      hn::StoreU(high2, d, out + c2 * kPanelLanes + lanes);
      hn::StoreU(low3, d, out + c3 * kPanelLanes);
      hn::StoreU(high3, d, out + c3 * kPanelLanes + lanes);
    }
  }
}

void MultiplyRows(const double* const* rows, const double* weights, int64_t depth, int64_t lanes,
                  double* sums) {
  const hn::CappedTag<double, kPanelLanes / 4> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t lane = 0; lane < lanes; lane += 4 * step) {
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    const double* w = weights + lane;
    for (int64_t k = 0; k < depth; ++k, w += lanes) {
      const double* const x = rows[k] + lane;
      sum0 = hn::MulAdd(hn::LoadU(d, x), hn::LoadU(d, w), sum0);
      sum1 = hn::MulAdd(hn::LoadU(d, x + step), hn::LoadU(d, w + step), sum1);
      sum2 = hn::MulAdd(hn::LoadU(d, x + 2 * step), hn::LoadU(d, w + 2 * step), sum2);
      sum3 = hn::MulAdd(hn::LoadU(d, x + 3 * step), hn::LoadU(d, w + 3 * step), sum3);
    }
    hn::StoreU(sum0, d, sums + lane);
    hn::StoreU(sum1, d, sums + lane + step);
    hn::StoreU(sum2, d, sums + lane + 2 * step);
    hn::StoreU(sum3, d, sums + lane + 3 * step);
  }
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(MultiplyPanel);

void MultiplyPanel(const double* panel, const double* rows, int64_t depth, int64_t count,
                   double* sums) {
  HWY_DYNAMIC_DISPATCH(MultiplyPanel)(panel, rows, depth, count, sums);
}

HWY_EXPORT(MultiplyRows);

void MultiplyRows(const double* const* rows, const double* weights, int64_t depth, int64_t lanes,
                  double* sums) {
  HWY_DYNAMIC_DISPATCH(MultiplyRows)(rows, weights, depth, lanes, sums);
}

}  // namespace cts
#endif
