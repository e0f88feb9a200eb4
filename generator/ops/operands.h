// Which operands of a case are constants.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// "none" and, of full domains, "all" and the like: compilers fold constants by other code than they
// run. The axis stands before "data".
inline Axis ConstantAxis(std::vector<std::string> more = {"all"}) {
  return {"constant", "c", {"none"}, std::move(more)};
}

// Makes constants of the operands that the choice names: "all", or "first", "second", "third" in
// the edition's order.
inline void SetConstants(const Choice& choice, CaseDraft& draft) {
  static constexpr std::string_view kNames[] = {"first", "second", "third"};
  size_t k = 0;
  for (const ArgumentSpec& argument : choice.setting.spec->Seen().arguments) {
    const auto found = draft.arguments.find(argument.name);
    if (found == draft.arguments.end() || k == std::size(kNames)) continue;
    auto* operand = std::get_if<TensorArgument>(&found->second);
    if (operand == nullptr) continue;
    operand->constant |= choice["constant"] == "all" || choice["constant"] == kNames[k];
    ++k;
  }
}

}  // namespace cts
