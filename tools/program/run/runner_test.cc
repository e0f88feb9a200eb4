#include "tools/program/run/runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "checker/judge/check.h"
#include "checker/judge/suite_on_disk.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/base/pack.h"
#include "reference/bundle/bundle.h"
#include "reference/bundle/case_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const fs::path kSource = CTS_SOURCE_DIR;

std::string FakeAdapter(const std::string& behaviour) {
  return StrCat(CTS_PYTHON, " '", (kSource / "tools/develop/testdata/fake_adapter.py").string(),
                "' ", behaviour);
}

// y = IDENTITY(x), i32.
Case CopyCase(const std::string& id, int64_t value) {
  const Tensor x = Tensor::OfIntegers(DType::kI32, {2}, {value, -value});
  Case c = IdentityCase(id, "x", "y", x);
  c.outputs = {{"y", DType::kI32, {2}, ExactRule(), {{false, x, {}, {}}}}};
  return c;
}

// A folder of its own for every test, removed at the end; a suite in it.
class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() {
    std::string name = (fs::temp_directory_path() / "runner_test_XXXXXX").string();
    root_ = mkdtemp(name.data());
    options_.suite = root_ / "suite";
    options_.out = root_ / "out";
    options_.timeout_seconds = 60;
    options_.jobs = 2;
    setenv("PIDS", (root_ / "pids").c_str(), 1);
  }
  ~RunnerTest() override { fs::remove_all(root_); }

  // Counts the children that the fake adapter left behind and that still run. A zombie has no
  // command.
  int Sleepers() const {
    int count = 0;
    std::ifstream pids(root_ / "pids");
    for (std::string pid; std::getline(pids, pid);) {
      std::ifstream command(fs::path("/proc") / pid / "cmdline");
      std::string word;
      if (std::getline(command, word, '\0') && word == "sleep") ++count;
    }
    return count;
  }
  // The same, when there was time to die.
  int SleepersLeft() const {
    for (int i = 0; i < 100 && Sleepers() > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return Sleepers();
  }

  void WriteSuite(std::vector<Case> cases, uint64_t seed = 1) const {
    Suite suite{"hand-made", "tosa-1.0", "8K", "test", seed, {}, ""};
    std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.id < b.id; });
    for (const Case& c : cases) {
      const std::vector<BundleFile> files = EncodeCase(c);
      for (const BundleFile& file : files) {
        // The runner has no business with the answers: none is there.
        if (file.path.starts_with("expected/")) continue;
        ASSERT_TRUE(WriteFile(options_.suite / c.id / file.path, file.bytes).ok());
      }
      suite.cases.push_back({c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}});
    }
    suite.digest = SuiteDigest(suite.cases);
    ASSERT_TRUE(SaveJson(options_.suite / "suite.json", SuiteToJson(suite)).ok());
  }
  void WriteCopySuite(const std::vector<std::string>& names) const {
    std::vector<Case> cases;
    for (const std::string& name : names) {
      cases.push_back(CopyCase("copy/" + name, static_cast<int64_t>(cases.size()) + 1));
    }
    WriteSuite(cases);
  }

  RunSummary Run() {
    const auto summary = RunSuite(options_, nullptr);
    EXPECT_TRUE(summary.ok()) << summary.status();
    EXPECT_FALSE(fs::exists(options_.out / ".tmp"));
    return summary.ok() ? *summary : RunSummary();
  }
  std::string Error() {
    const auto summary = RunSuite(options_, nullptr);
    return summary.ok() ? "no error" : Message(summary.status());
  }
  Json Result(const std::string& id) const {
    const auto json = LoadJson(options_.out / id / "result.json", "result");
    EXPECT_TRUE(json.ok()) << json.status();
    return json.ok() ? *json : Json::object();
  }
  std::string Status(const std::string& id) const { return Result(id).value("status", ""); }
  std::string Text(const std::string& id) const { return Result(id).value("message", ""); }
  // Everything below OUT but what may differ from run to run: path -> content.
  std::map<std::string, std::string> Contents() const {
    std::map<std::string, std::string> contents;
    for (const auto& entry : fs::recursive_directory_iterator(options_.out)) {
      const std::string path = fs::relative(entry.path(), options_.out).string();
      if (entry.is_directory() || path == "run.json" || path == "results.json") continue;
      if (path.ends_with("result.json")) {
        Json json = *LoadJson(entry.path(), "result");
        json.erase("seconds");
        json.erase("log");
        contents[path] = FormatJson(json);
      } else {
        contents[path] = *ReadFile(entry.path());
      }
    }
    return contents;
  }

  fs::path root_;
  RunOptions options_;
};

// ---- What an adapter may do wrong, in both modes -----------------------------------------------

struct Misdeed {
  std::string behaviour;
  std::string status;
  std::string message;  // a part of it
  bool worker = true;   // also wrong of a worker
};

std::ostream& operator<<(std::ostream& out, const Misdeed& misdeed) {
  return out << misdeed.behaviour;
}

class MisdeedTest : public RunnerTest, public ::testing::WithParamInterface<Misdeed> {
 protected:
  // The bad case stands between good ones, whose results must not suffer.
  void Check() {
    if (GetParam().status == "timeout") options_.timeout_seconds = 2.5;
    if (GetParam().behaviour.starts_with("memory")) options_.memory_mb = 150;
    WriteCopySuite({"a", "b", "c-bad", "d", "e", "f"});
    const RunSummary summary = Run();
    EXPECT_EQ(Status("copy/c-bad"), GetParam().status) << Text("copy/c-bad");
    EXPECT_THAT(Text("copy/c-bad"), HasSubstr(GetParam().message));
    EXPECT_EQ(fs::exists(options_.out / "copy/c-bad/y.npy"),
              GetParam().status == "ok" && GetParam().behaviour != "no-output");
    int64_t value = 0;
    for (const char* name : {"a", "b", "c-bad", "d", "e", "f"}) {
      ++value;
      if (value == 3) continue;
      const std::string id = StrCat("copy/", name);
      EXPECT_EQ(Status(id), "ok") << id << ": " << Text(id);
      const auto y = ReadNpy(options_.out / id / "y.npy", DType::kI32, {2});
      ASSERT_TRUE(y.ok()) << y.status();
      EXPECT_EQ(y->Integers(), (std::vector<int64_t>{value, -value}));
    }
    EXPECT_EQ(summary.cases, 6);
    EXPECT_EQ(summary[CaseStatus::kOk] + summary[CaseStatus::kCrash] +
                  summary[CaseStatus::kTimeout] + summary[CaseStatus::kProtocol],
              6);
    EXPECT_EQ(SleepersLeft(), 0);
  }
};

// The cases of MisdeedTest that are also faults of a worker.
class WorkerMisdeedTest : public MisdeedTest {};

TEST_P(MisdeedTest, IsNamedWithOneProcessPerCase) {
  options_.adapter = FakeAdapter(GetParam().behaviour);
  Check();
}

TEST_P(WorkerMisdeedTest, IsNamedWithWorkers) {
  options_.adapter = FakeAdapter(GetParam().behaviour);
  options_.worker = true;
  Check();
}

TEST_P(WorkerMisdeedTest, IsNamedWithWorkersThatTakeBatches) {
  const bool slow = GetParam().status == "timeout";
  options_.adapter = FakeAdapter(GetParam().behaviour + (slow ? " --batch 2" : " --batch 4"));
  options_.worker = true;
  options_.jobs = 1;
  Check();
}

const std::vector<Misdeed> kMisdeeds = {
    Misdeed{"dies", "crash", "was killed by signal 11 (Segmentation fault) before it answered"},
    Misdeed{"exits", "crash", "exited with code 3 before it answered"},
    Misdeed{"silent", "crash", "exited with code 0 before it answered"},
    Misdeed{"hangs", "timeout", "no answer within 2.5 seconds: killed"},
    Misdeed{"hangs-after", "timeout", "answered, but did not exit within 2.5 seconds: killed",
            false},
    Misdeed{"closes", "timeout", "no answer within 2.5 seconds: killed"},
    Misdeed{"leaves-child", "ok", ""},
    Misdeed{"escapes", "ok", ""},
    Misdeed{"memory", "crash", "used more than 150 MB of memory (found "},
    Misdeed{"memory-of-child", "crash", "used more than 150 MB of memory (found "},
    Misdeed{"garbage", "protocol", "found \"loading \xc3\xa4 model ...\" on standard output"},
    Misdeed{"garbage-after", "protocol", "found \"done\" on standard output"},
    Misdeed{"no-object", "protocol", "found \"[\"ok\"]\" on standard output"},
    Misdeed{"twice", "protocol", "answered twice"},
    Misdeed{"wrong-id", "protocol", "answered for \"copy/nobody\", expected \"copy/c-bad\""},
    Misdeed{"unknown-status", "protocol",
            "found status \"great\", expected ok, error, accepted, unsupported or crash"},
    Misdeed{"reports", "crash", "reported by the adapter: KeyError: 'pad'"},
    Misdeed{"reports-nothing", "crash", "reported by the adapter, without a message"},
    Misdeed{"reports-an-empty-text", "crash", "reported by the adapter, without a message"},
    Misdeed{"reports-at-length", "crash", " the end"},
    Misdeed{"reports-for-ever", "protocol", "found a line of more than 1048576 bytes"},
    Misdeed{"reports-a-number", "protocol", "found \"message\": 7, expected a string"},
    Misdeed{"reports-twice", "protocol", "answered twice"},
    Misdeed{"reports-and-exits", "protocol", "exited with code 3 after its answer"},
    Misdeed{"reports-a-timeout", "protocol", "found status \"timeout\", expected ok, error, "},
    Misdeed{"reports-a-pass", "crash", "reported by the adapter: x"},
    Misdeed{"no-status", "protocol", "expected a member \"status\""},
    Misdeed{"mistyped", "protocol", "found \"message\": 7, expected a string"},
    Misdeed{"huge", "protocol", "found a line of more than 1048576 bytes"},
    Misdeed{"huge-message", "protocol", "found a line of more than 1048576 bytes"},
    Misdeed{"fails-after", "protocol", "exited with code 3 after its answer"},
    Misdeed{"dies-after", "protocol", "was killed by signal 9 (Killed) after its answer"},
    Misdeed{"stray", "protocol",
            "found \"notes.txt\" in its result directory, expected no file but y.npy"},
    Misdeed{"link", "protocol", "found a link for the file \"y.npy\""},
    Misdeed{"replaced", "protocol", "its result directory is gone or replaced"},
    Misdeed{"announces-late", "protocol", "found an announcement"},
    Misdeed{"no-output", "ok", ""},
    Misdeed{"no-id", "ok", "", false},
    Misdeed{"no-newline", "ok", "", false}};

std::vector<Misdeed> MisdeedsOfWorkers() {
  std::vector<Misdeed> misdeeds;
  std::copy_if(kMisdeeds.begin(), kMisdeeds.end(), std::back_inserter(misdeeds),
               [](const Misdeed& misdeed) { return misdeed.worker; });
  return misdeeds;
}

std::string NameOf(const ::testing::TestParamInfo<Misdeed>& test) {
  std::string name = test.param.behaviour;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Runner, MisdeedTest, ::testing::ValuesIn(kMisdeeds), NameOf);
INSTANTIATE_TEST_SUITE_P(Runner, WorkerMisdeedTest, ::testing::ValuesIn(MisdeedsOfWorkers()),
                         NameOf);

// Damage to a suite is not blamed on the implementation.
TEST_F(RunnerTest, RefusesACaseThatIsNotAsItWasGenerated) {
  options_.suite = root_ / "whole";
  testing_suite::WriteSuite(options_.suite, {testing_suite::IntegerCase("identity/a"),
                                             testing_suite::IntegerCase("identity/b")});
  options_.builtin = "native";
  const fs::path input = options_.suite / "identity/b/in.npy";
  StatusOr<std::string> bytes = ReadFile(input, 1000);
  ASSERT_TRUE(bytes.ok());
  bytes->back() ^= 1;
  ASSERT_TRUE(WriteFile(input, *bytes).ok());
  const std::string error = Error();
  EXPECT_THAT(error, HasSubstr("identity/b"));
  EXPECT_THAT(error, HasSubstr("not as it was generated"));
}

