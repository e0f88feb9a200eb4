#include "tools/program/run/results_pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "checker/judge/check.h"
#include "checker/judge/run_record.h"
#include "checker/judge/stored_result.h"
#include "checker/judge/suite_on_disk.h"
#include "checker/report/report.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "tools/program/run/merge.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::string AdapterThat(const std::string& behaviour) {
  return StrCat(CTS_PYTHON, " '",
                (fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/fake_adapter.py").string(),
                "' ", behaviour);
}

// y = IDENTITY(x), i32.
Case CopyOf(const std::string& id, int64_t value) {
  const Tensor x = Tensor::OfIntegers(DType::kI32, {2}, {value, -value});
  Case c = IdentityCase(id, "x", "y", x);
  c.outputs = {
      {"y", DType::kI32, {2}, testing_suite::RuleOf(RuleKind::kExact), {{false, x, {}, {}}}}};
  return c;
}

// Two operators, one of which has a case that must be refused.
class ResultsPackTest : public ::testing::Test {
 protected:
  ResultsPackTest() {
    options_.suite = root_ / "suite";
    options_.out = root_ / "packed";
    options_.builtin = "native";
    options_.jobs = 2;
    options_.pack = true;
    setenv("PIDS", (root_ / "pids").c_str(), 1);
    suite_ = testing_suite::WriteSuite(
        options_.suite, {CopyOf("copy/a", 1), CopyOf("copy/b", 2), CopyOf("copy/c-bad", 3),
                         CopyOf("other/d", 4), CopyOf("other/e", 5)});
  }

  RunSummary Run() const {
    const auto summary = RunSuite(options_, nullptr);
    EXPECT_TRUE(summary.ok()) << summary.status();
    return summary.ok() ? *summary : RunSummary();
  }
  std::string Error() const { return Message(RunSuite(options_, nullptr).status()); }

  // The same results as folders, as `tar` unpacks them.
  fs::path Unpacked(const fs::path& packed) const {
    const fs::path folders = root_ / StrCat(packed.filename().string(), "-unpacked");
    fs::remove_all(folders);
    fs::create_directory(folders);
    for (const auto& entry : fs::directory_iterator(packed)) {
      if (entry.path().extension() != kPackSuffix) {
        fs::copy_file(entry.path(), folders / entry.path().filename());
        continue;
      }
      const std::string command =
          StrCat("tar -C '", folders.string(), "' -xf '", entry.path().string(), "'");
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
    return folders;
  }
  fs::path AsFolders() const { return Unpacked(options_.out); }

  // Every file but run.json and results.json; result.json without what is measured.
  static std::map<std::string, std::string> Contents(const fs::path& folders) {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::recursive_directory_iterator(folders)) {
      const std::string path = fs::relative(entry.path(), folders).string();
      if (entry.is_directory() || path == "run.json" || path == "results.json") continue;
      contents[path] = *ReadFile(entry.path());
      if (!path.ends_with("result.json")) continue;
      Json json = *ParseJson(contents[path], path);
      json.erase("seconds");
      json.erase("log");
      contents[path] = json.dump();
    }
    return contents;
  }

  StatusOr<Report> TryCheck(const fs::path& results, int jobs = 1) const {
    return CheckSuite({.suite = options_.suite, .results = results, .jobs = jobs});
  }
  // The report as JSON, whatever folder the results are called by.
  std::string ReportOf(const fs::path& results, int jobs = 1) const {
    StatusOr<Report> report = TryCheck(results, jobs);
    EXPECT_TRUE(report.ok()) << report.status();
    if (!report.ok()) return "";
    report->results_path = "RESULTS";
    return FormatJson(ReportToJson(*report));
  }
  std::string Refusal(const fs::path& results) const {
    const StatusOr<Report> report = TryCheck(results);
    EXPECT_EQ(Message(ReadRunRecord(results).status()).empty(), report.ok());
    return report.ok() ? "accepted" : Message(report.status());
  }

  fs::path Pack(const std::string& op) const { return options_.out / (op + ".tar"); }
  fs::path Unsorted() const { return options_.out / "results.unsorted"; }

