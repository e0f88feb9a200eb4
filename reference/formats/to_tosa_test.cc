#include "reference/formats/to_tosa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/json.h"
#include "reference/calls/operator_call.h"
#include "reference/evaluate/native.h"
#include "reference/formats/mlir/mlir_text.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

const Edition& Get(std::string_view id) { return **FindEdition(id); }

OperatorCall CallOf(Json json) {
  json["edition"] = "rvtensor";
  const auto call = OperatorCallFromJson(json);
  EXPECT_TRUE(call.ok()) << call.status();
  return *call;
}

StatusOr<Graph> Lowered(const OperatorCall& call) {
  return ToTosa(call.graph, Get("rvtensor"), Get("tosa-1.0"));
}

Json Ones(const std::string& dtype, const Shape& shape) {
  return {{"dtype", dtype}, {"shape", shape}, {"data", nullptr}};
}
Json Numbered(const std::string& dtype, const Shape& shape) {
  Json data = Json::array();
  for (int64_t i = 0; i < ElementCount(shape); ++i) data.push_back(7 * i % 23 - 9);
  return {{"dtype", dtype}, {"shape", shape}, {"data", std::move(data)}};
}

Json Conv2d(const std::string& in, const std::string& weight, const std::string& out) {
  return {{"operator", "CONV2D"},
          {"arguments",
           {{"input", Numbered(in, {2, 3, 4, 5})},
            {"weight", Numbered(weight, {4, 3, 2, 2})},
            {"bias", Numbered(out, {4})},
            {"pad", {1, 0, 0, 1}},
            {"stride", {1, 1}},
            {"dilation", {1, 1}},
            {"in_qpoint", 0},
            {"w_qpoint", 0}}},
          {"output_types", {{"output", {{"dtype", out}}}}}};
}
Json FullyConnected(const std::string& in, const std::string& weight, const std::string& out) {
  return {{"operator", "FULLY_CONNECTED"},
          {"arguments",
           {{"input", Numbered(in, {3, 5})},
            {"weight", Numbered(weight, {2, 5})},
            {"bias", Numbered(out, {2})},
            {"in_qpoint", 0},
            {"w_qpoint", 0}}},
          {"output_types", {{"output", {{"dtype", out}}}}}};
}

// The lowered graph's outcome and output in TOSA.
Evaluation InTosa(const OperatorCall& call) {
  const StatusOr<Graph> lowered = Lowered(call);
  EXPECT_TRUE(lowered.ok()) << lowered.status();
  const auto evaluation =
      Evaluate(*lowered, call.inputs, Get("tosa-1.0"), *Get("tosa-1.0").FindLevel("8K"));
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  return *evaluation;
}

void ExpectTheSame(const Json& json) {
  const OperatorCall call = CallOf(json);
  const auto given = EvaluateCall(call);
  ASSERT_TRUE(given.ok()) << given.status();
  const Evaluation lowered = InTosa(call);
  ASSERT_EQ(given->outcome, Outcome::kValid);
  ASSERT_EQ(lowered.outcome, Outcome::kValid) << lowered.message;
  ASSERT_EQ(lowered.outputs.size(), 1u);
  EXPECT_EQ(lowered.outputs[0].name, "output");
  EXPECT_EQ(lowered.outputs[0].answers[0].expected, given->outputs[0].answers[0].expected);
}

TEST(ToTosa, KeepsWhatAGraphYields) {
  Json quantized = Conv2d("i8", "i8", "i32");
  quantized["arguments"]["in_qpoint"] = -7;
  quantized["arguments"]["w_qpoint"] = 3;
  ExpectTheSame(quantized);
  ExpectTheSame(Conv2d("fp32", "fp32", "fp32"));
  ExpectTheSame(Conv2d("fp16", "fp16", "fp16"));
  Json connected = FullyConnected("i8", "i8", "i32");
  connected["arguments"]["w_qpoint"] = 3;
  ExpectTheSame(connected);
  ExpectTheSame({{"operator", "RESCALE"},
                 {"arguments",
                  {{"input", Numbered("i8", {2, 3})},
                   {"in_qpoint", 200},
                   {"out_qpoint", -3},
                   {"multiplier", {1 << 14, 20000, 16385}},
                   {"shift", {13, 15, 14}},
                   {"scale32", false},
                   {"per_channel", true},
                   {"in_unsigned", true},
                   {"out_unsigned", false}}},
                 {"output_types", {{"output", {{"dtype", "i8"}}}}}});
}

// FULLY_CONNECTED of fp16 with a result of fp32 is MATMUL and ADD.
TEST(ToTosa, TakesMatmulWhereNoConvolutionHasTheTypes) {
  const OperatorCall call = CallOf(FullyConnected("bf16", "bf16", "fp32"));
  const auto given = ExecuteNative(call.graph, call.inputs, Get("rvtensor"), *call.level);
  const auto lowered =
      ExecuteNative(*Lowered(call), call.inputs, Get("tosa-1.0"), *Get("tosa-1.0").FindLevel("8K"));
  ASSERT_TRUE(given.ok() && lowered.ok());
  ASSERT_EQ(lowered->outcome, Outcome::kValid) << lowered->message;
  EXPECT_EQ(lowered->outputs.at("output"), given->outputs.at("output"));
}