TEST_F(RunnerTest, RunsTheOneCaseOfAWholeId) {
  WriteCopySuite({"a", "ab", "b"});
  options_.builtin = "native";
  options_.filter = {"copy/a"};
  EXPECT_EQ(Run().cases, 1);
  options_.filter = {"copy/*"};
  options_.out = root_ / "all";
  EXPECT_EQ(Run().cases, 3);
}

// An adapter that thinks better of it when the next case comes.
TEST_F(RunnerTest, RefusesAResultThatIsChangedLater) {
  testing_suite::WriteSuite(options_.suite,
                            {testing_suite::ErrorCase("copy/a"), testing_suite::ErrorCase("copy/b"),
                             testing_suite::ErrorCase("copy/c")});
  const fs::path script = root_ / "improves.py";
  std::ofstream(script) << R"(
import json, pathlib, sys
print(json.dumps({"worker": "improves", "version": "1"}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    if request["case"] == "copy/c":
        first = pathlib.Path(request["result_dir"]).parents[2] / "copy/a/result.json"
        first.write_text('{"status": "error"}')
    status = "ok" if request["case"] == "copy/a" else "error"
    print(json.dumps({"case": request["case"], "status": status}), flush=True)
)";
  options_.adapter = StrCat(CTS_PYTHON " ", script.string());
  options_.worker = true;
  options_.jobs = 1;
  EXPECT_THAT(Error(), HasSubstr("copy/a: was changed after the result came"));
}

// A worker that dies once, and never again with the same case: no case is at fault, but the run
// counts the fault.
TEST_F(RunnerTest, CountsFaultsThatNoCaseShowsAlone) {
  testing_suite::WriteSuite(options_.suite,
                            {testing_suite::ErrorCase("copy/a"), testing_suite::ErrorCase("copy/b"),
                             testing_suite::ErrorCase("copy/c")});
  const fs::path script = root_ / "dies_once.py";
  std::ofstream(script) << R"(
import json, os, sys
print(json.dumps({"worker": "dies once", "version": "1"}), flush=True)
for line in sys.stdin:
    died = __file__ + ".died"
    if not os.path.exists(died):
        open(died, "w").close()
        os._exit(3)
    request = json.loads(line)
    print(json.dumps({"case": request["case"], "status": "error"}), flush=True)
)";
  options_.adapter = StrCat(CTS_PYTHON " ", script.string());
  options_.worker = true;
  options_.jobs = 1;
  const RunSummary summary = Run();
  EXPECT_EQ(summary[CaseStatus::kError], 3);
  EXPECT_EQ(summary.restarts, 1);
  EXPECT_EQ(summary.unexplained, 1);
  EXPECT_THAT(summary.first_unexplained, HasSubstr("copy/a"));
  const auto run = LoadJson(options_.out / "run.json", "run");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)["unexplained"]["count"], 1);
  const auto report = CheckSuite({.suite = options_.suite, .results = options_.out, .jobs = 1});
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->findings.size(), 1u);
  EXPECT_EQ(report->findings[0].kind, "unexplained_fault");
  EXPECT_FALSE(Conformant(*report));

  // A kill does not hide them.
  options_.out = root_ / "killed";
  fs::remove(script.string() + ".died");
  const pid_t child = fork();
  if (child == 0) {
    const Progress kill = [](int done, int, const RunSummary&) {
      if (done == 2) raise(SIGKILL);
    };
    RunSuite(options_, kill).status().IgnoreError();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  options_.resume = true;
  Run();
  const Json gone_on = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(gone_on["restarts"], 1);
  EXPECT_EQ(gone_on["unexplained"]["count"], 1);
  EXPECT_FALSE(gone_on.contains("ended")) << "it could not say so";
  EXPECT_TRUE(gone_on["resumed"][0].contains("ended"));
}

TEST_F(RunnerTest, GoesOnWithAWorkerThatReportsCrashes) {
  std::vector<std::string> names;
  for (int i = 100; i < 130; ++i) names.push_back(StrCat(i, i < 120 ? "-bad" : ""));
  WriteCopySuite(names);
  options_.adapter = FakeAdapter("reports");
  options_.worker = true;
  options_.jobs = 1;
  const RunSummary summary = Run();
  EXPECT_EQ(summary[CaseStatus::kCrash], 20);
  EXPECT_EQ(summary[CaseStatus::kOk], 10);
  EXPECT_EQ(summary.restarts, 0);
  EXPECT_EQ(summary.unexplained, 0);
  EXPECT_EQ(Result("copy/119-bad")["reported"], true);
  EXPECT_FALSE(Result("copy/119-bad").contains("exit_code"));
}

// As a process that has lost its device: each case after the first crash crashes as well.
TEST_F(RunnerTest, BlamesNoCaseForTheCrashBeforeIt) {
  WriteCopySuite({"a-bad", "b-bad-poisons", "c-bad", "d-bad", "e-bad-poisons", "f-bad", "g-bad"});
  options_.worker = true;
  options_.jobs = 1;
  for (const char* batch : {"", " --batch 4"}) {
    options_.adapter = FakeAdapter(StrCat("breaks", batch));
    const RunSummary summary = Run();
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
      const bool poisons = *name == 'b' || *name == 'e';
      const std::string id = StrCat("copy/", name, "-bad", poisons ? "-poisons" : "");
      EXPECT_EQ(Status(id), poisons ? "crash" : "ok") << id << batch;
    }
    EXPECT_EQ(summary.unexplained, 1);
    EXPECT_THAT(summary.first_unexplained,
                HasSubstr("with copy/c-bad in hand, a worker reported a crash"));
    fs::remove_all(options_.out);
  }
}

TEST_F(RunnerTest, KeepsSignalExitCodeAndLog) {
  WriteCopySuite({"bad"});
  options_.adapter = FakeAdapter("dies");
  Run();
  EXPECT_EQ(Result("copy/bad")["signal"], SIGSEGV);
  // After which the shell adds what it has to say.
  EXPECT_THAT(Result("copy/bad")["log"].get<std::string>(), StartsWith("about to die\n"));
  fs::remove_all(options_.out);
  options_.adapter = FakeAdapter("exits");
  Run();
  EXPECT_EQ(Result("copy/bad")["exit_code"], 3);
  fs::remove_all(options_.out);
  options_.adapter = FakeAdapter("chatty");
  Run();
  const std::string log = Result("copy/bad")["log"].get<std::string>();
  EXPECT_EQ(log.size(), 8192u);
  EXPECT_THAT(log, AllOf(StartsWith("eee"), EndsWith("eeend")));
}

TEST_F(RunnerTest, NamesAMissingCommand) {
  WriteCopySuite({"a", "b"});
  options_.adapter = "/nowhere/adapter --fast";
  EXPECT_THAT(Error(), HasSubstr("/nowhere/adapter --fast exited with code 127 (from the shell: no "
                                 "such command): "));
  // An operator of its own may need a program of its own.
  options_.adapter =
      "case $1 in *b) echo '{\"status\": \"error\"}'; exit;; esac; /nowhere/adapter #";
  EXPECT_EQ(Run()[CaseStatus::kCrash], 1);
  EXPECT_EQ(Text("copy/a"),
            "exited with code 127 (from the shell: no such command) before it answered");
  EXPECT_THAT(Result("copy/a")["log"].get<std::string>(), HasSubstr("/nowhere/adapter"));
}

// ---- Workers that cannot start -----------------------------------------------------------------

TEST_F(RunnerTest, EndsAtOnceWhereNoWorkerCanStart) {
  WriteCopySuite({"a", "b", "c"});
  options_.worker = true;
  const std::string starts = (root_ / "starts").string();
  options_.adapter = StrCat("echo x >>", starts, "; echo 'gone: install it: apt' >&2; exit 2; :");
  options_.jobs = 1;
  for (int i = 0; i < 2; ++i) {  // remains of the first run do not hinder the second one
    EXPECT_THAT(Error(), AllOf(StartsWith("the adapter does not start: "),
                               HasSubstr(" exited with code 2: gone: install it: apt; mend")));
  }
  EXPECT_EQ(*ReadFile(starts), "x\nx\nx\nx\n");
  options_.adapter = "/nowhere/adapter";
  EXPECT_THAT(Error(), AllOf(HasSubstr("exited with code 127 (from the shell: no such command)"),
                             HasSubstr("not found")));
  options_.adapter = "/nowhere/node tools/adapters/onnxruntime/adapter.mjs";
  EXPECT_THAT(Error(), HasSubstr("apt-get install nodejs npm"));
}

TEST_F(RunnerTest, ShowsWhatAWorkerSaidThatDiesBeforeItWasAsked) {
  WriteCopySuite({"a", "b", "c"});
  options_.worker = true;
  options_.adapter =
      "echo Traceback >&2; echo '  import x' >&2; echo 'ImportError: x' >&2; exit 1; :";
  EXPECT_THAT(Error(),
              AllOf(HasSubstr("exited with code 1: ImportError: x; mend that"),
                    EndsWith("\nAll that it said:\nTraceback\n  import x\nImportError: x")));
  EXPECT_FALSE(fs::exists(options_.out / "run.json"));
}

TEST_F(RunnerTest, BlamesNoCaseWhereAWorkerDiesOfASignalBeforeItWasAsked) {
  WriteCopySuite({"a", "b", "c"});
  options_.worker = true;
  for (const char* signal : {"SEGV", "TERM"}) {
    options_.adapter = StrCat("echo 'no such device' >&2; kill -", signal, " $$; :");
    EXPECT_THAT(Error(),
                AllOf(HasSubstr("the adapter does not start"), HasSubstr("was killed by signal"),
                      HasSubstr("no such device; mend that")));
    EXPECT_FALSE(fs::exists(options_.out / "run.json"));
  }
}

TEST_F(RunnerTest, BlamesTheCaseForWhatAWorkerDoesThatWaits) {
  WriteCopySuite({"a", "b"});
  options_.worker = true;
  // Without a case it waits, and fails at the end of its input: that was not its start.
  options_.adapter = "read line; exit 1; :";
  const RunSummary summary = Run();
  EXPECT_EQ(summary[CaseStatus::kCrash], 2);
}

TEST_F(RunnerTest, GoesOnWhereTheFirstCaseMakesAWorkerExit) {
  WriteCopySuite({"a", "b"});
  options_.worker = true;
  // It has no fault of its own: only that case does it.
  options_.adapter =
      "while read r; do case $r in *copy/a*) exit 2;; esac; "
      "echo '{\"case\": \"copy/b\", \"status\": \"error\"}'; done; :";
  const RunSummary summary = Run();
  EXPECT_EQ(summary[CaseStatus::kCrash], 1);
  EXPECT_EQ(Status("copy/a"), "crash");
  EXPECT_EQ(Status("copy/b"), "error");
}

TEST_F(RunnerTest, KeepsResultsWhereNoWorkerCanStartAnyMore) {
  WriteCopySuite({"a", "b"});
  options_.worker = true;
  ASSERT_TRUE(WriteFile(root_ / "pids", "").ok());
  options_.adapter =
      "test -e $PIDS || exit 2; while read r; do case $r in *copy/a*) i=a;; *) i=b;; "
      "esac; echo '{\"case\": \"copy/'$i'\", \"status\": \"error\"}'; done; :";
  Run();
  fs::remove_all(options_.out / "copy/b");
  fs::remove(root_ / "pids");
  options_.resume = true;
  EXPECT_THAT(Error(), HasSubstr("does not start"));
  EXPECT_EQ(Status("copy/a"), "error");
  EXPECT_FALSE(fs::exists(options_.out / "copy/b"));
  ASSERT_TRUE(WriteFile(root_ / "pids", "").ok());
  EXPECT_EQ(Run()[CaseStatus::kError], 2);
}

TEST_F(RunnerTest, TellsTheSignalWithAndWithoutAShellBetween) {
  WriteCopySuite({"a"});
  for (const char* command :
       {"exec sh -c 'kill -SEGV $$'", "sh -c 'kill -SEGV $$'; exit $?; true"}) {
    options_.adapter = command;
    Run();
    EXPECT_EQ(Text("copy/a"), "was killed by signal 11 (Segmentation fault) before it answered");
    EXPECT_EQ(Result("copy/a")["signal"], SIGSEGV);
    fs::remove_all(options_.out);
  }
}

