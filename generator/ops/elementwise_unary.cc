// EXP.
#include "generator/ops/domain.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  return {{"shape", "", SomeShapes(setting)}, {"data", "", {"full-range", "special", "finite"}}};
}

Draft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const Shape shape = ParseShape(choice["shape"]);
  Draft draft;
  if (choice.data_set() == "finite") {
    // About the arguments whose result is neither 0 nor infinite, by the exponents of the format.
    const FloatFormat& format = Format(type);
    const double ln2 = 0.6931471805599453;
    const double high = ln2 * (1 << (format.exponent_bits - 1));
    draft.Input("input1", FloatsBetween(choice.Stream("input1"), type, shape,
                                        ln2 * (format.min_exponent - format.fraction_bits), high));
  } else {
    draft.Input("input1", Filled(choice, "input1", type, shape));
  }
  draft.output_type = type;
  draft.output_shape = shape;
  return draft;
}

}  // namespace

Domain ExpDomain() {
  return {Axes,
          [](const Setting&, const Labels& labels) { return RoomForSpecials(labels); },
          Build,
          {}};
}

}  // namespace cts
