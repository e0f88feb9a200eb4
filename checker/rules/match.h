// Compares one tensor with one answer, by the rule of its output.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/rules/comparing_function.h"
#include "checker/rules/dot_product.h"
#include "checker/rules/ulp_histogram.h"
#include "reference/answer/answer.h"

namespace cts {

// Checks that results can be judged by an answer. The rule must fit the type. The answer's tensors
// must be present, with the right type and shape. No bound may be negative. A bound may be NaN only
// if the rule gives NaN a meaning. No interval may be empty. An exact answer must be a value of the
// type. An error means that the suite is broken. It is never the implementation's fault.
Status ValidateAnswer(const ExpectedOutput& output, const Answer& answer);

// The distance of one element from the expected value, whether or not the rule accepts the element.
struct ElementError {
  // The distance in units in the last place of the expected value, or of the nearer end of an
  // interval. For integers it is the plain difference. If the difference is infinite or NaN, or if
  // the absolute bound is infinite, `ulp` is 0 for an accepted element and infinite for a refused
  // element.
  double ulp = 0;
  std::optional<double> of_bound;  // the distance as a multiple of the bound that the rule allows;
                                   // nullopt if the rule has no bound
};

// Judges the elements of one tensor under one answer. Keeps pointers to the constructor's
// arguments, which must outlive the object.
class ElementJudge {
 public:
  // `result` must have the output's type and shape, and the answer must be valid.
  ElementJudge(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

  bool Accepts(int64_t i) const;
  ElementError Measure(int64_t i) const;
  DotProductElement DotProduct(int64_t i) const;
  // The bound of element i. Under the rule ulp, it is the allowed number of ulp times the size of
  // one ulp at the expected value. Under absolute_bound and dot_product, it is the element of the
  // answer's `bound`. Under all other rules, it is 0.
  double Bound(int64_t i) const;
  // Whether the rule is absolute_bound and the bound of the element is infinite.
  bool Unlimited(int64_t i) const;

 private:
  // Element i as the number that the rule compares; for integer types.
  int64_t Compared(const Tensor& tensor, int64_t i) const;

  const ExpectedOutput* output_;
  const Answer* answer_;
  const Tensor* result_;
  Form form_;
  std::optional<ComparingFunction> compare_;  // set for floating-point types
};

// The errors of one tensor under one answer.
struct TensorErrors {
  bool accepted = false;
  int64_t mismatches = 0;  // elements that the rule refuses
  int64_t first = -1;      // the offset of the first mismatch; -1 if there is no mismatch
  // The greatest ElementError::ulp of all elements, their greatest ElementError::of_bound, and the
  // histogram of ElementError::ulp.
  double worst_ulp = 0;
  std::optional<double> worst_of_bound;
  UlpHistogram ulps;
  std::optional<DotProductFigures> figures;
};

// Computes all members of TensorErrors in one pass. A fast path takes the elements that are clearly
// right, in blocks (for floating point: clear_elements.h); ElementJudge measures all other
// elements. The result is the same as by ElementJudge alone. Sums are added in the order of the
// elements.
TensorErrors MeasureTensor(const ExpectedOutput& output, const Answer& answer,
                           const Tensor& result);

}  // namespace cts
