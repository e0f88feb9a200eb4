// In messages about an operator, replaces TOSA's names of arguments ("input_zp") by the edition's
// names. OperatorSpec::view has TOSA's names.
#pragma once

#include <string>
#include <string_view>

#include "reference/ops/condition.h"
#include "reference/spec/edition.h"

namespace cts {

// For example, turns "out_pad_left" into "pad_left" if the edition calls the argument `pad`, and
// TOSA calls it `out_pad`.
std::string InEditionWords(const OperatorSpec& spec, std::string_view text);

// The paraphrase of a condition with the edition's names of arguments. The condition may be about
// an operator of the edition, or about graphs.
std::string Paraphrase(const Edition& edition, const Condition& condition);

}  // namespace cts
