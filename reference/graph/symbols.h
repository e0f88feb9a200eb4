// Symbolic programs as data: graphs of fixed rank in which dimensions may be symbols, with
// operators that only symbolic programs have (schemas/editions/notes.md, Symbolic shapes).
// reference/symbolic/resolver.h defines their meaning.
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

// Whether a tensor of the graph has a symbol, or an operator of the graph is one that only symbolic
// programs have.
bool IsSymbolic(const Graph& graph);

// Whether only symbolic programs have the operator: a SymbolicHelper or a RunTimeForm (below), or
// RESHAPE with the attribute `new_shape`.
bool IsSymbolic(const GraphOperator& op);

// Refuses a symbolic graph, for callers that take static graphs only. The error names the first
// symbol or symbolic operator.
Status RequireStatic(const Graph& graph);

// The names of the operators that only symbolic programs have, without RESHAPE.
std::vector<std::string_view> SymbolicOperatorNames();

// The symbols of the inputs. A binding gives them values, from which all other dimensions follow.
std::set<std::string> InputSymbols(const Graph& graph);
// The symbols of all tensors.
std::set<std::string> AllSymbols(const Graph& graph);

// "M=7 N=6"
std::string Describe(const Binding& binding);

// An error if a binding names a symbol that the program does not have.
Status CheckBinding(const Graph& program, const Binding& binding);

// --- The operators that only symbolic programs have.

// RESHAPE belongs to symbolic programs only if it has this attribute.
inline constexpr std::string_view kReshape = "RESHAPE", kNewShape = "new_shape";

// The number of index values of an argument that is given at run time. An index value is a tensor
// of type `shape` with one element. kRest: all remaining operands.
enum class IndexCount { kRank, kTwiceRank, kTwo, kThree, kFour, kSix, kRest };

// A form of the edition's operator `base`. The form takes some arguments as index values, where
// `base` takes them as constants or attributes. The index values follow the tensor operands, in the
// order of the edition's arguments.
struct RunTimeForm {
  std::string_view name, base;
  std::vector<std::pair<std::string_view, IndexCount>> arguments;
};
// Null if no form has that name.
const RunTimeForm* FindRunTimeForm(std::string_view op);

// Whether the form takes that argument as index values.
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
// Null if no helper has that name.
const SymbolicHelper* FindSymbolicHelper(std::string_view op);

// Null if the operator does not have the attribute, or if the attribute is not a list.
const std::vector<int64_t>* IntegerList(const GraphOperator& op, std::string_view attribute);

// The symbol of a dimension; empty for a dimension without a symbol.
const std::string& SymbolOf(const GraphTensor& tensor, size_t dimension);

}  // namespace cts
