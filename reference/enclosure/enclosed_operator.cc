#include "reference/enclosure/enclosed_operator.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/numeric/elementary.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

constexpr double kNoEnd = std::numeric_limits<double>::infinity();
constexpr Ends kAnything = {};

bool IsOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Integers as numbers, beyond 2^53 rounded outward.
Ends Element(const Enclosure& enclosure, int64_t i) {
  if (IsFloat(enclosure.dtype)) return enclosure.At(i);
  const auto lo = static_cast<double>(enclosure.lo.Integer(i));
  const auto hi = static_cast<double>(enclosure.hi.Integer(i));
  constexpr double kExact = 0x1p53;
  return {std::fabs(lo) < kExact ? lo : Below(lo), std::fabs(hi) < kExact ? hi : Above(hi)};
}

std::shared_ptr<const Tensor> Shared(Tensor tensor) {
  return std::make_shared<const Tensor>(std::move(tensor));
}

// Every operand by its lower ends, or by its upper ones.
Replaced AllBy(bool upper, const EnclosedOperands& operands) {
  Replaced replaced;
  for (size_t k = 0; k < operands.size(); ++k) {
    const bool is_float = operands.value(k) != nullptr && IsFloat(operands.value(k)->dtype());
    if (!operands.IsInexact(k) && !is_float) continue;
    replaced[k] = Shared(upper ? operands[k].hi : operands[k].lo);
  }
  return replaced;
}

// An operator that gives more, or the same, the more it is given.
StatusOr<Enclosures> RunEnds(const EnclosedCall& enclosed) {
  const auto least = enclosed.operands.Run(AllBy(false, enclosed.operands));
  const auto greatest = enclosed.operands.Run(AllBy(true, enclosed.operands));
  if (!least || !greatest) {
    return NoEnclosure(enclosed, "where a REQUIRE of it may not hold");
  }
  Enclosures made;
  for (const auto& [name, lo] : *least) {
    Enclosure enclosure(enclosed.call.dtype(name), lo.shape());
    enclosure.lo = lo;
    enclosure.hi = greatest->at(name);
    made.emplace(name, std::move(enclosure));
  }
  return made;
}

// The greater or the lesser of several elements: NaN may be ignored, or be the result.
StatusOr<Enclosures> EncloseExtremum(const EnclosedCall& enclosed) {
  CTS_ASSIGN_OR_RETURN(Enclosures made, RunEnds(enclosed));
  Enclosure& output = made.begin()->second;
  // An element that is ignored if it is NaN has no end on the side that counts.
  if (!IsFloat(output.dtype) || enclosed.call.Enum("nan_mode") == "IGNORE") return made;
  const bool minimum = IsOneOf(enclosed.call.name(), {"MINIMUM", "REDUCE_MIN"});
  Replaced marks;
  for (size_t k = 0; k < enclosed.operands.size(); ++k) {
    if (!enclosed.operands.IsInexact(k) && !IsFloat(enclosed.operands.value(k)->dtype())) continue;
    const Enclosure& ends = enclosed.operands[k];
    if (!IsFloat(ends.dtype)) continue;
    Tensor mark(DType::kFp64, ends.lo.shape());
    for (int64_t i = 0; i < mark.size(); ++i) {
      if (ends.At(i).IsEverything()) mark.SetElement(i, minimum ? -1 : 1);
    }
    marks[k] = Shared(std::move(mark));
  }
  const auto marked = enclosed.operands.Run(marks);
  if (!marked) return NoEnclosure(enclosed, "where a REQUIRE of it may not hold");
  const Tensor& of_any = marked->begin()->second;
  for (int64_t i = 0; i < of_any.size(); ++i) {
    if (std::fabs(of_any.Element(i)) == 1) output.Set(i, kAnything);
  }
  return made;
}

StatusOr<Enclosures> EncloseClamp(const EnclosedCall& enclosed) {
  CTS_ASSIGN_OR_RETURN(Enclosures made, RunEnds(enclosed));
  Enclosure& output = made.begin()->second;
  if (!IsFloat(output.dtype) || enclosed.call.Enum("nan_mode") == "IGNORE") return made;
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    if (enclosed.operands[0].At(i).IsEverything()) output.Set(i, kAnything);
  }
  return made;
}

