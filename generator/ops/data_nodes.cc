// CONST and IDENTITY.
#include "generator/ops/domain.h"

namespace cts::data_nodes_domain {
namespace {

std::vector<Axis> Axes(const Setting& setting, DType type) {
  Axis shape = UnaryShapes(setting, type);
  shape.values = {"9x14", "scalar", WithMaxRank(setting, "2x3x1x2x4x3")};
  shape.more.insert(shape.more.end(), {"61", "2x3x4x5"});
  Axis data = kDataAxis.With({"full-range", "special"});
  for (const std::string& every : PatternData(type)) data.values.push_back(every);
  return {std::move(shape), std::move(data)};
}

std::vector<Axis> ConstAxes(const Setting& setting) { return Axes(setting, setting.Type("out_t")); }

std::vector<Axis> IdentityAxes(const Setting& setting) {
  std::vector<Axis> axes = Axes(setting, setting.Type("in_out_t"));
  axes.insert(axes.end() - 1, UnaryOperand());
  return axes;
}

CaseDraft BuildConst(const Choice& choice) {
  CaseDraft draft;
  draft.output_type = choice.Type("out_t");
  draft.output_shape = choice[kShapeAxis];
  draft.values = Filled(choice, "output", draft.output_type, draft.output_shape);
  return draft;
}

CaseDraft BuildIdentity(const Choice& choice) {
  CaseDraft draft;
  draft.output_type = choice.Type("in_out_t");
  draft.output_shape = choice[kShapeAxis];
  draft.Input("input1", Filled(choice, "input1", draft.output_type, draft.output_shape),
              choice[kOperandAxis]);
  return draft;
}

}  // namespace

Domain ConstDomain() {
  std::vector<Constraint> constraints = UnaryConstraints();
  constraints.back() = {
      {"shape"},  // it has no axis "operand"
      "large shapes are for operands that come in from outside",
      [](const Setting&, const Labels& labels) { return !labels.Is(kShapeAxis, "1x65539"); }};
  return {.axes = ConstAxes, .constraints = std::move(constraints), .build = BuildConst};
}
Domain IdentityDomain() {
  return {.axes = IdentityAxes,
          .constraints = UnaryConstraints(),
          .build = BuildIdentity,
          .limits = {MaxRankLimit()},
          .relations = {Rank6(IdentityAxes, BuildIdentity)}};
}

}  // namespace cts::data_nodes_domain
