#include "reference/ops/facts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "reference/ops/testing.h"

namespace cts {
namespace {

Tensor TensorOfValues(DType type, const std::vector<double>& values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    IsFloat(type) ? tensor.SetElement(at, values[i])
                  : tensor.SetInteger(at, static_cast<int64_t>(values[i]));
  }
  return tensor;
}

// The operator of one pair and of the pair exchanged, in its first type row.
std::vector<double> ResultsBothWays(const OperatorSpec& spec) {
  const TypeRow& row = spec.type_rows.front();
  const auto type = [&](size_t argument) {
    return *row.PlainType(spec.arguments[argument].element_type);
  };
  const double other = type(0) == DType::kBool ? 0 : 3;
  OneOperator op(spec.name);
  op.In(TensorOfValues(type(0), {1, other})).In(TensorOfValues(type(1), {other, 1}));
  if (spec.name == "MUL") op.Integers(DType::kI8, {1}, {0});
  if (spec.name == "ARITHMETIC_RIGHT_SHIFT") op.Set("round", false);
  if (spec.name == "MAXIMUM" || spec.name == "MINIMUM") op.Set("nan_mode", "PROPAGATE");
  op.Out(*row.PlainType(spec.arguments.back().element_type), {2});
  const Tensor result = op.Run();
  return IsFloat(result.dtype()) ? result.Elements()
                                 : std::vector<double>{static_cast<double>(result.Integer(0)),
                                                       static_cast<double>(result.Integer(1))};
}

// No operator that minds the order gives the same for 1 and 3 both ways.
TEST(Facts, SayWhetherOperandsMayChangePlaces) {
  int pairs = 0;
  for (const OperatorSpec& spec : (*FindEdition(kDefaultEdition))->operators) {
    const OperatorFacts& facts = FactsOf(spec.name);
    if (facts.infer != InferBroadcast) {
      EXPECT_FALSE(facts.commutes) << spec.name;
      continue;
    }
    const std::vector<double> results = ResultsBothWays(spec);
    EXPECT_EQ(facts.commutes, results[0] == results[1]) << spec.name;
    ++pairs;
  }
  EXPECT_EQ(pairs, 19);
}

std::vector<double> ResultsOf(const std::string& name, const std::vector<double>& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return OneOperator(name)
      .Floats(DType::kFp32, shape, values)
      .Out(DType::kFp32, shape)
      .Run()
      .Elements();
}

TEST(Facts, SayWhatTheSignOfZeroDoes) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::string name : {"ABS", "COS", "EXP", "LOG"}) {
    ASSERT_EQ(FactsOf(name).sign_of_zero, SignOfZero::kIgnored) << name;
    const std::vector<double> results = ResultsOf(name, {0.0, -0.0});
    EXPECT_EQ(results[0], results[1]) << name;
    EXPECT_EQ(std::signbit(results[0]), std::signbit(results[1])) << name;
  }
  for (const std::string name : {"RECIPROCAL", "RSQRT"}) {
    ASSERT_EQ(FactsOf(name).sign_of_zero, SignOfZero::kOfInfinity) << name;
    EXPECT_EQ(ResultsOf(name, {0.0, -0.0}), (std::vector<double>{infinity, -infinity})) << name;
  }
}

bool IsMonotonic(const std::vector<double>& y) {
  if (std::any_of(y.begin(), y.end(), [](double value) { return std::isnan(value); })) return false;
  return std::is_sorted(y.begin(), y.end()) || std::is_sorted(y.rbegin(), y.rend());
}

// Enclosures rely on it between two arguments.
TEST(Facts, SayWhereAFunctionIsMonotonic) {
  const std::vector<double> above = {0.125, 0.5, 0.75, 1, 1.25, 2.5, 3, 40};
  std::vector<double> all(above.rbegin(), above.rend());
  for (double& x : all) x = -x;
  const std::vector<double> below = all;
  all.insert(all.end(), above.begin(), above.end());
  int functions = 0;
  for (const Operator& op : Operators()) {
    const std::string name(op.name);
    const Curve curve = op.facts().curve;
    if (curve == Curve::kNone) continue;
    ++functions;
    if (curve == Curve::kCosine || curve == Curve::kSine) {
      const double top = curve == Curve::kCosine ? 0 : std::acos(0.0);
      EXPECT_NEAR(ResultsOf(name, {top})[0], 1, 1e-6) << name;
      EXPECT_FALSE(IsMonotonic(ResultsOf(name, all))) << name;
      continue;
    }
    EXPECT_TRUE(IsMonotonic(ResultsOf(name, above))) << name;
    EXPECT_EQ(IsMonotonic(ResultsOf(name, all)), curve == Curve::kMonotonic) << name;
    if (curve == Curve::kMonotonicBesideZero) {
      EXPECT_TRUE(IsMonotonic(ResultsOf(name, below))) << name;
    }
  }
  EXPECT_EQ(functions, 11);
}

}  // namespace
}  // namespace cts