TEST_F(RunnerTest, TakesErrorAndUnsupportedAsAnswers) {
  WriteCopySuite({"a", "b-error", "c-unsupported"});
  for (const char* mode : {"none", "none --batch 8"}) {
    options_.adapter = FakeAdapter(mode);
    options_.worker = mode != std::string("none");
    const RunSummary summary = Run();
    EXPECT_EQ(summary[CaseStatus::kOk], 1);
    EXPECT_EQ(summary[CaseStatus::kError], 1);
    EXPECT_EQ(summary[CaseStatus::kUnsupported], 1);
    EXPECT_EQ(summary.restarts, 0);
    EXPECT_EQ(Status("copy/b-error"), "error");
    EXPECT_EQ(Text("copy/b-error"), "shapes differ");
    EXPECT_EQ(Status("copy/c-unsupported"), "unsupported");
    fs::remove_all(options_.out);
  }
}

// An implementation that shows values must not answer `accepted`, since values must be judged.
TEST_F(RunnerTest, TakesAcceptedAsAnAnswerWithoutValues) {
  WriteCopySuite({"a-compiles", "b-contradicts"});
  for (const char* mode : {"none", "none --batch 8"}) {
    options_.adapter = FakeAdapter(mode);
    options_.worker = mode != std::string("none");
    const RunSummary summary = Run();
    EXPECT_EQ(summary[CaseStatus::kAccepted], 1);
    EXPECT_EQ(summary[CaseStatus::kOk], 0);
    EXPECT_TRUE(summary.AnyAnswer());
    EXPECT_EQ(Status("copy/a-compiles"), "accepted");
    EXPECT_EQ(Text("copy/a-compiles"), "compiled");
    EXPECT_EQ(Status("copy/b-contradicts"), "protocol");
    EXPECT_EQ(Text("copy/b-contradicts"),
              "found y.npy beside the status accepted, which says that no values are shown; "
              "expected the status ok, or no file");
    fs::remove_all(options_.out);
  }
}

TEST_F(RunnerTest, CallsAnswersOutOfOrderAProtocolFault) {
  WriteCopySuite({"a", "b", "c", "d"});
  options_.adapter = FakeAdapter("reversed --batch 8");
  options_.worker = true;
  options_.jobs = 1;
  const RunSummary summary = Run();
  // The first request goes alone: the size of batches is not known yet.
  EXPECT_EQ(Status("copy/a"), "ok");
  EXPECT_EQ(Status("copy/b"), "protocol");
  EXPECT_EQ(Text("copy/b"), "answered for \"copy/d\", expected \"copy/b\": out of order");
  EXPECT_EQ(summary[CaseStatus::kProtocol], 1);
  EXPECT_EQ(summary[CaseStatus::kOk], 3);
}

TEST_F(RunnerTest, BlamesTheLastCaseForAWorkerThatFailsWhenAskedToEnd) {
  WriteCopySuite({"a", "b"});
  options_.adapter = FakeAdapter("fails-at-end");
  options_.worker = true;
  options_.jobs = 1;
  Run();
  EXPECT_EQ(Status("copy/a"), "ok");
  EXPECT_EQ(Status("copy/b"), "protocol");
  EXPECT_EQ(Text("copy/b"), "exited with code 4 after its answer, expected exit code 0");
}

TEST_F(RunnerTest, RejectsAnImpossibleAnnouncement) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none --batch 0");
  options_.worker = true;
  Run();
  EXPECT_EQ(Status("copy/a"), "protocol");
  EXPECT_THAT(Text("copy/a"), HasSubstr("found \"batch\": 0"));
}

// A worker that declares what stands for %, and answers every case.
std::string Declaring(const std::string& declared) {
  return StrCat("echo '{\"worker\": \"npu\", \"version\": \"1\", \"declared\": ", declared,
                "}'; while read line; do echo '{\"case\": \"copy/a\", \"status\": "
                "\"unsupported\"}'; done #");
}

TEST_F(RunnerTest, RecordsWhatAWorkerDeclares) {
  WriteCopySuite({"a"});
  options_.worker = true;
  const std::string declared =
      R"({"edition":"tosa-1.0","format":"tensor-cts-declared-1","operators":["ADD"]})";
  options_.adapter = Declaring(declared);
  Run();
  const StatusOr<Json> run = LoadJson(options_.out / "run.json", "run");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)["implementation"]["declared"].dump(), declared);
}

TEST_F(RunnerTest, RefusesADeclarationThatIsNoneBeforeAnyAnswer) {
  WriteCopySuite({"a"});
  options_.worker = true;
  for (const auto& [declared, fault] :
       {std::pair(R"({"edition": "tosa-1.0"})", "declared: /: missing required member \"format\""),
        std::pair(R"({"format": "tensor-cts-declared-1", "edition": "tosa-1.0", "types": ["i9"]})",
                  "declared: /types/0: found \"i9\", expected a type of tosa-1.0")}) {
    options_.adapter = Declaring(declared);
    EXPECT_THAT(Error(), AllOf(HasSubstr("the worker's announcement: "), HasSubstr(fault)));
    EXPECT_FALSE(fs::exists(options_.out / "run.json"));
  }
  // The names of another edition are not checked here.
  options_.adapter =
      Declaring(R"({"format": "tensor-cts-declared-1", "edition": "acme-7", "types": ["i9"]})");
  EXPECT_EQ(Run().cases, 1);
}

TEST_F(RunnerTest, RefusesANameThatDeceivesTheEyeBeforeAnyAnswer) {
  WriteCopySuite({"a", "b", "c"});
  options_.worker = true;
  options_.jobs = 3;
  const auto adapter = [](const std::string& name, const std::string& version) {
    return StrCat("echo '{\"worker\": \"", name, "\", \"version\": \"", version,
                  "\"}'; while read line; do echo '{\"case\": \"copy/a\"}'; done #");
  };
  for (const auto& [name, version, fault] :
       {std::tuple("np\\u200bu", "1", "name: found"), std::tuple("n\\u0440u", "1", "look alike"),
        std::tuple("npu", "1\\u034f", "version: found"),
        std::tuple("builtin:native", "1", "looks like")}) {
    options_.adapter = adapter(name, version);
    EXPECT_THAT(Error(), AllOf(HasSubstr("the worker's announcement: "), HasSubstr(fault)));
    // Nothing ran: the folder is free for the mended adapter.
    EXPECT_FALSE(fs::exists(options_.out / "run.json"));
    EXPECT_FALSE(fs::exists(options_.out / "copy"));
  }
  options_.adapter = adapter(" npu ", "");  // who says no version is not refused
  EXPECT_EQ(Run().cases, 3);
}

TEST_F(RunnerTest, RefusesAnImplementationThatIsNotTheClaimedOne) {
  WriteCopySuite({"a"});
  options_.worker = true;
  options_.claimed = {"npu", "2", "claim.json"};
  options_.adapter =
      "echo '{\"worker\": \"npu\", \"version\": \"1\"}'; while read line; do :; done #";
  EXPECT_THAT(Error(),
              HasSubstr("version: found \"1\", expected \"2\" as in claim.json: /version"));
  options_.claimed->version = "1";
  options_.timeout_seconds = 0.2;
  EXPECT_EQ(Run()[CaseStatus::kTimeout], 1);
}

TEST_F(RunnerTest, NamesTheOneAtFaultInEveryBatch) {
  std::vector<std::string> names;
  for (int i = 10; i < 50; ++i) names.push_back(StrCat(i, i % 9 == 0 ? "-bad" : ""));
  WriteCopySuite(names);
  options_.adapter = FakeAdapter("dies --batch 16");
  options_.worker = true;
  std::map<std::string, std::string> first;
  for (int jobs : {1, 3, 8}) {
    options_.jobs = jobs;
    const RunSummary summary = Run();
    EXPECT_EQ(summary[CaseStatus::kCrash], 4);  // 18, 27, 36, 45
    EXPECT_EQ(summary[CaseStatus::kOk], 36);
    EXPECT_EQ(Status("copy/27-bad"), "crash");
    if (first.empty()) first = Contents();
    EXPECT_EQ(Contents(), first) << jobs;
    fs::remove_all(options_.out);
  }
}

// ---- run.json, the directory of results --------------------------------------------------------

TEST_F(RunnerTest, WritesWhatRan) {
  WriteCopySuite({"a", "b"});
  options_.adapter = FakeAdapter("none --batch 2");
  options_.worker = true;
  std::vector<std::pair<int, int>> progress;
  const auto summary = RunSuite(options_, [&](int done, int total, const RunSummary&) {
    progress.emplace_back(done, total);
  });
  ASSERT_TRUE(summary.ok()) << summary.status();
  const auto run = LoadJson(options_.out / "run.json", "run");
  ASSERT_TRUE(run.ok()) << run.status();
  EXPECT_EQ((*run)["suite"], "hand-made");
  EXPECT_EQ((*run)["suite_digest"], ReadSuite(options_.suite)->digest);
  EXPECT_EQ((*run)["implementation"], Json({{"name", "fake"}, {"version", "1.2"}}));
  EXPECT_EQ((*run)["command"], options_.adapter + " --worker");
  EXPECT_EQ((*run)["cases"], 2);
  EXPECT_GT((*run)["seconds"], 0);
  EXPECT_THAT((*run)["started"].get<std::string>(), ::testing::MatchesRegex("20..-.*T.*Z"));
  EXPECT_FALSE((*run)["host"].get<std::string>().empty());
  EXPECT_EQ(progress, (std::vector<std::pair<int, int>>{{1, 2}, {2, 2}}));
}

TEST_F(RunnerTest, RunsOnlyWhatTheFilterNames) {
  WriteCopySuite({"a", "b", "bc"});
  options_.adapter = FakeAdapter("none");
  options_.filter = {"*/b"};
  EXPECT_EQ(Run().cases, 1);
  EXPECT_FALSE(fs::exists(options_.out / "copy/a"));
  fs::remove_all(options_.out);
  options_.filter = {"copy/?c", "copy/a"};
  EXPECT_EQ(Run().cases, 2);
  EXPECT_FALSE(fs::exists(options_.out / "copy/b"));
  EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["filter"], Json({"copy/?c", "copy/a"}));
  fs::remove_all(options_.out);
  // One that matches does not excuse one that does not.
  options_.filter = {"copy/a", "copy/zzz"};
  EXPECT_THAT(Error(), HasSubstr("--filter: "));
  EXPECT_THAT(Error(), HasSubstr("suite.json: none of its 3 cases has an id like 'copy/zzz'; the "
                                 "nearest: copy/a"));
  options_.filter = {"/b"};
  EXPECT_THAT(Error(), HasSubstr("has the id '/b'; '*/b*' matches 2 of them"));
  options_.filter = {"copy/a"};
  options_.shard = Shard{2, 3};
  EXPECT_THAT(Error(), HasSubstr("none of the 1 cases in shard 2/3 matches"));
  EXPECT_FALSE(fs::exists(options_.out));
}

TEST_F(RunnerTest, RefusesResultsOfAnotherSuite) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none");
  Run();
  const std::string before = ReadSuite(options_.suite)->digest;
  fs::remove_all(options_.suite);
  WriteCopySuite({"b"});
  const std::string after = ReadSuite(options_.suite)->digest;
  for (bool resume : {false, true}) {
    options_.resume = resume;
    EXPECT_THAT(Error(), AllOf(HasSubstr(options_.out.string()), HasSubstr("another suite"),
                               HasSubstr(before), HasSubstr(after)));
  }
  EXPECT_EQ(Status("copy/a"), "ok");
}

TEST_F(RunnerTest, RefusesResultsOfThisSuiteUnlessResumed) {
  WriteCopySuite({"a", "b"});
  options_.adapter = FakeAdapter("none");
  Run();
  EXPECT_THAT(Error(), HasSubstr("--resume"));
  options_.resume = true;
  options_.adapter = FakeAdapter("dies");
  EXPECT_THAT(Error(), AllOf(HasSubstr("holds results of"), HasSubstr("fake_adapter.py")));
}

