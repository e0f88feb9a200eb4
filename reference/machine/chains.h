// Evaluation of an operator that reads results of other operators, if a rule allows a range of
// values for these results.
#pragma once

namespace cts {

// The consequence if no rule determines the result of such an operator.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // the result is enclosed (enclosure.h); enclosures also judge the outputs
};

}  // namespace cts
