// Measures the machine, so that other figures have something to be compared with: fused
// multiply-adds in fp64 on one core, and the bandwidth of its memory.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstring>
#include <vector>

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/numeric/machine_benchmark.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Returns the number of operations. Ten independent sums hide the latency of one.
int64_t MultiplyAdd(int64_t steps, double* out) {
  const hn::ScalableTag<double> d;
  const auto x = hn::Set(d, out[0]), y = hn::Set(d, out[1]);
  auto s0 = x, s1 = x, s2 = x, s3 = x, s4 = x, s5 = x, s6 = x, s7 = x, s8 = x, s9 = x;
  for (int64_t i = 0; i < steps; ++i) {
    s0 = hn::MulAdd(s0, x, y), s1 = hn::MulAdd(s1, x, y), s2 = hn::MulAdd(s2, x, y);
    s3 = hn::MulAdd(s3, x, y), s4 = hn::MulAdd(s4, x, y), s5 = hn::MulAdd(s5, x, y);
    s6 = hn::MulAdd(s6, x, y), s7 = hn::MulAdd(s7, x, y), s8 = hn::MulAdd(s8, x, y);
    s9 = hn::MulAdd(s9, x, y);
  }
  const auto sum = hn::Add(hn::Add(hn::Add(s0, s1), hn::Add(s2, s3)),
                           hn::Add(hn::Add(hn::Add(s4, s5), hn::Add(s6, s7)), hn::Add(s8, s9)));
  out[2] = hn::GetLane(sum);
  return steps * 10 * 2 * static_cast<int64_t>(hn::Lanes(d));
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {
namespace {

HWY_EXPORT(MultiplyAdd);

void FmaPeak(benchmark::State& state) {
  double numbers[] = {0.5, 0.25, 0};
  int64_t operations = 0;
  for (auto _ : state) {
    operations += HWY_DYNAMIC_DISPATCH(MultiplyAdd)(1 << 16, numbers);
    benchmark::DoNotOptimize(numbers[2]);
  }
  state.counters["operations"] =
      benchmark::Counter(static_cast<double>(operations), benchmark::Counter::kIsRate);
}
BENCHMARK(FmaPeak);

constexpr size_t kBytes = size_t{256} << 20;  // more than a cache holds, on most machines

// Bytes read and written.
void CopyOfMemory(benchmark::State& state) {
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes);
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), kBytes);
    benchmark::DoNotOptimize(to.data());
  }
  state.SetBytesProcessed(state.iterations() * 2 * static_cast<int64_t>(kBytes));
}
BENCHMARK(CopyOfMemory)->Unit(benchmark::kMillisecond);

// The same into memory that the process gets for it, as a new tensor does.
void CopyIntoNewMemory(benchmark::State& state) {
  const std::vector<char> from(kBytes, 1);
  for (auto _ : state) {
    std::vector<char> to(from);
    benchmark::DoNotOptimize(to.data());
  }
  state.SetBytesProcessed(state.iterations() * 2 * static_cast<int64_t>(kBytes));
}
BENCHMARK(CopyIntoNewMemory)->Unit(benchmark::kMillisecond);

void ReadOfMemory(benchmark::State& state) {
  const std::vector<uint64_t> from(kBytes / sizeof(uint64_t), 1);
  for (auto _ : state) {
    uint64_t sum = 0;
    for (const uint64_t x : from) sum += x;
    benchmark::DoNotOptimize(sum);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(kBytes));
}
BENCHMARK(ReadOfMemory)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cts
#endif
