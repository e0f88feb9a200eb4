#include "tools/bindings/c/tensor_cts_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "reference/base/float_modes_testing.h"

namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

struct Close {
  void operator()(tensor_cts_answer* answer) const { tensor_cts_close_answer(answer); }
};
using Answer = std::unique_ptr<tensor_cts_answer, Close>;

// A tensor of one dimension.
template <class T>
struct Line {
  Line(const char* called, const char* of_type, std::vector<T> of_values)
      : name(called), type(of_type), values(std::move(of_values)) {}
  tensor_cts_tensor operator*() const {
    return {name, type, shape, 1, values.data(), values.size() * sizeof(T)};
  }

  const char* name;
  const char* type;
  std::vector<T> values;
  const int64_t shape[1] = {static_cast<int64_t>(values.size())};
};

Answer Ask(const char* op, const std::vector<tensor_cts_argument>& arguments,
           const std::vector<tensor_cts_tensor>& outputs = {}) {
  tensor_cts_call call = {};
  call.op = op;
  call.arguments = arguments.data();
  call.argument_count = arguments.size();
  call.outputs = outputs.data();
  call.output_count = outputs.size();
  return Answer(tensor_cts_reference(&call));
}

template <class T>
Answer AskUnary(const char* op, const char* argument, const char* type, std::vector<T> values) {
  const Line<T> input(argument, type, std::move(values));
  const tensor_cts_tensor tensor = *input;
  return Ask(op, {{argument, &tensor, 1, nullptr}});
}

std::string Malformed(const Answer& answer) {
  EXPECT_EQ(answer, nullptr);
  return tensor_cts_message();
}

double Value(const Answer& answer, size_t i) {
  tensor_cts_expected expected = {};
  EXPECT_EQ(tensor_cts_get_expected(answer.get(), 0, &expected), 1) << tensor_cts_message();
  EXPECT_STREQ(expected.values[0].value.type, "fp64");
  double value = 0;
  std::memcpy(&value, static_cast<const char*>(expected.values[0].value.data) + 8 * i, 8);
  return value;
}

TEST(Reference, SaysValueBoundAndClause) {
  const Answer answer = AskUnary<float>("EXP", "input1", "fp32", {0, 1});
  ASSERT_NE(answer, nullptr) << tensor_cts_message();
  EXPECT_STREQ(tensor_cts_outcome(answer.get()), "valid");
  EXPECT_STREQ(tensor_cts_reason(answer.get()), "");
  ASSERT_EQ(tensor_cts_expected_count(answer.get()), 1u);
  tensor_cts_expected expected = {};
  ASSERT_EQ(tensor_cts_get_expected(answer.get(), 0, &expected), 1);
  EXPECT_STREQ(expected.name, "output");
  EXPECT_STREQ(expected.type, "fp32");
  EXPECT_EQ(expected.rank, 1u);
  EXPECT_EQ(expected.shape[0], 2);
  EXPECT_STREQ(expected.rule, "absolute_bound");
  EXPECT_THAT(expected.clause, HasSubstr("EXP"));
  ASSERT_EQ(expected.value_count, 1u);
  EXPECT_EQ(expected.values[0].bound.bytes, 16u);
  EXPECT_EQ(expected.values[0].upper.data, nullptr);
  EXPECT_EQ(Value(answer, 0), 1);
  EXPECT_EQ(Value(answer, 1), 2.718281828459045);
  EXPECT_EQ(tensor_cts_get_expected(answer.get(), 1, &expected), 0);
}

