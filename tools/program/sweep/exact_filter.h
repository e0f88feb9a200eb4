// The part of a sweep's filter for exact operators. It accepts results whose bits are those of a
// right result. It never rejects a result: the reference and the rules of the checker judge all
// results that the filter does not accept.
#pragma once

#include <cstdint>
#include <optional>

#include "tools/program/sweep/exact_compare.h"

namespace cts {

class SweepDomain;

class ExactFilter {
 public:
  // nullopt for an operator or types without such a filter, or if the reference contradicts the
  // filter. Before its use, the filter is compared with the reference on a few thousand inputs,
  // among them numbers of every exponent.
  static std::optional<ExactFilter> For(const SweepDomain& domain);

  const ExactOperator& op() const { return op_; }

  // Writes to `doubtful`, in order, the positions of the results that the filter does not accept.
  // Returns the number of these positions. `results` are those of the inputs from `first` on, as a
  // tensor stores them; `count` is at most kExactBlock.
  int64_t Look(uint64_t first, const uint8_t* results, int64_t count, uint16_t* doubtful) const {
    return ExactCompare(op_, static_cast<uint32_t>(first), results, count, doubtful);
  }

 private:
  explicit ExactFilter(const ExactOperator& op) : op_(op) {}

  ExactOperator op_;
};

}  // namespace cts
