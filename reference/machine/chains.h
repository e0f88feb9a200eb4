// How to evaluate an operator whose operands are results of other operators for which a rule allows
// a range of values.
#pragma once

namespace cts {

// What happens if no rule determines the result of such an operator.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // the result is enclosed (enclosure.h); enclosures also judge the outputs
};

}  // namespace cts
