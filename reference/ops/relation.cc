#include "reference/ops/relation.h"

#include <map>
#include <utility>

namespace cts {
namespace {

std::map<std::string_view, std::vector<Relation>> AllRelations() {
  std::map<std::string_view, std::vector<Relation>> all = {
      {"CONV2D", Conv2dRelations()},
      {"CONV3D", Conv3dRelations()},
      {"DEPTHWISE_CONV2D", DepthwiseConv2dRelations()},
      {"TRANSPOSE_CONV2D", TransposeConv2dRelations()},
      {"AVG_POOL2D", AvgPool2dRelations()},
      {"MAX_POOL2D", MaxPool2dRelations()},
      {"TRANSPOSE", TransposeRelations()},
      {"RESIZE", ResizeRelations()},
      {"SELECT", SelectRelations()}};
  for (const std::string_view op :
       {"ADD", "ARITHMETIC_RIGHT_SHIFT", "BITWISE_AND", "BITWISE_OR", "BITWISE_XOR", "INTDIV",
        "LOGICAL_AND", "LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT", "LOGICAL_OR", "LOGICAL_XOR",
        "MAXIMUM", "MINIMUM", "MUL", "POW", "SUB", "EQUAL", "GREATER", "GREATER_EQUAL"}) {
    all.emplace(op, BroadcastRelations());
  }
  // The others have the same results whatever the operand, or it cannot be a shift.
  for (const std::string_view op : {"ADD", "BITWISE_AND", "BITWISE_OR", "LOGICAL_AND", "LOGICAL_OR",
                                    "MAXIMUM", "MINIMUM", "MUL", "POW"}) {
    all[op].push_back(SameOperandsRelation("input1", "input2"));
  }
  for (const std::string_view op : {"SUB", "EQUAL", "GREATER_EQUAL"}) {
    all[op].push_back(SameOperandsRelation("input1", "input2", true));
  }
  return all;
}

}  // namespace

const std::vector<Relation>& RelationsOf(std::string_view op) {
  static const auto& known = *new std::map<std::string_view, std::vector<Relation>>(AllRelations());
  static const auto& none = *new std::vector<Relation>;
  const auto found = known.find(op);
  return found == known.end() ? none : found->second;
}

std::string RelationFamily(const OperatorSpec& spec, const TypeRow& row) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    const std::optional<DType> type = row.Type(argument.element_type);
    if (!type) continue;
    if (*type == DType::kI8 || IsFloat(*type)) return std::string(Info(*type).name);
    return "integers";
  }
  return "";
}

}  // namespace cts
