// The rule `dot_product`: it limits the error of each element, and the bias and the variance of the
// errors of a whole tensor.
//
// tosa-1.0 and tosa-0.100, section Dot product accuracy requirements (1.0:
// tosa_reference_check_dotproduct). The form and the limits in Rule depend on the edition.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "checker/rules/comparing_function.h"
#include "reference/answer/answer.h"

namespace cts {

struct DotProductElement {
  bool accepted = false;
  bool limited = false;  // whether there is an accuracy limit at all
  double error = 0;  // result - reference, in units of max(bound * 2^(-1-normal_frac), normal_min)
};

// Judges one element. `bound` is the result of the bound run, which computes the dot product of
// magnitudes. It is never negative, but it may be infinite or NaN.
DotProductElement JudgeDotProductElement(const Rule& rule, Form form, DType dtype, double result,
                                         double reference, double bound);

// The figures of a tensor. The rule limits `worst_error` and both sums.
struct DotProductFigures {
  int64_t elements = 0;
  int64_t unlimited = 0;   // elements without an accuracy limit
  double worst_error = 0;  // the greatest magnitude of an error
  double error_sum = 0;  // the sum of the errors, in fp64 and in the order of the elements, as the
                         // specification adds
  double squared_error_sum = 0;  // the sum of their squares, added in the same way

  // The error of a rejected element counts only in `worst_error`. Such an element makes the tensor
  // fail by itself. In the sums, an infinite error would hide the errors of the other elements.
  void Add(const DotProductElement& element) {
    ++elements;
    if (!element.limited) ++unlimited;
    worst_error = std::max(worst_error, std::fabs(element.error));
    if (!element.accepted) return;
    error_sum += element.error;
    squared_error_sum += element.error * element.error;
  }

  bool BiasAccepted(const Rule& rule) const;
  bool VarianceAccepted(const Rule& rule) const;
};

}  // namespace cts