  // A result as results.unsorted has it, with a value of its own to tell it by.
  static std::string Record(const std::string& id, int64_t value, const Json& result) {
    const std::map<std::string, std::string> files = {
        {"result.json", FormatJson(result)},
        {"y.npy", EncodeNpy(Tensor::OfIntegers(DType::kI32, {2}, {value, value}))}};
    std::string bytes, digested;
    for (const auto& [name, contents] : files) {
      bytes += *PackedFile(StrCat(id, "/", name), contents);
      digested += StrCat(name, "\n", contents.size(), "\n", contents);
    }
    return bytes + *PackedFile(id + "/.whole", Sha256(digested));
  }
  static std::string Record(const std::string& id, int64_t value) {
    return Record(id, value, {{"status", "ok"}});
  }
  // Leaves the files of a run that was killed when results.unsorted had these bytes.
  void LeaveUnsorted(const std::string& bytes) {
    options_.resume = false;
    fs::remove_all(options_.out);
    Run();
    for (const char* op : {"copy", "other"}) fs::remove(Pack(op));
    fs::remove(options_.out / "results.json");
    Json run = *LoadJson(options_.out / "run.json", "run");
    run["complete"] = false;
    run["packs"] = Json::array();
    ASSERT_TRUE(SaveJson(options_.out / "run.json", run).ok());
    ASSERT_TRUE(WriteFile(Unsorted(), bytes).ok());
    options_.resume = true;
  }
  // The first element of a result's output.
  int64_t Value(const fs::path& folders, const std::string& id) const {
    const auto y = ReadNpy(folders / id / "y.npy", DType::kI32, {2});
    EXPECT_TRUE(y.ok()) << y.status();
    return y.ok() ? y->Integers()[0] : 0;
  }

  testing_suite::Directory root_;
  RunOptions options_;
  Suite suite_;
};

TEST_F(ResultsPackTest, HoldsWhatFoldersHold) {
  EXPECT_EQ(Run()[CaseStatus::kOk], 5);
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(options_.out)) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names,
              testing::UnorderedElementsAre("copy.tar", "other.tar", "results.json", "run.json"));
  const fs::path folders = AsFolders();
  EXPECT_EQ(ReportOf(options_.out), ReportOf(folders));
  EXPECT_TRUE(Conformant(*TryCheck(options_.out)));
  // The digests are those of the files.
  const ResultDigests listed = *ReadResultDigests(options_.out);
  EXPECT_EQ(listed.size(), 5u);
  EXPECT_EQ(listed,
            *DigestResults(folders, {"copy/a", "copy/b", "copy/c-bad", "other/d", "other/e"}, 1,
                           nullptr));
  for (const auto& [id, digest] : listed) {
    EXPECT_EQ(*ResultDigest(options_.out, id), digest);
    const std::string result = *ReadFile(folders / id / "result.json");
    const std::string y = *ReadFile(folders / id / "y.npy");
    EXPECT_EQ(digest, Sha256(StrCat("result.json\n", result.size(), "\n", result, "y.npy\n",
                                    y.size(), "\n", y)));
  }
  const RunRecord record = *ReadRunRecord(options_.out);
  EXPECT_EQ(record.packs, (std::vector<std::string>{"copy", "other"}));
  EXPECT_EQ(record.results_digest, DigestOf(listed));
  EXPECT_EQ(record.complete, true);

  options_.out = root_ / "folders";
  options_.pack = false;
  Run();
  EXPECT_EQ(Contents(options_.out), Contents(folders));
}

TEST_F(ResultsPackTest, IsTheSameForAnyImplementationAndNumberOfJobs) {
  struct Way {
    std::string builtin, adapter;
    bool worker = false;
  };
  for (const Way& way : {Way{"native", ""}, Way{"", AdapterThat("is-silent-of-bad")},
                         Way{"", AdapterThat("is-silent-of-bad"), true}}) {
    options_.builtin = way.builtin;
    options_.adapter = way.adapter;
    options_.worker = way.worker;
    std::vector<std::map<std::string, std::string>> contents;
    std::vector<std::vector<Verdict>> verdicts;
    for (const int jobs : {0, 1, 4}) {
      options_.pack = jobs > 0;
      options_.jobs = std::max(jobs, 1);
      options_.out = root_ / StrCat("results-", jobs);
      fs::remove_all(options_.out);
      EXPECT_GE(Run()[CaseStatus::kOk], 4);
      EXPECT_FALSE(fs::exists(options_.out / ".tmp"));
      contents.push_back(Contents(options_.pack ? AsFolders() : options_.out));
      EXPECT_EQ(ReportOf(options_.out, 1), ReportOf(options_.out, 4));
      verdicts.emplace_back();
      const auto report = TryCheck(options_.out);
      for (const CaseReport& c : report->cases) verdicts.back().push_back(c.verdict);
    }
    EXPECT_EQ(contents[1], contents[0]) << way.adapter;
    EXPECT_EQ(contents[2], contents[0]) << way.adapter;
    EXPECT_EQ(verdicts[1], verdicts[0]) << way.adapter;
    EXPECT_EQ(verdicts[2], verdicts[0]) << way.adapter;
  }
}

