// The operators with nan_mode IGNORE by the maximum and minimum of IEEE 754, as hardware has them.
#pragma once

#include <optional>

#include "reference/evaluate/departure.h"

namespace cts {

enum class IeeeExtremum {
  kNum2008,     // maxNum and minNum, C's fmax and fmin: NaN where an operand is a signalling NaN
  kNumber2019,  // maximumNumber and minimumNumber: no NaN where an operand is a number
};

// What an implementation answers that applies the function to two values at a time, in order. To
// both functions +0 is above -0. Nothing for calls that do not ignore NaN.
std::optional<OperatorOutputs> ByIeeeExtremum(IeeeExtremum function, const Operator& op,
                                              const Call& call);

}  // namespace cts
