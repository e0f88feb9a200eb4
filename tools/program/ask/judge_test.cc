#include "tools/program/ask/judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <sstream>

#include "checker/rules/match.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "tools/program/ask/judge_lines.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The answers to lines; every one is checked against its schema.
std::vector<Json> Answers(const std::string& lines, bool all_questions = true) {
  std::istringstream in(lines);
  std::ostringstream out;
  const auto all = JudgeLines(in, out, "tosa-1.0", "test");
  EXPECT_TRUE(all.ok() && *all == all_questions) << out.str();
  std::vector<Json> answers;
  std::istringstream text(out.str());
  for (std::string line; std::getline(text, line);) {
    answers.push_back(*ParseJson(line, "answer"));
    EXPECT_TRUE(ValidateJson(answers.back(), "judge_answer", "answer").ok()) << line;
  }
  return answers;
}

Json Ask(const Json& question) {
  const Status valid = ValidateJson(question, "judge_line", "question");
  EXPECT_TRUE(valid.ok()) << Message(valid);
  return Answers(question.dump())[0];
}

struct Ends {
  const char *edition, *op, *type, *in_type;
  std::vector<Json> in;
  const char *below, *lo, *hi, *above;  // below and above are refused
};

// Worked out in fractions: the reference of fp64, the bound of the text, and the values of the type
// next to the ends on both sides.
TEST(Judge, FindsBothEndsToTheLastBit) {
  const Ends kEnds[] = {
      // e, bounds e * 2^-23 * (3 + 2) and e * 2^-23 * (1 + 1).
      {"tosa-1.0",
       "EXP",
       "fp32",
       "fp32",
       {"3f800000"},
       "402df84d",
       "402df84e",
       "402df85b",
       "402df85c"},
      {"tosa-0.100",
       "EXP",
       "fp32",
       "fp32",
       {"3f800000"},
       "402df851",
       "402df852",
       "402df857",
       "402df858"},
      // 1 / sqrt(2), 2 ulp of 2^-24.
      {"tosa-1.0",
       "RSQRT",
       "fp32",
       "fp32",
       {"40000000"},
       "3f3504f1",
       "3f3504f2",
       "3f3504f5",
       "3f3504f6"},
      // 1 + 2^-24 is a tie; 1 + 0 has the ulp of its own binade, also downward.
      {"tosa-1.0",
       "ADD",
       "fp32",
       "fp32",
       {"3f800000", "33800000"},
       "3f7fffff",
       "3f800000",
       "3f800001",
       "3f800002"},
      {"tosa-0.100",
       "ADD",
       "fp32",
       "fp32",
       {"3f800000", "00000000"},
       "3f7ffffe",
       "3f7fffff",
       "3f800000",
       "3f800001"},
      // 1/3 = 1365.33 * 2^-12, 1 ulp.
      {"tosa-1.0", "RECIPROCAL", "fp16", "fp16", {"4200"}, "3554", "3555", "3556", "3557"},
      // 3.75 * ((1 + 2^-11)^2 - 1): from 1918.12 to 1921.87 in units of 2^-9.
      {"tosa-1.0",
       "REDUCE_PRODUCT",
       "fp16",
       "fp16",
       {"3e00", "4100"},
       "437e",
       "437f",
       "4381",
       "4382"},
      // 2^16 - 2^4: toward zero the greatest fp16, to nearest infinity.
      {"tosa-1.0", "CAST", "fp16", "fp32", {"477ff000"}, "7bfe", "7bff", "7c00", "fc00"},
      {"tosa-0.100", "CAST", "fp8e5m2", "fp32", {"477ff000"}, "7a", "7b", "7b", "7c"},
  };
  for (const Ends& ends : kEnds) {
    const Json answer = Ask({{"edition", ends.edition},
                             {"operator", ends.op},
                             {"type", ends.type},
                             {"in_type", ends.in_type},
                             {"in", ends.in},
                             {"results", {ends.below, ends.lo, ends.hi, ends.above}}});
    EXPECT_EQ(answer["lo"], ends.lo) << ends.op;
    EXPECT_EQ(answer["hi"], ends.hi) << ends.op;
    EXPECT_THAT(answer["verdicts"], ElementsAre("reject", "accept", "accept", "reject")) << ends.op;
  }
}

