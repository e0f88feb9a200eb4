// The room that the rules leave: how wrong an implementation may be and still pass.
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

// For an operator's outputs of one type under one rule: how far an element may lie from the
// reference, on the farther side. The distance is in values of the type between the two; that is in
// ulps, except where the exponent changes.
struct BoundSlack {
  std::string op, type, rule;
  uint64_t elements = 0;  // the measured elements: finite, and up to a limit for each output
  uint64_t anything = 0;  // measured elements that may be any number
  int64_t least = 0, median = 0, greatest = 0;  // of the others
};

// MATMUL with appendix A's sets S0 to S5, in accumulators of fewer and fewer bits.
struct AccumulatorSlack {
  std::string in, out;
  int64_t kernel_size = 0;  // KS: terms of a sum
  int own_bits = 0;         // of the accumulator's significand, including the leading bit
  int bits = 0;             // the least number that every set accepts, with all numbers above it
  int refused_by = -1;      // the set that refuses one bit less; -1: no set
};

struct SlackOptions {
  Recipe recipe;  // on whose cases they are measured
  int jobs = 0;   // 0: one per core; the figures do not depend on it
  std::function<void(size_t done, size_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// By operator, type and rule.
StatusOr<std::vector<BoundSlack>> MeasureBounds(const SlackOptions& options);
// By type row and KS.
StatusOr<std::vector<AccumulatorSlack>> MeasureAccumulators(const Edition& edition);

// Two tables in Markdown.
std::string FormatSlack(const std::vector<BoundSlack>& bounds,
                        const std::vector<AccumulatorSlack>& accumulators);

}  // namespace cts
