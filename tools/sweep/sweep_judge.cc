#include "tools/sweep/sweep_judge.h"

#include <algorithm>
#include <cmath>

#include "checker/rules/clear_elements.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

// Order of `worst`.
bool IsWorse(const SweepElement& a, const SweepElement& b) {
  return a.ulp != b.ulp ? a.ulp > b.ulp : a.input < b.input;
}

bool ComesFirst(const SweepElement& a, const SweepElement& b) { return a.input < b.input; }

template <class Before>
void InsertExample(const SweepElement& element, Before before, std::vector<SweepElement>& list) {
  if (list.size() == SweepTotals::kExamples && !before(element, list.back())) return;
  list.insert(std::upper_bound(list.begin(), list.end(), element, before), element);
  if (list.size() > SweepTotals::kExamples) list.pop_back();
}

void KeepFirst(const SweepElement& element, std::optional<SweepElement>& first) {
  if (!first || element.input < first->input) first = element;
}

// The error in ulp below which an element is no candidate any more.
double LeastWorst(const SweepTotals& totals, double least_worst) {
  if (totals.worst.size() < SweepTotals::kExamples) return least_worst;
  return std::max(least_worst, totals.worst.back().ulp);
}

}  // namespace

// ---- Totals -------------------------------------------------------------------------------------

void SweepTotals::AddWorst(const SweepElement& element) {
  if (element.ulp > 0 && std::isfinite(element.ulp)) InsertExample(element, IsWorse, worst);
}
void SweepTotals::AddRefused(const SweepElement& element) {
  InsertExample(element, ComesFirst, refused);
}
void SweepTotals::AddKept(const SweepElement& element) { KeepFirst(element, kept); }
void SweepTotals::AddFlushed(const SweepElement& element) { KeepFirst(element, flushed); }

void SweepTotals::Add(const SweepTotals& other) {
  inputs += other.inputs, accepted += other.accepted, rejected += other.rejected;
  undefined += other.undefined, unanswered += other.unanswered;
  by_filter += other.by_filter, by_reference += other.by_reference;
  ulps.Add(other.ulps);
  curve.Add(other.curve);
  for (const SweepElement& element : other.worst) AddWorst(element);
  for (const SweepElement& element : other.refused) AddRefused(element);
  if (other.kept) AddKept(*other.kept);
  if (other.flushed) AddFlushed(*other.flushed);
  faults.insert(faults.end(), other.faults.begin(), other.faults.end());
  std::sort(faults.begin(), faults.end(),
            [](const SweepFault& a, const SweepFault& b) { return a.first < b.first; });
}

// ---- Judging ------------------------------------------------------------------------------------

SweepJudge::SweepJudge(const SweepDomain& domain)
    : domain_(domain),
      segment_inputs_(SweepCurve::Inputs(domain.size())),
      filter_(domain.type() == domain.in_type()
                  ? SweepFilter::For(domain.op(), domain.edition().id, domain.type())
                  : std::nullopt),
      exact_(filter_ ? std::nullopt : ExactFilter::For(domain)) {}

// An input that must not be asked is recognized by its own value, not by the value that was asked
// in its place: filters take operands as they count, and make them where they need them.
Status SweepJudge::JudgeExact(uint64_t first, const Tensor& result, double least_worst,
                              SweepTotals* totals) {
  const int64_t bytes = StorageBytes(result.dtype());
  std::vector<uint64_t> doubtful;
  uint16_t positions[kExactBlock];
  alignas(64) uint8_t operands[kExactBlock * sizeof(uint32_t)];
  for (int64_t start = 0; start < result.size(); start += kExactBlock) {
    const int64_t count = std::min(kExactBlock, result.size() - start);
    domain_.Write(first + static_cast<uint64_t>(start), count, 0, operands);
    const int64_t found =
        exact_->Look(operands, result.bytes().data() + start * bytes, count, positions);
    for (int64_t k = 0; k < found; ++k) {
      doubtful.push_back(first + static_cast<uint64_t>(start + positions[k]));
    }
  }
  const auto clear = static_cast<uint64_t>(result.size()) - doubtful.size();
  totals->by_filter += clear;
  totals->accepted += clear;
  totals->ulps.counts[0] += static_cast<int64_t>(clear);
  if (domain_.MayLeaveOpen(first, result.size())) {
    totals->undefined += std::erase_if(doubtful, [&](uint64_t i) { return !domain_.Defined(i); });
  }
  return JudgeDoubtful(first, doubtful, result, least_worst, totals);
}

