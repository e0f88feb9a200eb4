// One operator of a graph with its arguments by name. Editions differ in names and layouts, and in
// which arguments are attributes or constant inputs; a call hides that.
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

// The values that an operator is given for one argument: tensors (one, or a list) or an attribute.
struct Argument {
  const ArgumentSpec* spec = nullptr;
  std::vector<const GraphTensor*> tensors;
  std::vector<std::shared_ptr<const Tensor>> values;  // of inputs, once they are known; otherwise
                                                      // null
  const AttributeValue* attribute = nullptr;
  bool was_attribute = false;  // an attribute that the call shows as an operand
  // From the edition's layout to the one that the call shows; empty: they are the same.
  AxisOrder view_axes = {};

  // The inverse: takes the operator text's shape of an output or an operand to the edition's
  // layout.
  Shape Given(const Shape& shape) const { return Permute(shape, Inverse(view_axes)); }
  Tensor Given(const Tensor& tensor) const { return Permute(tensor, Inverse(view_axes)); }
  // The place of an element, from the edition's layout to the call's; `shape` is the call's.
  int64_t SeenOffset(const Shape& shape, int64_t offset) const;
};

// A requirement of the edition's argument tables that a graph does not meet.
struct ArgumentViolation {
  std::string condition;  // "graph.rank", "graph.type_row", ...
  std::string message;
};

// A variable (section Variable Operators) and its state.
struct Variable {
  DType dtype;
  Shape shape;
  std::shared_ptr<const Tensor> value;  // null: unwritten, or without one definite value
  bool written = false;
  bool declared = false;  // by a VARIABLE of the current execution
};

// The parts of the graph that an operator sees in addition to its tensors.
struct Surroundings {
  const Graph* graph = nullptr;
  const std::map<std::string, Variable>* variables = nullptr;  // by name, or by uid in decimal
  int64_t nesting = 0;  // how many control flow operators the block stands within
};

// One value that a predicate read.
struct Asked {
  enum class What { kShape, kType, kElement, kFlag, kEnum, kCount };
  std::string_view argument;
  What what;
  int64_t index = 0;  // of a list's tensor or element

  // NOLINTNEXTLINE(modernize-use-nullptr): a false alarm of clang-tidy 14 about what is generated.
  friend auto operator<=>(const Asked&, const Asked&) = default;
};

// Records the values that a predicate reads while it judges a call, and its finding.
struct Inquiry {
  std::vector<Asked> asked;     // each once
  std::string finding;          // a sentence
  std::string values;           // a text in place of all values that were read
  std::string found, expected;  // the two sides of a condition "A is not B"
  bool sees_all = false;        // it read whole operands, or the list of arguments

  bool AsksElement(std::string_view argument, int64_t index) const;
  // Whether the finding can depend on that integer of the argument.
  bool CouldSee(std::string_view argument, int64_t index) const;
};

// "[1,2]", "true", "-3", "PROPAGATE".
std::string ValueText(const AttributeValue& value);

class Call {
 public:
  // Binds the operator's operands to the edition's arguments. `values` holds the known tensors of
  // the block. violations() lists everything that does not fit the argument tables; unless fits(),
  // call no other function. Control flow and variables need the surroundings. Outputs that the
  // block does not declare are skipped; do not ask for them. Once everything fits, names, layouts,
  // shapes and values are those of OperatorSpec::view.
  Call(const Edition& edition, const OperatorSpec& spec, const Level& level, const Block& block,
       const GraphOperator& op, const std::map<std::string, std::shared_ptr<const Tensor>>& values,
       const Surroundings& surroundings = {});

  const std::vector<ArgumentViolation>& violations() const { return violations_; }

  // Whether operands and types meet the tables; a rank may still exceed the level's.
  bool fits() const { return fits_; }

  const Edition& edition() const { return *edition_; }
  const OperatorSpec& spec() const { return *spec_; }
  // The operator of the edition, under its own name.
  const OperatorSpec& given() const { return *given_; }
  const Level& level() const { return *level_; }
  const std::string& name() const { return spec_->name; }
  bool EditionHas(Feature feature) const { return edition_->Has(feature); }