TEST(Reference, NamesTheConditionsOfAnIllegalCall) {
  const Line<int32_t> a("input1", "i32", {1, 2}), b("input2", "i32", {1, 2, 3});
  const tensor_cts_tensor first = *a, second = *b;
  const Answer answer =
      Ask("ADD", {{"input1", &first, 1, nullptr}, {"input2", &second, 1, nullptr}});
  ASSERT_NE(answer, nullptr) << tensor_cts_message();
  EXPECT_STREQ(tensor_cts_outcome(answer.get()), "error");
  ASSERT_GE(tensor_cts_violation_count(answer.get()), 1u);
  tensor_cts_violation violation = {};
  ASSERT_EQ(tensor_cts_get_violation(answer.get(), 0, &violation), 1);
  EXPECT_THAT(violation.condition, HasSubstr("broadcast"));
  EXPECT_STREQ(violation.kind, "error_if");
  EXPECT_STRNE(violation.paraphrase, "");
  EXPECT_STRNE(violation.message, "");
  EXPECT_EQ(tensor_cts_get_violation(answer.get(), 99, &violation), 0);
  // Only a refusal is right.
  const Line<int32_t> result("output", "i32", {2, 4});
  const tensor_cts_tensor tensor = *result;
  EXPECT_EQ(tensor_cts_judge(answer.get(), &tensor, nullptr), TENSOR_CTS_REJECT);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("expected a refusal: add.broadcast"));
  EXPECT_EQ(tensor_cts_judge_refusal(answer.get()), TENSOR_CTS_ACCEPT);
}

TEST(Reference, JudgesAResult) {
  const Answer answer = AskUnary<float>("EXP", "input1", "fp32", {0, 1});
  const Line<float> right("output", "fp32", {1, 2.7182817F}), wrong("output", "fp32", {1, 2.7F});
  tensor_cts_tensor result = *right;
  tensor_cts_figures figures = {};
  EXPECT_EQ(tensor_cts_judge(answer.get(), &result, &figures), TENSOR_CTS_ACCEPT)
      << tensor_cts_message();
  EXPECT_EQ(figures.elements, 2);
  EXPECT_EQ(figures.mismatches, 0);
  EXPECT_EQ(figures.first, -1);
  result = *wrong;
  EXPECT_EQ(tensor_cts_judge(answer.get(), &result, &figures), TENSOR_CTS_REJECT);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("element [1]: expected 2.718281"));
  EXPECT_EQ(figures.mismatches, 1);
  EXPECT_EQ(figures.first, 1);
  EXPECT_STREQ(figures.first_index, "[1]");
  EXPECT_GT(figures.worst_ulp, 1000);
  EXPECT_EQ(tensor_cts_judge_refusal(answer.get()), TENSOR_CTS_REJECT);
  result.name = "y";
  EXPECT_EQ(tensor_cts_judge(answer.get(), &result, &figures), TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("found a result named 'y', expected one of: output"));
  result = {"output", "fp16", right.shape, 1, right.values.data(), 4};
  EXPECT_EQ(tensor_cts_judge(answer.get(), &result, &figures), TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("found fp16[2], expected fp32[2]"));
}

// The specification's clauses disagree about a signalling NaN that is ignored, and about no other
// element of the same tensor.
TEST(Reference, JudgesTheElementsThatNoSignallingNanReaches) {
  constexpr uint32_t kSignal = 0x7F800001, kQuiet = 0x7FC00000, kOne = 0x3F800000,
                     kTwo = 0x40000000;
  const Line<uint32_t> a("input1", "fp32", {kSignal, kQuiet, kOne}),
      b("input2", "fp32", {kOne, kOne, kTwo});
  const tensor_cts_tensor first = *a, second = *b;
  const Answer answer = Ask("MAXIMUM", {{"input1", &first, 1, nullptr},
                                        {"input2", &second, 1, nullptr},
                                        {"nan_mode", nullptr, 0, "IGNORE"}});
  ASSERT_NE(answer, nullptr) << tensor_cts_message();
  const auto judge = [&](uint32_t x, uint32_t y, uint32_t z) {
    const Line<uint32_t> line("output", "fp32", {x, y, z});
    const tensor_cts_tensor result = *line;
    const tensor_cts_verdict verdict = tensor_cts_judge(answer.get(), &result, nullptr);
    const std::string word = verdict == TENSOR_CTS_ACCEPT ? "accept " : "reject ";
    return word + tensor_cts_message();
  };
  EXPECT_EQ(judge(kOne, kOne, kTwo), "accept ");
  EXPECT_THAT(judge(kQuiet, kOne, kTwo), AllOf(StartsWith("accept"), HasSubstr("disputed")));
  EXPECT_THAT(judge(kOne, kQuiet, kTwo), AllOf(StartsWith("reject"), HasSubstr("element [1]")));
  EXPECT_THAT(judge(kQuiet, kOne, kOne), AllOf(StartsWith("reject"), HasSubstr("element [2]")));
}

