// The outcome that an edition prescribes for a graph and, for each output, the acceptable answers
// and the rule that compares an implementation's result with them.
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
// kUnsupported or kUnpredictable. kSealed: the case is in a blind suite, which hides its outcome.
enum class Outcome { kValid, kError, kUnpredictable, kUnsupported, kSealed };
std::string_view Name(Outcome outcome);
// Inverse of Name, for a name that the schema admits.
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
// Inverse of Name, for a name that the schema admits.
RuleKind RuleKindOf(std::string_view name);

// Comparing functions decide whether a result lies within a bound of a reference
// (checker/rules/comparing_function.h). There are two; each has the name of the first edition with
// that function.
inline constexpr std::string_view kWidenedEndsName = "tosa-0.100", kFlushedZerosName = "tosa-1.0";

// The rule by which an output is judged. It contains everything that depends on the edition, so the
// checker only compares.
struct Rule {
  RuleKind kind = RuleKind::kExact;
  std::string form;    // the name of the comparing function
  std::string clause;  // the place in the edition that prescribes the rule
  // Whether the sign of zero counts. kExact: for every zero. kAbsoluteBound: only where the bound
  // is 0. (A bound of 0 marks a value of the operator's special-value table.) kInterval: a zero
  // needs the sign of `expected`, unless the interval contains numbers of both signs.
  bool zero_sign = false;
  // kExact with zero_sign: the name of the edition's choice that allows a result of +0 in place of
  // an expected -0. The sign of the result shows which option the implementation took. Empty if
  // there is no choice.
  std::string zero_choice = {};
  // For integers: whether intervals and messages read the stored bits as unsigned numbers. A result
  // file may then have an unsigned type (`|u1`, `<u2`).
  bool is_unsigned = false;
  // kInterval: whether the ends enclose every result that an implementation of several operators
  // may give. A result outside the interval is then wrong, but a result inside it need not be
  // right. The interval from -infinity to +infinity then includes NaN.
  bool enclosure = false;
  double ulp = 0;  // kUlp
  // For kDotProduct. Errors are in units of max(bound * 2^(-1-normal_frac), normal_min).
  int64_t kernel_size = 0;               // KS
  int64_t ksb = 0;                       // effective number of roundings
  int data_set = -1;                     // the number S of the data set; -1: other data
  double absolute_limit = 0;             // the limit of the magnitude of each error
  std::optional<double> variance_limit;  // the limit of the sum of squared errors
  std::optional<double> bias_limit;      // the limit of the magnitude of the sum of errors

  friend bool operator==(const Rule&, const Rule&) = default;
};

// One acceptable answer. For a floating-point output all tensors are fp64. `expected` is then the
// unrounded reference value, or with kInterval the lower end of the interval.
struct Answer {
  bool flushed = false;  // whether subnormals of fp16, bf16 and fp32 are flushed to zero
  Tensor expected;
  std::optional<Tensor> bound;  // kAbsoluteBound, kDotProduct
  std::optional<Tensor> upper;  // kInterval
};

// The evidence that a result gives about flushing. If a result fits only the unflushed answer, the
// implementation keeps the subnormals of at least one type in `kept`. If the result fits only the
// flushed answer, the implementation flushes the subnormals of at least one type in `flushed`. Two
// other kinds of results are evidence as well: a zero where only flushing allows it, and a
// subnormal, which flushing would remove (checker/rules/shown.h).
struct FlushingEvidence {
  std::set<DType> kept;     // empty if an unflushed result shows nothing
  std::set<DType> flushed;  // empty if a flushed result shows nothing
  // Whether the edition requires an implementation to flush either all subnormals of a type or
  // none. If false, it may flush some of them.
  bool all_or_none = true;
  // Whether some operator yields elements of its operands unchanged, except perhaps for their
  // signs. A kept subnormal then shows only that it was copied, not that the implementation
  // computed with it.
  bool moved = false;

  friend bool operator==(const FlushingEvidence&, const FlushingEvidence&) = default;
};

struct ExpectedOutput {
  std::string name;  // an output of the main block
  DType dtype;       // the type of the implementation's result
  Shape shape;
  Rule rule;
  // One answer, or two if flushing changes some element. All elements of a result must fit the same
  // answer. The list is empty for kUnchecked, and if the answers were not read.
  std::vector<Answer> answers;
  int execution = 0;  // the index of the execution that yields the output
  // nullopt if no result can show whether the implementation flushes.
  std::optional<FlushingEvidence> flushing = {};
  // In a disputed case: whether this output does not depend on the disputed point. It is then
  // judged like the outputs of any other case.
  bool undisputed = false;
};

// The name of an output in results and reports. The output's file has this name and ".npy". In the
// first execution, the name is the output's own name; in the second, the output's name followed by
// ".1"; and so on.
std::string ResultName(std::string_view output, int execution);
inline std::string ResultName(const ExpectedOutput& output) {
  return ResultName(output.name, output.execution);
}

// A rule as case.json has it.
Json RuleToJson(const Rule& rule);

}  // namespace cts
