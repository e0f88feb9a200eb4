// Legal implementations, which choose differently from `builtin:native` where the specification
// leaves a choice. A checker that rejects the results of a legal implementation raises a false
// alarm.
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
  std::string sentence;  // the implementation's behaviour, one sentence
  std::string clause;    // the clause that leaves the choice; ClauseOf replaces kPrecisionClause
  // Makes the arithmetic for one execution of an operator. Null: the arithmetic of
  // `builtin:native`.
  std::function<std::unique_ptr<ArithmeticFault>()> arithmetic = nullptr;
  bool sums_only = false;  // applies only to operators with the dot-product rule
  // Whether `arithmetic` computes this call. Null: it computes every call. `where` is not called
  // for a call that `sums_only` excludes.
  std::function<bool(const Call&)> where = nullptr;
  // The implementation's own computation of a call. It returns nullopt for calls that `arithmetic`
  // or `builtin:native` computes. Null: they compute every call.
  std::function<std::optional<OperatorOutputs>(const Operator& op, const Call& call)> compute =
      nullptr;
  // Returns the bits that the implementation stores for element `i` of a floating-point output with
  // this rule. `bits` are the computed bits. Null: the computed bits are stored.
  std::function<uint64_t(const Rule& rule, DType type, uint64_t bits, int64_t i)> stored = nullptr;
};

const std::vector<LegalImplementation>& LegalImplementations();

// The clause by which the edition leaves this choice to an implementation.
std::string ClauseOf(const LegalImplementation& legal, const Edition& edition);

// Executes the case as `builtin:native` does, except for the choice that `legal` makes.
StatusOr<std::vector<NativeResult>> ExecuteLegal(const LegalImplementation& legal, const Case& c,
                                                 const Edition& edition, const Level& level);

}  // namespace cts