TEST(Reference, TakesValuesAsText) {
  const Line<float> input("input", "fp32", {-1, 0.25F, 9});
  const tensor_cts_tensor tensor = *input;
  const auto clamp = [&](const char* least, const char* greatest) {
    return Ask("CLAMP", {{"input", &tensor, 1, nullptr},
                         {"min_val", nullptr, 0, least},
                         {"max_val", nullptr, 0, greatest},
                         {"nan_mode", nullptr, 0, "PROPAGATE"}});
  };
  const Answer answer = clamp("-0.0", " 0x1.8p-1 ");
  ASSERT_NE(answer, nullptr) << tensor_cts_message();
  EXPECT_EQ(Value(answer, 0), 0);
  EXPECT_TRUE(std::signbit(Value(answer, 0)));
  EXPECT_EQ(Value(answer, 1), 0.25);
  EXPECT_EQ(Value(answer, 2), 0.75);
  EXPECT_THAT(Malformed(clamp("x", "1")), HasSubstr("/arguments/min_val: found \"x\""));
  EXPECT_THAT(Malformed(clamp("[1,2]", "1")), HasSubstr("/arguments/min_val: found [1,2]"));
  EXPECT_THAT(Malformed(clamp("", "1")), HasSubstr("/arguments/min_val"));
  const Answer padded =
      Ask("REVERSE", {{"input1", &tensor, 1, nullptr}, {"axis", nullptr, 0, "0"}});
  ASSERT_NE(padded, nullptr) << tensor_cts_message();
  EXPECT_EQ(Value(padded, 0), 9);
}

TEST(Reference, TakesTheTensorsOfAList) {
  const Line<int8_t> a("", "i8", {1, 2}), b("", "i8", {3});
  const std::vector<tensor_cts_tensor> both = {*a, *b};
  const Answer answer =
      Ask("CONCAT", {{"input1", both.data(), 2, nullptr}, {"axis", nullptr, 0, "0"}});
  ASSERT_NE(answer, nullptr) << tensor_cts_message();
  const Line<int8_t> result("output", "i8", {1, 2, 3});
  const tensor_cts_tensor tensor = *result;
  EXPECT_EQ(tensor_cts_judge(answer.get(), &tensor, nullptr), TENSOR_CTS_ACCEPT);
  EXPECT_THAT(Malformed(Ask("EXP", {{"input1", both.data(), 2, nullptr}})),
              HasSubstr("/arguments/input1: found 2 tensors, expected one"));
}

TEST(Reference, RefusesElementsOutsideTheType) {
  EXPECT_THAT(Malformed(AskUnary<uint8_t>("LOGICAL_NOT", "input1", "bool", {1, 2})),
              HasSubstr("/arguments/input1: element [1]: found 2"));
  EXPECT_THAT(Malformed(AskUnary<int8_t>("IDENTITY", "input1", "i4", {-8})),
              HasSubstr("/arguments/input1: element [0]: found -8"));
  EXPECT_THAT(Malformed(AskUnary<int64_t>("IDENTITY", "input1", "i48", {int64_t{1} << 47})),
              HasSubstr("/arguments/input1: element [0]: found 140737488355328"));
}

