// CONST_SHAPE, through a RESIZE that reads the shapes as its scale, offset and border.
#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting&) {
  return {{"values", "", {"1-1-1-1-0-0-0-0", "2-1-2-1-0-0-0-0", "3-2-4-1-m1-2-m1-2"}},
          {"carrier", "", {"i8", "fp32"}},
          {"data", "", {"full-range"}}};
}

Draft Build(const Choice& choice) {
  const std::vector<int64_t> n = ParseNumbers(choice["values"]);
  const DType type = *ParseDType(choice["carrier"]);
  const auto part = [&n](size_t from, size_t to) {
    return std::vector<int64_t>(n.begin() + static_cast<int64_t>(from),
                                n.begin() + static_cast<int64_t>(to));
  };
  const Shape in = {1, 5, 3, 2};
  Draft draft;
  draft.carrier = "RESIZE";
  draft.Input("input", Filled(choice, "input", type, in, Specials::kFinite));
  draft.Set("scale", part(0, 4));
  draft.Set("offset", part(4, 6));
  draft.Set("border", part(6, 8));
  draft.Set("mode", "NEAREST_NEIGHBOR");
  draft.output_type = type;
  draft.output_shape = {1, ((in[1] - 1) * n[0] - n[4] + n[6]) / n[1] + 1,
                        ((in[2] - 1) * n[2] - n[5] + n[7]) / n[3] + 1, in[3]};
  return draft;
}

}  // namespace

Domain ConstShapeDomain() { return {Axes, nullptr, Build, {}}; }

}  // namespace cts