TEST(Judge, SaysApartWhatLiesApart) {
  // 0x1.004p-15 is a tie between subnormals of fp16, and may be flushed. 0.100 lets everything from
  // zero to normal_min pass.
  Json question = {{"operator", "MUL"},
                   {"type", "fp16"},
                   {"in", {"0401", "3800"}},
                   {"results", {"0000", "8000", "01ff", "0200", "0201", "0202", "0400"}}};
  Json answer = Ask(question);
  EXPECT_EQ(answer["lo"], "0200");
  EXPECT_EQ(answer["hi"], "0201");
  EXPECT_EQ(answer["also"], Json({"0000"}));
  EXPECT_THAT(answer["verdicts"],
              ElementsAre("accept", "accept", "reject", "accept", "accept", "reject", "reject"));
  question["edition"] = "tosa-0.100";
  answer = Ask(question);
  EXPECT_EQ(answer["lo"], "0000");
  EXPECT_EQ(answer["hi"], "0400");
  EXPECT_FALSE(answer.contains("also"));
  // log of the least subnormal, or of zero.
  answer = Ask({{"operator", "LOG"}, {"type", "fp32"}, {"in", {"00000001"}}});
  EXPECT_EQ(answer["also"], Json({"ff800000"}));
  // 470 in fp8e4m3: toward zero 448, to nearest beyond it.
  answer = Ask({{"operator", "CAST"},
                {"type", "fp8e4m3"},
                {"in_type", "fp32"},
                {"in", {"43eb0000"}},
                {"results", {"7e", "7f", "7d"}}});
  EXPECT_EQ(answer["lo"], "7e");
  EXPECT_EQ(answer["also"], Json({"nan"}));
  EXPECT_THAT(answer["verdicts"], ElementsAre("accept", "accept", "reject"));
  // A zero of a table has its sign.
  answer = Ask({{"operator", "CEIL"},
                {"type", "fp32"},
                {"in", {"80000000"}},
                {"results", {"80000000", "00000000"}}});
  EXPECT_EQ(answer["lo"], "80000000");
  EXPECT_EQ(answer["zero_sign"], true);
  EXPECT_THAT(answer["verdicts"], ElementsAre("accept", "reject"));
}

TEST(Judge, HasWordsForNanAndAnything) {
  Json answer = Ask({{"operator", "LOG"},
                     {"type", "fp32"},
                     {"in", {"bf800000"}},
                     {"results", {"7fc00000", "ff800001", "00000000"}}});
  EXPECT_EQ(answer["accepts"], "nan");
  EXPECT_EQ(answer["lo"], nullptr);
  EXPECT_THAT(answer["verdicts"], ElementsAre("accept", "accept", "reject"));
  answer = Ask({{"edition", "tosa-0.100"},
                {"operator", "POW"},
                {"type", "fp32"},
                {"in", {"00000000", "bf800000"}},
                {"results", {"7fc00000", "12345678"}}});
  EXPECT_EQ(answer["accepts"], "anything");
  EXPECT_THAT(answer["verdicts"], ElementsAre("accept", "accept"));
}

