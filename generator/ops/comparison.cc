// EQUAL, GREATER and GREATER_EQUAL.
#include <cmath>

#include "generator/ops/elementwise.h"
#include "reference/base/float_format.h"

namespace cts::comparison_domain {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  const DType type = setting.Type("in_t");
  // A comparison of a number with itself shows whether it is a NaN.
  const bool with_same = IsFloat(type) && setting.Text() != "GREATER";
  std::vector<Axis> axes = {PairShapes(setting, type), PairOperands(with_same), PairData(type)};
  // No two random values are equal.
  std::vector<std::string>& data = axes.back().values;
  data[0] = "near";
  if (setting.Text() != "EQUAL") data.push_back("full-range");
  return axes;
}

// First a value, the next one and its negative, then any of the three, so that a third of the pairs
// are equal. If there is one element, it is the value; some of the others lie on either side of it.
Tensor Near(const Choice& choice, std::string_view tensor, DType type, const Shape& shape) {
  Random center = choice.Stream("center"), random = choice.Stream(tensor);
  Tensor result(type, shape);
  const auto pick = [&](int64_t i) {
    return i < 3 ? static_cast<size_t>(i) : static_cast<size_t>(random.Below(3));
  };
  if (IsFloat(type)) {
    const double ulp = std::ldexp(1, -Format(type).fraction_bits);
    const double value = RoundTo(type, 1.25 + center.Unit() / 2);
    const double values[] = {value, value + ulp, -value};
    for (int64_t i = 0; i < result.size(); ++i) result.SetValue(i, values[pick(i)]);
  } else {
    const int64_t value = center.Between(1, IntegerMax(type) - 1);
    const int64_t values[] = {value, value + 1, -value};
    for (int64_t i = 0; i < result.size(); ++i) result.SetInteger(i, values[pick(i)]);
  }
  return result;
}

CaseDraft Build(const Choice& choice) {
  const DType type = choice.Type("in_t");
  const std::vector<Shape> shapes = choice[kShapesAxis];
  CaseDraft draft;
  if (choice.data_set() == DataSet::kNear) {
    draft.Input("input1", Near(choice, "input1", type, shapes[0]));
    draft.Input("input2", Near(choice, "input2", type, shapes[1]));
  } else if (choice.data_set() == DataSet::kFullRange) {
    draft.Input("input1", FullRange(choice.Stream("input1"), type, shapes[0]));
    draft.Input("input2", FullRange(choice.Stream("input2"), type, shapes[1]));
  } else if (choice.data_set() == DataSet::kExhaustive8) {
    SetEveryPair(draft, "input1", "input2", type, shapes);
  } else {
    const std::vector<uint64_t> values = PairValues(choice, type);
    SetPairs(choice, draft, "input1", "input2", type, shapes[0], PairsOf(values, values));
  }
  SetOperands(choice, draft);
  draft.output_type = choice.Type("out_t");
  draft.output_shape = Broadcast(shapes);
  return draft;
}

Domain ComparisonDomain(const std::string& broadcast) {
  std::vector<Constraint> constraints = PairConstraints();
  constraints.push_back(
      OnlyWith({"operands", "same"}, {{"data", "crossed"}},
               "only NaNs differ from themselves, of which crossed pairs have enough"));
  constraints.push_back(
      OnlyWith({"shapes", "1x65539+1x1"}, {{"data", "near"}}, "large shapes occur once only"));
  Domain domain = {.axes = Axes,
                   .constraints = std::move(constraints),
                   .build = Build,
                   .breakers = BroadcastBreakers(broadcast),
                   .limits = {MaxRankLimit()}};
  domain.relations = BroadcastRelationCases(Axes, Build);
  domain.relations.push_back(UniformCase(
      Axes, Build, {.what = "zero", .value = 0, .others = SpecialAndEqual, .both_sides = true}));
  return domain;
}

}  // namespace

Domain EqualDomain() { return ComparisonDomain("equal.broadcast"); }
Domain GreaterDomain() { return ComparisonDomain("greater.broadcast"); }
Domain GreaterEqualDomain() { return ComparisonDomain("greater_equal.broadcast"); }

}  // namespace cts::comparison_domain
