#include "tools/program/sweep/sweep_filter.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "checker/rules/comparing_function.h"
#include "reference/base/float_format.h"
#include "reference/spec/edition.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

// The function of an operator's text; nothing for one that is a graph of others.
std::optional<FilterFunction> FunctionOf(const OperatorSpec& spec, DType type, DType in) {
  constexpr std::pair<std::string_view, FilterFunction> kFunctions[] = {
      {"ADD", FilterFunction::kAdd},
      {"MAXIMUM", FilterFunction::kMaximum},
      {"MUL", FilterFunction::kMul},
      {"MINIMUM", FilterFunction::kMinimum},
      {"SUB", FilterFunction::kSub},
      {"COS", FilterFunction::kCos},
      {"ERF", FilterFunction::kErf},
      {"EXP", FilterFunction::kExp},
      {"LOG", FilterFunction::kLog},
      {"POW", FilterFunction::kPow},
      {"RECIPROCAL", FilterFunction::kReciprocal},
      {"RSQRT", FilterFunction::kRsqrt},
      {"SIGMOID", FilterFunction::kSigmoid},
      {"SIN", FilterFunction::kSin},
      {"TANH", FilterFunction::kTanh}};
  if (spec.definition != nullptr) return std::nullopt;
  const std::string& text = spec.Seen().name;
  if (text == "CAST" && in == DType::kI32 && type == DType::kFp32) return FilterFunction::kCast;
  if (in != type) return std::nullopt;
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [&](const auto& each) { return each.first == text; });
  if (found == std::end(kFunctions)) return std::nullopt;
  return found->second;
}

// The row that binds results of a type; null if there is none, or the comparing function is not one
// that the filter knows.
const PrecisionRow* FindRow(const OperatorSpec& spec, const Edition& edition, DType type,
                            DType in) {
  if (edition.precision == nullptr || !ParseForm(edition.precision->form()).ok()) return nullptr;
  for (const TypeRow& types : spec.type_rows) {
    const bool of_two = types.Type("in_t") == in && types.Type("out_t") == type;
    if ((in != type || types.Type("in_out_t") != type) && !of_two) continue;
    const auto row =
        edition.precision->Find(spec.name, types, type, [](const std::string&) { return ""; });
    if (row.ok()) return *row;
  }
  return nullptr;
}

FilterBoundKind KindOf(Magnitude magnitude) {
  switch (magnitude) {
    case Magnitude::kOne:
      return FilterBoundKind::kOfArgument;
    case Magnitude::kReference:
      return FilterBoundKind::kOfReference;
    case Magnitude::kRaisedReference:
      return FilterBoundKind::kOfRaisedReference;
    case Magnitude::kBinade:
      break;
  }
  return FilterBoundKind::kOfBinade;
}

// Whether the filter has a bound for a function by a row of such a class. A publisher may give an
// operator a row of another class than that of its text.
bool Suits(const PrecisionRow& row, FilterFunction function, const FilterBound& bound) {
  if (function == FilterFunction::kPow) return row.Is<PowerPrecision>();
  if (function == FilterFunction::kMaximum || function == FilterFunction::kMinimum) {
    return row.Is<ExactPrecision>();
  }
  const auto* const ulp = row.As<UlpPrecision>();
  if (bound.exact) return ulp != nullptr && ulp->scale <= 1;
  return ulp != nullptr || row.Is<ElementwisePrecision>();
}

// The numbers of a row; false for a rule that is no multiple of anything.
bool SetBound(const PrecisionRow& row, DType type, FilterBound& bound) {
  const int frac = Format(type).fraction_bits;
  if (row.Is<ExactPrecision>()) {
    bound.kind = FilterBoundKind::kOfBinade;
    bound.scale = 0;
  } else if (const auto* const ulp = row.As<UlpPrecision>()) {
    bound.kind = FilterBoundKind::kOfBinade;
    bound.scale = std::ldexp(ulp->scale, -frac);
  } else if (const auto* const numbers = row.As<ElementwisePrecision>()) {
    const double unit = std::ldexp(1.0, -(numbers->half_of_the_fraction ? frac / 2 : frac));
    bound.kind = KindOf(numbers->magnitude);
    bound.scale = numbers->scale * unit;
    bound.constant = numbers->Constant(type);
    bound.slope = numbers->slope;
    bound.least = std::max(numbers->least * unit, numbers->least_normal_min * bound.normal_min);
  } else if (const auto* const power = row.As<PowerPrecision>()) {
    bound.kind = KindOf(power->bound.magnitude);
    bound.scale = std::ldexp(power->bound.scale, -frac);
    bound.constant = power->bound.scale * power->bound.Constant(type);
    bound.slope = power->bound.scale * power->bound.slope;
    bound.log_scale = power->logarithm_scale;
    bound.log_least = power->logarithm_least;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<SweepFilter> SweepFilter::For(std::string_view op, std::string_view edition_id,
                                            DType type, DType in) {
  if (type != DType::kFp16 && type != DType::kBf16 && type != DType::kFp32) return std::nullopt;
  const StatusOr<const Edition*> edition = FindEdition(edition_id);
  const OperatorSpec* const spec = edition.ok() ? (*edition)->FindOperator(op) : nullptr;
  const auto function = spec == nullptr ? std::nullopt : FunctionOf(*spec, type, in);
  if (!function) return std::nullopt;
  SweepFilter filter;
  filter.function_ = *function;
  if (filter.binary() && type == DType::kFp32) return std::nullopt;
  const PrecisionRow* const row = FindRow(*spec, **edition, type, in);
  if (row == nullptr) return std::nullopt;
  const FloatFormat& format = Format(type);
  FilterBound& bound = filter.bound_;
  bound.unit = std::ldexp(1.0, -format.fraction_bits);
  bound.normal_min = format.normal_min();
  bound.max = format.max;
  bound.fraction_bits = format.fraction_bits;
  bound.exact = *function >= FilterFunction::kCast;
  bound.relative = bound.exact ? 0 : filter.binary() ? 0x1p-34 : 0x1p-46;
  if (!Suits(*row, *function, bound) || !SetBound(*row, type, bound)) return std::nullopt;
  return filter;
}

void SweepFilter::Evaluate(const double* x, const double* y, int64_t count, double* values,
                           double* bounds) const {
  if (power()) {
    FilterPowers(bound_, x, y, count, values, bounds);
  } else if (binary()) {
    FilterPairs(function_, bound_, x, y, count, values);
  } else {
    FilterValues(function_, x, count, values);
  }
}

void SweepFilter::Approximate(const double* x, const double* y, int64_t count, double* values,
                              double* bounds) const {
  Evaluate(x, y, count, values, bounds);
  if (!power()) FilterBounds(bound_, x, values, count, bounds);
}

void SweepFilter::Look(const double* x, const double* y, const double* results, int64_t count,
                       double least_worst, FilterFigures& figures) const {
  double values[kFilterBlock], bounds[kFilterBlock];
  Evaluate(x, y, count, values, bounds);
  if (FilterSettle(bound_, x, values, results, count, least_worst, figures)) return;
  if (!power()) FilterBounds(bound_, x, values, count, bounds);
  FilterCompare(bound_, values, bounds, results, count, least_worst, figures);
}

}  // namespace cts
