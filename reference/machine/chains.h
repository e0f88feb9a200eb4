// The treatment of operators whose operands are results that are judged within bounds.
#pragma once

namespace cts {

// How such an operator is evaluated if no rule determines its result.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // by enclosures (enclosure.h), which also judge the outputs
};

}  // namespace cts
