// Measures how fast suites are made. Targets: certify for PRO-INT and PRO-FP below 25 s on two
// cores, and at most four times as long as a program takes that only writes the same files; as many
// cases a second for 20,000 cases as for 1,000; with two threads 1.7 times those of one.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "generator/generate.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// An empty directory that is removed in the end. It lies in CTS_BENCHMARK_DIR; without that
// variable, among temporary files.
class Directory {
 public:
  Directory() {
    const char* parent = std::getenv("CTS_BENCHMARK_DIR");
    std::string pattern =
        (parent ? fs::path(parent) : fs::temp_directory_path()) / "generate_benchmark-XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  Directory(const Directory&) = delete;
  ~Directory() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

Recipe Certify() {
  Recipe recipe = *FindRecipe("certify");
  recipe.profiles = {"PRO-INT", "PRO-FP"};
  return recipe;
}

size_t Make(const Recipe& recipe, int jobs, const fs::path& out, benchmark::State& state) {
  GenerateOptions options;
  options.recipe = recipe;
  options.jobs = jobs;
  options.out = out;
  const auto suite = Generate(options);
  if (suite.ok()) return suite->cases.size();
  state.SkipWithError(Message(suite.status()).c_str());
  return 0;
}

double PeakMegabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void BM_Certify(benchmark::State& state) {
  const Directory directory;
  size_t cases = 0;
  for (auto _ : state) {
    cases = Make(Certify(), static_cast<int>(state.range(0)), directory.path() / "suite", state);
  }
  state.counters["cases"] = static_cast<double>(cases);
  state.counters["peak_MB"] = PeakMegabytes();
}
BENCHMARK(BM_Certify)->Arg(2)->Arg(1)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

// The same files out of memory, one after the other.
void BM_WriteTheSameFiles(benchmark::State& state) {
  const Directory directory;
  Make(Certify(), 2, directory.path() / "suite", state);
  std::vector<fs::path> folders;
  std::vector<std::pair<fs::path, std::string>> files;
  double bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory.path() / "suite")) {
    const fs::path path = entry.path().lexically_relative(directory.path() / "suite");
    if (entry.is_directory()) {
      folders.push_back(path);
    } else {
      std::ifstream file(entry.path(), std::ios::binary);
      files.emplace_back(path, std::string(std::istreambuf_iterator<char>(file), {}));
      bytes += static_cast<double>(files.back().second.size());
    }
  }
  fs::remove_all(directory.path() / "suite");
  const fs::path copy = directory.path() / "copy";
  for (auto _ : state) {
    fs::create_directory(copy);
    for (const fs::path& folder : folders) fs::create_directory(copy / folder);
    for (const auto& [path, text] : files) {
      std::FILE* file = std::fopen((copy / path).c_str(), "wb");
      if (file == nullptr || std::fwrite(text.data(), 1, text.size(), file) != text.size()) {
        state.SkipWithError("cannot write");
      }
      if (file != nullptr) std::fclose(file);
    }
  }
  state.counters["files"] = static_cast<double>(files.size());
  state.counters["MB"] = bytes / 1e6;
}
BENCHMARK(BM_WriteTheSameFiles)->Iterations(1)->UseRealTime()->Unit(benchmark::kSecond);

// Random choices, as many for every type row: the mixture of cases is the same whatever their
// number.
void BM_Growth(benchmark::State& state) {
  Recipe recipe = *FindRecipe("random");
  recipe.valid_cases = false;
  recipe.mutants = 0;
  recipe.samples = static_cast<int>(state.range(0));
  size_t cases = 0;
  for (auto _ : state) {
    const Directory directory;
    cases += Make(recipe, static_cast<int>(state.range(1)), directory.path() / "suite", state);
  }
  state.counters["cases"] = static_cast<double>(cases) / static_cast<double>(state.iterations());
  state.counters["cases/s"] =
      benchmark::Counter(static_cast<double>(cases), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Growth)
    ->ArgNames({"samples", "jobs"})
    ->Args({3, 2})
    ->Args({12, 2})
    ->Args({52, 2})
    ->Args({12, 1})
    ->UseRealTime()
    ->Unit(benchmark::kSecond);

}  // namespace
}  // namespace cts
