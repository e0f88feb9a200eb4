// The cost of judging a byte of results: one right tensor of 2^20 elements, as an implementation
// that rounds to nearest returns it.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "checker/rules/match.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

constexpr int64_t kElements = 1 << 20;

struct Judged {
  ExpectedOutput output;
  Answer answer{false, Tensor(DType::kBool, {1}), {}, {}};
  Tensor result{DType::kBool, {1}};
};

Judged Make(RuleKind kind, DType dtype) {
  Judged judged;
  ExpectedOutput& output = judged.output;
  output = {.name = "out", .dtype = dtype, .shape = {kElements}};
  output.rule = {.kind = kind, .form = "tosa-1.0", .ulp = 1, .absolute_limit = 8};
  judged.result = Tensor(dtype, output.shape);
  std::mt19937_64 random(1);
  if (!IsFloat(dtype)) {
    judged.answer.expected = Tensor(dtype, output.shape);
    for (int64_t i = 0; i < kElements; ++i) {
      const int64_t value = static_cast<int64_t>(random()) >> (65 - Info(dtype).bits);
      judged.answer.expected.SetInteger(i, value);
      judged.result.SetInteger(i, value);
    }
    if (kind == RuleKind::kInterval) judged.answer.upper = judged.answer.expected;
    return judged;
  }
  judged.answer.expected = Tensor(DType::kFp64, output.shape);
  Tensor second(DType::kFp64, output.shape);
  for (int64_t i = 0; i < kElements; ++i) {
    double value = static_cast<double>(static_cast<int64_t>(random())) * 0x1p-60;
    if (kind == RuleKind::kExact) value = RoundTo(dtype, value);
    judged.result.SetElement(i, value);
    const bool interval = kind == RuleKind::kInterval;
    judged.answer.expected.SetElement(i, interval ? value - std::fabs(value) / 8 : value);
    second.SetElement(i, interval ? value + std::fabs(value) / 8 : std::fabs(value) / 8 + 1);
  }
  (kind == RuleKind::kInterval ? judged.answer.upper : judged.answer.bound) = second;
  return judged;
}

void BM_Judge(benchmark::State& state, RuleKind kind, DType dtype) {
  const Judged judged = Make(kind, dtype);
  for (auto _ : state) {
    TensorErrors errors = MeasureTensor(judged.output, judged.answer, judged.result);
    if (!errors.accepted) state.SkipWithError("refused");
    benchmark::DoNotOptimize(errors.worst_ulp);
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(judged.result.bytes().size()));
}

BENCHMARK_CAPTURE(BM_Judge, exact_i8, RuleKind::kExact, DType::kI8);
BENCHMARK_CAPTURE(BM_Judge, exact_i32, RuleKind::kExact, DType::kI32);
BENCHMARK_CAPTURE(BM_Judge, exact_fp16, RuleKind::kExact, DType::kFp16);
BENCHMARK_CAPTURE(BM_Judge, exact_fp32, RuleKind::kExact, DType::kFp32);
BENCHMARK_CAPTURE(BM_Judge, ulp_fp8e4m3, RuleKind::kUlp, DType::kFp8E4M3);
BENCHMARK_CAPTURE(BM_Judge, ulp_fp16, RuleKind::kUlp, DType::kFp16);
BENCHMARK_CAPTURE(BM_Judge, ulp_bf16, RuleKind::kUlp, DType::kBf16);
BENCHMARK_CAPTURE(BM_Judge, ulp_fp32, RuleKind::kUlp, DType::kFp32);
BENCHMARK_CAPTURE(BM_Judge, absolute_bound_fp16, RuleKind::kAbsoluteBound, DType::kFp16);
BENCHMARK_CAPTURE(BM_Judge, absolute_bound_fp32, RuleKind::kAbsoluteBound, DType::kFp32);
BENCHMARK_CAPTURE(BM_Judge, interval_i8, RuleKind::kInterval, DType::kI8);
BENCHMARK_CAPTURE(BM_Judge, interval_i32, RuleKind::kInterval, DType::kI32);
BENCHMARK_CAPTURE(BM_Judge, interval_fp32, RuleKind::kInterval, DType::kFp32);
BENCHMARK_CAPTURE(BM_Judge, dot_product_fp16, RuleKind::kDotProduct, DType::kFp16);
BENCHMARK_CAPTURE(BM_Judge, dot_product_fp32, RuleKind::kDotProduct, DType::kFp32);

}  // namespace
}  // namespace cts
