// One tensor against one answer, by the rule of its output.
#pragma once

#include <cstdint>
#include <optional>

#include "checker/rules/comparing_function.h"
#include "checker/rules/dot_product.h"
#include "checker/ulp_histogram.h"
#include "reference/bundle/case.h"

namespace cts {

// Whether an answer can be judged by at all: tensors present, of the right type and shape, bounds
// neither negative nor NaN where the rule gives those no meaning, intervals not empty.
// An error is the suite's fault, never the implementation's.
Status ValidateAnswer(const ExpectedOutput& output, const Answer& answer);

// How far one element is off, whether or not that is too far.
struct ElementError {
  // In units in the last place of the expected value, integers in ones. 0 for what is right without
  // being a number or where anything is right, infinite for what is not comparable.
  double ulp = 0;
  std::optional<double> of_bound;  // as a multiple of what the rule allows
};

// The elements of one tensor under one answer. Refers to its arguments.
class ElementJudge {
 public:
  // Type and shape of `result` are the output's; the answer is valid.
  ElementJudge(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

  bool Accepts(int64_t i) const;
  ElementError Measure(int64_t i) const;
  DotProductElement DotProduct(int64_t i) const;
  // What the comparing function is given, for the rules that have it: 0 otherwise.
  double Bound(int64_t i) const;
  // Whether the absolute bound of the element says that anything is accepted.
  bool Unlimited(int64_t i) const;

 private:
  // An integer as the rule compares it.
  int64_t Compared(const Tensor& tensor, int64_t i) const;

  const ExpectedOutput* output_;
  const Answer* answer_;
  const Tensor* result_;
  Form form_;
  std::optional<ComparingFunction> compare_;  // floating-point types
};

// One tensor under one answer: what there is to report.
struct TensorErrors {
  bool accepted = false;
  int64_t mismatches = 0;  // elements that the rule refuses
  int64_t first = -1;      // the first of them
  // The greatest of what ElementJudge::Measure says of the elements, and how often they say what.
  double worst_ulp = 0;
  std::optional<double> worst_of_bound;
  UlpHistogram ulps;
  std::optional<DotProductFigures> figures;
};

// Everything in one pass: most elements many at a time, the rest by ElementJudge, with the same
// outcome. Sums are made in the order of the elements.
TensorErrors MeasureTensor(const ExpectedOutput& output, const Answer& answer,
                           const Tensor& result);

}  // namespace cts
