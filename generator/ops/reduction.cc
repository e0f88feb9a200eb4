// The operators of section Reduction Operators.
#include <cmath>
#include <limits>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"
#include "generator/ops/non_finite.h"
#include "generator/ops/operands.h"
#include "reference/base/float_format.h"
#include "reference/numeric/elementary.h"
#include "reference/ops/axis.h"

namespace cts::reduction_domain {
namespace {

// The reduction that a choice of axis "shape" stands for.
struct Reduction {
  Shape shape;
  int64_t axis;
  AxisView view;
  int64_t lines;  // how many results there are

  explicit Reduction(std::string_view label)
      : shape(ParseShape(label.substr(0, label.find('-')))),
        axis(NumberOfAxis(label, shape)),
        view(shape, axis),
        lines(ElementCount(shape) / view.size) {}

  static int64_t NumberOfAxis(std::string_view label, const Shape& shape) {
    const std::string_view axis = label.substr(label.find('-') + 1);
    const auto rank = static_cast<int64_t>(shape.size());
    if (axis == "first") return 0;
    if (axis == "middle") return rank / 2;
    if (axis == "last") return rank - 1;
    if (axis.find_first_not_of("0123456789") != axis.npos) FailForUnlisted("shape", label);
    return ParseNumbers(axis)[0];
  }
};

// A shape and which of its axes is reduced, by a name or a number.
constexpr ParsedAxis<Reduction> kReductionAxis{
    "shape", "", [](std::string_view label) { return Reduction(label); }};

constexpr char kLong[] = "1x65539-last";

Axis Shapes(const Setting& setting, bool with_long = true) {
  Axis axis = {"shape",
               "",
               {"61-first", "9x14-last", "9x14-first", "5x61-first", "3x5x7-middle", "2x3x4x5-last",
                WithMaxRank(setting, "2x3x1x5x4x3") + "-middle"},
               {"3x5x7-first", "4x8x16-last", "2x3x4x5-1", "5x1x61-middle", "7x2x3x5x2-3",
                "2x3x2x3x4x3-0", "2x3x2x3x4x3-1", "2x3x2x3x4x3-5"}};
  if (with_long) axis.more.insert(axis.more.end(), {kLong, "16x4099-first"});
  return axis;
}

// A large shape carries this data set only.
Constraint LongLines(DataSet data) {
  return {{"shape", "data"},
          "large shapes carry one data set only",
          [=](const Setting&, const Labels& labels) {
            const bool is_long =
                labels.Is(kReductionAxis, kLong) || labels.Is(kReductionAxis, "16x4099-first");
            return !is_long || labels[kDataAxis] == data;
          }};
}
// The greatest of many special values, or of all values of a narrow type, is always the same.
Constraint OneExtremum() {
  return {{"shape", "data"},
          "in one line the extremum of all values is that of the type",
          [](const Setting& setting, const Labels& labels) {
            if (labels.Is(kReductionAxis, "61-first"))
              return labels[kDataAxis] == DataSet::kFullRange;
            return !labels.Is(kReductionAxis, kLong) || Info(setting.Type("in_out_t")).bits == 32;
          }};
}

// The greatest rank; the last axis but one is reduced.
std::vector<LimitCase> RankLimit(std::vector<Axis> (*axes)(const Setting&),
                                 CaseDraft (*build)(const Choice&)) {
  return {{"MAX_RANK", "", {}, nullptr, [=](const Setting& setting, CaseDraft& draft) {
             const std::string shape = WithMaxRank(setting, "17x4x3");
             draft = BuildAt(draft, axes, build,
                             {{"shape", StrCat(shape, "-", setting.MaxRank() - 2)}});
           }}};
}

// The operator with this input and this axis to reduce.
CaseDraft Reduce(const Reduction& reduction, Tensor input) {
  CaseDraft draft;
  draft.output_type = input.dtype();
  draft.output_shape = reduction.shape;
  draft.output_shape[reduction.axis] = 1;
  draft.Input("input", std::move(input));
  draft.Set("axis", reduction.axis);
  return draft;
}

int64_t AxisOf(const CaseDraft& draft) {
  return std::get<int64_t>(std::get<AttributeValue>(draft.arguments.find("axis")->second));
}

// `last` and `first` are values of axis "shape".
std::vector<Breaker> AxisRangeBreakers(const std::string& axis_range,
                                       const std::string& output_axis, const std::string& last,
                                       const std::string& first) {
  return {{axis_range,
           {{"shape", last}},
           nullptr,
           [](const Setting&, CaseDraft& d) {
             d.Set("axis", static_cast<int64_t>(d.tensor("input").shape().size()));
           }},
          {axis_range,
           {{"shape", first}},
           nullptr,
           [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{-1}); }},
          // The output has the shape of an implementation that counts from the end.
          More({axis_range,
                {{"shape", last}},
                nullptr,
                [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{-1}); }}),
          // And of one that goes over an axis of one element behind the last.
          More({axis_range,
                {{"shape", last}},
                nullptr,
                [](const Setting&, CaseDraft& d) {
                  const Shape& shape = d.tensor("input").shape();
                  d.Set("axis", std::ssize(shape));
                  d.output_shape = shape;
                }}),
          // As if the operator dropped the axis.
          More({output_axis, {{"shape", first}}, nullptr, [](const Setting&, CaseDraft& d) {
                  d.output_shape.erase(d.output_shape.begin());
                }})};
}

