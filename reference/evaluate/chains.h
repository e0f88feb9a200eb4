// What becomes of operators behind one whose result is judged within bounds.
#pragma once

namespace cts {

// What follows an operator whose result is judged within bounds, where no rule settles it.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // operators are enclosed (enclosure.h), and the outputs judged by the enclosures
};

}  // namespace cts
