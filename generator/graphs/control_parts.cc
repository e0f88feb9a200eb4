#include "generator/graphs/control_parts.h"

namespace cts::control_parts {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;

Axis ConditionAxis(const Setting& setting) {
  Axis axis = kConditionAxis.With({"1"});
  const ArgumentSpec& condition =
      *setting.edition->FindOperator("COND_IF")->FindArgument("condition");
  if (condition.min_rank->constant == 0) axis.values.insert(axis.values.begin(), "scalar");
  return axis;
}

Name ConditionInput(GraphBuilder& builder, const Choice& choice, const Name& name, bool value) {
  return builder.Input(name,
                       Tensor::OfIntegers(DType::kBool, choice[kConditionAxis], {value ? 1 : 0}));
}

Name AsCondition(GraphBuilder& builder, const Choice& choice, const Name& condition) {
  if (!choice[kConditionAxis].empty()) return condition;
  return builder.Apply("RESHAPE", {condition}, {{"shape", Shape{}}});
}

Tensor OneInteger(int64_t value) { return Tensor::OfIntegers(DType::kI32, {1}, {value}); }

Names Parameters(GraphBuilder& builder, const std::string& region,
                 const std::vector<std::pair<DType, Shape>>& types) {
  Names names;
  for (const auto& [type, shape] : types) {
    names.push_back(builder.Parameter(StrCat(region, "_", names.size()), type, shape));
  }
  return names;
}

void AddBelow(GraphBuilder& builder, const Choice& choice,
              const std::vector<std::pair<DType, Shape>>& types) {
  builder.Begin("more");
  const Names given = Parameters(builder, "more", types);
  builder.End(
      {AsCondition(builder, choice, builder.Apply("GREATER", {given.back(), given.front()}))});
}

}  // namespace cts::control_parts
