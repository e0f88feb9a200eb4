// What the domains of elementwise operators with several inputs share: shapes that broadcast, pairs
// of special values, and what breaks a broadcast.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

// "1x9+5x1": the shapes of the inputs, apart by '+'.
std::vector<Shape> ParseShapes(std::string_view label);

// The shape to which these, of one rank and compatible, are broadcast.
Shape Broadcast(const std::vector<Shape>& shapes);

// Room for every pair of special values, of which floats have at most 25.
inline constexpr std::string_view kPairs = "25x27+25x27";

// Axis "shapes" of two inputs: first the one with room for data set "special", which RoomForPairs
// keeps to it.
Axis PairShapes(const Setting& setting, std::string_view pairs = kPairs);
Constraint RoomForPairs();

template <class Value>
using Pairs = std::vector<std::pair<Value, Value>>;

// Every pair that fits, the first value changing fastest.
template <class Value, class Fits>
Pairs<Value> PairsOf(const std::vector<Value>& firsts, const std::vector<Value>& seconds,
                     Fits fits) {
  Pairs<Value> pairs;
  for (const Value& second : seconds) {
    for (const Value& first : firsts) {
      if (fits(first, second)) pairs.emplace_back(first, second);
    }
  }
  return pairs;
}

// Two inputs of one shape that hold the pairs, again and again.
template <class Value>
void SetPairs(Draft& draft, std::string_view name1, std::string_view name2, DType type,
              const Shape& shape, const Pairs<Value>& pairs) {
  std::vector<Value> firsts, seconds;
  for (int64_t i = 0; i < ElementCount(shape); ++i) {
    const auto& [first, second] = pairs[static_cast<size_t>(i) % pairs.size()];
    firsts.push_back(first);
    seconds.push_back(second);
  }
  const auto tensor = [&](const std::vector<Value>& values) {
    if constexpr (std::is_same_v<Value, double>) {
      return Tensor::OfFloats(type, shape, values);
    } else {
      return Tensor::OfIntegers(type, shape, values);
    }
  };
  draft.Input(std::string(name1), tensor(firsts));
  draft.Input(std::string(name2), tensor(seconds));
}

// An output that is larger than the broadcast, an input that fits neither, one of another rank;
// from choices with `labels`, in which all shapes are 3x4x5.
std::vector<Breaker> BroadcastBreakers(std::string_view condition,
                                       const Labels& labels = {{"shapes", "3x4x5+3x4x5"}});

}  // namespace cts
