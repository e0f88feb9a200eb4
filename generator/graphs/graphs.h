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
  bool (*applies)(const Setting&);  // whether it applies to a type row; null: to all
  // Returns the domain. Its `build` sets CaseDraft::whole, with the extensions that the graph
  // needs. Its breakers are used; its limits are not.
  std::function<Domain()> domain;
};

// Returns a GraphDomain::domain for a graph without breakers.
std::function<Domain()> Plain(std::vector<Axis> (*axes)(const Setting&),
                              CaseDraft (*build)(const Choice&),
                              std::vector<Constraint> constraints = {});

const std::vector<GraphDomain>& GraphDomains();
// The graph's domain, with its axes declared. The declared axes include those of the operator's
// domain, because that domain builds a part of the graph.
Domain DomainOf(const GraphDomain& graph);

// The graphs of each family. Each family has a file of its own.
std::vector<GraphDomain> QuantizedGraphs();    // integer chains that frameworks emit
std::vector<GraphDomain> BlockGraphs();        // blocks of networks in integers
std::vector<GraphDomain> FoldedGraphs();       // patterns that compilers fold and fuse
std::vector<GraphDomain> DataflowGraphs();     // a tensor with several readers; rewrites that look
                                               // right but do not hold
std::vector<GraphDomain> RewriteGraphs();      // more rewrites that do not hold; one tensor as both
                                               // operands
std::vector<GraphDomain> ConstantGraphs();     // every operator with only constant operands
std::vector<GraphDomain> ControlFlowGraphs();  // COND_IF, WHILE_LOOP and variables
std::vector<GraphDomain> LayoutGraphs();       // operators of data layout around an arithmetic one
std::vector<GraphDomain> SplitGraphs();        // a tensor cut into a list
std::vector<GraphDomain> SecondReaderGraphs();  // a second reader of a result inside a fusion
std::vector<GraphDomain> MovedGraphs();     // moved data with equal dimensions; computed indices
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
// The operator's axes except the named ones; the data sets come last. Except for zero points and
// data sets, an axis keeps only its first `most` values, because the operator's own cases have all
// values.
std::vector<Axis> OwnAxes(const Setting& setting, const std::vector<std::string_view>& without,
                          size_t most = 2);
// Two axes: shapes of one and of four dimensions, and the data sets.
std::vector<Axis> ShapeAndData();
std::vector<Axis> PlainAxes(const Setting& setting);  // the axes of ShapeAndData alone
// The given axis, and the data set "full-range".
std::vector<Axis> AxesWith(Axis axis);
// Puts an axis before the data sets.
void AddAxis(std::vector<Axis>& axes, Axis axis);

// Whether the first operand of the type row is of an integer type (IsIntegerRow) or of i8
// (IsI8Row).
bool IsIntegerRow(const Setting& setting);
bool IsI8Row(const Setting& setting);

// Prepares values that an operator of data layout passes to the operator `reader`. Data layout may
// lose the sign of a zero, even of a zero that flushing made of a subnormal. If `reader` would show
// that sign, as 1/x does, zeros and subnormals are replaced by ones.
Tensor WithoutShownZeros(Tensor values, std::string_view reader);

// Whether the integer operators of the base profiles may be used. Some type rows do not imply this:
// rows of control flow, and rows that PRO-FP also has.
bool HasIntegers(const Setting& setting);

}  // namespace cts
