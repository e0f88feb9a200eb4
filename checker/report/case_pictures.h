// Pictures of a result, as inline SVG for a page with the style of page_parts.h.
#pragma once

#include <string>

#include "checker/judge/check.h"

namespace cts {

// Slices of an output: expected, got, and how far off; empty for less than two elements. A square
// stands for one element or, of a large tensor, for the worst of several.
std::string SlicesPicture(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

// Errors as shares of the bound, over the input of an elementwise operator, otherwise over the
// expected value. Empty where the rule has no bound.
std::string ErrorsPicture(const Case& c, const ExpectedOutput& output, const Answer& answer,
                          const Tensor& result);

// A bar for every range of errors.
std::string HistogramPicture(const UlpHistogram& ulps, DType dtype);

// The operators of the main block and the tensors between them; empty for more than forty.
std::string GraphPicture(const Graph& graph);

}  // namespace cts