TEST(Reference, SaysWhatIsNoCall) {
  EXPECT_EQ(tensor_cts_reference(nullptr), nullptr);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("found NULL, expected a call"));
  EXPECT_THAT(Malformed(Ask(nullptr, {})), HasSubstr("expected the name of an operator"));
  EXPECT_THAT(Malformed(AskUnary<float>("EXPO", "input1", "fp32", {1})),
              HasSubstr("did you mean EXP"));
  EXPECT_THAT(Malformed(AskUnary<float>("EXP", "input", "fp32", {1})),
              HasSubstr("found the member \"input\", expected input1"));
  EXPECT_THAT(Malformed(AskUnary<float>("EXP", "input1", "float", {1})),
              HasSubstr("/arguments/input1: found the type 'float'"));
  EXPECT_THAT(Malformed(Ask("EXP", {{"input1", nullptr, 0, nullptr}})), HasSubstr("or neither"));
  EXPECT_THAT(Malformed(Ask("EXP", {{nullptr, nullptr, 0, "1"}})), HasSubstr("found NULL"));
  const Line<float> x("input1", "fp32", {1});
  tensor_cts_tensor tensor = *x;
  EXPECT_THAT(
      Malformed(Ask("EXP", {{"input1", &tensor, 1, nullptr}, {"input1", &tensor, 1, nullptr}})),
      HasSubstr("found it twice"));
  EXPECT_THAT(Malformed(Ask("EXP", {{"input1", &tensor, 1, nullptr}},
                            {{"out", "fp32", nullptr, 0, nullptr, 0}})),
              HasSubstr("/output_types: found the member \"out\""));
  tensor.bytes = 3;
  EXPECT_THAT(Malformed(Ask("EXP", {{"input1", &tensor, 1, nullptr}})), HasSubstr("found 3 bytes"));
  tensor_cts_close_answer(nullptr);
  EXPECT_EQ(tensor_cts_outcome(nullptr), nullptr);
  EXPECT_EQ(tensor_cts_expected_count(nullptr), 0u);
  EXPECT_EQ(tensor_cts_judge(nullptr, &tensor, nullptr), TENSOR_CTS_BAD_CALL);
  EXPECT_EQ(tensor_cts_judge_refusal(nullptr), TENSOR_CTS_BAD_CALL);
}

TEST(Reference, RefusesAnEmptyTensorByItsCondition) {
  const int64_t empty[] = {2, 0};
  const tensor_cts_tensor tensor = {"input1", "fp32", empty, 2, nullptr, 0};
  const Answer answer =
      Ask("EXP", {{"input1", &tensor, 1, nullptr}}, {{"output", "fp32", empty, 2, nullptr, 0}});
  ASSERT_NE(answer, nullptr) << tensor_cts_message();
  EXPECT_STREQ(tensor_cts_outcome(answer.get()), "unpredictable");
  tensor_cts_violation violation = {};
  ASSERT_EQ(tensor_cts_get_violation(answer.get(), 0, &violation), 1);
  EXPECT_STREQ(violation.condition, "graph.dimension");
}

TEST(Reference, HasTwoAnswersWhereSubnormalsMayBeFlushed) {
  const Line<float> a("input1", "fp32", {1e-40F}), b("input2", "fp32", {0});
  const tensor_cts_tensor first = *a, second = *b;
  const Answer answer =
      Ask("ADD", {{"input1", &first, 1, nullptr}, {"input2", &second, 1, nullptr}});
  tensor_cts_expected expected = {};
  ASSERT_EQ(tensor_cts_get_expected(answer.get(), 0, &expected), 1);
  ASSERT_EQ(expected.value_count, 2u);
  EXPECT_EQ(expected.values[0].flushed, 0);
  EXPECT_EQ(expected.values[1].flushed, 1);
}

