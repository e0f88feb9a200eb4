// CAST.
#include <algorithm>
#include <cmath>

#include "generator/ops/domain.h"
#include "reference/base/float_format.h"

namespace cts::cast_domain {
namespace {

// Room for data sets "special" and "limits".
constexpr std::string_view kRoom = "9x37";

std::vector<Axis> Axes(const Setting& setting) {
  const DType in_t = setting.Type("in_t");
  Axis shape = UnaryShapes(setting, in_t);
  shape.values = {std::string(kRoom), "scalar", WithMaxRank(setting, "2x3x1x2x4x5")};
  shape.more.insert(shape.more.end(), {"61", "3x5x7", "2x3x4x5"});
  Axis data = kDataAxis.With({"full-range", "special"});
  if (IsFloat(in_t)) data.values.push_back("target-range");
  if (in_t != DType::kBool) data.more.push_back("limits");
  for (const std::string& every : PatternData(in_t)) data.values.push_back(every);
  return {std::move(shape), UnaryOperand(), std::move(data)};
}

std::vector<Constraint> Constraints() {
  std::vector<Constraint> constraints = UnaryConstraints();
  constraints.push_back({{"data", "shape"},
                         "data sets special and limits have some 300 values",
                         [](const Setting&, const Labels& labels) {
                           return (labels[kDataAxis] != DataSet::kSpecial &&
                                   labels[kDataAxis] != DataSet::kLimits) ||
                                  labels.Is(kShapeAxis, kRoom);
                         }});
  constraints.push_back({{"data", "shape"},
                         "one number of the full range saturates or vanishes",
                         [](const Setting& setting, const Labels& labels) {
                           const DType out_t = setting.Type("out_t");
                           return labels[kDataAxis] != DataSet::kFullRange ||
                                  !IsFloat(setting.Type("in_t")) ||
                                  (IsFloat(out_t) && Info(out_t).bits > 8) ||
                                  ElementCount(labels[kShapeAxis]) > 1;
                         }});
  return constraints;
}

// Integers just beside the midpoint between two neighbours of a floating-point type. There rounding
// twice, by way of a wider type, goes wrong. The lower neighbour is even or odd, in every binade.
std::vector<int64_t> BesideMidpoints(DType in, DType out) {
  std::vector<int64_t> values = SpecialIntegers(in);
  const int precision = Format(out).fraction_bits + 1;
  for (int exponent = precision; exponent < Info(in).bits - 1; ++exponent) {
    for (int64_t fraction : {int64_t{0}, (int64_t{1} << (precision - 1)) - 1}) {
      const int64_t middle =
          (int64_t{1} << exponent) + (2 * fraction + 1) * (int64_t{1} << (exponent - precision));
      for (int64_t offset : {-1, 0, 1}) {
        values.push_back(middle + offset);
        values.push_back(-middle + offset);
      }
    }
  }
  return values;
}

// Ties of every rounding to a narrower float, among its subnormals and at both ends as well.
std::vector<double> FloatTies(DType in, DType out) {
  const FloatFormat& format = Format(out);
  const double step = std::ldexp(1, -format.fraction_bits);  // of one
  const double tiny = format.subnormal_min(), least = format.normal_min();
  const double last = std::ldexp(step, std::ilogb(format.max));  // place of the greatest
  std::vector<double> ties = {tiny / 2,
                              tiny,
                              1.5 * tiny,
                              2.5 * tiny,
                              3.5 * tiny,
                              least - tiny / 2,
                              least + tiny / 2,
                              least,
                              2 * least - tiny / 2,
                              format.max,
                              format.max - last / 2,
                              format.max + last / 2,
                              format.max + last};
  for (double binade : {1.0, 2.0, 0.125, std::ldexp(1, format.fraction_bits)}) {
    for (double steps : {0.5, 1.5, 2.5, 1 / step - 0.5, 1 / step - 1.5}) {
      ties.push_back(binade * (1 + steps * step));
    }
  }
  for (size_t i = 0, count = ties.size(); i < count; ++i) ties.push_back(-ties[i]);
  return WithNeighbours(in, ties);
}

// Ties between integers, and where an integer type ends.
std::vector<double> IntegerTies(DType in, DType out) {
  std::vector<double> ties = {0.5, 1.5, 2.5, 3.5, 1, 0.25, 0.75, 126.5, 127.5};
  const auto max = static_cast<double>(IntegerMax(out)), min = static_cast<double>(IntegerMin(out));
  for (double offset : {-1.5, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5}) {
    ties.push_back(max + offset);
    ties.push_back(-min + offset);
  }
  ties.push_back(2 * max);
  ties.push_back(std::ldexp(1, Format(in).fraction_bits) - 0.5);
  for (size_t i = 0, count = ties.size(); i < count; ++i) ties.push_back(-ties[i]);
  return WithNeighbours(in, ties);
}

// Returns the values at which the low bits begin to differ from the whole number.
std::vector<int64_t> IntegerWraps(DType in, DType out) {
  std::vector<int64_t> values = SpecialIntegers(in);
  const int bits = std::min(Info(in).bits, Info(out).bits);
  for (int64_t multiple : {-3, -2, -1, 0, 1, 2, 3, 5}) {
    values.push_back(multiple * (int64_t{1} << (bits - 1)));
  }
  return WithNeighbours(in, values);
}

// Numbers a little beyond the greatest magnitude of the output type, as far as the input type goes.
double TargetRange(DType in, DType out) {
  const double max = IsFloat(out) ? Format(out).max : static_cast<double>(IntegerMax(out));
  return std::min(max * 1.0625, Format(in).max);
}

// The values of data set "limits".
Tensor Limits(DType in, DType out, const Shape& shape) {
  if (IsFloat(in) && IsFloat(out)) return Cycle(in, shape, FloatTies(in, out));
  if (IsFloat(in)) return Cycle(in, shape, IntegerTies(in, out));
  if (IsFloat(out)) return Cycle(in, shape, BesideMidpoints(in, out));
  return Cycle(in, shape, IntegerWraps(in, out));
}

// Special bit patterns of both types.
Tensor SpecialValues(DType in, DType out, const Shape& shape, Specials specials) {
  std::vector<uint64_t> bits = SpecialBits(in, specials);
  if (IsFloat(in) && IsFloat(out)) {
    for (double value : SpecialFloats(out, specials)) {
      if (std::isfinite(value)) bits.push_back(EncodeFloat(in, RoundTo(in, value)));
    }
    const double max = Format(out).max;
    for (double value : {max * 1.03125, max * 1.125}) {
      const double rounded = std::min(RoundTo(in, value), Format(in).max);
      bits.push_back(EncodeFloat(in, rounded));
      bits.push_back(EncodeFloat(in, -rounded));
    }
  } else if (IsFloat(in)) {
    for (int64_t integer : SpecialIntegers(out)) {
      for (double offset : {0.0, 0.5, -0.5}) {
        const double value = RoundTo(in, static_cast<double>(integer) + offset);
        bits.push_back(EncodeFloat(in, std::clamp(value, -Format(in).max, Format(in).max)));
      }
    }
  } else if (IsFloat(out)) {
    for (int64_t value : BesideMidpoints(in, out)) bits.push_back(static_cast<uint64_t>(value));
  }
  return Cycle(in, shape, bits);
}

CaseDraft Build(const Choice& choice) {
  const DType in_t = choice.Type("in_t"), out_t = choice.Type("out_t");
  const Shape shape = choice[kShapeAxis];
  // NaN to an integer is unpredictable; infinity to fp8 is unclear in 0.100.
  const bool to_fp8_saturating = choice.setting.EditionHas(Feature::kSaturatingFp8Casts) &&
                                 IsFloat(out_t) && Info(out_t).bits == 8;
  const bool to_integer = IsFloat(in_t) && !IsFloat(out_t);
  const Specials specials = to_integer ? Specials::kNoNan : Specials::kAll;
  const DataSet data = choice.data_set();
  Tensor input(in_t, shape);
  if (data == DataSet::kTargetRange) {
    const double range = TargetRange(in_t, out_t);
    input = FloatsBetween(choice.Stream("input"), in_t, shape, -range, range);
  } else if (data == DataSet::kSpecial) {
    input = SpecialValues(in_t, out_t, shape, specials);
  } else if (data == DataSet::kLimits) {
    input = Limits(in_t, out_t, shape);
  } else {
    input = Filled(choice, "input", in_t, shape, specials);
  }
  // Every pattern that has an answer; 1 in place of the others.
  for (int64_t i = 0; (to_integer || to_fp8_saturating) && i < input.size(); ++i) {
    const double value = input.Value(i);
    if (to_integer ? std::isnan(value) : std::isinf(value)) input.SetValue(i, 1);
  }
  CaseDraft draft;
  if (out_t == DType::kBool) {
    // Half of the elements are the only number that is false, except with every pattern.
    draft.one_value = IsExhaustive(data);
    Random random = choice.Stream("zeros");
    for (int64_t i = 0; i < input.size() && !draft.one_value; ++i) {
      if (random.Below(2) == 0) input.SetInteger(i, 0);
    }
  }
  draft.Input("input", std::move(input), choice[kOperandAxis]);
  draft.output_type = out_t;
  draft.output_shape = shape;
  return draft;
}

}  // namespace

Domain CastDomain() {
  return {.axes = Axes,
          .constraints = Constraints(),
          .build = Build,
          .limits = {MaxRankLimit()},
          .relations = {Rank6(Axes, Build)}};
}

}  // namespace cts::cast_domain
