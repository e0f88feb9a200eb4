#include "reference/evaluate/native.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

TEST(Identity, ReturnsEveryPatternUnchanged) {
  for (DType type : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
    const Tensor input = EveryPattern(type);
    OneOperator op("IDENTITY");
    op.In(input).Out(type, input.shape());
    const Tensor result = op.Run(), native = op.RunNative();
    for (int64_t i = 0; i < input.size(); ++i) {
      if (input.Element(i) != input.Element(i)) {
        ASSERT_NE(result.Element(i), result.Element(i));
      } else {
        ASSERT_EQ(result.Element(i), input.Element(i));
        ASSERT_EQ(native.Bits(i), input.Bits(i));
      }
    }
  }
}

TEST(Identity, ReturnsIntegersOfEveryWidth) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (DType type :
         {DType::kBool, DType::kI4, DType::kI8, DType::kI16, DType::kI32, DType::kI48}) {
      const std::vector<int64_t> values = {IntegerMin(type), 0, 1, IntegerMax(type)};
      OneOperator op("IDENTITY", edition);
      EXPECT_EQ(op.Integers(type, {2, 2}, values).Out(type, {2, 2}).Run().Integers(), values);
    }
  }
}

TEST(Const, YieldsTheValuesOfItsTensor) {
  const Edition& edition = **FindEdition(kDefaultEdition);
  Graph graph = EmptyGraph();
  const Tensor values = Tensor::OfFloats(DType::kBf16, {3}, {1.5, -0.0, INFINITY});
  graph.main().tensors = {{"c", DType::kBf16, {3}, std::make_shared<Tensor>(values)}};
  graph.main().operators = {{.op = "CONST", .inputs = {}, .outputs = {"c"}}};
  graph.main().outputs = {"c"};
  const auto evaluation = Evaluate(graph, {}, edition, *edition.FindLevel("8K"));
  ASSERT_TRUE(evaluation.ok());
  ASSERT_EQ(evaluation->outcome, Outcome::kValid);
  EXPECT_EQ(evaluation->outputs[0].answers[0].expected.Elements(), values.Elements());
  const auto native = ExecuteNative(graph, {}, edition, *edition.FindLevel("8K"));
  ASSERT_TRUE(native.ok());
  EXPECT_EQ(native->outputs.at("c"), values);
}

TEST(Identity, RefusesBlockScaledTensors) {
  const Tensor scaled = *Tensor::BlockScaled(DType::kFp8E4M3, {1, 32});
  OneOperator identity("IDENTITY");
  identity.In(scaled).Out(DType::kFp8E4M3, {1, 32});
  EXPECT_EQ(identity.Verdict(),
            "graph, inputs: in0 is given as bs32_fp8ue8m0_fp8e4m3[1,32], declared as "
            "fp8e4m3[1,32]");
  Graph constant = identity.graph();
  constant.main().tensors[0].values = std::make_shared<const Tensor>(scaled);
  const auto evaluation =
      Evaluate(constant, {}, identity.edition(), *identity.edition().FindLevel("8K"));
  ASSERT_FALSE(evaluation.ok());
  EXPECT_EQ(Message(evaluation.status()),
            "graph, tensors: the values of in0 are bs32_fp8ue8m0_fp8e4m3, expected a type without "
            "scales: no operator computes with them yet");
}

}  // namespace
}  // namespace cts
