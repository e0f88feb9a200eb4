// Measures how fast the reference computes one operator on one core. Targets: 8e9 operations a
// second for dot products, 4e9 for depthwise convolutions, three times the plain loop's for
// transforms, 2 s for EXP of a million numbers, 2e8 bytes a second for elementwise integers, 2e9
// for data movement.
#include <benchmark/benchmark.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstring>
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
      tensor.SetElement(i, static_cast<double>(number) * 0x1p-43);
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
    const std::string name = "out" + std::to_string(node_.outputs.size());
    Add(name, dtype, std::move(shape));
    node_.outputs.push_back(name);
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
      benchmark::DoNotOptimize(computation.outputs().begin()->second->bytes().data());
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

// An operation is a complex product and its sum, or half of one.
void Transform(benchmark::State& state, const char* op, ComputationKind kind) {
  const int64_t height = state.range(0), width = state.range(1);
  const bool complex = std::string(op) == "FFT2D";
  const Shape in = {1, height, width}, out = {1, height, complex ? width : width / 2 + 1};
  Bench bench(op);
  bench.In(DType::kFp32, in);
  if (complex) bench.In(DType::kFp32, in).Set("inverse", false);
  bench.Out(DType::kFp32, out).Out(DType::kFp32, out).Run(state, kind);
  CountOperations(state, height * width * out[1] * out[2]);
}
void TransformSizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->Args({128, 128})->Args({256, 256})->Args({1, 8192})->Unit(benchmark::kMillisecond);
}
BENCHMARK_CAPTURE(Transform, fft2d, "FFT2D", ComputationKind::kReference)->Apply(TransformSizes);
BENCHMARK_CAPTURE(Transform, fft2d_bound, "FFT2D", ComputationKind::kBound)->Apply(TransformSizes);
BENCHMARK_CAPTURE(Transform, rfft2d, "RFFT2D", ComputationKind::kReference)->Apply(TransformSizes);

// The same sums as FFT2D's, as one would write them.
void PlainTransform(benchmark::State& state) {
  const int64_t height = state.range(0), width = state.range(1), parts = std::max(height, width);
  const Tensor re = RandomTensor(DType::kFp64, {height, width}, 1);
  const Tensor im = RandomTensor(DType::kFp64, {height, width}, 2);
  const std::vector<double> real = re.Elements(), imag = im.Elements();
  std::vector<double> cosines, sines, out_real(real.size()), out_imag(real.size());
  for (int64_t k = 0; k < 2 * parts; ++k) {
    const double turns = static_cast<double>(k) / static_cast<double>(parts);
    cosines.push_back(std::cos(2 * M_PI * turns));
    sines.push_back(std::sin(2 * M_PI * turns));
  }
  for (auto _ : state) {
    for (int64_t oy = 0; oy < height; ++oy) {
      for (int64_t ox = 0; ox < width; ++ox) {
        double sum_real = 0, sum_imag = 0;
        for (int64_t iy = 0, i = 0; iy < height; ++iy) {
          const int64_t ay = (iy * oy & (height - 1)) * (parts / height);
          for (int64_t ix = 0; ix < width; ++ix, ++i) {
            const int64_t angle = ay + (ix * ox & (width - 1)) * (parts / width);
            sum_real += real[i] * cosines[angle] + imag[i] * sines[angle];
            sum_imag += imag[i] * cosines[angle] - real[i] * sines[angle];
          }
        }
        out_real[oy * width + ox] = sum_real;
        out_imag[oy * width + ox] = sum_imag;
      }
    }
    benchmark::DoNotOptimize(out_real.data());
    benchmark::DoNotOptimize(out_imag.data());
  }
  CountOperations(state, height * width * height * width);
}
BENCHMARK(PlainTransform)->Apply(TransformSizes);

constexpr int64_t kElements = int64_t{1} << 20;

void CountBytes(benchmark::State& state, int64_t bytes_an_element) {
  state.SetBytesProcessed(state.iterations() * kElements * bytes_an_element);
}

void Unary(benchmark::State& state, const char* op, DType type) {
  Bench bench(op);
  bench.In(type, {kElements}).Out(type, {kElements}).Run(state);
  CountBytes(state, 2 * StorageBytes(type));
  state.SetItemsProcessed(state.iterations() * kElements);
}
BENCHMARK_CAPTURE(Unary, exp, "EXP", DType::kFp32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Unary, sin, "SIN", DType::kFp32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Unary, cos, "COS", DType::kFp32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Unary, tanh, "TANH", DType::kFp32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Unary, erf, "ERF", DType::kFp32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Unary, sigmoid, "SIGMOID", DType::kFp32)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Unary, rsqrt, "RSQRT", DType::kFp32)->Unit(benchmark::kMillisecond);

// On positive operands: LOG of one, POW of two.
void OfPositive(benchmark::State& state, const char* op) {
  Bench bench(op);
  Tensor values = RandomTensor(DType::kFp32, {kElements}, 1);
  for (int64_t i = 0; i < kElements; ++i)
    values.SetElement(i, std::fabs(values.Element(i)) + 0x1p-9);
  bench.In(std::move(values));
  if (std::string(op) == "POW") bench.In(DType::kFp32, {kElements});
  bench.Out(DType::kFp32, {kElements}).Run(state);
  state.SetItemsProcessed(state.iterations() * kElements);
}
BENCHMARK_CAPTURE(OfPositive, log, "LOG")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(OfPositive, pow, "POW")->Unit(benchmark::kMillisecond);

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

// Data movement, in bytes read and written; floating-point outputs are fp64. memcpy beside it.
//
// Freed memory is kept, so that what is measured is not how fast the system clears new memory
// (machine_benchmark: CopyIntoNewMemory).
#ifdef __GLIBC__
const bool kKeepsMemory =
    mallopt(M_MMAP_THRESHOLD, 1 << 30) != 0 && mallopt(M_TRIM_THRESHOLD, 1 << 30) != 0;