Status SweepJudge::JudgeDoubtful(uint64_t first, const std::vector<uint64_t>& doubtful,
                                 const Tensor& result, double least_worst, SweepTotals* totals) {
  if (doubtful.empty()) return absl::OkStatus();
  Tensor asked(result.dtype(), {static_cast<int64_t>(doubtful.size())});
  for (size_t k = 0; k < doubtful.size(); ++k) {
    asked.SetBits(static_cast<int64_t>(k), result.Bits(static_cast<int64_t>(doubtful[k] - first)));
  }
  return JudgeByReference(doubtful, domain_.Operands(doubtful), asked, least_worst, totals);
}

Status SweepJudge::Judge(uint64_t first, const Tensor& result, double least_worst,
                         SweepTotals* totals) {
  totals->inputs += static_cast<uint64_t>(result.size());
  if (totals->curve.empty()) totals->curve = SweepCurve(domain_.size());
  if (exact_) return JudgeExact(first, result, least_worst, totals);
  if (filter_) return JudgeByFilter(first, result, least_worst, totals);
  std::vector<uint64_t> inputs;
  inputs.reserve(static_cast<size_t>(result.size()));
  for (int64_t i = 0; i < result.size(); ++i) {
    if (domain_.Defined(first + static_cast<uint64_t>(i))) {
      inputs.push_back(first + static_cast<uint64_t>(i));
    }
  }
  if (static_cast<int64_t>(inputs.size()) == result.size()) {
    return JudgeByReference(inputs, domain_.Operands(first, result.size()), result, least_worst,
                            totals);
  }
  totals->undefined += static_cast<uint64_t>(result.size()) - inputs.size();
  return JudgeDoubtful(first, inputs, result, least_worst, totals);
}

Status SweepJudge::JudgeByReference(const std::vector<uint64_t>& inputs,
                                    const std::vector<Tensor>& operands, const Tensor& result,
                                    double least_worst, SweepTotals* totals) {
  CTS_ASSIGN_OR_RETURN(const ExpectedOutput expected, domain_.Expect(operands));
  const auto count = static_cast<uint64_t>(result.size());
  totals->by_reference += count;
  const auto element = [&](int64_t i) {
    return SweepElement{inputs[static_cast<size_t>(i)], result.Bits(i)};
  };
  // Most tensors are right as a whole; then nobody needs to look at their elements.
  const TensorErrors kept = MeasureTensor(expected, expected.answers[0], result);
  std::optional<TensorErrors> flushed;
  if (expected.answers.size() > 1) {
    flushed = MeasureTensor(expected, expected.answers[1], result);
  }
  const bool candidates = kept.worst_ulp > least_worst;
  // The segment of an error is known as well where all elements belong to one segment.
  const bool placed = kept.worst_ulp == 0 || Segment(inputs.front()) == Segment(inputs.back());
  if (kept.mismatches == 0 && !candidates && placed) {
    totals->accepted += count;
    totals->ulps.Add(kept.ulps);
    totals->curve.Add(Segment(inputs.front()), kept.worst_ulp, false);
    if (flushed && flushed->mismatches > 0) totals->AddKept(element(flushed->first));
    return absl::OkStatus();
  }
  std::vector<ElementJudge> judges;
  for (const Answer& answer : expected.answers) judges.emplace_back(expected, answer, result);
  for (int64_t i = 0; i < result.size(); ++i) {
    const bool by_kept = judges[0].Accepts(i);
    const bool by_flushed = judges.size() > 1 ? judges[1].Accepts(i) : by_kept;
    SweepElement found = element(i);
    found.ulp = judges[0].Measure(i).ulp;
    if (!by_kept && judges.size() > 1) {
      const double other = judges[1].Measure(i).ulp;
      found.ulp = by_flushed ? other : std::min(found.ulp, other);
    }
    if (by_kept || by_flushed) {
      ++totals->accepted;
    } else {
      ++totals->rejected;
      totals->AddRefused(found);
    }
    if (by_kept && !by_flushed) totals->AddKept(found);
    if (by_flushed && !by_kept) totals->AddFlushed(found);
    totals->ulps.Add(found.ulp);
    totals->curve.Add(Segment(found.input), found.ulp, !by_kept && !by_flushed);
    totals->AddWorst(found);
  }
  return absl::OkStatus();
}

