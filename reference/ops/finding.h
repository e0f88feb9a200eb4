// Describes how a call breaks a condition. Every tool shows this description for a broken
// condition.
#pragma once

#include <string>

#include "reference/ops/condition.h"

namespace cts {

// The finding about a call that breaks a condition, in the edition's words: "OH is 7, (IH + pads -
// kernel_y) / stride_y + 1 is 8", "input_zp is not zero although the input is not i8: found input
// of type i16, input_zp 3".
std::string ExplainBroken(const Condition& condition, const Call& call);

}  // namespace cts
