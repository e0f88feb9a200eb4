#include "reference/enclosure/enclosure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "reference/base/float_format.h"

namespace cts {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr Ends kEverything = {};

// A few roundings of fp64, by which a bound was computed.
constexpr double kRoundedUp = 1 + 0x1p-48;

// The neighbour of a value of the type. Beyond the greatest finite number stands infinity.
double ValueAbove(DType type, double value) {
  if (value >= Format(type).max) return kEndless;
  if (value < -Format(type).max) return -Format(type).max;
  if (value == 0) return Format(type).subnormal_min();
  const uint64_t bits = EncodeFloat(type, value);
  // The number below the least subnormal one of either sign is zero.
  return DecodeFloat(type, value > 0 ? bits + 1 : bits - 1);
}
double ValueBelow(DType type, double value) { return -ValueAbove(type, -value); }

// The greatest real number that rounds to nearest to a value of the type, or to what is below it.
double RoundsUpTo(DType type, double value) {
  const double next = ValueAbove(type, value);
  if (std::isinf(value)) {
    // The infinity below all numbers: up to where rounding begins to give the least number.
    return value > 0
               ? value
               : -(Format(type).max + (Format(type).max - ValueBelow(type, Format(type).max)) / 2);
  }
  if (std::isinf(next)) return value + (value - ValueBelow(type, value)) / 2;
  return value + (next - value) / 2;
}

// Every real number that rounds to nearest, ties both ways, to a value between two of the type.
Ends RealsOf(DType type, const Ends& values) {
  if (std::isnan(values.lo) || std::isnan(values.hi)) return kEverything;
  const auto [least, greatest] = WithFlushed(type, values);
  return {-RoundsUpTo(type, -least), RoundsUpTo(type, greatest)};
}

// The least value of which RealsOf has a number that is not below x.
double LeastValue(DType type, double x) {
  if (std::isinf(x)) return x;
  const double value = GreatestNotAbove(type, x);
  // A number in the middle is an end of the value above it.
  return x >= RoundsUpTo(type, value) ? ValueAbove(type, value) : value;
}

// Whether the element is the expected infinity in every type, and stands for no number. An operator
// that computes with an infinite operand rounds nothing, and a pole is one in every type. Finite
// values of special-value tables are not told from results that are rounded: a wider type may hold
// for EXP of -infinity, say, what rounds to zero. Where a type has no infinity, NaN stands for it.
bool IsExactInfinity(const RuledAnswer& known, DType type, int64_t i) {
  const double r = known.answer.expected.Element(i);
  if (!std::isinf(r) || known.overflows || !Format(type).has_infinity) return false;
  switch (known.rule.kind) {
    case RuleKind::kUlp:
      return true;
    case RuleKind::kAbsoluteBound:
      return known.answer.bound->Element(i) == 0;
    case RuleKind::kInterval:
      return known.answer.upper->Element(i) == r;
    default:
      return false;
  }
}

// The dot-product rule refuses an infinity wherever it has a limit.
Ends OfDotProduct(const RuledAnswer& known, DType type, int64_t i) {
  const FloatFormat& format = Format(type);
  const double r = known.answer.expected.Element(i), bound = known.answer.bound->Element(i);
  const double limit = known.rule.absolute_limit;
  const double least_unit = std::ldexp(1.0, -1 - format.fraction_bits);
  const double reach = std::max(bound, bound * (1 + limit * least_unit));
  if (!(reach * kRoundedUp <= format.max) || std::isnan(r)) return kEverything;
  const double unit = std::max(bound * least_unit, format.normal_min());
  const double error = limit * unit * kRoundedUp;
  return WithFlushed(type, {LeastNotBelow(type, std::max(Below(r - error), -format.max)),
                            GreatestNotAbove(type, std::min(Above(r + error), format.max))});
}

Ends OfElement(const RuledAnswer& known, DType type, int64_t i) {
  const Rule& rule = known.rule;
  const double r = known.answer.expected.Element(i);
  if (std::isnan(r)) return kEverything;
  switch (rule.kind) {
    case RuleKind::kExact:
      return WithFlushed(type, {r, r});
    case RuleKind::kUlp: {
      const Tolerance tolerance{.type = type, .ulps = rule.ulp};
      return Accepted(type, rule.form, tolerance.Around({r, r}));
    }
    case RuleKind::kAbsoluteBound: {
      const double bound = known.answer.bound->Element(i);
      if (std::isinf(bound)) return kEverything;
      if (bound == 0 || std::isinf(r)) return Accepted(type, rule.form, {r, r});
      return Accepted(type, rule.form, {Below(r - bound), Above(r + bound)});
    }
    case RuleKind::kInterval:
      return Accepted(type, rule.form, {r, known.answer.upper->Element(i)});
    case RuleKind::kDotProduct:
      return OfDotProduct(known, type, i);
    case RuleKind::kUnchecked:
      break;
  }
  return kEverything;
}

}  // namespace