std::vector<Breaker> AxisBreakers(const std::string& axis_range, const std::string& output_axis) {
  std::vector<Breaker> breakers =
      AxisRangeBreakers(axis_range, output_axis, "9x14-last", "9x14-first");
  breakers.push_back({output_axis, {}, nullptr, [](const Setting&, CaseDraft& d) {
                        d.output_shape[AxisOf(d)] = 2;
                      }});
  return breakers;
}

// Shapes of layers, of full domains: lines of 19 and 67 elements, and 19 lines beside each other,
// are no multiple of a vector.
template <std::vector<Axis> (*kAxes)(const Setting&), CaseDraft (*kBuild)(const Choice&)>
std::vector<RelationCase> LayerRelations() {
  constexpr std::pair<const char*, const char*> kShapes[] = {{"last_19", "7x19-last"},
                                                             {"last_67", "5x67-last"},
                                                             {"second", "2x5x7x19-1"},
                                                             {"third", "2x5x7x19-2"},
                                                             {"rank6", "2x3x2x2x3x5-3"}};
  std::vector<RelationCase> cases;
  for (const auto& [what, shape] : kShapes) {
    cases.push_back(RelationAt(what, kAxes, kBuild, {{"shape", shape}}));
  }
  return cases;
}

// --- REDUCE_ALL and REDUCE_ANY.

std::vector<Axis> BooleanAxes(const Setting& setting) {
  return {Shapes(setting), ConstantAxis(), kDataAxis.With({"lines"})};
}

// In turn: all elements of a line leave the result unchanged; all but one do; any elements.
CaseDraft BuildBoolean(const Choice& choice) {
  const Reduction reduction = choice[kReductionAxis];
  const int64_t neutral = choice.setting.Text() == "REDUCE_ALL";
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
  CaseDraft draft = Reduce(reduction, std::move(input));
  SetConstants(choice, draft);
  return draft;
}

// --- REDUCE_MAX and REDUCE_MIN.

std::vector<Axis> ExtremumAxes(const Setting& setting) {
  std::vector<Axis> axes = {Shapes(setting), ConstantAxis()};
  AddNanModeAxis(setting, setting.Type("in_out_t"), axes);
  axes.push_back(kDataAxis.With({"full-range", "special"}));
  if (IsFloat(setting.Type("in_out_t"))) axes.back().more = {"nan"};
  return axes;
}

// In two thirds of the lines: one NaN, at every place; in some of them only NaN, or NaN and one
// infinity.
Tensor NanSomewhere(const Choice& choice, const Reduction& reduction, DType type) {
  Tensor input = FullRange(choice.Stream("input"), type, reduction.shape);
  const double least = choice.setting.Text() == "REDUCE_MAX" ? -1 : 1;
  for (int64_t line = 0; line < reduction.lines; ++line) {
    if (line % 3 == 2) continue;
    const int64_t size = reduction.view.size, turn = (line - line / 3) % (size + 2);
    for (int64_t k = 0; k < size; ++k) {
      const int64_t offset = reduction.view.Offset(line, k);
      const bool all_but_one = turn == size + 1 && k != size / 2;
      if (turn == k || turn == size || all_but_one) input.SetValue(offset, std::nan(""));
      if (turn == size + 1 && !all_but_one) {
        input.SetValue(offset, least * std::numeric_limits<double>::infinity());
      }
    }
  }
  return input;
}

