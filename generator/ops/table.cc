// TABLE.
#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  return {{"shape", "", SomeShapes(setting)},
          {"table", "t", {"random", "ramp"}},
          {"data", "", {"full-range", "special"}}};
}

Tensor Table(const Choice& choice) {
  const DType table_t = choice.Type("table_t");
  const bool interpolated = table_t == DType::kI16;
  const Shape shape = {interpolated ? 513 : 256};  // TABLE_SIZE
  if (choice["table"] == "random") {
    // The slope between neighbours must fit i16, so they lie within half of its range.
    return interpolated ? IntegersBetween(choice.Stream("table"), table_t, shape, -16384, 16383)
                        : FullRange(choice.Stream("table"), table_t, shape);
  }
  Tensor table(table_t, shape);
  for (int64_t i = 0; i < table.size(); ++i) {
    // Falling from one end of the type to the other.
    table.SetInteger(i, interpolated ? std::min<int64_t>(32767, 32768 - 128 * i) : 127 - i);
  }
  return table;
}

Draft Build(const Choice& choice) {
  const Shape shape = ParseShape(choice["shape"]);
  // Called `input` in 0.100.
  const std::string input = choice.setting.Takes("input1") ? "input1" : "input";
  Draft draft;
  draft.Input(input, Filled(choice, input, choice.Type("in_t"), shape));
  draft.Input("table", Table(choice), true);
  draft.output_type = choice.Type("out_t");
  draft.output_shape = shape;
  return draft;
}

}  // namespace

Domain TableDomain() { return {Axes, {RoomForSpecials()}, Build, {}}; }

}  // namespace cts
