// An element of an output, for messages.
#pragma once

#include <cstdint>
#include <string>

#include "checker/rules/interval.h"
#include "checker/text/printable.h"
#include "reference/answer/answer.h"

namespace cts {

// Like FormatElement(tensor, i), for a tensor of an answer or a result of this output. An element
// of an unsigned output is shown as an unsigned number.
inline std::string FormatElement(const ExpectedOutput& output, const Tensor& tensor, int64_t i) {
  if (!output.rule.is_unsigned || !IsInteger(tensor.dtype())) return FormatElement(tensor, i);
  return std::to_string(ComparedAs(tensor.dtype(), tensor.Integer(i), true));
}

}  // namespace cts