TEST(Judge, ReadsWhatInMeansToEachOperator) {
  const auto accepted = [](Json question, const Json& result) {
    question["results"] = {result};
    return Ask(question)["verdicts"][0] == "accept";
  };
  EXPECT_TRUE(accepted({{"operator", "REDUCE_MAX"}, {"type", "i8"}, {"in", {1, 7, -3}}}, 7));
  EXPECT_TRUE(accepted({{"operator", "MAX_POOL2D"}, {"type", "i8"}, {"in", {1, 7, -3}}}, "07"));
  EXPECT_TRUE(accepted(
      {{"operator", "ARGMAX"}, {"type", "i32"}, {"in_type", "i8"}, {"in", {1, 7, -3}}}, 1));
  EXPECT_TRUE(accepted({{"operator", "CLAMP"}, {"type", "i8"}, {"in", {100, -5, 50}}}, 50));
  EXPECT_TRUE(accepted({{"operator", "ADD"}, {"type", "i32"}, {"in", {1, -2}}}, "ffffffff"));
  EXPECT_FALSE(accepted({{"operator", "ADD"}, {"type", "i32"}, {"in", {1, -2}}}, 0));
  EXPECT_TRUE(accepted(
      {{"operator", "EQUAL"}, {"type", "bool"}, {"in_type", "fp16"}, {"in", {"8000", "0000"}}},
      true));
  EXPECT_TRUE(accepted({{"operator", "SELECT"}, {"type", "fp16"}, {"in", {false, "3c00", "4000"}}},
                       "4000"));
  EXPECT_TRUE(accepted(
      {{"operator", "MUL"}, {"type", "i32"}, {"in", {3, 5}}, {"attributes", {{"shift", 1}}}}, 8));
  // 0.006 * 2 around 1.5.
  const Json resize = {
      {"operator", "RESIZE"}, {"type", "fp32"}, {"in", {"40000000"}}, {"ref", "0x1.8p0"}};
  EXPECT_TRUE(accepted(resize, "3fbe76c9"));
  EXPECT_FALSE(accepted(resize, "3fbe76c8"));
  EXPECT_TRUE(accepted(resize, "3fc18937"));
  EXPECT_FALSE(accepted(resize, "3fc18938"));
  // 1001 * 2^30 / 2^33 = 125.125, with 128 as zero point of an unsigned type: 253.
  const Json rescale = {{"operator", "RESCALE"},
                        {"type", "i8"},
                        {"in_type", "i16"},
                        {"in", {1001}},
                        {"attributes",
                         {{"multiplier", 1073741824},
                          {"shift", 33},
                          {"scale32", true},
                          {"rounding_mode", "INEXACT_ROUND"},
                          {"output_unsigned", true},
                          {"output_zp", 128}}}};
  EXPECT_TRUE(accepted(rescale, 253));
  EXPECT_TRUE(accepted(rescale, "fd"));
  EXPECT_FALSE(accepted(rescale, 254));
}

// The ends of a reference that is given, not computed: the bound goes with it.
TEST(Judge, TakesAnotherReference) {
  Json question = {
      {"operator", "EXP"}, {"type", "fp32"}, {"in", {"3f800000"}}, {"ref", "0x1.5bf0a8b145769p+1"}};
  EXPECT_EQ(Ask(question)["lo"], "402df84e");
  question["ref"] = "0x1p1";
  // 2 - 2 * 5 * 2^-23 and 2 + 2 * 5 * 2^-23.
  EXPECT_EQ(Ask(question)["lo"], "3ffffff6");
  EXPECT_EQ(Ask(question)["hi"], "40000005");
}

// An implementation that flushes subnormals sees two equal zeros, and takes the first.
TEST(Judge, TellsTheOtherAnswerOfAnIntegerToo) {
  const Json answer = Ask({{"operator", "ARGMAX"},
                           {"type", "i32"},
                           {"in_type", "fp32"},
                           {"in", {"00000001", "00000002"}},
                           {"results", {0, 1, 2}}});
  EXPECT_EQ(answer["verdicts"], Json({"accept", "accept", "reject"}));
  EXPECT_EQ(answer["lo"], 1);
  EXPECT_EQ(answer["hi"], 1);
  EXPECT_EQ(answer["also"], Json::array({0}));
}

