#include "tools/program/run/engine_shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace cts {
namespace {

using ::testing::HasSubstr;

using Variables = std::map<std::string, std::string, std::less<>>;

TaskVariables With(const Variables& variables) {
  return [=](std::string_view name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

std::string Refusal(std::string_view text, const Variables& variables) {
  return std::string(ShardOfTask(text, With(variables)).status().message());
}

TEST(EngineShard, EachEngineNumbersItsTasksInItsOwnWay) {
  const struct {
    const char* text;
    Variables variables;
    Shard shard;
  } kTasks[] = {
      {"auto",
       {{"SLURM_ARRAY_TASK_ID", "1"},
        {"SLURM_ARRAY_TASK_COUNT", "4"},
        {"SLURM_ARRAY_TASK_MIN", "1"}},
       {1, 4}},
      {"auto",
       {{"SLURM_ARRAY_TASK_ID", "3"},
        {"SLURM_ARRAY_TASK_COUNT", "4"},
        {"SLURM_ARRAY_TASK_MIN", "0"}},
       {4, 4}},
      {"auto/16", {{"JOB_COMPLETION_INDEX", "0"}}, {1, 16}},
      {"auto/16", {{"JOB_COMPLETION_INDEX", "15"}}, {16, 16}},
      {"auto", {{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "5"}}, {1, 5}},
      {"auto/5", {{"CI_NODE_INDEX", "5"}, {"CI_NODE_TOTAL", "5"}}, {5, 5}},
      {"auto", {{"CIRCLE_NODE_INDEX", "0"}, {"CIRCLE_NODE_TOTAL", "2"}}, {1, 2}},
      {"auto", {{"BUILDKITE_PARALLEL_JOB", "6"}, {"BUILDKITE_PARALLEL_JOB_COUNT", "7"}}, {7, 7}},
      {"auto", {{"TEST_SHARD_INDEX", "2"}, {"TEST_TOTAL_SHARDS", "3"}}, {3, 3}},
      {"auto", {{"AWS_BATCH_JOB_ARRAY_INDEX", "9"}, {"AWS_BATCH_JOB_ARRAY_SIZE", "10"}}, {10, 10}},
      {"auto/8", {{"PBS_ARRAY_INDEX", "8"}}, {8, 8}},
      {"2/4", {{"JOB_COMPLETION_INDEX", "0"}}, {2, 4}},
  };
  for (const auto& task : kTasks) {
    const StatusOr<Shard> shard = ShardOfTask(task.text, With(task.variables));
    ASSERT_TRUE(shard.ok()) << shard.status().message();
    EXPECT_EQ(*shard, task.shard) << task.variables.begin()->first;
  }
}

TEST(EngineShard, HTCondorWritesItIntoTheAdOfTheJob) {
  const std::string path = ::testing::TempDir() + "/job.ad";
  std::ofstream(path) << "ClusterId = 77\nProcId = 3\nMyType = \"Job\"\nTotalSubmitProcs = 12\n";
  EXPECT_EQ(*ShardOfTask("auto", With({{"_CONDOR_JOB_AD", path}})), (Shard{4, 12}));
  EXPECT_THAT(Refusal("auto/11", {{"_CONDOR_JOB_AD", path}}),
              HasSubstr("found 12 tasks, expected 11"));
  std::ofstream(path) << "ProcId = 3\n";
  EXPECT_THAT(Refusal("auto", {{"_CONDOR_JOB_AD", path}}), HasSubstr("expected --shard auto/N"));
  EXPECT_EQ(*ShardOfTask("auto/12", With({{"_CONDOR_JOB_AD", path}})), (Shard{4, 12}));
  EXPECT_THAT(Refusal("auto", {{"_CONDOR_JOB_AD", path + ".none"}}), HasSubstr("job.ad.none"));
}

// A task that takes another part than it should leaves cases out, or runs them twice.
TEST(EngineShard, RefusesWhatCouldBeAnotherPart) {
  EXPECT_THAT(Refusal("auto", {}), HasSubstr("found no task of an engine"));
  EXPECT_THAT(Refusal("auto", {}), HasSubstr("JOB_COMPLETION_INDEX"));
  EXPECT_THAT(Refusal("auto", {{"JOB_COMPLETION_INDEX", "3"}}),
              HasSubstr("expected --shard auto/N"));
  EXPECT_THAT(Refusal("auto/3", {{"JOB_COMPLETION_INDEX", "3"}}),
              HasSubstr("found 3 in an array of 3"));
  EXPECT_THAT(
      Refusal("auto",
              {{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "2"}, {"JOB_COMPLETION_INDEX", "0"}}),
      HasSubstr("found JOB_COMPLETION_INDEX and CI_NODE_INDEX"));
  EXPECT_THAT(Refusal("auto/9", {{"CI_NODE_INDEX", "1"}, {"CI_NODE_TOTAL", "2"}}),
              HasSubstr("found 2 tasks, expected 9"));
  EXPECT_THAT(Refusal("auto", {{"CI_NODE_INDEX", "0"}, {"CI_NODE_TOTAL", "2"}}),
              HasSubstr("expected 1 to 2"));
  EXPECT_THAT(Refusal("auto", {{"CI_NODE_INDEX", "x"}, {"CI_NODE_TOTAL", "2"}}),
              HasSubstr("found 'x'"));
  EXPECT_THAT(Refusal("auto/4", {{"PBS_ARRAY_INDEX", "0"}}), HasSubstr("submit with -J 1-N"));
  for (const char* text : {"auto/", "auto/0", "auto/x", "automatic", "auto/-1"}) {
    EXPECT_FALSE(ShardOfTask(text, With({{"JOB_COMPLETION_INDEX", "0"}})).ok()) << text;
  }
}

// --array=1,3,5,7 has four tasks, the last of which is the seventh; --array=5 is one of them alone.
TEST(EngineShard, RefusesAnArrayWithGaps) {
  EXPECT_THAT(Refusal("auto", {{"SLURM_ARRAY_TASK_ID", "5"},
                               {"SLURM_ARRAY_TASK_COUNT", "4"},
                               {"SLURM_ARRAY_TASK_MIN", "1"},
                               {"SLURM_ARRAY_TASK_MAX", "7"}}),
              HasSubstr("submit with --array=1-N"));
  EXPECT_THAT(Refusal("auto", {{"SLURM_ARRAY_TASK_ID", "5"},
                               {"SLURM_ARRAY_TASK_COUNT", "1"},
                               {"SLURM_ARRAY_TASK_MIN", "5"},
                               {"SLURM_ARRAY_TASK_MAX", "5"}}),
              HasSubstr("from 5 to 5"));
  EXPECT_THAT(Refusal("auto", {{"SLURM_ARRAY_TASK_ID", "3"},
                               {"SLURM_ARRAY_TASK_COUNT", "4"},
                               {"SLURM_ARRAY_TASK_MIN", "1"},
                               {"SLURM_ARRAY_TASK_MAX", "7"}}),
              HasSubstr("without gaps"));
}

}  // namespace
}  // namespace cts