// Special values. Among them are lines of only an end of the type, of only NaN, and of only NaN
// with one number.
Tensor ExtremumSpecials(const Choice& choice, const Reduction& reduction, DType type) {
  Tensor input = Special(type, reduction.shape);
  Random random = choice.Stream("input");
  const double infinity = std::numeric_limits<double>::infinity();
  for (int64_t line = 0; line < reduction.lines; ++line) {
    const int64_t number = random.Between(0, reduction.view.size - 1);
    for (int64_t k = 0; k < reduction.view.size; ++k) {
      const int64_t offset = reduction.view.Offset(line, k);
      if (IsFloat(type)) {
        if (line % 8 == 1) input.SetValue(offset, -infinity);
        if (line % 8 == 2) input.SetValue(offset, infinity);
        if (line % 8 == 3 || (line % 8 == 4 && k != number)) input.SetValue(offset, std::nan(""));
      } else {
        if (line % 8 == 1) input.SetInteger(offset, IntegerMin(type));
        if (line % 8 == 2) input.SetInteger(offset, IntegerMax(type));
      }
    }
  }
  return input;
}

CaseDraft BuildExtremum(const Choice& choice) {
  const Reduction reduction = choice[kReductionAxis];
  const DType type = choice.Type("in_out_t");
  CaseDraft draft = Reduce(
      reduction, choice.data_set() == DataSet::kSpecial ? ExtremumSpecials(choice, reduction, type)
                 : choice.data_set() == DataSet::kNan
                     ? NanSomewhere(choice, reduction, type)
                     : FullRange(choice.Stream("input"), type, reduction.shape));
  SetNanMode(choice, draft);
  SetConstants(choice, draft);
  return draft;
}

DataCase SignallingExtremum() {
  return SignallingCase(ExtremumAxes, BuildExtremum,
                        {{"shape", "5x61-first"}, {"data", "special"}});
}

// So many lines that a NaN stands at every place of one.
constexpr char kOfNans[] = "105x67-last";

// A NaN at every place of a long line, and lines of NaN, in both modes.
std::vector<RelationCase> ExtremumRelations() {
  std::vector<RelationCase> cases = LayerRelations<ExtremumAxes, BuildExtremum>();
  const Labels nan = {{"data", "nan"}};
  const auto is_float = [](const Setting& s) { return IsFloat(s.Type("in_out_t")); };
  const auto has_modes = [](const Setting& s) {
    return IsFloat(s.Type("in_out_t")) && s.Takes("nan_mode");
  };
  Labels ignore = {{"shape", kOfNans}, {"nan_mode", "ignore"}};
  cases.push_back(
      RelationAt("nan", ExtremumAxes, BuildExtremum, {{"shape", kOfNans}}, is_float, nan));
  cases.push_back(RelationAt("nan_ignore", ExtremumAxes, BuildExtremum, ignore, has_modes, nan));
  return cases;
}

// --- REDUCE_PRODUCT.
//
// A partial product that leaves the range of the type ruins the result of an implementation that
// accumulates in the type, as the pseudocode does. The rule does not allow for that. So wherever
// the result is neither beyond the range nor below it, no partial product is either, in any order.

std::vector<Axis> ProductAxes(const Setting& setting) {
  return {Shapes(setting, false), ConstantAxis(),
          kDataAxis.With({"bounded", "overflow", "underflow", "special"})};
}

// Numbers of either sign, whose magnitudes are 2^low to 2^high.
Tensor LogarithmicallyBetween(Random random, DType type, const Shape& shape, double low,
                              double high) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double magnitude = Pow(2, low + (high - low) * random.Unit());
    tensor.SetValue(i, random.Below(2) == 0 ? magnitude : -magnitude);
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
    // This may be the same element; it then holds the special value.
    const int64_t other = random.Between(0, reduction.view.size - 1);
    for (int64_t k = 0; k < reduction.view.size; ++k) {
      double value = random.Below(2) == 0 ? 1 : -1;
      if (k == other) value = others[(line + line / 25) % 5];
      if (k == special) value = specials[static_cast<size_t>(line) % specials.size()];
      input.SetValue(reduction.view.Offset(line, k), value);
    }
  }
  return input;
}