TEST_F(RunnerTest, ResumeKeepsResultsAndRemovesRemains) {
  WriteCopySuite({"a", "b-bad", "c"});
  options_.adapter = FakeAdapter("dies");
  Run();
  ASSERT_TRUE(WriteFile(options_.out / ".tmp/0/y.npy", "left over").ok());
  fs::remove_all(options_.out / "copy/c");
  const std::string kept = *ReadFile(options_.out / "copy/b-bad/result.json");
  options_.resume = true;
  const RunSummary summary = Run();
  EXPECT_EQ(summary.cases, 3);
  EXPECT_EQ(summary[CaseStatus::kOk], 2);
  EXPECT_EQ(summary[CaseStatus::kCrash], 1);
  EXPECT_EQ(Status("copy/c"), "ok");
  EXPECT_EQ(*ReadFile(options_.out / "copy/b-bad/result.json"), kept);
}

TEST_F(RunnerTest, ResumeRefusesAResultThatIsLongerThanAnyRightOne) {
  WriteCopySuite({"a", "b"});
  options_.adapter = FakeAdapter("none");
  Run();
  fs::remove_all(options_.out / "copy/b");
  fs::resize_file(options_.out / "copy/a/y.npy", uint64_t{10} << 30);  // of which nothing is read
  options_.resume = true;
  EXPECT_THAT(Error(),
              AllOf(HasSubstr("copy/a: found 10737418240 bytes in y.npy, expected at most"),
                    HasSubstr("remove this directory, and the case runs again")));
  fs::remove_all(options_.out / "copy/a");
  EXPECT_EQ(Run()[CaseStatus::kOk], 2);
}

TEST_F(RunnerTest, RefusesADirectoryThatIsNotOurs) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none");
  ASSERT_TRUE(WriteFile(options_.out / "thesis.txt", "do not lose").ok());
  for (bool resume : {false, true}) {
    options_.resume = resume;
    EXPECT_THAT(Error(), HasSubstr("not empty, and no run.json in it"));
  }
  EXPECT_EQ(*ReadFile(options_.out / "thesis.txt"), "do not lose");
  EXPECT_FALSE(fs::exists(options_.out / "run.json"));
}

TEST_F(RunnerTest, RefusesADirectoryThatCannotBe) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none");
  ASSERT_TRUE(WriteFile(root_ / "file", "").ok());
  options_.out = root_ / "file";
  EXPECT_THAT(Error(), AllOf(HasSubstr("/file"), HasSubstr("directory")));
  options_.out = root_ / "file/out";
  EXPECT_THAT(Error(), AllOf(HasSubstr("/file/out"), HasSubstr("cannot be created")));
}

TEST_F(RunnerTest, RefusesADirectoryThatAnotherRunWritesTo) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none");
  const auto summary = RunSuite(options_, [&](int, int, const RunSummary&) {
    RunOptions other = options_;
    other.resume = true;
    EXPECT_THAT(Message(RunSuite(other, nullptr).status()), HasSubstr("another run writes here"));
  });
  EXPECT_TRUE(summary.ok()) << summary.status();
}

// A limit on the size of files stands for a full disk: writing fails half-way.
TEST_F(RunnerTest, LeavesNothingHalfWrittenOnAFullDisk) {
  WriteCopySuite({"a", "bad"});
  options_.adapter = FakeAdapter("dies") + " 2>/dev/null";
  options_.jobs = 1;
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    // run.json fits, and no output of the adapter does; no result of the runner either, once its
    // log is longer than that.
    options_.adapter = "head -c 5000 /dev/zero | tr '\\0' e >&2; exit 1; true";
    const rlimit limit = {4000, 4000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const std::string error = Error();
    const bool good = error.find("copy") == error.npos && error.find("result.json") != error.npos &&
                      error.find("cannot write") != error.npos;
    if (!good) fprintf(stderr, "%s\n", error.c_str());
    _exit(good && !fs::exists(options_.out / "copy/a") && !fs::exists(options_.out / ".tmp") ? 0
                                                                                             : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(LoadJson(options_.out / "run.json", "run").ok());
}

TEST_F(RunnerTest, RefusesABrokenSuite) {
  options_.adapter = FakeAdapter("none");
  EXPECT_THAT(Error(), HasSubstr("suite/suite.json: no such file"));
  WriteCopySuite({"a", "b"});
  fs::remove(options_.suite / "copy/b/case.json");
  EXPECT_THAT(Error(), HasSubstr("copy/b/case.json: no such file"));
  fs::remove_all(options_.out);
  fs::copy(options_.suite / "copy/a/case.json", options_.suite / "copy/b/case.json");
  EXPECT_THAT(Error(), HasSubstr("/id: found \"copy/a\", expected \"copy/b\""));
  EXPECT_FALSE(fs::exists(options_.out / ".tmp"));
}

// An adapter gets folders all the same, and none of them stays.
TEST_F(RunnerTest, RunsAPackedSuite) {
  testing_suite::WriteSuite(options_.suite, {CopyCase("copy/a", 1), CopyCase("copy/b", 2)});
  options_.adapter = FakeAdapter("none");
  EXPECT_EQ(Run()[CaseStatus::kOk], 2);
  const std::map<std::string, std::string> expected = Contents();
  std::string packed;
  for (const std::string id : {"copy/a", "copy/b"}) {
    const std::set<std::string> names = *BundleFileNames(options_.suite / id);
    for (const std::string& name : names) {
      packed += *PackedFile(StrCat(id, "/", name), *ReadFile(options_.suite / id / name));
    }
  }
  fs::remove_all(options_.suite / "copy");
  ASSERT_TRUE(WriteFile(options_.suite / "copy.tar", packed + std::string(kPackEnd, '\0')).ok());
  for (const bool worker : {false, true}) {
    options_.worker = worker;
    options_.out = root_ / (worker ? "worker" : "alone");
    EXPECT_EQ(Run()[CaseStatus::kOk], 2);
    EXPECT_EQ(Contents(), expected);
  }
  options_.worker = false;
  options_.adapter.clear();
  options_.builtin = "native";
  options_.out = root_ / "builtin";
  EXPECT_EQ(Run()[CaseStatus::kOk], 2);
  fs::resize_file(options_.suite / "copy.tar", 700);
  options_.out = root_ / "cut";
  EXPECT_THAT(Error(), HasSubstr("copy.tar: byte 0: copy/a/case.json: found 188 bytes"));
}

TEST_F(RunnerTest, RefusesImpossibleOptions) {
  WriteCopySuite({"a"});
  EXPECT_THAT(Error(), HasSubstr("--implementation builtin:NAME"));
  options_.builtin = "naive";
  EXPECT_THAT(Error(), AllOf(HasSubstr("builtin:naive"), HasSubstr("builtin:native")));
  options_.builtin = "native";
  options_.worker = true;
  EXPECT_THAT(Error(), HasSubstr("--worker"));
  options_.worker = false;
  options_.adapter = "true";
  EXPECT_THAT(Error(), HasSubstr("either"));
  options_.builtin = "";
  options_.timeout_seconds = 0;
  EXPECT_THAT(Error(), HasSubstr("timeout of 0"));
  options_.timeout_seconds = 1;
  options_.jobs = -1;
  EXPECT_THAT(Error(), HasSubstr("-1 jobs"));
}

// ---- Interruption ------------------------------------------------------------------------------

class InterruptTest : public RunnerTest,
                      public ::testing::WithParamInterface<std::pair<int, bool>> {};

TEST_P(InterruptTest, StopsAndKeepsWhatIsFinished) {
  WriteCopySuite({"a", "b", "c-bad", "d"});
  options_.adapter = FakeAdapter("hangs");
  options_.worker = GetParam().second;
  options_.jobs = 1;
  options_.timeout_seconds = 5;
  std::chrono::steady_clock::time_point sent;
  std::thread sender([&] {
    while (Sleepers() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    sent = std::chrono::steady_clock::now();
    kill(getpid(), GetParam().first);
  });
  const RunSummary summary = Run();
  sender.join();
  EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2));
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(Status("copy/a"), "ok");
  EXPECT_FALSE(fs::exists(options_.out / "copy/c-bad"));
  EXPECT_FALSE(fs::exists(options_.out / "copy/d"));
  EXPECT_EQ(SleepersLeft(), 0);
  EXPECT_EQ(LoadJson(options_.out / "run.json", "run")->value("cases", -1), summary.cases);
  // The files that were there before are there again.
  struct sigaction action;
  sigaction(GetParam().first, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);

  options_.resume = true;
  const RunSummary resumed = Run();
  EXPECT_FALSE(resumed.interrupted);
  EXPECT_EQ(resumed[CaseStatus::kOk], 3);
  EXPECT_EQ(resumed[CaseStatus::kTimeout], 1);
}

INSTANTIATE_TEST_SUITE_P(Runner, InterruptTest,
                         ::testing::Values(std::pair(SIGINT, false), std::pair(SIGTERM, false),
                                           std::pair(SIGINT, true), std::pair(SIGTERM, true)));

// Many at a time, none of which listens.
TEST_F(RunnerTest, StopsWithinTwoSecondsWhateverAdaptersIgnore) {
  std::vector<std::string> names;
  for (int i = 10; i < 30; ++i) names.push_back(StrCat(i, "-bad"));
  WriteCopySuite(names);
  options_.adapter = FakeAdapter("hangs-stubbornly");
  for (bool worker : {false, true}) {
    options_.worker = worker;
    options_.jobs = 8;
    fs::remove(root_ / "pids");
    std::chrono::steady_clock::time_point sent;
    std::thread sender([&] {
      while (Sleepers() < 8) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      sent = std::chrono::steady_clock::now();
      kill(getpid(), SIGINT);
    });
    EXPECT_TRUE(Run().interrupted);
    sender.join();
    EXPECT_LT(std::chrono::steady_clock::now() - sent, std::chrono::seconds(2));
    EXPECT_EQ(SleepersLeft(), 0);
    EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["complete"], false);
    fs::remove_all(options_.out);
  }
}

// Whenever it is killed, every result that is there is whole, and is kept.
TEST_F(RunnerTest, LosesNoFinishedResultWhenKilled) {
  std::vector<std::string> names;
  for (int i = 100; i < 400; ++i) names.push_back(std::to_string(i));
  WriteCopySuite(names);
  options_.adapter = FakeAdapter("none --batch 4");
  options_.worker = true;
  options_.resume = true;
  std::map<std::string, fs::file_time_type> finished;
  for (int round = 1; round <= 8; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(RunSuite(options_, nullptr).ok() ? 0 : 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(60 * round));
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
    for (const std::string& name : names) {
      const fs::path place = options_.out / "copy" / name;
      if (!fs::exists(place)) {
        EXPECT_EQ(finished.count(name), 0u) << name << " is lost";
        continue;
      }
      EXPECT_EQ(Status("copy/" + name), "ok");
      EXPECT_TRUE(ReadNpy(place / "y.npy", DType::kI32, {2}).ok()) << name;
      const auto time = fs::last_write_time(place / "result.json");
      EXPECT_EQ(finished.emplace(name, time).first->second, time) << name << " ran again";
    }
  }
  EXPECT_EQ(Run()[CaseStatus::kOk], 300);
  EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["complete"], true);
}

TEST_F(RunnerTest, RunsAgainWhatAPowerCutLeftEmpty) {
  WriteCopySuite({"a", "b"});
  options_.adapter = FakeAdapter("none");
  Run();
  ASSERT_TRUE(WriteFile(options_.out / "copy/a/result.json", "").ok());
  fs::remove(options_.out / "copy/b/result.json");
  options_.resume = true;
  EXPECT_EQ(Run()[CaseStatus::kOk], 2);
  EXPECT_EQ(Status("copy/a"), "ok");
}

// ---- Adapters that do not work -----------------------------------------------------------------

