#include "reference/spec/shape_pattern.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace cts {
namespace {

bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

Dimension ParseDimension(std::string name) {
  Dimension dimension{std::move(name), {}, {}};
  if (IsNumber(dimension.name)) {
    dimension.size = std::strtoll(dimension.name.c_str(), nullptr, 10);
  } else if (const size_t times = dimension.name.find('*'); times != std::string::npos) {
    dimension.factors = {dimension.name.substr(0, times), dimension.name.substr(times + 1)};
  }
  return dimension;
}

}  // namespace

ShapePattern ParseShapePattern(std::string_view text) {
  ShapePattern pattern;
  if (text.empty() || text == "-") return pattern;
  if (text.front() != '[') {
    pattern.kind = ShapePattern::Kind::kNamed;
    pattern.name = text;
    return pattern;
  }
  constexpr std::string_view kRank = "rank(";
  const size_t rank = text.find(kRank), close = text.find(')');
  if (rank != text.npos && close != text.npos) {
    pattern.kind = ShapePattern::Kind::kRankOf;
    pattern.name = text.substr(rank + kRank.size(), close - rank - kRank.size());
    if (rank > 1) {
      pattern.factor = std::strtoll(std::string(text.substr(1, rank - 1)).c_str(), nullptr, 10);
    }
    return pattern;
  }
  pattern.kind = ShapePattern::Kind::kDimensions;
  std::string name;
  for (const char c : text.substr(1)) {
    if (c == ',' || c == ']') {
      if (!name.empty()) pattern.dimensions.push_back(ParseDimension(std::move(name)));
      name.clear();
    } else if (c != ' ') {
      name += c;
    }
  }
  return pattern;
}

}  // namespace cts
