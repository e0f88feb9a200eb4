// CLAMP, ERF, SIGMOID and TANH.
#include <cmath>
#include <limits>

#include "generator/ops/domain.h"
#include "reference/base/float_format.h"
#include "reference/numeric/elementary.h"

namespace cts::activation_domain {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  const DType type = setting.Type("in_out_t");
  // The ends of the type, or one step within them; a range within the subnormals.
  std::vector<std::string> more = {"low", "high", "inside", "zero"};
  if (IsFloat(type)) more.insert(more.end(), {"finite", "tiny", "infinite"});
  std::vector<Axis> axes = {UnaryShapes(setting, type),
                            UnaryOperand(),
                            {"bounds", "", {"narrow", "half", "full", "equal"}, std::move(more)}};
  // The same as "full", where only a NaN shows that there are bounds.
  if (IsFloat(type) && setting.Takes("nan_mode")) axes.back().more.push_back("open");
  AddNanModeAxis(setting, type, axes);
  axes.push_back(kDataAxis.With({"full-range", "special"}, {"limits"}));
  for (const std::string& every : PatternData(type)) axes.back().values.push_back(every);
  return axes;
}

// The bounds of floats. All of them are values of the type: others would be rounded.
std::pair<double, double> FloatBounds(DType type, const Label& bounds) {
  const FloatFormat& format = Format(type);
  const double inf = std::numeric_limits<double>::infinity();
  return bounds.In<std::pair<double, double>>(
      {{"narrow", {-0.75, 1.5}},
       {"half", {0.0, inf}},
       {"full", {-inf, inf}},
       {"open", {-inf, inf}},
       {"equal", {1.5, 1.5}},
       {"low", {-format.max, -format.normal_min()}},
       {"high", {2.5, format.max}},
       {"inside", {-format.max / 2, format.max / 2}},
       {"zero", {-1, -0.0}},
       {"finite", {-format.max, format.max}},
       {"tiny", {-format.subnormal_min(), format.normal_min()}},
       {"infinite", {-inf, 6}}});
}

std::pair<int64_t, int64_t> IntegerBounds(DType type, const Label& bounds) {
  const int64_t min = IntegerMin(type), max = IntegerMax(type);
  return bounds.In<std::pair<int64_t, int64_t>>({{"narrow", {min / 4, max / 3}},
                                                 {"half", {-1, max}},
                                                 {"full", {min, max}},
                                                 {"equal", {7, 7}},
                                                 {"low", {min, -2}},
                                                 {"high", {1, max}},
                                                 {"inside", {min + 1, max - 1}},
                                                 {"zero", {min / 2, 0}}});
}

CaseDraft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const Shape shape = choice[kShapeAxis];
  const Label bounds = choice["bounds"];
  const bool limits = choice.data_set() == DataSet::kLimits;
  CaseDraft draft;
  Tensor input = limits ? Tensor(type, shape) : Filled(choice, "input", type, shape);
  if (IsFloat(type)) {
    const auto [low, high] = FloatBounds(type, bounds);
    draft.Set("min_val", low);
    draft.Set("max_val", high);
    const double middle = std::isinf(low) || std::isinf(high) ? 0 : low / 2 + high / 2;
    if (limits) input = Cycle(type, shape, WithNeighbours(type, std::vector{low, high, middle}));
  } else {
    const auto [low, high] = IntegerBounds(type, bounds);
    draft.Set("min_val", low);
    draft.Set("max_val", high);
    if (limits) {
      input = Cycle(type, shape, WithNeighbours(type, std::vector{low, high, (low + high) / 2}));
    }
  }
  draft.Input("input", std::move(input), choice[kOperandAxis]);
  SetNanMode(choice, draft);
  draft.one_value = bounds == "equal";
  draft.output_type = type;
  draft.output_shape = shape;
  return draft;
}

bool IsFloatRow(const Setting& setting) { return IsFloat(setting.Type("in_out_t")); }

