// A draft of a case, which a domain builds: one operator with its arguments by name. AssembleGraph
// turns the draft into a graph. Only AssembleGraph knows the form of each argument in an edition:
// whether it is an attribute, a constant tensor or an operand, and its position, name and layout.
// So each domain is written once for all editions.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/data/data_sets.h"
#include "generator/data/random.h"
#include "generator/draft/axis.h"
#include "generator/draft/labels.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// A type row of an operator in an edition. The functions of a domain take a Setting.
struct Setting {
  const Edition* edition;
  const Level* level;
  const OperatorSpec* spec;
  const TypeRow* row;
  // The profiles and extensions that cases may use; null or empty: all.
  const std::vector<std::string>* profiles = nullptr;

  // The type that the row binds to a variable. The row must bind the variable to a type without
  // block scales.
  DType Type(std::string_view variable) const;
  // The type of the first of these variables that the row binds. The row must bind at least one of
  // them.
  DType FirstBound(std::initializer_list<std::string_view> variables) const;
  // An argument of the operator in this edition, by its name in OperatorSpec::Seen; null if the
  // edition has no such argument.
  const ArgumentSpec* Find(std::string_view argument) const {
    return spec->Seen().FindArgument(argument);
  }
  // The operator's name in OperatorSpec::Seen, which the project uses for all editions; the edition
  // may use another name.
  const std::string& Text() const { return spec->Seen().name; }
  bool Takes(std::string_view argument) const { return Find(argument) != nullptr; }
  bool EditionHas(Feature feature) const { return edition->Has(feature); }
  // Whether a profile or an extension may be used.
  bool Has(std::string_view profile) const;
  bool HasAll() const;
  int64_t MaxRank() const { return level->Max("MAX_RANK"); }
};

inline constexpr ListedAxis<DataSet, 48> kDataAxis{"data",
                                                   "",
                                                   {{"", DataSet::kNone},
                                                    {"nan-last", DataSet::kNanLast},
                                                    {"target-range", DataSet::kTargetRange},
                                                    {"magnitudes", DataSet::kMagnitudes},
                                                    {"negative", DataSet::kNegative},
                                                    {"nan", DataSet::kNan},
                                                    {"full-range", DataSet::kFullRange},
                                                    {"special", DataSet::kSpecial},
                                                    {"crossed", DataSet::kCrossed},
                                                    {"limits", DataSet::kLimits},
                                                    {"exhaustive8", DataSet::kExhaustive8},
                                                    {"exhaustive16", DataSet::kExhaustive16},
                                                    {"unit", DataSet::kUnit},
                                                    {"finite", DataSet::kFinite},
                                                    {"bounded", DataSet::kBounded},
                                                    {"near", DataSet::kNear},
                                                    {"windows", DataSet::kWindows},
                                                    {"lines", DataSet::kLines},
                                                    {"late", DataSet::kLate},
                                                    {"nan-first", DataSet::kNanFirst},
                                                    {"ends", DataSet::kEnds},
                                                    {"signalling", DataSet::kSignalling},
                                                    {"non-finite", DataSet::kNonFinite},
                                                    {"accumulator", DataSet::kAccumulator},
                                                    {"extremes", DataSet::kExtremes},
                                                    {"plateau", DataSet::kPlateau},
                                                    {"large", DataSet::kLarge},
                                                    {"every-index", DataSet::kEveryIndex},
                                                    {"overflow", DataSet::kOverflow},
                                                    {"underflow", DataSet::kUnderflow},
                                                    {"ties", DataSet::kTies},
                                                    {"bias", DataSet::kBias},
                                                    {"channels", DataSet::kChannels},
                                                    {"multiples", DataSet::kMultiples},
                                                    {"S0", DataSet::kS0},
                                                    {"S1", DataSet::kS1},
                                                    {"S2", DataSet::kS2},
                                                    {"S3", DataSet::kS3},
                                                    {"S4", DataSet::kS4},
                                                    {"S5", DataSet::kS5}}};

// One point of a domain: everything that determines a case to build.
struct Choice {
  Setting setting;
  std::string id;  // the id of the case
  uint64_t seed = 0;
  Labels labels;
  int attempt = 0;  // the number of the attempt; each attempt has different random data

  DType Type(std::string_view variable) const { return setting.Type(variable); }
  Label operator[](std::string_view axis) const { return labels[axis]; }
  template <class TypedAxis>
  auto operator[](const TypedAxis& axis) const -> decltype(axis.Meaning({})) {
    return labels[axis];
  }
  // The data set: "full-range", "special", "S0", ...
  DataSet data_set() const { return labels[kDataAxis]; }
  Random Stream(std::string_view tensor) const {
    return attempt == 0 ? Random(seed, id, tensor)
                        : Random(seed, StrCat(id, " attempt ", attempt), tensor);
  }
};

// A tensor operand, or the elements of a tensor list.
struct TensorArgument {
  std::vector<Tensor> tensors;
  bool list = false;
  bool constant = false;  // whether the operand comes from CONST, and not from outside
  // If not empty: the operand is these tensors of the block, and the members above are not used.
  std::vector<std::string> known;
  // If not empty: the name, in OperatorSpec::Seen, of another argument. The first tensor of this
  // other argument is also this operand, and the members above are not used. `same_as` may also
  // name this list itself: then the list's first tensor occurs once more, before the tensors of the
  // list.
  std::string same_as;
};

