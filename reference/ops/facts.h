// The facts of an operator that other rooms ask for by its name. <Name>Facts() states them in one
// row, beside <Name>Conditions().
#pragma once

#include <string_view>
#include <vector>

#include "reference/ops/inference.h"
#include "reference/ops/relation_tables.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// The evidence that an operator gives by keeping subnormal numbers.
enum class Keeping {
  kUnstated,
  kTells,     // that it keeps them: its text lets them be flushed
  kMoves,     // the same, but its result is one of its operands, perhaps with another sign
  kConverts,  // the same as kTells, but to bool: zero and not zero is all that the text knows
  kSilent,    // nothing
  kAside,     // nothing, and it is silent about no other operator: it has no such numbers
};

// The part of an operator in a graph.
enum class GraphRole {
  kComputes,     // its text computes tensors
  kShape,        // its text computes shapes
  kConstant,     // its values stand with its tensor
  kControlFlow,  // it runs graphs
  kVariable,     // it declares, reads or writes a variable
  kCustom,       // only an implementation knows
};

// The elements of its operands that an operator hands on unchanged, in another order.
enum class Moves {
  kNothing,
  kEach,  // each of them once
  kSome,  // some of them, or some several times, or those of several tensors
};

// A function of one floating-point number between two arguments.
enum class Curve {
  kNone,  // no such function, or nothing is known
  kMonotonic,
  kMonotonicAboveZero,   // and no number elsewhere
  kMonotonicBesideZero,  // on each side of zero by itself
  kCosine,
  kSine,
};

// What the result for a floating-point zero shows of its sign.
enum class SignOfZero {
  kMatters,
  kIgnored,     // zeros of both signs give one result
  kOfInfinity,  // a zero gives an infinity of its sign
};

// Whether an infinity of the result may come of numbers alone. fp64 holds every sum, difference,
// product of two, and reciprocal of numbers of the narrower types.
enum class Overflows {
  kNever,      // an infinity comes of an infinite operand or a pole
  kOfNumbers,  // if no operand is infinite
  kAlways,     // of an infinite operand the result is undefined
};

struct OperatorFacts {
  // The outputs' shapes, from everything except the outputs. The call has met its argument tables.
  StatusOr<Shapes> (*infer)(const Call&) = nullptr;
  Keeping keeping = Keeping::kUnstated;
  // The dimensions of the ladder of sizes; null if its results have no size of their own.
  std::vector<SizedDimension> (*dimensions)() = nullptr;
  // Null: no relation of shapes or parameters has code of its own.
  std::vector<Relation> (*relations)() = nullptr;
  // Whether a program of this operator alone asks it with symbols for dimensions. Others need a
  // graph that is written for them (generator/symbolic/symbolic.cc).
  bool alone_with_symbols = false;
  GraphRole role = GraphRole::kComputes;
  // Whether it looks at the values of its operands.
  bool reads_values = true;
  // Whether its operands may change places.
  bool commutes = false;
  Moves moves = Moves::kNothing;
  Curve curve = Curve::kNone;
  SignOfZero sign_of_zero = SignOfZero::kMatters;
  Overflows overflow = Overflows::kNever;
};

// The facts of an operator by the name of its text ("CONV2D"), in which nothing is stated if the
// name is unknown.
const OperatorFacts& FactsOf(std::string_view op);

}  // namespace cts
