// Judges the results of a sweep. The filter judges them first; the reference and the rules of the
// checker judge the results that the filter does not accept.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/rules/match.h"
#include "checker/rules/ulp_histogram.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "tools/program/sweep/exact_filter.h"
#include "tools/program/sweep/sweep_curve.h"
#include "tools/program/sweep/sweep_domain.h"
#include "tools/program/sweep/sweep_filter.h"

namespace cts {

// One input with its result.
struct SweepElement {
  uint64_t input = 0, result = 0;  // bits
  double ulp = 0;  // the error as measured; the filter measures to within kFilterResolution
};

// A block without results, because the plugin's process ended, exceeded the time limit or refused
// the block.
struct SweepFault {
  enum class Kind { kCrash, kTimeout, kRefused };

  uint64_t first = 0, last = 0;                // inputs of the block
  uint64_t guilty_first = 0, guilty_last = 0;  // the smallest range that still shows the fault
  Kind kind = Kind::kCrash;
  std::string message;
};
std::string_view Name(SweepFault::Kind kind);  // "crash", "timeout", "refused"
// nullopt for an unknown name.
std::optional<SweepFault::Kind> ParseSweepFaultKind(std::string_view name);

// Counts and examples, in a form that can be added up in any order.
struct SweepTotals {
  static constexpr size_t kExamples = 10;

  uint64_t inputs = 0;  // the sum of the kinds below
  uint64_t accepted = 0;
  uint64_t rejected = 0;
  uint64_t disputed = 0;    // not accepted, but the edition's clauses disagree: no fault
  uint64_t undefined = 0;   // inputs whose result the edition does not define
  uint64_t unanswered = 0;  // inputs of blocks with a fault
  // The accepted, rejected and disputed inputs, counted by the method that decided.
  uint64_t by_filter = 0, by_reference = 0;
  UlpHistogram ulps;                  // errors of accepted and rejected results
  SweepCurve curve;                   // errors of the same results; empty before the first result
  std::vector<SweepElement> worst;    // greatest errors, except 0 and infinite errors
  std::vector<SweepElement> refused;  // the first rejected elements
  std::optional<SweepElement> first_disputed;
  // The first result that shows that the implementation keeps subnormal numbers (`kept`), or
  // flushes them (`flushed`).
  std::optional<SweepElement> kept, flushed;
  std::vector<SweepFault> faults;  // in the order of inputs

  void Add(const SweepTotals& other);
  void AddWorst(const SweepElement& element);
  void AddRefused(const SweepElement& element);
  void AddDisputed(const SweepElement& element);
  void AddKept(const SweepElement& element);
  void AddFlushed(const SweepElement& element);
};

// What the totals of the sweep contain before the totals of a block are added.
struct SweepKnown {
  // Elements with an error of at most this number of ulp need not become candidates for `worst`.
  double least_worst = 0;
  // The curve already has at least this error in every segment of the block.
  double greatest = 0;
};

// A view of results, as a tensor stores them.
class SweepResults {
 public:
  SweepResults(const uint8_t* bytes, int64_t count, int64_t width)
      : bytes_(bytes), count_(count), width_(width) {}

  int64_t size() const { return count_; }
  int64_t width() const { return width_; }  // the bytes of one result
  const uint8_t* at(int64_t start) const { return bytes_ + start * width_; }

 private:
  const uint8_t* bytes_;
  int64_t count_, width_;
};

// Judges results of one domain. Each thread needs a judge of its own.
class SweepJudge {
 public:
  explicit SweepJudge(const SweepDomain& domain);

  // `results` are the plugin's answers to the inputs from `first` on.
  Status Judge(uint64_t first, SweepResults results, const SweepKnown& known, SweepTotals* totals);

  // After this call, the reference judges all results, without a filter.
  void DropFilter() {
    filter_.reset();
    exact_.reset();
  }

 private:
  // Judges single elements, which need not be consecutive, by the reference.
  Status JudgeDoubtful(const std::vector<SweepElement>& doubtful, double least_worst,
                       SweepTotals* totals);
  Status JudgeExact(uint64_t first, SweepResults results, double least_worst, SweepTotals* totals);
  Status JudgeByReference(const std::vector<uint64_t>& inputs, const std::vector<Tensor>& operands,
                          const Tensor& result, double least_worst, SweepTotals* totals);
  Status JudgeByFilter(uint64_t first, SweepResults results, const SweepKnown& known,
                       SweepTotals* totals);
  // Whether `count` consecutive reciprocals are certainly right; if so, counts them.
  bool SettlesReciprocals(uint64_t first, const uint8_t* results, int64_t count,
                          const SweepKnown& known, SweepTotals* totals) const;
  // Judges `count` results from `first` on by the filter. Appends to `doubtful` the results that
  // the reference must judge.
  Status JudgePart(uint64_t first, const uint8_t* results, int64_t count, double least_worst,
                   SweepTotals* totals, std::vector<SweepElement>* doubtful);
  // Whether an implementation that flushes subnormal numbers may give this result. The input must
  // have a subnormal operand.
  StatusOr<bool> FlushedAccepts(uint64_t input, uint64_t result);

  size_t Segment(uint64_t input) const { return static_cast<size_t>(input / segment_inputs_); }

  const SweepDomain& domain_;
  uint64_t segment_inputs_ = 1;  // the number of inputs in a segment of the curve
  std::optional<SweepFilter> filter_;
  std::optional<ExactFilter> exact_;
  std::optional<ExpectedOutput> of_zeros_;  // expected results for +0 and -0, for unary operators
  // Operands and results of JudgePart, in fp64.
  struct Wide {
    alignas(64) double x[kFilterBlock] = {};
    alignas(64) double y[kFilterBlock] = {};
    alignas(64) double results[kFilterBlock] = {};
  } wide_;
  // For unary operators: the last result that FlushedAccepts judged, and its answer, by the sign of
  // the input.
  struct Known {
    std::optional<uint64_t> result;
    bool accepts = false;
  };
  Known known_[2];
};

}  // namespace cts
