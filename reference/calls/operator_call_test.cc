#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reference/base/float_modes_testing.h"
#include "reference/base/json.h"
#include "reference/calls/call_answer.h"

namespace cts {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A call and its answer, which must be what the schemas say.
Json Answer(const Json& call) {
  const CallAnswer answer = AnswerCall(call.dump());
  const StatusOr<Json> json = ParseJson(answer.line, "answer");
  EXPECT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(ValidateJson(*json, "answer", "answer"), absl::OkStatus());
  EXPECT_EQ(answer.malformed, json->contains("malformed"));
  if (!answer.malformed) {
    EXPECT_EQ(ValidateJson(call, "call", "call"), absl::OkStatus());
  }
  EXPECT_EQ((*json)["id"], call.is_object() ? call.value("id", Json(nullptr)) : Json(nullptr));
  return *json;
}
std::string Malformed(const Json& call) { return Answer(call).value("malformed", "no"); }

Json TensorOf(const std::string& dtype, const Shape& shape, const Json& data) {
  return {{"dtype", dtype}, {"shape", shape}, {"data", data}};
}
Json Clamp(const Json& data) {
  const Shape shape = {static_cast<int64_t>(data.size())};
  return {{"id", 1},
          {"operator", "CLAMP"},
          {"arguments",
           {{"input", TensorOf("i8", shape, data)},
            {"min_val", -1},
            {"max_val", 5},
            {"nan_mode", "PROPAGATE"}}},
          {"output_types", {{"output", {{"dtype", "i8"}, {"shape", shape}}}}}};
}
// ADD of a list to itself.
Json Double(const std::string& dtype, const Json& data) {
  const Json tensor = TensorOf(dtype, {static_cast<int64_t>(data.size())}, data);
  return {{"operator", "ADD"}, {"arguments", {{"input1", tensor}, {"input2", tensor}}}};
}
// Returns the result of IDENTITY on `data`, or the complaint.
Json Identity(const std::string& dtype, const Json& data) {
  const Json tensor = TensorOf(dtype, {static_cast<int64_t>(data.size())}, data);
  const Json answer = Answer({{"operator", "IDENTITY"}, {"arguments", {{"input1", tensor}}}});
  return answer.contains("malformed") ? answer["malformed"] : answer["outputs"]["output"]["data"];
}

TEST(OperatorCall, IsAnsweredByOutcomeValuesAndRule) {
  const Json answer = Answer(Clamp({-9, 0, 9}));
  EXPECT_EQ(answer["outcome"], "valid");
  EXPECT_EQ(answer["conditions"], Json::array());
  EXPECT_EQ(answer["outputs"]["output"], TensorOf("i8", {3}, {-1, 0, 5}));
  EXPECT_EQ(answer["rules"]["output"]["kind"], "exact");
  EXPECT_EQ(answer["flushed"], Json::object());
}

TEST(OperatorCall, NamesTheConditionsThatAreBroken) {
  Json call = Clamp({0});
  call["arguments"]["max_val"] = -2;
  const Json answer = Answer(call);
  EXPECT_EQ(answer["outcome"], "error");
  EXPECT_EQ(answer["conditions"], Json({"clamp.bounds_order"}));
  EXPECT_EQ(answer["violations"][0]["kind"], "error_if");
  EXPECT_EQ(answer["outputs"], Json::object());
  const Json overflow = Answer(Double("i32", {1, 1 << 30}));
  EXPECT_EQ(overflow["outcome"], "unpredictable");
  EXPECT_EQ(overflow["conditions"], Json({"integer.overflow"}));
  call = Clamp({0});
  call["output_types"]["output"]["dtype"] = "i16";
  EXPECT_EQ(Answer(call)["conditions"], Json({"graph.type_row"}));
}

// 6e-8 is 2^-24 in fp16, below its least normal number.
TEST(OperatorCall, HasBothAnswersWhereFlushingMatters) {
  const Json answer = Answer(Double("fp16", {6e-8, "0x1.8p3"}));
  EXPECT_EQ(answer["outputs"]["output"]["data"], Json({"0x1p-23", "0x1.8p+4"}));
  EXPECT_EQ(answer["flushed"]["output"]["data"], Json({"0x0p+0", "0x1.8p+4"}));
  EXPECT_EQ(answer["rules"]["output"]["ulp"], 0.5);
}

TEST(OperatorCall, BoundsStandWithTheRule) {
  const Json answer =
      Answer({{"operator", "EXP"}, {"arguments", {{"input1", TensorOf("fp32", {2}, {0.0, 1.0})}}}});
  const Json& rule = answer["rules"]["output"];
  EXPECT_EQ(rule["kind"], "absolute_bound");
  EXPECT_EQ(rule["bound"]["dtype"], "fp64");
  EXPECT_EQ(rule["bound"]["data"][0], "0x0p+0");  // a value of the table
  // e * 2^-23 * (3 + 2 * 1): section EXP, err_base of fp32.
  const StatusOr<double> bound = DoubleFromJson(rule["bound"]["data"][1]);
  EXPECT_NEAR(*bound, 2.718281828 * 0x1p-23 * 5, 1e-14);
}

TEST(OperatorCall, ReadsEveryWayToWriteANumber) {
  EXPECT_EQ(Identity("fp32", {"nan", "inf", "-inf", "-0.0", -0.0, "0x1.8p3", "-1e-2", 0.1, 3}),
            Json({"nan", "inf", "-inf", "-0x0p+0", "-0x0p+0", "0x1.8p+3", "-0x1.47ae14p-7",
                  "0x1.99999ap-4", "0x1.8p+1"}));
  EXPECT_EQ(Identity("i48", {140737488355327, -140737488355328}),
            Json({140737488355327, -140737488355328}));
  EXPECT_EQ(Identity("bool", {true, 0, 1, false}), Json({true, false, true, false}));
  EXPECT_EQ(Identity("i4", {-7, 7}), Json({-7, 7}));
  const Json ones = TensorOf("bf16", {2}, nullptr);
  const Json answer = Answer({{"operator", "IDENTITY"}, {"arguments", {{"input1", ones}}}});
  EXPECT_EQ(answer["outputs"]["output"]["data"], Json({"0x1p+0", "0x1p+0"}));
}

TEST(OperatorCall, RoundsWhatIsTooSmallForFp64ToZero) {
  EXPECT_EQ(Identity("fp32", {"1e-999", "-1e-999"}), Json({"0x0p+0", "-0x0p+0"}));
}

TEST(OperatorCall, PropagatesNanWhereTheModeIsLeftOut) {
  Json call = Clamp({-9, 0, 9});
  call["arguments"].erase("nan_mode");
  EXPECT_EQ(Answer(call)["outputs"], Answer(Clamp({-9, 0, 9}))["outputs"]);
}

TEST(OperatorCall, RefusesNumbersThatAreNoneOfTheType) {
  const auto expect = [](const std::string& dtype, const Json& value, const std::string& what) {
    EXPECT_THAT(Identity(dtype, {0, value}).dump(),
                AllOf(HasSubstr("/arguments/input1/data/1: "), HasSubstr(what)));
  };
  expect("i8", 128, "found 128, expected an integer from -128 to 127 (i8)");
  expect("i4", -8, "from -7 to 7");
  expect("i32", 1.0, "found 1.0, expected an integer");
  expect("i32", "1", "expected an integer");
  expect("i32", nullptr, "found null");
  expect("i32", Json::array({1}), "found a list of 1");
  expect("i64", 9223372036854775808u, "found 9223372036854775808");
  expect("bool", 2, "found 2, expected true, false, 1 or 0");
  expect("fp16", 65520, "found 65520, which is beyond the greatest fp16");
  expect("fp8e4m3", "inf", "but fp8e4m3 has no infinity");
  expect("fp32", "1.5.2", "found \\\"1.5.2\\\"");
  expect("fp32", "0x", "found \\\"0x\\\"");
  expect("fp32", "infinity", "expected a number");
  expect("fp32", "", "expected a number");
  expect("fp32", "-", "expected a number");
  expect("fp32", "1e999", "found \\\"1e999\\\", which is beyond the greatest fp32");
  expect("fp32", true, "found true");
}

TEST(OperatorCall, ServesBothEditions) {
  const auto pad = [](const std::string& edition, const Json& pad_const) {
    return Answer({{"edition", edition},
                   {"operator", "PAD"},
                   {"arguments",
                    {{"input1", TensorOf("i8", {2}, {1, 2})},
                     {"padding", {1, 0}},
                     {"pad_const", pad_const}}}});
  };
  for (const char* edition : {"tosa-0.100", "tosa-1.0"}) {
    for (const Json& pad_const : {Json(7), TensorOf("i8", {1}, {7})}) {
      const Json answer = pad(edition, pad_const);
      EXPECT_EQ(answer["outputs"]["output"], TensorOf("i8", {3}, {7, 1, 2})) << answer;
    }
  }
  EXPECT_THAT(pad("tosa-0.100", TensorOf("i16", {1}, {7}))["malformed"].dump(),
              HasSubstr("/arguments/pad_const/dtype: found i16, expected i8"));
  EXPECT_THAT(pad("tosa-0.100", TensorOf("i8", {1, 1}, {7}))["malformed"].dump(),
              HasSubstr("expected at most one dimension"));
  EXPECT_THAT(pad("tosa-0.100", 128)["malformed"].dump(),
              HasSubstr("/arguments/pad_const: found 128, expected an integer from -128"));
}

TEST(OperatorCall, TakesListsOfTensorsAndConstants) {
  const Json call = {
      {"operator", "CONCAT"},
      {"arguments",
       {{"input1", {TensorOf("i8", {1}, {1}), TensorOf("i8", {2}, {2, 3})}}, {"axis", 0}}}};
  EXPECT_EQ(Answer(call)["outputs"]["output"], TensorOf("i8", {3}, {1, 2, 3}));
  EXPECT_EQ(Answer({{"operator", "CONST"},
                    {"arguments", {{"values", TensorOf("i4", {1}, {3})}}}})["outputs"]["output"],
            TensorOf("i4", {1}, {3}));
  EXPECT_EQ(Answer({{"operator", "CONST_SHAPE"},
                    {"arguments", {{"values", {4, 5}}}}})["outputs"]["output"],
            TensorOf("shape", {2}, {4, 5}));
  EXPECT_EQ(Answer({{"operator", "CONST_SHAPE"},
                    {"arguments", {{"values", Json::array()}}}})["outputs"]["output"],
            TensorOf("shape", {0}, Json::array()));
}

// The specification's own: two operands of a multiplication, shift in another type than both.
TEST(OperatorCall, GivesPlainValuesTheTypeOfTheArgumentTable) {
  const Json call = {{"operator", "MUL"},
                     {"arguments",
                      {{"input1", TensorOf("i32", {1}, {6})},
                       {"input2", TensorOf("i32", {1}, {5})},
                       {"shift", 1}}}};
  EXPECT_EQ(Answer(call)["outputs"]["output"], TensorOf("i32", {1}, {15}));
  // RESCALE's multiplier has 32 bits with scale32, otherwise 16.
  Json rescale = {{"operator", "RESCALE"},
                  {"arguments",
                   {{"input", TensorOf("i32", {1}, {100})},
                    {"multiplier", 1 << 30},
                    {"shift", 31},
                    {"input_zp", 0},
                    {"output_zp", 0},
                    {"scale32", true},
                    {"rounding_mode", "SINGLE_ROUND"},
                    {"per_channel", false},
                    {"input_unsigned", false},
                    {"output_unsigned", false}}},
                  {"output_types", {{"output", {{"dtype", "i16"}}}}}};
  EXPECT_EQ(Answer(rescale)["outputs"]["output"], TensorOf("i16", {1}, {50}));
  rescale["arguments"]["scale32"] = false;
  EXPECT_THAT(Malformed(rescale), HasSubstr("/arguments/multiplier: found 1073741824, expected"));
  // CAST's output type is anything.
  EXPECT_THAT(
      Malformed({{"operator", "CAST"}, {"arguments", {{"input", TensorOf("i8", {1}, {1})}}}}),
      HasSubstr("/output_types: expected a member \"output\" with the dtype"));
}

TEST(OperatorCall, InfersTheShapesThatItLeavesOpen) {
  Json call = {{"operator", "TILE"},
               {"arguments", {{"input1", TensorOf("i8", {2}, {1, 2})}, {"multiples", {2}}}}};
  EXPECT_EQ(Answer(call)["outputs"]["output"], TensorOf("i8", {4}, {1, 2, 1, 2}));
  call["arguments"]["multiples"] = {2, 2};
  EXPECT_EQ(Answer(call)["outcome"], "error");
  EXPECT_EQ(Answer(call)["conditions"], Json({"graph.shape"}));
  // These calls are wrong whatever the shape that was left out.
  const auto conditions = [](const std::string& op, const Json& arguments) {
    const Json answer = Answer({{"operator", op}, {"arguments", arguments}});
    return answer.value("outcome", "malformed") + " " +
           answer.value("conditions", Json::array()).dump();
  };
  const Json two = TensorOf("i32", {2}, {1, 2}), three = TensorOf("i32", {3}, {1, 2, 3});
  EXPECT_EQ(conditions("ADD", {{"input1", two}, {"input2", three}}), "error [\"add.broadcast\"]");
  EXPECT_EQ(conditions("ABS", {{"input1", TensorOf("i48", {1}, {1})}}),
            "error [\"graph.type_row\"]");
  EXPECT_EQ(conditions("REDUCE_SUM", {{"input", two}, {"axis", 1}}),
            "error [\"reduce_sum.axis_range\"]");
  EXPECT_EQ(conditions("SLICE", {{"input1", two}, {"start", {0}}, {"size", {-1}}}),
            "error [\"slice.size_not_positive\"]");
}

TEST(OperatorCall, IsMalformedWhereItIsNoCall) {
  EXPECT_THAT(Malformed(Json::array()), HasSubstr("/: found a list of 0, expected an object"));
  EXPECT_THAT(Malformed({{"id", "x"}}), HasSubstr("expected a member \"operator\""));
  const auto change = [](const char* pointer, const Json& value) {
    Json call = Clamp({0, 1});
    call[Json::json_pointer(pointer)] = value;
    return Malformed(call);
  };
  EXPECT_THAT(change("/edition", "tosa-2"),
              HasSubstr("/edition: found \"tosa-2\", expected one of"));
  EXPECT_THAT(change("/edition", "tosa-1.1-draft"), HasSubstr("/edition"));
  EXPECT_THAT(change("/edition", 1), HasSubstr("/edition: found 1, expected a name"));
  EXPECT_THAT(change("/level", "9K"), HasSubstr("/level: found \"9K\", expected one of none, 8K"));
  EXPECT_THAT(change("/operator", "clmp"),
              AllOf(HasSubstr("/operator: found \"clmp\""), HasSubstr("did you mean CLAMP")));
  EXPECT_THAT(change("/operator", 3), HasSubstr("expected the name of an operator"));
  EXPECT_THAT(change("/operator", "WHILE_LOOP"), HasSubstr("tensor-cts eval --graph"));
  EXPECT_THAT(change("/operator", "VARIABLE_READ"), HasSubstr("tensor-cts eval --graph"));
  EXPECT_THAT(change("/operator", "CUSTOM"), HasSubstr("tensor-cts eval --graph"));
  EXPECT_THAT(change("/data_set", 6), HasSubstr("/data_set: found 6"));
  EXPECT_THAT(change("/operatr", "x"), HasSubstr("found the member \"operatr\", expected one of"));
  EXPECT_THAT(change("/arguments", 3), HasSubstr("/arguments: found 3"));
  EXPECT_THAT(change("/arguments/inpt", 3),
              HasSubstr("/arguments: found the member \"inpt\", expected one of input, min_val"));
  EXPECT_THAT(change("/arguments/min_val", Json::array({1, 2})), HasSubstr("found a list of 2"));
  EXPECT_THAT(
      change("/arguments/nan_mode", "PROPAGATES"),
      HasSubstr("/arguments/nan_mode: found \"PROPAGATES\", expected one of PROPAGATE, IGN"));
  EXPECT_THAT(change("/arguments/nan_mode", 1), HasSubstr("/arguments/nan_mode: found 1"));
  EXPECT_THAT(change("/arguments/input/dtype", "int8"),
              HasSubstr("/arguments/input/dtype: found \"int8\", expected one of bool, i4, i8"));
  EXPECT_THAT(change("/arguments/input/shape", "2"), HasSubstr("/arguments/input/shape: found"));
  EXPECT_THAT(change("/arguments/input/shape/0", "2"),
              HasSubstr("/arguments/input/shape/0: found"));
  EXPECT_THAT(change("/arguments/input/shape", std::vector<int>(65, 1)),
              HasSubstr("/arguments/input/shape: found a list of 65"));
  EXPECT_THAT(change("/arguments/input/data", {1, 2, 3}),
              HasSubstr("/arguments/input/data: found a list of 3, expected 2 elements"));
  EXPECT_THAT(change("/arguments/input/data", 1), HasSubstr("expected a list, or null for ones"));
  EXPECT_THAT(change("/arguments/input/data", {{1, 2}, {3, 4}}),
              HasSubstr("/arguments/input/data/0: found a list of 2"));
  EXPECT_THAT(change("/arguments/input/name", "x"),
              HasSubstr("expected one of dtype, shape, data"));
  EXPECT_THAT(change("/output_types/out", 1), HasSubstr("/output_types: found the member \"out\""));
  EXPECT_THAT(change("/output_types/output/type", 1), HasSubstr("expected one of dtype, shape"));
  Json call = Clamp({0});
  call["arguments"].erase("max_val");
  EXPECT_THAT(Malformed(call), HasSubstr("/arguments: expected a member \"max_val\""));
  call["arguments"]["input"] = 3;
  call["arguments"]["max_val"] = 3;
  call.erase("output_types");
  EXPECT_THAT(Malformed(call), HasSubstr("/arguments/input: found 3, of which no type follows"));
}

TEST(OperatorCall, OfWhatIsNoJsonSaysWhereItStops) {
  for (const std::string line :
       {"{\"id\": 1,", "{\"id\": 1} x", "{\"a\": 1, \"a\": 2}", "\xff", "{\"id\": \"\xff\"}", "nul",
        "{\"id\": 123456789012345678901234567890}"}) {
    const CallAnswer answer = AnswerCall(line);
    EXPECT_TRUE(answer.malformed) << line;
    const StatusOr<Json> json = ParseJson(answer.line, "answer");
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_THAT((*json)["malformed"].dump(), HasSubstr("not JSON: line 1, column"));
    EXPECT_EQ((*json)["id"], nullptr);
  }
  std::string deep(100000, '[');
  EXPECT_THAT(AnswerCall(deep).line, HasSubstr("nested more than 100 levels deep"));
}

// A library built with -ffast-math may have set any mode.
TEST(AnswerCall, IsTheSameInEveryFloatMode) {
  const Json small = TensorOf("fp32", {2}, {1e-40, 0.1});
  const Json zero = TensorOf("fp32", {2}, {0.0, 1e-9});
  for (const char* const op : {"MAXIMUM", "MINIMUM", "ADD", "SUB", "POW"}) {
    const Json call = {{"operator", op}, {"arguments", {{"input1", small}, {"input2", zero}}}};
    const std::string line = call.dump();
    const std::string plain = AnswerCall(line).line;
    EXPECT_EQ(Json::parse(plain)["outcome"], "valid") << plain;
    InEveryFloatMode([&] { EXPECT_EQ(AnswerCall(line).line, plain) << op; });
  }
}

// 200 is the unsigned reading of the pattern -56: 201 - 200 = 1, times 1/2, rounded up.
TEST(OperatorCall, TakesZeroPointsInBothReadings) {
  for (const Json& zero_point : {Json(200), Json(-56), TensorOf("i8", {1}, {-56})}) {
    for (const std::string edition : {"tosa-0.100", "tosa-1.0"}) {
      Json call = {{"edition", edition},
                   {"operator", "RESCALE"},
                   {"arguments",
                    {{"input", TensorOf("i8", {1}, {-55})},
                     {"multiplier", {1 << 30}},
                     {"shift", {31}},
                     {"input_zp", zero_point},
                     {"output_zp", 0},
                     {"scale32", true},
                     {"per_channel", false},
                     {"input_unsigned", true},
                     {"output_unsigned", false}}},
                   {"output_types", {{"output", {{"dtype", "i8"}}}}}};
      if (edition == "tosa-1.0") {
        call["arguments"]["rounding_mode"] = "SINGLE_ROUND";
      } else {
        call["arguments"]["double_round"] = false;
      }
      EXPECT_EQ(Answer(call)["outputs"]["output"], TensorOf("i8", {1}, {1})) << Answer(call);
      call["arguments"]["input_zp"] = 256;
      EXPECT_THAT(Malformed(call), HasSubstr("/arguments/input_zp: found 256, expected"));
    }
  }
}

// Tensors in memory, and the same call as JSON.
TEST(MakeCall, IsTheCallThatJsonMakes) {
  const Json lowest = -1, greatest = 1.5;
  CallParts parts{.op = "CLAMP"};
  parts.arguments["input"] = Tensor::OfFloats(DType::kFp32, {3}, {-2, 0.5, 3});
  parts.arguments["min_val"] = lowest;
  parts.arguments["max_val"] = greatest;
  parts.arguments["nan_mode"] = Json("PROPAGATE");
  const StatusOr<OperatorCall> made = MakeCall(parts);
  ASSERT_TRUE(made.ok()) << made.status();
  const StatusOr<OperatorCall> read =
      OperatorCallFromJson({{"operator", "CLAMP"},
                            {"arguments",
                             {{"input", TensorOf("fp32", {3}, {-2, 0.5, 3})},
                              {"min_val", lowest},
                              {"max_val", greatest},
                              {"nan_mode", "PROPAGATE"}}}});
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(made->inputs, read->inputs);
  EXPECT_EQ(EvaluationToJson(*EvaluateCall(*made), *made->edition),
            EvaluationToJson(*EvaluateCall(*read), *read->edition));
}

TEST(MakeCall, RefusesElementsOutsideTheirType) {
  Tensor bits(DType::kBool, {2});
  bits.SetBits(1, 2);
  EXPECT_THAT(Message(MakeCall({.op = "LOGICAL_NOT", .arguments = {{"input1", bits}}}).status()),
              HasSubstr("/arguments/input1: element [1]: found 2"));
  Tensor wide(DType::kI4, {1});
  wide.SetInteger(0, -8);
  EXPECT_THAT(
      Message(MakeCall({.op = "CONCAT",
                        .arguments = {{"input1", std::vector<Tensor>{wide}}, {"axis", Json(0)}}})
                  .status()),
      HasSubstr("/arguments/input1/0: element [0]: found -8"));
}

// Only MakeCall accepts a number as a tensor.
TEST(MakeCall, LendsItsTensorsToNobody) {
  Json tensor = TensorOf("i8", {1}, {1});
  tensor["data"] = 0;
  EXPECT_THAT(Malformed({{"operator", "IDENTITY"}, {"arguments", {{"input1", tensor}}}}),
              HasSubstr("/arguments/input1/data: found 0, expected a list"));
  tensor["shape"] = {2};
  const CallParts parts{.op = "ADD",
                        .arguments = {{"input1", Tensor(DType::kI8, {1})}, {"input2", tensor}}};
  EXPECT_THAT(Message(MakeCall(parts).status()), HasSubstr("/arguments/input2/data: found 0"));
}

TEST(MakeCall, TakesOutputsEditionAndLevel) {
  CallParts parts{.op = "CAST", .edition = "tosa-0.100"};
  parts.arguments["input"] = Tensor::OfIntegers(DType::kI32, {2}, {1, 2});
  EXPECT_THAT(Message(MakeCall(parts).status()), HasSubstr("/output_types: expected a member"));
  parts.outputs["output"] = {.dtype = DType::kI8};
  const StatusOr<OperatorCall> made = MakeCall(parts);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->edition->id, "tosa-0.100");
  EXPECT_EQ(EvaluateCall(*made)->outputs[0].dtype, DType::kI8);
  parts.level = "9K";
  EXPECT_THAT(Message(MakeCall(parts).status()), HasSubstr("/level: found \"9K\""));
  parts.level = std::nullopt;
  parts.data_set = 6;
  EXPECT_THAT(Message(MakeCall(parts).status()), HasSubstr("/data_set: found 6"));
}

