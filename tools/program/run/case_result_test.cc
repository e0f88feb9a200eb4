#include "tools/program/run/case_result.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reference/base/json.h"
#include "tools/program/run/protocol.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// A resumed run reads what was written.
TEST(CaseResult, IsReadAsItIsWritten) {
  CaseResult result{.status = CaseStatus::kCrash, .message = "found nothing", .seconds = 1.5};
  result.exit = {.code = 0, .signal = 11};
  result.log = "a log";
  result.stdout_text = "words";
  const Json json = CaseResultToJson(result);
  EXPECT_EQ(json, Json::parse(R"({"status": "crash", "seconds": 1.5, "message": "found nothing",
                                  "log": "a log", "stdout": "words", "signal": 11})"));
  const CaseResult read = CaseResultFromJson(json);
  EXPECT_EQ(read.status, CaseStatus::kCrash);
  EXPECT_EQ(read.message, "found nothing");
  EXPECT_EQ(read.seconds, 1.5);
  EXPECT_EQ(read.log, "a log");
  EXPECT_EQ(read.stdout_text, "words");
  ASSERT_TRUE(read.exit.has_value());
  EXPECT_EQ(read.exit->signal, 11);
  EXPECT_EQ(read.exit->code, 0);
}

TEST(CaseResult, HasAnExitOnlyWhereAProcessEnded) {
  const CaseResult answered{.status = CaseStatus::kOk};
  EXPECT_EQ(CaseResultToJson(answered), Json::parse(R"({"status": "ok", "seconds": 0.0})"));
  EXPECT_FALSE(CaseResultFromJson(CaseResultToJson(answered)).exit.has_value());
  CaseResult ended{.status = CaseStatus::kCrash};
  ended.exit = {.code = 0, .signal = 0};
  EXPECT_EQ(CaseResultToJson(ended)["exit_code"], 0);
  EXPECT_TRUE(CaseResultFromJson(CaseResultToJson(ended)).exit.has_value());
}

TEST(CaseResult, WasEndedByASignalOrALimit) {
  CaseResult result{.status = CaseStatus::kTimeout};
  EXPECT_TRUE(result.WasEnded());
  result.status = CaseStatus::kCrash;
  EXPECT_TRUE(result.WasEnded());
  result.exit = {.code = 3, .signal = 0};
  EXPECT_FALSE(result.WasEnded());
  result.exit = {.code = 0, .signal = 9};
  EXPECT_TRUE(result.WasEnded());
  result.status = CaseStatus::kError;
  EXPECT_FALSE(result.WasEnded());
  EXPECT_TRUE(result.Answered());
}

class FindStrayTest : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_.parent_path()); }
  void Write(const std::string& name) const { std::ofstream(folder_ / name) << "x"; }

  const fs::path folder_ =
      fs::path(testing::TempDir()) / ("stray-" + std::to_string(getpid())) / "staging";
  const CaseTask task_{.staging = folder_, .files = {{"a.npy", 3}, {"b.npy", 3}}};
};

TEST_F(FindStrayTest, NamesTheFirstByItsName) {
  EXPECT_EQ(*FindStray(task_), "");
  Write("b.npy");
  EXPECT_EQ(*FindStray(task_), "");
  Write("z.txt");
  Write("c.npy");
  EXPECT_EQ(*FindStray(task_),
            "found \"c.npy\" in its result directory, expected no file but a.npy, b.npy");
}

TEST_F(FindStrayTest, TakesNeitherLinksNorFoldersForFiles) {
  Write("b.npy");
  fs::create_symlink("b.npy", folder_ / "a.npy");
  EXPECT_EQ(*FindStray(task_),
            "found a link for the file \"a.npy\", expected no file but a.npy, b.npy");
  fs::remove(folder_ / "a.npy");
  fs::create_directory(folder_ / "a.npy");
  EXPECT_EQ(*FindStray(task_),
            "found something else for the file \"a.npy\", expected no file but a.npy, b.npy");
}

TEST_F(FindStrayTest, TakesNoFileThatIsLongerThanItsOutputCanBe) {
  CaseResult result{.status = CaseStatus::kOk};
  Write("a.npy");
  ASSERT_TRUE(CheckFiles(task_, result).ok());
  EXPECT_EQ(result.status, CaseStatus::kOk);
  fs::resize_file(folder_ / "a.npy", uint64_t{10} << 30);  // without a byte on the disk
  result.status = CaseStatus::kError;                      // its files are thrown away
  ASSERT_TRUE(CheckFiles(task_, result).ok());
  EXPECT_EQ(result.status, CaseStatus::kError);
  result.status = CaseStatus::kOk;
  ASSERT_TRUE(CheckFiles(task_, result).ok());
  EXPECT_EQ(result.status, CaseStatus::kProtocol);
  EXPECT_EQ(result.message, "found 10737418240 bytes in a.npy, expected at most 3");
}

TEST(ResultOf, KeepsThatACrashWasReportedAndTheEndOfItsText) {
  const WorkerLine line{.status = CaseStatus::kCrash, .message = std::string(9000, 'm') + "end"};
  const CaseResult result = ResultOf(line, 1);
  EXPECT_FALSE(result.Answered());
  EXPECT_FALSE(result.WasEnded());
  EXPECT_LT(result.message.size(), 8300u);
  EXPECT_TRUE(result.message.ends_with("mend"));
  const Json json = CaseResultToJson(result);
  EXPECT_EQ(json["reported"], true);
  EXPECT_FALSE(CaseResultFromJson(json).WasEnded());
  EXPECT_TRUE((CaseResult{.status = CaseStatus::kCrash}).WasEnded());
  EXPECT_FALSE(CaseResultToJson(ResultOf({.status = CaseStatus::kError}, 1)).contains("reported"));
}

TEST_F(FindStrayTest, SeesThatTheDirectoryItselfIsReplaced) {
  fs::create_directory(folder_.parent_path() / "other");
  fs::remove(folder_);
  EXPECT_EQ(*FindStray(task_), "its result directory is gone or replaced");
  fs::create_directory_symlink("other", folder_);
  EXPECT_EQ(*FindStray(task_), "its result directory is gone or replaced");
}

}  // namespace
}  // namespace cts
