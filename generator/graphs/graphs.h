// Graphs of several operators: those that frameworks emit, and those that compilers fold and fuse.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

struct GraphDomain {
  // "conv2d-rescale-clamp"; the ids of its cases begin with "graphs/" and this name.
  std::string_view name;
  // The operator for whose type rows the graph is made. The cases of the graph name this operator.
  std::string_view op;
  // Whether the graph is made for a type row; null: for all type rows.
  bool (*applies)(const Setting&);
  // Returns the domain. Domain::build sets CaseDraft::whole, with the extensions that the graph
  // needs. Domain::breakers is used, but Domain::limits is not.
  std::function<Domain()> domain;
};

// Returns a GraphDomain::domain for a graph without breakers.
std::function<Domain()> Plain(std::vector<Axis> (*axes)(const Setting&),
                              CaseDraft (*build)(const Choice&),
                              std::vector<Constraint> constraints = {});

const std::vector<GraphDomain>& GraphDomains();
// Returns the graph's domain, with its axes declared (DeclareAxes). The declared axes include those
// of the operator's domain, because that domain builds a part of the graph.
Domain DomainOf(const GraphDomain& graph);

// The graphs of each family. Each family has a file of its own.
std::vector<GraphDomain> QuantizedGraphs();  // chains of integer operators that frameworks emit
std::vector<GraphDomain> BlockGraphs();      // blocks of networks in integers
std::vector<GraphDomain> FoldedGraphs();     // patterns that compilers fold and fuse
// A tensor that several operators read; rewrites that look right but change the result.
std::vector<GraphDomain> DataflowGraphs();
// More rewrites that change the result; one tensor as both operands.
std::vector<GraphDomain> RewriteGraphs();
std::vector<GraphDomain> ConstantGraphs();     // every operator with only constant operands
std::vector<GraphDomain> ControlFlowGraphs();  // COND_IF, WHILE_LOOP and variables
// Operators of data layout around an arithmetic operator.
std::vector<GraphDomain> LayoutGraphs();
std::vector<GraphDomain> SplitGraphs();  // a tensor that is split into a list of tensors
// Fusions with an inner result that a second operator reads.
std::vector<GraphDomain> SecondReaderGraphs();
// Moved data with several equal dimensions; computed indices.
std::vector<GraphDomain> MovedGraphs();
std::vector<GraphDomain> MergedGraphs();    // similar operators that must not be merged
std::vector<GraphDomain> HandedOnGraphs();  // control flow that passes tensors on; variables

// --- Parts that the families share.

// Operators for which several families have graphs.
inline constexpr std::string_view kConv2d = "CONV2D", kDepthwise = "DEPTHWISE_CONV2D";

// Axes that several families have.
inline constexpr ParsedAxis<int64_t> kTimesAxis{"times", "n", ParseNumber};
inline constexpr ParsedAxis<int64_t> kExecutionsAxis{"executions", "n", ParseNumber};
inline constexpr ParsedAxis<int64_t> kAxisAxis{"axis", "", ParseNumber};
// Whether the condition is true.
inline constexpr ListedAxis<bool> kTakenAxis{"taken", "", {{"then", true}, {"else", false}}};
inline constexpr ParsedAxis<Shape> kConditionAxis{"condition", "c", ParseShape};
inline constexpr ParsedAxis<DType> kTypeAxis{
    "type", "", [](std::string_view label) { return *ParseDType(label); }};

// The domain of the operator's own cases, whose graphs have no other operators.
const Domain& OwnDomain(std::string_view op);
// Returns the operator's axes except those in `without`. The axis of data sets comes last. Except
// for zero points and data sets, an axis keeps only its first `most` values, because the operator's
// own cases have all values.
std::vector<Axis> OwnAxes(const Setting& setting, const std::vector<std::string_view>& without,
                          size_t most = 2);
// Two axes: shapes of one and of four dimensions, and the data sets.
std::vector<Axis> ShapeAndData();
std::vector<Axis> PlainAxes(const Setting& setting);  // the same axes as ShapeAndData
// Returns the given axis, followed by the data set "full-range".
std::vector<Axis> AxesWith(Axis axis);
// Inserts an axis before the axis of data sets, which stays the last axis.
void AddAxis(std::vector<Axis>& axes, Axis axis);

// Whether the first operand of the type row is of an integer type (IsIntegerRow) or of i8
// (IsI8Row).
bool IsIntegerRow(const Setting& setting);
bool IsI8Row(const Setting& setting);

// Prepares values that an operator of data layout passes to the operator `reader`. Data layout may
// lose the sign of a zero, even of a zero that flushing made of a subnormal. If the result of
// `reader` depends on this sign, as that of 1/x does, zeros and subnormals are replaced by ones.
Tensor WithoutShownZeros(Tensor values, std::string_view reader);

// Whether the integer operators of the base profiles may be used. Some type rows do not imply this:
// rows of control flow, and rows that PRO-FP also contains.
bool HasIntegers(const Setting& setting);

}  // namespace cts
