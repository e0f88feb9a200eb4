// Texts about an operator with the names of arguments that the edition has: the texts themselves
// have those of TOSA ("input_zp"), as the operator's text does (OperatorSpec::view).
#pragma once

#include <string>
#include <string_view>

#include "reference/ops/condition.h"
#include "reference/spec/edition.h"

namespace cts {

// "out_pad_left" becomes "pad_left" with an argument `pad` that the view calls out_pad.
std::string InEditionWords(const OperatorSpec& spec, std::string_view text);

// Of a condition of one of the edition's operators, or of any graph.
std::string Paraphrase(const Edition& edition, const Condition& condition);

}  // namespace cts
