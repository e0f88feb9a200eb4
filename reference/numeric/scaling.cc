#include "reference/numeric/scaling.h"

#include <bit>

#include "reference/base/dtype.h"

namespace cts {
namespace {

// The specification writes 1 << (shift - 1), which needs 64 bits.
int64_t Half(int64_t shift) { return int64_t{1} << (shift - 1); }

bool FitsInt32(int64_t x) { return x >= IntegerMin(DType::kI32) && x <= IntegerMax(DType::kI32); }

}  // namespace

int64_t ApplyScale32(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift,
                     bool double_round) {
  state.Require(multiplier >= 0, "apply_scale_32.multiplier_negative");
  const bool shift_fits = 2 <= shift && shift <= 62;
  state.Require(shift_fits, "apply_scale_32.shift_range");
  if (!shift_fits) return 0;
  const bool value_fits = FitsInt32(value) && value >= -Half(shift) && value < Half(shift);
  state.Require(value_fits, "apply_scale_32.value_range");
  if (!value_fits) return 0;

  int64_t round = Half(shift);
  // The first rounding, at bit 30, of the two.
  if (double_round && shift > 31) round += value >= 0 ? int64_t{1} << 30 : -(int64_t{1} << 30);
  // At most 2^62 + 2^61 + 2^30 in magnitude.
  return (value * multiplier + round) >> shift;
}

int64_t ApplyScale16(ArithmeticState& state, int64_t value, int64_t multiplier, int64_t shift) {
  state.Require(multiplier >= 0, "apply_scale_16.multiplier_negative");
  const bool shift_fits = 2 <= shift && shift <= 62;
  state.Require(shift_fits, "apply_scale_16.shift_range");
  if (!shift_fits) return 0;
  const int64_t result = (value * multiplier + Half(shift)) >> shift;
  const bool result_fits = FitsInt32(result);
  state.Require(result_fits, "apply_scale_16.result_range");
  return result_fits ? result : 0;
}

ReciprocalScale ReciprocalScaleOf(int64_t divisor) {
  // 2^k / 2 < divisor <= 2^k
  const int64_t k = std::bit_width(static_cast<uint64_t>(divisor - 1));
  // The specification writes ((1 << 30) + 1) << k, which needs 64 bits.
  return {(((int64_t{1} << 30) + 1) << k) / divisor, 30 + k};
}

}  // namespace cts
