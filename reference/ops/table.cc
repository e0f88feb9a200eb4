// TABLE: conditions and semantics (section Elementwise Binary Operators; apply_lookup_s of section
// General Unary Functions).
#include <cstdlib>

#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {

OperatorFacts TableFacts() {
  return {.infer = InferAsInput,
          .keeping = Keeping::kAside,
          .dimensions = ElementwiseDimensions,
          .alone_with_symbols = true};
}

Conditions TableConditions() {
  return {
      {"table.size", ConditionKind::kRequire, "the table does not have TABLE_SIZE entries",
       [](const Call& c) -> Breach {
         const std::string& size = c.row().types.at("TABLE_SIZE");
         const int64_t found = c.shape("table")[0];
         if (std::to_string(found) == size) return false;
         return Breach::Showing(found, ", expected ", size);
       }},
  };
}

void ComputeTable(const Call& call, Computation& computation) {
  const Operand& input = computation.In(call.Has("input1") ? "input1" : "input");
  const Operand& table = computation.In("table");
  const bool interpolate = call.Type("in_t") == DType::kI16;

  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    const int64_t value = a.LoadInteger(input, i);
    if (!interpolate) return a.LoadInteger(table, value + 128);
    const int64_t index = (value + 32768) >> 7, fraction = value & 0x7f;  // 9.7 fixed point
    const int64_t base = a.LoadInteger(table, index);
    const int64_t slope = a.LoadInteger(table, index + 1) - base;
    a.Require(slope >= IntegerMin(DType::kI16) && slope <= IntegerMax(DType::kI16),
              "apply_lookup_s.slope_range");
    return base * 128 + slope * fraction;
  });
}

}  // namespace cts
