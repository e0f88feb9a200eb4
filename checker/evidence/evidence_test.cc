#include "checker/evidence/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "checker/judge/suite_on_disk.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;
using testing_suite::Directory;

// SHA-256 of "abc" and of nothing: FIPS 180-2, appendix B.1; RFC 6234.
constexpr char kAbc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr char kNothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

TEST(Evidence, ListsEveryFileWithItsDigest) {
  const Directory root;
  ASSERT_TRUE(WriteFile(root / "a/b/c", "abc").ok());
  ASSERT_TRUE(WriteFile(root / "z", "").ok());
  for (const int jobs : {1, 3}) {
    std::vector<std::string> faults;
    const auto files = DigestFiles(root / "", jobs, &faults);
    ASSERT_TRUE(files.ok()) << files.status();
    EXPECT_THAT(*files, ElementsAre(Pair("a/b/c", kAbc), Pair("z", kNothing)));
    EXPECT_THAT(faults, IsEmpty());
    EXPECT_EQ(FormatSums(*files), StrCat(kAbc, "  a/b/c\n", kNothing, "  z\n"));
  }
}

TEST(Evidence, OfAHugeFileIsInterruptedAtOnce) {
  const Directory root;
  ASSERT_TRUE(WriteFile(root / "a", "abc").ok());
  fs::resize_file(root / "a", 1ull << 40);  // without a byte on the disk; an hour to read
  const auto begun = std::chrono::steady_clock::now();
  std::atomic<bool> stop{false};
  std::thread stops([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  std::vector<std::string> faults;
  const auto files = DigestFiles(root / "", 1, &faults, &stop);
  stops.join();
  EXPECT_TRUE(absl::IsCancelled(files.status())) << files.status();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(20));
}

TEST(Evidence, SizesAreComparedWithoutReading) {
  const Directory root;
  ASSERT_TRUE(WriteFile(root / "a", "abc").ok());
  ASSERT_TRUE(WriteFile(root / "b/c", "").ok());
  const FileSizes sizes = *SizesOf(root / "", {"a", "b/c"});
  EXPECT_EQ(FormatSizes(sizes), "3  a\n0  b/c\n");
  EXPECT_THAT(CompareWithSizes("3  a\n0  b/c\n", sizes), IsEmpty());
  EXPECT_THAT(CompareWithSizes("4  a\n0  d\nx  b/c\n 0  b/c\n", sizes),
              UnorderedElementsAre(
                  "a: was changed: found 3 bytes, expected 4 as in SIZES; not read",
                  "d: is missing", HasSubstr("SIZES: line 3: found x  b/c, expected a number"),
                  HasSubstr("SIZES: line 4: found "), "b/c: is not in SIZES"));
  EXPECT_THAT(CompareWithSizes("3  a\n3  a\n0  b/c\n", sizes), ElementsAre("a: is missing"));
  EXPECT_THAT(CompareWithSizes("18446744073709551616  a\n0  b/c\n", sizes),
              UnorderedElementsAre(HasSubstr("line 1: found"), "a: is not in SIZES"));
}

// Evidence of format 1 has no signed sizes.
TEST(Evidence, OfFormat1HasLimitsByTheKindOfFile) {
  constexpr uint64_t kMebi = uint64_t{1} << 20;
  const FileSizes most = {{"claim.json", kMebi},
                          {"results/abs.tar", 4096 * kMebi},
                          {"results/abs/x/output.npy", 1024 * kMebi},
                          {"results/run.json", 16 * kMebi},
                          {"suite/suite.json", 64 * kMebi}};
  EXPECT_THAT(TooLarge(most), IsEmpty());
  FileSizes more = most;
  for (auto& [path, size] : more) ++size;
  EXPECT_EQ(TooLarge(more).size(), more.size());
  EXPECT_EQ(TooLarge(more).front(),
            "claim.json: found 1048577 bytes, expected at most 1048576 of a file of its kind; "
            "not read");
}

TEST(Evidence, NamesWhatIsNoFile) {
  const Directory root;
  const Directory outside;
  ASSERT_TRUE(WriteFile(outside / "secret", "abc").ok());
  ASSERT_TRUE(WriteFile(root / "a", "abc").ok());
  fs::create_symlink(root / "a", root / "link");
  fs::create_symlink(outside / "", root / "out");
  fs::create_symlink("nowhere", root / "broken");
  fs::create_symlink(".", root / "loop");
  fs::create_directories(root / "empty/inside");
  ASSERT_EQ(mkfifo((root / "pipe").c_str(), 0600), 0);
  std::vector<std::string> faults;
  const auto files = DigestFiles(root / "", 1, &faults);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT(*files, ElementsAre(Pair("a", kAbc)));
  EXPECT_THAT(faults,
              ElementsAre(HasSubstr("broken: found a link"),
                          HasSubstr("empty/inside: found an "
                                    "empty directory"),
                          HasSubstr("link: found a link"), HasSubstr("loop: found a link"),
                          HasSubstr("out: found a link"), HasSubstr("pipe: found a special file")));
}

TEST(Evidence, NamesFilesThatAreMissingExtraOrChanged) {
  const std::string sums = StrCat(kAbc, "  a\n", kAbc, "  b\n", kAbc, "  c\n");
  EXPECT_THAT(CompareWithSums(sums, {{"a", kAbc}, {"b", kAbc}, {"c", kAbc}}), IsEmpty());
  EXPECT_THAT(CompareWithSums(sums, {{"a", kAbc}, {"b", kNothing}, {"d", kAbc}}),
              UnorderedElementsAre(HasSubstr("b: was changed"), "c: is missing",
                                   "d: is not in SHA256SUMS"));
  // A file that is listed twice is missing the second time.
  EXPECT_THAT(CompareWithSums(StrCat(kAbc, "  a\n", kAbc, "  a\n"), {{"a", kAbc}}),
              ElementsAre("a: is missing"));
  for (const char* broken : {"\n", "a\n", "x  a", "../x"}) {
    EXPECT_THAT(CompareWithSums(broken, {}), ElementsAre(HasSubstr("SHA256SUMS: line 1: found")));
  }
  EXPECT_THAT(CompareWithSums("", {{"a", kAbc}}), ElementsAre("a: is not in SHA256SUMS"));
}

TEST(Evidence, NamesFilesThatAreNotListedBeforeAnyIsRead) {
  const std::string sums = StrCat(kAbc, "  a\n", kAbc, "  b/c\n", kAbc, "  last");
  EXPECT_THAT(Unlisted(sums, {"a", "b/c", "last"}), IsEmpty());
  EXPECT_THAT(Unlisted(sums, {"a", "b", "c", "b/c\n"}),
              ElementsAre("b: is not in SHA256SUMS", "c: is not in SHA256SUMS",
                          HasSubstr("is not in SHA256SUMS")));
  EXPECT_THAT(Unlisted("", {"a"}), ElementsAre("a: is not in SHA256SUMS"));
}

TEST(Evidence, NamesThePlacesWhereDocumentsDiffer) {
  const Json a = {{"same", 1}, {"list", {1, 2, {{"x", "y"}}}}, {"only", true}, {"kind", 1}};
  Json b = a;
  EXPECT_THAT(Differences(a, b), IsEmpty());
  b["list"][2]["x"] = "z";
  b.erase("only");
  b["kind"] = "1";
  EXPECT_THAT(Differences(a, b), ElementsAre("/kind: found 1, expected \"1\"",
                                             "/list/2/x: found \"y\", expected \"z\"",
                                             "/only: found true, expected nothing"));
  b["list"].push_back(0);
  EXPECT_THAT(Differences(a, b), testing::Contains(HasSubstr("/list: found [1,2,")));
}

Report ReportOf(Verdict verdict, const std::string& implementation) {
  Report report;
  report.suite.edition = "tosa-1.0";
  report.suite.level = "8K";
  report.run.name = report.run.command = implementation;
  CaseReport c;
  c.id = "a/b";
  c.verdict = verdict;
  report.cases = {c};
  return report;
}

TEST(Evidence, SaysPassedOnlyOfWhatPassed) {
  EXPECT_EQ(ResultOf(ReportOf(Verdict::kPass, "npu")), "PASSED");
  EXPECT_EQ(ResultOf(ReportOf(Verdict::kPass, "builtin:native")), "WARNED");
  // The worker may announce itself by any name.
  Report disguised = ReportOf(Verdict::kPass, "builtin:native");
  disguised.run.name = "npu";
  EXPECT_EQ(ResultOf(disguised), "WARNED");
  for (int i = 1; i < kVerdictCount; ++i) {
    EXPECT_EQ(ResultOf(ReportOf(static_cast<Verdict>(i), "npu")), "FAILED");
    EXPECT_EQ(ResultOf(ReportOf(static_cast<Verdict>(i), "builtin:native")), "FAILED");
  }
  Report finding = ReportOf(Verdict::kPass, "npu");
  finding.findings = {{"mixed_flushing", "", {}}};
  EXPECT_EQ(ResultOf(finding), "FAILED");
  finding.findings = {{"moved_not_computed", "", {}, true}};
  EXPECT_EQ(ResultOf(finding), "PASSED");
  Report nothing = ReportOf(Verdict::kPass, "npu");
  nothing.cases.clear();
  EXPECT_EQ(ResultOf(nothing), "FAILED");
}

TEST(Evidence, DisputedCasesAreNoObstacleAndStandInTheStatement) {
  Report report = ReportOf(Verdict::kPass, "npu");
  report.cases.push_back(report.cases[0]);
  report.cases[1].id = "a/c";
  report.cases[1].verdict = Verdict::kDisputed;
  EXPECT_EQ(ResultOf(report), "PASSED");
  const FileDigests digests = {
      {"claim.json", kAbc}, {"suite/suite.json", kNothing}, {"results/run.json", kAbc}};
  const Claim claim{"NPU", "1", "Acme", "board", "tosa-1.0", "8K", {"PRO-INT"}, {}};
  const Json statement =
      MakeStatement({claim, report, digests, "abc", "abc", {"l.lock.json", kAbc, kAbc}});
  EXPECT_TRUE(ValidateJson(statement, "statement", "").ok());
  EXPECT_EQ(statement["predicate"]["failedTests"], Json::array());
  EXPECT_EQ(statement["predicate"]["warnedTests"], Json({"a/c"}));
}

TEST(Evidence, StatementNamesEveryTestAndFitsItsSchema) {
  Report report = ReportOf(Verdict::kPass, "npu");
  report.cases.push_back(report.cases[0]);
  report.cases[1].id = "a/c";
  report.cases[1].verdict = Verdict::kTimeout;
  report.findings = {{"mixed_flushing", "", {}}};
  const FileDigests digests = {
      {"claim.json", kAbc}, {"suite/suite.json", kNothing}, {"results/run.json", kAbc}};
  const Claim claim{"NPU", "1", "Acme", "board", "tosa-1.0", "8K", {"PRO-INT"}, {}};
  const Json statement =
      MakeStatement({claim, report, digests, "abc", "abc", {"l.lock.json", kAbc, kAbc}});
  EXPECT_TRUE(ValidateJson(statement, "statement", "").ok());
  const Json& predicate = statement["predicate"];
  EXPECT_EQ(predicate["result"], "FAILED");
  EXPECT_EQ(predicate["passedTests"], Json({"a/b"}));
  EXPECT_EQ(predicate["failedTests"], Json({"a/c", "finding/mixed_flushing"}));
  EXPECT_EQ(statement["subject"][0]["annotations"]["profiles"], Json({"PRO-INT"}));
  EXPECT_EQ(statement["subject"][1]["digest"]["sha256"], kAbc);
  EXPECT_EQ(predicate["configuration"][0]["digest"]["sha256"], kNothing);
  EXPECT_EQ(predicate["configuration"][2]["name"], "l.lock.json");
}

}  // namespace
}  // namespace cts
