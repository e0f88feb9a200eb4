// The cost of running besides the implementation: 10,000 trivial cases through one worker. Target:
// at most 200 microseconds a case beyond the worker's own time (overhead_us), in memory
// (CTS_BENCHMARK_DIR=/dev/shm). On a disk, files_us is the file system's part of that: a folder, a
// file and a rename for each case, and nothing else.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "reference/base/json.h"
#include "reference/bundle/case_testing.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// One copy, i8 {1}, for every case: another id only.
void WriteTrivialSuite(const fs::path& path, int cases) {
  Suite suite;
  suite.name = "trivial";
  suite.edition = "tosa-1.0";
  suite.level = "8K";
  suite.generator = "run_benchmark";
  const Tensor one = Tensor::OfIntegers(DType::kI8, {1}, {1});
  Case c = IdentityCase("", "input1", "output", one);
  c.outputs = {{"output", DType::kI8, {1}, ExactRule(), {{false, one, {}, {}}}}};
  for (int i = 0; i < cases; ++i) {
    c.id = StrCat("identity/i8-", 100000 + i);
    const std::vector<BundleFile> files = EncodeCase(c);
    for (const BundleFile& file : files) {
      const fs::path place = path / c.id / file.path;
      fs::create_directories(place.parent_path());
      std::ofstream(place) << file.bytes;
    }
    suite.cases.push_back({c.id, c.op, "valid", BundleDigest(files), {}});
  }
  suite.digest = SuiteDigest(suite.cases);
  if (!SaveJson(path / "suite.json", SuiteToJson(suite)).ok()) std::abort();
}

// Microseconds for each case to write one file into a folder and to rename the folder.
double FileSystemTime(const fs::path& root, int cases) {
  fs::create_directories(root / "to");
  const std::string bytes(200, ' ');
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < cases; ++i) {
    const fs::path place = root / std::to_string(i);
    fs::create_directory(place);
    std::ofstream(place / "result.json") << bytes;
    fs::rename(place, root / "to" / std::to_string(i));
  }
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
  fs::remove_all(root);
  return took.count() / cases;
}

// Arguments: the size of batches, 0 for a worker that announces none, and the number of cases.
void BM_TrivialCases(benchmark::State& state) {
  const char* const parent = std::getenv("CTS_BENCHMARK_DIR");
  std::string root =
      (parent != nullptr ? fs::path(parent) : fs::temp_directory_path()) / "run_benchmark-XXXXXX";
  if (mkdtemp(root.data()) == nullptr) std::abort();
  const auto cases = static_cast<int>(state.range(1));
  WriteTrivialSuite(fs::path(root) / "suite", cases);
  sync();  // what the disk still writes of the suite is not part of running it
  setenv("TRIVIAL_WORKER_TIME", (fs::path(root) / "time").c_str(), 1);
  RunOptions options;
  options.suite = fs::path(root) / "suite";
  options.out = fs::path(root) / "out";
  options.adapter = StrCat("'", CTS_TRIVIAL_WORKER, "'");
  if (state.range(0) > 0) options.adapter += StrCat(" --batch ", state.range(0));
  options.worker = true;
  options.jobs = 1;
  double total = 0, own = 0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const StatusOr<RunSummary> summary = RunSuite(options, nullptr);
    total += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    state.PauseTiming();
    if (!summary.ok() || (*summary)[CaseStatus::kOk] != cases)
      state.SkipWithError("not every case is ok");
    double busy = 0;
    std::ifstream(fs::path(root) / "time") >> busy;
    own += busy;
    fs::remove_all(options.out);
    state.ResumeTiming();
  }
  const double all = static_cast<double>(state.iterations()) * cases;
  state.counters["worker_us"] = own / all * 1e6;
  state.counters["overhead_us"] = (total - own) / all * 1e6;
  state.counters["files_us"] = FileSystemTime(fs::path(root) / "files", cases);
  fs::remove_all(root);
}
BENCHMARK(BM_TrivialCases)
    ->ArgNames({"batch", "cases"})
    ->Args({0, 200})
    ->Args({0, 10000})
    ->Args({64, 10000})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cts
