// REDUCE_SUM.
#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  if (IsFloat(setting.Type("in_out_t"))) {
    // MIN_DOT_PRODUCTS of appendix A: at least 1000 results along the axis named.
    return {{"shape",
             "",
             {"16x1024-first", "1050x25-last", "10x12x11x10-middle",
              WithMaxRank(setting, "5x3x10x9x7x1") + "-middle"}},
            {"data", "", {"S0", "S1", "S2", "S3", "S4", "S5"}}};
  }
  return {{"shape",
           "",
           {"61-first", "9x14-last", "9x14-first", "3x5x7-middle", "2x3x4x5-last",
            WithMaxRank(setting, "2x3x1x5x4x3") + "-middle"}},
          {"data", "", {"bounded", "special"}}};
}

Draft Build(const Choice& choice) {
  const std::string& label = choice["shape"];
  const size_t dash = label.find('-');
  const Shape shape = ParseShape(label.substr(0, dash));
  const int64_t axis = AxisNumber(label.substr(dash + 1), shape);
  const DType type = choice.Type("in_out_t");
  Draft draft;
  if (const int s = DotProductSetNumber(choice.data_set()); s >= 0) {
    DotProductSet set(choice.setting.edition->id, s, shape[axis], type, type, choice.Type("acc_t"));
    draft.Input("input", ReduceSumInput(set, type, shape, axis));
  } else if (choice.data_set() == "bounded") {
    const int64_t limit = IntegerMax(type) / shape[axis];
    draft.Input("input", IntegersBetween(choice.Stream("input"), type, shape, -limit, limit));
  } else {
    // Along the axis an end of the type first, then little of the other sign: no partial sum
    // overflows.
    Random random = choice.Stream("input");
    Tensor input(type, shape);
    int64_t inner = 1;
    for (size_t i = static_cast<size_t>(axis) + 1; i < shape.size(); ++i) inner *= shape[i];
    for (int64_t i = 0; i < input.size(); ++i) {
      const bool greatest = i % inner % 2 == 0;
      const int64_t small = random.Between(0, 3);
      input.SetInteger(i, i / inner % shape[axis] == 0
                              ? (greatest ? IntegerMax(type) : IntegerMin(type))
                              : (greatest ? -small : small));
    }
    draft.Input("input", std::move(input));
  }
  draft.Set("axis", axis);
  draft.output_type = type;
  draft.output_shape = shape;
  draft.output_shape[axis] = 1;
  return draft;
}

int64_t AxisOf(const Draft& draft) {
  return std::get<int64_t>(std::get<AttributeValue>(draft.arguments.find("axis")->second));
}

}  // namespace

Domain ReduceSumDomain() {
  return {Axes,
          nullptr,
          Build,
          {{"reduce_sum.axis_range",
            {},
            nullptr,
            [](const Setting&, Draft& d) {
              d.Set("axis", static_cast<int64_t>(d.tensor("input").shape().size()));
            }},
           {"reduce_sum.axis_range",
            {},
            nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{-1}); }},
           {"reduce_sum.output_axis", {}, nullptr, [](const Setting&, Draft& d) {
              d.output_shape[AxisOf(d)] = 2;
            }}}};
}

}  // namespace cts