// Outputs of `ok` only, and a fault as in folders.
TEST_F(ResultsPackTest, KeepsOfFaultsWhatFoldersKeep) {
  for (const char* behaviour : {"dies", "no-output", "stray", "link", "unknown-status"}) {
    options_.builtin.clear();
    options_.adapter = AdapterThat(behaviour);
    std::vector<std::map<std::string, std::string>> contents;
    for (const bool pack : {false, true}) {
      options_.pack = pack;
      options_.out = root_ / StrCat(behaviour, pack ? "-packed" : "-folders");
      Run();
      contents.push_back(Contents(pack ? AsFolders() : options_.out));
    }
    EXPECT_EQ(contents[0], contents[1]) << behaviour;
  }
}

TEST_F(ResultsPackTest, RepeatsLeaveTheFirstAnswerAndTheDifference) {
  options_.builtin.clear();
  options_.adapter = AdapterThat("flips");
  options_.repeats = 3;
  options_.jobs = 1;
  EXPECT_EQ(Run().differs, 1);
  const fs::path folders = AsFolders();
  const Json result = *LoadJson(folders / "copy/c-bad/result.json", "result");
  EXPECT_EQ(result["repeats"], 3);
  EXPECT_EQ(result["differs"],
            "output y, element 1 [1]: 0xfffffffd the first time, 0x04030201 in repeat 2; 1 of 2 "
            "elements differ");
  EXPECT_EQ(Value(folders, "copy/c-bad"), 3);
  EXPECT_EQ(*ResultDigest(folders, "copy/c-bad"),
            ReadResultDigests(options_.out)->at("copy/c-bad"));
  EXPECT_EQ(LoadJson(folders / "other/e/result.json", "result")->value("repeats", 0), 3);
}

TEST_F(ResultsPackTest, GoesOnWithWhatIsThere) {
  Run();
  const auto expected = Contents(AsFolders());
  const std::string before = *ReadFile(Pack("copy"));
  options_.resume = true;
  Run();
  EXPECT_EQ(*ReadFile(Pack("copy")), before) << "nothing ran again";
  options_.repeats = 2;
  Run();
  EXPECT_EQ(LoadJson(AsFolders() / "other/d/result.json", "result")->value("repeats", 0), 2);
  // A pack that is gone: its cases run again.
  options_.repeats = 1;
  fs::remove(Pack("copy"));
  EXPECT_EQ(Run()[CaseStatus::kOk], 5);
  EXPECT_EQ(ReadRunRecord(options_.out)->packs->size(), 2u);
  EXPECT_EQ(Value(AsFolders(), "copy/b"), 2);
  // One that is broken is in the way.
  fs::resize_file(Pack("copy"), 700);
  EXPECT_THAT(Error(), AllOf(HasSubstr("copy.tar: byte 0: copy/a/result.json: found"),
                             HasSubstr("remove it, and its cases run again")));
  fs::remove(Pack("copy"));
  EXPECT_EQ(Run()[CaseStatus::kOk], 5);
}

TEST_F(ResultsPackTest, GoesOnInItsOwnFormOnly) {
  Run();
  options_.resume = true;
  options_.pack = false;
  EXPECT_THAT(Error(), HasSubstr("packed: holds packed results, as run --pack writes them"));
  options_.out = root_ / "folders";
  options_.resume = false;
  Run();
  options_.resume = true;
  options_.pack = true;
  EXPECT_THAT(Error(), HasSubstr("folders: holds results in folders, which --pack does not go on"));
  options_.out = root_ / "packed";
  fs::create_directory(options_.out / "copy");
  EXPECT_THAT(Error(), HasSubstr("packed/copy: found a folder, expected copy.tar"));
}