TEST_F(RunnerTest, GivesUpOnAnAdapterThatNeverAnswers) {
  std::vector<std::string> names;
  for (int i = 1000; i < 1500; ++i) names.push_back(std::to_string(i));
  WriteCopySuite(names);
  for (const auto& [adapter, worker] :
       {std::pair("exit 3 #", false), std::pair("read line; exit 3 #", true)}) {
    options_.adapter = adapter;
    options_.worker = worker;
    const RunSummary summary = Run();
    EXPECT_TRUE(summary.gave_up);
    EXPECT_LE(summary.cases, 50);
    EXPECT_FALSE(fs::exists(options_.out / "results.json"));
    fs::remove_all(options_.out);
  }
}

// The first case, the last and one between fail alike: none has a result, and the folder is free.
TEST_F(RunnerTest, RecognizesThatNothingCanBeStarted) {
  std::vector<std::string> names;
  for (int i = 100; i < 150; ++i) names.push_back(std::to_string(i));
  WriteCopySuite(names);
  const std::string starts = (root_ / "starts").string();
  for (const std::string& fails :
       {std::string("/nowhere/adapter"), std::string("echo 'npu: no device' >&2; exit 2"),
        StrCat("sh ", starts, ".sh"),
        std::string("echo 'ModuleNotFoundError: No module named x' >&2; exit 1"),
        std::string("printf \"Traceback (most recent call last):\\n  File x\\nImportError: "
                    "\\n\\nPLEASE READ THIS\\nOriginal error was: no y\\n\" >&2; exit 1"),
        std::string("printf \"Error: Cannot find module 'x'\\n    at\\n\\nNode.js v20.1\\n\" >&2; "
                    "exit 1")}) {
    for (const int jobs : {1, 8}) {
      fs::remove(starts);
      options_.adapter = StrCat("echo x >>", starts, "; ", fails, " #");
      options_.jobs = jobs;
      EXPECT_THAT(Error(), HasSubstr("the adapter does not start: "));
      EXPECT_EQ(ReadFile(starts).value_or(""), "x\nx\nx\n") << fails;
      EXPECT_TRUE(fs::is_empty(options_.out)) << fails;
    }
  }
  options_.adapter = FakeAdapter("none");
  EXPECT_EQ(Run()[CaseStatus::kOk], 50);
}

// With any number of jobs, three probe cases run before all others.
TEST_F(RunnerTest, KeepsEveryResultWhereSomeCasesCannotBeStarted) {
  std::vector<std::string> names;
  for (int i = 100; i < 150; ++i) names.push_back(StrCat(i, i < 149 ? "-bad" : ""));
  WriteCopySuite(names);
  for (const int jobs : {1, 8}) {
    options_.jobs = jobs;
    options_.adapter =
        "case $1 in *bad) echo gone >&2; exit 2;; esac; echo '{\"status\": \"error\"}' #";
    const RunSummary summary = Run();
    EXPECT_FALSE(summary.gave_up);
    EXPECT_EQ(summary[CaseStatus::kCrash], 49);
    EXPECT_EQ(summary[CaseStatus::kError], 1);
    // What starts no more has no further results.
    fs::remove_all(options_.out / "copy/120-bad");
    options_.resume = true;
    EXPECT_THAT(Error(), HasSubstr("the adapter does not start: "));
    EXPECT_FALSE(fs::exists(options_.out / "copy/120-bad"));
    EXPECT_TRUE(fs::exists(options_.out / "copy/121-bad/result.json"));
    options_.resume = false;
    fs::remove_all(options_.out);
  }
}

// Adapters that end with exit code 2, each time with another message or without one.
TEST_F(RunnerTest, TakesACodeOfTwoWithoutOneReasonForACrash) {
  WriteCopySuite({"a", "b", "c", "d"});
  for (const char* says : {"echo panic in $1 >&2", ":"}) {
    options_.adapter = StrCat("f() { ", says, "; exit 2; }; f");
    EXPECT_EQ(Run()[CaseStatus::kCrash], 4);
    fs::remove_all(options_.out);
  }
  // An import error that was handled, and then another end.
  options_.adapter =
      "f() { printf 'Traceback (most recent call last):\\n  File x\\nImportError: \\n\\nno y\\n' "
      ">&2; "
      "exit 70; }; f";
  EXPECT_EQ(Run()[CaseStatus::kCrash], 4);
}

TEST_F(RunnerTest, GoesOnWhereAnImportFailsForOneOperatorOnly) {
  std::vector<std::string> names;
  for (int i = 100; i < 200; ++i) names.push_back(StrCat(i, i < 150 ? "-bad" : ""));
  WriteCopySuite(names);
  options_.jobs = 1;
  options_.adapter =
      "case $1 in *bad) echo 'ImportError: no kernel' >&2; exit 1;; esac; "
      "echo '{\"status\": \"error\"}' #";
  const RunSummary summary = Run();
  EXPECT_FALSE(summary.gave_up);
  EXPECT_EQ(summary[CaseStatus::kCrash], 50);
  EXPECT_EQ(summary[CaseStatus::kError], 50);
}

// One case, and it gets no answer: the way in which it ended shows whose fault that is.
TEST_F(RunnerTest, TellsACrashOfTheImplementationFromABrokenAdapter) {
  WriteCopySuite({"bad"});
  const std::string announces = "echo '{\"worker\": \"npu\", \"version\": \"1\"}'; ";
  const struct {
    std::string adapter, status;
    bool worker, of_implementation;
  } kAdapters[] = {{"kill -SEGV $$ #", "crash", false, true},
                   {"sleep 1000 #", "timeout", false, true},
                   {"exit 3 #", "crash", false, false},
                   {"echo '{\"status\": \"crash\"}' #", "crash", false, false},
                   {"echo ready #", "protocol", false, false},
                   {"read line; kill -SEGV $$ #", "crash", true, true},
                   {announces + "read line; exit 3 #", "crash", true, true},
                   {"read line; exit 3 #", "crash", true, false}};
  options_.timeout_seconds = 2;
  for (const auto& [adapter, status, worker, of_implementation] : kAdapters) {
    options_.adapter = adapter;
    options_.worker = worker;
    for (const bool resume : {false, true}) {
      options_.resume = resume;
      const RunSummary summary = Run();
      EXPECT_EQ(Status("copy/bad"), status) << adapter;
      EXPECT_EQ(summary.IsOfImplementation(), of_implementation) << adapter;
      EXPECT_FALSE(summary.AnyAnswer()) << adapter;
    }
    fs::remove_all(options_.out);
  }
}

TEST_F(RunnerTest, GoesOnWhereOnlyTheFirstOperatorFails) {
  std::vector<std::string> names;
  for (int i = 100; i < 200; ++i) names.push_back(StrCat(i, i < 150 ? "-bad" : ""));
  WriteCopySuite(names);
  options_.adapter = "case $1 in *bad) exit 3;; esac; echo '{\"status\": \"error\"}' #";
  const RunSummary summary = Run();
  EXPECT_FALSE(summary.gave_up);
  EXPECT_EQ(summary[CaseStatus::kCrash], 50);
  EXPECT_EQ(summary[CaseStatus::kError], 50);
}

TEST_F(RunnerTest, KeepsWhatWasPrintedInsteadOfAnAnswer) {
  WriteCopySuite({"bad"});
  options_.adapter = FakeAdapter("garbage");
  for (bool worker : {false, true}) {
    options_.worker = worker;
    Run();
    EXPECT_THAT(Result("copy/bad")["stdout"].get<std::string>(),
                StartsWith("loading \xc3\xa4 model ...\n"));
    fs::remove_all(options_.out);
  }
  options_.adapter = FakeAdapter("huge");
  Run();
  EXPECT_EQ(Result("copy/bad")["stdout"].get<std::string>(), std::string(8192, 'x'));
}

// ---- What run.json tells -----------------------------------------------------------------------

