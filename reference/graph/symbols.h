// Symbolic programs as data: graphs of fixed rank in which dimensions may be symbols, with
// operators that only symbolic programs have (schemas/editions/notes.md, Symbolic shapes).
// reference/symbolic/resolver.h defines the meaning of these operators.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/graph.h"

namespace cts {

// Whether a tensor of the graph has a symbol, or the graph has an operator that only symbolic
// programs have.
bool IsSymbolic(const Graph& graph);

// Whether only symbolic programs have the operator. These operators are every SymbolicHelper and
// RunTimeForm (below), and RESHAPE with the attribute `new_shape`.
bool IsSymbolic(const GraphOperator& op);

// Returns an error if the graph is symbolic, for callers that accept only static graphs. The error
// names the first tensor with a symbol, or the first operator that only symbolic programs have.
Status RequireStatic(const Graph& graph);

// The names of the operators that only symbolic programs have, without RESHAPE.
std::vector<std::string_view> SymbolicOperatorNames();

// The symbols of the inputs of the main block. A binding gives these symbols values.
std::set<std::string> InputSymbols(const Graph& graph);
// The symbols of all tensors of the main block.
std::set<std::string> AllSymbols(const Graph& graph);

// The binding as text: "M=7 N=6"; "no symbol" if the binding is empty.
std::string Describe(const Binding& binding);

// Returns an error if the binding names a symbol that no tensor of the program has.
Status CheckBinding(const Graph& program, const Binding& binding);

// --- The operators that only symbolic programs have.

// A RESHAPE with the attribute `new_shape` is an operator that only symbolic programs have. Every
// other RESHAPE is the operator of the edition.
inline constexpr std::string_view kReshape = "RESHAPE", kNewShape = "new_shape";

// The number of index values that an argument of a RunTimeForm takes. An index value is a tensor of
// type `shape` with one element. kRest: all remaining operands.
enum class IndexCount { kRank, kTwiceRank, kTwo, kThree, kFour, kSix, kRest };

// The operator `name`, a form of the edition's operator `base`. The form takes some arguments as
// index values at run time; `base` takes them as tensors or attributes. The index values follow the
// tensor operands, in the order of the edition's arguments.
struct RunTimeForm {
  std::string_view name, base;
  std::vector<std::pair<std::string_view, IndexCount>> arguments;
};
// Null if no form has the name `op`.
const RunTimeForm* FindRunTimeForm(std::string_view op);

// Whether the form takes the argument as index values.
bool TakesAtRunTime(const RunTimeForm& form, std::string_view argument);

enum class HelperAttribute { kNone, kInteger, kList };

inline constexpr size_t kAnyNumber = ~size_t{0};

// An operator that only symbolic programs have, except RESHAPE and the RunTimeForms: GET_DIM,
// EXPAND_DIMS, IOTA and others.
struct SymbolicHelper {
  std::string_view name;
  size_t tensors;      // the number of tensor operands
  size_t least, most;  // the least and greatest number of index values
  std::string_view attribute;
  HelperAttribute kind;
  bool yields_index;  // whether the output is an index value
};
// Null if no helper has the name `op`.
const SymbolicHelper* FindSymbolicHelper(std::string_view op);

// The list of integers that is the value of the attribute. Null if the operator does not have the
// attribute, or if the value is not a list.
const std::vector<int64_t>* IntegerList(const GraphOperator& op, std::string_view attribute);

// The symbol of a dimension; empty for a dimension without a symbol.
const std::string& SymbolOf(const GraphTensor& tensor, size_t dimension);

}  // namespace cts