TEST(Reference, RoundsOnce) {
  // Halfway between two bf16 but for the last bit of fp64: by way of fp32 it would be a tie.
  const double values[] = {1 + 0x1p-8 + 0x1p-40, 1e39, -0.0};
  uint16_t bits[3] = {};
  ASSERT_EQ(tensor_cts_round("bf16", values, 3, bits), 1);
  EXPECT_EQ(bits[0], 0x3f81);
  EXPECT_EQ(bits[1], 0x7f80);
  EXPECT_EQ(bits[2], 0x8000);
  EXPECT_EQ(tensor_cts_round("i8", values, 3, bits), 0);
  EXPECT_EQ(tensor_cts_round("bf16", nullptr, 1, bits), 0);
}

// Some library of the process may have set any mode.
TEST(Reference, IsTheSameInEveryFloatMode) {
  const Line<float> a("input1", "fp32", {1e-40F, 0.1F}), b("input2", "fp32", {0, 1e-9F});
  const tensor_cts_tensor first = *a, second = *b;
  for (const char* const op : {"MAXIMUM", "MINIMUM", "ADD", "SUB", "POW"}) {
    const std::vector<tensor_cts_argument> arguments = {{"input1", &first, 1, nullptr},
                                                        {"input2", &second, 1, nullptr},
                                                        {"nan_mode", nullptr, 0, "PROPAGATE"}};
    const bool has_mode = std::string(op).starts_with('M');
    const std::vector<tensor_cts_argument> given(arguments.begin(),
                                                 arguments.end() - (has_mode ? 0 : 1));
    const Answer plain = Ask(op, given);
    ASSERT_NE(plain, nullptr) << tensor_cts_message();
    const double small = Value(plain, 0), large = Value(plain, 1);
    cts::InEveryFloatMode([&] {
      const Answer answer = Ask(op, given);
      double now[] = {Value(answer, 0), Value(answer, 1)}, before[] = {small, large};
      EXPECT_EQ(std::memcmp(now, before, sizeof now), 0) << op;
    });
  }
}

// 1 / 3e38 is 3.33333...e-39, which fp32 has as a subnormal number: it may be flushed.
TEST(Reference, JudgesTheSameInAThreadOfAnyFloatMode) {
  const Line<uint32_t> input("input1", "fp32", {std::bit_cast<uint32_t>(3e38F)});
  const tensor_cts_tensor given = *input;
  const uint32_t right = std::bit_cast<uint32_t>(3.3333333e-39F);
  for (const cts::ForeignMode& mode : cts::kForeignModes) {
    std::vector<tensor_cts_verdict> verdicts;
    bool kept = false;
    std::thread([&] {
      cts::SetForeignMode(mode);
      const cts::ForeignControls before = cts::ForeignControls::Now();
      const Answer answer = Ask("RECIPROCAL", {{"input1", &given, 1, nullptr}});
      for (const uint32_t bits : {right, right - 24, 0U}) {
        const Line<uint32_t> result("output", "fp32", {bits});
        const tensor_cts_tensor handed = *result;
        verdicts.push_back(tensor_cts_judge(answer.get(), &handed, nullptr));
      }
      kept = cts::ForeignControls::Now() == before;
    }).join();
    EXPECT_THAT(verdicts,
                testing::ElementsAre(TENSOR_CTS_ACCEPT, TENSOR_CTS_REJECT, TENSOR_CTS_ACCEPT))
        << mode.name;
    EXPECT_TRUE(kept) << mode.name;
  }
}

TEST(Reference, AnswersSeveralThreads) {
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int k = 0; k < 4; ++k) {
    threads.emplace_back([&, k] {
      for (int i = 0; i < 50; ++i) {
        const auto value = static_cast<float>(k);
        const Answer answer = AskUnary<float>("ABS", "input1", "fp32", {-value, value});
        right += Value(answer, 0) == value && Value(answer, 1) == value ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 200);
}

}  // namespace
