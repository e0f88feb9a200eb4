// Operators whose bound is a function of all inputs: RESIZE.
#include <algorithm>
#include <cmath>

#include "reference/precision/precision.h"

namespace cts {

RuledAnswer ResizeRule(const Call& call, Computation& computation) {
  const bool draft = call.Is("tosa-0.100");
  const DType type = call.dtype("output");
  double greatest = 0;
  for (double x : computation.In("input").floats) greatest = std::max(greatest, std::fabs(x));
  double err = greatest * 0.006;
  if (!draft) err = std::max(err, AbsoluteErrorBound(type, greatest, 20));
  const Tensor& ref = *computation.outputs().at("output");
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) bound.SetFloat(i, Positive(err));
  Rule rule{.kind = RuleKind::kAbsoluteBound,
            .form = call.edition().id,
            .clause = StrCat(call.edition().id, ", RESIZE: within 0.006 of the largest magnitude",
                             draft ? "" : ", or 20 units in the last place of it")};
  return {std::move(rule), {.expected = ref, .bound = std::move(bound)}};
}

}  // namespace cts
