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

// The result of a model with one data set of products of matrices (MATMUL of 32 x KS by KS x 32):
// the greatest of the three shares of the rule's limits. Above 1 it is refused.
struct AccumulatorShare {
  int set = 0;             // S
  std::string_view limit;  // "element", "variance" or "bias"
  double share = 0;        // infinite if an element without a limit is wrong
  bool accepted = false;   // by the checker, which decides
};

// The sums of one type row and length.
struct AccumulatorSums {
  DType in, out;
  int64_t kernel_size = 0;  // KS
};

// The worst of S0 to S5. An error if MATMUL has no such type row.
StatusOr<AccumulatorShare> TryAccumulator(const Edition& edition, const AccumulatorSums& sums,
                                          const AccumulatorModel& model);

// Derives by the rule the variance of S2 in long sums of products in fp32, as a share of its limit.
// Returns nothing for models that neither truncate nor align.
//
// A sum adds small products, each below 1 / KS, to 1. It ends as often below 1 as above; below 1
// the unit of everything is half as great. Its bound B is 1 + 1/4 on average. An error is measured
// in
// B * 2^-24, and the limit of its square is 1.6 * KS in the mean.
// - Each product keeps F fraction bits: an error of either sign, whose square is 2^-2F / 3 in the
//   mean, or a quarter of that. The share is 4^(23 - F) / 3.
// - A sum that has d = F - 23 bits too many loses (1 - 2^-d) / 2 of its last place in each step of
//   KS / L, always toward zero. The share is KS / L^2 * ((1 - 2^-d) / 2)^2.
std::optional<double> DerivedShareOfS2(const AccumulatorModel& model, int64_t kernel_size);

// The lengths of sums on the page.
const std::vector<int64_t>& AccumulatorLengths();

// The tables of suites/ACCUMULATORS.md, in Markdown. `jobs`: 0: one per core.
StatusOr<std::string> FormatAccumulators(const Edition& edition, int jobs);

}  // namespace cts
