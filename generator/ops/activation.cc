// CLAMP, ERF, SIGMOID and TANH.
#include <cmath>
#include <limits>

#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  std::vector<Axis> axes = {{"shape", "", SomeShapes(setting)},
                            {"bounds", "", {"narrow", "half", "full", "equal"}}};
  AddNanModeAxis(setting, setting.Type("in_out_t"), axes);
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

Draft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::string& bounds = choice["bounds"];
  Draft draft;
  draft.Input("input", Filled(choice, "input", type, ParseShape(choice["shape"])));
  if (IsFloat(type)) {
    // Exact in every type. The full range of floats has infinities for ends.
    const double inf = std::numeric_limits<double>::infinity();
    draft.Set("min_val", bounds == "narrow"  ? -0.75
                         : bounds == "half"  ? 0.0
                         : bounds == "equal" ? 1.5
                                             : -inf);
    draft.Set("max_val", bounds == "narrow" || bounds == "equal" ? 1.5 : inf);
  } else {
    const int64_t min = IntegerMin(type), max = IntegerMax(type);
    draft.Set("min_val", bounds == "narrow"  ? min / 4
                         : bounds == "half"  ? int64_t{-1}
                         : bounds == "equal" ? int64_t{7}
                                             : min);
    draft.Set("max_val", bounds == "narrow" ? max / 3 : bounds == "equal" ? int64_t{7} : max);
  }
  SetNanMode(choice, draft);
  draft.one_value = bounds == "equal";
  draft.output_type = type;
  draft.output_shape = ParseShape(choice["shape"]);
  return draft;
}

bool IsFloatRow(const Setting& setting) { return IsFloat(setting.Type("in_out_t")); }

}  // namespace

Domain ClampDomain() {
  return {Axes,
          {RoomForSpecials()},
          Build,
          {{"clamp.bounds_order",
            {{"shape", "9x14"}},
            nullptr,
            [](const Setting&, Draft& d) {
              d.Set("min_val", int64_t{1});
              d.Set("max_val", int64_t{0});
            }},
           {"clamp.nan_bounds",
            {{"shape", "9x14"}},
            IsFloatRow,
            [](const Setting&, Draft& d) { d.Set("min_val", std::nan("")); }},
           {"clamp.nan_bounds", {{"shape", "9x14"}}, IsFloatRow, [](const Setting&, Draft& d) {
              d.Set("max_val", std::nan(""));
            }}}};
}

Domain ErfDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -4, 4); });
}

Domain SigmoidDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -12, 12); });
}

Domain TanhDomain() {
  return FunctionDomain([](const Choice& c) { return BuildFunction(c, -5, 5); });
}

}  // namespace cts