CaseDraft BuildProduct(const Choice& choice) {
  const Reduction reduction = choice[kReductionAxis];
  const DType type = choice.Type("in_out_t");
  if (choice.data_set() == DataSet::kSpecial) {
    CaseDraft draft = Reduce(reduction, ProductSpecials(choice, reduction, type));
    SetConstants(choice, draft);
    return draft;
  }
  // The amount that each element may add to the exponent, so that all products stay within the
  // normal numbers. Two and a half times that on one side makes about half of the results leave
  // them there.
  const double share = -Format(type).min_exponent / static_cast<double>(reduction.view.size);
  const double low = choice.data_set() == DataSet::kOverflow ? 0 : -share;
  const double high = choice.data_set() == DataSet::kUnderflow ? 0 : share;
  const double scale = choice.data_set() == DataSet::kBounded ? 0.9 : 2.5;
  CaseDraft draft =
      Reduce(reduction, LogarithmicallyBetween(choice.Stream("input"), type, reduction.shape,
                                               scale * low, scale * high));
  SetConstants(choice, draft);
  return draft;
}

// --- REDUCE_SUM.

std::vector<Axis> SumAxes(const Setting& setting) {
  if (IsFloat(setting.Type("in_out_t"))) {
    // MIN_DOT_PRODUCTS of appendix A: at least 1000 results along the axis named.
    return {{"shape",
             "",
             {"16x1024-first", "1050x25-last", "10x12x11x10-middle",
              WithMaxRank(setting, "5x3x10x9x7x1") + "-middle"},
             // A tensor of rank 1 has one sum. The rule accepts anything for very long sums.
             {"13-first", "7x11x13x17-0", "2x17x5x13x11-1", "5x8x3x7x9x2-4", "2x3x5x7x5x16-5",
              "64x32x32-first", "37x1x29-middle"}},
            ConstantAxis(),
            kDataAxis.With({"S0", "S1", "S2", "S3", "S4", "S5"})};
  }
  return {Shapes(setting), ConstantAxis(), kDataAxis.With({"bounded", "special"}, {"ends"})};
}

// Sums that reach an end of the type and its neighbours, in numbers of one sign.
Tensor SumsAtTheEnds(const Choice& choice, const Reduction& reduction, DType type) {
  Tensor input(type, reduction.shape);
  const int64_t size = reduction.view.size;
  for (int64_t line = 0; line < reduction.lines; ++line) {
    const int64_t near = choice.Stream(StrCat("line", line)).Between(0, 5);
    const int64_t sum = line % 2 == 0 ? IntegerMax(type) - near : IntegerMin(type) + near;
    for (int64_t k = 0; k < size; ++k) {
      input.SetInteger(reduction.view.Offset(line, k), sum / size + (k == 0 ? sum % size : 0));
    }
  }
  return input;
}

Tensor SumInput(const Choice& choice, const Reduction& reduction, DType type) {
  const AxisView& view = reduction.view;
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->features, s, view.size, type, type,
                      choice.Type("acc_t"));
    return ReduceSumInput(set, type, reduction.shape, reduction.axis);
  }
  Random random = choice.Stream("input");
  if (choice.data_set() == DataSet::kBounded) {
    const int64_t limit = IntegerMax(type) / view.size;
    return IntegersBetween(random, type, reduction.shape, -limit, limit);
  }
  if (choice.data_set() == DataSet::kEnds) return SumsAtTheEnds(choice, reduction, type);
  // Along the axis first an end of the type, then small numbers of the other sign: no partial sum
  // overflows.
  Tensor input(type, reduction.shape);
  for (int64_t i = 0; i < input.size(); ++i) {
    const bool greatest = i % view.inner % 2 == 0;
    const int64_t small = random.Between(0, 3);
    input.SetInteger(i, i / view.inner % view.size == 0
                            ? (greatest ? IntegerMax(type) : IntegerMin(type))
                            : (greatest ? -small : small));
  }
  return input;
}

