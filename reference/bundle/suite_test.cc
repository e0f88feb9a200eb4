#include "reference/bundle/suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "reference/base/digest.h"
#include "reference/base/json.h"
#include "reference/bundle/case.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class SuiteTest : public ::testing::Test {
 protected:
  SuiteTest() {
    std::string name = (fs::temp_directory_path() / "suite_test_XXXXXX").string();
    directory_ = mkdtemp(name.data());
    suite_ = {"smoke", "tosa-1.0", "8K", "tensor-cts 1", 9007199254740991, {}, ""};
    suite_.cases = {{"add/a", "ADD", "valid", std::string(64, 'a'), {"add.x", "add.y"}},
                    {"add/b", "ADD", "error", std::string(64, 'b'), {}},
                    {"mul/a", "MUL", "valid", std::string(64, 'c'), {}}};
  }
  ~SuiteTest() override { fs::remove_all(directory_); }

  // Returns the error of reading the suite as it is, with the digest that belongs to it.
  std::string Error() {
    suite_.digest = SuiteDigest(suite_.cases);
    return ErrorAsIs();
  }
  std::string ErrorAsIs() {
    EXPECT_TRUE(SaveJson(directory_ / "suite.json", SuiteToJson(suite_)).ok());
    const auto read = ReadSuite(directory_);
    return read.ok() ? "no error" : Message(read.status());
  }

  fs::path directory_;
  Suite suite_;
};

TEST_F(SuiteTest, ReadsBackEveryMember) {
  ASSERT_EQ(Error(), "no error");
  const Suite read = *ReadSuite(directory_);
  EXPECT_EQ(read.name, "smoke");
  EXPECT_EQ(read.edition, "tosa-1.0");
  EXPECT_EQ(read.level, "8K");
  EXPECT_EQ(read.generator, "tensor-cts 1");
  EXPECT_EQ(read.seed, 9007199254740991u);
  EXPECT_EQ(read.digest, suite_.digest);
  ASSERT_EQ(read.cases.size(), 3u);
  EXPECT_EQ(read.cases[0].id, "add/a");
  EXPECT_EQ(read.cases[0].op, "ADD");
  EXPECT_EQ(read.cases[0].digest, suite_.cases[0].digest);
  EXPECT_EQ(read.cases[0].conditions, suite_.cases[0].conditions);
  EXPECT_EQ(read.cases[1].outcome, "error");
}

TEST_F(SuiteTest, FindsCasesById) {
  EXPECT_EQ(suite_.Find("add/b"), &suite_.cases[1]);
  EXPECT_EQ(suite_.Find("mul/a"), &suite_.cases[2]);
  EXPECT_EQ(suite_.Find("mul"), nullptr);
  EXPECT_EQ(suite_.Find("zzz/a"), nullptr);
}

TEST_F(SuiteTest, RejectsDuplicateAndUnsortedIds) {
  suite_.cases[1].id = "add/a";
  EXPECT_THAT(Error(), HasSubstr("suite.json: /cases/1/id: found \"add/a\" twice"));
  suite_.cases[1].id = "sub/a";
  EXPECT_THAT(Error(), HasSubstr("/cases/2/id: found \"mul/a\" after \"sub/a\""));
}

TEST_F(SuiteTest, RejectsIdsThatAreUnsafeAsPaths) {
  for (const char* id : {"../a", "add/../a", "/etc/a", "add/.a", "add", "add/", "add/a/b", "Add/a",
                         "add/a\n", ".tmp/a"}) {
    suite_.cases = {{id, "ADD", "valid", std::string(64, 'a'), {}}};
    EXPECT_THAT(Error(), HasSubstr("/cases/0/id")) << id;
  }
}

TEST_F(SuiteTest, RejectsWrongDigest) {
  suite_.digest = std::string(64, '0');
  EXPECT_THAT(ErrorAsIs(),
              AllOf(HasSubstr("/digest"), HasSubstr(suite_.digest),
                    HasSubstr(SuiteDigest(suite_.cases)), HasSubstr("generate the suite again")));
}

TEST_F(SuiteTest, RejectsMissingManifest) {
  const auto read = ReadSuite(directory_ / "nowhere");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(Message(read.status()), HasSubstr("nowhere/suite.json: no such file"));
}

// The input of the digests: "path, length and bytes", "ids and digests".
TEST_F(SuiteTest, DigestsAreOverTheWrittenDefinition) {
  EXPECT_EQ(BundleDigest({{"case.json", "{}"}, {"x.npy", "ab\n"}}),
            Sha256("case.json\n2\n{}x.npy\n3\nab\n"));
  EXPECT_EQ(SuiteDigest({{"add/a", "ADD", "valid", "12", {}}, {"add/b", "ADD", "error", "34", {}}}),
            Sha256("add/a\n12\nadd/b\n34\n"));
}

TEST_F(SuiteTest, DigestDependsOnPathOrderAndBytes) {
  const std::string digest = BundleDigest({{"a", "1"}, {"b", "2"}});
  EXPECT_NE(BundleDigest({{"b", "2"}, {"a", "1"}}), digest);
  EXPECT_NE(BundleDigest({{"a", "1"}, {"c", "2"}}), digest);
  EXPECT_NE(BundleDigest({{"a", "1"}, {"b", "3"}}), digest);
  EXPECT_NE(BundleDigest({{"a", "1b2"}}), digest);
}

}  // namespace
}  // namespace cts
