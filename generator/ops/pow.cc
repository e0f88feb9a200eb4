// POW.
#include <algorithm>
#include <cmath>

#include "generator/ops/domain.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

// Shapes of both inputs, apart by '+'.
std::pair<Shape, Shape> ParseShapes(std::string_view label) {
  const size_t plus = label.find('+');
  return {ParseShape(label.substr(0, plus)), ParseShape(label.substr(plus + 1))};
}

// Room for every pair of special values, of which floats have at most 25.
constexpr std::string_view kPairs = "25x27+25x27";

std::vector<Axis> Axes(const Setting& setting) {
  std::vector<Axis> axes = {
      {"shapes",
       "",
       {std::string(kPairs), "scalar+scalar", "17+1", "1x9+5x1", "3x4x5+3x4x5", "2x1x3x4+1x5x3x1",
        WithMaxRank(setting, "2x1x3x1x4x2") + "+" + WithMaxRank(setting, "1x3x3x1x1x2")}},
      {"data", "", {"full-range", "special", "finite"}}};
  // Negative bases are unpredictable in 1.0.
  if (setting.Is("tosa-0.100")) axes.back().values.push_back("negative");
  return axes;
}

// Many results of full-range and special values are undefined, or all but: it takes many elements
// for some to be bound.
bool Allowed(const Setting&, const Labels& labels) {
  const std::string& data = labels["data"];
  if (data != "special" && data != "full-range") return true;
  return labels["shapes"] == kPairs;
}

// Whether a result is predictable, in 1.0 also after the operands were flushed to zero; 0.100 has
// no such condition.
bool IsDefined(const Setting& setting, DType type, double x, double y) {
  if (setting.Is("tosa-0.100")) return true;
  if (!std::isfinite(x) || !std::isfinite(y) || x < 0) return false;
  const bool zero = x == 0 || IsSubnormal(type, x);
  return !zero || (y > 0 && !IsSubnormal(type, y));
}

void SetSpecialPairs(const Setting& setting, Draft& draft, DType type, const Shape& shape) {
  std::vector<std::pair<double, double>> pairs;
  const std::vector<double> values = SpecialFloats(type);
  for (double x : values) {
    for (double y : values) {
      if (IsDefined(setting, type, x, y)) pairs.emplace_back(x, y);
    }
  }
  Tensor input1(type, shape), input2(type, shape);
  for (int64_t i = 0; i < input1.size(); ++i) {
    const auto& [x, y] = pairs[static_cast<size_t>(i) % pairs.size()];
    input1.SetFloat(i, x);
    input2.SetFloat(i, y);
  }
  draft.Input("input1", std::move(input1));
  draft.Input("input2", std::move(input2));
}

Draft Build(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const auto [shape1, shape2] = ParseShapes(choice["shapes"]);
  const std::string& data = choice.data_set();
  Random base = choice.Stream("input1"), exponent = choice.Stream("input2");
  Draft draft;
  if (data == "special") {
    SetSpecialPairs(choice.setting, draft, type, shape1);
  } else if (data == "full-range") {
    Tensor input1 = FullRange(base, type, shape1);
    for (int64_t i = 0; i < input1.size(); ++i) {
      input1.SetFloat(i, std::max(std::fabs(input1.Float(i)), Format(type).normal_min()));
    }
    draft.Input("input1", std::move(input1));
    draft.Input("input2", FullRange(exponent, type, shape2));
  } else if (data == "negative") {
    // To whole exponents, of which there is always one, and to halves, which make a NaN.
    Tensor halves(type, shape2);
    for (int64_t i = 0; i < halves.size(); ++i) {
      const int64_t twice = i % 2 == 0 ? 2 * exponent.Between(1, 6) : exponent.Between(-12, 12);
      halves.SetFloat(i, 0.5 * static_cast<double>(twice));
    }
    draft.Input("input1", FloatsBetween(base, type, shape1, -4, -0.25));
    draft.Input("input2", std::move(halves));
  } else {
    draft.Input("input1", FloatsBetween(base, type, shape1, 0.25, 4));
    draft.Input("input2", FloatsBetween(exponent, type, shape2, -6, 6));
  }
  draft.output_type = type;
  draft.output_shape = shape1;
  for (size_t i = 0; i < shape1.size(); ++i) {
    draft.output_shape[i] = std::max(shape1[i], shape2[i]);
  }
  return draft;
}

}  // namespace

Domain PowDomain() {
  const Labels start = {{"shapes", "3x4x5+3x4x5"}, {"data", "finite"}};
  return {Axes,
          {{{"data", "shapes"}, "few results of such data are defined", Allowed}},
          Build,
          {{"pow.broadcast", start, nullptr,
            [](const Setting&, Draft& d) { d.output_shape.back() += 1; }},
           {"pow.broadcast", start, nullptr,
            // Neither equal nor 1: 5 against 4.
            [](const Setting&, Draft& d) {
              Reshape(d.tensor("input2"), {3, 4, 4});
            }},
           {"pow.broadcast", start, nullptr, [](const Setting&, Draft& d) {
              // A rank of its own: TOSA broadcasts no ranks.
              Reshape(d.tensor("input2"), {4, 5});
            }}}};
}

}  // namespace cts