// A run that goes on meanwhile puts another run.json there, and its packs away for a while.
TEST_F(ResultsPackTest, CheckRefusesARunThatGoesOnMeanwhile) {
  Run();
  bool replaced = false;
  const StatusOr<Report> report =
      CheckSuite({.suite = options_.suite,
                  .results = options_.out,
                  .jobs = 1,
                  .progress = [&](size_t, size_t) {
                    if (std::exchange(replaced, true)) return;
                    fs::copy_file(options_.out / "run.json", options_.out / "next");
                    fs::rename(options_.out / "next", options_.out / "run.json");
                  }});
  EXPECT_TRUE(replaced);
  EXPECT_TRUE(absl::IsUnavailable(report.status())) << report.status();
  EXPECT_THAT(Message(report.status()),
              HasSubstr("packed: a run went on there while its results were checked"));
  EXPECT_TRUE(TryCheck(options_.out).ok());
}

TEST_F(ResultsPackTest, KilledRunIsReadByNobodyAndGoesOn) {
  LeaveUnsorted(Record("copy/a", 100) + Record("other/d", 400));
  EXPECT_THAT(Refusal(options_.out),
              AllOf(HasSubstr("packed/results.unsorted: the run with --pack is not over"),
                    HasSubstr("--resume")));
  EXPECT_EQ(Run()[CaseStatus::kOk], 5);
  EXPECT_FALSE(fs::exists(Unsorted()));
  const fs::path folders = AsFolders();
  EXPECT_EQ(Value(folders, "copy/a"), 100) << "it did not run again";
  EXPECT_EQ(Value(folders, "other/d"), 400);
  EXPECT_EQ(Value(folders, "copy/b"), 2);
  EXPECT_THAT(Contents(folders), Not(testing::Contains(testing::Key(HasSubstr(".whole")))));
  EXPECT_FALSE(Conformant(*TryCheck(options_.out)));
}

// Whatever is cut off, what stands before is kept, and what is not whole runs again.
TEST_F(ResultsPackTest, DropsATornTail) {
  const std::string a = Record("copy/a", 100), b = Record("copy/b", 200);
  ASSERT_EQ(b.size() % kPackBlock, 0u);
  for (size_t size = 0; size < b.size(); size += size % kPackBlock == 0 ? 8 : kPackBlock - 8) {
    LeaveUnsorted(a + b.substr(0, size));
    EXPECT_EQ(Run()[CaseStatus::kOk], 5) << size;
    const fs::path folders = AsFolders();
    EXPECT_EQ(Value(folders, "copy/a"), 100) << size;
    EXPECT_EQ(Value(folders, "copy/b"), 2) << size;
  }
  LeaveUnsorted(a + b);
  Run();
  EXPECT_EQ(Value(AsFolders(), "copy/b"), 200);
  // A machine that dies may leave zeros where data would be.
  LeaveUnsorted(a + std::string(b.size(), '\0'));
  Run();
  EXPECT_EQ(Value(AsFolders(), "copy/b"), 2);
}

TEST_F(ResultsPackTest, DropsAResultThatChanged) {
  const std::string a = Record("copy/a", 100), b = Record("copy/b", 200);
  for (size_t at = 3; at < a.size(); at += 61) {
    std::string changed = a;
    changed[at] = static_cast<char>(changed[at] ^ 4);
    LeaveUnsorted(changed + b);
    EXPECT_EQ(Run()[CaseStatus::kOk], 5) << at;
    // Padding between files says nothing.
    const int64_t value = Value(AsFolders(), "copy/a");
    const size_t begin = at / kPackBlock * kPackBlock;
    const bool padding = a.substr(at, begin + kPackBlock - at).find_first_not_of('\0') == a.npos &&
                         a.compare(begin + 257, 5, "ustar") != 0;
    EXPECT_EQ(value, padding ? 100 : 1) << at;
  }
}

TEST_F(ResultsPackTest, TakesTheLastOfRepeats) {
  Json second = {{"status", "ok"}, {"repeats", 2}};
  const std::string first = Record("copy/a", 100);
  const std::string whole = Record("copy/a", 100, second);
  // The second time only result.json and the digest of both files.
  const std::string again = *PackedFile("copy/a/result.json", FormatJson(second)) +
                            whole.substr(whole.size() - 2 * kPackBlock);
  LeaveUnsorted(first + again);
  Run();
  EXPECT_EQ(Value(AsFolders(), "copy/a"), 100);
  EXPECT_EQ(LoadJson(AsFolders() / "copy/a/result.json", "result")->value("repeats", 0), 2);
  // Without the first it is not whole.
  LeaveUnsorted(again);
  Run();
  EXPECT_EQ(Value(AsFolders(), "copy/a"), 1);
}