double Below(double x) { return std::nextafter(x, -kEndless); }
double Above(double x) { return std::nextafter(x, kEndless); }

double LeastNotBelow(DType type, double x) { return -GreatestNotAbove(type, -x); }

double GreatestNotAbove(DType type, double x) {
  const double max = Format(type).max;
  if (x >= max) return std::isinf(x) ? x : max;
  if (x < -max) return -kEndless;
  const double nearest = RoundTo(type, x);
  return nearest <= x ? nearest : ValueBelow(type, nearest);
}

Ends WithFlushed(DType type, Ends ends) {
  if (!Info(type).may_flush) return ends;
  const double normal_min = Format(type).normal_min();
  if (ends.lo > 0 && ends.lo <= normal_min) ends.lo = 0;
  if (ends.hi < 0 && ends.hi >= -normal_min) ends.hi = 0;
  return ends;
}

double Tolerance::At(double y) const {
  y = std::fabs(y);
  const double growing =
      std::max({relative == 0 ? 0 : relative * y, least, UlpErrorBound(type, y, ulps)});
  return (absolute + growing) * kRoundedUp;
}

double Tolerance::Lower(double lo, double hi) const {
  if (std::isinf(lo)) return lo > 0 && relative < 1 ? lo : -kEndless;
  if (!(relative < 1)) return Below(lo - At(std::max(std::fabs(lo), std::fabs(hi))));
  double end = Below(lo - At(lo));
  if (ulps == 0 || lo == hi) return end;
  // y - bound(y) grows with y but where the unit in the last place doubles: at the next power of
  // two. Behind it, it has made up for that.
  if (lo == 0) return std::min(end, -ulps * Format(type).subnormal_min() * kRoundedUp);
  if (lo > 0) {
    const double power = std::ldexp(1.0, std::ilogb(lo) + 1);
    if (power <= hi) end = std::min(end, Below(power - At(power)));
  }
  return end;
}

Ends Tolerance::Around(const Ends& range) const {
  const Ends around{Lower(range.lo, range.hi), -Lower(-range.hi, -range.lo)};
  return std::isnan(around.lo) || std::isnan(around.hi) ? kEverything : around;
}

std::optional<Tolerance> ToleranceOf(const PrecisionRow& row, DType type, double x) {
  const FloatFormat& format = Format(type);
  Tolerance result{.type = type};
  if (const auto* const ulp = row.As<UlpPrecision>()) {
    result.ulps = ulp->scale;
    return result;
  }
  if (const auto* const both = row.As<RelativeAndAbsolutePrecision>()) {
    result.absolute = both->absolute;
    result.relative = both->relative;
    return result;
  }
  const auto* const bound = row.As<ElementwisePrecision>();
  if (bound == nullptr) return std::nullopt;
  const int unit = -(bound->half_of_the_fraction ? format.fraction_bits / 2 : format.fraction_bits);
  // An infinite argument has a table's result, or that of the greatest number.
  const double factor = BoundFactor(*bound, type, std::min(x, 2 * format.max)) * kRoundedUp;
  result.least =
      std::max(std::ldexp(bound->least, unit), bound->least_normal_min * format.normal_min());
  switch (bound->magnitude) {
    case Magnitude::kOne:
      result.least = std::max(result.least, std::ldexp(factor, unit));
      break;
    case Magnitude::kRaisedReference:
      result.least = std::max(result.least, std::ldexp(factor, unit) * format.normal_min());
      [[fallthrough]];
    case Magnitude::kReference:
      result.relative = std::ldexp(factor, unit);
      break;
    case Magnitude::kBinade:
      result.ulps = factor;
      break;
  }
  return result;
}

