// The accumulators that pass the dot-product rule, by the length of the sums.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/faults/accumulator_model.h"
#include "reference/spec/edition.h"

namespace cts {

// The error of an accumulator model with one data set of matrix products (MATMUL of 32 x KS by KS x
// 32), as a share of a limit of the rule. The rule has three limits; the greatest share counts. A
// result with a share above 1 is refused.
struct AccumulatorShare {
  int set = 0;             // the number S of the data set
  std::string_view limit;  // "element", "variance" or "bias"
  double share = 0;        // infinite if a NaN, an infinity or a value that must be 0 is wrong
  bool accepted = false;   // the checker's verdict, which decides even if `share` contradicts it
};

// Sums of one type row and one length.
struct AccumulatorSums {
  DType in, out;
  int64_t kernel_size = 0;  // KS
};

// Tries the model on the data sets S0 to S5, and returns the worst share; the share of a refused
// result is worse than that of an accepted one. Returns an error if MATMUL has no such type row.
StatusOr<AccumulatorShare> TryAccumulator(const Edition& edition, const AccumulatorSums& sums,
                                          const AccumulatorModel& model);

// Computes by a formula the mean squared error of long fp32 sums of products with data set S2, as a
// share of the rule's limit. Returns nullopt unless the model adds in order, truncates its sums to
// acc_t, and keeps all bits of the operands.
//
// Each sum adds small products, each below 1 / KS, to 1. Half of the sums end below 1, where the
// unit in the last place is half as large as above 1. The bound B of a sum is 1 + 1/4 on average.
// Errors are measured in units of B * 2^-24, and the mean of their squares may be at most 1.6 * KS.
// - Each product is cut to F fraction bits. The error has either sign; its mean square is 2^-2F / 3
//   while the sum is above 1, and a quarter of that while the sum is below 1. The share is
//   4^(23 - F) / 3.
// - The sum is made in KS / L steps of L terms. Each step cuts d = F - 23 excess bits, always
//   toward zero. On average it loses (1 - 2^-d) / 2 of a unit in the last place. The share is
//   KS / L^2 * ((1 - 2^-d) / 2)^2.
std::optional<double> DerivedShareOfS2(const AccumulatorModel& model, int64_t kernel_size);

// The lengths of sums (KS) that suites/ACCUMULATORS.md has.
const std::vector<int64_t>& AccumulatorLengths();

// Returns the tables of suites/ACCUMULATORS.md, in Markdown. If `jobs` is 0, there is one job per
// core.
StatusOr<std::string> FormatAccumulators(const Edition& edition, int jobs);

}  // namespace cts