// Killed between the packs and the record of them, in either order.
TEST_F(ResultsPackTest, UnsortedResultsCountBeforePacks) {
  LeaveUnsorted(Record("copy/a", 100));
  ASSERT_TRUE(WriteFile(Pack("copy"), "half a pa").ok());
  EXPECT_EQ(Run()[CaseStatus::kOk], 5);
  EXPECT_EQ(Value(AsFolders(), "copy/a"), 100);
}

TEST_F(ResultsPackTest, LosesNoFinishedResultWhenKilled) {
  std::vector<Case> cases;
  for (int i = 100; i < 400; ++i) cases.push_back(CopyOf(StrCat("copy/", i), i));
  fs::remove_all(options_.suite);
  testing_suite::WriteSuite(options_.suite, cases);
  options_.builtin.clear();
  options_.adapter = AdapterThat("none --batch 4");
  options_.worker = true;
  options_.resume = true;
  uintmax_t least = 0;
  for (int round = 1; round <= 6; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(RunSuite(options_, nullptr).ok() ? 0 : 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(100 * round));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    if (!fs::exists(Unsorted())) continue;
    EXPECT_GE(fs::file_size(Unsorted()), least) << "a finished result is lost";
    least = fs::file_size(Unsorted()) / kPackBlock * kPackBlock;
    least -= std::min<uintmax_t>(least, 6 * kPackBlock);  // one may be torn
  }
  EXPECT_EQ(Run()[CaseStatus::kOk], 300);
  EXPECT_TRUE(Conformant(*TryCheck(options_.out)));
}

TEST_F(ResultsPackTest, InterruptedRunIsPacked) {
  options_.builtin.clear();
  options_.adapter = AdapterThat("hangs");
  options_.jobs = 1;
  options_.timeout_seconds = 5;
  std::thread sender([&] {
    while (!fs::exists(root_ / "pids")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(getpid(), SIGINT);
  });
  const RunSummary summary = Run();
  sender.join();
  EXPECT_TRUE(summary.interrupted);
  EXPECT_FALSE(fs::exists(Unsorted()));
  const StatusOr<Report> report = TryCheck(options_.out);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->cases[0].verdict, Verdict::kPass);
  EXPECT_EQ(report->cases[2].verdict, Verdict::kMissing);
  EXPECT_FALSE(Conformant(*report));
  EXPECT_EQ(ReportOf(options_.out), ReportOf(AsFolders()));
  options_.resume = true;
  EXPECT_EQ(Run()[CaseStatus::kOk], 4);
  EXPECT_EQ(TryCheck(options_.out)->cases[2].verdict, Verdict::kTimeout);
}

TEST_F(ResultsPackTest, FullDiskLeavesNothingHalf) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {6000, 6000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = Error();
    _exit(error.find("results.unsorted: cannot be written") != error.npos ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(Refusal(options_.out), HasSubstr("results.unsorted"));
  options_.resume = true;
  EXPECT_EQ(Run()[CaseStatus::kOk], 5);
  EXPECT_TRUE(Conformant(*TryCheck(options_.out)));
}

TEST_F(ResultsPackTest, TruncatedPackIsRefused) {
  Run();
  const std::string whole = *ReadFile(Pack("other"));
  for (size_t size = 0; size < whole.size(); size += 100) {
    ASSERT_TRUE(WriteFile(Pack("other"), whole.substr(0, size)).ok());
    EXPECT_THAT(Refusal(options_.out),
                AllOf(HasSubstr("other.tar: byte "), HasSubstr("copy these results again")));
  }
  ASSERT_TRUE(WriteFile(Pack("other"), whole + "x").ok());
  EXPECT_THAT(Refusal(options_.out), HasSubstr("other.tar: byte "));
}

// Every byte: it is refused, or it is what the same file in a folder is.
TEST_F(ResultsPackTest, ChangedPackIsRefusedOrReadAsFoldersAre) {
  Run();
  const std::string whole = *ReadFile(Pack("other"));
  const ResultDigests listed = *ReadResultDigests(options_.out);
  int refused = 0, read = 0;
  for (size_t at = 0; at < whole.size(); at += 13) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 8);
    ASSERT_TRUE(WriteFile(Pack("other"), changed).ok());
    if (!TryCheck(options_.out).ok()) {
      EXPECT_THAT(Refusal(options_.out), HasSubstr("other.tar: byte ")) << at;
      ++refused;
      continue;
    }
    ++read;
    EXPECT_EQ(ReportOf(options_.out), ReportOf(AsFolders())) << at;
    const bool same = *ResultDigest(options_.out, "other/d") == listed.at("other/d") &&
                      *ResultDigest(options_.out, "other/e") == listed.at("other/e");
    EXPECT_FALSE(same) << at << ": whoever compares digests finds it";
  }
  EXPECT_GT(refused, 100);
  EXPECT_GT(read, 10);
}

