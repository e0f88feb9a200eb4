// Faults: deliberately wrong implementations of one operator each. They measure the share of
// mistakes that a suite catches, and help to name an implementation's mistake.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/faults/call_editor.h"
#include "reference/machine/departure.h"
#include "reference/ops/operator.h"

namespace cts {

enum class FaultSource {
  kReported,    // found in a real implementation: Fault::report
  kHardware,    // a shortcut of a machine or a compiler
  kSystematic,  // made from the operator's arguments and conditions
  kState,       // an implementation keeps state from one execution and uses it in the next
  kShape,       // made from the relations between parameters and shapes, and from sizes
};
std::string_view Name(
    FaultSource source);  // "reported", "hardware", "systematic", "state", "shape"

// Returns the outputs of a wrong implementation for a legal call; nullopt if the implementation
// computes this call correctly.
using Wrong = std::function<std::optional<OperatorOutputs>(const Operator& op, const Call& call)>;

// Makes a wrong implementation that remembers earlier calls. Every case gets a new implementation.
using WrongWithMemory = std::function<Wrong()>;

// Changes the graph before it is executed.
using GraphRewrite = std::function<void(Graph&)>;

// A condition that the implementation does not check.
struct MissedCondition {
  std::string condition;
};

// Whether the implementation refuses a legal call.
using WrongRefusal = std::function<bool(const Call&)>;

// A condition that is checked as if integer `index` of an argument were greater by `by`.
struct ShiftedBound {
  std::string condition, argument;
  int64_t index = 0, by = 0;
};

struct Fault {
  std::string id;  // "rescale.single_round_for_double"
  std::string op;  // "RESCALE"
  FaultSource source = FaultSource::kHardware;
  std::string sentence;     // the implementation's behaviour, one sentence
  std::string clause;       // the section that it violates
  std::string report = {};  // a real implementation's report: "llvm/llvm-project#170622"
  // Whether the answer can be wrong in a type row. Null: the answer can be wrong in every row.
  std::function<bool(const TypeRow&)> touches = nullptr;
  // Whether a case of an edition's operator can show the fault in a type row. An operator without
  // an argument or a layout that the fault needs cannot show it. Null: the operator can show the
  // fault in every edition.
  std::function<bool(const OperatorSpec&, const TypeRow&)> shows = nullptr;
  // The extension without which no legal call shows the fault. Ignored in editions without an
  // extension of that name. Empty: no extension is needed.
  std::string needs = {};
  // Whether the fault may change the answer to a call. The function reads only shapes, attributes
  // and constants. Null: the fault may change any answer.
  std::function<bool(const Call&)> where = nullptr;
  int64_t rung = 0;  // for a fault of SizeFaults: the least size that shows it
  int64_t sums = 0;  // the least length of sums that shows the fault; 0: any length

  std::variant<Wrong, WrongWithMemory, GraphRewrite, MissedCondition, WrongRefusal, ShiftedBound>
      does = {};

  // A pointer to the value of `does` if this value is a Kind; otherwise null.
  template <class Kind>
  const Kind* As() const {
    return std::get_if<Kind>(&does);
  }
  // The condition that the implementation does not check; empty for a fault of another kind.
  std::string_view Missed() const {
    const auto* const missed = As<MissedCondition>();
    return missed == nullptr ? std::string_view() : missed->condition;
  }
  bool Touches(const TypeRow& row) const { return touches == nullptr || touches(row); }
  // Whether the implementation wrongly accepts or refuses calls, but does not compute wrongly. The
  // types of the calls do not matter for such a fault.
  bool IsOfConditions() const {
    return As<MissedCondition>() != nullptr || As<WrongRefusal>() != nullptr ||
           As<ShiftedBound>() != nullptr;
  }
};
using Faults = std::vector<Fault>;

// --- Parts of faults ----------------------------------------------------------------------------

// Runs the operator's code (its text) as `builtin:native` does, but in the arithmetic `fault`.
OperatorOutputs ComputeWith(const Operator& op, const Call& call, ArithmeticFault& fault);
// The right results, as fast as `builtin:native` computes them.
OperatorOutputs ComputeRight(const Operator& op, const Call& call);
// Like ComputeRight, for a call that a CallEditor made. Elements outside of an operand are read as
// zero.
OperatorOutputs ComputeEdited(const Operator& op, const Call& call);

// Makes an implementation that computes the operator's text in the arithmetic F. Every call gets a
// new F, made from `args`.
template <class F, class... Args>
Wrong InArithmetic(Args... args) {
  return [args...](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    F fault(args...);
    return ComputeWith(op, call, fault);
  };
}

// Makes an implementation that computes the operator's text for a changed call. `edit` changes the
// call, and returns false if it changed nothing.
Wrong ByCall(std::function<bool(CallEditor&)> edit);

// Makes an implementation that computes the right results and then changes them with `spoil`.
Wrong ByResult(std::function<void(const Call&, OperatorOutputs&)> spoil);

// Like ByResult, but element by element: `spoil` changes element `i` of output `out`.
Wrong ByElement(std::function<void(const Call&, Tensor& out, int64_t i)> spoil);

// Marks the faults with one of these names (ids without the operator) as faults of a real
// implementation.
void MarkReported(Faults& faults, const std::vector<std::string>& names, const std::string& report);

// Sets Fault::shows of the faults with one of these names.
void MarkShown(Faults& faults, const std::vector<std::string>& names,
               const std::function<bool(const OperatorSpec&, const TypeRow&)>& shows);

// Sets Fault::needs of the faults with one of these names.
void MarkNeeds(Faults& faults, const std::vector<std::string>& names, const std::string& extension);

// For Fault::shows: whether the edition's form of the operator differs from the text's form, for
// example in layouts. Such a difference invites mistakes.
bool HasOwnLayout(const OperatorSpec& spec, const TypeRow& row);

// Whether at least one of a row's types is floating-point (HasFloat), an integer (HasInteger) or
// `type` (HasType).
bool HasFloat(const TypeRow& row);
bool HasInteger(const TypeRow& row);  // i4 to i64, no bool
bool HasType(const TypeRow& row, DType type);
// Whether the row's results have a floating-point type with infinities and at most 16 bits.
bool HasNarrowResult(const TypeRow& row);
// For Fault::touches: whether the row binds the variable to one of the types.
std::function<bool(const TypeRow&)> Rows(std::string variable, std::vector<DType> types);
std::function<bool(const TypeRow&)> FloatRows();
std::function<bool(const TypeRow&)> IntegerRows();

// The hand-written faults of each operator, from reference/faults/<stem>.cc. Each operator has a
// namespace of its own.
#define CTS_OPERATOR(NAME, Function, stem) \
  namespace stem##_faults {                \
    Faults Function##Faults();             \
  }
#include "reference/spec/operators.def"
#undef CTS_OPERATOR

}  // namespace cts
