// The size of a case, and the distance of its numbers from simple ones.
#pragma once

#include <cstdint>
#include <string>

#include "reference/base/tensor.h"
#include "reference/bundle/case.h"
#include "reference/spec/edition.h"

namespace cts {

// The size of a case. Earlier members count more; a step never increases the size.
struct CaseSize {
  int64_t operators = 0;  // but constants
  int64_t executions = 0;
  int64_t elements = 0;    // of inputs and constants
  int64_t ranks = 0;       // their sum
  int64_t attributes = 0;  // the distance of attributes and operands of type shape from 0, 1 and
                           // false
  int64_t outputs = 0;     // elements of the outputs
  int64_t values = 0;      // the distance of the elements from 0, 1 and -1

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize SizeOf(const Case& c);

// 0 for zero, 1 for one; larger for numbers with more digits.
int64_t Complexity(int64_t value);
int64_t Complexity(double value);
int64_t ElementComplexity(const Tensor& tensor, int64_t i);

// The position of an enumerator among those of the edition; 0 for names of other things.
int64_t EnumPosition(const Edition& edition, const std::string& name);

}  // namespace cts
