// The outcome that an edition prescribes for a graph. For each output: the acceptable answers, and
// the rule that compares an implementation's result with the answers.
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

// kUnsupported means that the reference cannot determine the outcome. No case has the outcome
// kUnsupported or kUnpredictable. kSealed means that the case belongs to a blind suite, which hides
// the outcomes of its cases.
enum class Outcome { kValid, kError, kUnpredictable, kUnsupported, kSealed };
std::string_view Name(Outcome outcome);
// The inverse of Name. `name` must be a name that the schema allows.
Outcome OutcomeOf(std::string_view name);

enum class RuleKind {
  kExact,          // equal to `expected`
  kUlp,            // within `ulp` units in the last place of `expected`
  kAbsoluteBound,  // each element within its `bound` of `expected`
  kDotProduct,     // within the limits of the dot-product rule, given one `bound` per element
  kInterval,       // between `expected` (the least accepted) and `upper`
  kUnchecked,      // any values of the right type and shape; the output has no answer
};
std::string_view Name(RuleKind kind);
// The inverse of Name. `name` must be a name that the schema allows.
RuleKind RuleKindOf(std::string_view name);

// The names of the two forms of the comparing function. This function decides whether a result is
// within a bound of a reference (checker/rules/comparing_function.h). The name of a form is the id
// of the first edition that has this form.
inline constexpr std::string_view kWidenedEndsName = "tosa-0.100", kFlushedZerosName = "tosa-1.0";

// The rule by which an output is judged. The rule contains everything that depends on the edition,
// so the checker needs no edition to compare.
struct Rule {
  RuleKind kind = RuleKind::kExact;
  std::string form;    // the name of the form of the comparing function
  std::string clause;  // the place in the edition that prescribes the rule
  // Whether a result of zero must have the right sign. kExact: this applies to every zero.
  // kAbsoluteBound: this applies only to an element whose bound is 0. (A bound of 0 marks a value
  // of the operator's special-value table.) kInterval: a zero must have the sign of `expected`,
  // unless the interval contains numbers of both signs.
  bool zero_sign = false;
  // Only for kExact with zero_sign: the name of the choice by which the edition allows a result of
  // +0 instead of an expected -0. The sign of the result shows which option the implementation
  // chose. Empty if the edition leaves no choice.
  std::string zero_choice = {};
  // For integers: whether kInterval and messages read the stored bits as unsigned numbers. If true,
  // a result file may have an unsigned type (`|u1`, `<u2`).
  bool is_unsigned = false;
  // kInterval: whether the interval is an enclosure, which contains every result that a correct
  // implementation of several operators may give. If true, a result outside the interval is wrong,
  // but a result inside need not be right. An enclosure from -infinity to +infinity also accepts
  // NaN.
  bool enclosure = false;
  double ulp = 0;  // kUlp
  // For kDotProduct. The unit of the errors below is max(bound * 2^(-1-normal_frac), normal_min).
  int64_t kernel_size = 0;               // KS: the number of products in a sum
  int64_t ksb = 0;                       // the effective number of roundings
  int data_set = -1;                     // the number S of the data set; -1: other data
  double absolute_limit = 0;             // of the magnitude of each error
  std::optional<double> variance_limit;  // of the sum of squared errors
  std::optional<double> bias_limit;      // of the magnitude of the sum of errors

  friend bool operator==(const Rule&, const Rule&) = default;
};

// One acceptable answer. For kInterval, `expected` is the lower end of the interval; for every
// other rule, `expected` is the reference value. For a floating-point output, all tensors are fp64,
// and the reference value is not rounded to the type of the output.
struct Answer {
  bool flushed = false;  // whether subnormals of fp16, bf16 and fp32 are flushed to zero
  Tensor expected;
  std::optional<Tensor> bound;  // kAbsoluteBound, kDotProduct
  std::optional<Tensor> upper;  // kInterval
};

// The evidence that a result gives about flushing. If a result fits only the unflushed answer, the
// implementation keeps the subnormals of at least one type in `kept`. If a result fits only the
// flushed answer, the implementation flushes the subnormals of at least one type in `flushed`.
// Single elements are evidence, too: a zero that only flushing allows, and a subnormal, which
// flushing would replace by zero (checker/rules/shown.h).
struct FlushingEvidence {
  std::set<DType> kept;     // empty if an unflushed result shows nothing
  std::set<DType> flushed;  // empty if a flushed result shows nothing
  // Whether the edition requires an implementation to flush either all subnormals of a type or no
  // subnormal of this type. If false, an implementation may flush only some of them.
  bool all_or_none = true;
  // Whether some operator only copies elements of its operands, perhaps with another sign. If true,
  // a kept subnormal shows only that the implementation copied the subnormal, and not that it
  // computed with the subnormal.
  bool moved = false;

  friend bool operator==(const FlushingEvidence&, const FlushingEvidence&) = default;
};

struct ExpectedOutput {
  std::string name;  // an output of the main block
  DType dtype;       // the type of the implementation's result
  Shape shape;
  Rule rule;
  // One answer, or two answers (first unflushed, then flushed) if flushing changes some element.
  // All elements of a result must fit the same answer. The list is empty for kUnchecked, or if the
  // case was read without its answers.
  std::vector<Answer> answers;
  int execution = 0;  // the index of the execution that yields the output
  // nullopt if no result can show whether the implementation flushes.
  std::optional<FlushingEvidence> flushing = {};
  // In a disputed case (Case::disputed): whether this output is independent of the disputed point.
  // If true, the output is judged like the outputs of any other case.
  bool undisputed = false;
};

// The name of an output in results and reports. The output's file has this name and the suffix
// ".npy". For execution 0, the name is `output`; for execution 1, `output` followed by ".1"; and so
// on.
std::string ResultName(std::string_view output, int execution);
inline std::string ResultName(const ExpectedOutput& output) {
  return ResultName(output.name, output.execution);
}

// Returns the rule as case.json has it.
Json RuleToJson(const Rule& rule);

}  // namespace cts
