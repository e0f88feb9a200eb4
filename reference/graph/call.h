// A call is one operator of a graph with its arguments by name. Editions use different names and
// layouts of arguments. An argument may be an attribute in one edition and a constant input in
// another. A call hides these differences.
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

// The value of one argument of an operator: one tensor, a list of tensors, or an attribute.
struct Argument {
  const ArgumentSpec* spec = nullptr;
  std::vector<const GraphTensor*> tensors;
  std::vector<std::shared_ptr<const Tensor>> values;  // the inputs' values; null if unknown
  const AttributeValue* attribute = nullptr;
  bool was_attribute = false;  // whether the call presents an attribute as an operand
  // The order of axes that permutes the edition's layout to the call's layout; empty if the two
  // layouts are the same.
  AxisOrder view_axes = {};

  // Converts a shape or a tensor from the call's layout to the edition's layout.
  Shape Given(const Shape& shape) const { return Permute(shape, Inverse(view_axes)); }
  Tensor Given(const Tensor& tensor) const { return Permute(tensor, Inverse(view_axes)); }
  // Converts the offset of an element from the edition's layout to the call's layout. `shape` is
  // the shape in the call's layout.
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
  std::shared_ptr<const Tensor> value;  // null if not written, or not one definite value
  bool written = false;
  bool declared = false;  // whether a VARIABLE of the current execution declared it
};

// The parts of the graph that some operators need in addition to their tensors.
struct Surroundings {
  const Graph* graph = nullptr;
  const std::map<std::string, Variable>* variables = nullptr;  // by name or decimal uid
  int64_t nesting = 0;  // the number of control flow operators that contain the block
};

// One value of a call. A predicate (the code that checks a condition) has read this value.
struct Asked {
  enum class What { kShape, kType, kElement, kFlag, kEnum, kCount };
  std::string_view argument;
  What what;
  int64_t index = 0;  // of the tensor in its list, or of the element

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14 about generated code.
  friend auto operator<=>(const Asked&, const Asked&) = default;
};

// Records the values that a predicate reads while it checks a condition.
struct Inquiry {
  std::vector<Asked> asked;  // without duplicates
  bool sees_all = false;     // the predicate read whole operands, or all arguments

  bool AsksElement(std::string_view argument, int64_t index) const;
  // Whether the result of the predicate can depend on element `index` of an integer argument.
  bool CouldSee(std::string_view argument, int64_t index) const;
};

// The value as text: "[1,2]", "true", "-3", "PROPAGATE".
std::string ValueText(const AttributeValue& value);

class Call {
 public:
  // Binds the operator's operands to the edition's arguments. `values` contains the known tensors
  // of the block. violations() lists the requirements of the argument tables that the operator does
  // not meet. As soon as fits() is false, most checks are skipped; functions that read arguments
  // must then not be called. Control flow and variable operators need `surroundings`. An output
  // that the block does not declare is skipped, and must not be accessed. If fits() is true and
  // OperatorSpec::view is set, the names, layouts, shapes and values of the call are those of the
  // view.
  Call(const Edition& edition, const OperatorSpec& spec, const Level& level, const Block& block,
       const GraphOperator& op, const std::map<std::string, std::shared_ptr<const Tensor>>& values,
       const Surroundings& surroundings = {});

  const std::vector<ArgumentViolation>& violations() const { return violations_; }

  // Whether operands, types and attributes fit the argument tables. If true, a rank may still
  // exceed the limit of the level.
  bool fits() const { return fits_; }

  const Edition& edition() const { return *edition_; }
  const OperatorSpec& spec() const { return *spec_; }
  // The operator as the edition defines it, before OperatorSpec::view is applied.
  const OperatorSpec& given() const { return *given_; }
  const Level& level() const { return *level_; }
  const std::string& name() const { return spec_->name; }
  bool EditionHas(Feature feature) const { return edition_->Has(feature); }

  // row() is the row of the type table that matches the call. Type() is the type that this row
  // gives to a type variable, such as "in_t". The row must have the variable; some rows do not have
  // "acc_t".
  const TypeRow& row() const { return *row_; }
  DType Type(std::string_view variable) const { return row_->BoundType(given_->name, variable); }

