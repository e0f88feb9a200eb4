// Parts that the domains of elementwise operators with several inputs share: shapes that broadcast,
// pairs of values, and breakers of a broadcast.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// "1x9+5x1": the shapes of the inputs, separated by '+'.
std::vector<Shape> ParseShapes(std::string_view label);
inline constexpr ParsedAxis<std::vector<Shape>> kShapesAxis{"shapes", "", ParseShapes};

// The shape to which these shapes are broadcast. The shapes must have the same rank and be
// compatible.
Shape Broadcast(const std::vector<Shape>& shapes);

// Shapes with room for every pair of special values, except that kPairs has no room for all pairs
// of i64. For floats, data set "special" has at most 25 values, and data set "crossed" has at most
// 61 values.
inline constexpr std::string_view kPairs = "25x27+25x27";
inline constexpr std::string_view kCrossed = "61x61+61x61";

// --- The axes. The first is "shapes", the last "data".

enum class PairOperand { kRun, kConst, kConst1, kConst2, kSame };
inline constexpr ListedAxis<PairOperand> kOperandsAxis{
    "operands",
    "",
    {{"run", PairOperand::kRun}, {"const", PairOperand::kConst}},
    {{"const1", PairOperand::kConst1},
     {"const2", PairOperand::kConst2},
     {"same", PairOperand::kSame}}};

// Pairs of shapes for two inputs, with various patterns of broadcasting. The pair of shapes `pairs`
// has room for data set "special", and the pair `crossed` for data set "crossed". 8-bit types also
// have shapes with room for every pair of values, with and without broadcasting.
Axis PairShapes(const Setting& setting, DType type, std::string_view pairs = kPairs,
                std::string_view crossed = kCrossed);
// The axis "operands", which says which inputs are constant. With the value "same", both inputs are
// one tensor.
Axis PairOperands(bool with_same);
// The usual data sets, and "exhaustive8" if the type has 8 bits.
Axis PairData(DType type);
// The constraints on the axes above. Some data sets have shapes of their own. Large inputs, and one
// tensor as both inputs, occur only with some values of the other axes.
std::vector<Constraint> PairConstraints();

// --- Data.

// Pairs of bit patterns, one for each of two inputs.
using Pairs = std::vector<std::pair<uint64_t, uint64_t>>;
// A test of whether a pair of integers may occur.
using FitsPair = bool (*)(int64_t, int64_t);

// Returns every pair of a first and a second value. In the order of the result, the first value
// changes fastest.
Pairs PairsOf(const std::vector<uint64_t>& firsts, const std::vector<uint64_t>& seconds);
std::vector<uint64_t> BitsOf(DType type, const std::vector<double>& values);
std::vector<uint64_t> BitsOf(const std::vector<int64_t>& values);

// The values of data set "special" or "crossed".
std::vector<uint64_t> PairValues(const Choice& choice, DType type);

// Removes integer pairs for which `fits(first, second)` does not hold.
template <class Fits>
void KeepPairs(DType type, Pairs& pairs, Fits fits) {
  const auto integer = [type](uint64_t bits) {
    Tensor one(type, {1});
    one.SetBits(0, bits);
    return one.Integer(0);
  };
  std::erase_if(pairs,
                [&](const auto& pair) { return !fits(integer(pair.first), integer(pair.second)); });
}

// Sets two inputs of one shape to the pairs, which are repeated until the inputs are full. If both
// inputs are one tensor, only pairs of equal values are used.
void SetPairs(const Choice& choice, CaseDraft& draft, std::string_view name1,
              std::string_view name2, DType type, const Shape& shape, Pairs pairs);
// Sets two inputs to values of the data set "exhaustive8". If their shapes are equal, the inputs
// hold every pair. Otherwise they hold every pair after broadcasting.
void SetEveryPair(CaseDraft& draft, std::string_view name1, std::string_view name2, DType type,
                  const std::vector<Shape>& shapes);
// Makes inputs constant, or makes both inputs one tensor, as the axis "operands" says.
void SetOperands(const Choice& choice, CaseDraft& draft, std::string_view name1 = "input1",
                 std::string_view name2 = "input2");

// Breakers of a broadcast: an output that is larger or smaller than the broadcast, an input whose
// dimension is neither 1 nor the output's, an input of another rank. `labels` are the labels of the
// drafts that the breakers change; they must give every input the shape 3x4x5.
std::vector<Breaker> BroadcastBreakers(const std::string& condition,
                                       const Labels& labels = {{"shapes", "3x4x5+3x4x5"}});

// --- Relations.

using AxesOf = std::vector<Axis> (*)(const Setting&);
using BuildOf = CaseDraft (*)(const Choice&);

// Cases that together have every pattern of BroadcastRelations (reference/ops/relation_tables.h).
std::vector<RelationCase> BroadcastRelationCases(AxesOf axes, BuildOf build);
// Cases that together have every pattern of SELECT's relations.
std::vector<RelationCase> SelectRelationCases(AxesOf axes, BuildOf build);

// A case in which one operand is a single number, because kernels and compilers have special code
// for such an operand. Only recipes whose domains are "full" have this case. The graph has the
// operator twice: once with the number as a constant, and once with the number as an input of the
// graph. With `both_sides`, the graph has the operator four times.
struct Uniform {
  std::string what;
  double value;
  // Makes the other operand.
  Tensor (*others)(const Choice& choice, DType type, const Shape& shape, double value);
  bool both_sides = false;  // the number occurs also as the first operand
  bool one_value = false;   // all results are the same
  bool (*applies)(const Setting&) = nullptr;
  Labels labels = {};
};
RelationCase UniformCase(AxesOf axes, BuildOf build, const Uniform& uniform);

// A function for Uniform::others. It returns the special values, followed by values of the full
// range.
Tensor SpecialAndRandom(const Choice& choice, DType type, const Shape& shape, double value);
// A function for Uniform::others. It returns special values, but every third element is `value` or,
// for floats, sometimes the negative of `value`.
Tensor SpecialAndEqual(const Choice& choice, DType type, const Shape& shape, double value);

}  // namespace cts