// 200 is stored as -56.
TEST(Judge, ShowsUnsignedResultsAsTheyAreMeant) {
  const Json answer = Ask({{"operator", "RESCALE"},
                           {"type", "i8"},
                           {"in_type", "i16"},
                           {"in", {200}},
                           {"results", {200}},
                           {"attributes",
                            {{"multiplier", 1073741824},
                             {"shift", 30},
                             {"scale32", true},
                             {"rounding_mode", "SINGLE_ROUND"},
                             {"output_unsigned", true}}}});
  EXPECT_EQ(answer["verdicts"], Json({"accept"}));
  EXPECT_EQ(answer["lo"], 200);
  EXPECT_EQ(answer["hi"], 200);
  EXPECT_EQ(answer["ref"], 200);
}

TEST(Judge, FindsExactlyWhatTheRuleAccepts) {
  int64_t compared = 0;
  const std::vector<Json> kQuestions = {
      {{"operator", "EXP"}, {"in", {"c900"}}},
      {{"operator", "LOG"}, {"in", {"0001"}}},
      {{"operator", "SIN"}, {"in", {"4248"}}},
      {{"operator", "RECIPROCAL"}, {"in", {"8001"}}},
      {{"operator", "TANH"}, {"in", {"8000"}}},
      {{"operator", "MUL"}, {"in", {"8401", "3800"}}},
      {{"operator", "ADD"}, {"in", {"7bff", "4c00"}}},
      {{"operator", "SUB"}, {"in", {"3c00", "3c00"}}},
      {{"operator", "ERF"}, {"in", {"0400"}}},
      {{"operator", "POW"}, {"in", {"7000", "3e00"}}},
      {{"operator", "ABS"}, {"in", {"8000"}}},
      {{"operator", "MAXIMUM"}, {"in", {"8000", "0000"}}},
      {{"operator", "REDUCE_SUM"}, {"in", {"7bff", "7bff"}}},
      {{"operator", "REDUCE_SUM"}, {"in", {"3c00", "bc00"}}},
      {{"operator", "CAST"}, {"in_type", "fp32"}, {"in", {"b8000001"}}},
  };
  for (Json question : kQuestions) {
    for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
      for (const char* type : {"fp16", "bf16"}) {
        question["edition"] = edition;
        question["type"] = type;
        const auto judged = Judge(question, Digits::kPattern);
        ASSERT_TRUE(judged.ok()) << question << Message(judged.status());
        const ExpectedOutput& output = judged->output;
        const AcceptedValues& values = judged->values;
        // Zeros in the way the ranges have them.
        const auto key = [&](uint64_t bits) {
          if (bits == 0x8000 && !values.zero_sign) bits = 0;
          return bits < 0x8000 ? static_cast<int64_t>(bits)
                               : int64_t{0x7FFF} - static_cast<int64_t>(bits);
        };
        for (uint64_t bits = 0; bits < 65536; ++bits) {
          Tensor result(output.dtype, output.shape);
          result.SetBits(0, bits);
          bool accepted = false;
          for (const Answer& answer : output.answers) {
            accepted = accepted || ElementJudge(output, answer, result).Accepts(0);
          }
          bool found = values.anything;
          if (std::isnan(result.Element(0))) {
            found = found || values.nan;
          } else {
            const auto within = [&](const ValueRange& range) {
              return key(range.lo) <= key(bits) && key(bits) <= key(range.hi);
            };
            found = found || (values.range && within(*values.range));
            for (const ValueRange& range : values.also) found = found || within(range);
          }
          ASSERT_EQ(found, accepted) << question << " " << bits;
          ++compared;
        }
      }
    }
  }
  EXPECT_EQ(compared, 15 * 2 * 2 * 65536);
}

