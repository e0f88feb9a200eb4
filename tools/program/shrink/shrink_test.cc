#include "tools/program/shrink/shrink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/npy.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/native.h"
#include "reference/spec/edition.h"
#include "tools/program/exchange/network.h"
#include "tools/program/shrink/failure_kind.h"

namespace cts {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Files = std::map<std::string, std::string>;
// An implementation within this process: the files that it would leave.
using Fake = std::function<Files(const Case&)>;

Files Says(const std::string& result) { return {{"result.json", result}}; }

Files Outputs(const std::map<std::string, Tensor>& outputs) {
  Files files = Says(R"({"status": "ok"})");
  for (const auto& [name, value] : outputs) files[name + ".npy"] = EncodeNpy(value);
  return files;
}

// Returns the outputs that the embedded implementation computes for a graph.
std::map<std::string, Tensor> Native(const Case& c, const Graph& graph) {
  const Edition& edition = **FindEdition(c.edition);
  const auto result = ExecuteNative(graph, c.inputs, edition, *edition.FindLevel(c.level));
  EXPECT_TRUE(result.ok()) << result.status();
  return result->outputs;
}
Files Right(const Case& c) { return Outputs(Native(c, c.graph)); }

Trial TrialOf(Fake fake, int* runs = nullptr) {
  return [fake = std::move(fake), runs](const Case& c) -> StatusOr<std::optional<CheckedCase>> {
    if (runs != nullptr) ++*runs;
    const Files files = fake(c);
    return CheckCase(c, [&](std::string_view name, uint64_t) -> StatusOr<std::string> {
      const auto file = files.find(std::string(name.substr(name.rfind('/') + 1)));
      if (file == files.end()) return NotFound(name);
      return file->second;
    });
  };
}

Tensor Counting(DType dtype, Shape shape, int64_t modulus) {
  Tensor tensor(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t value = i * 7 % modulus - modulus / 2;
    if (IsFloat(dtype)) {
      tensor.SetValue(i, static_cast<double>(value) / 16);
    } else {
      tensor.SetInteger(i, value);
    }
  }
  return tensor;
}

struct Builder {
  Graph graph = EmptyGraph();
  std::map<std::string, Tensor> inputs;

