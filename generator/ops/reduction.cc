// The operators of section Reduction Operators.
#include <cmath>
#include <limits>

#include "generator/ops/domain.h"
#include "reference/numeric/elementary.h"
#include "reference/numeric/float_format.h"
#include "reference/ops/axis.h"

namespace cts {
namespace {

// Axis "shape": a shape and which of its axes is reduced.
Axis Shapes(const Setting& setting) {
  return {"shape",
          "",
          {"61-first", "9x14-last", "9x14-first", "5x61-first", "3x5x7-middle", "2x3x4x5-last",
           WithMaxRank(setting, "2x3x1x5x4x3") + "-middle"}};
}

// What a choice of axis "shape" stands for.
struct Reduction {
  Shape shape;
  int64_t axis;
  AxisView view;
  int64_t lines;  // how many results there are

  explicit Reduction(const std::string& label)
      : shape(ParseShape(label.substr(0, label.find('-')))),
        axis(AxisNumber(label.substr(label.find('-') + 1), shape)),
        view(shape, axis),
        lines(ElementCount(shape) / view.size) {}
};

// The operator with this input, of which the axis is reduced.
Draft Reduce(const Reduction& reduction, Tensor input) {
  Draft draft;
  draft.output_type = input.dtype();
  draft.output_shape = reduction.shape;
  draft.output_shape[reduction.axis] = 1;
  draft.Input("input", std::move(input));
  draft.Set("axis", reduction.axis);
  return draft;
}

int64_t AxisOf(const Draft& draft) {
  return std::get<int64_t>(std::get<AttributeValue>(draft.arguments.find("axis")->second));
}

std::vector<Breaker> AxisBreakers(std::string_view axis_range, std::string_view output_axis) {
  return {
      {axis_range,
       {},
       nullptr,
       [](const Setting&, Draft& d) {
         d.Set("axis", static_cast<int64_t>(d.tensor("input").shape().size()));
       }},
      {axis_range, {}, nullptr, [](const Setting&, Draft& d) { d.Set("axis", int64_t{-1}); }},
      {output_axis, {}, nullptr, [](const Setting&, Draft& d) { d.output_shape[AxisOf(d)] = 2; }}};
}

// --- REDUCE_ALL and REDUCE_ANY.

std::vector<Axis> BooleanAxes(const Setting& setting) {
  return {Shapes(setting), {"data", "", {"lines"}}};
}

// By turns: all of a line are what changes no result, all but one are, and any.
Draft BuildBoolean(const Choice& choice) {
  const Reduction reduction(choice["shape"]);
  const int64_t neutral = choice.setting.spec->name == "REDUCE_ALL";
  Random random = choice.Stream("input");
  Tensor input(DType::kBool, reduction.shape);
  const int64_t turn = random.Between(0, 2);
  for (int64_t line = 0; line < reduction.lines; ++line) {
    const int64_t odd = random.Between(0, reduction.view.size - 1);
    for (int64_t k = 0; k < reduction.view.size; ++k) {
      int64_t value = neutral;
      if ((line + turn) % 3 == 1 && k == odd) value = 1 - neutral;
      if ((line + turn) % 3 == 2) value = random.Between(0, 1);
      input.SetInteger(reduction.view.Offset(line, k), value);
    }
  }
  return Reduce(reduction, std::move(input));
}

// --- REDUCE_MAX and REDUCE_MIN.

std::vector<Axis> ExtremumAxes(const Setting& setting) {
  std::vector<Axis> axes = {Shapes(setting)};
  AddNanModeAxis(setting, setting.Type("in_out_t"), axes);
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

// Special values, and among them lines of nothing but an end of the type, nothing but NaN, and
// nothing but NaN with one number.
Tensor ExtremumSpecials(const Choice& choice, const Reduction& reduction, DType type) {
  Tensor input = Special(type, reduction.shape);
  Random random = choice.Stream("input");
  const double infinity = std::numeric_limits<double>::infinity();
  for (int64_t line = 0; line < reduction.lines; ++line) {
    const int64_t number = random.Between(0, reduction.view.size - 1);
    for (int64_t k = 0; k < reduction.view.size; ++k) {
      const int64_t offset = reduction.view.Offset(line, k);
      if (IsFloat(type)) {
        if (line % 8 == 1) input.SetFloat(offset, -infinity);
        if (line % 8 == 2) input.SetFloat(offset, infinity);
        if (line % 8 == 3 || (line % 8 == 4 && k != number)) input.SetFloat(offset, std::nan(""));
      } else {
        if (line % 8 == 1) input.SetInteger(offset, IntegerMin(type));
        if (line % 8 == 2) input.SetInteger(offset, IntegerMax(type));
      }
    }
  }
  return input;
}

Draft BuildExtremum(const Choice& choice) {
  const Reduction reduction(choice["shape"]);
  const DType type = choice.Type("in_out_t");
  Draft draft = Reduce(reduction, choice.data_set() == "special"
                                      ? ExtremumSpecials(choice, reduction, type)
                                      : FullRange(choice.Stream("input"), type, reduction.shape));
  SetNanMode(choice, draft);
  return draft;
}

// --- REDUCE_PRODUCT.
//
// A partial product that leaves the range of the type ruins the result of whoever accumulates in
// the type, as the pseudocode does, and the rule knows nothing of that. So wherever the result is
// neither beyond the range nor below it, nor are the partial products, in whichever order.

std::vector<Axis> ProductAxes(const Setting& setting) {
  return {Shapes(setting), {"data", "", {"bounded", "overflow", "underflow", "special"}}};
}

// Numbers of either sign, whose magnitudes are 2^low to 2^high.
Tensor LogarithmicallyBetween(Random random, DType type, const Shape& shape, double low,
                              double high) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double magnitude = Pow(2, low + (high - low) * random.Unit());
    tensor.SetFloat(i, random.Below(2) == 0 ? magnitude : -magnitude);
  }
  return tensor;
}

// One special value a line, one of a few others, and ones of either sign.
Tensor ProductSpecials(const Choice& choice, const Reduction& reduction, DType type) {
  const std::vector<double> specials = SpecialFloats(type);
  const double others[] = {1, 0, std::numeric_limits<double>::infinity(), -0.5, -1};
  Random random = choice.Stream("input");
  Tensor input(type, reduction.shape);
  for (int64_t line = 0; line < reduction.lines; ++line) {
    const int64_t special = random.Between(0, reduction.view.size - 1);
    // The same element now and then, which the special value then has.
    const int64_t other = random.Between(0, reduction.view.size - 1);
    for (int64_t k = 0; k < reduction.view.size; ++k) {
      double value = random.Below(2) == 0 ? 1 : -1;
      if (k == other) value = others[(line + line / 25) % 5];
      if (k == special) value = specials[static_cast<size_t>(line) % specials.size()];
      input.SetFloat(reduction.view.Offset(line, k), value);
    }
  }
  return input;
}

Draft BuildProduct(const Choice& choice) {
  const Reduction reduction(choice["shape"]);
  const DType type = choice.Type("in_out_t");
  if (choice.data_set() == "special") {
    return Reduce(reduction, ProductSpecials(choice, reduction, type));
  }
  // What each element may add to the exponent, so that all of them stay within the normal numbers;
  // two and a half times that on one side makes about half of the results leave them there.
  const double share = -Format(type).min_exponent / static_cast<double>(reduction.view.size);
  const double low = choice.data_set() == "overflow" ? 0 : -share;
  const double high = choice.data_set() == "underflow" ? 0 : share;
  const double scale = choice.data_set() == "bounded" ? 0.9 : 2.5;
  return Reduce(reduction, LogarithmicallyBetween(choice.Stream("input"), type, reduction.shape,
                                                  scale * low, scale * high));
}

// --- REDUCE_SUM.

std::vector<Axis> SumAxes(const Setting& setting) {
  if (IsFloat(setting.Type("in_out_t"))) {
    // MIN_DOT_PRODUCTS of appendix A: at least 1000 results along the axis named.
    return {{"shape",
             "",
             {"16x1024-first", "1050x25-last", "10x12x11x10-middle",
              WithMaxRank(setting, "5x3x10x9x7x1") + "-middle"}},
            {"data", "", {"S0", "S1", "S2", "S3", "S4", "S5"}}};
  }
  return {Shapes(setting), {"data", "", {"bounded", "special"}}};
}

Draft BuildSum(const Choice& choice) {
  const Reduction reduction(choice["shape"]);
  const AxisView& view = reduction.view;
  const DType type = choice.Type("in_out_t");
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->id, s, view.size, type, type, choice.Type("acc_t"));
    return Reduce(reduction, ReduceSumInput(set, type, reduction.shape, reduction.axis));
  }
  Random random = choice.Stream("input");
  if (choice.data_set() == "bounded") {
    const int64_t limit = IntegerMax(type) / view.size;
    return Reduce(reduction, IntegersBetween(random, type, reduction.shape, -limit, limit));
  }
  // Along the axis an end of the type first, then little of the other sign: no partial sum
  // overflows.
  Tensor input(type, reduction.shape);
  for (int64_t i = 0; i < input.size(); ++i) {
    const bool greatest = i % view.inner % 2 == 0;
    const int64_t small = random.Between(0, 3);
    input.SetInteger(i, i / view.inner % view.size == 0
                            ? (greatest ? IntegerMax(type) : IntegerMin(type))
                            : (greatest ? -small : small));
  }
  return Reduce(reduction, std::move(input));
}

}  // namespace

Domain ReduceAllDomain() {
  return {BooleanAxes,
          {},
          BuildBoolean,
          AxisBreakers("reduce_all.axis_range", "reduce_all.output_axis")};
}

Domain ReduceAnyDomain() {
  return {BooleanAxes,
          {},
          BuildBoolean,
          AxisBreakers("reduce_any.axis_range", "reduce_any.output_axis")};
}

Domain ReduceMaxDomain() {
  return {ExtremumAxes,
          {},
          BuildExtremum,
          AxisBreakers("reduce_max.axis_range", "reduce_max.output_axis")};
}

Domain ReduceMinDomain() {
  return {ExtremumAxes,
          {},
          BuildExtremum,
          AxisBreakers("reduce_min.axis_range", "reduce_min.output_axis")};
}

Domain ReduceProductDomain() {
  return {ProductAxes,
          {},
          BuildProduct,
          AxisBreakers("reduce_product.axis_range", "reduce_product.output_axis")};
}

Domain ReduceSumDomain() {
  return {SumAxes, {}, BuildSum, AxisBreakers("reduce_sum.axis_range", "reduce_sum.output_axis")};
}

}  // namespace cts
