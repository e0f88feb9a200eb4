// CLAMP (section Activation Functions).
#include <cmath>

#include "reference/ops/broadcast.h"
#include "reference/ops/operator.h"

namespace cts {

Conditions ClampConditions() {
  return {
      // apply_clip_s has a REQUIRE for the same thing, which would outrank this error; then the
      // error could never occur. It is taken to end the operator.
      {"clamp.bounds_order", ConditionKind::kErrorIf, "max_val is less than min_val",
       [](const Call& c) { return c.Number("max_val") < c.Number("min_val"); }},
      {"clamp.nan_bounds", ConditionKind::kErrorIf, "min_val or max_val is a NaN",
       [](const Call& c) {
         return std::isnan(c.Number("min_val")) || std::isnan(c.Number("max_val"));
       },
       kTosa10},
      {"clamp.level_rank", ConditionKind::kLevel, "rank(shape) exceeds MAX_RANK",
       [](const Call& c) { return RankExceedsLevel(c, "input"); }},
  };
}

void ComputeClamp(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const double min_val = call.Number("min_val"), max_val = call.Number("max_val");
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";

  computation.ForEach("output", [&](auto& a, int64_t i) {
    auto value = a.Load(input, i);
    auto low = value, high = value;
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      low = a.FromDouble(min_val), high = a.FromDouble(max_val);
    } else {
      low = a.FromInteger(static_cast<int64_t>(min_val));
      high = a.FromInteger(static_cast<int64_t>(max_val));
    }
    a.Require(min_val <= max_val, "apply_clip_s.bounds");  // NaN bounds in 0.100
    if (a.IsNan(value)) return ignore_nan ? low : value;
    if (a.Less(value, low)) value = low;
    return a.Less(value, high) ? value : high;
  });
}

}  // namespace cts
