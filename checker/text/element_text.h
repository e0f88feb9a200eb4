// An element of an output, for messages.
#pragma once

#include <cstdint>
#include <string>

#include "checker/rules/interval.h"
#include "checker/text/printable.h"
#include "reference/answer/answer.h"

namespace cts {

// Like FormatElement(tensor, i), but shows an element of an unsigned output as an unsigned number.
// `tensor` is a result for this output, or belongs to one of its answers.
inline std::string FormatElement(const ExpectedOutput& output, const Tensor& tensor, int64_t i) {
  if (!output.rule.is_unsigned || !IsInteger(tensor.dtype())) return FormatElement(tensor, i);
  return std::to_string(ComparedAs(tensor.dtype(), tensor.Integer(i), true));
}

}  // namespace cts
