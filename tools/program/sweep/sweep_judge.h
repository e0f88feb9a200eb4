// Judges the answers of a sweep. The filter judges results; where it cannot, the reference and the
// rules of the checker do.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
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
  double ulp = 0;  // as measured; errors of the filter are known to kFilterResolution
};

// A block whose plugin ended, or refused the block, in place of results.
struct SweepFault {
  uint64_t first = 0, last = 0;                // inputs of the block
  uint64_t guilty_first = 0, guilty_last = 0;  // the fewest that still show it
  std::string kind;                            // "crash", "timeout", "refused"
  std::string message;
};

// Counts and examples, in a form that can be added up in any order.
struct SweepTotals {
  static constexpr size_t kExamples = 10;

  uint64_t inputs = 0;  // of all kinds below
  uint64_t accepted = 0;
  uint64_t rejected = 0;
  uint64_t disputed = 0;    // not accepted, where the edition's clauses disagree: no fault
  uint64_t undefined = 0;   // not asked
  uint64_t unanswered = 0;  // of blocks with a fault
  // Accepted, rejected and disputed inputs, by the method that decided.
  uint64_t by_filter = 0, by_reference = 0;
  UlpHistogram ulps;                  // of accepted and rejected
  SweepCurve curve;                   // likewise; empty before anything was judged
  std::vector<SweepElement> worst;    // the greatest errors, not 0 nor infinite
  std::vector<SweepElement> refused;  // the first that were rejected
  std::optional<SweepElement> first_disputed;
  // The first result that shows that the implementation keeps (flushes) subnormal numbers.
  std::optional<SweepElement> kept, flushed;
  std::vector<SweepFault> faults;  // by input

  void Add(const SweepTotals& other);
  void AddWorst(const SweepElement& element);
  void AddRefused(const SweepElement& element);
  void AddDisputed(const SweepElement& element);
  void AddKept(const SweepElement& element);
  void AddFlushed(const SweepElement& element);
};

// The state of the totals to which those of a block will be added.
struct SweepKnown {
  // Elements with an error of at most this number of ulp need not become candidates for `worst`.
  double least_worst = 0;
  // The curve already has an error of this size in every segment of the block.
  double greatest = 0;
};

// Results, as a tensor stores them.
class SweepResults {
 public:
  SweepResults(const uint8_t* bytes, int64_t count, int64_t width)
      : bytes_(bytes), count_(count), width_(width) {}

  int64_t size() const { return count_; }
  int64_t width() const { return width_; }  // bytes of one
  const uint8_t* at(int64_t start) const { return bytes_ + start * width_; }

 private:
  const uint8_t* bytes_;
  int64_t count_, width_;
};

// Judges results of one domain; not to be shared by threads.
class SweepJudge {
 public:
  explicit SweepJudge(const SweepDomain& domain);

  // `results` are the plugin's answers to the inputs from `first` on.
  Status Judge(uint64_t first, SweepResults results, const SweepKnown& known, SweepTotals* totals);

  // Without a filter the reference judges everything.
  void DropFilter() {
    filter_.reset();
    exact_.reset();
  }

 private:
  // Judges elements that lie anywhere by the reference.
  Status JudgeDoubtful(const std::vector<SweepElement>& doubtful, double least_worst,
                       SweepTotals* totals);
  Status JudgeExact(uint64_t first, SweepResults results, double least_worst, SweepTotals* totals);
  Status JudgeByReference(const std::vector<uint64_t>& inputs, const std::vector<Tensor>& operands,
                          const Tensor& result, double least_worst, SweepTotals* totals);
  Status JudgeByFilter(uint64_t first, SweepResults results, const SweepKnown& known,
                       SweepTotals* totals);
  // Whether `count` reciprocals in a row are right; then they are counted.
  bool SettlesReciprocals(uint64_t first, const uint8_t* results, int64_t count,
                          const SweepKnown& known, SweepTotals* totals) const;
  // Judges some results from `first` on by the filter. Appends those that are left to the
  // reference.
  Status JudgePart(uint64_t first, const uint8_t* results, int64_t count, double least_worst,
                   SweepTotals* totals, std::vector<SweepElement>* doubtful);
  // Whether an implementation that flushes subnormal numbers may give this result, too. The input
  // has a subnormal number.
  StatusOr<bool> FlushedAccepts(uint64_t input, uint64_t result);

  size_t Segment(uint64_t input) const { return static_cast<size_t>(input / segment_inputs_); }

  const SweepDomain& domain_;
  uint64_t segment_inputs_ = 1;  // of a segment of the curve
  std::optional<SweepFilter> filter_;
  std::optional<ExactFilter> exact_;
  std::optional<ExpectedOutput> of_zeros_;  // of +0 and -0, for unary operators
  // Operands and results of JudgePart, in fp64.
  struct Wide {
    alignas(64) double x[kFilterBlock] = {};
    alignas(64) double y[kFilterBlock] = {};
    alignas(64) double results[kFilterBlock] = {};
  } wide_;
  // The last answers of FlushedAccepts, by sign.
  struct Known {
    std::optional<uint64_t> result;
    bool accepts = false;
  };
  Known known_[2];
};

}  // namespace cts