TEST_F(ResultsPackTest, ResultsThatLackAPackAreRefused) {
  Run();
  fs::remove(Pack("other"));
  EXPECT_THAT(Refusal(options_.out),
              AllOf(HasSubstr("other.tar: no such file"), HasSubstr("copy all files")));
}

TEST_F(ResultsPackTest, ResultsInBothFormsAreRefused) {
  Run();
  const std::string expected = ReportOf(options_.out);
  EXPECT_EQ(std::system(StrCat("cd '", options_.out.string(), "' && tar -xf other.tar").c_str()),
            0);
  EXPECT_THAT(Refusal(options_.out),
              HasSubstr("other.tar: found the folder other beside it, expected one of the two"));
  fs::remove(Pack("other"));
  EXPECT_EQ(ReportOf(options_.out), expected) << "some unpacked, some not";
}

TEST_F(ResultsPackTest, OtherFilesAreNobodysResults) {
  Run();
  const std::string expected = ReportOf(options_.out);
  ASSERT_TRUE(WriteFile(options_.out / "logs.tar", "no pack").ok());
  EXPECT_EQ(ReportOf(options_.out), expected);
  // A pack of cases that the suite does not have is as a folder of them.
  ASSERT_TRUE(WriteFile(options_.out / "alien.tar",
                        *PackedFile("alien/x/result.json", "{}") + std::string(kPackEnd, '\0'))
                  .ok());
  EXPECT_THAT(TryCheck(options_.out)->notes, testing::Contains(HasSubstr("not counted: alien")));
}

TEST_F(ResultsPackTest, ShardsAreMergedIntoPacks) {
  Run();
  const auto expected = Contents(AsFolders());
  for (const bool all : {true, false}) {
    MergeOptions merge;
    for (int i = 1; i <= 2; ++i) {
      options_.shard = Shard{i, 2};
      options_.pack = all || i == 1;
      options_.out = root_ / StrCat("shard-", all, "-", i);
      Run();
      merge.shards.push_back(options_.out);
    }
    merge.out = options_.out = root_ / StrCat("whole-", all);
    const auto merged = MergeResults(merge);
    ASSERT_TRUE(merged.ok()) << merged.status();
    EXPECT_EQ(merged->cases, 5u);
    EXPECT_EQ(ReadRunRecord(merge.out)->packs, (std::vector<std::string>{"copy", "other"}));
    EXPECT_EQ(Contents(AsFolders()), expected);
    EXPECT_EQ(ReportOf(merge.out), ReportOf(AsFolders()));
    EXPECT_TRUE(Conformant(*TryCheck(merge.out)));
    EXPECT_EQ(*ResultDigest(merge.out, "other/e"), ReadResultDigests(merge.out)->at("other/e"));
    // One that changed is not merged.
    std::string bytes = *ReadFile(merge.shards[0] / "copy.tar");
    bytes[bytes.find("NUMPY") + 130] ^= 1;
    ASSERT_TRUE(WriteFile(merge.shards[0] / "copy.tar", bytes).ok());
    merge.out = root_ / "none";
    EXPECT_THAT(Message(MergeResults(merge).status()), HasSubstr("changed since the run ended"));
  }
}

TEST_F(ResultsPackTest, ResultsOutsideOfAShardAreFound) {
  options_.shard = Shard{1, 2};
  Run();
  EXPECT_THAT(TryCheck(options_.out)->findings, IsEmpty());
  Json run = *LoadJson(options_.out / "run.json", "run");
  run["shard"]["index"] = 2;
  ASSERT_TRUE(SaveJson(options_.out / "run.json", run).ok());
  ASSERT_EQ(TryCheck(options_.out)->findings.size(), 1u);
  EXPECT_EQ(TryCheck(options_.out)->findings[0].kind, "outside_shard");
}

}  // namespace
}  // namespace cts