#endif

void Copy(benchmark::State& state) {
  const Tensor from = RandomTensor(DType::kI32, {16 * kElements}, 1);
  Tensor to(DType::kI32, from.shape());
  for (auto _ : state) {
    std::memcpy(to.bytes().data(), from.bytes().data(), from.bytes().size());
    benchmark::DoNotOptimize(to.bytes().data());
  }
  state.SetBytesProcessed(state.iterations() * 2 * static_cast<int64_t>(from.bytes().size()));
}
BENCHMARK(Copy)->Unit(benchmark::kMillisecond);

using List = std::vector<int64_t>;

void CountMoved(benchmark::State& state, DType type, int64_t in, int64_t out) {
  state.SetBytesProcessed(state.iterations() * (in * StorageBytes(type) +
                                                out * (IsFloat(type) ? 8 : StorageBytes(type))));
}

// An image of 16 Mi elements in NHWC.
constexpr int64_t kImage = 16 * kElements;
const Shape kImageShape = {1, 512, 512, 64};

Tensor ShapeTensor(const List& values) {
  return Tensor::OfIntegers(DType::kShape, {static_cast<int64_t>(values.size())}, values);
}

void Identity(benchmark::State& state, DType type) {
  Bench("IDENTITY").In(type, kImageShape).Out(type, kImageShape).Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Reshape(benchmark::State& state, DType type) {
  Bench bench("RESHAPE");
  bench.In(type, kImageShape).In(ShapeTensor({512, 512 * 64})).Out(type, {512, 512 * 64});
  bench.Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Transpose(benchmark::State& state, DType type) {
  Bench bench("TRANSPOSE");
  bench.In(type, kImageShape).Set("perms", List{0, 3, 1, 2}).Out(type, {1, 64, 512, 512});
  bench.Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Reverse(benchmark::State& state, DType type) {
  Bench("REVERSE").In(type, kImageShape).Set("axis", int64_t{3}).Out(type, kImageShape).Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Slice(benchmark::State& state, DType type) {
  Bench bench("SLICE");
  bench.In(type, kImageShape).In(ShapeTensor({0, 1, 1, 1})).In(ShapeTensor({1, 510, 510, 62}));
  bench.Out(type, {1, 510, 510, 62}).Run(state);
  CountMoved(state, type, 510 * 510 * 62, 510 * 510 * 62);
}
void Tile(benchmark::State& state, DType type) {
  Bench bench("TILE");
  bench.In(type, {1, 256, 256, 64}).In(ShapeTensor({1, 2, 2, 1})).Out(type, kImageShape);
  bench.Run(state);
  CountMoved(state, type, kImage / 4, kImage);
}
void Concat(benchmark::State& state, DType type) {
  Bench bench("CONCAT");
  bench.In(type, {1, 512, 512, 32}).In(type, {1, 512, 512, 32}).Set("axis", int64_t{3});
  bench.Out(type, kImageShape).Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Pad(benchmark::State& state, DType type) {
  Bench bench("PAD");
  bench.In(type, {1, 510, 510, 64}).In(ShapeTensor({0, 0, 1, 1, 1, 1, 0, 0})).In(type, {1});
  bench.Out(type, kImageShape).Run(state);
  CountMoved(state, type, 510 * 510 * 64, kImage);
}
Tensor Rows(int64_t count, int64_t rows) {
  Tensor indices(DType::kI32, {1, count});
  for (int64_t i = 0; i < count; ++i) indices.SetInteger(i, i * 40503 % rows);  // odd: no repeat
  return indices;
}
void Gather(benchmark::State& state, DType type) {
  const int64_t rows = 1 << 18;
  Bench("GATHER").In(type, {1, rows, 64}).In(Rows(rows, rows)).Out(type, {1, rows, 64}).Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Scatter(benchmark::State& state, DType type) {
  const int64_t rows = 1 << 18;
  Bench bench("SCATTER");
  bench.In(type, {1, rows, 64}).In(Rows(rows / 2, rows)).In(type, {1, rows / 2, 64});
  bench.Out(type, {1, rows, 64}).Run(state);
  CountMoved(state, type, kImage, kImage);
}
void Resize(benchmark::State& state, DType type, DType out, const char* mode) {
  Bench bench("RESIZE");
  bench.In(type, {1, 256, 256, 64}).In(ShapeTensor({4, 2, 4, 2}));
  bench.In(ShapeTensor({-1, -1})).In(ShapeTensor({1, 1})).Set("mode", mode);
  bench.Out(out, kImageShape).Run(state);
  CountMoved(state, out, kImage / 4, kImage);
}
#define CTS_MOVES(Function)                                                       \
  BENCHMARK_CAPTURE(Function, fp32, DType::kFp32)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(Function, fp16, DType::kFp16)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(Function, i8, DType::kI8)->Unit(benchmark::kMillisecond)
CTS_MOVES(Identity);
CTS_MOVES(Reshape);
CTS_MOVES(Transpose);
CTS_MOVES(Reverse);
CTS_MOVES(Slice);
CTS_MOVES(Tile);
CTS_MOVES(Concat);
CTS_MOVES(Pad);
CTS_MOVES(Gather);
CTS_MOVES(Scatter);
BENCHMARK_CAPTURE(Resize, fp32, DType::kFp32, DType::kFp32, "BILINEAR")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Resize, fp32_nearest, DType::kFp32, DType::kFp32, "NEAREST_NEIGHBOR")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(Resize, i8, DType::kI8, DType::kI32, "BILINEAR")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cts