// One step beyond equal bounds, which are legal: 7 for integers, 1.5 for floats. Neither is
// subnormal: if it were flushed, the bounds could be legal.
void MinimumAboveMaximum(const Setting& setting, CaseDraft& d) {
  const DType type = setting.Type("in_out_t");
  if (IsFloat(type)) {
    d.Set("min_val", 1.5 + std::ldexp(1, -Format(type).fraction_bits));
  } else {
    d.Set("min_val", int64_t{8});
  }
}
void MaximumBelowMinimum(const Setting& setting, CaseDraft& d) {
  const DType type = setting.Type("in_out_t");
  if (IsFloat(type)) {
    d.Set("max_val", 1.5 - std::ldexp(1, -Format(type).fraction_bits));
  } else {
    d.Set("max_val", int64_t{6});
  }
}

// The places where the result changes, with both signs; those where it saturates are among them.
std::vector<double> Saturation(DType type, std::initializer_list<double> points) {
  const FloatFormat& format = Format(type);
  std::vector<double> values = {0,         format.subnormal_min(), format.normal_min(), 0.5, 1, 2,
                                format.max};
  values.insert(values.end(), points);
  for (size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

double HalfStep(DType type) { return std::ldexp(0.5, -Format(type).fraction_bits); }

}  // namespace

Domain ClampDomain() {
  const Labels start = {{"shape", "9x14"}}, equal = {{"shape", "9x14"}, {"bounds", "equal"}};
  std::vector<Constraint> constraints = UnaryConstraints();
  constraints.push_back(OnlyWith({"bounds", "open"}, {{"nan_mode", "ignore"}, {"data", "special"}},
                                 "only a NaN that is ignored meets bounds that are infinite"));
  return {.axes = Axes,
          .constraints = std::move(constraints),
          .build = Build,
          .breakers = {{"clamp.bounds_order", equal, nullptr, MinimumAboveMaximum},
                       {"clamp.bounds_order", equal, nullptr, MaximumBelowMinimum},
                       {"clamp.nan_bounds", start, IsFloatRow,
                        [](const Setting&, CaseDraft& d) { d.Set("min_val", std::nan("")); }},
                       {"clamp.nan_bounds", start, IsFloatRow,
                        [](const Setting&, CaseDraft& d) { d.Set("max_val", std::nan("")); }}},
          .limits = {MaxRankLimit()},
          .data_cases = {SignallingCase(
              Axes, Build, {{"shape", "9x14"}, {"bounds", "narrow"}, {"data", "special"}})},
          .relations = {Rank6(Axes, Build)}};
}

// 1 - erf(x) is half a step of fp32 at 3.83, of fp16 at 2.46, of bf16 at 2.04.
Domain ErfDomain() {
  return FunctionDomain([](const Choice& c) {
    return BuildFunction(c, -4, 4,
                         Saturation(c.Type("in_out_t"), {2.04, 2.3, 2.46, 2.7, 3.83, 3.92, 4, 6}));
  });
}

// 1 - sigmoid(x) is about e^-x, sigmoid(x) about e^x below zero.
Domain SigmoidDomain() {
  return FunctionDomain([](const Choice& c) {
    const DType type = c.Type("in_out_t");
    return BuildFunction(
        c, -12, 12,
        Saturation(type,
                   {-Log(HalfStep(type)), -Log(HalfStep(type) / 2), -Log(Format(type).normal_min()),
                    -Log(1.25 * Format(type).normal_min()), -Log(Format(type).subnormal_min()),
                    -Log(Format(type).subnormal_min() / 2)}));
  });
}

// 1 - tanh(x) is about 2 * e^(-2 * x); tanh(x) is about x - x^3 / 3.
Domain TanhDomain() {
  return FunctionDomain([](const Choice& c) {
    const DType type = c.Type("in_out_t");
    const double half = HalfStep(type);
    return BuildFunction(c, -5, 5,
                         Saturation(type, {-Log(half / 2) / 2, -Log(half / 4) / 2, Sqrt(3 * half),
                                           Sqrt(1.5 * half), Sqrt(6 * half)}));
  });
}

}  // namespace cts::activation_domain
