// Rewrites messages about an operator with the edition's names of arguments. The messages have
// TOSA's names ("input_zp"), as the operator's text has them (OperatorSpec::view).
#pragma once

#include <string>
#include <string_view>

#include "reference/ops/condition.h"
#include "reference/spec/edition.h"

namespace cts {

// For example, turns "out_pad_left" into "pad_left" if the edition calls the argument `pad`, and
// TOSA calls it `out_pad`.
std::string InEditionWords(const OperatorSpec& spec, std::string_view text);

// The paraphrase of a condition of one of the edition's operators, or of any graph.
std::string Paraphrase(const Edition& edition, const Condition& condition);

}  // namespace cts
