// The operands of a case that are constants.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// The values "none", "all" and, for full domains, as many of "first", "second", "third" as the
// count says: compilers fold constants with other code than they run. The axis stands before
// "data".
inline constexpr std::string_view kConstantOperands[] = {"first", "second", "third"};
inline Axis ConstantAxis(size_t each_of = 0) {
  Axis axis = {"constant", "c", {"none", "all"}};
  axis.prefers_first = true;
  axis.more.insert(axis.more.end(), kConstantOperands, kConstantOperands + each_of);
  return axis;
}

// Makes constants of the operands that the choice names: "all", or "first", "second", "third" in
// the edition's order.
inline void SetConstants(const Choice& choice, CaseDraft& draft) {
  const Label constant = choice["constant"];
  size_t k = 0;
  for (const ArgumentSpec& argument : choice.setting.spec->Seen().arguments) {
    const auto found = draft.arguments.find(argument.name);
    if (found == draft.arguments.end() || k == std::size(kConstantOperands)) continue;
    auto* operand = std::get_if<TensorArgument>(&found->second);
    if (operand == nullptr) continue;
    operand->constant |= constant == "all" || constant.text() == kConstantOperands[k];
    ++k;
  }
}

}  // namespace cts
