// Measures how wrong an implementation may be under each rule and still pass.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// The distance that an element may have from the reference, in either direction, for one operator,
// output type and rule. The distance is counted in steps from one value of the type to the next; a
// step is one ulp unless the exponent changes.
struct BoundSlack {
  std::string op, type, rule;
  uint64_t elements = 0;  // the measured elements: a sample of the finite elements of each output
  uint64_t anything = 0;  // measured elements that may be any number
  int64_t least = 0, median = 0, greatest = 0;  // distances of the other elements
};

// MATMUL with appendix A's data sets S0 to S5, tried with accumulators of fewer and fewer bits.
struct AccumulatorSlack {
  std::string in, out;
  int64_t kernel_size = 0;  // KS: terms of a sum
  int own_bits = 0;         // bits of the significand of the output type, including the leading bit
  // The fewest bits of the significand that every data set accepts. The search begins at own_bits,
  // which is not tried itself, and goes down bit by bit while every data set accepts the result.
  int bits = 0;
  int refused_by = -1;  // the first data set that refuses `bits` - 1 bits; -1 if no set does
};

struct SlackOptions {
  Recipe recipe;  // the recipe whose cases are measured
  int jobs = 0;   // 0: one per core; the figures do not depend on it
  std::function<void(size_t done, size_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Returns an entry for each operator, floating-point output type and rule, except the rules `exact`
// and `unchecked`.
StatusOr<std::vector<BoundSlack>> MeasureBounds(const SlackOptions& options);
// Returns an entry for each floating-point type row of MATMUL and each KS; none if the edition has
// no MATMUL.
StatusOr<std::vector<AccumulatorSlack>> MeasureAccumulators(const Edition& edition);

// Two tables in Markdown.
std::string FormatSlack(const std::vector<BoundSlack>& bounds,
                        const std::vector<AccumulatorSlack>& accumulators);

}  // namespace cts
