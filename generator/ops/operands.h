// The constant operands of a case.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// The axis of constant operands. It has the values "none" and "all". For full domains it also has
// the first `each_of` of the values "first", "second" and "third". Constant operands matter because
// a compiler may compute with them at compile time. The axis comes before "data".
enum class Constants { kNone, kAll, kFirst, kSecond, kThird };
inline constexpr ListedAxis<Constants> kConstantAxis{
    "constant",
    "c",
    {{"none", Constants::kNone}, {"all", Constants::kAll}},
    {{"first", Constants::kFirst}, {"second", Constants::kSecond}, {"third", Constants::kThird}}};
inline Axis ConstantAxis(size_t each_of = 0) {
  Axis axis = kConstantAxis.All();
  axis.prefers_first = true;
  axis.more.resize(each_of);
  return axis;
}

// Turns the operands that the choice names into constants: all operands, or the first, second or
// third operand in the edition's order.
inline void SetConstants(const Choice& choice, CaseDraft& draft) {
  const Constants constant = choice[kConstantAxis];
  auto own = static_cast<int>(Constants::kFirst);  // the label of the current operand
  for (const ArgumentSpec& argument : choice.setting.spec->Seen().arguments) {
    const auto found = draft.arguments.find(argument.name);
    if (found == draft.arguments.end()) continue;
    auto* operand = std::get_if<TensorArgument>(&found->second);
    if (operand == nullptr) continue;
    if (own > static_cast<int>(Constants::kThird)) break;
    operand->constant |= constant == Constants::kAll || constant == static_cast<Constants>(own++);
  }
}

}  // namespace cts
