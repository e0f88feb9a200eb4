// Faults: deliberately wrong implementations of one operator each. They measure how much a suite
// catches, and name the fault of an implementation.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "reference/evaluate/native.h"
#include "reference/faults/call_editor.h"
#include "reference/machine/departure.h"
#include "reference/ops/operator.h"

namespace cts {

enum class FaultSource {
  kReported,    // a real implementation had it: Fault::report
  kHardware,    // a shortcut of a machine or a compiler
  kSystematic,  // made from the operator's arguments and conditions
  kState,       // state of one execution that an implementation uses in the next
  kShape,       // made from the relations between parameters and shapes, and from sizes
};
std::string_view Name(
    FaultSource source);  // "reported", "hardware", "systematic", "state", "shape"

// The result of a wrong implementation for a legal call; nullopt if it is right.
using Wrong = std::function<std::optional<OperatorOutputs>(const Operator& op, const Call& call)>;

// Makes a wrong implementation that remembers calls; anew for every case.
using WrongWithMemory = std::function<Wrong()>;

// Makes another graph, which is executed in place of the right one.
using GraphRewrite = std::function<void(Graph&)>;

// A condition that is not seen.
struct MissedCondition {
  std::string condition;
};

// The legal calls that are refused.
using WrongRefusal = std::function<bool(const Call&)>;

// A condition that is checked as if an integer of an argument were greater by `by`.
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
  std::string report = {};  // of a real implementation: "llvm/llvm-project#170622"
  // The type rows in which the answer differs from the right one; null: all of them.
  std::function<bool(const TypeRow&)> touches = nullptr;
  // Whether an edition's operator can show the fault in a row. Operators of some editions cannot,
  // if the fault needs an argument or another layout. Null: it can.
  std::function<bool(const OperatorSpec&, const TypeRow&)> shows = nullptr;
  // The extension that legal calls need to show the fault, in editions with an extension of that
  // name.
  std::string needs = {};
  // The calls that it touches: all others have the right answer. Null: any. Reads only shapes,
  // attributes and constants.
  std::function<bool(const Call&)> where = nullptr;
  int64_t rung = 0;  // of the ladder of sizes: the least size that shows it; 0: none
  int64_t sums = 0;  // the least length of sums that shows it; 0: any

  std::variant<Wrong, WrongWithMemory, GraphRewrite, MissedCondition, WrongRefusal, ShiftedBound>
      does = {};

  // What it does, if that is of this kind; otherwise null.
  template <class Kind>
  const Kind* As() const {
    return std::get_if<Kind>(&does);
  }
  // The condition that it does not see; empty if it does something else.
  std::string_view Missed() const {
    const auto* const missed = As<MissedCondition>();
    return missed == nullptr ? std::string_view() : missed->condition;
  }
  bool Touches(const TypeRow& row) const { return touches == nullptr || touches(row); }
  // Whether the fault refuses or accepts wrongly, and does not compute wrongly. Types then do not
  // matter.
  bool IsOfConditions() const {
    return As<MissedCondition>() != nullptr || As<WrongRefusal>() != nullptr ||
           As<ShiftedBound>() != nullptr;
  }
};
using Faults = std::vector<Fault>;

// Every fault of an edition, operator by operator in the order of operators.def. For each operator
// the faults written down come first, then those made from its arguments and conditions. The ids
// are unique.
const Faults& FaultsOf(const Edition& edition);
// Finds a fault by its id; an error names the nearest ids.
StatusOr<const Fault*> FindFault(const Edition& edition, std::string_view id);

// Executes `builtin:native` with one fault. Outcomes are those of a real implementation: kError if
// it refuses; kUnpredictable also if it accepts a graph that it should refuse.
StatusOr<std::vector<NativeResult>> ExecuteFaulty(const Fault& fault, const Graph& graph,
                                                  const InputSequence& inputs,
                                                  const Edition& edition, const Level& level);

// --- What faults are made of --------------------------------------------------------------------

// The operator's text as `builtin:native` computes it, with an arithmetic of the fault's own.
OperatorOutputs ComputeWith(const Operator& op, const Call& call, ArithmeticFault& fault);
// The right results, as fast as `builtin:native` computes them.
OperatorOutputs ComputeRight(const Operator& op, const Call& call);
// The same for a call that an editor made: elements outside of an operand read as zero.
OperatorOutputs ComputeEdited(const Operator& op, const Call& call);

// Computes the text in the arithmetic F, which is made anew for every call from the arguments given
// here.
template <class F, class... Args>
Wrong InArithmetic(Args... args) {
  return [args...](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    F fault(args...);
    return ComputeWith(op, call, fault);
  };
}

// Computes the text of another call. `edit` changes the call and says whether it did.
Wrong ByCall(std::function<bool(CallEditor&)> edit);

// Spoils the right results.
Wrong ByResult(std::function<void(const Call&, OperatorOutputs&)> spoil);

// Spoils the right results element by element: `spoil` changes element `i` of output `out`.
Wrong ByElement(std::function<void(const Call&, Tensor& out, int64_t i)> spoil);

// Marks the faults with one of these names (ids without the operator) as those of a real
// implementation.
void MarkReported(Faults& faults, const std::vector<std::string>& names, const std::string& report);

// Sets Fault::shows of the faults with one of these names.
void MarkShown(Faults& faults, const std::vector<std::string>& names,
               const std::function<bool(const OperatorSpec&, const TypeRow&)>& shows);

// Sets Fault::needs of the faults with one of these names.
void MarkNeeds(Faults& faults, const std::vector<std::string>& names, const std::string& extension);

// For Fault::shows: whether the edition has layouts of its own, which invite their own mistakes.
bool HasOwnLayout(const OperatorSpec& spec, const TypeRow& row);

// Rows by the types of their operands and results.
bool HasFloat(const TypeRow& row);
bool HasInteger(const TypeRow& row);  // i4 to i64, no bool
bool HasType(const TypeRow& row, DType type);
// For Fault::touches: rows in which the variable is bound to one of the types.
std::function<bool(const TypeRow&)> Rows(std::string variable, std::vector<DType> types);
std::function<bool(const TypeRow&)> FloatRows();
std::function<bool(const TypeRow&)> IntegerRows();

// The faults that are written down for an operator, in reference/faults/<stem>.cc. Each operator
// has a namespace of its own.
#define CTS_OPERATOR(NAME, Function, stem) \
  namespace stem##_faults {                \
    Faults Function##Faults();             \
  }
#include "reference/spec/operators.def"
#undef CTS_OPERATOR

}  // namespace cts
