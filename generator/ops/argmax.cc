// ARGMAX.
#include <cmath>
#include <limits>

#include "generator/ops/domain.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  std::vector<Axis> axes = {
      {"shape", "", {"57", "4x70", "5x7x11", "2x3x4x5", WithMaxRank(setting, "2x3x2x5x1x7")}},
      {"axis", "", {"last", "first", "middle"}}};
  AddNanModeAxis(setting, setting.Type("in_t"), axes);
  axes.push_back({"data", "", {"full-range", "special", "ties"}});
  if (setting.Takes("nan_mode") && IsFloat(setting.Type("in_t"))) {
    axes.back().values.push_back("nan-first");
  }
  return axes;
}

Draft Build(const Choice& choice) {
  const Shape shape = ParseShape(choice["shape"]);
  const DType in_t = choice.Type("in_t");
  const int64_t axis = AxisNumber(choice["axis"], shape);
  // With NaN, text and pseudocode of 0.100 disagree.
  const bool nan = choice.setting.Takes("nan_mode");
  Draft draft;
  if (choice.data_set() == "ties") {
    // Few values, so that the first of several greatest counts; -0 and +0 among them.
    Random random = choice.Stream("input");
    Tensor input(in_t, shape);
    const double values[] = {-1, -0.0, 0.0, 1, 1};
    for (int64_t i = 0; i < input.size(); ++i) {
      const double value = values[random.Below(5)];
      IsFloat(in_t) ? input.SetFloat(i, value) : input.SetInteger(i, static_cast<int64_t>(value));
    }
    draft.Input("input", std::move(input));
  } else if (choice.data_set() == "nan-first") {
    // Nothing but the least value after some NaN: even that is greater, where NaN is
    // ignored.
    Tensor input(in_t, shape);
    const FloatFormat& format = Format(in_t);
    const double least =
        format.has_infinity ? -std::numeric_limits<double>::infinity() : -format.max;
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
    for (int64_t i = 0; i < input.size(); ++i) {
      const int64_t row = i / inner, line = row / shape[axis] * inner + i % inner;
      const int64_t leading = line % shape[axis];
      input.SetFloat(i, row % shape[axis] < leading ? std::nan("") : least);
    }
    draft.Input("input", std::move(input));
  } else {
    draft.Input("input",
                Filled(choice, "input", in_t, shape, nan ? Specials::kAll : Specials::kNoNan));
  }
  draft.Set("axis", axis);
  SetNanMode(choice, draft);
  draft.output_type = choice.Type("out_t");
  draft.output_shape = shape;
  draft.output_shape.erase(draft.output_shape.begin() + axis);
  return draft;
}

}  // namespace

Domain ArgmaxDomain() {
  return {Axes,
          {RoomForSpecials(),
           {{"data", "nan_mode"},
            "a leading NaN decides every result where NaN propagates",
            [](const Setting&, const Labels& labels) {
              return labels["data"] != "nan-first" || labels["nan_mode"] != "propagate";
            }}},
          Build,
          {{"argmax.axis_range",
            {{"shape", "5x7x11"}},
            nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{3}); }},
           {"argmax.axis_range",
            {{"shape", "4x70"}},
            nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{-1}); }},
           {"argmax.output_shape", {{"shape", "5x7x11"}}, nullptr, [](const Setting&, Draft& d) {
              d.output_shape[0] += 1;
            }}}};
}

}  // namespace cts
