// The shapes in the argument tables: "[N,IH,IW,IC]", "shape1", "[2*rank(shape1)]", "-".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cts {

// One dimension of a list of dimensions.
struct Dimension {
  std::string name;                  // as written: "N", "3", "C*M", "W/2 + 1"
  std::optional<int64_t> size;       // if the dimension is a number
  std::vector<std::string> factors;  // if it is a product: "C", "M"
};

struct ShapePattern {
  enum class Kind {
    kAny,         // "-"
    kNamed,       // `name`: the same shape as every other argument with this pattern
    kDimensions,  // a list of dimensions
    kRankOf,      // one dimension, whose size is `factor` times the rank of the shape `name`
  };
  Kind kind = Kind::kAny;
  std::string name;
  int64_t factor = 1;
  std::vector<Dimension> dimensions;

  bool IsList() const { return kind == Kind::kDimensions || kind == Kind::kRankOf; }
};

ShapePattern ParseShapePattern(std::string_view text);

}  // namespace cts