StatusOr<Enclosures> EncloseSign(const EnclosedCall& enclosed) {
  const Enclosure& x = enclosed.operands[0];
  Enclosure output(x.dtype, x.lo.shape());
  const bool abs = enclosed.call.name() == "ABS";
  for (int64_t i = 0; i < x.lo.size(); ++i) {
    const auto [lo, hi] = x.At(i);
    if (x.At(i).IsEverything()) {
      output.Set(i, kAnything);
    } else if (!abs || hi <= 0) {
      output.SetReals(i, {-hi, -lo});
    } else {
      output.SetReals(i, {std::max(lo, 0.0), std::max(-lo, hi)});
    }
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

// The possible outcomes of a comparison of two numbers.
struct Truth {
  bool may_hold, may_fail;
};
Truth Compare(std::string_view op, const Ends& x, const Ends& y) {
  if (x.IsEverything() || y.IsEverything()) return {true, true};
  if (op == "GREATER") return {x.hi > y.lo, x.lo <= y.hi};
  if (op == "GREATER_EQUAL") return {x.hi >= y.lo, x.lo < y.hi};
  return {x.hi >= y.lo && y.hi >= x.lo, !(x.lo == x.hi && y.lo == y.hi && x.lo == y.lo)};
}

StatusOr<Enclosures> EncloseComparison(const EnclosedCall& enclosed) {
  const Enclosure &x = enclosed.operands[0], &y = enclosed.operands[1];
  const Shape& shape = enclosed.call.shape("output");
  Enclosure output(DType::kBool, shape);
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    const Truth truth =
        Compare(enclosed.call.name(), Element(x, BroadcastOffset(shape, x.lo.shape(), i)),
                Element(y, BroadcastOffset(shape, y.lo.shape(), i)));
    output.lo.SetInteger(i, truth.may_fail ? 0 : 1);
    output.hi.SetInteger(i, truth.may_hold ? 1 : 0);
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

StatusOr<Enclosures> EncloseNot(const EnclosedCall& enclosed) {
  CTS_ASSIGN_OR_RETURN(Enclosures made, RunEnds(enclosed));
  std::swap(made.begin()->second.lo, made.begin()->second.hi);
  return made;
}

// Whatever the condition may say: both operands where it is not settled.
StatusOr<Enclosures> EncloseSelect(const EnclosedCall& enclosed) {
  const EnclosedOperands& operands = enclosed.operands;
  std::optional<Enclosure> all;
  for (const bool condition : {false, true}) {
    Replaced least = AllBy(false, operands), greatest = AllBy(true, operands);
    if (operands.IsInexact(0)) {
      least[0] = greatest[0] = Shared(condition ? operands[0].hi : operands[0].lo);
    }
    const auto lo = operands.Run(least), hi = operands.Run(greatest);
    if (!lo || !hi) return NoEnclosure(enclosed, "where a REQUIRE of it may not hold");
    Enclosure chosen(enclosed.call.dtype("output"), lo->at("output").shape());
    chosen.lo = lo->at("output");
    chosen.hi = hi->at("output");
    if (!all) {
      all = std::move(chosen);
      continue;
    }
    for (int64_t i = 0; i < all->lo.size(); ++i) {
      if (IsFloat(all->dtype)) {
        all->Join(i, chosen.At(i));
      } else {
        all->lo.SetInteger(i, std::min(all->lo.Integer(i), chosen.lo.Integer(i)));
        all->hi.SetInteger(i, std::max(all->hi.Integer(i), chosen.hi.Integer(i)));
      }
    }
  }
  Enclosures made;
  made.emplace("output", *std::move(all));
  return made;
}

bool HasEverything(const Enclosure& enclosure) {
  for (int64_t i = 0; i < enclosure.lo.size(); ++i) {
    if (enclosure.At(i).IsEverything()) return true;
  }
  return false;
}

// Whether the element is an exact infinity that the type has.
bool StaysInfinite(const Enclosure& output, int64_t i) {
  return output.IsExactInfinity(i) && Format(output.dtype).has_infinity;
}

StatusOr<Enclosures> EncloseCast(const EnclosedCall& enclosed) {
  const DType in = enclosed.call.dtype("input"), out = enclosed.call.dtype("output");
  if (!IsFloat(in) && !IsFloat(out)) return NoEnclosure(enclosed, "from an integer to another");
  if (out == DType::kBool) return NoEnclosure(enclosed, "to bool");
  if (IsFloat(in) && !IsFloat(out) && HasEverything(enclosed.operands[0])) {
    return NoEnclosure(enclosed, "of what may be NaN, which a REQUIRE of it forbids");
  }
  CTS_ASSIGN_OR_RETURN(Enclosures made, RunEnds(enclosed));
  Enclosure& output = made.begin()->second;
  if (!IsFloat(out)) return made;
  CTS_ASSIGN_OR_RETURN(const PrecisionRow* row, enclosed.Row("output"));
  if (const auto* const interval = row->As<IntervalPrecision>()) {
    const Tensor least = CastRule(*row, interval->ends, enclosed.call, output.lo).answer.expected;
    const Tensor greatest = *CastRule(*row, interval->ends, enclosed.call, output.hi).answer.upper;
    for (int64_t i = 0; i < least.size(); ++i) {
      if (StaysInfinite(output, i)) continue;
      output.Set(i, Accepted(out, row->form, {least.Element(i), greatest.Element(i)}));
    }
    return made;
  }
  const std::optional<Tolerance> tolerance = ToleranceOf(*row, out, 0);
  if (!tolerance) return NoEnclosure(enclosed, "under its rule");
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    if (StaysInfinite(output, i)) continue;
    output.Set(i, Accepted(out, row->form, tolerance->Around(output.At(i))));
  }
  return made;
}

// An infinite factor gives an infinity whose sign is known, if the other factor cannot be zero.
Ends Product(const Ends& x, const Ends& y) {
  if (IsExactInfinity(x) || IsExactInfinity(y)) {
    const double ends[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
    const bool one =
        std::all_of(std::begin(ends), std::end(ends), [&](double end) { return end == ends[0]; });
    return one ? Ends{ends[0], ends[0]} : kAnything;
  }
  const double products[] = {x.lo * y.lo, x.lo * y.hi, x.hi * y.lo, x.hi * y.hi};
  Ends ends{kNoEnd, -kNoEnd};
  for (const double product : products) {
    if (std::isnan(product)) return kAnything;
    ends = {std::min(ends.lo, Below(product)), std::max(ends.hi, Above(product))};
  }
  return ends;
}

Ends Sum(const Ends& x, const Ends& y) {
  // Infinities of both signs may meet.
  if (std::isnan(x.lo + y.hi) || std::isnan(x.hi + y.lo)) return kAnything;
  if (IsExactInfinity(x)) return x;
  if (IsExactInfinity(y)) return y;
  const Ends ends{Below(x.lo + y.lo), Above(x.hi + y.hi)};
  return std::isnan(ends.lo) || std::isnan(ends.hi) ? kAnything : ends;
}

// One number times itself.
Ends Square(const Ends& x) {
  const double least = x.lo > 0 ? x.lo : x.hi < 0 ? -x.hi : 0;
  const double greatest = std::max(std::fabs(x.lo), std::fabs(x.hi));
  if (std::isinf(least)) return {least, least};
  return {std::max(0.0, Below(least * least)), Above(greatest * greatest)};
}

StatusOr<Enclosures> EncloseBinary(const EnclosedCall& enclosed, const PrecisionRow& row) {
  const std::string& name = enclosed.call.name();
  const DType type = enclosed.call.dtype("output");
  const auto* const bound = row.As<ElementwisePrecision>();
  const std::optional<Tolerance> tolerance =
      bound != nullptr && bound->NeedsArgument() ? std::nullopt : ToleranceOf(row, type, 0);
  if (!tolerance) return NoEnclosure(enclosed, "under its rule");
  const Enclosure &x = enclosed.operands[0], &y = enclosed.operands[1];
  const bool same = enclosed.operands.AreSame(0, 1);
  const Shape& shape = enclosed.call.shape("output");
  Enclosure output(type, shape);
  std::vector<Ends> ranges(static_cast<size_t>(output.lo.size()));
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    const Ends a = x.At(BroadcastOffset(shape, x.lo.shape(), i));
    const Ends b = y.At(BroadcastOffset(shape, y.lo.shape(), i));
    ranges[static_cast<size_t>(i)] = a.IsEverything() || b.IsEverything() ? kAnything
                                     : name == "ADD"                      ? Sum(a, b)
                                     : name == "SUB"                      ? Sum(a, {-b.hi, -b.lo})
                                     : same                               ? Square(a)
                                                                          : Product(a, b);
  }
  if (name == "MUL" && !same) NarrowQuotient(enclosed, &ranges);
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    const Ends& range = ranges[static_cast<size_t>(i)];
    if (IsExactInfinity(range)) {
      output.SetReals(i, range);
    } else {
      output.Set(
          i, range.IsEverything() ? kAnything : Accepted(type, row.form, tolerance->Around(range)));
    }
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

// x^y for x above zero: the logarithm is monotonic, and y log x greatest and least at the corners.
Ends PowerRange(const Ends& x, const Ends& y) {
  Ends range{kNoEnd, -kNoEnd};
  for (const double base : {x.lo, x.hi}) {
    for (const double exponent : {y.lo, y.hi}) {
      const double power = Pow(base, exponent);
      range = {std::min(range.lo, Below(power)), std::max(range.hi, Above(power))};
    }
  }
  return {std::max(range.lo, 0.0), range.hi};
}

StatusOr<Enclosures> EnclosePower(const EnclosedCall& enclosed, const PrecisionRow& row) {
  const auto* const power = row.As<PowerPrecision>();
  if (power == nullptr) return NoEnclosure(enclosed, "under its rule");
  const DType type = enclosed.call.dtype("output");
  const FloatFormat& format = Format(type);
  const Enclosure &x = enclosed.operands[0], &y = enclosed.operands[1];
  const Shape& shape = enclosed.call.shape("output");
  Enclosure output(type, shape);
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    const Ends base = x.At(BroadcastOffset(shape, x.lo.shape(), i));
    const Ends exponent = y.At(BroadcastOffset(shape, y.lo.shape(), i));
    const bool finite =
        std::isfinite(base.hi) && std::isfinite(exponent.lo) && std::isfinite(exponent.hi);
    if (!(base.lo > 0) || !finite) {
      return NoEnclosure(enclosed, "of what may be zero, negative, infinite or NaN");
    }
    const double most = std::max(std::fabs(exponent.lo), std::fabs(exponent.hi));
    const double log = Above(std::max(std::fabs(Log(base.lo)), std::fabs(Log(base.hi)))) * most;
    const double mul_error =
        power->logarithm_scale == 0
            ? 0
            : AbsoluteErrorBound(type, log, power->logarithm_scale, power->logarithm_least * most);
    const double factor = BoundFactor(power->bound, type, log + mul_error) * (1 + 0x1p-40);
    const double unit = std::ldexp(factor, -format.fraction_bits);
    Tolerance tolerance{.type = type};
    tolerance.relative = Expm1(mul_error) * (1 + 0x1p-40) + unit;
    tolerance.absolute =
        unit * format.normal_min() + std::ldexp(power->bound.least, -format.fraction_bits);
    output.Set(i, Accepted(type, row.form, tolerance.Around(PowerRange(base, exponent))));
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

double GreatestMagnitude(const Enclosure& x) {
  double greatest = 0;
  for (int64_t i = 0; i < x.lo.size(); ++i) {
    greatest = std::max({greatest, std::fabs(x.lo.Element(i)), std::fabs(x.hi.Element(i))});
  }
  return greatest;
}

// A mean of neighbours, with weights that are not negative.
StatusOr<Enclosures> EncloseResize(const EnclosedCall& enclosed, const PrecisionRow& row) {
  const auto* const numbers = row.As<LargestInputPrecision>();
  if (numbers == nullptr) return NoEnclosure(enclosed, "under its rule");
  const double greatest = GreatestMagnitude(enclosed.operands[0]);
  if (std::isinf(greatest)) return NoEnclosure(enclosed, "of what may be infinite or NaN");
  CTS_ASSIGN_OR_RETURN(Enclosures made, RunEnds(enclosed));
  Enclosure& output = made.begin()->second;
  Tolerance tolerance{.type = output.dtype};
  tolerance.absolute = greatest * numbers->relative;
  if (numbers->scale > 0) {
    tolerance.absolute =
        std::max(tolerance.absolute, AbsoluteErrorBound(output.dtype, greatest, numbers->scale));
  }
  tolerance.absolute += greatest * 0x1p-45;
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    output.Set(i, Accepted(output.dtype, row.form, tolerance.Around(output.At(i))));
  }
  return made;
}

// The signs and the ends of the magnitudes of all factors.
struct Magnitudes {
  explicit Magnitudes(const Enclosure& x)
      : signs(DType::kFp64, x.lo.shape()),
        least(DType::kFp64, x.lo.shape()),
        greatest(DType::kFp64, x.lo.shape()),
        finite(DType::kFp64, x.lo.shape()) {
    for (int64_t i = 0; i < signs.size(); ++i) {
      const auto [lo, hi] = x.At(i);
      signs.SetElement(i, lo >= 0 ? 1 : hi <= 0 ? -1 : 0);
      least.SetElement(i, lo > 0 ? lo : hi < 0 ? -hi : 0);
      greatest.SetElement(i, std::max(std::fabs(lo), std::fabs(hi)));
      finite.SetElement(i, x.IsExactInfinity(i) ? 0 : 1);
    }
  }
  Tensor signs, least, greatest;  // a sign of zero: either
  Tensor finite;                  // 0: an infinity, which stands for no number
};

StatusOr<Enclosures> EncloseProduct(const EnclosedCall& enclosed, const PrecisionRow& row) {
  const auto* const rule = row.As<ProductPrecision>();
  if (rule == nullptr) return NoEnclosure(enclosed, "under its rule");
  Magnitudes factors(enclosed.operands[0]);
  const auto product = [&](Tensor& of) {
    return enclosed.operands.Run({{0, Shared(std::move(of))}});
  };
  const auto signs = product(factors.signs), lower = product(factors.least);
  const auto upper = product(factors.greatest), finite = product(factors.finite);
  if (!signs || !lower || !upper || !finite) {
    return NoEnclosure(enclosed, "where a REQUIRE of it may not hold");
  }
  const DType type = enclosed.call.dtype("output");
  const FloatFormat& format = Format(type);
  const auto n = static_cast<double>(enclosed.call.shape("input")[enclosed.call.Integer("axis")]);
  Tolerance tolerance{.type = type};
  tolerance.relative = (Pow(1 + std::ldexp(1, -format.fraction_bits - 1), n) - 1) * (1 + 0x1p-20);
  if (rule->magnitude == Magnitude::kRaisedReference) {
    tolerance.least = tolerance.relative * format.normal_min();
  }
  const Tensor& hi = upper->at("output");
  Enclosure output(type, hi.shape());
  const double rounded = n * 0x1p-51;
  for (int64_t i = 0; i < hi.size(); ++i) {
    const double most = hi.Element(i) * (1 + rounded);
    const double least = lower->at("output").Element(i) * (1 - rounded);
    const double sign = signs->at("output").Element(i);
    if (finite->at("output").Element(i) == 0 && sign != 0 && least > 0) {
      output.SetReals(i, {sign * kNoEnd, sign * kNoEnd});  // no factor is zero
      continue;
    }
    const Ends range{sign > 0 ? least : -most, sign < 0 ? -least : most};
    output.Set(i,
               std::isfinite(most) ? Accepted(type, row.form, tolerance.Around(range)) : kAnything);
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

// The indices that may be that of the greatest element.
StatusOr<Enclosures> EncloseArgmax(const EnclosedCall& enclosed) {
  const Enclosure& x = enclosed.operands[0];
  const Shape& shape = enclosed.call.shape("input");
  const auto axis = static_cast<size_t>(enclosed.call.Integer("axis"));
  int64_t inner = 1, outer = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (d < axis) outer *= shape[d];
    if (d > axis) inner *= shape[d];
  }
  Enclosure output(enclosed.call.dtype("output"), enclosed.call.shape("output"));
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      const auto at = [&](int64_t k) { return Element(x, (o * shape[axis] + k) * inner + i); };
      double sure = -kNoEnd;
      for (int64_t k = 0; k < shape[axis]; ++k) sure = std::max(sure, at(k).lo);
      int64_t first = shape[axis], last = 0;
      for (int64_t k = 0; k < shape[axis]; ++k) {
        if (at(k).hi < sure) continue;
        first = std::min(first, k);
        last = k;
      }
      output.lo.SetInteger(o * inner + i, first);
      output.hi.SetInteger(o * inner + i, last);
    }
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

// Only these operands may be inexact: `count` of them from the first.
bool OnlyFirstAreInexact(const EnclosedOperands& operands, size_t count) {
  for (size_t k = count; k < operands.size(); ++k) {
    if (operands.IsInexact(k)) return false;
  }
  return true;
}

// Operators whose floating-point result is an operand, or one with another sign.
StatusOr<Enclosures> EncloseExact(const EnclosedCall& enclosed) {
  const std::string& name = enclosed.call.name();
  if (IsOneOf(name, {"MAXIMUM", "MINIMUM", "REDUCE_MAX", "REDUCE_MIN", "MAX_POOL2D"})) {
    return EncloseExtremum(enclosed);
  }
  if (name == "CLAMP") return EncloseClamp(enclosed);
  if (name == "SELECT") return EncloseSelect(enclosed);
  if (IsOneOf(name, {"ABS", "NEGATE"})) {
    if (!IsFloat(enclosed.call.dtype("output"))) return NoEnclosure(enclosed, "of integers");
    return EncloseSign(enclosed);
  }
  const bool moves =
      IsOneOf(name, {"IDENTITY", "RESHAPE", "REVERSE", "TRANSPOSE", "SLICE", "TILE", "GATHER"});
  if (moves && OnlyFirstAreInexact(enclosed.operands, 1)) return RunEnds(enclosed);
  if (IsOneOf(name, {"CONCAT", "PAD"})) return RunEnds(enclosed);
  const bool indices =
      name == "SCATTER" && enclosed.operands.size() == 3 && !enclosed.operands.IsInexact(1);
  if (indices) return RunEnds(enclosed);
  return NoEnclosure(enclosed, "of what is judged within bounds");
}

StatusOr<Enclosures> EncloseIntegers(const EnclosedCall& enclosed) {
  const std::string& name = enclosed.call.name();
  if (IsOneOf(name, {"EQUAL", "GREATER", "GREATER_EQUAL"})) return EncloseComparison(enclosed);
  if (name == "ARGMAX" && !IsInAnotherLayout(enclosed.call)) return EncloseArgmax(enclosed);
  if (name == "LOGICAL_NOT") return EncloseNot(enclosed);
  if (IsOneOf(name, {"LOGICAL_AND", "LOGICAL_OR", "REDUCE_ALL", "REDUCE_ANY"})) {
    return RunEnds(enclosed);
  }
  return EncloseExact(enclosed);
}

}  // namespace

bool IsInAnotherLayout(const Call& call) {
  return std::any_of(call.arguments().begin(), call.arguments().end(),
                     [](const Argument& a) { return !a.view_axes.empty(); });
}

StatusOr<const PrecisionRow*> FindRow(const PrecisionTable& table, const Call& call,
                                      const std::string& output) {
  return table.Find(call.given().name, call.row(), call.dtype(output),
                    [&](const std::string& attribute) { return call.Enum(attribute); });
}

StatusOr<const PrecisionRow*> EnclosedCall::Row(const std::string& output) const {
  return FindRow(table, call, output);
}

Status NoEnclosure(const EnclosedCall& enclosed, std::string_view why) {
  return absl::UnimplementedError(
      StrCat("there is no enclosure yet for ", enclosed.call.name(), " ", why));
}

StatusOr<Enclosures> EncloseOperator(const EnclosedCall& enclosed) {
  const Call& call = enclosed.call;
  const std::string& name = call.name();
  if (name == "CAST") return EncloseCast(enclosed);
  std::string output;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    output = argument.spec->name;
    break;
  }
  if (output.empty()) return NoEnclosure(enclosed, "without outputs");
  if (!IsFloat(call.dtype(output))) return EncloseIntegers(enclosed);
  CTS_ASSIGN_OR_RETURN(const PrecisionRow* row, enclosed.Row(output));
  if (const auto* const sum = row->As<DotProductPrecision>()) {
    return EncloseSums(enclosed, *row, *sum);
  }
  if (row->Is<ExactPrecision>()) return EncloseExact(enclosed);
  if (name == "RESIZE") return EncloseResize(enclosed, *row);
  if (IsInAnotherLayout(call)) return NoEnclosure(enclosed, "in another layout");
  if (IsOneOf(name, {"ADD", "SUB", "MUL"})) return EncloseBinary(enclosed, *row);
  if (name == "POW") return EnclosePower(enclosed, *row);
  if (name == "REDUCE_PRODUCT") return EncloseProduct(enclosed, *row);
  if (FactsOf(name).curve != Curve::kNone) return EncloseFunction(enclosed, *row);
  return NoEnclosure(enclosed, "of what is judged within bounds");
}

namespace {

// The operator at which the enclosures widened most, on the way to an output.
Widening WideningOf(const EnclosedOperands& operands, const Enclosure& output,
                    const std::string& place, const GraphOperator& node, const Frame& frame) {
  Widening most;
  double before = 0;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (!operands.IsInexact(k)) continue;
    before = std::max(before, MedianWidth(operands[k]));
    const KnownTensor known = frame.Get(node.inputs[k]);
    if (known.answer != nullptr && known.answer->widened.factor > most.factor) {
      most = known.answer->widened;
    }
  }
  if (!IsFloat(output.dtype)) return most;
  const double least = std::ldexp(1.0, -Format(output.dtype).fraction_bits);
  const double factor = MedianWidth(output) / std::max(before, least);
  if (factor > most.factor) most = {place, factor};
  return most;
}

}  // namespace

StatusOr<std::string> Enclose(const Operator& op, const EnclosedOperands& operands,
                              const Call& call, const GraphOperator& node, const std::string& place,
                              bool flush, Frame& frame) {
  CTS_ASSIGN_OR_RETURN(const PrecisionTable* table, PrecisionOf(call.edition()));
  const StatusOr<Enclosures> made = EncloseOperator({op, operands, call, *table});
  if (absl::IsUnimplemented(made.status())) return Message(made.status());
  if (!made.ok()) return made.status();
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    const GraphTensor& tensor = *argument.tensors[0];
    Enclosure output = made->at(argument.spec->name);
    if (!argument.view_axes.empty()) {
      output.lo = argument.Given(output.lo);
      output.hi = argument.Given(output.hi);
    }
    // An implementation that keeps more bits may also round, or flush, a value that an operator
    // only hands on.
    for (int64_t i = 0; IsFloat(output.dtype) && i < output.lo.size(); ++i) {
      if (!output.IsExactInfinity(i)) output.Set(i, ValuesOf(output.dtype, output.At(i)));
    }
    if (output.IsSettled()) {
      frame.values[tensor.name] = Shared(std::move(output.lo));
      continue;
    }
    Rule rule{.kind = RuleKind::kInterval, .form = table->form()};
    rule.enclosure = true;
    const Widening widened = WideningOf(operands, output, place, node, frame);
    rule.clause = StrCat(call.edition().id, ", Operator sequence precision requirement");
    if (!widened.at.empty()) {
      rule.clause += StrCat("; widened most by ", widened.at);
      rule.clause +=
          std::isinf(widened.factor)
              ? ", without a limit"
              : StrCat(", ", static_cast<int64_t>(std::llround(widened.factor)), " times");
    }
    frame.answers[tensor.name] = std::make_shared<RuledAnswer>(RuledAnswer{
        std::move(rule),
        {.flushed = flush, .expected = std::move(output.lo), .upper = std::move(output.hi)},
        widened});
  }
  return std::string();
}

}  // namespace cts
