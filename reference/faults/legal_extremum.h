// Computes operators with nan_mode IGNORE by the maximum and minimum functions of IEEE 754, as
// hardware does.
#pragma once

#include <optional>

#include "reference/machine/departure.h"

namespace cts {

enum class IeeeExtremum {
  kNum2008,     // maxNum and minNum, C's fmax and fmin: NaN if an operand is a signalling NaN
  kNumber2019,  // maximumNumber and minimumNumber: never NaN if an operand is a number
};

// The outputs of an implementation that applies `function` to two values at a time: to the result
// so far and the next value that the operator reads. In both functions +0 is greater than -0.
// nullopt for integers and for calls without nan_mode IGNORE.
std::optional<OperatorOutputs> ByIeeeExtremum(IeeeExtremum function, const Operator& op,
                                              const Call& call);

}  // namespace cts
