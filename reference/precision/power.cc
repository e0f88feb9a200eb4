// POW: a bound per element of x^y = e^(y log x), and results that are not defined.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/numeric/elementary.h"
#include "reference/ops/broadcast.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

// The reference of a result that is not defined. Its bound is infinite: NaN is right, too.
constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// The bound of base |x| > 0 to the exponent y.
double PowerBound(const PowerPrecision& power, DType type, double x, double y, double ref) {
  if (power.bound.table && y == 0) return 0;  // exactly 1
  const double log = y * Log(std::fabs(x));
  const bool is_exact = power.logarithm_scale == 0;
  const double mul_error = is_exact ? 0
                                    : AbsoluteErrorBound(type, log, power.logarithm_scale,
                                                         std::fabs(power.logarithm_least * y));
  const double factor = BoundFactor(power.bound, type, log + mul_error);
  if (std::isinf(ref)) {
    return BoundOfInfinity(Expm1(mul_error) + std::ldexp(factor, -Format(type).fraction_bits));
  }
  const double exp_error = ScaledBound(power.bound, type, factor, ref);
  if (is_exact) return Positive(std::min(exp_error, kGreatestDouble));
  // |ref| * expm1(mul_error) in the reals, also if ref is zero in fp64 and the other factor
  // infinite.
  double error = std::fabs(ref) * Expm1(mul_error);
  if (std::isnan(error)) error = Exp(log + mul_error);
  // If infinite, there is no limit: the comparing function of 1.0 says so.
  return Positive(error + exp_error);
}

}  // namespace

RuledAnswer PowerRule(const PrecisionRow& row, const PowerPrecision& power, const Call& call,
                      Computation& computation, Tensor ref) {
  const DType type = call.dtype("output");
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const Shape &shape = call.shape("output"), &shape1 = call.shape("input1"),
              &shape2 = call.shape("input2");
  Tensor bound(DType::kFp64, shape);
  for (int64_t i = 0; i < ref.size(); ++i) {
    const double x = input1.Element(BroadcastOffset(shape, shape1, i));
    const double y = input2.Element(BroadcastOffset(shape, shape2, i));
    if ((std::isnan(x) || std::isnan(y)) && std::isnan(ref.Element(i))) {
      bound.SetElement(i, 0);
    } else if (std::isnan(x) || std::isnan(y)) {
      // 0.100 turns any NaN into a NaN, but fp64 arithmetic turns some into 1: no rule binds those.
      // 1.0 has no such graph.
      bound.SetElement(i, kInfinity);
      ref.SetElement(i, kUndefined);
    } else if (std::isinf(x) || std::isinf(y) || (x == 0 && y <= 0)) {
      // Undefined: in 1.0 only where a base was flushed. 0.100 says nothing, and its formula gives
      // no number; results that 1.0 calls undefined count as undefined there.
      bound.SetElement(i, kInfinity);
      ref.SetElement(i, kUndefined);
    } else if (x == 0) {
      ref.SetElement(i, 0);
    } else if (!std::isnan(ref.Element(i))) {
      bound.SetElement(i, PowerBound(power, type, x, y, ref.Element(i)));
    }
  }
  return {RuleOf(row, RuleKind::kAbsoluteBound),
          {.expected = std::move(ref), .bound = std::move(bound)}};
}

}  // namespace cts