TEST(JudgeLines, NamesTheLineThatIsNoQuestionAndGoesOn) {
  const std::vector<std::string> kBad = {
      R"(not JSON)",
      R"([1])",
      R"({"id": 7, "operator": "EXPP", "type": "fp32", "in": ["3f800000"]})",
      R"({"id": 7, "operator": "EXP", "type": "fp33", "in": ["3f800000"]})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": ["3f80000"]})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": ["3f80000g"]})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": [16256]})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": []})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": ["3f800000"], "results": 3})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": ["3f800000"], "results": [null]})",
      R"({"id": 7, "operator": "ADD", "type": "i32", "in": [2147483648, 0]})",
      R"({"id": 7, "operator": "IDENTITY", "type": "i8", "in": [1], "ref": "300"})",
      R"({"id": 7, "operator": "MAXIMUM", "type": "fp16", "in": ["3c00", "3c00"], "ref": "0.1"})",
      R"({"id": 7, "operator": "ADD", "type": "i32", "in": [2147483647, 1]})",
      R"({"id": 7, "operator": "RESIZE", "type": "fp32", "in": ["3f800000"]})",
      R"({"id": 7, "operator": "CONV2D", "type": "fp32", "in": ["3f800000"]})",
      R"({"id": 7, "operator": "COND_IF", "type": "fp32", "in": ["3f800000"]})",
      R"({"id": 7, "operator": "CAST", "type": "i8", "in": ["7fc00000"]})",
      R"({"id": 7, "edition": "tosa-9", "operator": "EXP", "type": "fp32", "in": ["3f800000"]})",
      R"({"id": 7, "operator": "EXP", "type": "fp32", "in": ["3f800000"], "extra": 1})",
      R"({"id": 7, "KS": 0, "types": {"out_t": "fp32"}, "ref": "a", "bnd": "b", "imp": "c"})",
      R"({"id": 7, "KS": 1, "types": {"out_t": "i8"}, "ref": "a", "bnd": "b", "imp": "c"})",
      R"({"id": 7, "KS": 1, "types": {"out_t": "fp32"}, "ref": "/nowhere", "bnd": "b", "imp": "c"})",
  };
  for (const std::string& bad : kBad) {
    const auto answers = Answers(
        "\n" + bad + "\n" + R"({"id": "x", "operator": "ABS", "type": "fp16", "in": ["bc00"]})",
        false);
    ASSERT_EQ(answers.size(), 2) << bad;
    EXPECT_EQ(answers[0]["id"], bad.find("\"id\"") == bad.npos ? Json(nullptr) : Json(7)) << bad;
    EXPECT_THAT(answers[0]["error"].get<std::string>(), HasSubstr("line 2: ")) << bad;
    EXPECT_EQ(answers[0]["error"].get<std::string>().find("line 1"), std::string::npos);
    EXPECT_EQ(answers[1]["id"], "x");
    EXPECT_EQ(answers[1]["lo"], "3c00");
  }
}

