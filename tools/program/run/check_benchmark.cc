// Measures how long checking a suite takes, against finding the same files and reading them into
// memory with as many threads; times_known_files leaves out finding them. Targets for the recipe
// certify with PRO-INT and PRO-FP (CTS_BENCHMARK_RECIPE=certify): at most 2 times reading, below
// 300 MB. As a test it takes a small suite.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "generator/generate.h"
#include "reference/base/file.h"
#include "reference/base/parallel_for.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

const char* Environment(const char* name, const char* otherwise) {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

// A suite and the results of the embedded implementation. They lie in CTS_BENCHMARK_DIR, which
// keeps them for the next time, or in a directory that is removed.
class Prepared {
 public:
  Prepared() {
    const std::string kept = Environment("CTS_BENCHMARK_DIR", "");
    root_ = kept;
    if (kept.empty()) {
      std::string name =
          (fs::path(Environment("TEST_TMPDIR", "/tmp")) / "check_benchmark-XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr) return;
      root_ = temporary_ = name;
    }
    status_ = Make();
  }
  ~Prepared() {
    std::error_code ignored;
    if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  }
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;

  const Status& status() const { return status_; }
  fs::path suite() const { return root_ / "suite"; }
  fs::path results() const { return root_ / "results"; }

 private:
  Status Make() {
    if (fs::exists(results() / "run.json")) return absl::OkStatus();
    const std::string name = Environment("CTS_BENCHMARK_RECIPE", "smoke");
    GenerateOptions generate;
    CTS_ASSIGN_OR_RETURN(generate.recipe, FindRecipe(name));
    if (name == "certify") generate.recipe.profiles = {"PRO-INT", "PRO-FP"};
    generate.out = suite();
    CTS_RETURN_IF_ERROR(Generate(generate).status());
    RunOptions run;
    run.suite = suite();
    run.out = results();
    run.builtin = "native";
    return RunSuite(run, [](int, int, const RunSummary&) {}).status();
  }

  fs::path root_, temporary_;
  Status status_ = Unavailable("no temporary directory");
};

const Prepared& Files() {
  static const Prepared prepared;
  return prepared;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Reading {
  double seconds = 0;
  double finding = 0;  // of these, what one thread needed to find the files
};

// Reads all files of both directories with `jobs` threads.
Reading Read(const Prepared& files, int64_t jobs, benchmark::State& state) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> paths;
  for (const fs::path& root : {files.suite(), files.results()}) {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root)) {
      if (entry.is_regular_file()) paths.push_back(entry.path().string());
    }
  }
  std::atomic<uint64_t> bytes{0};
  const double finding = SecondsSince(start);
  const Status read = ParallelFor(paths.size(), {.jobs = static_cast<int>(jobs)}, [&](size_t i) {
    bytes += ReadFile(paths[i]).value_or("").size();
    return absl::OkStatus();
  });
  if (!read.ok()) state.SkipWithError(Message(read).c_str());
  const double seconds = SecondsSince(start);
  state.counters["files"] = static_cast<double>(paths.size());
  state.counters["megabytes"] = static_cast<double>(bytes.load()) * 1e-6;
  return {seconds, finding};
}

void Check(benchmark::State& state) {
  const Prepared& files = Files();
  if (!files.status().ok()) return state.SkipWithError(Message(files.status()).c_str());
  double checking = 0;
  Reading reading;
  for (auto _ : state) {
    // Reading first warms the cache.
    const Reading read = Read(files, state.range(0), state);
    reading.seconds += read.seconds;
    reading.finding += read.finding;
    const auto start = std::chrono::steady_clock::now();
    const StatusOr<Report> report = CheckSuite({.suite = files.suite(),
                                                .results = files.results(),
                                                .jobs = static_cast<int>(state.range(0))});
    const double seconds = SecondsSince(start);
    checking += seconds;
    state.SetIterationTime(seconds);
    if (!report.ok()) return state.SkipWithError(Message(report.status()).c_str());
    if (!Conformant(*report)) return state.SkipWithError("a case failed");
    state.counters["cases"] = static_cast<double>(report->cases.size());
    state.counters["cases/s"] = static_cast<double>(report->cases.size()) / seconds;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["times_reading"] = checking / reading.seconds;
  state.counters["times_known_files"] = checking / (reading.seconds - reading.finding);
  state.counters["peak_megabytes"] = static_cast<double>(usage.ru_maxrss) * 1024e-6;
}
BENCHMARK(Check)->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cts