Ends Accepted(DType type, const std::string& form, const Ends& reals) {
  const FloatFormat& format = Format(type);
  const auto [lo, hi] = reals;
  if (std::isnan(lo) || std::isnan(hi)) return kEverything;
  const bool overflows = hi > format.max || lo < -format.max;
  if (overflows && !format.has_infinity) return kEverything;  // NaN stands for what overflows
  Ends ends{lo < -format.max ? -kEndless : LeastNotBelow(type, lo),
            hi > format.max ? kEndless : GreatestNotAbove(type, hi)};
  if (ends.lo > ends.hi) ends = {RoundTo(type, lo), RoundTo(type, hi)};  // no value lies between
  const double normal_min = format.normal_min();
  const bool widened = form == kWidenedEndsName;
  const bool any_zero = Info(type).may_flush || widened;
  if (any_zero && lo > 0 && lo < normal_min) ends.lo = 0;
  if (any_zero && hi < 0 && hi > -normal_min) ends.hi = 0;
  if (widened) {  // takes any number below the normal ones for another
    if (hi >= 0 && hi < normal_min) ends.hi = normal_min;
    if (lo <= 0 && lo > -normal_min) ends.lo = -normal_min;
  }
  return ends;
}

Enclosure::Enclosure(DType type, const Shape& shape)
    : dtype(type),
      lo(IsFloat(type) ? DType::kFp64 : type, shape),
      hi(IsFloat(type) ? DType::kFp64 : type, shape) {}

void Enclosure::Set(int64_t i, const Ends& values) { SetReals(i, RealsOf(dtype, values)); }

void Enclosure::SetReals(int64_t i, const Ends& reals) {
  const bool number = !std::isnan(reals.lo) && !std::isnan(reals.hi);
  lo.SetElement(i, number ? reals.lo : -kEndless);
  hi.SetElement(i, number ? reals.hi : kEndless);
}

void Enclosure::Join(int64_t i, const Ends& reals) {
  SetReals(i, {std::min(lo.Element(i), reals.lo), std::max(hi.Element(i), reals.hi)});
}

bool Enclosure::IsSettled() const { return !IsFloat(dtype) && lo == hi; }

Ends ValuesOf(DType type, const Ends& reals) {
  return {LeastValue(type, reals.lo), -LeastValue(type, -reals.hi)};
}

Enclosure EncloseValue(const Tensor& value) {
  Enclosure enclosure(value.dtype(), value.shape());
  if (!IsFloat(value.dtype())) {
    enclosure.lo = enclosure.hi = value;
    return enclosure;
  }
  for (int64_t i = 0; i < value.size(); ++i) {
    const double x = value.Element(i);
    enclosure.SetReals(
        i, IsSubnormal(value.dtype(), x) ? WithFlushed(value.dtype(), {x, x}) : Ends{x, x});
  }
  return enclosure;
}

std::optional<Enclosure> EncloseAnswer(const RuledAnswer& known, DType dtype) {
  const bool wraps = known.rule.is_unsigned && known.rule.kind == RuleKind::kInterval;
  if (wraps || known.rule.kind == RuleKind::kUnchecked) return std::nullopt;
  Enclosure enclosure(dtype, known.answer.expected.shape());
  if (!IsFloat(dtype)) {
    enclosure.lo = known.answer.expected;
    enclosure.hi = known.answer.upper ? *known.answer.upper : known.answer.expected;
    return enclosure;
  }
  if (known.rule.enclosure) {
    enclosure.lo = known.answer.expected;
    enclosure.hi = *known.answer.upper;
    return enclosure;
  }
  for (int64_t i = 0; i < enclosure.lo.size(); ++i) {
    if (IsExactInfinity(known, dtype, i)) {
      const double infinity = known.answer.expected.Element(i);
      enclosure.SetReals(i, {infinity, infinity});
    } else {
      enclosure.Set(i, OfElement(known, dtype, i));
    }
  }
  return enclosure;
}

double WidthOf(const Ends& values) {
  const auto [lo, hi] = values;
  if (lo == hi) return 0;
  if (std::isinf(lo) || std::isinf(hi)) return kEndless;
  return (hi - lo) / std::max(std::fabs(lo), std::fabs(hi));
}

double MedianWidth(const Enclosure& enclosure) {
  if (!IsFloat(enclosure.dtype) || enclosure.lo.size() == 0) return 0;
  std::vector<double> widths(static_cast<size_t>(enclosure.lo.size()));
  for (size_t i = 0; i < widths.size(); ++i) {
    const Ends reals = enclosure.At(static_cast<int64_t>(i));
    widths[i] = WidthOf(ValuesOf(enclosure.dtype, reals));
  }
  const auto middle = widths.begin() + static_cast<int64_t>((widths.size() - 1) / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  return *middle;
}

}  // namespace cts