  Builder& Input(const std::string& name, Tensor value) {
    graph.main().inputs.push_back(name);
    graph.main().tensors.push_back({name, value.dtype(), value.shape(), nullptr});
    inputs.emplace(name, std::move(value));
    return *this;
  }
  Builder& Constant(const std::string& name, Tensor value) {
    auto values = std::make_shared<const Tensor>(std::move(value));
    graph.main().tensors.push_back({name, values->dtype(), values->shape(), values});
    graph.main().operators.push_back(
        {values->dtype() == DType::kShape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
    return *this;
  }
  Builder& Op(const std::string& op, std::vector<std::string> in, const std::string& out,
              DType dtype, Shape shape, std::map<std::string, AttributeValue> attributes = {}) {
    graph.main().tensors.push_back({out, dtype, std::move(shape), nullptr});
    graph.main().operators.push_back({op, std::move(in), {out}, std::move(attributes)});
    return *this;
  }
  Case Valid(const std::string& output) {
    graph.main().outputs = {output};
    StatusOr<Case> c = CaseOfNetwork({"networks/test", graph, inputs});
    EXPECT_TRUE(c.ok()) << c.status();
    return *std::move(c);
  }
  // An error case of the one condition that the reference finds.
  Case Error(const std::string& output) {
    graph.main().outputs = {output};
    const Edition& edition = **FindEdition(kDefaultEdition);
    const auto found = Evaluate(graph, inputs, edition, *edition.FindLevel("8K"));
    EXPECT_TRUE(found.ok()) << found.status();
    EXPECT_EQ(found->violations.size(), 1);
    Case c;
    c.id = "networks/test";
    c.edition = edition.id;
    c.level = "8K";
    c.op = "NETWORK";
    c.graph = graph;
    c.inputs = inputs;
    c.outcome = found->outcome;
    c.condition = found->violations.at(0).condition;
    return c;
  }
};

Tensor I8(std::vector<int64_t> values) {
  const auto n = static_cast<int64_t>(values.size());
  return Tensor::OfIntegers(DType::kI8, {n}, values);
}

// 18,432 elements of input, 1,152 of weights, 8 of bias.
Case LargeConvolution() {
  return Builder()
      .Input("input", Counting(DType::kI8, {2, 24, 24, 16}, 251))
      .Input("weight", Counting(DType::kI8, {8, 3, 3, 16}, 127))
      .Input("bias", Counting(DType::kI32, {8}, 31))
      .Constant("input_zp", I8({3}))
      .Constant("weight_zp", I8({0}))
      .Op("CONV2D", {"input", "weight", "bias", "input_zp", "weight_zp"}, "output", DType::kI32,
          {2, 12, 12, 8},
          {{"pad", std::vector<int64_t>{1, 0, 0, 1}},
           {"stride", std::vector<int64_t>{2, 2}},
           {"dilation", std::vector<int64_t>{1, 1}},
           {"acc_type", std::string("INT32")},
           {"local_bound", false}})
      .Valid("output");
}

// The rows of the kernel in the wrong order.
Files FlipsKernel(const Case& c) {
  Case flipped = c;
  Tensor& weight = flipped.inputs.at("weight");
  const Tensor right = weight;
  const Shape shape = weight.shape();
  for (int64_t i = 0; i < weight.size(); ++i) {
    Shape index = Index(shape, i);
    index[1] = shape[1] - 1 - index[1];
    weight.SetBits(Offset(shape, index), right.Bits(i));
  }
  return Outputs(Native(flipped, c.graph));
}

StatusOr<Shrunk> ShrinkBy(const Case& c, Fake fake, ShrinkOptions options = {}) {
  return Shrink(c, TrialOf(std::move(fake)), options);
}

TEST(Shrink, ConvolutionWithFlippedKernelNeedsTwoRows) {
  int runs = 0;
  const auto shrunk = Shrink(LargeConvolution(), TrialOf(FlipsKernel, &runs), {});
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->runs, runs);
  EXPECT_LT(runs, 200);
  RecordProperty("runs", runs);
  EXPECT_EQ(shrunk->before.elements, 18432 + 1152 + 8 + 2);
  EXPECT_EQ(shrunk->kind, "a wrong value");
  const Case& c = shrunk->smallest;
  EXPECT_EQ(c.op, "CONV2D");
  // Two rows that differ; one is zero.
  EXPECT_THAT(c.graph.main().Find("weight")->shape, ElementsAre(1, 2, 1, 1));
  EXPECT_LE(c.inputs.at("input").size(), 2);
  EXPECT_LE(shrunk->after.elements, 7);
  EXPECT_EQ(c.graph.main().Find("input_zp")->values->Integer(0), 0);
  EXPECT_EQ(std::get<std::vector<int64_t>>(c.graph.main().operators.back().attributes.at("stride")),
            (std::vector<int64_t>{1, 1}));
  EXPECT_EQ(shrunk->failure.report.verdict, Verdict::kFail);
}

TEST(Shrink, SameCaseEveryTime) {
  const auto once = ShrinkBy(LargeConvolution(), FlipsKernel);
  const auto again = ShrinkBy(LargeConvolution(), FlipsKernel);
  ASSERT_TRUE(once.ok() && again.ok());
  const auto first = EncodeCase(once->smallest), second = EncodeCase(again->smallest);
  EXPECT_EQ(BundleDigest(first), BundleDigest(second));
}

// A padding that counts as the zero point's distance from zero.
TEST(Shrink, KeepsThePaddingAndTheZeroPointThatTheFaultNeeds) {
  const auto shrunk = ShrinkBy(LargeConvolution(), [](const Case& c) {
    Case wrong = c;
    const auto& pad =
        std::get<std::vector<int64_t>>(c.graph.main().operators.back().attributes.at("pad"));
    const int64_t zp = c.graph.main().Find("input_zp")->values->Integer(0);
    std::map<std::string, Tensor> outputs = Native(c, c.graph);
    Tensor& output = outputs.at("output");
    // All of the first row of outputs sees padding above.
    if (pad[0] > 0 && zp != 0) output.SetInteger(0, output.Integer(0) - zp);
    return Outputs(outputs);
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_LT(shrunk->runs, 200);
  RecordProperty("runs", shrunk->runs);
  EXPECT_LE(shrunk->after.elements, 6);
  const Block& block = shrunk->smallest.graph.main();
  const auto& pad = std::get<std::vector<int64_t>>(block.operators.back().attributes.at("pad"));
  EXPECT_EQ(pad, (std::vector<int64_t>{1, 0, 0, 0}));
  EXPECT_EQ(block.Find("input_zp")->values->Integer(0), 1);
  EXPECT_THAT(shrunk->smallest.inputs.at("weight").Integers(), Each(0));
}

Case Elementwise(const std::string& op, const Tensor& x) {
  return Builder().Input("x", x).Op(op, {"x"}, "y", x.dtype(), x.shape()).Valid("y");
}

TEST(Shrink, KeepsTheElementThatIsWrong) {
  Tensor x = Counting(DType::kI32, {7, 11, 5}, 1000);
  x.SetInteger(203, -77777);
  const auto shrunk = ShrinkBy(Elementwise("ABS", x), [](const Case& c) {
    auto outputs = Native(c, c.graph);
    Tensor& y = outputs.at("y");
    for (int64_t i = 0; i < y.size(); ++i) {
      if (y.Integer(i) > 70000) y.SetInteger(i, 70000);
    }
    return Outputs(outputs);
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->after.elements, 1);
  EXPECT_LT(shrunk->runs, 40);
  const int64_t value = shrunk->smallest.inputs.at("x").Integer(0);
  EXPECT_GT(std::abs(value), 70000);
}

TEST(Shrink, FloatingPointValuesLoseDigits) {
  Tensor x = Counting(DType::kFp32, {40}, 100);
  x.SetValue(17, 1234.56789);
  const auto shrunk = ShrinkBy(Elementwise("FLOOR", x), [](const Case& c) {
    auto outputs = Native(c, c.graph);
    Tensor& y = outputs.at("y");
    for (int64_t i = 0; i < y.size(); ++i) {
      if (y.Value(i) > 1000) y.SetValue(i, y.Value(i) + 1);
    }
    return Outputs(outputs);
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  ASSERT_EQ(shrunk->after.elements, 1);
  EXPECT_EQ(shrunk->smallest.inputs.at("x").Value(0), 1024);
}

// 0^0 and 0^-1 are bound by nothing: with an exponent like these, a subnormal base that may be zero
// leaves an answer that every result meets.
TEST(Shrink, CaseThatNothingCouldFailIsNotTried) {
  const Case given = Builder()
                         .Input("x", Tensor::OfFloats(DType::kFp32, {1}, {1e-40}))
                         .Input("y", Tensor::OfFloats(DType::kFp32, {1}, {0.5}))
                         .Op("POW", {"x", "y"}, "z", DType::kFp32, {1})
                         .Valid("z");
  const auto shrunk = ShrinkBy(given, [](const Case& c) {
    return Outputs({{"z", Tensor::OfFloats(DType::kFp32, c.inputs.at("x").shape(), {5})}});
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->kind, "a wrong value");
  EXPECT_EQ(shrunk->smallest.inputs.at("y").Value(0), 1);
}

TEST(Shrink, AnotherFailureDoesNotReplaceIt) {
  const auto shrunk =
      ShrinkBy(Elementwise("ABS", Counting(DType::kI32, {16}, 9)), [](const Case& c) {
        auto outputs = Native(c, c.graph);
        Tensor& y = outputs.at("y");
        if (y.size() < 5) return Says(R"({"status": "crash", "signal": 11})");
        y.SetInteger(0, y.Integer(0) + 1);
        return Outputs(outputs);
      });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->after.elements, 5);
  EXPECT_EQ(shrunk->kind, "a wrong value");
}

TEST(Shrink, CrashStaysTheSameCrash) {
  const auto shrunk =
      ShrinkBy(Elementwise("ABS", Counting(DType::kI32, {4, 9}, 9)), [](const Case& c) {
        const Shape& shape = c.inputs.at("x").shape();
        if (shape.back() < 3) return Says(R"({"status": "crash", "signal": 6})");
        return Says(R"({"status": "crash", "signal": 11, "message": "at 0x7f"})");
      });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->kind, "a crash, signal 11");
  EXPECT_THAT(shrunk->smallest.inputs.at("x").shape(), ElementsAre(3));
}

TEST(Shrink, ValidCaseThatIsRefusedKeepsTheRankThatIsRefused) {
  const Case given =
      Builder()
          .Input("x", Counting(DType::kI8, {2, 3, 4, 5}, 9))
          .Constant("padding", Tensor::OfIntegers(DType::kShape, {8}, {1, 2, 0, 1, 0, 0, 3, 0}))
          .Constant("pad_const", I8({5}))
          .Op("PAD", {"x", "padding", "pad_const"}, "y", DType::kI8, {5, 4, 4, 8})
          .Valid("y");
  const auto shrunk = ShrinkBy(given, [](const Case& c) {
    const size_t rank = c.inputs.at("x").shape().size();
    if (rank < 3) return Right(c);
    return Says(StrCat(R"({"status": "error", "message": "rank )", rank, R"( is too high"})"));
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->kind, "an error where a result is due: rank is too high");
  EXPECT_THAT(shrunk->smallest.inputs.at("x").shape(), ElementsAre(1, 1, 1));
  const auto padding = shrunk->smallest.graph.main().Find("padding")->values->Integers();
  EXPECT_THAT(padding, ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(Shrink, ErrorThatIsAcceptedKeepsItsOneCondition) {
  const Case given = Builder()
                         .Input("x", Counting(DType::kI8, {4, 6}, 9))
                         .Op("IDENTITY", {"x"}, "y", DType::kI8, {4, 7})
                         .Error("y");
  const auto shrunk = ShrinkBy(given, [](const Case&) { return Says(R"({"status": "ok"})"); });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->kind, "a result where an error is due");
  EXPECT_EQ(shrunk->smallest.condition, given.condition);
  EXPECT_LE(shrunk->after.elements, 6);
  EXPECT_NE(shrunk->smallest.inputs.at("x").shape(),
            shrunk->smallest.graph.main().Find("y")->shape);
}

TEST(Shrink, CutsAGraphToTheOperatorThatIsWrong) {
  const Shape shape = {3, 4};
  const Case given = Builder()
                         .Input("x", Counting(DType::kI32, shape, 50))
                         .Op("ABS", {"x"}, "a", DType::kI32, shape)
                         .Op("CLZ", {"a"}, "b", DType::kI32, shape)
                         .Op("BITWISE_NOT", {"b"}, "c", DType::kI32, shape)
                         .Op("ABS", {"c"}, "d", DType::kI32, shape)
                         .Valid("d");
  const auto shrunk = ShrinkBy(given, [](const Case& c) {
    // CLZ counts one too few.
    Case wrong = c;
    Block& block = wrong.graph.main();
    std::map<std::string, Tensor> values = c.inputs;
    for (const GraphOperator& op : c.graph.main().operators) {
      Case one = c;
      Block& alone = one.graph.main();
      alone.operators = {op};
      alone.inputs = op.inputs;
      alone.outputs = op.outputs;
      one.inputs = {{op.inputs[0], values.at(op.inputs[0])}};
      Tensor made = Native(one, one.graph).at(op.outputs[0]);
      for (int64_t i = 0; op.op == "CLZ" && i < made.size(); ++i) {
        made.SetInteger(i, made.Integer(i) - 1);
      }
      values.insert_or_assign(op.outputs[0], made);
    }
    std::map<std::string, Tensor> outputs;
    for (const std::string& name : block.outputs) outputs.emplace(name, values.at(name));
    return Outputs(outputs);
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->after.operators, 1);
  EXPECT_EQ(shrunk->smallest.op, "CLZ");
  EXPECT_EQ(shrunk->smallest.types.at("in_out_t"), "i32");
  EXPECT_EQ(shrunk->after.elements, 1);
}

TEST(Shrink, ErrorsOfAllTogetherKeepTheCase) {
  // 1024 dot products of length 8, whose errors all have the same sign.
  const Edition& edition = **FindEdition("tosa-1.0");
  Case given = Builder()
                   .Input("a", Counting(DType::kFp32, {1, 32, 8}, 64))
                   .Input("b", Counting(DType::kFp32, {1, 8, 32}, 48))
                   .Constant("a_zp", Tensor::OfFloats(DType::kFp32, {1}, {0}))
                   .Constant("b_zp", Tensor::OfFloats(DType::kFp32, {1}, {0}))
                   .Op("MATMUL", {"a", "b", "a_zp", "b_zp"}, "y", DType::kFp32, {1, 32, 32})
                   .Valid("y");
  auto evaluation = Evaluate(given.graph, given.inputs, edition, *edition.FindLevel("8K"), 3);
  ASSERT_TRUE(evaluation.ok());
  given.outputs = evaluation->outputs;
  given.data_set = "S3";
  const auto shrunk = ShrinkBy(given, [](const Case& c) {
    const ExpectedOutput& output = c.outputs[0];
    Tensor y(DType::kFp32, output.shape);
    for (int64_t i = 0; i < y.size(); ++i) {
      const double unit = std::ldexp(output.answers[0].bound->Element(i), -24);
      y.SetValue(i,
                 output.answers[0].expected.Element(i) + 0.5 * output.rule.absolute_limit * unit);
    }
    return Outputs({{"y", y}});
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_TRUE(shrunk->statistics_only);
  EXPECT_EQ(shrunk->after, shrunk->before);
  EXPECT_EQ(shrunk->runs, 3);
  EXPECT_EQ(shrunk->smallest.data_set, "S3");
}

TEST(Shrink, CaseThatPassesIsAnError) {
  const auto shrunk = ShrinkBy(Elementwise("ABS", Counting(DType::kI32, {4}, 9)), Right);
  ASSERT_FALSE(shrunk.ok());
  EXPECT_THAT(Message(shrunk.status()), HasSubstr("networks/test: does not fail"));
}

TEST(Shrink, FailureAtRandomIsAnError) {
  int runs = 0;
  const auto shrunk =
      ShrinkBy(Elementwise("ABS", Counting(DType::kI32, {4}, 9)), [&runs](const Case& c) {
        return ++runs == 2 ? Right(c) : Says(R"({"status": "crash", "signal": 11})");
      });
  ASSERT_FALSE(shrunk.ok());
  EXPECT_THAT(Message(shrunk.status()),
              AllOf(HasSubstr("not deterministic"), HasSubstr("in run 2 it passed")));
}

TEST(Shrink, StopsAtTheLimitOfRuns) {
  ShrinkOptions options;
  options.max_runs = 6;
  const auto shrunk = ShrinkBy(LargeConvolution(), FlipsKernel, options);
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_EQ(shrunk->runs, 6);
  EXPECT_TRUE(shrunk->limit_reached);
  EXPECT_LT(shrunk->after, shrunk->before);
}

TEST(Shrink, InterruptedItKeepsTheSmallestSoFar) {
  int runs = 0;
  const Trial trial = TrialOf(FlipsKernel);
  const auto shrunk = Shrink(LargeConvolution(),
                             [&](const Case& c) -> StatusOr<std::optional<CheckedCase>> {
                               if (++runs > 8) return std::optional<CheckedCase>();
                               return trial(c);
                             },
                             {});
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_TRUE(shrunk->interrupted);
  EXPECT_LT(shrunk->after, shrunk->before);
  EXPECT_EQ(shrunk->failure.report.verdict, Verdict::kFail);
}

// y = x[N, 2], copied, under three bindings.
Case SymbolicCopy() {
  Case c;
  c.id = "symbolic/copy";
  c.edition = kDefaultEdition;
  c.level = "8K";
  c.op = "IDENTITY";
  c.graph = EmptyGraph();
  Block& block = c.graph.main();
  block.inputs = {"x"};
  block.outputs = {"y"};
  for (const char* name : {"x", "y"}) {
    block.tensors.push_back({name, DType::kI8, {-1, 2}, nullptr, {StrCat("N_", name), ""}});
  }
  block.operators = {{"IDENTITY", {"x"}, {"y"}, {}}};
  for (const int64_t n : {2, 3, 4}) {
    c.bindings.push_back({{"N_x", n}});
    const std::map<std::string, Tensor> inputs = {{"x", Counting(DType::kI8, {n, 2}, 9)}};
    if (n == 2) c.inputs = inputs;
    if (n > 2) c.later_inputs.push_back(inputs);
  }
  const Edition& edition = **FindEdition(c.edition);
  const auto evaluations =
      EvaluateSequence(c.graph, c.InputsOfExecutions(), edition, *edition.FindLevel("8K"));
  EXPECT_TRUE(evaluations.ok()) << evaluations.status();
  for (const Evaluation& each : *evaluations) {
    c.outputs.insert(c.outputs.end(), each.outputs.begin(), each.outputs.end());
  }
  return c;
}

// The bindings of a symbolic program that do not matter go; the rest is resolve's.
TEST(Shrink, LeavesOutBindings) {
  const auto shrunk = ShrinkBy(SymbolicCopy(), [](const Case& c) {
    Files files = Says(R"({"status": "ok"})");
    for (size_t k = 0; k < c.bindings.size(); ++k) {
      Tensor copy = c.InputsOfExecutions()[k]->at("x");
      if (c.bindings[k].at("N_x") == 3) copy.SetInteger(0, 77);
      files[ResultName("y", static_cast<int>(k)) + ".npy"] = EncodeNpy(copy);
    }
    return files;
  });
  ASSERT_TRUE(shrunk.ok()) << shrunk.status();
  EXPECT_THAT(shrunk->smallest.bindings, ElementsAre(Binding{{"N_x", 3}}));
  EXPECT_EQ(shrunk->smallest.executions(), 1);
  ASSERT_EQ(shrunk->smallest.outputs.size(), 1u);
  EXPECT_EQ(shrunk->smallest.outputs[0].shape, (Shape{3, 2}));
  EXPECT_EQ(shrunk->smallest.graph.main().operators.size(), 1u);
}

TEST(FailureKind, LeavesOutNumbersShapesAndPaths) {
  CaseReport report;
  report.verdict = Verdict::kUnsupported;
  report.said = "/tmp/x/3.mlir:12:5: error: 'tosa.pad' op has tensor<1x2xi8> 17 times";
  EXPECT_EQ(FailureKind(report), "unsupported: error: 'tosa.pad' op has tensor times");
}

TEST(FailureKind, LeavesOutAddressesWhichNoTwoProcessesShare) {
  CaseReport one, other;
  one.verdict = other.verdict = Verdict::kUnsupported;
  one.said = "no kernel at 0x55d0abc7f3, buffer=0xdeadbeef of device";
  other.said = "no kernel at 0x7fff01, buffer=0xcafe of device";
  EXPECT_EQ(FailureKind(one), "unsupported: no kernel at of device");
  EXPECT_EQ(FailureKind(one), FailureKind(other));
}

TEST(FailureKind, KeepsTheWordsAfterASignThatIsNoBracket) {
  CaseReport report;
  report.verdict = Verdict::kUnsupported;
  report.said = "rank < 5 is due (found 6) in pad -> tensor<2x(3)->i8> of main";
  EXPECT_EQ(FailureKind(report), "unsupported: rank < is due in pad -> tensor of main");
}

}  // namespace
}  // namespace cts