TEST(JudgeLines, NamesThePlaceInTheQuestionWithWhatIsThereAndWhatToDo) {
  const auto error = [](const Json& question) {
    return Answers(question.dump(), false)[0]["error"].get<std::string>();
  };
  const auto rescale = [](const Json& attributes) {
    return Json{{"operator", "RESCALE"},
                {"type", "i8"},
                {"in_type", "i32"},
                {"in", {1}},
                {"attributes", attributes}};
  };
  EXPECT_EQ(error(rescale({{"scale32", true}, {"shift", 31}})),
            "line 1: /attributes/multiplier: found nothing, expected a value: add it to "
            "\"attributes\" (--attribute multiplier=VALUE); likewise rounding_mode");
  EXPECT_EQ(error(rescale({{"scale32", true}, {"shift", 31}, {"multiplier", 1}})),
            "line 1: /attributes/rounding_mode: found nothing, expected one of SINGLE_ROUND, "
            "INEXACT_ROUND, DOUBLE_ROUND: add it to \"attributes\" (--attribute "
            "rounding_mode=VALUE)");
  EXPECT_THAT(error(rescale({{"scale32", 3}, {"shift", 31}, {"multiplier", 1}})),
              HasSubstr("/attributes/rounding_mode: found nothing"));
  Json whole = {{"scale32", true}, {"shift", 31}, {"multiplier", 1}, {"rounding_mode", "ROUND"}};
  EXPECT_THAT(error(rescale(whole)),
              HasSubstr("line 1: /attributes/rounding_mode: found \"ROUND\", "
                        "expected one of SINGLE_ROUND"));
  whole["shft"] = 3;
  EXPECT_THAT(
      error(rescale(whole)),
      HasSubstr("line 1: /attributes: found the member \"shft\", expected one of multiplier"));
  const auto with = [](const char* op, const Json& members) {
    Json question = {{"operator", op}, {"type", "fp32"}, {"in", {"3f800000"}}};
    question.update(members);
    return question;
  };
  EXPECT_THAT(error(with("EXP", {{"attributes", {{"x", 1}}}})),
              HasSubstr("/attributes: found the member \"x\", expected none"));
  EXPECT_THAT(error(with("REDUCE_MAX", {{"attributes", {{"input", 1}}}})),
              HasSubstr("/attributes/input: found a value, expected none"));
  EXPECT_THAT(error(with("CLAMP", {{"in", {"0", "1", "2"}}, {"attributes", {{"min_val", 1}}}})),
              HasSubstr("/attributes/min_val: found a value, expected none"));
  EXPECT_THAT(error(with("CAST", {{"type", "i8"}, {"in", {1}}})),
              HasSubstr("/in_type: found nothing, expected the type of the operands"));
  EXPECT_THAT(error(with("RESIZE", Json::object())), HasSubstr("/ref: found nothing, expected"));
  EXPECT_THAT(error(with("EXP", {{"in", 3}})), HasSubstr("/in: found 3, expected a list"));
  EXPECT_THAT(error({{"operator", "EXP"}, {"type", "fp32"}}), HasSubstr("/in: found nothing"));
  EXPECT_THAT(error({{"type", "fp32"}}), HasSubstr("/operator: found nothing, expected the name"));
  EXPECT_THAT(error({{"operator", "EXP"}, {"in", {1}}}),
              HasSubstr("/type: found nothing, expected one of bool, i4"));
  EXPECT_THAT(error({{"KS", 1}}), HasSubstr("/types: found nothing, expected an object"));
  EXPECT_THAT(error({{"KS", 1}, {"types", {{"out_t", "fp33"}}}}),
              HasSubstr("/types/out_t: found \"fp33\", expected one of bool"));
  EXPECT_THAT(error({{"KS", 1}, {"types", {{"out_t", "fp32"}, {"acc_t", "fp16"}}}}),
              HasSubstr("/types/acc_t: found fp16, expected no narrower type than fp32"));
  EXPECT_THAT(error({{"KS", 1}, {"types", {{"out_t", "fp32"}}}}),
              HasSubstr("/ref: found nothing, expected the name of a .npy file"));
}

// A signalling NaN of fp32 (7fa00000) beside 1 (3f800000): maxNum of IEEE 754-2008 gives NaN.
TEST(Judge, DisputesASignallingNanThatIsIgnored) {
  const auto ask = [](const std::string& nan, const std::string& mode) {
    return Ask({{"operator", "MAXIMUM"},
                {"type", "fp32"},
                {"attributes", {{"nan_mode", mode}}},
                {"in", {nan, "3f800000"}},
                {"results", {"3f800000", "7fc00000"}}});
  };
  const Json disputed = ask("7fa00000", "IGNORE");
  EXPECT_THAT(disputed["verdicts"], ElementsAre("accept", "disputed"));
  EXPECT_THAT(disputed["disputed"].get<std::string>(),
              testing::AllOf(HasSubstr("a signalling NaN"), HasSubstr("Number Formats"),
                             HasSubstr("nan_mode IGNORE")));
  const Json quiet = ask("7fc00000", "IGNORE");
  EXPECT_THAT(quiet["verdicts"], ElementsAre("accept", "reject"));
  EXPECT_FALSE(quiet.contains("disputed"));
  EXPECT_THAT(ask("7fa00000", "PROPAGATE")["verdicts"], ElementsAre("reject", "accept"));
}