// Shapes are judged before memory is asked for.
TEST(OperatorCall, AllocatesNothingForWhatIsTooLarge) {
  const Json huge = TensorOf("i8", {int64_t{1} << 28}, nullptr);
  EXPECT_THAT(Malformed({{"operator", "IDENTITY"}, {"arguments", {{"input1", huge}}}}),
              HasSubstr("/arguments/input1: found more elements than the 16777216"));
  // A call that the argument tables refuse needs no values.
  EXPECT_EQ(
      Answer({{"operator", "IDENTITY"},
              {"arguments", {{"input1", huge}}},
              {"output_types", {{"output", {{"dtype", "i8"}, {"shape", {1}}}}}}})["conditions"],
      Json({"graph.shape"}));
  Json tile = {
      {"operator", "TILE"},
      {"arguments", {{"input1", TensorOf("i8", {1}, {1})}, {"multiples", {int64_t{1} << 28}}}}};
  EXPECT_THAT(Malformed(tile), HasSubstr("/output_types/output: found more elements than"));
  tile["output_types"]["output"]["shape"] = {int64_t{1} << 28};
  EXPECT_THAT(Malformed(tile), HasSubstr("/output_types/output: found more elements than"));
  tile["arguments"]["multiples"] = {3};
  EXPECT_EQ(Answer(tile)["conditions"], Json({"tile.output_dimension"}));
  EXPECT_EQ(Answer({{"operator", "IDENTITY"},
                    {"arguments", {{"input1", TensorOf("i8", {2, 0}, nullptr)}}},
                    {"output_types", {{"output", {{"shape", {2, 0}}}}}}})["conditions"],
            Json({"graph.dimension"}));
  EXPECT_THAT(Malformed({{"operator", "CONST"}, {"arguments", {{"values", huge}}}}),
              HasSubstr("/arguments/values: found shape [268435456]"));
}

TEST(OperatorCall, DefaultsFillWhatItDoesNotSay) {
  const std::string line = Double("i32", {1}).dump();
  EXPECT_THAT(AnswerCall(line, {.edition = "tosa-0.100"}).line, HasSubstr("tosa-0.100, ADD"));
  EXPECT_THAT(AnswerCall(line, {.level = "9K"}).line, HasSubstr("/level"));
}

}  // namespace
}  // namespace cts
