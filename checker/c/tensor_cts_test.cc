#include "checker/c/tensor_cts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <random>
#include <thread>

#include "checker/judge/case_checker.h"
#include "checker/judge/suite_on_disk.h"
#include "reference/base/float_modes_testing.h"
#include "reference/base/npy.h"

namespace cts {
namespace {

using testing::HasSubstr;

class TensorCts : public testing::Test {
 protected:
  TensorCts() {
    testing_suite::WriteSuite(directory_ / "suite",
                              {testing_suite::ErrorCase("identity/error"),
                               testing_suite::FloatCase("identity/float", {1, 2, -0.5}),
                               testing_suite::IntegerCase("identity/integer")});
    suite_ = tensor_cts_open_suite((directory_ / "suite").c_str());
  }
  ~TensorCts() override { tensor_cts_close_suite(suite_); }

  // The verdict on an output of a case.
  tensor_cts_verdict Check(const char* id, tensor_cts_tensor result) {
    tensor_cts_case* const c = tensor_cts_open_case(suite_, id);
    EXPECT_NE(c, nullptr) << tensor_cts_message();
    const tensor_cts_verdict verdict = tensor_cts_check(c, &result);
    message_ = tensor_cts_message();
    tensor_cts_close_case(c);
    return verdict;
  }

