// Graphs of several operators: those that frameworks emit, and those that compilers fold and fuse.
#pragma once

#include <string_view>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

struct GraphDomain {
  std::string_view name;  // "conv2d-rescale-clamp"; with "graphs/" before it the prefix of ids
  std::string_view op;    // the operator whose type rows it is made for; cases name it as theirs
  bool (*applies)(const Setting&);  // to a type row; null: to all
  // Builds CaseDraft::whole, which names the extensions that it needs. Breakers are used; limits
  // are not.
  Domain (*domain)();
};

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
std::vector<GraphDomain> ConstantGraphs();      // every operator with nothing but constants
std::vector<GraphDomain> ControlFlowGraphs();   // COND_IF, WHILE_LOOP and variables
std::vector<GraphDomain> LayoutGraphs();        // data layout around one arithmetic operator
std::vector<GraphDomain> SplitGraphs();         // a tensor cut into a list
std::vector<GraphDomain> SecondReaderGraphs();  // what a fusion swallows is read again
std::vector<GraphDomain> MovedGraphs();         // data layout on squares and cubes, indices
std::vector<GraphDomain> MergedGraphs();        // pairs of operators that differ in one thing
std::vector<GraphDomain> HandedOnGraphs();      // control flow that copies nothing, variables

// Symbolic programs. A recipe asks for them separately.
std::vector<GraphDomain> SymbolicGraphs();

// --- What they share.

// Operators that several families are made for, as arguments of templates.
inline constexpr char kConv2d[] = "CONV2D", kDepthwise[] = "DEPTHWISE_CONV2D";

// The domain of the operator by itself.
const Domain& OwnDomain(std::string_view op);
// The operator's axes except those named; the data sets come last. Most parameters have no more
// than `most` values: the operator's own cases have them all.
std::vector<Axis> OwnAxes(const Setting& setting, const std::vector<std::string_view>& without,
                          size_t most = 2);
// Puts an axis before the data sets.
void AddAxis(std::vector<Axis>& axes, Axis axis);

// Type rows by their first operand.
bool IsIntegerRow(const Setting& setting);
bool IsI8Row(const Setting& setting);

// Values that data layout hands to an operator. Layout may lose the sign of a zero, also of one
// that flushing makes: 1/x and its like would show it, and get a one instead.
Tensor WithoutShownZeros(Tensor values, std::string_view reader);

// Whether the integer operators of the base profiles may be used. Asked for type rows that do not
// say so themselves: control flow's, and those that PRO-FP has as well.
bool HasIntegers(const Setting& setting);

}  // namespace cts
