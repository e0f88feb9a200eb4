// The treatment of operators behind one whose result is judged within bounds.
#pragma once

namespace cts {

// How evaluation goes on behind such an operator, where no rule settles the result.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // operators are enclosed (enclosure.h), and the outputs judged by the enclosures
};

}  // namespace cts
