// Legal implementations: where the specification leaves a choice, they choose differently from
// `builtin:native`. A checker that refuses one of them raises a false alarm.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/bundle/case.h"
#include "reference/evaluate/native.h"
#include "reference/machine/departure.h"
#include "reference/numeric/arithmetic_faulty.h"

namespace cts {

struct LegalImplementation {
  std::string id;        // "sum_pairwise"
  std::string sentence;  // what it does, one sentence
  std::string clause;    // that leaves the choice; ClauseOf has the edition's words
  // The arithmetic by which it computes; made anew for every operator.
  std::function<std::unique_ptr<ArithmeticFault>()> arithmetic = nullptr;
  bool sums_only = false;  // only the operators of the dot-product rule
  // The calls among these that it computes differently; null: all.
  std::function<bool(const Call&)> where = nullptr;
  // A text of its own; it returns nothing for operators that it computes by `arithmetic`, or as
  // `builtin:native`.
  std::function<std::optional<OperatorOutputs>(const Operator& op, const Call& call)> compute =
      nullptr;
  // Returns the bits that it stores in place of a computed value of an output to which `rule`
  // applies.
  std::function<uint64_t(const Rule& rule, DType type, uint64_t bits, int64_t i)> stored = nullptr;
};

const std::vector<LegalImplementation>& LegalImplementations();

// The clause by which the edition leaves the choice to an implementation.
std::string ClauseOf(const LegalImplementation& legal, const Edition& edition);

// Executes `builtin:native`, except for that choice.
StatusOr<std::vector<NativeResult>> ExecuteLegal(const LegalImplementation& legal, const Case& c,
                                                 const Edition& edition, const Level& level);

}  // namespace cts
