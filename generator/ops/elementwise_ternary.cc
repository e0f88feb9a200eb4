// SELECT.
#include <cmath>

#include "generator/ops/elementwise.h"
#include "reference/base/float_format.h"

namespace cts::elementwise_ternary_domain {
namespace {

enum class Condition { kRandom, kTrue, kFalse };
constexpr ListedAxis<Condition> kConditionAxis{
    "condition",
    "c",
    {{"random", Condition::kRandom}},
    {{"true", Condition::kTrue}, {"false", Condition::kFalse}}};

std::vector<Axis> Axes(const Setting& setting) {
  const std::string full = WithMaxRank(setting, "2x1x3x1x4x2");
  return {kShapesAxis.With(
              {"3x4x5+3x4x5+3x4x5", "25x27+25x27+25x27", "scalar+scalar+scalar", "17+1+1", "1+9+1",
               "1x9+5x1+5x9", "2x1x3x1+1x5x1x4+1x1x3x4",
               full + "+" + WithMaxRank(setting, "1x3x3x1x1x2") + "+" +
                   WithMaxRank(setting, "2x3x1x1x4x1")},
              {"1+1+23", "1x1x1+7x3x4+1x3x1", "7x3x4+1x1x1+1x1x1", "3x1x5x2+3x4x5x2+3x4x5x2",
               "2x1x3x1x4+1x3x3x1x1+2x3x1x5x4", "61x61+61x61+61x61", "1x65539+1x1+1x65539"}),
          PairOperands(true), kConditionAxis.All(),
          kDataAxis.With({"full-range", "special"}, {"crossed"})};
}

CaseDraft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const std::vector<Shape> shapes = choice[kShapesAxis];
  CaseDraft draft;
  Tensor condition = FullRange(choice.Stream("input1"), DType::kBool, shapes[0]);
  const Condition kind = choice[kConditionAxis];
  for (int64_t i = 0; kind != Condition::kRandom && i < condition.size(); ++i) {
    condition.SetInteger(i, kind == Condition::kTrue);
  }
  draft.Input("input1", std::move(condition));
  if (choice.data_set() == DataSet::kFullRange) {
    draft.Input("input2", FullRange(choice.Stream("input2"), type, shapes[1]));
    draft.Input("input3", FullRange(choice.Stream("input3"), type, shapes[2]));
    // Two booleans alone could be the same.
    if (type == DType::kBool && ElementCount(shapes[1]) == 1) {
      const int64_t other = draft.tensor("input3").Integer(0);
      draft.tensor("input2").SetInteger(0, 1 - other);
    }
  } else {
    // 0.100 makes the result a NaN if any input is one. SELECT's own pseudocode contradicts that.
    // So both values are NaN there, or neither.
    const std::vector<uint64_t> values = PairValues(choice, type);
    Pairs pairs = PairsOf(values, values);
    if (choice.setting.EditionHas(Feature::kSelectNanUnclear) && IsFloat(type)) {
      const auto is_nan = [&](uint64_t bits) { return std::isnan(DecodeFloat(type, bits)); };
      std::erase_if(pairs,
                    [&](const auto& pair) { return is_nan(pair.first) != is_nan(pair.second); });
    }
    SetPairs(choice, draft, "input2", "input3", type, shapes[1], std::move(pairs));
  }
  // The constants: the condition, the first value, or all three.
  if (choice[kOperandsAxis] == PairOperand::kSame) {
    draft.Same("input3", "input2");
  } else {
    SetOperands(choice, draft);
  }
  if (choice[kOperandsAxis] == PairOperand::kConst) {
    std::get<TensorArgument>(draft.arguments["input3"]).constant = true;
  }
  draft.output_type = type;
  draft.output_shape = Broadcast(shapes);
  return draft;
}

}  // namespace

Domain SelectDomain() {
  std::vector<Breaker> breakers =
      BroadcastBreakers("select.broadcast", {{"shapes", "3x4x5+3x4x5+3x4x5"}});
  breakers.push_back({"select.broadcast",
                      {{"shapes", "3x4x5+3x4x5+3x4x5"}},
                      nullptr,
                      [](const Setting&, CaseDraft& draft) {
                        Reshape(draft.tensor("input3"), {3, 2, 5});  // neither 4 nor 1
                      }});
  std::vector<Constraint> constraints = PairConstraints();
  constraints.push_back({{"condition", "shapes"},
                         "if one of two inputs is never taken, the other has all elements",
                         [](const Setting&, const Labels& labels) {
                           const std::vector<Shape> shapes = labels[kShapesAxis];
                           const Shape output = Broadcast(shapes);
                           return labels[kConditionAxis] == Condition::kRandom ||
                                  (shapes[1] == output && shapes[2] == output);
                         }});
  Domain domain = {.axes = Axes,
                   .constraints = std::move(constraints),
                   .build = Build,
                   .breakers = std::move(breakers),
                   .limits = {MaxRankLimit()}};
  domain.relations = SelectRelationCases(Axes, Build);
  return domain;
}

}  // namespace cts::elementwise_ternary_domain