TEST_F(RunnerTest, RecordsTheFilesThatTheCommandNames) {
  WriteCopySuite({"a"});
  const fs::path script = root_ / "my adapter";
  ASSERT_TRUE(WriteFile(script, "echo '{\"status\": \"error\"}'\n").ok());
  ASSERT_TRUE(WriteFile(root_ / "model", "abc").ok());
  options_.adapter =
      StrCat("MODE=fast sh '", script.string(), "' --model=", root_.string(), "/model nothing ''");
  Run();
  Json run = *LoadJson(options_.out / "run.json", "run");
  ASSERT_EQ(run["adapter_files"].size(), 3u);
  EXPECT_THAT(run["adapter_files"][0]["path"].get<std::string>(), EndsWith("/bin/sh"));
  EXPECT_EQ(run["adapter_files"][1]["path"], script.string());
  EXPECT_EQ(run["adapter_files"][2]["path"], (root_ / "model").string());
  // SHA-256 of "abc", FIPS 180-2, appendix B.1.
  EXPECT_EQ(run["adapter_files"][2]["sha256"],
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_GT(run["machine"]["memory_mb"], 0);
  EXPECT_EQ(run["suite_cases"], 1);
  EXPECT_EQ(run["complete"], true);

  options_.resume = true;
  ASSERT_TRUE(WriteFile(root_ / "model", "abd").ok());
  EXPECT_THAT(Error(), AllOf(HasSubstr("another adapter"), HasSubstr("model")));
}

TEST_F(RunnerTest, RecordsTheCodeThatIsNamedInsteadOfAllBesideAScript) {
  WriteCopySuite({"a"});
  const fs::path folder = root_ / "adapter", model = root_ / "model.bin", lib = root_ / "lib";
  const fs::path part = lib / "package/part.py";
  const fs::path beside = folder / "beside.py", notes = lib / "notes.txt";
  const std::string script = "echo '{\"status\": \"error\"}'\n";
  ASSERT_TRUE(WriteFile(folder / "main.sh", script).ok());
  for (const fs::path& path : {model, part, lib / "package/__init__.py", beside, notes}) {
    ASSERT_TRUE(WriteFile(path, "1").ok());
  }
  options_.adapter = StrCat("sh '", (folder / "main.sh").string(), "'");
  options_.code = {model.string(), lib.string(), part.string()};
  Run();
  const Json run = *LoadJson(options_.out / "run.json", "run");
  std::vector<std::string> files;
  for (const Json& file : run["adapter_files"]) {
    files.push_back(fs::path(file["path"]).lexically_relative(root_).string());
  }
  ASSERT_FALSE(files.empty());
  files.erase(files.begin());  // the shell
  EXPECT_EQ(files, (std::vector<std::string>{"adapter/main.sh", "model.bin",
                                             "lib/package/__init__.py", "lib/package/part.py"}));
  EXPECT_EQ(run["code"], Json(options_.code));

  options_.resume = true;
  for (const fs::path& path : {beside, folder / "anew.py", notes}) {
    ASSERT_TRUE(WriteFile(path, "other").ok());
    EXPECT_EQ(Run()[CaseStatus::kError], 1) << path;
  }
  for (const fs::path& path : {model, part, folder / "main.sh"}) {
    const std::string before = *ReadFile(path);
    ASSERT_TRUE(WriteFile(path, "other").ok());
    EXPECT_THAT(Error(), AllOf(HasSubstr("another adapter: its file "), HasSubstr(path.string())));
    ASSERT_TRUE(WriteFile(path, before).ok());
  }
  ASSERT_TRUE(WriteFile(lib / "anew.py", "").ok());
  EXPECT_THAT(Error(), HasSubstr("anew.py is not the one that ran"));
  fs::remove(lib / "anew.py");
  EXPECT_EQ(Run()[CaseStatus::kError], 1);
  // Another list of code is refused, even if it has the same files.
  options_.code = {model.string(), (lib / "package").string()};
  EXPECT_THAT(Error(), HasSubstr("holds results of a run with"));
  options_.code.clear();
  EXPECT_THAT(Error(), HasSubstr("holds results of a run with"));
}

// A worker beside other scripts. It announces the code that list.json says, does what `first` says
// before that, and what `later` says before each answer; all results are "error".
class AnnouncedCodeTest : public RunnerTest {
 protected:
  void SetUp() override {
    RunnerTest::SetUp();
    WriteCopySuite({"a", "b", "c"});
    for (const fs::path& path : {part_, other_}) ASSERT_TRUE(WriteFile(path, "").ok());
    ASSERT_TRUE(WriteFile(folder_ / "main.py", R"(
import json, os, pathlib, sys
import part
here = pathlib.Path(__file__).parent
told = json.loads((here / "list.json").read_text())
exec(told["first"])
if told["announced"] is not None:
    print(json.dumps({"worker": "w", "version": "1", "code": told["announced"]}), flush=True)
for line in sys.stdin:
    answer = {"case": json.loads(line)["case"], "status": "error"}
    exec(told["later"])
    print(json.dumps(answer), flush=True)
)")
                    .ok());
    Announce({part_});
    options_.adapter = StrCat(CTS_PYTHON " '", (folder_ / "main.py").string(), "' --worker");
    options_.worker = true;
    options_.jobs = 1;
  }
  void Tell(const Json& announced, const std::string& later, const std::string& first) {
    const Json json = {{"announced", announced}, {"later", later}, {"first", first}};
    ASSERT_TRUE(WriteFile(folder_ / "list.json", json.dump()).ok());
  }
  void Announce(const std::vector<fs::path>& loaded, const std::string& later = "",
                const std::string& first = "") {
    Json paths = Json::array();
    for (const fs::path& path : loaded) paths.push_back(path.string());
    Tell(paths, later, first);
  }
  void LoseResult(const char* id) { fs::remove_all(options_.out / id); }
  std::vector<std::string> Recorded() {
    std::vector<std::string> names;
    const Json run = *LoadJson(options_.out / "run.json", "run");
    for (const Json& file : run["adapter_files"]) {
      names.push_back(fs::path(file["path"]).filename().string());
    }
    names.erase(names.begin());  // the interpreter
    return names;
  }

  const fs::path folder_ = root_ / "adapter";
  const fs::path part_ = folder_ / "part.py", other_ = folder_ / "other.py";
  // Ends the first worker of a run behind its first answer, without a fault of any case.
  const std::string end_once_ =
      "mark = here / 'ended'\n"
      "if not mark.exists() and answer['case'] == 'copy/b': mark.touch(); os._exit(3)\n";
};

TEST_F(AnnouncedCodeTest, CountsInsteadOfAllCodeBesideTheScript) {
  Announce({part_}, "(here / 'other.py').write_text('#')");  // while it runs
  EXPECT_EQ(Run()[CaseStatus::kError], 3);
  EXPECT_EQ(Recorded(), (std::vector<std::string>{"main.py", "part.py"}));
  const Json run = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(run["announced_code"], Json::array({part_.string()}));
  EXPECT_EQ(run["complete"], true);

  options_.resume = true;
  ASSERT_TRUE(WriteFile(folder_ / "anew.py", "").ok());
  LoseResult("copy/b");
  EXPECT_EQ(Run()[CaseStatus::kError], 3);
  EXPECT_EQ(Recorded(), (std::vector<std::string>{"main.py", "part.py"}));
  for (const fs::path& path : {part_, folder_ / "main.py"}) {
    const std::string before = *ReadFile(path);
    ASSERT_TRUE(WriteFile(path, before + "#").ok());
    EXPECT_THAT(Error(), AllOf(HasSubstr("another adapter: its file "), HasSubstr(path.string()),
                               Not(HasSubstr("--code"))));
    ASSERT_TRUE(WriteFile(path, before).ok());
  }
  fs::remove(part_);
  EXPECT_THAT(Error(), HasSubstr("part.py is not the one that ran"));
}

TEST_F(AnnouncedCodeTest, IsTheSameForAllOfARun) {
  Run();
  options_.resume = true;
  LoseResult("copy/b");
  Announce({part_, other_});
  EXPECT_THAT(Error(), AllOf(HasSubstr("announced other code than this one"),
                             HasSubstr("other.py among them")));
  Announce({});
  EXPECT_THAT(Error(), HasSubstr("part.py among them"));
  Tell(nullptr, "", "");
  EXPECT_THAT(Error(), HasSubstr("a worker answered that had not announced its code"));
  Announce({part_});
  EXPECT_EQ(Run()[CaseStatus::kError], 3);
}

TEST_F(AnnouncedCodeTest, MayComeInAnyOrder) {
  Announce({part_, other_});
  Run();
  options_.resume = true;
  LoseResult("copy/b");
  Announce({other_, part_, other_});
  EXPECT_EQ(Run()[CaseStatus::kError], 3);
}

TEST_F(AnnouncedCodeTest, IsTheSameForWorkersThatTakeTurns) {
  Announce({part_},
           end_once_ + "(here / 'list.json').write_text((here / 'next.json').read_text())");
  const Json next = {
      {"announced", {part_.string(), other_.string()}}, {"later", ""}, {"first", ""}};
  ASSERT_TRUE(WriteFile(folder_ / "next.json", next.dump()).ok());
  EXPECT_THAT(Error(), AllOf(HasSubstr("announced other code than an earlier one"),
                             HasSubstr("other.py among them")));
}

TEST_F(AnnouncedCodeTest, WorkersThatDoNotAnnounceItHaveNoResult) {
  const Json next = {{"announced", nullptr}, {"later", ""}, {"first", ""}};
  ASSERT_TRUE(WriteFile(folder_ / "next.json", next.dump()).ok());
  Announce({part_},
           end_once_ + "(here / 'list.json').write_text((here / 'next.json').read_text())");
  EXPECT_THAT(Error(), HasSubstr("a worker answered that had not announced its code"));
}

TEST_F(AnnouncedCodeTest, WorkersThatEndBeforeTheyAnnounceItAreNoVerdict) {
  const Json next = {{"announced", {part_.string()}}, {"later", ""}, {"first", "os._exit(4)"}};
  ASSERT_TRUE(WriteFile(folder_ / "next.json", next.dump()).ok());
  Announce({part_},
           end_once_ + "(here / 'list.json').write_text((here / 'next.json').read_text())");
  EXPECT_THAT(Error(), HasSubstr("a worker ended, or was ended, before it announced its code"));
  EXPECT_FALSE(fs::exists(options_.out / "copy/b/result.json"));
}

TEST_F(AnnouncedCodeTest, RefusesAFileThatChangesWhileItRuns) {
  Announce({part_, other_}, "(here / 'other.py').write_text('#')");
  EXPECT_THAT(Error(), AllOf(StartsWith(other_.string()), HasSubstr("changed while it ran")));
}

// If a file has two names, the announced one counts.
TEST_F(AnnouncedCodeTest, KeepsTheNameThatWasAnnounced) {
  const fs::path link = folder_ / "z_link.py", hard = folder_ / "a_copy.py";
  fs::create_symlink(part_, link);
  fs::create_hard_link(other_, hard);
  Announce({link, other_});
  Run();
  EXPECT_EQ(Recorded(), (std::vector<std::string>{"main.py", "other.py", "z_link.py"}));
  options_.resume = true;
  for (const fs::path& path : {link, other_}) {
    ASSERT_TRUE(WriteFile(root_ / "new", "2").ok());
    fs::rename(path, root_ / "kept");
    fs::rename(root_ / "new", path);
    EXPECT_THAT(Error(), HasSubstr(path.filename().string() + " is not the one that ran"));
    fs::rename(root_ / "kept", path);
  }
}

TEST_F(AnnouncedCodeTest, KeepsTheFilesOfTheCommandThatGo) {
  ASSERT_TRUE(WriteFile(root_ / "net.bin", "1").ok());
  options_.adapter = StrCat("NET='", (root_ / "net.bin").string(), "' ", options_.adapter);
  Announce({part_}, "", "try: os.remove(os.environ['NET'])\nexcept OSError: pass");
  EXPECT_THAT(Error(), AllOf(HasSubstr("net.bin"), HasSubstr("changed while it ran")));
}

// Code that the user names takes precedence over announced code.
TEST_F(AnnouncedCodeTest, DoesNotCountBesideCodeThatTheUserNames) {
  options_.code = {other_.string()};
  Run();
  EXPECT_EQ(Recorded(), (std::vector<std::string>{"main.py", "other.py"}));
  EXPECT_FALSE(LoadJson(options_.out / "run.json", "run")->contains("announced_code"));
  options_.resume = true;
  LoseResult("copy/b");
  Tell(nullptr, "", "");
  EXPECT_EQ(Run()[CaseStatus::kError], 3);
}

TEST_F(AnnouncedCodeTest, DoesNotComeAfterAnswersWithoutIt) {
  Tell(nullptr, "", "");
  options_.filter = {"copy/*"};
  Run();
  options_.resume = true;
  LoseResult("copy/b");
  Announce({part_});
  EXPECT_THAT(Error(), AllOf(HasSubstr("announced other code than this one: before none")));
  const Json next = {{"announced", {part_.string()}}, {"later", ""}, {"first", ""}};
  ASSERT_TRUE(WriteFile(folder_ / "next.json", next.dump()).ok());
  options_.resume = false;
  options_.out = root_ / "again";
  Tell(nullptr, end_once_ + "(here / 'list.json').write_text((here / 'next.json').read_text())",
       "");
  EXPECT_THAT(Error(), HasSubstr("announced its code after others had answered without"));
}

// The faults before a run gave up are still recorded after it is resumed.
TEST_F(AnnouncedCodeTest, KeepsTheFaultsOfARunThatIsGivenUp) {
  const Json next = {{"announced", {part_.string()}},
                     {"later",
                      "mark = here / 'second'\n"
                      "if not mark.exists(): mark.touch(); os._exit(3)\n"},
                     {"first", "if (here / 'second').exists(): os._exit(4)"}};
  ASSERT_TRUE(WriteFile(folder_ / "next.json", next.dump()).ok());
  Announce({part_},
           end_once_ + "(here / 'list.json').write_text((here / 'next.json').read_text())");
  EXPECT_THAT(Error(), HasSubstr("before it announced its code"));
  const Json run = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(run["complete"], false);
  EXPECT_GE(run["restarts"], 1) << run;
  Announce({part_});
  options_.resume = true;
  Run();
  EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["restarts"], run["restarts"]);
}

TEST_F(AnnouncedCodeTest, MayLieElsewhere) {
  const fs::path kernels = root_ / "elsewhere/kernels.txt";
  ASSERT_TRUE(WriteFile(kernels, "1").ok());
  Announce({kernels});
  Run();
  EXPECT_EQ(Recorded(), (std::vector<std::string>{"main.py", "kernels.txt"}));
  options_.resume = true;
  ASSERT_TRUE(WriteFile(kernels, "2").ok());
  EXPECT_THAT(Error(), HasSubstr("kernels.txt is not the one that ran"));
  // A file that was written after the run began may differ from the loaded one.
  options_.resume = false;
  options_.out = root_ / "again";
  Announce({kernels}, "", StrCat("open('", kernels.string(), "', 'w').close()"));
  EXPECT_THAT(Error(),
              AllOf(StartsWith(kernels.string()), HasSubstr("written since the run began")));
}

TEST_F(AnnouncedCodeTest, NamesFilesThatAreThere) {
  Announce({folder_ / "none\n.py"});
  EXPECT_THAT(Error(), AllOf(HasSubstr("code: found no file at "), HasSubstr("none .py")));
  Announce({folder_});
  EXPECT_THAT(Error(), HasSubstr("code: found no file at "));
}

TEST_F(RunnerTest, FindsTheFileOfAFunction) {
  WriteCopySuite({"a"});
  ASSERT_TRUE(WriteFile(root_ / "npu.py", "").ok());
  options_.adapter =
      StrCat("echo '{\"status\": \"error\"}' #", " '", (root_ / "npu.py").string(), ":execute'");
  Run();
  EXPECT_THAT(LoadJson(options_.out / "run.json", "run")->dump(), HasSubstr("npu.py\""));
}

TEST_F(RunnerTest, RefusesToContinueWhatAnotherBuildBegan) {
  WriteCopySuite({"a", "b"});
  options_.builtin = "native";
  Run();
  fs::remove_all(options_.out / "copy/b");
  const fs::path path = options_.out / "run.json";
  const Json before = *LoadJson(path, "run");
  options_.resume = true;
  Json run = before;
  run["commit"] = "0123";
  ASSERT_TRUE(SaveJson(path, run).ok());
  EXPECT_THAT(Error(), AllOf(HasSubstr("of commit \"0123\", this is"),
                             HasSubstr("; give another directory")));
  for (const char* member : {"editions", "recipes", "checker"}) {
    run = before;
    run["build"][member] = std::string(64, '0');
    ASSERT_TRUE(SaveJson(path, run).ok());
    EXPECT_THAT(Error(), HasSubstr("with other sources; give another directory")) << member;
  }
  EXPECT_FALSE(fs::exists(options_.out / "copy/b"));
  ASSERT_TRUE(SaveJson(path, before).ok());
  EXPECT_EQ(Run().cases, 2);
}

