// The facts of an operator that other folders look up by its name. <Name>Facts() states them in one
// row, next to <Name>Conditions().
#pragma once

#include <string_view>
#include <vector>

#include "reference/ops/inference.h"
#include "reference/ops/relation_tables.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// The property of an implementation that a subnormal number in an operator's result shows.
enum class Keeping {
  kUnstated,
  kTells,     // the implementation keeps subnormals, although the edition allows it to flush them
  kMoves,     // as kTells, but the result has the operands' elements, perhaps with another sign
  kConverts,  // as kTells; but as kSilent if the result is bool, which tells only zero from nonzero
  kSilent,    // nothing, and other operators of the same graph show nothing, either
  kAside,     // nothing, since the result has no subnormals; other operators of the graph may show
              // more
};

// The role of an operator in a graph.
enum class GraphRole {
  kComputes,     // it computes tensors
  kShape,        // it computes shapes
  kConstant,     // its output's values are stored in the graph
  kControlFlow,  // it runs graphs
  kVariable,     // it declares, reads or writes a variable
  kCustom,       // only an implementation knows its meaning
};

// The elements that an operator passes unchanged from its operands to its results, perhaps in
// another order.
enum class Moves {
  kNothing,
  kEach,  // each element once
  kSome,  // only some elements, some elements several times, or elements of several tensors
};

// The behaviour of a function of one floating-point number between two arguments.
enum class Curve {
  kNone,  // not such a function, or nothing is known
  kMonotonic,
  kMonotonicAboveZero,   // monotonic above zero, and NaN below zero
  kMonotonicBesideZero,  // monotonic on each side of zero
  kCosine,
  kSine,
};

// Whether the result for a floating-point zero depends on the sign of the zero.
enum class SignOfZero {
  kMatters,
  kIgnored,     // zeros of both signs give the same result
  kOfInfinity,  // a zero gives an infinity with the same sign
};

// Whether the result in fp64 may be infinite although every operand is finite. A sum, difference,
// product or reciprocal of numbers of the narrower types cannot overflow in fp64.
enum class Overflows {
  kNever,      // an infinity comes only from an infinite operand or a pole
  kOfNumbers,  // an infinity without an infinite operand is an overflow
  kAlways,     // every infinity counts as an overflow: an infinite operand has no defined result
};

struct OperatorFacts {
  // Computes the outputs' shapes from everything except the outputs. The call must fit the argument
  // tables.
  StatusOr<Shapes> (*infer)(const Call&) = nullptr;
  Keeping keeping = Keeping::kUnstated;
  // The dimensions of the ladder of sizes; null if the operator's results have no size of their
  // own.
  std::vector<SizedDimension> (*dimensions)() = nullptr;
  // The relations of shapes and parameters for which software may have separate code; null if there
  // are none.
  std::vector<Relation> (*relations)() = nullptr;
  // Whether a program with only this operator, and with symbols as dimensions, is enough to test
  // it. If this is false, the operator needs a hand-written graph (generator/symbolic/symbolic.cc).
  bool alone_with_symbols = false;
  GraphRole role = GraphRole::kComputes;
  // Whether the operator reads the values of its operands.
  bool reads_values = true;
  // Whether the operands can be exchanged.
  bool commutes = false;
  Moves moves = Moves::kNothing;
  Curve curve = Curve::kNone;
  SignOfZero sign_of_zero = SignOfZero::kMatters;
  Overflows overflow = Overflows::kNever;
};

// The facts of an operator. `op` is its name in OperatorSpec::Seen, such as "CONV2D". If the name
// is unknown, the facts have their default values.
const OperatorFacts& FactsOf(std::string_view op);

// Whether each element of the operator's result depends only on the elements at the same place of
// its operands.
bool IsElementwise(std::string_view op);

}  // namespace cts
