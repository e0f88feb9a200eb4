#include "reference/base/parallel_for.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cfenv>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "reference/base/float_modes_testing.h"

namespace cts {
namespace {

using testing::Each;
using testing::ElementsAre;

TEST(ParallelFor, DoesEveryItemOnceForAnyNumberOfThreads) {
  for (const int jobs : {0, 1, 3, 64}) {
    std::vector<int> times(100, 0);  // each item writes its own place only
    EXPECT_TRUE(ParallelFor(times.size(), {.jobs = jobs}, [&](size_t i) {
                  ++times[i];
                  return absl::OkStatus();
                }).ok());
    EXPECT_THAT(times, Each(1)) << jobs;
  }
  EXPECT_TRUE(ParallelFor(0, {}, [](size_t) { return absl::InternalError("asked"); }).ok());
}

TEST(ParallelFor, UsesSoManyThreads) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> inside{0};
  EXPECT_TRUE(ParallelFor(3, {.jobs = 3}, [&](size_t) {
                {
                  const std::lock_guard<std::mutex> lock(mutex);
                  threads.insert(std::this_thread::get_id());
                }
                // Each waits for the other two: one thread alone would wait forever.
                ++inside;
                while (inside < 3) std::this_thread::yield();
                return absl::OkStatus();
              }).ok());
  EXPECT_EQ(threads.size(), 3U);
}

TEST(ParallelFor, OneJobKeepsTheOrderAndTheThread) {
  std::vector<size_t> order;
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_TRUE(ParallelFor(4, {.jobs = 1}, [&](size_t i) {
                EXPECT_EQ(std::this_thread::get_id(), here);
                order.push_back(i);
                return absl::OkStatus();
              }).ok());
  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3));
}

TEST(ParallelFor, ReturnsTheErrorOfTheFirstItemThatFails) {
  for (const int jobs : {1, 2, 8}) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Status status = ParallelFor(50, {.jobs = jobs}, [&](size_t i) -> Status {
        // The first to fail is the last to know it.
        if (i == 5) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (i >= 5) return InvalidArgument("item ", i);
        return absl::OkStatus();
      });
      EXPECT_EQ(Message(status), "item 5") << jobs;
    }
  }
}

TEST(ParallelFor, BeginsNothingAfterAnError) {
  std::atomic<int> begun{0};
  const Status status = ParallelFor(1000, {.jobs = 4}, [&](size_t i) -> Status {
    ++begun;
    return InvalidArgument("item ", i);
  });
  EXPECT_EQ(Message(status), "item 0");
  EXPECT_LE(begun, 4);
}

TEST(ParallelFor, StopsWhenItIsTold) {
  for (const int jobs : {1, 4}) {
    std::atomic<bool> stop{false};
    std::atomic<int> begun{0};
    const Status status = ParallelFor(1000, {.jobs = jobs, .stop = &stop}, [&](size_t i) -> Status {
      ++begun;
      if (i == 2) stop = true;
      while (i > 2 && !stop) std::this_thread::yield();
      return i > 2 ? InvalidArgument("ended by the interruption") : absl::OkStatus();
    });
    EXPECT_TRUE(absl::IsCancelled(status)) << status;
    EXPECT_EQ(Message(status), "interrupted");
    EXPECT_LE(begun, 3 + jobs);
  }
}

TEST(ParallelFor, TellsOfProgressOneByOne) {
  std::vector<size_t> told;
  EXPECT_TRUE(ParallelFor(20,
                          {.jobs = 4,
                           .progress =
                               [&](size_t done, size_t total) {
                                 EXPECT_EQ(total, 20U);
                                 told.push_back(done);
                               }},
                          [](size_t) { return absl::OkStatus(); })
                  .ok());
  ASSERT_EQ(told.size(), 20U);
  for (size_t i = 0; i < told.size(); ++i) EXPECT_EQ(told[i], i + 1);
}

TEST(JobsOrCores, MakesZeroOnePerCore) {
  EXPECT_EQ(JobsOrCores(5), 5);
  EXPECT_EQ(JobsOrCores(0), static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
}

TEST(ParallelFor, TurnsMissingMemoryIntoAStatus) {
  for (const int jobs : {1, 4}) {
    const Status status = ParallelFor(8, {.jobs = jobs}, [](size_t i) -> Status {
      if (i == 5) throw std::bad_alloc();
      return absl::OkStatus();
    });
    EXPECT_TRUE(absl::IsUnavailable(status)) << status;
    EXPECT_NE(Message(status).find("not enough memory"), std::string::npos);
  }
}

TEST(ParallelFor, WorksInPlainArithmetic) {
  InEveryFloatMode([] {
    const Status status = ParallelFor(8, {.jobs = 4}, [](size_t) -> Status {
      volatile float tiny = 1e-40F, zero = 0;
      if (std::fegetround() == FE_TONEAREST && tiny + zero > 0) return absl::OkStatus();
      return InvalidArgument("another mode");
    });
    EXPECT_TRUE(status.ok()) << status;
  });
}

}  // namespace
}  // namespace cts
