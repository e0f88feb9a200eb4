// ADD, MAXIMUM and MUL.
#include <algorithm>
#include <cmath>

#include "generator/ops/domain.h"

namespace cts {
namespace {

// Shapes of both inputs, apart by '+'.
std::pair<Shape, Shape> ParseShapes(std::string_view label) {
  const size_t plus = label.find('+');
  return {ParseShape(label.substr(0, plus)), ParseShape(label.substr(plus + 1))};
}

Shape Broadcast(const Shape& a, const Shape& b) {
  Shape shape = a;
  for (size_t i = 0; i < shape.size(); ++i) shape[i] = std::max(a[i], b[i]);
  return shape;
}

// Room for every pair of special values, of which floats have at most 25.
constexpr std::string_view kPairs = "25x27+25x27";

std::vector<Axis> Axes(const Setting& setting, DType type) {
  std::vector<Axis> axes = {
      {"shapes",
       "",
       {std::string(kPairs), "scalar+scalar", "17+1", "1x9+5x1", "3x4x5+3x4x5", "2x1x3x4+1x5x3x1",
        WithMaxRank(setting, "2x1x3x1x4x2") + "+" + WithMaxRank(setting, "1x3x3x1x1x2")}}};
  AddNanModeAxis(setting, type, axes);
  axes.push_back({"data", "", {"full-range", "special"}});
  return axes;
}

bool Allowed(const Setting&, const Labels& labels) {
  if (labels["data"] != "special" || labels["shapes"].empty()) return true;
  return labels["shapes"] == kPairs;
}

// Every pair of special values that `fits`, again and again, in two tensors of one shape.
template <class Fits>
void SetSpecialPairs(Draft& draft, DType type, const Shape& shape, Fits fits) {
  Tensor input1(type, shape), input2(type, shape);
  if (IsFloat(type)) {
    const std::vector<double> values = SpecialFloats(type);
    const int64_t n = static_cast<int64_t>(values.size());
    for (int64_t i = 0; i < input1.size(); ++i) {
      input1.SetFloat(i, values[i % n]);
      input2.SetFloat(i, values[i / n % n]);
    }
  } else {
    std::vector<std::pair<int64_t, int64_t>> pairs;
    for (int64_t a : SpecialIntegers(type)) {
      for (int64_t b : SpecialIntegers(type)) {
        if (fits(a, b)) pairs.emplace_back(a, b);
      }
    }
    for (int64_t i = 0; i < input1.size(); ++i) {
      input1.SetInteger(i, pairs[i % pairs.size()].first);
      input2.SetInteger(i, pairs[i % pairs.size()].second);
    }
  }
  draft.Input("input1", std::move(input1));
  draft.Input("input2", std::move(input2));
}

// Both inputs: the special pairs that fit, or random integers from -limit to limit, or floats.
template <class Fits>
Draft BuildPair(const Choice& choice, DType type, DType out, int64_t limit, Fits fits) {
  const auto [shape1, shape2] = ParseShapes(choice["shapes"]);
  Draft draft;
  if (choice.data_set() == "special") {
    SetSpecialPairs(draft, type, shape1, fits);
  } else if (IsFloat(type)) {
    draft.Input("input1", FullRange(choice.Stream("input1"), type, shape1));
    draft.Input("input2", FullRange(choice.Stream("input2"), type, shape2));
  } else {
    const int64_t low = std::max(IntegerMin(type), -limit);
    const int64_t high = std::min(IntegerMax(type), limit);
    draft.Input("input1", IntegersBetween(choice.Stream("input1"), type, shape1, low, high));
    draft.Input("input2", IntegersBetween(choice.Stream("input2"), type, shape2, low, high));
  }
  draft.output_type = out;
  draft.output_shape = Broadcast(shape1, shape2);
  return draft;
}

bool FitsI32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

Draft BuildAdd(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  // Half of the range each: the sum must not overflow.
  return BuildPair(choice, type, type, (int64_t{1} << 30) - 1,
                   [](int64_t a, int64_t b) { return FitsI32(a + b); });
}

Draft BuildMaximum(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  Draft draft = BuildPair(choice, type, type, INT64_MAX, [](int64_t, int64_t) { return true; });
  SetNanMode(choice, draft);
  return draft;
}

std::vector<Axis> MulAxes(const Setting& setting) {
  const DType type = setting.Type("in_t");
  std::vector<Axis> axes = Axes(setting, type);
  Axis shift{"shift", "sh", {"0"}};
  if (type == DType::kI32) shift.values = {"0", "1", "15", "31", "32", "63"};
  axes.insert(axes.end() - 1, shift);
  return axes;
}

Draft BuildMul(const Choice& choice) {
  const DType type = choice.Type("in_t");
  const int64_t shift = ParseNumbers(choice["shift"])[0];
  // The product, shifted, must fit i32: 2^31 times 2^shift for the product, half of the exponent
  // for each factor. From shift 31 on only the least value twice does not fit.
  const int64_t limit = shift >= 31 ? INT32_MAX : int64_t{1} << ((30 + shift) / 2);
  const bool any = type != DType::kI32;
  Draft draft = BuildPair(
      choice, type, choice.Type("out_t"), any ? INT64_MAX : limit, [shift](int64_t a, int64_t b) {
        if (shift == 0) return FitsI32(a * b);
        int64_t product = 0;
        return !__builtin_add_overflow(a * b, int64_t{1} << (shift - 1), &product) &&
               FitsI32(product >> shift);
      });
  draft.Set("shift", shift);
  return draft;
}

void EnlargeOutput(const Setting&, Draft& draft) { draft.output_shape.back() += 1; }

// Neither equal nor 1: 5 against 4.
void Mismatch(const Setting&, Draft& draft) {
  Shape shape = draft.tensor("input2").shape();
  shape.back() -= 1;
  Reshape(draft.tensor("input2"), shape);
}

std::vector<Breaker> BroadcastBreakers(std::string_view condition) {
  return {{condition, {{"shapes", "3x4x5+3x4x5"}}, nullptr, EnlargeOutput},
          {condition, {{"shapes", "3x4x5+3x4x5"}}, nullptr, Mismatch},
          {condition, {{"shapes", "3x4x5+3x4x5"}}, nullptr, [](const Setting&, Draft& draft) {
             // A rank of its own: TOSA broadcasts no ranks.
             Reshape(draft.tensor("input2"), {4, 5});
           }}};
}

std::vector<Axis> SameTypeAxes(const Setting& setting) {
  return Axes(setting, setting.Type("in_out_t"));
}

}  // namespace

Domain AddDomain() { return {SameTypeAxes, Allowed, BuildAdd, BroadcastBreakers("add.broadcast")}; }

Domain MaximumDomain() {
  return {SameTypeAxes, Allowed, BuildMaximum, BroadcastBreakers("maximum.broadcast")};
}

Domain MulDomain() { return {MulAxes, Allowed, BuildMul, BroadcastBreakers("mul.broadcast")}; }

}  // namespace cts
