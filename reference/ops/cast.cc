// CAST: conditions and semantics (section Type Conversion).
#include <algorithm>
#include <cmath>

#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// The low bits, taken as the signed value of an integer type.
int64_t Truncate(DType type, int64_t value) {
  const int drop = 64 - Info(type).bits;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << drop) >> drop;
}

// Rounded to nearest, ties to even, and saturated.
int64_t FloatToInteger(DType type, double value) {
  const double low = static_cast<double>(IntegerMin(type));
  const double high = static_cast<double>(IntegerMax(type));
  return static_cast<int64_t>(std::clamp(std::nearbyint(value), low, high));
}

}  // namespace

OperatorFacts CastFacts() {
  return {.infer = InferAsInput,
          .keeping = Keeping::kConverts,
          .dimensions = ElementwiseDimensions,
          .alone_with_symbols = true,
          .overflow = Overflows::kOfNumbers};
}

Conditions CastConditions() { return {}; }

void ComputeCast(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const DType in_t = call.Type("in_t"), out_t = call.Type("out_t");
  if (IsFloat(out_t)) {
    // 0.100 saturates to fp8, 1.0 does not. The reference leaves the value unrounded; the output's
    // rule says how it is rounded.
    const bool saturate = call.EditionHas(Feature::kSaturatingFp8Casts) && Info(out_t).bits == 8;
    return computation.ForEach("output", [&](auto& a, int64_t i) {
      if (!IsFloat(in_t)) return a.Cast(out_t, a.FromInteger(a.LoadInteger(input, i)));
      auto value = a.Load(input, i);
      if constexpr (std::is_base_of_v<Native, std::decay_t<decltype(a)>>) {
        if (saturate) return DecodeFloat(out_t, EncodeFloat(out_t, value, Overflow::kSaturate));
      }
      return a.Cast(out_t, value);
    });
  }
  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    if (!IsFloat(in_t)) {
      const int64_t value = a.LoadInteger(input, i);
      return out_t == DType::kBool ? value != 0 : Truncate(out_t, value);
    }
    const auto value = a.Load(input, i);
    a.Require(!a.IsNan(value), "cast.nan_to_integer");
    return a.IsNan(value) ? 0 : FloatToInteger(out_t, a.ToDouble(value));
  });
}

}  // namespace cts
