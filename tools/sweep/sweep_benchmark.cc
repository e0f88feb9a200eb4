// The cost of a sweep: judging blocks of right results by the filter, and by the reference alone.
#include <benchmark/benchmark.h>

#include "tools/sweep/sweep_judge.h"

namespace cts {
namespace {

void Judge(benchmark::State& state, const char* op, const char* type, uint64_t first, bool filter) {
  const StatusOr<SweepDomain> domain = SweepDomain::Of({op, type, "", "tosa-1.0", {}});
  if (!domain.ok()) return state.SkipWithError(Message(domain.status()).c_str());
  const int64_t count = domain->operands() > 1 ? 0x7c00 : filter ? kSweepBlock : 1024;
  const std::vector<Tensor> operands = domain->Operands(first, count);
  const StatusOr<ExpectedOutput> expected = domain->Expect(operands);
  if (!expected.ok()) return state.SkipWithError(Message(expected.status()).c_str());
  Tensor result(domain->type(), {count});
  for (int64_t i = 0; i < count; ++i) result.SetFloat(i, expected->answers[0].expected.Float(i));
  SweepJudge judge(*domain);
  if (!filter) judge.DropFilter();
  for (auto _ : state) {
    SweepTotals totals;
    if (!judge.Judge(first, operands, result, 0, &totals).ok() || totals.rejected > 0) {
      return state.SkipWithError("a right result was refused");
    }
  }
  state.SetItemsProcessed(state.iterations() * count);
}

constexpr uint64_t kOne = 0x3f80'0000, kSubnormal = 0x0020'0000, kPairs = 0x3c00'8000;

BENCHMARK_CAPTURE(Judge, abs_bits, "ABS", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, abs_reference, "ABS", "fp32", kOne, false);
BENCHMARK_CAPTURE(Judge, cos_filter, "COS", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, erf_filter, "ERF", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, exp_filter, "EXP", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, exp_filter_subnormal, "EXP", "fp32", kSubnormal, true);
BENCHMARK_CAPTURE(Judge, exp_reference, "EXP", "fp32", kOne, false);
BENCHMARK_CAPTURE(Judge, log_filter, "LOG", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, pow_filter, "POW", "fp16", kPairs, true);
BENCHMARK_CAPTURE(Judge, rsqrt_filter, "RSQRT", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, tanh_filter, "TANH", "fp32", kOne, true);
BENCHMARK_CAPTURE(Judge, tanh_reference, "TANH", "fp32", kOne, false);
BENCHMARK_CAPTURE(Judge, add_reference, "ADD", "fp16", kPairs, false);

}  // namespace
}  // namespace cts