struct Assembly {
  Graph graph;
  std::map<std::string, Tensor> inputs;
  std::vector<std::map<std::string, Tensor>> later_inputs;  // the inputs of further executions
  // For a symbolic program, one entry for each execution: the values of the symbols, and the static
  // graph that the program becomes with these values.
  std::vector<Binding> bindings;
  std::vector<Graph> resolved;
  // Extensions that the chosen enumeration values and run-time operands need, and profiles that
  // other operators of the graph need, for example the RESHAPE of a Carrier.
  std::vector<std::string> extensions;
};

// A graph must not return a shape. If the operator under test yields a shape, a RESHAPE (the
// carrier) reads this shape, and its result shows the shape. `input` is the tensor that the RESHAPE
// reshapes.
struct Carrier {
  Tensor input;
  Shape output_shape;
};

struct CaseDraft {
  // Scalars, enumerations and short lists are attributes in this map, even if an edition requires a
  // constant tensor. The zero point of an unsigned operand is stored as its signless bit pattern.
  std::map<std::string, std::variant<TensorArgument, AttributeValue>, std::less<>> arguments;
  DType output_type = DType::kBool;
  Shape output_shape;
  // For an operator with several outputs: type and shape of each output after the first, in the
  // edition's order.
  std::vector<std::pair<DType, Shape>> more_outputs;
  std::optional<Tensor> values;  // the values that CONST or CONST_SHAPE yields
  bool one_value = false;        // the parameters allow only one value for all elements of the
                                 // result
  std::optional<Carrier> carrier;
  // For control flow, variables and graphs of several operators: the graph that the domain has
  // built. If `whole` is set, the members above are not used. If the domain could not build the
  // graph, `failure` has the reason, which is a bug of the domain.
  std::optional<Assembly> whole;
  // Names of arguments that the draft sets as numbers or lists. If such an argument is an operand
  // in the edition, its values come from outside of the graph, not from CONST.
  std::set<std::string, std::less<>> run_time;
  // Changes the graph when it is assembled, for cases that no draft can describe.
  std::function<void(const Setting&, Assembly&)> change_graph;
  Status failure;
  // The choice from which the draft was built, for code that changes the draft.
  const Choice* built_from = nullptr;

  // Returns `whole`. Ends the program if `whole` is not set.
  Assembly& Whole();

  void Set(std::string argument, AttributeValue value) {
    arguments[std::move(argument)] = std::move(value);
  }
  void Input(std::string argument, Tensor tensor, bool constant = false) {
    arguments[std::move(argument)] = TensorArgument{{std::move(tensor)}, false, constant};
  }
  // Sets an operand to a tensor that the block already has.
  void Known(std::string argument, std::string tensor) {
    arguments[std::move(argument)] = TensorArgument{{}, false, false, {std::move(tensor)}};
  }
  // Makes the operand of the argument `other` the operand of `argument`, too.
  void Same(std::string argument, std::string other) {
    arguments[std::move(argument)] = TensorArgument{{}, false, false, {}, std::move(other)};
  }
  // The first tensor of an operand, which the draft must have.
  Tensor& tensor(std::string_view argument) {
    return std::get<TensorArgument>(arguments.find(argument)->second).tensors.front();
  }
  std::vector<Tensor>& list(std::string_view argument) {
    return std::get<TensorArgument>(arguments.find(argument)->second).tensors;
  }
};

// The element type of an argument. The argument table gives it as a variable, which the type row
// binds, or as the name of a type ("i8_t"). nullopt if the table's word is neither of these.
std::optional<DType> TypeOfElements(const Setting& setting, const ArgumentSpec& argument);

// Adds the draft's operator to a block of the assembly's graph. Operands that the block does not
// have yet are added before the operator, as constants or as inputs of the graph. The names of new
// tensors begin with `prefix`. `block` must be a block of the graph. The draft's carrier is
// ignored. It is an error if the draft has an argument that the edition lacks, or if the draft
// lacks a required argument.
Status AppendOperator(const Setting& setting, const CaseDraft& draft, const std::string& prefix,
                      Assembly& assembly, Block& block);

// Returns the draft as a graph of the edition: CaseDraft::whole if it is set, otherwise one block
// with constants, the operator and the carrier's RESHAPE. Errors are CaseDraft::failure and those
// of AppendOperator.
StatusOr<Assembly> AssembleGraph(const Setting& setting, const CaseDraft& draft);

// Parses a label of a shape or a list of sizes: "2x3x4" or "scalar".
Shape ParseShape(std::string_view label);
inline Shape ParseShape(const Label& label) { return ParseShape(label.text()); }
// Parses numbers separated by '-', such as "1-0-2"; "m" stands for a minus sign.
std::vector<int64_t> ParseNumbers(std::string_view label);
// The first of these numbers.
inline int64_t ParseNumber(std::string_view label) { return ParseNumbers(label)[0]; }
inline std::vector<int64_t> ParseNumbers(const Label& label) { return ParseNumbers(label.text()); }

}  // namespace cts