TEST_F(RunnerTest, ContinuesWithNamesThatAreNotUtf8) {
  WriteCopySuite({"a", "b"});
  const fs::path code = root_ / "code\xff" / "part\xfe.py";
  ASSERT_TRUE(WriteFile(code, "1").ok());
  options_.adapter = StrCat(FakeAdapter("none"), " '", code.string(), "'");
  for (const fs::path& named : {fs::path(), code, code.parent_path()}) {
    options_.code.clear();
    if (!named.empty()) options_.code = {named.string()};
    options_.out = root_ / StrCat("out", named.string().size());
    options_.resume = false;
    EXPECT_EQ(Run()[CaseStatus::kOk], 2);
    fs::remove_all(options_.out / "copy/b");
    options_.resume = true;
    EXPECT_EQ(Run()[CaseStatus::kOk], 2);
    ASSERT_TRUE(WriteFile(code, "2").ok());
    EXPECT_THAT(Error(), HasSubstr("is not the one that ran; give another directory"));
    ASSERT_TRUE(WriteFile(code, "1").ok());
  }
}

TEST_F(RunnerTest, StopsWhileItReadsAHugeFileOfTheAdapter) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none");
  options_.code = {(root_ / "huge").string()};
  ASSERT_TRUE(WriteFile(options_.code[0], "").ok());
  fs::resize_file(options_.code[0], uint64_t{1} << 33);
  const auto start = std::chrono::steady_clock::now();
  std::thread sender([] {
    struct sigaction action = {};
    while (sigaction(SIGTERM, nullptr, &action) == 0 && action.sa_handler == SIG_DFL) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(getpid(), SIGTERM);
  });
  EXPECT_THAT(Error(), HasSubstr("run: interrupted"));
  sender.join();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_FALSE(fs::exists(options_.out / "run.json"));
}

TEST_F(RunnerTest, RefusesCodeThatIsNotThere) {
  WriteCopySuite({"a"});
  options_.adapter = FakeAdapter("none");
  fs::create_directories(root_ / "empty");
  for (const char* name : {"nowhere.py", "empty"}) {
    options_.code = {(root_ / name).string()};
    EXPECT_THAT(Error(), AllOf(HasSubstr("--code: found "), HasSubstr(options_.code[0])));
    EXPECT_FALSE(fs::exists(options_.out));
  }
}

TEST_F(RunnerTest, RecordsTheCodeBesideAScript) {
  WriteCopySuite({"a"});
  const fs::path folder = root_ / "adapter";
  for (const char* name :
       {"main.sh", "mapping.mjs", "lib.so", "lowering.pipeline", "package/__init__.py",
        "package/deep/__init__.py", "package/deep/part.py",
        // None of its code:
        "report.json", "notes.txt", ".main.sh.swp", "..sh", "node_modules/x.mjs", "other/x.py",
        "package/__pycache__/x.pyc"}) {
    ASSERT_TRUE(WriteFile(folder / name, "echo '{\"status\": \"error\"}'\n").ok());
  }
  options_.adapter = StrCat("sh '", (folder / "main.sh").string(), "'");
  Run();
  std::vector<std::string> files;
  const Json run = *LoadJson(options_.out / "run.json", "run");
  for (const Json& file : run["adapter_files"]) {
    files.push_back(fs::path(file["path"]).lexically_relative(folder).string());
  }
  ASSERT_FALSE(files.empty());
  files.erase(files.begin());  // the shell
  EXPECT_EQ(files, (std::vector<std::string>{"main.sh", "lib.so", "lowering.pipeline",
                                             "mapping.mjs", "package/__init__.py",
                                             "package/deep/__init__.py", "package/deep/part.py"}));
  options_.resume = true;
  ASSERT_TRUE(WriteFile(folder / "report.json", "{}").ok());
  EXPECT_EQ(Run()[CaseStatus::kError], 1);
  for (const char* name : {"mapping.mjs", "package/deep/part.py"}) {
    const std::string before = *ReadFile(folder / name);
    ASSERT_TRUE(WriteFile(folder / name, "other").ok());
    EXPECT_THAT(Error(), AllOf(HasSubstr("another adapter: its file "), HasSubstr(name)));
    ASSERT_TRUE(WriteFile(folder / name, before).ok());
  }
  ASSERT_TRUE(WriteFile(folder / "anew.py", "").ok());
  EXPECT_THAT(Error(), HasSubstr("anew.py is not the one that ran; if it loads no such file, run "
                                 "anew and name its code by --code, or give another directory"));
  fs::remove(folder / "anew.py");
  fs::remove(folder / "lib.so");
  EXPECT_THAT(Error(), HasSubstr("lib.so is not the one that ran"));
}

TEST_F(RunnerTest, RecordsThePackageThatAdaptersShare) {
  WriteCopySuite({"a"});
  for (const char* name :
       {"mine/main.sh", "common/__init__.py", "common/worker.py", "others/__init__.py"}) {
    ASSERT_TRUE(WriteFile(root_ / "adapters" / name, "echo '{\"status\": \"error\"}'\n").ok());
  }
  options_.adapter = StrCat("sh '", (root_ / "adapters/mine/main.sh").string(), "'");
  Run();
  const std::string run = LoadJson(options_.out / "run.json", "run")->dump();
  EXPECT_THAT(run, AllOf(HasSubstr("common/worker.py"), Not(HasSubstr("others/__init__.py"))));
  options_.resume = true;
  ASSERT_TRUE(WriteFile(root_ / "adapters/others/__init__.py", "other").ok());
  EXPECT_EQ(Run()[CaseStatus::kError], 1);
  ASSERT_TRUE(WriteFile(root_ / "adapters/common/worker.py", "other").ok());
  EXPECT_THAT(Error(), AllOf(HasSubstr("another adapter: its file "), HasSubstr("worker.py")));
}

TEST_F(RunnerTest, RefusesAnAdapterThatChangesWhileItRuns) {
  WriteCopySuite({"a"});
  const std::string script = (root_ / "adapter.sh").string();
  const std::string first = StrCat("echo '#' >>", script, "; echo '{\"status\": \"error\"}'\n");
  ASSERT_TRUE(WriteFile(script, first).ok());
  options_.adapter = "sh " + script;
  EXPECT_THAT(Error(), AllOf(StartsWith(script), HasSubstr("changed while it ran"),
                             Not(HasSubstr("--code"))));
  Json run = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(run["complete"], false);
  EXPECT_EQ(run["changed"], script);
  // Even when it is again as it was: what ran in between is kept among the results.
  ASSERT_TRUE(WriteFile(script, first).ok());
  options_.resume = true;
  EXPECT_THAT(Error(), HasSubstr(StrCat("holds results of no one implementation: ", script)));
}

TEST_F(RunnerTest, RefusesToGoOnWithAnotherVersionOfTheImplementation) {
  WriteCopySuite({"a", "b"});
  const auto adapter = [](int version) {
    return StrCat("read x; echo '{\"worker\": \"w\", \"version\": \"'$(cat $PIDS)'\"}'; exit 3; : ",
                  version > 0 ? "" : "-");
  };
  ASSERT_TRUE(WriteFile(root_ / "pids", "1").ok());
  options_.adapter = adapter(1);
  options_.worker = true;
  Run();
  EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["implementation"]["version"], "1");
  ASSERT_TRUE(WriteFile(root_ / "pids", "2").ok());
  fs::remove_all(options_.out / "copy/a");
  options_.resume = true;
  EXPECT_THAT(Error(), HasSubstr("now a worker says"));
}

TEST_F(RunnerTest, RecordsWhatARunWasGoneOnWith) {
  WriteCopySuite({"a", "b"});
  options_.adapter = "echo '{\"status\": \"error\"}' #";
  setenv("OMP_NUM_THREADS", "1", 1);
  Run();
  const Json first = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(first["environment"]["OMP_NUM_THREADS"], "1");
  EXPECT_FALSE(first.contains("resumed"));
  options_.resume = true;
  setenv("OMP_NUM_THREADS", "2", 1);
  Run();  // nothing is left to do
  Json run = *LoadJson(options_.out / "run.json", "run");
  EXPECT_FALSE(run.contains("resumed"));
  EXPECT_EQ(run["environment"], first["environment"]);
  // If a result was removed, its case runs again, which must be recorded.
  fs::remove_all(options_.out / "copy/a");
  Run();
  run = *LoadJson(options_.out / "run.json", "run");
  ASSERT_EQ(run["resumed"].size(), 1U);
  EXPECT_EQ(run["resumed"][0]["host"], first["host"]);
  EXPECT_EQ(run["resumed"][0]["environment"]["OMP_NUM_THREADS"], "2");
  EXPECT_FALSE(run["resumed"][0].contains("machine"));
  EXPECT_EQ(run["environment"], first["environment"]);
  // An interrupted run.
  run["complete"] = false;
  run["host"] = "elsewhere";
  ASSERT_TRUE(SaveJson(options_.out / "run.json", run).ok());
  setenv("OMP_NUM_THREADS", "1", 1);
  Run();
  run = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(run["host"], "elsewhere");
  ASSERT_EQ(run["resumed"].size(), 2U);
  EXPECT_EQ(run["resumed"][1]["host"], first["host"]);
  EXPECT_FALSE(run["resumed"][1].contains("environment"));
  unsetenv("OMP_NUM_THREADS");
}

// ---- Repeats -----------------------------------------------------------------------------------

TEST_F(RunnerTest, NamesTheFirstDifferenceBetweenRepeats) {
  WriteCopySuite({"a", "b-bad", "c"});
  options_.repeats = 3;
  for (bool worker : {false, true}) {
    options_.adapter = FakeAdapter("flips");
    options_.worker = worker;
    const RunSummary summary = Run();
    EXPECT_EQ(summary.cases, 3);
    EXPECT_EQ(summary[CaseStatus::kOk], 3);
    EXPECT_EQ(summary.differs, 1);
    EXPECT_EQ(summary.first_differs_id, "copy/b-bad");
    // y = (2, -2); the last four bytes become 01 02 03 04.
    EXPECT_EQ(Result("copy/b-bad")["differs"],
              "output y, element 1 [1]: 0xfffffffe the first time, 0x04030201 in repeat 2; 1 of 2 "
              "elements differ");
    EXPECT_EQ(Result("copy/b-bad")["repeats"], 3);
    EXPECT_FALSE(Result("copy/a").contains("differs"));
    EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["repeats"], 3);
    EXPECT_EQ(ReadNpy(options_.out / "copy/b-bad/y.npy", DType::kI32, {2})->Integers(),
              (std::vector<int64_t>{2, -2}))
        << "the first answer stays";
    fs::remove_all(options_.out);
    fs::remove(root_ / "pids-b-bad");
  }
  options_.adapter = FakeAdapter("flips-status");
  Run();
  EXPECT_EQ(Result("copy/b-bad")["differs"],
            "status ok the first time, unsupported in repeat 2: not any more");
}

// A race that shows only where more run at once than before.
TEST_F(RunnerTest, UnderLoadFindsWhatDependsOnTheOthers) {
  WriteCopySuite({"a-bad", "b-bad", "c-bad", "d-bad", "e-bad", "f-bad"});
  options_.adapter = FakeAdapter("crowded");
  options_.repeats = 2;
  EXPECT_EQ(Run().differs, 0);
  fs::remove_all(options_.out);
  options_.repeats = 1;
  options_.under_load = true;
  const RunSummary summary = Run();
  EXPECT_EQ(summary.cases, 6);
  EXPECT_GE(summary.differs, 1);
  EXPECT_THAT(Result(summary.first_differs_id)["differs"].get<std::string>(),
              HasSubstr("0x04030201 in repeat"));
  EXPECT_EQ(Result("copy/a-bad")["repeats"], 4);
  EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["under_load"], true);
}

