// The time that export takes: a suite of 10,000 cases as .tosa files, inputs included. Target:
// below 10 s on two cores, in memory (CTS_BENCHMARK_DIR=/dev/shm).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "generator/generate.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "tools/program/exchange/export.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// Real cases of CONV2D and RESCALE, each under many ids.
void WriteSuite(const fs::path& path, size_t cases) {
  GenerateOptions generate;
  generate.recipe = *FindRecipe("smoke");
  generate.recipe.operators = {"CONV2D", "RESCALE"};
  std::vector<Case> originals(PlanCases(generate.recipe)->size());
  const Status made = ForEachCase(generate, [&](size_t i, const Case& c) {
    originals[i] = c;
    return absl::OkStatus();
  });
  if (!made.ok()) std::abort();
  Suite suite;
  suite.name = "export_benchmark";
  suite.edition = "tosa-1.0";
  suite.level = "8K";
  suite.generator = "export_benchmark";
  for (size_t i = 0; i < cases; ++i) {
    Case& c = originals[i % originals.size()];
    c.id = StrCat("copy/", 100000 + i);
    const std::vector<BundleFile> files = EncodeCase(c);
    for (const BundleFile& file : files) {
      if (!WriteFile(path / c.id / file.path, file.bytes).ok()) std::abort();
    }
    suite.cases.push_back({c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}});
  }
  suite.digest = SuiteDigest(suite.cases);
  if (!SaveJson(path / "suite.json", SuiteToJson(suite)).ok()) std::abort();
}

void BM_ExportTosa(benchmark::State& state) {
  const char* const where = std::getenv("CTS_BENCHMARK_DIR");
  std::string root =
      ((where == nullptr ? fs::temp_directory_path() : fs::path(where)) / "export-XXXXXX").string();
  if (mkdtemp(root.data()) == nullptr) return state.SkipWithError("no temporary directory");
  const fs::path suite = fs::path(root) / "suite", out = fs::path(root) / "out";
  WriteSuite(suite, static_cast<size_t>(state.range(0)));
  ExportOptions options{.suite = suite, .out = out, .format = "tosa"};
  std::error_code ignored;
  for (auto _ : state) {
    const auto summary = ExportSuite(options);
    if (!summary.ok()) state.SkipWithError(Message(summary.status()).c_str());
    state.PauseTiming();
    fs::remove_all(out, ignored);
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
  fs::remove_all(root, ignored);
}
BENCHMARK(BM_ExportTosa)
    ->ArgName("cases")
    ->Arg(200)
    ->Arg(10000)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace cts