StatusOr<bool> SweepJudge::FlushedAccepts(uint64_t input, uint64_t result) {
  if (domain_.operands() > 1) {
    // For a base or an exponent of zero the result is exactly 1 or 0, or nothing is said.
    const DType type = domain_.type();
    const auto flush = [&](int k) {
      const double value = DecodeFloat(type, domain_.Bits(input, k));
      return IsSubnormal(type, value) ? 0 : value;
    };
    const double x = flush(0), y = flush(1), r = DecodeFloat(type, result);
    if (filter_->power() && x > 0 && y == 0 && r == 1) return true;
    if (filter_->power() && x == 0 && (y <= 0 || r == 0)) return true;
    CTS_ASSIGN_OR_RETURN(const ExpectedOutput expected, domain_.Expect(domain_.Operands({input})));
    Tensor tensor(type, {1});
    tensor.SetBits(0, result);
    return ElementJudge(expected, expected.answers.back(), tensor).Accepts(0);
  }
  const int bits = Info(domain_.in_type()).bits;
  const uint64_t sign = input >> (bits - 1);
  Known& known = known_[sign];
  if (known.result == result) return known.accepts;
  if (!of_zeros_) {
    CTS_ASSIGN_OR_RETURN(of_zeros_,
                         domain_.Expect(domain_.Operands({0, uint64_t{1} << (bits - 1)})));
  }
  Tensor tensor(domain_.type(), {2});
  tensor.SetBits(static_cast<int64_t>(sign), result);
  known.accepts =
      ElementJudge(*of_zeros_, of_zeros_->answers[0], tensor).Accepts(static_cast<int64_t>(sign));
  known.result = result;
  return known.accepts;
}

Status SweepJudge::JudgeByFilter(uint64_t first, const Tensor& result, double least_worst,
                                 SweepTotals* totals) {
  const DType type = domain_.type();
  const double normal_min = Format(type).normal_min();
  const bool all_defined = !filter_->binary();
  alignas(64) double x[kFilterBlock] = {}, y[kFilterBlock] = {}, results[kFilterBlock] = {};
  alignas(64) uint8_t operand[kFilterBlock * sizeof(uint32_t)];
  FilterFigures figures;
  std::vector<uint64_t> doubtful;
  bool seeks_evidence = !totals->kept || totals->kept->input > first;
  const int64_t bytes = StorageBytes(type);
  for (int64_t start = 0; start < result.size(); start += kFilterBlock) {
    const int64_t count = std::min(kFilterBlock, result.size() - start);
    for (int k = 0; k < domain_.operands(); ++k) {
      domain_.Write(first + static_cast<uint64_t>(start), count, k, operand);
      WidenFloats(type, operand, count, k == 0 ? x : y);
    }
    WidenFloats(type, result.bytes().data() + start * bytes, count, results);
    filter_->Look(x, y, results, count, LeastWorst(*totals, least_worst), figures);
    const auto input = [&](int64_t k) { return first + static_cast<uint64_t>(start + k); };
    const auto element = [&](int64_t k) {
      return SweepElement{input(k), result.Bits(start + k), figures.errors[k]};
    };
    totals->by_filter += static_cast<uint64_t>(figures.clear);
    totals->accepted += static_cast<uint64_t>(figures.clear);
    // The elements above one end, less those above the next.
    int64_t above = figures.clear;
    for (size_t k = 0; k < UlpHistogram::kEnds.size(); ++k) {
      totals->ulps.counts[k] += above - figures.above[k];
      above = figures.above[k];
    }
    totals->ulps.counts.back() += above;
    if (Segment(input(0)) == Segment(input(count - 1))) {
      totals->curve.Add(Segment(input(0)), figures.worst, false);
    } else {
      for (int64_t k = 0; k < count; ++k) {
        totals->curve.Add(Segment(input(k)), figures.errors[k], false);
      }
    }
    for (int64_t k = 0; k < figures.candidate_count; ++k) {
      totals->AddWorst(element(figures.candidates[k]));
    }
    for (int64_t k = 0; k < figures.doubtful_count; ++k) {
      const uint64_t i = input(figures.doubtful[k]);
      if (all_defined || domain_.Defined(i)) {
        doubtful.push_back(i);
      } else {
        ++totals->undefined;
      }
    }
    if (!seeks_evidence) continue;
    // An implementation that flushes subnormal numbers might have to give another result.
    const bool any = AnySubnormal(x, count, normal_min) ||
                     (filter_->binary() && AnySubnormal(y, count, normal_min));
    for (int64_t k = 0, next = 0; any && seeks_evidence && k < count; ++k) {
      if (next < figures.doubtful_count && figures.doubtful[next] == k) {
        ++next;
        continue;
      }
      if (!IsSubnormal(type, x[k]) && !(filter_->binary() && IsSubnormal(type, y[k]))) continue;
      CTS_ASSIGN_OR_RETURN(const bool accepts, FlushedAccepts(input(k), result.Bits(start + k)));
      if (accepts) continue;
      totals->AddKept(element(k));
      seeks_evidence = false;
    }
  }
  return JudgeDoubtful(first, doubtful, result, least_worst, totals);
}

}  // namespace cts