  // Arguments that are tensors: inputs and outputs. `k` is the position of a tensor in a list.
  bool Has(std::string_view argument) const;
  int Count(std::string_view argument) const;
  const Shape& shape(std::string_view argument, int k = 0) const;
  DType dtype(std::string_view argument, int k = 0) const;
  const std::shared_ptr<const Tensor>& values(std::string_view argument, int k = 0) const;
  const std::vector<Argument>& arguments() const {
    if (inquiry_ != nullptr) inquiry_->sees_all = true;
    return arguments_;
  }
  // Whether the arguments `argument` and `other` are the same tensor of the graph.
  bool IsOneTensor(std::string_view argument, std::string_view other) const;

  // Arguments that are scalars or short lists, from an attribute or from a constant tensor. Integer
  // returns element `i`; a boolean is 0 or 1. Length returns the number of elements. Number returns
  // a scalar that may be an integer or a floating-point number, such as a bound of CLAMP or a zero
  // point.
  int64_t Integer(std::string_view argument, int64_t i = 0) const;
  int64_t Length(std::string_view argument) const;
  bool Flag(std::string_view argument) const;  // false if absent
  ExactNumber Number(std::string_view argument) const;
  std::string Enum(std::string_view argument) const;  // empty if absent

  // The value of a quantity in an expression, such as a rank or a dimension; nullopt if the call
  // does not have the quantity.
  std::optional<int64_t> Value(const Quantity& quantity) const;

  // Whether the values of an argument are known. The values of an attribute are always known; those
  // of a tensor may be unknown.
  bool Knows(std::string_view argument) const;
  // Whether an unknown value was read since the last call of TookUnknown. An unknown value is read
  // as 0, so the check of a condition that used this value means nothing.
  bool TookUnknown() const { return std::exchange(took_unknown_, false); }

  // ElementName is the name of element `i`: "pad_top", "perms[2]", or the argument's name if the
  // argument has only one element. ValueText is the value of the element as text.
  std::string ElementName(std::string_view argument, int64_t i) const;
  std::string ValueText(std::string_view argument, int64_t i = 0) const;

  // Returns a copy of the call. The copy records in `inquiry` each value that is read from the
  // copy.
  Call RecordingIn(Inquiry* inquiry) const;
  // Describes a value that was read: "input of shape [2,3]", "pad_left -1", "scale32 true".
  std::string Text(const Asked& asked) const;

  // For control flow: Subgraph is the graph that the attribute `argument` names. nesting() is the
  // number of control flow operators that contain this operator.
  const Block& Subgraph(std::string_view argument) const;
  int64_t nesting() const { return surroundings_.nesting; }

  // For variable operators: VariableName is the name of the operator's variable, or its uid in
  // decimal. FindVariable is the variable itself, or null if the variable has not been declared.
  std::string VariableName() const;
  const Variable* FindVariable() const;
  // For the operator VARIABLE: its type, and its initial value, or null if there is no initial
  // value.
  DType VariableType() const;
  const GraphTensor* InitialValue() const;

 private:
  // Describes the values that an attribute may have: "PROPAGATE or IGNORE".
  std::string Wanted(const ArgumentSpec& spec) const;
  void Ask(std::string_view argument, Asked::What what, int64_t index = 0) const;
  // The values of an operand; null if they are not known.
  const Tensor* Take(const Argument& argument) const;
  DType EnumeratedType(std::string_view argument) const;
  const Argument* Find(std::string_view argument) const;
  // Finds an argument by its name in OperatorSpec::view. May be called before or after ShowView.
  const Argument* FindSeen(std::string_view argument) const;
  bool SeenFlag(std::string_view argument) const;         // false if absent
  std::string SeenEnum(std::string_view argument) const;  // empty if absent
  // Describes the rows of the type table that differ from the call in the fewest types and
  // attributes.
  std::string NearestRows(const std::map<std::string, DType>& bound) const;
  const Argument& Get(std::string_view argument) const;
  void Bind(const Block& block, const GraphOperator& op,
            const std::map<std::string, std::shared_ptr<const Tensor>>& values);
  // Whether `value` is of the kind that the attribute `spec` needs. `type` is the attribute's type
  // without "_t".
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
  Inquiry* inquiry_ = nullptr;  // set only in the copy that RecordingIn returns
  mutable bool took_unknown_ = false;
  std::vector<Argument> arguments_;
  std::vector<std::shared_ptr<const GraphTensor>> viewed_;  // tensors converted to the call's
                                                            // layout
  std::vector<ArgumentViolation> violations_;
  bool fits_ = true;
};

}  // namespace cts