// 1024 results around 1.5, the bound 4: errors in units of 2^-9 for fp16.
TEST(JudgeLines, JudgesATensorOfDotProductsByItsThreeFigures) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("judge_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const Shape shape = {32, 32};
  Tensor reference(DType::kFp64, shape), bound(DType::kFp64, shape), result(DType::kFp16, shape);
  for (int64_t i = 0; i < 1024; ++i) {
    reference.SetElement(i, 1.5);
    bound.SetElement(i, 4);
    result.SetElement(i, 1.5 + (i % 2 == 0 ? 0x1p-9 : -0x1p-10));
  }
  const auto ask = [&](const Json& members) {
    EXPECT_TRUE(WriteNpy(folder / "ref.npy", reference).ok());
    EXPECT_TRUE(WriteNpy(folder / "bnd.npy", bound).ok());
    EXPECT_TRUE(WriteNpy(folder / "imp.npy", result).ok());
    Json question = {{"KS", 7},
                     {"types", {{"out_t", "fp16"}, {"acc_t", "fp32"}}},
                     {"ref", (folder / "ref.npy").string()},
                     {"bnd", (folder / "bnd.npy").string()},
                     {"imp", (folder / "imp.npy").string()}};
    question.update(members);
    return Ask(question);
  };
  // 1.0: ksb = ceil(7 / 2^6) + 1 = 2. The sum is 512 * (1 - 0.5), its limit sqrt(10 * 3.2 * 1024).
  Json answer = ask({{"S", 3}});
  EXPECT_EQ(answer["verdicts"], Json({"reject"}));
  EXPECT_EQ(answer["ksb"], 2);
  EXPECT_EQ(answer["absolute"], Json({{"value", 1.0}, {"limit", 4.0}, {"met", true}}));
  EXPECT_EQ(answer["bias"]["value"], 256.0);
  EXPECT_NEAR(answer["bias"]["limit"].get<double>(), 181.0193, 1e-4);
  EXPECT_EQ(answer["bias"]["met"], false);
  EXPECT_EQ(answer["variance"]["value"], 640.0);
  EXPECT_NEAR(answer["variance"]["limit"].get<double>(), 3276.8, 1e-9);
  // No limit for a bias in S0 to S2; none at all for other data.
  EXPECT_EQ(ask({{"S", 2}})["verdicts"], Json({"accept"}));
  EXPECT_EQ(ask({{"S", 2}})["bias"]["limit"], nullptr);
  EXPECT_EQ(ask({{"S", 2}})["bias"]["met"], nullptr);
  EXPECT_EQ(ask(Json::object())["variance"]["limit"], nullptr);
  // 0.100: ksb = ceil(7 / 2^13), and one for a bias; 2 * sqrt(2 * 1024).
  answer = ask({{"S", 5}, {"edition", "tosa-0.100"}, {"bias", true}});
  EXPECT_EQ(answer["ksb"], 2);
  EXPECT_NEAR(answer["bias"]["limit"].get<double>(), 90.5097, 1e-4);
  EXPECT_EQ(ask({{"S", 5}, {"edition", "tosa-0.100"}})["ksb"], 1);
  // One element beyond.
  result.SetElement(37, 1.5 + 5 * 0x1p-9);
  answer = ask({{"S", 0}});
  EXPECT_EQ(answer["verdicts"], Json({"reject"}));
  EXPECT_EQ(answer["first"], Json({1, 5}));
  EXPECT_EQ(answer["absolute"], Json({{"value", 5.0}, {"limit", 4.0}, {"met", false}}));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cts
