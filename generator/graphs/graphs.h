// Graphs of several operators: those that frameworks emit, and those that compilers fold and fuse.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

struct GraphDomain {
  std::string_view name;  // "conv2d-rescale-clamp"; with "graphs/" before it the prefix of ids
  std::string_view op;    // the operator for whose type rows it is made; its cases name this
                          // operator
  bool (*applies)(const Setting&);  // whether it applies to a type row; null: to all
  // Builds CaseDraft::whole, which names the extensions that it needs. Breakers are used; limits
  // are not.
  std::function<Domain()> domain;
};

// GraphDomain::domain for a graph without breakers.
std::function<Domain()> Plain(std::vector<Axis> (*axes)(const Setting&),
                              CaseDraft (*build)(const Choice&),
                              std::vector<Constraint> constraints = {});

const std::vector<GraphDomain>& GraphDomains();
// The graph's domain, with its axes declared. The operator's axes are among them, since it builds a
// part of the graph.
Domain DomainOf(const GraphDomain& graph);

// By family, each in a file of its own.
std::vector<GraphDomain> QuantizedGraphs();     // integer chains that frameworks emit
std::vector<GraphDomain> BlockGraphs();         // blocks of networks in integers
std::vector<GraphDomain> FoldedGraphs();        // what compilers fold and fuse
std::vector<GraphDomain> DataflowGraphs();      // several readers, and rewrites that do not hold
std::vector<GraphDomain> RewriteGraphs();       // more of them, and one tensor as both operands
std::vector<GraphDomain> ConstantGraphs();      // every operator with only constant operands
std::vector<GraphDomain> ControlFlowGraphs();   // COND_IF, WHILE_LOOP and variables
std::vector<GraphDomain> LayoutGraphs();        // data layout around one arithmetic operator
std::vector<GraphDomain> SplitGraphs();         // a tensor cut into a list
std::vector<GraphDomain> SecondReaderGraphs();  // values that a fusion swallows are read again
std::vector<GraphDomain> MovedGraphs();         // data layout on squares and cubes, indices
std::vector<GraphDomain> MergedGraphs();        // pairs of operators that differ in one thing
std::vector<GraphDomain> HandedOnGraphs();      // control flow that hands tensors on, and variables

// --- Parts that they share.

// Operators that several families are made for.
inline constexpr std::string_view kConv2d = "CONV2D", kDepthwise = "DEPTHWISE_CONV2D";

// Axes of several families.
inline constexpr ParsedAxis<int64_t> kTimesAxis{"times", "n", ParseNumber};
inline constexpr ParsedAxis<int64_t> kExecutionsAxis{"executions", "n", ParseNumber};
inline constexpr ParsedAxis<int64_t> kAxisAxis{"axis", "", ParseNumber};
// Whether the condition is true.
inline constexpr ListedAxis<bool> kTakenAxis{"taken", "", {{"then", true}, {"else", false}}};
inline constexpr ParsedAxis<Shape> kConditionAxis{"condition", "c", ParseShape};
inline constexpr ParsedAxis<DType> kTypeAxis{
    "type", "", [](std::string_view label) { return *ParseDType(label); }};

// The domain of the operator by itself.
const Domain& OwnDomain(std::string_view op);
// The operator's axes except the named ones; the data sets come last. Most parameters have at most
// `most` values: the operator's own cases have all values.
std::vector<Axis> OwnAxes(const Setting& setting, const std::vector<std::string_view>& without,
                          size_t most = 2);
// Shapes of one dimension and of four, and the data sets.
std::vector<Axis> ShapeAndData();
std::vector<Axis> PlainAxes(const Setting& setting);  // these alone
// One axis, and data of the full range.
std::vector<Axis> AxesWith(Axis axis);
// Puts an axis before the data sets.
void AddAxis(std::vector<Axis>& axes, Axis axis);

// Type rows by their first operand.
bool IsIntegerRow(const Setting& setting);
bool IsI8Row(const Setting& setting);

// Values that data layout hands to an operator. Layout may lose the sign of a zero, even of one
// that flushing makes. Operators that would show it, such as 1/x, get a one instead.
Tensor WithoutShownZeros(Tensor values, std::string_view reader);

// Whether the integer operators of the base profiles may be used. For type rows that do not say so
// themselves: rows of control flow, and rows that PRO-FP also has.
bool HasIntegers(const Setting& setting);

}  // namespace cts
