// Says how an operator is evaluated if it reads results of other operators, and the rules of these
// results allow a range of values.
#pragma once

namespace cts {

// The consequence if the rules do not determine the operands of an operator exactly.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // the result is an enclosure (enclosure/enclosure.h); if the result is an output of
               // the graph, the enclosure judges it
};

}  // namespace cts
