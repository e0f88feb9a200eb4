// What a domain builds: one operator with its arguments by name. Where an edition wants each of
// them (an attribute, a constant tensor, an operand, in which order, under which name and in which
// layout) is AssembleGraph's business, so that a domain is written once for all editions.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "generator/data/random.h"
#include "generator/labels.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// A type row of an operator in an edition: what a domain is asked about.
struct Setting {
  const Edition* edition;
  const Level* level;
  const OperatorSpec* spec;
  const TypeRow* row;
  // What an implementation is asked to have; null or empty: everything.
  const std::vector<std::string>* profiles = nullptr;

  // The type bound to a variable; kBool if the row has none of that name.
  DType Type(std::string_view variable) const;
  // An argument of the operator in this edition, by the name that its text has for it; null if the
  // edition has none.
  const ArgumentSpec* Find(std::string_view argument) const {
    return spec->Seen().FindArgument(argument);
  }
  bool Takes(std::string_view argument) const { return Find(argument) != nullptr; }
  bool EditionHas(Feature feature) const { return edition->Has(feature); }
  // Whether a profile or an extension may be used.
  bool Has(std::string_view profile) const;
  bool HasAll() const;
  int64_t MaxRank() const { return level->Max("MAX_RANK"); }
};

// One point of a domain: what to build.
struct Choice {
  Setting setting;
  std::string id;  // of the case
  uint64_t seed = 0;
  Labels labels;
  int attempt = 0;  // other random data than that of the attempts before

  DType Type(std::string_view variable) const { return setting.Type(variable); }
  Label operator[](std::string_view axis) const { return labels[axis]; }
  // "full-range", "special", "S0", ...
  Label data_set() const { return labels["data"]; }
  Random Stream(std::string_view tensor) const {
    return attempt == 0 ? Random(seed, id, tensor)
                        : Random(seed, StrCat(id, " attempt ", attempt), tensor);
  }
};

// A tensor operand, or the elements of a tensor list.
struct TensorArgument {
  std::vector<Tensor> tensors;
  bool list = false;
  bool constant = false;           // comes out of CONST rather than in from outside
  std::vector<std::string> known;  // instead of all that: tensors that the block has
};

struct Assembly {
  Graph graph;
  std::map<std::string, Tensor> inputs;
  std::vector<std::map<std::string, Tensor>> later_inputs;  // of further executions of the graph
  // Of a symbolic program, for every execution: the values of its symbols, and the static graph
  // that it is to become.
  std::vector<Binding> bindings;
  std::vector<Graph> resolved;
  // Extensions that the chosen enumeration values and run-time operands need, and profiles of the
  // carrier or of other operators.
  std::vector<std::string> extensions;
};

// RESHAPE reads the shape that the operator under test yields: a graph must not return one.
struct Carrier {
  Tensor input;
  Shape output_shape;
};

struct CaseDraft {
  // Scalars, enumerations and short lists are attributes here, even where an edition wants a
  // constant tensor. A zero point of an unsigned operand is the signless bit pattern.
  std::map<std::string, std::variant<TensorArgument, AttributeValue>, std::less<>> arguments;
  DType output_type = DType::kBool;
  Shape output_shape;
  // Of an operator with several outputs: type and shape of those after the first, in the edition's
  // order.
  std::vector<std::pair<DType, Shape>> more_outputs;
  std::optional<Tensor> values;  // what CONST or CONST_SHAPE yields
  bool one_value = false;        // the parameters leave one value for all elements of the result
  std::optional<Carrier> carrier;
  // Control flow, variables and graphs of several operators: the graph as the domain has built it,
  // and nothing of the above; or why there is none, a bug of the domain.
  std::optional<Assembly> whole;
  // Arguments set as numbers or lists that come in from outside where the edition has operands for
  // them, rather than out of CONST.
  std::set<std::string, std::less<>> run_time;
  // For what no draft can say: changes the graph when it is assembled.
  std::function<void(const Setting&, Assembly&)> change_graph;
  Status failure;
  const Choice* built_from = nullptr;  // for what changes the draft

  void Set(std::string argument, AttributeValue value) {
    arguments[std::move(argument)] = std::move(value);
  }
  void Input(std::string argument, Tensor tensor, bool constant = false) {
    arguments[std::move(argument)] = TensorArgument{{std::move(tensor)}, false, constant};
  }
  // An operand that the block has already: a tensor of the graph, or the operand of another
  // argument.
  void Known(std::string argument, std::string tensor) {
    arguments[std::move(argument)] = TensorArgument{{}, false, false, {std::move(tensor)}};
  }
  // The first tensor of an operand.
  Tensor& tensor(std::string_view argument) {
    return std::get<TensorArgument>(arguments.find(argument)->second).tensors.front();
  }
  std::vector<Tensor>& list(std::string_view argument) {
    return std::get<TensorArgument>(arguments.find(argument)->second).tensors;
  }
};

// The element type of an argument: a variable of the type row, or a type by name ("i8_t").
std::optional<DType> ElementType(const Setting& setting, const ArgumentSpec& argument);

// Adds the draft's operator to a block of the assembly's graph, after those of its operands that
// the block does not know: constants, and inputs of the graph. `prefix` stands before the names of
// new tensors. An argument that the edition lacks, or that the draft lacks, is an error. `block`
// has to be one of the graph's; the draft's carrier is not looked at.
Status AppendOperator(const Setting& setting, const CaseDraft& draft, const std::string& prefix,
                      Assembly& assembly, Block& block);

// The draft as a graph of the edition: constants first, then the operator, all in one block. An
// argument that the edition lacks, or that the draft lacks, is an error.
StatusOr<Assembly> AssembleGraph(const Setting& setting, const CaseDraft& draft);

// "2x3x4" and "scalar"; for labels of shapes and the like.
Shape ParseShape(std::string_view label);
inline Shape ParseShape(const Label& label) { return ParseShape(label.text()); }
// "1-0-2": numbers apart by '-', "m" before a negative one.
std::vector<int64_t> ParseNumbers(std::string_view label);
inline std::vector<int64_t> ParseNumbers(const Label& label) { return ParseNumbers(label.text()); }

}  // namespace cts