  testing_suite::Directory directory_;
  tensor_cts_suite* suite_ = nullptr;
  std::string message_;
  const int64_t square_[2] = {2, 2};
  const int64_t three_[1] = {3};
};

TEST_F(TensorCts, ListsTheCases) {
  ASSERT_NE(suite_, nullptr) << tensor_cts_message();
  ASSERT_EQ(tensor_cts_case_count(suite_), 3u);
  EXPECT_STREQ(tensor_cts_case_id(suite_, 0), "identity/error");
  EXPECT_STREQ(tensor_cts_case_id(suite_, 2), "identity/integer");
  EXPECT_EQ(tensor_cts_case_id(suite_, 3), nullptr);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("expected one below 3"));
}

TEST_F(TensorCts, AMessageLivesUntilTheNextCallThatFails) {
  ASSERT_EQ(tensor_cts_open_case(suite_, "identity/nothing"), nullptr);
  const char* const message = tensor_cts_message();
  const std::string before = message;
  EXPECT_THAT(before, HasSubstr("identity/nothing"));
  const int32_t right[] = {10, 20, 30, 40};
  EXPECT_EQ(Check("identity/integer", {"out", "i32", square_, 2, right, sizeof right}),
            TENSOR_CTS_ACCEPT);
  EXPECT_EQ(message_, "");
  EXPECT_EQ(message, before);
}

TEST_F(TensorCts, ShowsWhatACaseAsks) {
  tensor_cts_case* const c = tensor_cts_open_case(suite_, "identity/integer");
  ASSERT_NE(c, nullptr) << tensor_cts_message();
  EXPECT_STREQ(tensor_cts_operator(c), "IDENTITY");
  EXPECT_EQ(tensor_cts_directory(c), directory_ / "suite" / "identity/integer");
  EXPECT_EQ(tensor_cts_expects_error(c), 0);
  ASSERT_EQ(tensor_cts_input_count(c), 1u);
  ASSERT_EQ(tensor_cts_output_count(c), 1u);
  tensor_cts_tensor tensor;
  ASSERT_EQ(tensor_cts_input(c, 0, &tensor), 1);
  EXPECT_STREQ(tensor.name, "in");
  EXPECT_STREQ(tensor.type, "i32");
  EXPECT_EQ(tensor.rank, 2u);
  EXPECT_EQ(tensor.shape[1], 2);
  EXPECT_EQ(tensor.bytes, 16u);
  EXPECT_NE(tensor.data, nullptr);
  ASSERT_EQ(tensor_cts_output(c, 0, &tensor), 1);
  EXPECT_STREQ(tensor.name, "out");
  EXPECT_EQ(tensor.bytes, 16u);
  EXPECT_EQ(tensor.data, nullptr);
  EXPECT_EQ(tensor_cts_output(c, 1, &tensor), 0);
  tensor_cts_close_case(c);
}

TEST_F(TensorCts, AcceptsWhatTheRuleAccepts) {
  const int32_t integers[] = {10, 20, 30, 40};
  EXPECT_EQ(Check("identity/integer", {"out", "i32", square_, 2, integers, sizeof integers}),
            TENSOR_CTS_ACCEPT);
  EXPECT_EQ(message_, "");
  // One ulp is allowed.
  const float floats[] = {1 + 0x1p-23f, 2, -0.5};
  EXPECT_EQ(Check("identity/float", {"out", "fp32", three_, 1, floats, sizeof floats}),
            TENSOR_CTS_ACCEPT);
}

TEST_F(TensorCts, RejectsAndNamesTheFirstWrongElement) {
  const int32_t integers[] = {10, 20, 31, 40};
  EXPECT_EQ(Check("identity/integer", {"out", "i32", square_, 2, integers, sizeof integers}),
            TENSOR_CTS_REJECT);
  EXPECT_THAT(message_, HasSubstr("element [1,0]: expected 30, got 31"));
  const float floats[] = {1 + 0x1p-22f, 2, -0.5};
  EXPECT_EQ(Check("identity/float", {"out", "fp32", three_, 1, floats, sizeof floats}),
            TENSOR_CTS_REJECT);
  EXPECT_THAT(message_, HasSubstr("1 of 3 elements differ"));
}

TEST_F(TensorCts, KeepsTheMessageWhileTheIdIsAsked) {
  const int32_t integers[] = {10, 20, 31, 40};
  tensor_cts_case* const c = tensor_cts_open_case(suite_, "identity/integer");
  const tensor_cts_tensor result = {"out", "i32", square_, 2, integers, sizeof integers};
  EXPECT_EQ(tensor_cts_check(c, &result), TENSOR_CTS_REJECT);
  tensor_cts_tensor output;
  EXPECT_EQ(tensor_cts_output(c, 0, &output), 1);
  EXPECT_STREQ(tensor_cts_case_id(suite_, 2), "identity/integer");
  EXPECT_THAT(tensor_cts_message(), HasSubstr("got 31"));
  tensor_cts_close_case(c);
}

TEST_F(TensorCts, RefusesWhatCannotBeJudged) {
  const int32_t integers[] = {10, 20, 30, 40};
  const int64_t line[] = {4};
  EXPECT_EQ(Check("identity/integer", {"result", "i32", square_, 2, integers, 16}),
            TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(message_, HasSubstr("'result', expected one of: out"));
  EXPECT_EQ(Check("identity/integer", {"out", "i32", line, 1, integers, 16}), TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(message_, HasSubstr("found i32[4], expected i32[2,2]"));
  EXPECT_EQ(Check("identity/integer", {"out", "i32", square_, 2, integers, 12}),
            TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(message_, HasSubstr("found 12 bytes, expected 4 elements of i32, 4 bytes each"));
  EXPECT_EQ(Check("identity/integer", {"out", "fp32", square_, 2, integers, 16}),
            TENSOR_CTS_BAD_CALL);
  EXPECT_EQ(Check("identity/integer", {"out", "int32", square_, 2, integers, 16}),
            TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(message_, HasSubstr("found the type 'int32'"));
  EXPECT_EQ(Check("identity/integer", {"out", "i32", square_, 2, nullptr, 16}),
            TENSOR_CTS_BAD_CALL);
  const int64_t huge[] = {int64_t{1} << 40, int64_t{1} << 40};
  EXPECT_EQ(Check("identity/integer", {"out", "i32", huge, 2, integers, 16}), TENSOR_CTS_BAD_CALL);
  EXPECT_EQ(Check("identity/error", {"out", "i32", square_, 2, integers, 16}), TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(message_, HasSubstr("to be refused"));
}

TEST_F(TensorCts, RejectsValuesOutsideTheType) {
  Case c = testing_suite::ValidCase(
      "identity/bits", DType::kBool, testing_suite::RuleOf(RuleKind::kExact),
      {{false, Tensor::OfIntegers(DType::kBool, {2}, {1, 0}), {}, {}}});
  testing_suite::WriteSuite(directory_ / "bits", {c});
  tensor_cts_suite* const suite = tensor_cts_open_suite((directory_ / "bits").c_str());
  ASSERT_NE(suite, nullptr) << tensor_cts_message();
  tensor_cts_case* const opened = tensor_cts_open_case(suite, "identity/bits");
  ASSERT_NE(opened, nullptr) << tensor_cts_message();
  const int64_t two[] = {2};
  const uint8_t bits[] = {2, 0};
  const tensor_cts_tensor result = {"out", "bool", two, 1, bits, 2};
  EXPECT_EQ(tensor_cts_check(opened, &result), TENSOR_CTS_REJECT);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("element [0]: found 2"));
  tensor_cts_close_case(opened);
  tensor_cts_close_suite(suite);
}

// The file of a result, CaseChecker and the C interface take the same tensors.
TEST_F(TensorCts, IsOneDoorWithTheOthers) {
  constexpr int kTensors = 1000;
  constexpr int64_t kElements = 5;
  const int64_t shape[] = {kElements};
  std::mt19937 random(1);
  int malformed = 0;
  for (const DType dtype : {DType::kBool, DType::kI4, DType::kI48, DType::kI8}) {
    const Case c =
        testing_suite::ValidCase("identity/door", dtype, testing_suite::RuleOf(RuleKind::kExact),
                                 {{false, Tensor(dtype, {kElements}), {}, {}}});
    const auto place = directory_ / StrCat("door-", Name(dtype));
    testing_suite::WriteSuite(place, {c});
    const StatusOr<Suite> suite = ReadSuite(place);
    const StatusOr<CaseChecker> checker = CaseChecker::Open(place, *suite, c.id);
    ASSERT_TRUE(checker.ok()) << checker.status();
    tensor_cts_suite* const c_suite = tensor_cts_open_suite(place.c_str());
    tensor_cts_case* const c_case = tensor_cts_open_case(c_suite, c.id.c_str());
    ASSERT_NE(c_case, nullptr) << tensor_cts_message();
    for (int k = 0; k < kTensors; ++k) {
      Tensor tensor(dtype, {kElements});
      for (int64_t i = 0; i < kElements; ++i) {
        // Within the type, just beyond its ends, or anything.
        const int64_t near = (random() % 2 != 0 ? IntegerMin(dtype) : IntegerMax(dtype)) - 1 +
                             static_cast<int64_t>(random() % 3);
        const uint64_t anything = (static_cast<uint64_t>(random()) << 32) | random();
        tensor.SetBits(i, random() % 4 == 0   ? anything
                          : random() % 2 == 0 ? static_cast<uint64_t>(near)
                                              : random() % 2);
      }
      const StatusOr<CheckedCase> filed =
          CheckCase(c, [&](std::string_view name, uint64_t) -> StatusOr<std::string> {
            return name.ends_with(".npy") ? EncodeNpy(tensor) : R"({"status":"ok","seconds":0})";
          });
      ASSERT_TRUE(filed.ok()) << filed.status();
      const StatusOr<OutputReport> handed = checker->Check("out", tensor);
      ASSERT_TRUE(handed.ok()) << handed.status();
      EXPECT_EQ(handed->verdict, filed->report.verdict);
      const std::string type(Name(dtype));
      const tensor_cts_tensor result = {"out", type.c_str(),          shape,
                                        1,     tensor.bytes().data(), tensor.bytes().size()};
      EXPECT_EQ(tensor_cts_check(c_case, &result),
                handed->verdict == Verdict::kPass ? TENSOR_CTS_ACCEPT : TENSOR_CTS_REJECT);
      EXPECT_EQ(tensor_cts_message(), handed->message);
      if (handed->verdict != Verdict::kMalformed) continue;
      ++malformed;
      // The same element, in the same words, behind the file or the output.
      const std::string& said = filed->report.message;
      EXPECT_THAT(handed->message, HasSubstr(said.substr(said.find("element"))));
    }
    tensor_cts_close_case(c_case);
    tensor_cts_close_suite(c_suite);
  }
  EXPECT_GT(malformed, 2000);
}

TEST_F(TensorCts, IsTheSameInEveryFloatMode) {
  const float right[] = {1, 2, -0.5};
  const float wrong[] = {1, 2, -0.5000005F};
  const std::string again = directory_ / "again";
  testing_suite::WriteSuite(again, {testing_suite::FloatCase("identity/float", {1, 2, -0.5})});
  InEveryFloatMode([&] {
    tensor_cts_close_suite(suite_);
    suite_ = tensor_cts_open_suite(again.c_str());
    ASSERT_NE(suite_, nullptr) << tensor_cts_message();
    EXPECT_EQ(Check("identity/float", {"out", "fp32", three_, 1, right, 12}), TENSOR_CTS_ACCEPT);
    EXPECT_EQ(Check("identity/float", {"out", "fp32", three_, 1, wrong, 12}), TENSOR_CTS_REJECT);
  });
}

// Tensors are signless: 200 as u8 is the i8 -56, where the case calls the output unsigned.
TEST_F(TensorCts, TakesUnsignedResultsOfUnsignedOutputsAlone) {
  std::vector<Case> cases;
  for (const bool is_unsigned : {false, true}) {
    Rule rule = testing_suite::RuleOf(RuleKind::kExact);
    rule.is_unsigned = is_unsigned;
    cases.push_back(testing_suite::ValidCase(
        is_unsigned ? "identity/unsigned" : "identity/signed", DType::kI8, rule,
        {{false, Tensor::OfIntegers(DType::kI8, {3}, {-56, 7, 0}), {}, {}}}));
  }
  testing_suite::WriteSuite(directory_ / "signs", cases);
  tensor_cts_close_suite(suite_);
  suite_ = tensor_cts_open_suite((directory_ / "signs").c_str());
  ASSERT_NE(suite_, nullptr) << tensor_cts_message();
  const uint8_t bytes[] = {200, 7, 0}, wrong[] = {201, 7, 0};
  EXPECT_EQ(Check("identity/unsigned", {"out", "u8", three_, 1, bytes, 3}), TENSOR_CTS_ACCEPT);
  EXPECT_EQ(Check("identity/unsigned", {"out", "i8", three_, 1, bytes, 3}), TENSOR_CTS_ACCEPT);
  EXPECT_EQ(Check("identity/unsigned", {"out", "u8", three_, 1, wrong, 3}), TENSOR_CTS_REJECT);
  EXPECT_THAT(message_, HasSubstr("element [0]: expected 200, got 201 (off by 1)"));
  EXPECT_EQ(Check("identity/unsigned", {"out", "u16", three_, 1, bytes, 3}), TENSOR_CTS_BAD_CALL);
  EXPECT_EQ(Check("identity/signed", {"out", "i8", three_, 1, bytes, 3}), TENSOR_CTS_ACCEPT);
  EXPECT_EQ(Check("identity/signed", {"out", "u8", three_, 1, bytes, 3}), TENSOR_CTS_BAD_CALL);
  EXPECT_THAT(message_, HasSubstr("found the type 'u8', expected one such as i8"));
  for (const bool is_unsigned : {false, true}) {
    tensor_cts_case* const c =
        tensor_cts_open_case(suite_, is_unsigned ? "identity/unsigned" : "identity/signed");
    EXPECT_EQ(tensor_cts_output_is_unsigned(c, 0), is_unsigned ? 1 : 0);
    EXPECT_EQ(tensor_cts_output_is_unsigned(c, 1), 0);
    tensor_cts_close_case(c);
  }
}

TEST_F(TensorCts, SaysHowMuchOfAnOutputCanBeJudged) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Rule rule = testing_suite::RuleOf(RuleKind::kInterval);
  rule.enclosure = true;
  const Answer two_of_three{.expected = Tensor::OfFloats(DType::kFp64, {3}, {1, -kInf, 2}),
                            .upper = Tensor::OfFloats(DType::kFp64, {3}, {1.25, kInf, 2.5})};
  testing_suite::WriteSuite(
      directory_ / "shares",
      {testing_suite::IntegerCase("identity/all"),
       testing_suite::ValidCase("identity/two", DType::kFp32, rule, {two_of_three})});
  tensor_cts_close_suite(suite_);
  suite_ = tensor_cts_open_suite((directory_ / "shares").c_str());
  ASSERT_NE(suite_, nullptr) << tensor_cts_message();
  for (const auto& [id, judged] : {std::pair("identity/all", 4u), std::pair("identity/two", 2u)}) {
    tensor_cts_case* const c = tensor_cts_open_case(suite_, id);
    ASSERT_NE(c, nullptr) << tensor_cts_message();
    EXPECT_EQ(tensor_cts_output_judged(c, 0), judged) << id;
    EXPECT_EQ(tensor_cts_output_judged(c, 1), 0u);
    EXPECT_THAT(tensor_cts_message(), HasSubstr("found no such output"));
    tensor_cts_close_case(c);
  }
}

TEST(PlainArithmetic, IsThereForBindingsThatCompute) {
  const ForeignControls plain = ForeignControls::Now();
  InEveryFloatMode([&] {
    tensor_cts_float_mode before;
    tensor_cts_begin_plain_arithmetic(&before);
    const ForeignControls now = ForeignControls::Now();
    volatile float tiny = 1e-40F, zero = 0;
    const bool kept = tiny + zero > 0;
    tensor_cts_end_plain_arithmetic(&before);
    EXPECT_TRUE(kept);
    EXPECT_EQ(now, plain);
  });
}

TEST_F(TensorCts, OpensAnErrorCaseWhoseInputsDoNotFit) {
  Case c = testing_suite::ErrorCase("identity/lacking");
  c.later_inputs.emplace_back();
  testing_suite::WriteSuite(directory_ / "lacking", {c});
  tensor_cts_suite* const suite = tensor_cts_open_suite((directory_ / "lacking").c_str());
  ASSERT_NE(suite, nullptr) << tensor_cts_message();
  tensor_cts_case* const opened = tensor_cts_open_case(suite, "identity/lacking");
  EXPECT_EQ(tensor_cts_input_count(opened), opened == nullptr ? 0u : 1u);
  tensor_cts_close_case(opened);
  tensor_cts_close_suite(suite);
}

TEST_F(TensorCts, TakesNull) {
  tensor_cts_tensor tensor;
  EXPECT_EQ(tensor_cts_case_count(nullptr), 0u);
  EXPECT_EQ(tensor_cts_case_id(nullptr, 0), nullptr);
  EXPECT_EQ(tensor_cts_operator(nullptr), nullptr);
  EXPECT_EQ(tensor_cts_expects_error(nullptr), 0);
  EXPECT_EQ(tensor_cts_input_count(nullptr), 0u);
  EXPECT_EQ(tensor_cts_input(nullptr, 0, &tensor), 0);
  EXPECT_EQ(tensor_cts_output(nullptr, 0, &tensor), 0);
  EXPECT_EQ(tensor_cts_check(nullptr, &tensor), TENSOR_CTS_BAD_CALL);
  tensor_cts_close_case(nullptr);
}

TEST_F(TensorCts, RefusesAChangedSuiteAndUnknownCases) {
  EXPECT_EQ(tensor_cts_open_suite((directory_ / "nowhere").c_str()), nullptr);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("nowhere"));
  EXPECT_EQ(tensor_cts_open_suite(nullptr), nullptr);
  EXPECT_EQ(tensor_cts_open_case(suite_, "identity/integers"), nullptr);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("identity/integer"));
  std::ofstream(directory_ / "suite/identity/integer/in.npy", std::ios::app) << "x";
  EXPECT_EQ(tensor_cts_open_case(suite_, "identity/integer"), nullptr);
  EXPECT_THAT(tensor_cts_message(), HasSubstr("not as it was generated"));
}

TEST_F(TensorCts, KeepsMessagesApartByThread) {
  EXPECT_EQ(tensor_cts_open_case(suite_, "identity/unknown"), nullptr);
  std::thread([] { EXPECT_STREQ(tensor_cts_message(), ""); }).join();
  EXPECT_THAT(tensor_cts_message(), HasSubstr("identity/unknown"));
}

}  // namespace
}  // namespace cts
