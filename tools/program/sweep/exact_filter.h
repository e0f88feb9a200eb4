// The part of a sweep's filter that knows exact operators: it finds results with exactly the
// reference's bits. It never refuses: the reference and the rules of the checker judge all other
// results.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/program/sweep/exact_compare.h"

namespace cts {

class SweepDomain;

class ExactFilter {
 public:
  // nullopt for an operator or types without such a filter, or if the reference contradicts it:
  // before it is used, the reference computes a few thousand inputs of every size.
  static std::optional<ExactFilter> For(const SweepDomain& domain);

  const ExactOperator& op() const { return op_; }

  // Writes the positions of the results that it does not accept, in order, and returns their
  // number. `count` is at most kExactBlock; results, of the inputs from `first` on, are as tensors
  // store them.
  int64_t Look(uint64_t first, const uint8_t* results, int64_t count, uint16_t* doubtful) const {
    return ExactCompare(op_, static_cast<uint32_t>(first), results, count, doubtful);
  }

 private:
  explicit ExactFilter(const ExactOperator& op) : op_(op) {}

  ExactOperator op_;
};

}  // namespace cts
