// CONCAT.
#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  std::vector<std::string> counts = {"2", "1", "3"};
  // tosa-0.100 limits no lists.
  if (setting.level->maxima.contains("MAX_TENSOR_LIST_SIZE")) {
    counts.push_back(StrCat(setting.level->Max("MAX_TENSOR_LIST_SIZE")));
  }
  return {{"inputs", "n", std::move(counts)},
          {"shape", "", {"7x9", "31", "3x2x5", "2x3x4x2", WithMaxRank(setting, "2x3x1x2x3x1")}},
          {"axis", "", {"last", "first", "middle"}},
          {"data", "", {"full-range", "special"}}};
}

Draft Build(const Choice& choice) {
  const Shape base = ParseShape(choice["shape"]);
  const DType type = choice.Type("in_out_t");
  const int64_t axis = AxisNumber(choice["axis"], base);
  const int64_t count = ParseNumbers(choice["inputs"])[0];
  Draft draft;
  draft.output_type = type;
  draft.output_shape = base;
  draft.output_shape[axis] = 0;
  TensorArgument operand{{}, true, false};
  for (int64_t k = 0; k < count; ++k) {
    Shape shape = base;
    shape[axis] = 1 + (base[axis] + k) % 4;
    draft.output_shape[axis] += shape[axis];
    operand.tensors.push_back(Filled(choice, StrCat("input1_", k), type, shape));
  }
  draft.arguments["input1"] = std::move(operand);
  draft.Set("axis", axis);
  return draft;
}

}  // namespace

Domain ConcatDomain() {
  const Labels two = {{"inputs", "2"}, {"shape", "3x2x5"}, {"axis", "last"}};
  return {Axes,
          nullptr,
          Build,
          {{"concat.empty_list", two, nullptr,
            [](const Setting&, Draft& d) { d.list("input1").clear(); }},
           {"concat.axis_range", two, nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{3}); }},
           {"concat.axis_range", two, nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{-1}); }},
           {"concat.rank_mismatch", two, nullptr,
            [](const Setting&, Draft& d) {
              Shape shape = d.list("input1")[1].shape();
              shape.push_back(1);
              Reshape(d.list("input1")[1], shape);
            }},
           {"concat.dimension_mismatch", two, nullptr,
            [](const Setting&, Draft& d) {
              Shape shape = d.list("input1")[1].shape();
              shape[0] += 1;
              Reshape(d.list("input1")[1], shape);
            }},
           {"concat.axis_sum", two, nullptr,
            [](const Setting&, Draft& d) { d.output_shape[2] += 1; }}}};
}

}  // namespace cts
