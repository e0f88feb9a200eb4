// The question of a sweep, and its numbered inputs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checker/rules/match.h"
#include "reference/base/contains.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/spec/edition.h"

namespace cts {

struct OperatorCall;

// The number of inputs of one call of the plugin.
inline constexpr int64_t kSweepBlock = 1 << 16;

struct SweepQuestion {
  std::string op, type;  // `type`: of the result
  // The operands' type. Empty: the only type that the operator takes for this result; if it takes
  // several types, the type of the result.
  std::string in_type;
  std::string edition{kDefaultEdition};
  std::map<std::string, std::string> attributes;  // in the form of `judge --attribute`

  friend bool operator==(const SweepQuestion&, const SweepQuestion&) = default;
};

// All inputs of an operator. Input i of a unary operator is the number with the bits i. For a
// binary operator, the first operand has the upper half of the bits of i, and the second operand
// the lower half.
class SweepDomain {
 public:
  // Errors: an operator, type or argument that cannot be swept; the message has the reason.
  static StatusOr<SweepDomain> Of(const SweepQuestion& question);

  const std::string& op() const { return op_; }
  int operands() const { return static_cast<int>(names_.size()); }
  DType in_type() const { return in_type_; }
  DType type() const { return type_; }
  const Edition& edition() const { return *edition_; }
  // The narrowest level, which every implementation has. It suffices, because operands of rank 1
  // are within every level.
  const std::string& level() const { return level_; }
  uint64_t size() const { return uint64_t{1} << (operands() * Info(in_type_).bits); }

  // A call of the operator whose operands have `count` elements each, all 1.
  StatusOr<OperatorCall> CallOf(int64_t count) const;

  // The bits of operand k of input i.
  uint64_t Bits(uint64_t i, int k) const {
    const int bits = Info(in_type_).bits;
    return (i >> (bits * (operands() - 1 - k))) & (~uint64_t{0} >> (64 - bits));
  }
  // "0x3f800000", "0x3c00 0x4000"
  std::string Describe(uint64_t i) const;

  bool IsOperand(const std::string& name) const { return Contains(names_, name); }

  // Whether the edition defines the result of an input. The sweep replaces the operands of
  // undefined inputs by 1.
  bool Defined(uint64_t i) const;
  // Whether the edition's clauses disagree about an input: kSignallingNanPoint.
  bool Disputed(uint64_t i) const;
  bool partial() const { return holes_ != Holes::kNone; }  // whether some inputs are not defined
  // Returns false only if all of these consecutive inputs are defined. To be fast, the function may
  // return true even if all of them are defined.
  bool MayLeaveOpen(uint64_t first, int64_t count) const;

  // The operands of these inputs: one tensor for each operand.
  std::vector<Tensor> Operands(const std::vector<uint64_t>& inputs) const;
  // The same for consecutive inputs.
  std::vector<Tensor> Operands(uint64_t first, int64_t count) const;

  // Returns the output that the edition expects for these operands.
  StatusOr<ExpectedOutput> Expect(const std::vector<Tensor>& operands) const;

  // Writes operand k of consecutive inputs, as a tensor stores it, to `bytes`, which must be
  // aligned for the type.
  void Write(uint64_t first, int64_t count, int k, uint8_t* bytes) const;
  // Does the same, but with 1 in place of the operands of undefined inputs.
  void WriteAsked(uint64_t first, int64_t count, int k, uint8_t* bytes) const;

 private:
  // Kinds of inputs whose result is not defined, because they break a condition of kind `require`.
  enum class Holes {
    kNone,
    kPow,    // POW: negative bases, 0 to a power of 0 or less, operands that are not finite
    kNan,    // CAST of NaN to an integer
    kLeast,  // ABS and NEGATE of the least i32
    kShift   // shifts by less than 0, or by shifts_ or more
  };
  void FindHoles(const OperatorSpec& spec);

  std::string op_, level_;
  const Edition* edition_ = nullptr;
  DType in_type_ = DType::kFp32, type_ = DType::kFp32;
  std::vector<std::string> names_;  // of the operands
  std::string output_;
  std::shared_ptr<const Json> arguments_;  // the other arguments
  bool ignores_nan_ = false;
  Holes holes_ = Holes::kNone;
  uint64_t shifts_ = 0;  // the number of defined shift amounts
};

}  // namespace cts
