#include "generator/ops/elementwise.h"

#include <algorithm>

namespace cts {

std::vector<Shape> ParseShapes(std::string_view label) {
  std::vector<Shape> shapes;
  for (size_t plus; (plus = label.find('+')) != label.npos; label.remove_prefix(plus + 1)) {
    shapes.push_back(ParseShape(label.substr(0, plus)));
  }
  shapes.push_back(ParseShape(label));
  return shapes;
}

Shape Broadcast(const std::vector<Shape>& shapes) {
  Shape result = shapes.front();
  for (const Shape& shape : shapes) {
    for (size_t i = 0; i < shape.size(); ++i) result[i] = std::max(result[i], shape[i]);
  }
  return result;
}

Axis PairShapes(const Setting& setting, std::string_view pairs) {
  return {"shapes",
          "",
          {std::string(pairs), "scalar+scalar", "17+1", "1x9+5x1", "3x4x5+3x4x5", "2x1x3x4+1x5x3x1",
           WithMaxRank(setting, "2x1x3x1x4x2") + "+" + WithMaxRank(setting, "1x3x3x1x1x2")}};
}

Constraint RoomForPairs() {
  return {{"data", "shapes"},
          "data set special has some 600 pairs of values",
          [](const Setting&, const Labels& labels) {
            return labels["data"] != "special" ||
                   ElementCount(ParseShapes(labels["shapes"])[0]) >= 625;
          }};
}

std::vector<Breaker> BroadcastBreakers(std::string_view condition, const Labels& labels) {
  return {{condition, labels, nullptr,
           [](const Setting&, Draft& draft) { draft.output_shape.back() += 1; }},
          {condition, labels, nullptr,
           [](const Setting&, Draft& draft) {
             Reshape(draft.tensor("input2"), {3, 4, 4});  // neither 5 nor 1
           }},
          {condition, labels, nullptr, [](const Setting&, Draft& draft) {
             // A rank of its own: TOSA broadcasts no ranks.
             Reshape(draft.tensor("input2"), {4, 5});
           }}};
}

}  // namespace cts
