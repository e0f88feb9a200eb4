// The cost of a sweep: judging blocks of right results by the filter, and by the reference alone;
// whole sweeps with a plugin that costs next to nothing; the loops that compute the same.
#include <benchmark/benchmark.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <string>

#include "reference/base/parallel_for.h"
#include "tools/program/sweep/consecutive.h"
#include "tools/program/sweep/exact_compare.h"
#include "tools/program/sweep/sweep.h"
#include "tools/program/sweep/sweep_host.h"
#include "tools/program/sweep/sweep_judge.h"
#include "tools/program/sweep/unwritten.h"

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
  for (int64_t i = 0; i < count; ++i) {
    const Tensor& answers = expected->answers[0].expected;
    IsFloat(domain->type()) ? result.SetElement(i, answers.Element(i))
                            : result.SetInteger(i, answers.Integer(i));
  }
  SweepJudge judge(*domain);
  if (!filter) judge.DropFilter();
  // After the first blocks of sums every example is a tie.
  const double least_worst = domain->operands() > 1 ? 0.5 : 0;
  const SweepResults results(result.bytes().data(), count, StorageBytes(result.dtype()));
  for (auto _ : state) {
    SweepTotals totals;
    if (!judge.Judge(first, results, {least_worst, 0}, &totals).ok() || totals.rejected > 0) {
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
BENCHMARK_CAPTURE(Judge, add_filter, "ADD", "fp16", kPairs, true);
BENCHMARK_CAPTURE(Judge, mul_filter, "MUL", "fp16", kPairs, true);
BENCHMARK_CAPTURE(Judge, bitwise_and_reference, "BITWISE_AND", "i16", kPairs, false);
BENCHMARK_CAPTURE(Judge, add_filter_bf16, "ADD", "bf16", kPairs, true);

// The processor's seconds of this process and of those that it has waited for.
double Seconds() {
  double seconds = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage = {};
    getrusage(who, &usage);
    for (const timeval& time : {usage.ru_utime, usage.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

constexpr uint64_t kInputs = uint64_t{1} << 26, kFirst = kOne - kInputs / 2;

// Memory as a file that other processes can open.
class MemoryFile {
 public:
  MemoryFile() : fd_(memfd_create("answers", MFD_CLOEXEC)) {}
  ~MemoryFile() { close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  std::string path() const { return StrCat("/proc/", getpid(), "/fd/", fd_); }
  bool Write(const void* bytes, size_t size) const {
    return write(fd_, bytes, size) == static_cast<ssize_t>(size);
  }

 private:
  int fd_;
};

// The right answers of a sweep, as answers_plugin reads them.
Status WriteAnswers(const SweepDomain& domain, const MemoryFile& file) {
  bool written = file.Write(&kFirst, sizeof(kFirst));
  for (uint64_t first = kFirst; first < kFirst + kInputs + 2 * kSweepBlock; first += kSweepBlock) {
    CTS_ASSIGN_OR_RETURN(const ExpectedOutput expected,
                         domain.Expect(domain.Operands(first, kSweepBlock)));
    const Tensor& answers = expected.answers[0].expected;
    Tensor result(domain.type(), {kSweepBlock});
    for (int64_t i = 0; i < kSweepBlock; ++i) {
      if (IsFloat(domain.type())) {
        result.SetElement(i, answers.Element(i));
      } else {
        result.SetInteger(i, answers.Integer(i));
      }
    }
    written = written && file.Write(result.bytes().data(), result.bytes().size());
  }
  return written ? absl::OkStatus() : Unavailable("no memory for answers");
}

// Whole sweeps, in seconds of the processor: items a second are those of one core. The plugin
// computes what is as fast as memory, and has the answers to other questions.
void Sweep(benchmark::State& state, const SweepQuestion& question) {
  const StatusOr<SweepDomain> domain = SweepDomain::Of(question);
  if (!domain.ok()) return state.SkipWithError(Message(domain.status()).c_str());
  const MemoryFile answers;
  const std::string_view op = question.op;
  const bool computed =
      question.type == "fp32" && (op == "ABS" || op == "NEGATE" || op == "RECIPROCAL");
  if (!computed) {
    if (const Status written = WriteAnswers(*domain, answers); !written.ok()) {
      return state.SkipWithError(Message(written).c_str());
    }
  }
  computed ? unsetenv("SWEEP_ANSWERS") : setenv("SWEEP_ANSWERS", answers.path().c_str(), 1);
  SweepOptions options;
  options.question = question;
  options.plugin = CTS_ANSWERS_PLUGIN;
  options.executable = CTS_EXECUTABLE;
  // Less the start of the programs, which is little of a sweep of 2^32 inputs; where there is no
  // file of answers, of more inputs, which are normal numbers.
  const uint64_t all = computed ? 4 * kInputs : kInputs;
  const uint64_t first = kOne - all / 2;
  const auto seconds = [&](uint64_t inputs) {
    options.range = SweepRange{first, first + inputs - 1};
    const double before = Seconds();
    const StatusOr<SweepSummary> summary = RunSweep(options, [](uint64_t, uint64_t) {});
    if (!summary.ok()) state.SkipWithError(Message(summary.status()).c_str());
    if (summary.ok() && summary->report.totals.accepted != inputs) {
      state.SkipWithError("a right result was refused");
    }
    return Seconds() - before;
  };
  for (auto _ : state) {
    const double start = seconds(2 * kSweepBlock);
    state.SetIterationTime(seconds(all + 2 * kSweepBlock) - start);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(all));
}

#define CTS_SWEEP(name, ...)                                 \
  BENCHMARK_CAPTURE(Sweep, name, SweepQuestion{__VA_ARGS__}) \
      ->UseManualTime()                                      \
      ->Unit(benchmark::kMillisecond)
CTS_SWEEP(abs, "ABS", "fp32");
CTS_SWEEP(ceil, "CEIL", "fp32");
CTS_SWEEP(floor, "FLOOR", "fp32");
CTS_SWEEP(negate, "NEGATE", "fp32");
CTS_SWEEP(clamp, "CLAMP", "fp32", "", std::string(kDefaultEdition),
          {{"min_val", "-1.5"}, {"max_val", "1"}, {"nan_mode", "PROPAGATE"}});
CTS_SWEEP(cast_fp16, "CAST", "fp16", "fp32");
CTS_SWEEP(cast_bf16, "CAST", "bf16", "fp32");
CTS_SWEEP(cast_i8, "CAST", "i8", "fp32");
CTS_SWEEP(cast_i32, "CAST", "i32", "fp32");
CTS_SWEEP(cast_from_i32, "CAST", "fp32", "i32");
CTS_SWEEP(abs_i32, "ABS", "i32");
CTS_SWEEP(bitwise_not, "BITWISE_NOT", "i32");
CTS_SWEEP(clz, "CLZ", "i32");
CTS_SWEEP(cos, "COS", "fp32");
CTS_SWEEP(erf, "ERF", "fp32");
CTS_SWEEP(exp, "EXP", "fp32");
CTS_SWEEP(log, "LOG", "fp32");
CTS_SWEEP(reciprocal, "RECIPROCAL", "fp32");
CTS_SWEEP(rsqrt, "RSQRT", "fp32");
CTS_SWEEP(sigmoid, "SIGMOID", "fp32");
CTS_SWEEP(sin, "SIN", "fp32");
CTS_SWEEP(tanh, "TANH", "fp32");

// The same inputs through the C library, from memory to memory, as one would write it, on as many
// cores as a sweep: what is as fast as memory shares it. Items a second are those of one core.
template <class Function>
void PlainLoop(benchmark::State& state, Function function) {
  const uint64_t inputs = kInputs / static_cast<uint64_t>(state.threads());
  std::vector<float> in(inputs), out(inputs);
  const uint64_t first = kFirst + inputs * static_cast<uint64_t>(state.thread_index());
  for (uint64_t i = 0; i < inputs; ++i) {
    const auto bits = static_cast<uint32_t>(first + i);
    std::memcpy(&in[i], &bits, sizeof(bits));
  }
  for (auto _ : state) {
    for (uint64_t i = 0; i < inputs; ++i) out[i] = function(in[i]);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(inputs));
}
#define CTS_PLAIN_LOOP(name, expression)                                 \
  BENCHMARK_CAPTURE(PlainLoop, name, [](float x) { return expression; }) \
      ->Threads(JobsOrCores(0))                                          \
      ->Unit(benchmark::kMillisecond)
CTS_PLAIN_LOOP(abs, std::fabs(x));
CTS_PLAIN_LOOP(ceil, std::ceil(x));
CTS_PLAIN_LOOP(floor, std::floor(x));
CTS_PLAIN_LOOP(negate, -x);
CTS_PLAIN_LOOP(cos, std::cos(x));
CTS_PLAIN_LOOP(erf, std::erf(x));
CTS_PLAIN_LOOP(exp, std::exp(x));
CTS_PLAIN_LOOP(log, std::log(x));
CTS_PLAIN_LOOP(reciprocal, 1 / x);
CTS_PLAIN_LOOP(rsqrt, 1 / std::sqrt(x));
CTS_PLAIN_LOOP(sigmoid, 1 / (1 + std::exp(-x)));
CTS_PLAIN_LOOP(sin, std::sin(x));
CTS_PLAIN_LOOP(tanh, std::tanh(x));

// What a sweep of ABS does to every block, in one process and without a question. The plugin's part
// is a copy of answers.
void BlocksByHand(benchmark::State& state) {
  constexpr size_t kBytes = kSweepBlock * sizeof(uint32_t);
  constexpr auto kPlaces = static_cast<size_t>(SweepMemory::kPlaces);
  constexpr uint8_t kFilling = Unwritten(DType::kFp32);
  std::vector<uint32_t> answers(kInputs), operands(kSweepBlock);
  for (uint64_t i = 0; i < kInputs; ++i) answers[i] = static_cast<uint32_t>(kFirst + i);
  std::vector<uint8_t> given[2], taken[kPlaces];
  for (std::vector<uint8_t>& results : given) results.assign(kBytes, kFilling);
  for (std::vector<uint8_t>& results : taken) results.resize(kBytes);
  const ExactOperator abs;
  for (auto _ : state) {
    bool wrong = false;
    for (uint64_t i = 0; i < kInputs; i += kPlaces * kSweepBlock) {
      for (size_t place = 0; place < kPlaces; ++place) {
        const uint64_t at = i + place * kSweepBlock;
        WriteConsecutive(static_cast<uint32_t>(kFirst + at), kSweepBlock, operands.data());
        benchmark::DoNotOptimize(operands.data());
        std::memcpy(given[place % 2].data(), answers.data() + at, kBytes);
        benchmark::ClobberMemory();
        TakeResults(given[place % 2].data(), kBytes, taken[place].data(), kFilling);
        wrong |= !IsFilled(given[1 - place % 2].data(), kBytes, kFilling);
      }
      for (size_t place = 0; place < kPlaces; ++place) {
        const auto first = static_cast<uint32_t>(kFirst + i + place * kSweepBlock);
        const SweepResults results(taken[place].data(), kSweepBlock, sizeof(uint32_t));
        for (int64_t k = 0; k < kSweepBlock; k += kExactBlock) {
          uint16_t doubtful[kExactBlock];
          wrong |= ExactCompare(abs, first + static_cast<uint32_t>(k), results.at(k), kExactBlock,
                                doubtful) != 0;
        }
      }
    }
    if (wrong) return state.SkipWithError("a right result was refused");
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(kInputs));
}
BENCHMARK(BlocksByHand)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cts
