// EXP (section Elementwise Unary Operators).
#include "reference/numeric/elementary.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/operator.h"

namespace cts {

Conditions ExpConditions() {
  return {
      {"exp.level_rank", ConditionKind::kLevel, "rank(shape) exceeds MAX_RANK",
       [](const Call& c) { return RankExceedsLevel(c, "input1"); }},
  };
}

void ComputeExp(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const DType type = call.Type("in_out_t");
  computation.ForEach("output", [&](auto& a, int64_t i) {
    const auto value = a.Load(input1, i);
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      return a.Apply(type, Exp, value);
    } else {
      return value;  // no type row is an integer
    }
  });
}

}  // namespace cts
