// The treatment of operators that follow a result that is judged within bounds.
#pragma once

namespace cts {

// How evaluation goes on after such a result, where no rule settles it.
enum class Chains {
  kExactOnly,  // the outcome is kUnsupported
  kEnclosed,   // operators are enclosed (enclosure.h), and the outputs judged by the enclosures
};

}  // namespace cts
