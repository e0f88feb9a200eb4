// SELECT.
#include <cmath>

#include "generator/ops/elementwise.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  return {{"shapes",
           "",
           {"25x27+25x27+25x27", "scalar+scalar+scalar", "17+1+1", "1+9+1", "1x9+5x1+5x9",
            "3x4x5+3x4x5+3x4x5", "2x1x3x1+1x5x1x4+1x1x3x4",
            WithMaxRank(setting, "2x1x3x1x4x2") + "+" + WithMaxRank(setting, "1x3x3x1x1x2") + "+" +
                WithMaxRank(setting, "2x3x1x1x4x1")}},
          {"data", "", {"full-range", "special"}}};
}

Draft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::vector<Shape> shapes = ParseShapes(choice["shapes"]);
  Draft draft;
  draft.Input("input1", FullRange(choice.Stream("input1"), DType::kBool, shapes[0]));
  if (choice.data_set() != "special") {
    draft.Input("input2", FullRange(choice.Stream("input2"), type, shapes[1]));
    draft.Input("input3", FullRange(choice.Stream("input3"), type, shapes[2]));
    // Two booleans alone could be the same.
    if (type == DType::kBool && ElementCount(shapes[1]) == 1) {
      const int64_t other = draft.tensor("input3").Integer(0);
      draft.tensor("input2").SetInteger(0, 1 - other);
    }
  } else if (IsFloat(type)) {
    // 0.100 makes the result a NaN if any input is one, against SELECT's own pseudocode: there both
    // values are, or neither.
    const bool draft_edition = choice.setting.Is("tosa-0.100");
    const std::vector<double> values = SpecialFloats(type);
    SetPairs(draft, "input2", "input3", type, shapes[1],
             PairsOf(values, values, [draft_edition](double a, double b) {
               return !draft_edition || std::isnan(a) == std::isnan(b);
             }));
  } else {
    const std::vector<int64_t> values = SpecialIntegers(type);
    SetPairs(draft, "input2", "input3", type, shapes[1],
             PairsOf(values, values, [](int64_t, int64_t) { return true; }));
  }
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

}  // namespace

Domain SelectDomain() {
  return {Axes,
          {RoomForPairs()},
          Build,
          BroadcastBreakers("select.broadcast", {{"shapes", "3x4x5+3x4x5+3x4x5"}})};
}

}  // namespace cts
