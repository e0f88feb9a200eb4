// Measures how fast the reference computes one operator on one core. Targets: 8e9 operations a
// second for dot products, 2 s for EXP of a million numbers, 2e8 bytes a second for elementwise
// integers.
#include <benchmark/benchmark.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reference/graph/graph.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Every bit of the elements is used; floats lie in [-16, 16].
Tensor RandomTensor(DType dtype, Shape shape, uint64_t seed) {
  Tensor tensor(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier for 64 bits
    const int64_t number = static_cast<int64_t>(seed) >> 16;
    if (IsFloat(dtype)) {
      tensor.SetFloat(i, static_cast<double>(number) * 0x1p-43);
    } else if (dtype == DType::kI32) {
      tensor.SetInteger(i, number >> 18);  // 30 bits: no sum of two overflows
    } else {
      tensor.SetInteger(i, number >> (48 - Info(dtype).bits));
    }
  }
  return tensor;
}

// A graph of one operator of tosa-1.0.
class Bench {
 public:
  explicit Bench(std::string op) { node_.op = std::move(op); }

  Bench& In(Tensor values) {
    const std::string name = "in" + std::to_string(node_.inputs.size());
    Add(name, values.dtype(), values.shape());
    values_[name] = std::make_shared<Tensor>(std::move(values));
    node_.inputs.push_back(name);
    return *this;
  }
  Bench& In(DType dtype, Shape shape) {
    return In(RandomTensor(dtype, std::move(shape), node_.inputs.size() + 1));
  }
  Bench& Zero(DType dtype) { return In(Tensor(dtype, {1})); }
  Bench& Set(const std::string& name, AttributeValue value) {
    node_.attributes[name] = std::move(value);
    return *this;
  }
  Bench& Out(DType dtype, Shape shape) {
    Add("out", dtype, std::move(shape));
    node_.outputs = {"out"};
    return *this;
  }

  void Run(benchmark::State& state, ComputationKind kind = ComputationKind::kReference) {
    const Edition& edition = **FindEdition(kDefaultEdition);
    const Call call(edition, *edition.FindOperator(node_.op), *edition.FindLevel("8K"),
                    graph_.main(), node_, values_);
    if (!call.fits()) return state.SkipWithError(call.violations().front().message.c_str());
    for (auto _ : state) {
      Computation computation(call, kind);
      FindOperator(node_.op)->compute(call, computation);
      if (!computation.broken().empty()) return state.SkipWithError("a REQUIRE does not hold");
      benchmark::DoNotOptimize(computation.outputs().at("output")->bytes().data());
    }
  }

 private:
  void Add(const std::string& name, DType dtype, Shape shape) {
    graph_.main().tensors.push_back({name, dtype, std::move(shape), nullptr});
  }

  Graph graph_ = EmptyGraph();
  GraphOperator node_;
  std::map<std::string, std::shared_ptr<const Tensor>> values_;
};

void CountOperations(benchmark::State& state, int64_t operations) {
  state.counters["operations"] =
      benchmark::Counter(static_cast<double>(operations * state.iterations()),
                         benchmark::Counter::kIsRate, benchmark::Counter::OneK::kIs1000);
}

void Conv2d(benchmark::State& state, DType in_t, DType out_t, ComputationKind kind) {
  Bench bench("CONV2D");
  bench.In(in_t, {1, 56, 56, 64}).In(in_t, {64, 3, 3, 64}).In(out_t, {64});
  bench.Zero(in_t).Zero(in_t).Out(out_t, {1, 56, 56, 64});
  bench.Set("pad", std::vector<int64_t>{1, 1, 1, 1}).Set("stride", std::vector<int64_t>{1, 1});
  bench.Set("dilation", std::vector<int64_t>{1, 1}).Set("local_bound", false);
  bench.Set("acc_type", IsFloat(in_t) ? "FP32" : "INT32").Run(state, kind);
  CountOperations(state, int64_t{2} * 56 * 56 * 64 * 3 * 3 * 64);
}
BENCHMARK_CAPTURE(Conv2d, fp32, DType::kFp32, DType::kFp32, ComputationKind::kReference);
BENCHMARK_CAPTURE(Conv2d, fp32_bound, DType::kFp32, DType::kFp32, ComputationKind::kBound);
BENCHMARK_CAPTURE(Conv2d, i8, DType::kI8, DType::kI32, ComputationKind::kReference);

void DepthwiseConv2d(benchmark::State& state) {
  Bench bench("DEPTHWISE_CONV2D");
  bench.In(DType::kFp32, {1, 56, 56, 64}).In(DType::kFp32, {3, 3, 64, 1}).In(DType::kFp32, {64});
  bench.Zero(DType::kFp32).Zero(DType::kFp32).Out(DType::kFp32, {1, 56, 56, 64});
  bench.Set("pad", std::vector<int64_t>{1, 1, 1, 1}).Set("stride", std::vector<int64_t>{1, 1});
  bench.Set("dilation", std::vector<int64_t>{1, 1}).Set("local_bound", false);
  bench.Set("acc_type", "FP32").Run(state);
  CountOperations(state, int64_t{2} * 56 * 56 * 64 * 3 * 3);
}
BENCHMARK(DepthwiseConv2d);

void Matmul(benchmark::State& state, DType in_t, DType out_t) {
  Bench bench("MATMUL");
  bench.In(in_t, {1, 512, 512}).In(in_t, {1, 512, 512}).Zero(in_t).Zero(in_t);
  bench.Out(out_t, {1, 512, 512}).Run(state);
  CountOperations(state, int64_t{2} * 512 * 512 * 512);
}
BENCHMARK_CAPTURE(Matmul, fp32, DType::kFp32, DType::kFp32);
BENCHMARK_CAPTURE(Matmul, i16, DType::kI16, DType::kI48);

constexpr int64_t kElements = int64_t{1} << 20;

void CountBytes(benchmark::State& state, int64_t bytes_an_element) {
  state.SetBytesProcessed(state.iterations() * kElements * bytes_an_element);
}

void Unary(benchmark::State& state, const char* op, DType type) {
  Bench bench(op);
  bench.In(type, {kElements}).Out(type, {kElements}).Run(state);
  CountBytes(state, 2 * StorageBytes(type));
}
BENCHMARK_CAPTURE(Unary, exp, "EXP", DType::kFp32)->Unit(benchmark::kMillisecond);

void Binary(benchmark::State& state, const char* op, DType type, bool broadcast) {
  Bench bench(op);
  bench.In(type, {kElements / 1024, 1024});
  bench.In(type, {broadcast ? 1 : kElements / 1024, 1024});
  if (IsInteger(type) && std::string(op) == "MAXIMUM") bench.Set("nan_mode", "PROPAGATE");
  bench.Out(type, {kElements / 1024, 1024}).Run(state);
  CountBytes(state, (broadcast ? 2 : 3) * StorageBytes(type));
}
BENCHMARK_CAPTURE(Binary, add_i32, "ADD", DType::kI32, false);
BENCHMARK_CAPTURE(Binary, add_i32_broadcast, "ADD", DType::kI32, true);
BENCHMARK_CAPTURE(Binary, add_fp32, "ADD", DType::kFp32, false);
BENCHMARK_CAPTURE(Binary, bitwise_and_i8, "BITWISE_AND", DType::kI8, false);
BENCHMARK_CAPTURE(Binary, bitwise_and_i8_broadcast, "BITWISE_AND", DType::kI8, true);

}  // namespace
}  // namespace cts
