// Pictures of a result, as inline SVG for a page with the style of page_parts.h.
#pragma once

#include <string>

#include "checker/judge/check.h"

namespace cts {

// Draws slices of an output: the expected values, the result, and the errors. Returns an empty text
// for fewer than two elements. A square stands for one element or, in a large tensor, for the worst
// of several elements.
std::string SlicesPicture(const ExpectedOutput& output, const Answer& answer, const Tensor& result);

// Plots the errors as shares of the bound: against the input of an elementwise operator, otherwise
// against the expected value. Returns an empty text if the rule has no bound, or if there are fewer
// than two points to plot.
std::string ErrorsPicture(const Case& c, const ExpectedOutput& output, const Answer& answer,
                          const Tensor& result);

// Draws a bar for every range of errors that the type can have.
std::string HistogramPicture(const UlpHistogram& ulps, DType dtype);

// Draws the inputs, operators and outputs of the main block, and the tensors between them. Returns
// an empty text if there are more than forty inputs, operators and outputs in total.
std::string GraphPicture(const Graph& graph);

}  // namespace cts
