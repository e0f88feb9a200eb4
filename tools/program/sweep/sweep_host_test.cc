#include "tools/program/sweep/sweep_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace cts {
namespace {

using testing::HasSubstr;

constexpr uint64_t kFirst = 0x3f80'0000;

// Questions of 256 inputs each, one after the other.
std::vector<SweepRange> Questions(int first, int count) {
  std::vector<SweepRange> questions;
  for (int k = first; k < first + count; ++k) {
    const uint64_t start = kFirst + 256 * static_cast<uint64_t>(k);
    questions.push_back({start, start + 255});
  }
  return questions;
}

// The bits of a result, and those of the C library's, of input k of a question.
uint32_t Result(const SweepHost& host, size_t question, int64_t k) {
  uint32_t bits = 0;
  std::memcpy(&bits, host.results(question).at(k), sizeof(bits));
  return bits;
}
uint32_t Right(int question, int64_t k) {
  const auto bits = static_cast<uint32_t>(kFirst + 256 * static_cast<uint64_t>(question) +
                                          static_cast<uint64_t>(k));
  float x = 0;
  std::memcpy(&x, &bits, sizeof(x));
  x = std::exp(x);
  uint32_t result = 0;
  std::memcpy(&result, &x, sizeof(x));
  return result;
}

class SweepHostTest : public testing::Test {
 protected:
  // `fault` is of input `k` of a question.
  void Begin(const std::string& fault, int question, int k) {
    const uint64_t input =
        kFirst + 256 * static_cast<uint64_t>(question) + static_cast<uint64_t>(k);
    char bits[20];
    std::snprintf(bits, sizeof(bits), ":%08x", static_cast<unsigned>(input));
    setenv("SWEEP_FAULT", (fault + bits).c_str(), 1);
    StatusOr<std::unique_ptr<SweepHost>> host =
        SweepHost::Create({CTS_EXECUTABLE,
                           CTS_SWEEP_PLUGIN,
                           "",
                           {"EXP", "fp32", "", "tosa-1.0", {}},
                           DType::kFp32,
                           {},
                           1},
                          -1);
    ASSERT_TRUE(host.ok()) << host.status();
    host_ = *std::move(host);
  }
  void TearDown() override { unsetenv("SWEEP_FAULT"); }

  // All answers of a Run that began with this question are right.
  void ExpectAnswers(int first, size_t count) const {
    ASSERT_EQ(host_->answered(), count);
    for (size_t question = 0; question < count; ++question) {
      for (int64_t k = 0; k < 256; ++k) {
        ASSERT_EQ(Result(*host_, question, k), Right(first + static_cast<int>(question), k))
            << question << " " << k;
      }
    }
  }

  std::unique_ptr<SweepHost> host_;
};

// Places and the plugin's two buffers are used again and again, in every combination.
TEST_F(SweepHostTest, AnswersSeveralQuestionsAtOnce) {
  Begin("none", 0, 0);
  int next = 0;
  for (const int count : {1, 2, 3, SweepMemory::kPlaces, 1, SweepMemory::kPlaces}) {
    const SweepHost::Answer answer = host_->Run(Questions(next, count));
    ASSERT_EQ(answer.event, SweepHost::Event::kAnswered) << answer.message;
    ExpectAnswers(next, static_cast<size_t>(count));
    next += count;
  }
}

TEST_F(SweepHostTest, KeepsTheAnswersBeforeAFault) {
  for (const auto& [fault, event] :
       {std::pair("crash", SweepHost::Event::kCrash), std::pair("_exit", SweepHost::Event::kCrash),
        std::pair("hang", SweepHost::Event::kTimeout),
        std::pair("refuse", SweepHost::Event::kRefused),
        std::pair("before", SweepHost::Event::kRefused)}) {
    SCOPED_TRACE(fault);
    Begin(fault, 2, 7);
    EXPECT_EQ(host_->Run(Questions(0, 4)).event, event);
    ExpectAnswers(0, 2);
    // The questions after the fault are asked again.
    ASSERT_EQ(host_->Run(Questions(3, 2)).event, SweepHost::Event::kAnswered);
    ExpectAnswers(3, 2);
  }
}

TEST_F(SweepHostTest, TrustsNoAnswerBesideAForgedOne) {
  Begin("forge", 2, 7);
  EXPECT_EQ(host_->Run(Questions(0, 4)).event, SweepHost::Event::kUnclear);
  EXPECT_EQ(host_->answered(), 0);
  for (const int question : {0, 1, 3}) {
    ASSERT_EQ(host_->Run(Questions(question, 1)).event, SweepHost::Event::kAnswered);
    ExpectAnswers(question, 1);
  }
  const SweepHost::Answer answer = host_->Run(Questions(2, 1));
  EXPECT_EQ(answer.event, SweepHost::Event::kCrash);
  EXPECT_THAT(answer.message, HasSubstr("wrote into the answers of its host"));
}

// In a buffer that holds a result of an earlier question otherwise.
TEST_F(SweepHostTest, LeavesNoResultWhereNoneWasWritten) {
  Begin("silent", 5, 7);
  ASSERT_EQ(host_->Run(Questions(0, SweepMemory::kPlaces)).event, SweepHost::Event::kAnswered);
  EXPECT_EQ(Result(*host_, 5, 6), Right(5, 6));
  EXPECT_EQ(Result(*host_, 5, 7), 0xFFFF'FFFF);
  EXPECT_EQ(Result(*host_, 5, 8), Right(5, 8));
}

// Into the buffer that is next, and into the one that the last call had.
TEST_F(SweepHostTest, FindsWhatWasWrittenWhileNothingWasAsked) {
  for (const int questions : {1, 2}) {
    Begin("late-idle", 0, 7);
    ASSERT_EQ(host_->Run(Questions(0, questions)).event, SweepHost::Event::kAnswered);
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    ExpectAnswers(0, static_cast<size_t>(questions));
    const SweepHost::Answer answer = host_->Run(Questions(2, 1));
    EXPECT_EQ(answer.event, SweepHost::Event::kRefused);
    EXPECT_EQ(host_->answered(), 0);
    EXPECT_THAT(answer.message, HasSubstr("written to after execute had returned"));
  }
}

TEST_F(SweepHostTest, GivesTimeToPrepare) {
  Begin("slow-prepare", 0, 0);
  const SweepHost::Answer answer = host_->Run(Questions(0, 2));
  ASSERT_EQ(answer.event, SweepHost::Event::kAnswered) << answer.message;
  ExpectAnswers(0, 2);
}

// Over the time of the last answer, among others.
TEST_F(SweepHostTest, EndsWhateverWritesOverItsClock) {
  Begin("scribble", 1, 7);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(host_->Run(Questions(0, 2)).event, SweepHost::Event::kAnswered);
  EXPECT_EQ(host_->answered(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST_F(SweepHostTest, GivesNoQuestionTheTimeOfAnother) {
  Begin("delay", 2, 7);
  EXPECT_EQ(host_->Run(Questions(0, 4)).event, SweepHost::Event::kTimeout);
  ExpectAnswers(0, 2);
}

// Four calls of 0.4 s with 1 s for each.
TEST_F(SweepHostTest, GivesEveryQuestionItsTime) {
  Begin("slow", 0, 0);
  const SweepHost::Answer answer = host_->Run(Questions(0, 4));
  ASSERT_EQ(answer.event, SweepHost::Event::kAnswered) << answer.message;
  ExpectAnswers(0, 4);
}

}  // namespace
}  // namespace cts
