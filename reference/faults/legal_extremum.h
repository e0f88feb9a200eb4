// The operators with nan_mode IGNORE, by the maximum and minimum of IEEE 754 that hardware has.
#pragma once

#include <optional>

#include "reference/machine/departure.h"

namespace cts {

enum class IeeeExtremum {
  kNum2008,     // maxNum and minNum, C's fmax and fmin: NaN where an operand is a signalling NaN
  kNumber2019,  // maximumNumber and minimumNumber: no NaN where an operand is a number
};

// The answer of an implementation that applies the function to two values at a time, in order. For
// both functions +0 is above -0. nullopt for calls that do not ignore NaN.
std::optional<OperatorOutputs> ByIeeeExtremum(IeeeExtremum function, const Operator& op,
                                              const Call& call);

}  // namespace cts
