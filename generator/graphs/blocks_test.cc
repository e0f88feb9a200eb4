// Blocks of networks against the real functions that they stand for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "generator/graphs/testing.h"
#include "generator/recipe/recipe.h"

namespace cts {
namespace {

using testing_graphs::Cases;

Cases BlocksOf(const std::string& pattern) {
  Recipe recipe = *FindRecipe("graphs");
  recipe.ids = {"graphs/" + pattern};
  return testing_graphs::CasesOf(recipe);
}

// The RESCALEs of a case, in their order.
class Rescales {
 public:
  explicit Rescales(const Case& c) : c_(c) {
    for (const GraphOperator& op : c.graph.main().operators) {
      if (op.op == "RESCALE") operators_.push_back(&op);
    }
  }
  size_t last() const { return operators_.size() - 1; }
  double Factor(size_t which, int64_t channel) const {
    const int64_t shift = Values(which, 2).Integer(channel);
    return std::ldexp(static_cast<double>(Values(which, 1).Integer(channel)),
                      -static_cast<int>(shift));
  }
  int64_t InputZeroPoint(size_t which) const { return Values(which, 3).Integer(0); }
  int64_t OutputZeroPoint(size_t which) const { return Values(which, 4).Integer(0); }

 private:
  const Tensor& Values(size_t which, size_t operand) const {
    return *c_.graph.main().Find(operators_[which]->inputs[operand])->values;
  }

  const Case& c_;
  std::vector<const GraphOperator*> operators_;
};

TEST(BlockGraphs, SoftmaxIsTheRealOneRounded) {
  int judged = 0;
  for (const auto& [id, c] : BlocksOf("softmax-*")) {
    const Tensor& input = c.inputs.at("input");
    const Tensor& result = c.outputs[0].answers[0].expected;
    const double scale = Rescales(c).Factor(1, 0) / 2048;
    const int64_t channels = input.shape().back();
    for (int64_t row = 0; row < input.size(); row += channels) {
      double sum = 0;
      const auto power = [&](int64_t i) {
        return std::exp(scale * static_cast<double>(input.Integer(row + i)));
      };
      for (int64_t i = 0; i < channels; ++i) sum += power(i);
      for (int64_t i = 0; i < channels; ++i) {
        const double real = std::min(256 * power(i) / sum - 128, 127.0);
        EXPECT_NEAR(static_cast<double>(result.Integer(row + i)), real, 0.6) << id;
        ++judged;
      }
    }
  }
  EXPECT_GT(judged, 500);
}

TEST(BlockGraphs, NormIsTheRealOneRounded) {
  int judged = 0;
  for (const auto& [id, c] : BlocksOf("norm-*")) {
    const Tensor& input = c.inputs.at("input");
    const Tensor& result = c.outputs[0].answers[0].expected;
    const Rescales rescales(c);
    const int64_t channels = input.shape().back();
    for (int64_t row = 0; row < input.size(); row += channels) {
      std::vector<double> x;
      double sum = 0, squares = 0;
      for (int64_t i = 0; i < channels; ++i) {
        x.push_back(static_cast<double>(input.Integer(row + i) - rescales.InputZeroPoint(0)));
        sum += x.back();
      }
      // The mean is an integer, too.
      const double mean = std::floor(sum / static_cast<double>(channels) + 0.5);
      for (double& value : x) {
        if (c.parameters.at("norm") == "layer") value -= mean;
        squares += value * value;
      }
      for (int64_t i = 0; i < channels; ++i) {
        const double factor = rescales.Factor(rescales.last(), i) * std::exp2(29.5);
        const double real = x[static_cast<size_t>(i)] / std::sqrt(std::max(squares, 1.0)) * factor +
                            static_cast<double>(rescales.OutputZeroPoint(rescales.last()));
        EXPECT_NEAR(static_cast<double>(result.Integer(row + i)), std::clamp(real, -128.0, 127.0),
                    0.6)
            << id;
        ++judged;
      }
    }
  }
  EXPECT_GT(judged, 200);
}

}  // namespace
}  // namespace cts