// A device that takes one case after the other is slower under load, and not wrong.
TEST_F(RunnerTest, UnderLoadGivesMoreTimeAndTellsWhatIsLate) {
  WriteCopySuite({"a-bad", "b"});
  options_.adapter = FakeAdapter("tires");
  options_.timeout_seconds = 2;
  options_.under_load = true;
  const RunSummary summary = Run();
  EXPECT_EQ(summary[CaseStatus::kOk], 2);
  EXPECT_EQ(summary.differs, 1);
  EXPECT_EQ(summary.late, 1);
  EXPECT_EQ(Result("copy/a-bad")["differs"],
            "status ok the first time, timeout in repeat 3: no answer within 8 seconds: killed");
}

TEST_F(RunnerTest, UnderLoadRunsASampleThreeTimesAndOthersOnce) {
  std::vector<std::string> names;
  for (int i = 0; i < 600; ++i) names.push_back(std::to_string(1000 + i));
  WriteCopySuite(names);
  options_.builtin = "native";
  options_.under_load = true;
  int total = 0;
  const auto summary = RunSuite(options_, [&](int, int of, const RunSummary&) { total = of; });
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->cases, 600);
  EXPECT_EQ(summary->differs, 0);
  EXPECT_EQ(total, 600 + 3 * (75 + 75));
  std::map<int, int> times;
  for (const std::string& name : names) ++times[Result("copy/" + name).value("repeats", 1)];
  EXPECT_EQ(times, (std::map<int, int>{{1, 300}, {2, 225}, {4, 75}}));
}

TEST_F(RunnerTest, RepeatsWhatAnInterruptionLeft) {
  WriteCopySuite({"a", "b", "c"});
  options_.adapter = FakeAdapter("none");
  Run();
  EXPECT_FALSE(LoadJson(options_.out / "run.json", "run")->contains("repeats"));
  options_.resume = true;
  options_.repeats = 2;
  std::vector<int> progress;
  const auto summary = RunSuite(options_, [&](int done, int total, const RunSummary&) {
    progress.push_back(10 * done + total);
  });
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(progress, (std::vector<int>{46, 56, 66})) << "the second pass only";
  EXPECT_EQ(Result("copy/c")["repeats"], 2);
  EXPECT_EQ((*LoadJson(options_.out / "run.json", "run"))["repeats"], 2);
}

// ---- Shards ------------------------------------------------------------------------------------

TEST_F(RunnerTest, RunsEveryNthCaseOfAShard) {
  WriteCopySuite({"a", "b", "c", "d", "e"});
  options_.adapter = FakeAdapter("none");
  options_.shard = Shard{2, 3};
  EXPECT_EQ(Run().cases, 2);
  EXPECT_TRUE(fs::exists(options_.out / "copy/b"));
  EXPECT_TRUE(fs::exists(options_.out / "copy/e"));
  EXPECT_FALSE(fs::exists(options_.out / "copy/a"));
  options_.resume = true;
  options_.shard = Shard{1, 3};
  EXPECT_THAT(Error(), HasSubstr("holds results of shard 2/3, not of shard 1/3"));
  options_.shard = Shard{6, 6};
  options_.out = root_ / "other";
  EXPECT_THAT(Error(), HasSubstr("5 cases make at most 5 shards"));
}

// ---- The embedded implementation and the skeleton ----------------------------------------------

TEST_F(RunnerTest, RunsTheEmbeddedImplementation) {
  WriteCopySuite({"a", "b"});
  options_.builtin = "native";
  EXPECT_EQ(Run()[CaseStatus::kOk], 2);
  EXPECT_EQ(ReadNpy(options_.out / "copy/b/y.npy", DType::kI32, {2})->Integers(),
            (std::vector<int64_t>{2, -2}));
  const Json run = *LoadJson(options_.out / "run.json", "run");
  EXPECT_EQ(run["implementation"]["name"], "builtin:native");
  EXPECT_EQ(run["command"], "builtin:native");
}

// y = x + k, with the constant k.
Case AddCase(const std::string& id, DType dtype, Shape x, Shape k, Shape y) {
  Case c = CopyCase(id, 1);
  c.op = "ADD";
  Block& block = c.graph.main();
  Tensor constant(dtype, k), input(dtype, x);
  for (int64_t i = 0; i < constant.size(); ++i) {
    IsFloat(dtype) ? constant.SetElement(i, 0.25) : constant.SetInteger(i, 7);
  }
  for (int64_t i = 0; i < input.size(); ++i) {
    IsFloat(dtype) ? input.SetElement(i, static_cast<double>(i)) : input.SetInteger(i, -i);
  }
  block.tensors = {{"x", dtype, x, nullptr},
                   {"k", dtype, k, std::make_shared<const Tensor>(constant)},
                   {"y", dtype, y, nullptr}};
  block.operators = {{"CONST", {}, {"k"}, {}}, {"ADD", {"x", "k"}, {"y"}, {}}};
  c.inputs.clear();
  c.inputs.emplace("x", input);
  c.outputs.clear();
  c.outcome = Outcome::kError;  // no answers needed here
  c.condition = "none";
  return c;
}

// state = x in turn; y = the state before, from (0, 0).
Case VariableCase() {
  Case c = CopyCase("variable/three", 1);
  c.op = "VARIABLE";
  Block& block = c.graph.main();
  for (GraphTensor& tensor : block.tensors) tensor.dtype = DType::kI8;
  const auto initial = std::make_shared<const Tensor>(DType::kI8, Shape{2});
  block.tensors.push_back({"initial", DType::kI8, {2}, initial});
  block.tensors.push_back({"sum", DType::kI8, {2}, nullptr});
  block.operators = {{"VARIABLE",
                      {},
                      {},
                      {{"name", std::string("state")},
                       {"type", std::string("INT8")},
                       {"var_shape", std::vector<int64_t>{2}},
                       {"initial_value", std::string("initial")}}},
                     {"VARIABLE_READ", {}, {"y"}, {{"name", std::string("state")}}},
                     {"BITWISE_XOR", {"x", "y"}, {"sum"}, {}},
                     {"VARIABLE_WRITE", {"sum"}, {}, {{"name", std::string("state")}}}};
  const auto i8 = [](int64_t a, int64_t b) { return Tensor::OfIntegers(DType::kI8, {2}, {a, b}); };
  c.inputs = {{"x", i8(1, 2)}};
  c.later_inputs = {{{"x", i8(4, 8)}}, {{"x", i8(0, 0)}}};
  const ExpectedOutput output = c.outputs[0];
  c.outputs.clear();
  for (const Tensor& y : {i8(0, 0), i8(1, 2), i8(5, 10)}) {
    c.outputs.push_back(output);
    c.outputs.back().dtype = DType::kI8;
    c.outputs.back().execution = static_cast<int>(c.outputs.size()) - 1;
    c.outputs.back().answers[0].expected = y;
  }
  return c;
}

TEST_F(RunnerTest, KeepsTheResultsOfEveryExecution) {
  WriteSuite({VariableCase()});
  options_.builtin = "native";
  EXPECT_EQ(Run()[CaseStatus::kOk], 1);
  const fs::path results = options_.out / "variable/three";
  EXPECT_EQ(ReadNpy(results / "y.npy", DType::kI8, {2})->Integers(), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(ReadNpy(results / "y.1.npy", DType::kI8, {2})->Integers(),
            (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(ReadNpy(results / "y.2.npy", DType::kI8, {2})->Integers(),
            (std::vector<int64_t>{5, 10}));
}

TEST_F(RunnerTest, SkeletonAnswersInBothModes) {
  Case unknown = CopyCase("copy/unknown", 1);
  unknown.graph.main().operators[0].op = "NEGATE";
  WriteSuite({CopyCase("copy/i32", 5), unknown,
              AddCase("add/i32", DType::kI32, {2, 1}, {1, 2}, {2, 2}),
              AddCase("add/fp32", DType::kFp32, {3}, {3}, {3}),
              AddCase("add/i8", DType::kI8, {3}, {3}, {3}),
              AddCase("add/mismatch", DType::kI32, {3}, {2}, {3}),
              AddCase("add/output", DType::kI32, {3}, {3}, {4})});
  options_.adapter =
      StrCat(CTS_PYTHON, " '", (kSource / "tools/adapters/skeleton.py").string(), "'");
  for (bool worker : {false, true}) {
    options_.worker = worker;
    const RunSummary summary = Run();
    EXPECT_EQ(summary[CaseStatus::kOk], 3);
    EXPECT_EQ(summary[CaseStatus::kError], 2);
    EXPECT_EQ(summary[CaseStatus::kUnsupported], 2);
    const auto read = [this](const char* id, DType dtype, Shape shape) {
      const auto y = ReadNpy(options_.out / id / "y.npy", dtype, shape);
      EXPECT_TRUE(y.ok()) << y.status();
      return y.ok() ? *y : Tensor(dtype, shape);
    };
    EXPECT_EQ(read("copy/i32", DType::kI32, {2}).Integers(), (std::vector<int64_t>{5, -5}));
    EXPECT_EQ(read("add/i32", DType::kI32, {2, 2}).Integers(), (std::vector<int64_t>{7, 7, 6, 6}));
    EXPECT_EQ(read("add/fp32", DType::kFp32, {3}).Elements(),
              (std::vector<double>{0.25, 1.25, 2.25}));
    EXPECT_EQ(Text("copy/unknown"), "operator NEGATE");
    EXPECT_EQ(Text("add/i8"), "type i8");
    EXPECT_THAT(Text("add/mismatch"), HasSubstr("do not broadcast"));
    EXPECT_THAT(Text("add/output"), HasSubstr("the result has shape"));
    fs::remove_all(options_.out);
  }
}

// y = IDENTITY(x[N]), for two values of N.
Case SymbolicCase(const std::string& id) {
  Case c = CopyCase(id, 1);
  for (GraphTensor& tensor : c.graph.main().tensors) {
    tensor.shape = {-1};
    tensor.symbols = {tensor.name == "x" ? "N" : "y_0"};
  }
  c.bindings = {{{"N", 2}}, {{"N", 1}}};
  c.later_inputs = {{{"x", Tensor::OfIntegers(DType::kI32, {1}, {9})}}};
  ExpectedOutput second = c.outputs[0];
  second.execution = 1;
  second.shape = {1};
  second.answers[0].expected = Tensor::OfIntegers(DType::kI32, {1}, {9});
  c.outputs.push_back(second);
  return c;
}

TEST_F(RunnerTest, GivesSymbolicProgramsToWhoeverDeclaresThem) {
  WriteSuite({SymbolicCase("symbolic/a"), CopyCase("copy/b", 3), SymbolicCase("symbolic/c")});
  options_.builtin = "native";
  EXPECT_EQ(Run()[CaseStatus::kOk], 3);
  EXPECT_EQ(ReadNpy(options_.out / "symbolic/a/y.npy", DType::kI32, {2})->Integers(),
            (std::vector<int64_t>{1, -1}));
  EXPECT_EQ(ReadNpy(options_.out / "symbolic/a/y.1.npy", DType::kI32, {1})->Integers(),
            (std::vector<int64_t>{9}));

  options_.builtin.clear();
  options_.adapter = "echo '{\"status\": \"unsupported\", \"message\": \"asked\"}' #";
  for (const bool worker : {false, true}) {
    options_.worker = worker;
    if (worker) {
      options_.adapter =
          "while read line; do printf '%s, \"status\": \"unsupported\", \"message\": "
          "\"asked\"}\\n' \"${line%%,*}\"; done #";
    }
    for (const bool symbolic : {false, true}) {
      fs::remove_all(options_.out);
      options_.symbolic = symbolic;
      EXPECT_EQ(Run()[CaseStatus::kUnsupported], 3) << worker << symbolic;
      EXPECT_EQ(Text("copy/b"), "asked");
      for (const char* id : {"symbolic/a", "symbolic/c"}) {
        EXPECT_THAT(Text(id), HasSubstr(symbolic ? "asked" : "does not declare"));
      }
      const Json run = *LoadJson(options_.out / "run.json", "run");
      EXPECT_EQ(run["options"].value("symbolic", false), symbolic);
    }
  }
}

}  // namespace
}  // namespace cts
