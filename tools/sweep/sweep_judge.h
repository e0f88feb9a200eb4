// The questions of a sweep, and how their answers are judged. Inputs go by number. The filter
// judges results; where it does not know, the reference and the rules of the checker do.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/rules/match.h"
#include "checker/rules/ulp_histogram.h"
#include "reference/base/contains.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/spec/edition.h"
#include "tools/sweep/sweep_curve.h"
#include "tools/sweep/sweep_filter.h"

namespace cts {

struct OperatorCall;

// So many inputs go to the plugin at a time.
inline constexpr int64_t kSweepBlock = 1 << 16;

struct SweepQuestion {
  std::string op, type;  // of the result
  std::string in_type;   // of the operands, if it is another
  std::string edition{kDefaultEdition};
  std::map<std::string, std::string> attributes;  // as `judge --attribute` reads them

  friend bool operator==(const SweepQuestion&, const SweepQuestion&) = default;
};

// All inputs of an operator. Input i of a unary operator is the one with the bits i. For a binary
// operator, the first operand has the upper bits of i, and the second the lower.
class SweepDomain {
 public:
  // Errors: an operator, type or argument that cannot be swept, and the reason.
  static StatusOr<SweepDomain> Of(const SweepQuestion& question);

  const std::string& op() const { return op_; }
  int operands() const { return static_cast<int>(names_.size()); }
  DType in_type() const { return in_type_; }
  DType type() const { return type_; }
  const Edition& edition() const { return *edition_; }
  // Operands of rank 1 are within every level. So it is the narrowest one, which every
  // implementation has.
  const std::string& level() const { return level_; }
  uint64_t size() const { return uint64_t{1} << (operands() * Info(in_type_).bits); }

  // The operator with operands of `count` elements each, all 1.
  StatusOr<OperatorCall> CallOf(int64_t count) const;

  // The bits of operand k of input i.
  uint64_t Bits(uint64_t i, int k) const {
    const int bits = Info(in_type_).bits;
    return (i >> (bits * (operands() - 1 - k))) & (~uint64_t{0} >> (64 - bits));
  }
  // "0x3f800000", "0x3c00 0x4000"
  std::string Describe(uint64_t i) const;

  bool IsOperand(const std::string& name) const { return Contains(names_, name); }

  // Whether the edition defines the result of an input at all. Other inputs are not asked: the
  // operands are 1 instead.
  bool Defined(uint64_t i) const;
  bool partial() const { return partial_; }  // whether there are others

  // Operands of these inputs; one tensor for each operand.
  std::vector<Tensor> Operands(const std::vector<uint64_t>& inputs) const;
  // The same of inputs in a row.
  std::vector<Tensor> Operands(uint64_t first, int64_t count) const;

  // Returns what the edition expects for operands.
  StatusOr<ExpectedOutput> Expect(const std::vector<Tensor>& operands) const;

 private:
  std::string op_, level_;
  const Edition* edition_ = nullptr;
  DType in_type_ = DType::kFp32, type_ = DType::kFp32;
  std::vector<std::string> names_;  // of the operands
  std::string output_;
  std::shared_ptr<const Json> arguments_;  // the others
  bool partial_ = false;
};

// One input with its result.
struct SweepElement {
  uint64_t input = 0, result = 0;  // bits
  double ulp = 0;  // as it was measured; of the filter's, known to kFilterResolution
};

// A block whose plugin ended, or refused the block, in place of results.
struct SweepFault {
  uint64_t first = 0, last = 0;                // inputs of the block
  uint64_t guilty_first = 0, guilty_last = 0;  // the fewest that still show it
  std::string kind;                            // "crash", "timeout", "refused"
  std::string message;
};

// Counts and examples, in a form that can be added up in any order.
struct SweepTotals {
  static constexpr size_t kExamples = 10;

  uint64_t inputs = 0;  // of all kinds that follow
  uint64_t accepted = 0;
  uint64_t rejected = 0;
  uint64_t undefined = 0;   // not asked
  uint64_t unanswered = 0;  // of blocks with a fault
  // Accepted and rejected inputs, by who said so.
  uint64_t by_filter = 0, by_reference = 0;
  UlpHistogram ulps;                  // of accepted and rejected
  SweepCurve curve;                   // likewise; empty before anything was judged
  std::vector<SweepElement> worst;    // the greatest errors, not 0 nor infinite
  std::vector<SweepElement> refused;  // the first that were rejected
  // The first result that only an implementation gives that keeps (flushes) subnormal numbers.
  std::optional<SweepElement> kept, flushed;
  std::vector<SweepFault> faults;  // by input

  void Add(const SweepTotals& other);
  void AddWorst(const SweepElement& element);
  void AddRefused(const SweepElement& element);
  void AddKept(const SweepElement& element);
  void AddFlushed(const SweepElement& element);
};

// Judges results of one domain; not to be shared by threads.
class SweepJudge {
 public:
  explicit SweepJudge(const SweepDomain& domain);

  // `result` holds the plugin's answers to `operands`, which Operands(first, ...) made. Elements
  // with an error of `least_worst` or less need not become candidates for `worst`.
  Status Judge(uint64_t first, const std::vector<Tensor>& operands, const Tensor& result,
               double least_worst, SweepTotals* totals);

  // Without a filter the reference judges everything.
  void DropFilter() {
    filter_.reset();
    bits_ = BitFunction::kNone;
  }

 private:
  // The function of the operator on the bits of a floating-point number that is neither subnormal
  // nor a NaN: those without the sign, or with the other.
  enum class BitFunction { kNone, kAbs, kNegate };

  // Accepts a block whose results have the bits that they must have and whose inputs are such
  // numbers; otherwise it says nothing.
  bool AcceptedByBits(const Tensor& operand, const Tensor& result, SweepTotals* totals) const;
  Status JudgeByReference(const std::vector<uint64_t>& inputs, const std::vector<Tensor>& operands,
                          const Tensor& result, double least_worst, SweepTotals* totals);
  Status JudgeByFilter(uint64_t first, const std::vector<Tensor>& operands, const Tensor& result,
                       double least_worst, SweepTotals* totals);
  // Whether an implementation that flushes subnormal numbers may give this result too; the input
  // has one.
  StatusOr<bool> FlushedAccepts(uint64_t input, uint64_t result);

  size_t Segment(uint64_t input) const { return static_cast<size_t>(input / segment_inputs_); }

  const SweepDomain& domain_;
  uint64_t segment_inputs_ = 1;  // of a segment of the curve
  std::optional<SweepFilter> filter_;
  BitFunction bits_ = BitFunction::kNone;
  std::optional<ExpectedOutput> of_zeros_;  // of +0 and -0, for unary operators
  // The last answers of FlushedAccepts, by sign.
  struct Known {
    std::optional<uint64_t> result;
    bool accepts = false;
  };
  Known known_[2];
};

}  // namespace cts