TEST(ToTosa, LeavesWrongWhatIsWrong) {
  const auto outcome = [](const Json& json) {
    const OperatorCall call = CallOf(json);
    EXPECT_EQ(EvaluateCall(call)->outcome, Outcome::kError);
    return InTosa(call).violations.front().condition;
  };
  Json call = Conv2d("i8", "i8", "i32");
  call["arguments"]["bias"] = Ones("i32", {3});
  call["output_types"]["output"]["shape"] = {2, 4, 4, 5};
  EXPECT_EQ(outcome(call), "conv2d.bias_channels");
  call = Conv2d("i8", "i8", "i32");
  call["output_types"]["output"]["shape"] = {2, 4, 4, 6};
  EXPECT_EQ(outcome(call), "conv2d.output_width");
  call["output_types"]["output"]["shape"] = {2, 4, 4, 5, 1};
  EXPECT_EQ(outcome(call), "graph.rank");
  call = Conv2d("i16", "i8", "i32");
  call["output_types"]["output"]["shape"] = {2, 4, 4, 5};
  EXPECT_EQ(outcome(call), "graph.type_row");
  call = FullyConnected("fp32", "fp32", "fp32");
  call["arguments"]["w_qpoint"] = 1;
  EXPECT_EQ(outcome(call), "conv2d.weight_zp");
  // A call cannot have this fault; a graph may.
  OperatorCall missing = CallOf(Conv2d("i8", "i8", "i32"));
  missing.graph.main().operators.back().attributes.erase("in_qpoint");
  EXPECT_EQ(InTosa(missing).violations.front().condition, "graph.operand_count");
}

TEST(ToTosa, SaysWhatTosaCannot) {
  const auto reason = [](const OperatorCall& call) { return Message(Lowered(call).status()); };
  EXPECT_THAT(reason(CallOf(Conv2d("i16", "i8", "i48"))),
              HasSubstr("CONV2D: TRANSPOSE of tosa-1.0 has no i48"));
  EXPECT_THAT(reason(CallOf(FullyConnected("i16", "i8", "i48"))),
              HasSubstr("FULLY_CONNECTED: RESHAPE of tosa-1.0 has no i48"));
  OperatorCall beyond = CallOf(Conv2d("i8", "i8", "i32"));
  beyond.graph.main().operators.back().attributes["in_qpoint"] = int64_t{200};
  EXPECT_THAT(reason(beyond), HasSubstr("a constant of i8 cannot hold in_qpoint"));
}

TEST(ToTosa, IsHowMlirIsWritten) {
  Json json = {{"operator", "CONV2D"},
               {"arguments",
                {{"input", Ones("i8", {1, 2, 1, 3})},
                 {"weight", Ones("i8", {1, 2, 1, 1})},
                 {"bias", Ones("i32", {1})},
                 {"pad", {0, 0, 0, 0}},
                 {"stride", {1, 1}},
                 {"dilation", {1, 1}},
                 {"in_qpoint", 5},
                 {"w_qpoint", -6}}}};
  const auto text = RenderMlir(CallOf(json).graph, Get("rvtensor"), "f");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text,
            "func.func @f(%input: tensor<1x2x1x3xi8>, %weight: tensor<1x2x1x1xi8>, "
            "%bias: tensor<1xi32>) -> (tensor<1x1x1x3xi32>) attributes {llvm.emit_c_interface} {\n"
            "  %input_0 = \"tosa.transpose\"(%input) {perms = array<i32: 0, 2, 3, 1>} : "
            "(tensor<1x2x1x3xi8>) -> (tensor<1x1x3x2xi8>)\n"
            "  %weight_0 = \"tosa.transpose\"(%weight) {perms = array<i32: 0, 2, 3, 1>} : "
            "(tensor<1x2x1x1xi8>) -> (tensor<1x1x1x2xi8>)\n"
            "  %in_qpoint_0 = \"tosa.const\"() {values = dense<[5]> : tensor<1xi8>} : () -> "
            "(tensor<1xi8>)\n"
            "  %w_qpoint_0 = \"tosa.const\"() {values = dense<[-6]> : tensor<1xi8>} : () -> "
            "(tensor<1xi8>)\n"
            "  %output_0 = \"tosa.conv2d\"(%input_0, %weight_0, %bias, %in_qpoint_0, %w_qpoint_0) "
            "{acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, "
            "stride = array<i64: 1, 1>} : (tensor<1x1x3x2xi8>, tensor<1x1x1x2xi8>, tensor<1xi32>, "
            "tensor<1xi8>, tensor<1xi8>) -> (tensor<1x1x3x1xi32>)\n"
            "  %output = \"tosa.transpose\"(%output_0) {perms = array<i32: 0, 3, 1, 2>} : "
            "(tensor<1x1x3x1xi32>) -> (tensor<1x1x1x3xi32>)\n"
            "  return %output : tensor<1x1x1x3xi32>\n}\n");
}

}  // namespace
}  // namespace cts
