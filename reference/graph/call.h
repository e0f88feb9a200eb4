// One operator of a graph with its arguments by name. Editions differ in names and layouts, and in
// whether an argument is an attribute or a constant input. A call hides these differences.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/number.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The value of one argument of an operator: tensors (one, or a list) or an attribute.
struct Argument {
  const ArgumentSpec* spec = nullptr;
  std::vector<const GraphTensor*> tensors;
  std::vector<std::shared_ptr<const Tensor>> values;  // of inputs; null if not known
  const AttributeValue* attribute = nullptr;
  bool was_attribute = false;  // an attribute that the call presents as an operand
  // Permutes the edition's layout to the layout of the call; empty if they are the same.
  AxisOrder view_axes = {};

  // The inverse of view_axes: converts a shape or tensor from the call's layout to the edition's.
  Shape Given(const Shape& shape) const { return Permute(shape, Inverse(view_axes)); }
  Tensor Given(const Tensor& tensor) const { return Permute(tensor, Inverse(view_axes)); }
  // Converts the offset of an element from the edition's layout to the call's. `shape` is in the
  // call's layout.
  int64_t SeenOffset(const Shape& shape, int64_t offset) const;
};

// A requirement of the edition's argument tables that an operator does not meet.
struct ArgumentViolation {
  std::string condition;  // "graph.rank", "graph.type_row", ...
  std::string message;
};

// The declaration and the state of a variable (section Variable Operators).
struct Variable {
  DType dtype;
  Shape shape;
  std::shared_ptr<const Tensor> value;  // null if unwritten or without one definite value
  bool written = false;
  bool declared = false;  // by a VARIABLE of the current execution
};

// The parts of the graph that some operators need in addition to their tensors.
struct Surroundings {
  const Graph* graph = nullptr;
  const std::map<std::string, Variable>* variables = nullptr;  // by name, or by uid in decimal
  int64_t nesting = 0;  // the number of control flow operators around the block
};

// One value of a call that a predicate (the check of a condition) has read.
struct Asked {
  enum class What { kShape, kType, kElement, kFlag, kEnum, kCount };
  std::string_view argument;
  What what;
  int64_t index = 0;  // of a tensor or element in a list

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14 about generated code.
  friend auto operator<=>(const Asked&, const Asked&) = default;
};

// Records the values that a predicate reads while it checks a condition.
struct Inquiry {
  std::vector<Asked> asked;  // without duplicates
  bool sees_all = false;     // the predicate read whole operands, or all arguments

  bool AsksElement(std::string_view argument, int64_t index) const;
  // Whether the result of the predicate can depend on that element of an integer argument.
  bool CouldSee(std::string_view argument, int64_t index) const;
};

// "[1,2]", "true", "-3", "PROPAGATE".
std::string ValueText(const AttributeValue& value);

class Call {
 public:
  // Binds the operator's operands to the edition's arguments. `values` holds the known tensors of
  // the block. violations() lists what does not fit the argument tables. Most checks are skipped
  // once fits() is false, and no function that needs the arguments may then be called. Control flow
  // and variable operators need the surroundings. An output that the block does not declare is
  // skipped, and must not be accessed. If everything fits, names, layouts, shapes and values are
  // those of OperatorSpec::view.
  Call(const Edition& edition, const OperatorSpec& spec, const Level& level, const Block& block,
       const GraphOperator& op, const std::map<std::string, std::shared_ptr<const Tensor>>& values,
       const Surroundings& surroundings = {});

  const std::vector<ArgumentViolation>& violations() const { return violations_; }

  // Whether the operands and their types fit the tables. A rank may still exceed the limit of the
  // level.
  bool fits() const { return fits_; }

  const Edition& edition() const { return *edition_; }
  const OperatorSpec& spec() const { return *spec_; }
  // The operator as the edition defines it, before OperatorSpec::view is applied.
  const OperatorSpec& given() const { return *given_; }
  const Level& level() const { return *level_; }
  const std::string& name() const { return spec_->name; }
  bool EditionHas(Feature feature) const { return edition_->Has(feature); }

  // row() is the matching row of the type table. Type() is the type that this row binds to a
  // variable. The row must bind the variable; some rows do not bind "acc_t".
  const TypeRow& row() const { return *row_; }
  DType Type(std::string_view variable) const { return row_->BoundType(given_->name, variable); }

