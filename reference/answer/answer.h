// The answer that an edition prescribes, as data: the outcome of a graph, and for each output the
// acceptable answers and the rule that judges a result by them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/json_fwd.h"
#include "reference/base/shape.h"
#include "reference/base/tensor.h"

namespace cts {

// kUnsupported means that the reference cannot say. No case has that outcome or kUnpredictable.
// kSealed: the case is in a blind suite, which hides its outcome.
enum class Outcome { kValid, kError, kUnpredictable, kUnsupported, kSealed };
std::string_view Name(Outcome outcome);
// Inverse of Name, for a name that the schema admits.
Outcome OutcomeOf(std::string_view name);

enum class RuleKind {
  kExact,          // equal to `expected`
  kUlp,            // within `ulp` units in the last place of `expected`
  kAbsoluteBound,  // within `bound`, element by element, of `expected`
  kDotProduct,     // within the limits of the dot-product rule, with `bound` per element
  kInterval,       // between `expected` (the least accepted) and `upper`
  kUnchecked,      // anything of the right type and shape: there is no answer
};
std::string_view Name(RuleKind kind);
// Inverse of Name, for a name that the schema admits.
RuleKind RuleKindOf(std::string_view name);

// The names of the comparing functions (checker/rules/comparing_function.h), each after the edition
// that first had it.
inline constexpr std::string_view kWidenedEndsName = "tosa-0.100", kFlushedZerosName = "tosa-1.0";

// The rule by which an output is judged. Everything that depends on the edition is worked out here:
// the checker only compares.
struct Rule {
  RuleKind kind = RuleKind::kExact;
  std::string form;    // the name of its comparing function
  std::string clause;  // the place in the edition that says so
  // kExact: whether -0 and +0 differ. kAbsoluteBound: the same where the bound is 0, which marks a
  // value of the operator's special-value table.
  bool zero_sign = false;
  // kExact with zero_sign: the edition's named choice by which a +0 may stand for an expected -0;
  // the sign of the result shows which option was taken. Empty: no choice.
  std::string zero_choice = {};
  // For integers: the stored bits count as unsigned numbers, in intervals and in messages, and a
  // result may be stored as unsigned (`|u1`, `<u2`).
  bool is_unsigned = false;
  // kInterval: the ends enclose what an implementation of several operators may give. A result
  // outside is wrong, a result inside is not refuted. The interval between the infinities includes
  // NaN.
  bool enclosure = false;
  double ulp = 0;  // kUlp
  // kDotProduct, with errors in units of max(bound * 2^(-1-normal_frac), normal_min):
  int64_t kernel_size = 0;               // KS
  int64_t ksb = 0;                       // effective number of roundings
  int data_set = -1;                     // S, or -1
  double absolute_limit = 0;             // of one error
  std::optional<double> variance_limit;  // of the sum of squared errors
  std::optional<double> bias_limit;      // of the magnitude of the sum of errors

  friend bool operator==(const Rule&, const Rule&) = default;
};

// One acceptable answer. A float answer is fp64: the unrounded reference value.
struct Answer {
  bool flushed = false;  // with subnormals of fp16, bf16 and fp32 flushed to zero
  Tensor expected;
  std::optional<Tensor> bound;  // kAbsoluteBound, kDotProduct
  std::optional<Tensor> upper;  // kInterval
};

// The evidence of flushing that an output gives. A result that fits only one of two answers shows
// that the implementation keeps, or flushes, the subnormals of at least one of the types named.
// Two further results are evidence: a zero where only flushing allows it, and a subnormal, which
// flushing would remove (checker/rules/shown.h).
struct FlushingEvidence {
  std::set<DType> kept;     // by a result that is not flushed; empty: it shows nothing
  std::set<DType> flushed;  // by a flushed result
  // Whether the edition demands that all values of a type are flushed, or none of them. Otherwise
  // it allows a mixture.
  bool all_or_none = true;
  // Whether some operator's result is one of its operands, except perhaps for the sign. A subnormal
  // that is kept then shows only that it was moved, not that it was computed with.
  bool moved = false;

  friend bool operator==(const FlushingEvidence&, const FlushingEvidence&) = default;
};

struct ExpectedOutput {
  std::string name;  // an output of the main block
  DType dtype;       // what the implementation returns
  Shape shape;
  Rule rule;
  // One, or two where flushing changes something: the result must be acceptable under one of them
  // as a whole. Empty if nothing is checked.
  std::vector<Answer> answers;
  int execution = 0;  // of the case's executions
  // nullopt if no result would show anything.
  std::optional<FlushingEvidence> flushing = {};
  // The point of a disputed case does not reach this output, which is judged like any other.
  bool undisputed = false;
};

// The name of an output in results and reports, and with ".npy" the name of its file. It is the
// output's name in the first execution, with ".1" behind it in the second and so on.
std::string ResultName(std::string_view output, int execution);
inline std::string ResultName(const ExpectedOutput& output) {
  return ResultName(output.name, output.execution);
}

// A rule as it stands in case.json.
Json RuleToJson(const Rule& rule);

}  // namespace cts
