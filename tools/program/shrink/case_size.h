// The size of a case, and the complexity of its numbers.
#pragma once

#include <cstdint>
#include <string>

#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/spec/edition.h"

namespace cts {

// The size of a case. Sizes are compared by the first member that differs; a step of the search
// (search.h) never increases the size.
struct CaseSize {
  int64_t operators = 0;  // without constants
  int64_t executions = 0;
  int64_t elements = 0;    // of inputs and constants
  int64_t ranks = 0;       // the sum of the ranks of the tensors
  int64_t attributes = 0;  // complexity of the attributes and of the operands of type shape; 0, 1
                           // and false are simplest
  int64_t outputs = 0;     // elements of the outputs
  int64_t values = 0;      // complexity of inputs and constants; 0, 1 and -1 are simplest

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize SizeOf(const Case& c);

// Returns 0 for zero, 1 for one, 2 for -1 and for -0.0, and larger numbers for all other values.
// These numbers grow with the number of binary digits.
int64_t Complexity(int64_t value);
int64_t Complexity(double value);
int64_t ElementComplexity(const Tensor& tensor, int64_t i);

// Returns the position of an enumerator in its enumeration; 0 for a name that is not an enumerator.
int64_t EnumPosition(const Edition& edition, const std::string& name);

}  // namespace cts
