#include "checker/judge/run_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class RunRecordTest : public ::testing::Test {
 protected:
  RunRecordTest() {
    std::string name = (fs::temp_directory_path() / "run_record_test_XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~RunRecordTest() override { fs::remove_all(root_); }

  // Writes a run.json, reads it, and returns what is written of the record.
  Json ThereAndBack(const Json& json) {
    EXPECT_TRUE(SaveJson(root_ / "run.json", json).ok());
    const StatusOr<RunRecord> record = ReadUnfinishedRun(root_);
    EXPECT_TRUE(record.ok()) << record.status();
    if (!record.ok()) return Json();
    EXPECT_TRUE(WriteRunRecord(root_, *record).ok());
    const StatusOr<Json> written = LoadJson(root_ / "run.json", "run");
    EXPECT_TRUE(written.ok()) << written.status();
    return written.ok() ? *written : Json();
  }

  fs::path root_;
};

const std::string kDigest(64, 'a');

Json Least() {
  return {{"format", "tensor-cts-run-1"},
          {"suite", "smoke"},
          {"suite_digest", kDigest},
          {"implementation", {{"name", "n"}, {"version", "1"}}},
          {"command", "c"}};
}

// Every member that the schema has.
Json Most() {
  const Json machine = {{"cpu", "x"}, {"cores", 3}, {"memory_mb", 0}, {"os", "y"}};
  const Json place = {{"started", "2026-01-01T00:00:00Z"},
                      {"host", "h"},
                      {"ended", "e"},
                      {"last_result", "l"},
                      {"machine", machine},
                      {"environment", {{"OMP_NUM_THREADS", "1"}}}};
  const Json options = {{"jobs", 2},
                        {"worker", true},
                        {"symbolic", true},
                        {"timeout_seconds", 1.5},
                        {"memory_mb", 7}};
  Json json = Least();
  json.update(place);
  json.update(
      {{"suite_path", "/s"},
       {"suite_cases", 5},
       {"edition_file", "/acme-0.1.json"},
       {"tensor_cts", "0.1"},
       {"commit", "0123, modified"},
       {"build", {{"editions", kDigest}, {"recipes", kDigest}, {"checker", kDigest}}},
       {"options", options},
       {"adapter_files", {{{"path", "p"}, {"sha256", kDigest}}}},
       {"code", {"lib", "p.py"}},
       {"announced_code", {"/a/b.py"}},
       {"changed", "p.py"},
       {"shard", {{"index", 2}, {"of", 3}, {"balanced_by", kDigest}, {"positions", {0, 4}}}},
       {"filter", {"add/*", "clz/a"}},
       {"again", kDigest},
       {"seconds", 0.25},
       {"cases", 4},
       {"restarts", 0},
       {"repeats", 2},
       {"under_load", true},
       {"given", {{"taken", "t"}}},
       {"blind", {{"suite_digest", kDigest}, {"results_digest", kDigest}}},
       {"unexplained", {{"count", 1}, {"first", "hung"}}},
       {"complete", false},
       {"results_digest", kDigest},
       {"packs", {"abs", "conv2d"}},
       {"resumed", {place, {{"started", "s"}, {"host", "h"}}}}});
  json["implementation"]["about"] = "AVX2";
  json["implementation"]["declared"] = {
      {"format", "tensor-cts-declared-1"}, {"edition", "nobody-1.0"}, {"operators", {"ADD"}}};
  Json shard = {{"shard", {{"index", 1}, {"of", 1}}},
                {"cases", 4},
                {"options", options},
                {"seconds", 1.0},
                {"resumed", {place}},
                {"results_digest", kDigest}};
  shard.update(place);
  json["shards"] = {shard, {{"shard", {{"index", 2}, {"of", 2}}}, {"cases", 0}}};
  return json;
}

TEST_F(RunRecordTest, LosesNothing) {
  EXPECT_EQ(ThereAndBack(Least()), Least());
  EXPECT_EQ(ThereAndBack(Most()), Most());
}

TEST_F(RunRecordTest, KnowsEveryMemberOfTheSchema) {
  const StatusOr<std::string> text = ReadFile(fs::path(CTS_SOURCE_DIR) / "schemas/run.schema.json");
  ASSERT_TRUE(text.ok());
  const StatusOr<Json> schema = ParseJson(*text, "run.schema.json");
  ASSERT_TRUE(schema.ok());
  const Json most = Most();
  for (const auto& [member, ignored] : (*schema)["properties"].items()) {
    EXPECT_TRUE(most.contains(member)) << member << ": neither this test nor RunRecord has it";
  }
}

// A zero states a fact, a missing member does not.
TEST_F(RunRecordTest, TellsNothingFromZero) {
  Json json = Least();
  json["restarts"] = 0;
  json["adapter_files"] = Json::array();
  json["environment"] = Json::object();
  json["machine"] = Json::object();
  EXPECT_EQ(ThereAndBack(json), json);
}

TEST_F(RunRecordTest, RefusesWhatTheSchemaRefuses) {
  Json json = Least();
  json["suite_digest"] = "short";
  ASSERT_TRUE(SaveJson(root_ / "run.json", json).ok());
  EXPECT_THAT(Message(ReadRunRecord(root_).status()),
              AllOf(HasSubstr("run.json"), HasSubstr("suite_digest")));
  EXPECT_THAT(Message(ReadRunRecord(root_ / "none").status()), HasSubstr("none/run.json"));
}

TEST(ShardText, SaysWhichPartOfTheSuite) {
  RunRecord record;
  EXPECT_EQ(ShardText(record), "the whole suite");
  record.shard = Shard{2, 3};
  EXPECT_EQ(ShardText(record), "shard 2/3");
  record.shard->balanced_by = "0123456789abcdef";
  EXPECT_EQ(ShardText(record), "shard 2/3 by the seconds of report 0123456789ab");
}

}  // namespace
}  // namespace cts