CaseDraft BuildSum(const Choice& choice) {
  const Reduction reduction = choice[kReductionAxis];
  CaseDraft draft = Reduce(reduction, SumInput(choice, reduction, choice.Type("in_out_t")));
  SetConstants(choice, draft);
  return draft;
}

CaseDraft SumAt(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, SumAxes, BuildSum, std::move(labels));
}

std::vector<DataCase> NonFiniteSums() {
  return NonFiniteCases(SumAt, {{"plain", {{"shape", "9x40-first"}}, 9},
                                {"constant", {{"shape", "5x7x11-last"}, {"constant", "all"}}, 11}});
}

}  // namespace

Domain ReduceAllDomain() {
  return {.axes = BooleanAxes,
          .build = BuildBoolean,
          .breakers = AxisBreakers("reduce_all.axis_range", "reduce_all.output_axis"),
          .limits = RankLimit(BooleanAxes, BuildBoolean),
          .relations = LayerRelations<BooleanAxes, BuildBoolean>()};
}

Domain ReduceAnyDomain() {
  return {.axes = BooleanAxes,
          .build = BuildBoolean,
          .breakers = AxisBreakers("reduce_any.axis_range", "reduce_any.output_axis"),
          .limits = RankLimit(BooleanAxes, BuildBoolean),
          .relations = LayerRelations<BooleanAxes, BuildBoolean>()};
}

Domain ReduceMaxDomain() {
  return {.axes = ExtremumAxes,
          .constraints = {LongLines(DataSet::kFullRange), OneExtremum()},
          .build = BuildExtremum,
          .breakers = AxisBreakers("reduce_max.axis_range", "reduce_max.output_axis"),
          .limits = RankLimit(ExtremumAxes, BuildExtremum),
          .data_cases = {SignallingExtremum()},
          .relations = ExtremumRelations()};
}

Domain ReduceMinDomain() {
  return {.axes = ExtremumAxes,
          .constraints = {LongLines(DataSet::kFullRange), OneExtremum()},
          .build = BuildExtremum,
          .breakers = AxisBreakers("reduce_min.axis_range", "reduce_min.output_axis"),
          .limits = RankLimit(ExtremumAxes, BuildExtremum),
          .data_cases = {SignallingExtremum()},
          .relations = ExtremumRelations()};
}

Domain ReduceProductDomain() {
  return {.axes = ProductAxes,
          .constraints = {{{"shape", "data"},
                           "the one product would be nothing but zero or infinity",
                           [](const Setting&, const Labels& labels) {
                             return !labels.Is(kReductionAxis, "61-first") ||
                                    labels[kDataAxis] == DataSet::kBounded;
                           }}},
          .build = BuildProduct,
          .breakers = AxisBreakers("reduce_product.axis_range", "reduce_product.output_axis"),
          .limits = RankLimit(ProductAxes, BuildProduct),
          .relations = LayerRelations<ProductAxes, BuildProduct>()};
}

Domain ReduceSumDomain() {
  std::vector<Breaker> breakers = AxisBreakers("reduce_sum.axis_range", "reduce_sum.output_axis");
  // Floats have other shapes.
  for (const Breaker& breaker : AxisRangeBreakers("reduce_sum.axis_range", "reduce_sum.output_axis",
                                                  "1050x25-last", "16x1024-first")) {
    breakers.push_back(breaker);
  }
  return {.axes = SumAxes,
          .constraints = {LongLines(DataSet::kBounded),
                          {{"shape", "data"},
                           "S2 and S3 have nothing random in a line of one",
                           [](const Setting&, const Labels& labels) {
                             const bool one = labels[kReductionAxis].view.size == 1;
                             return !one || (labels[kDataAxis] != DataSet::kS2 &&
                                             labels[kDataAxis] != DataSet::kS3);
                           }}},
          .build = BuildSum,
          .breakers = std::move(breakers),
          .limits = RankLimit(SumAxes, BuildSum),
          .data_cases = NonFiniteSums(),
          .relations = LayerRelations<SumAxes, BuildSum>()};
}

}  // namespace cts::reduction_domain