  // Tensor arguments: inputs and outputs.
  bool Has(std::string_view argument) const;
  int Count(std::string_view argument) const;
  const Shape& shape(std::string_view argument, int k = 0) const;
  DType dtype(std::string_view argument, int k = 0) const;
  const std::shared_ptr<const Tensor>& values(std::string_view argument, int k = 0) const;
  const std::vector<Argument>& arguments() const {
    if (inquiry_ != nullptr) inquiry_->sees_all = true;
    return arguments_;
  }
  // Whether both operands are the same tensor of the graph.
  bool IsOneTensor(std::string_view argument, std::string_view other) const;

  // Scalars and short lists, from an attribute or from a constant tensor. Integer returns element
  // `i`, which may be a boolean. Length returns the number of elements. Number returns a scalar, an
  // integer or a floating-point number, such as a bound of CLAMP or a zero point.
  int64_t Integer(std::string_view argument, int64_t i = 0) const;
  int64_t Length(std::string_view argument) const;
  bool Flag(std::string_view argument) const;  // false if absent
  ExactNumber Number(std::string_view argument) const;
  std::string Enum(std::string_view argument) const;  // empty if absent

  // The value of a quantity in an expression; nullopt if the call does not have the quantity.
  std::optional<int64_t> Value(const Quantity& quantity) const;

  // Whether the values of an argument are known. The values of a tensor may be unknown.
  bool Knows(std::string_view argument) const;
  // Whether an unknown value was read since the last call of this function. The unknown value was
  // read as 0, so a condition that used it was not really checked.
  bool TookUnknown() const { return std::exchange(took_unknown_, false); }

  // The name of an element: "pad_top", "perms[2]", or the argument's name if it has only one
  // element. ValueText is the element's value as text.
  std::string ElementName(std::string_view argument, int64_t i) const;
  std::string ValueText(std::string_view argument, int64_t i = 0) const;

  // Returns a copy of the call. The copy records in `inquiry` each value that is read from it.
  Call RecordingIn(Inquiry* inquiry) const;
  // "input of shape [2,3]", "pad_left -1", "scale32 true".
  std::string Text(const Asked& asked) const;

  // Control flow: Subgraph is the graph that an attribute names. nesting() is the number of control
  // flow operators around this operator.
  const Block& Subgraph(std::string_view argument) const;
  int64_t nesting() const { return surroundings_.nesting; }

  // Variables: VariableName is the name or uid of the operator's variable. FindVariable is the
  // variable itself, or null before the variable is declared.
  std::string VariableName() const;
  const Variable* FindVariable() const;
  // The type of a VARIABLE, and its initial value, which is null if absent.
  DType VariableType() const;
  const GraphTensor* InitialValue() const;

 private:
  // The values that an attribute may have, as text: "PROPAGATE or IGNORE".
  std::string Wanted(const ArgumentSpec& spec) const;
  void Ask(std::string_view argument, Asked::What what, int64_t index = 0) const;
  // The values of an operand; null if they are not known.
  const Tensor* Take(const Argument& argument) const;
  DType EnumeratedType(std::string_view argument) const;
  const Argument* Find(std::string_view argument) const;
  // Finds an argument by its name in OperatorSpec::view, before or after ShowView.
  const Argument* FindSeen(std::string_view argument) const;
  bool SeenFlag(std::string_view argument) const;         // false if absent
  std::string SeenEnum(std::string_view argument) const;  // empty if absent
  // The rows that differ from the call in the fewest types and attributes, as text.
  std::string NearestRows(const std::map<std::string, DType>& bound) const;
  const Argument& Get(std::string_view argument) const;
  void Bind(const Block& block, const GraphOperator& op,
            const std::map<std::string, std::shared_ptr<const Tensor>>& values);
  // Whether an attribute has the kind of value that its argument needs; `type` is without "_t".
  bool FitsAttribute(const ArgumentSpec& spec, const std::string& type,
                     const AttributeValue& value) const;
  void FindTypeRow();
  void CheckRanksOfLevel();
  void CheckNumbers();
  void CheckRanksAndShapes();
  void ShowView();
  template <class... Args>
  void Violate(std::string condition, const Args&... message) {
    if (condition != "graph.level_rank") fits_ = false;
    violations_.push_back({std::move(condition), StrCat(message...)});
  }

  const Edition* edition_;
  const OperatorSpec* spec_;
  const OperatorSpec* given_;
  const Level* level_;
  const Block* block_;
  Surroundings surroundings_;
  const TypeRow* row_ = nullptr;
  Inquiry* inquiry_ = nullptr;  // of a copy that records
  mutable bool took_unknown_ = false;
  std::vector<Argument> arguments_;
  std::vector<std::shared_ptr<const GraphTensor>> viewed_;  // tensors converted to the call's
                                                            // layout
  std::vector<ArgumentViolation> violations_;
  bool fits_ = true;
};

}  // namespace cts