  // The row of the type table; DType of one of its variables. "acc_t" may be missing.
  const TypeRow& row() const { return *row_; }
  DType Type(std::string_view variable) const { return *row_->PlainType(variable); }

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
  // Whether one tensor of the graph is both operands.
  bool IsOneTensor(std::string_view argument, std::string_view other) const;

  // Scalars and short lists, from an attribute or from a constant tensor. Integer, boolean:
  // element `i`; Length: how many there are; Number: CLAMP's bounds, zero points, integer or not.
  int64_t Integer(std::string_view argument, int64_t i = 0) const;
  int64_t Length(std::string_view argument) const;
  bool Flag(std::string_view argument) const;  // false if absent
  ExactNumber Number(std::string_view argument) const;
  std::string Enum(std::string_view argument) const;  // empty if absent

  // The value of a name in an expression; nullopt if the call has no such argument.
  std::optional<int64_t> Value(const Quantity& quantity) const;

  // Whether the values of an argument are known: those of a tensor may not be.
  bool Knows(std::string_view argument) const;
  // Whether a value that is not known was read since the last call of this function. The call gave
  // 0 for it, so a finding about it means nothing.
  bool TookUnknown() const { return std::exchange(took_unknown_, false); }

  // "pad_top", "perms[2]", or the name of an argument of one element; and its value in words.
  std::string ElementName(std::string_view argument, int64_t i) const;
  std::string ValueText(std::string_view argument, int64_t i = 0) const;

  // From now on records the values that are read and the findings of predicates; null ends that.
  void Record(Inquiry* inquiry) const { inquiry_ = inquiry; }
  // "input of shape [2,3]", "pad_left -1", "scale32 true".
  std::string Text(const Asked& asked) const;

  // For a predicate that holds. Each returns true and says in words what was found. Without them
  // the message has the condition's paraphrase and then the values that were read.
  template <class... Args>
  bool Finds(const Args&... sentence) const {  // instead of the paraphrase
    if (inquiry_ != nullptr) inquiry_->finding = StrCat(sentence...);
    return true;
  }
  template <class... Args>
  bool Sees(const Args&... values) const {  // behind the paraphrase
    if (inquiry_ != nullptr) inquiry_->values = StrCat(values...);
    return true;
  }
  template <class Found, class Expected>
  bool Differs(const Found& found, const Expected& expected) const {  // of "A is not B"
    if (inquiry_ != nullptr) {
      inquiry_->found = StrCat(found);
      inquiry_->expected = StrCat(expected);
    }
    return true;
  }

  // Control flow: the graph that an attribute names, and the depth of the operator.
  const Block& Subgraph(std::string_view argument) const;
  int64_t nesting() const { return surroundings_.nesting; }

  // Variables: the operator's name or uid of a variable, and that variable; null before it is
  // declared.
  std::string VariableName() const;
  const Variable* FindVariable() const;
  // VARIABLE's type, and its initial value, null if absent.
  DType VariableType() const;
  const GraphTensor* InitialValue() const;

 private:
  // The values that an attribute may have, in words: "PROPAGATE or IGNORE".
  std::string Wanted(const ArgumentSpec& spec) const;
  void Ask(std::string_view argument, Asked::What what, int64_t index = 0) const;
  // The values of an operand; null if they are not known.
  const Tensor* Take(const Argument& argument) const;
  DType EnumeratedType(std::string_view argument) const;
  const Argument* Find(std::string_view argument) const;
  // By the names of the operator's text, before and after ShowView.
  const Argument* FindSeen(std::string_view argument) const;
  bool SeenFlag(std::string_view argument) const;         // false if absent
  std::string SeenEnum(std::string_view argument) const;  // empty if absent
  // The rows that differ from the call in the fewest types and attributes, in words.
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
  mutable Inquiry* inquiry_ = nullptr;
  mutable bool took_unknown_ = false;
  std::vector<Argument> arguments_;
  std::vector<std::shared_ptr<const GraphTensor>> viewed_;  // tensors in another layout
  std::vector<ArgumentViolation> violations_;
  bool fits_ = true;
};

}  // namespace cts
