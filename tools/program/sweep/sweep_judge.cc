#include "tools/program/sweep/sweep_judge.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "checker/rules/clear_elements.h"
#include "reference/base/float_format.h"
#include "tools/program/sweep/reciprocal_settle.h"

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

// The bits of result i, stored in `width` bytes.
uint64_t BitsOf(const uint8_t* results, int64_t i, int64_t width) {
  uint64_t bits = 0;
  for (int64_t b = 0; b < width; ++b) {
    bits |= static_cast<uint64_t>(results[i * width + b]) << (8 * b);
  }
  return bits;
}

// The error in ulp below which an element is no candidate any more.
double LeastWorst(const SweepTotals& totals, double least_worst) {
  if (totals.worst.size() < SweepTotals::kExamples) return least_worst;
  return std::max(least_worst, totals.worst.back().ulp);
}

constexpr std::pair<SweepFault::Kind, std::string_view> kFaultKinds[] = {
    {SweepFault::Kind::kCrash, "crash"},
    {SweepFault::Kind::kTimeout, "timeout"},
    {SweepFault::Kind::kRefused, "refused"},
};

}  // namespace

std::string_view Name(SweepFault::Kind kind) {
  return kFaultKinds[static_cast<size_t>(kind)].second;
}

std::optional<SweepFault::Kind> ParseSweepFaultKind(std::string_view name) {
  for (const auto& [kind, known] : kFaultKinds) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

// ---- Totals -------------------------------------------------------------------------------------

void SweepTotals::AddWorst(const SweepElement& element) {
  if (element.ulp > 0 && std::isfinite(element.ulp)) InsertExample(element, IsWorse, worst);
}
void SweepTotals::AddRefused(const SweepElement& element) {
  InsertExample(element, ComesFirst, refused);
}
void SweepTotals::AddDisputed(const SweepElement& element) { KeepFirst(element, first_disputed); }
void SweepTotals::AddKept(const SweepElement& element) { KeepFirst(element, kept); }
void SweepTotals::AddFlushed(const SweepElement& element) { KeepFirst(element, flushed); }

void SweepTotals::Add(const SweepTotals& other) {
  inputs += other.inputs, accepted += other.accepted, rejected += other.rejected;
  disputed += other.disputed;
  undefined += other.undefined, unanswered += other.unanswered;
  by_filter += other.by_filter, by_reference += other.by_reference;
  ulps.Add(other.ulps);
  curve.Add(other.curve);
  for (const SweepElement& element : other.worst) AddWorst(element);
  for (const SweepElement& element : other.refused) AddRefused(element);
  if (other.first_disputed) AddDisputed(*other.first_disputed);
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
      filter_(SweepFilter::For(domain.op(), domain.edition().id, domain.type(), domain.in_type())),
      exact_(filter_ ? std::nullopt : ExactFilter::For(domain)) {}

// An input that must not be asked is recognized by its own value, not by the value that was asked
// in its place: filters make the operands themselves, by their numbers.
Status SweepJudge::JudgeExact(uint64_t first, SweepResults results, double least_worst,
                              SweepTotals* totals) {
  std::vector<SweepElement> doubtful;
  uint16_t positions[kExactBlock];
  for (int64_t start = 0; start < results.size(); start += kExactBlock) {
    const int64_t count = std::min(kExactBlock, results.size() - start);
    const uint64_t begin = first + static_cast<uint64_t>(start);
    const uint8_t* const given = results.at(start);
    const int64_t found = exact_->Look(begin, given, count, positions);
    for (int64_t k = 0; k < found; ++k) {
      doubtful.push_back({begin + positions[k], BitsOf(given, positions[k], results.width())});
    }
  }
  const auto clear = static_cast<uint64_t>(results.size()) - doubtful.size();
  totals->by_filter += clear;
  totals->accepted += clear;
  totals->ulps.counts[0] += static_cast<int64_t>(clear);
  if (domain_.MayLeaveOpen(first, results.size())) {
    totals->undefined +=
        std::erase_if(doubtful, [&](const SweepElement& e) { return !domain_.Defined(e.input); });
  }
  return JudgeDoubtful(doubtful, least_worst, totals);
}

Status SweepJudge::JudgeDoubtful(const std::vector<SweepElement>& doubtful, double least_worst,
                                 SweepTotals* totals) {
  if (doubtful.empty()) return absl::OkStatus();
  std::vector<uint64_t> inputs;
  Tensor asked(domain_.type(), {static_cast<int64_t>(doubtful.size())});
  for (const SweepElement& element : doubtful) {
    asked.SetBits(static_cast<int64_t>(inputs.size()), element.result);
    inputs.push_back(element.input);
  }
  return JudgeByReference(inputs, domain_.Operands(inputs), asked, least_worst, totals);
}

Status SweepJudge::Judge(uint64_t first, SweepResults results, const SweepKnown& known,
                         SweepTotals* totals) {
  const double least_worst = known.least_worst;
  totals->inputs += static_cast<uint64_t>(results.size());
  if (totals->curve.empty()) totals->curve = SweepCurve(domain_.size());
  if (exact_) return JudgeExact(first, results, least_worst, totals);
  if (filter_) return JudgeByFilter(first, results, known, totals);
  Tensor all(domain_.type(), {results.size()});
  std::memcpy(all.bytes().data(), results.at(0), all.bytes().size());
  std::vector<SweepElement> defined;
  std::vector<uint64_t> inputs;
  for (int64_t i = 0; i < results.size(); ++i) {
    const uint64_t input = first + static_cast<uint64_t>(i);
    if (domain_.Defined(input)) inputs.push_back(input), defined.push_back({input, all.Bits(i)});
  }
  if (static_cast<int64_t>(inputs.size()) == results.size()) {
    return JudgeByReference(inputs, domain_.Operands(first, results.size()), all, least_worst,
                            totals);
  }
  totals->undefined += static_cast<uint64_t>(results.size()) - inputs.size();
  return JudgeDoubtful(defined, least_worst, totals);
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
  // Most tensors are right as a whole; then their elements need not be examined.
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
    if (!by_kept && !by_flushed && domain_.Disputed(found.input)) {
      ++totals->disputed;
      totals->AddDisputed(found);
      continue;
    }
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

Status SweepJudge::JudgeByFilter(uint64_t first, SweepResults results, const SweepKnown& known,
                                 SweepTotals* totals) {
  static_assert(kReciprocalBlock % kFilterBlock == 0);
  std::vector<SweepElement> doubtful;
  for (int64_t start = 0; start < results.size(); start += kReciprocalBlock) {
    const int64_t count = std::min(kReciprocalBlock, results.size() - start);
    const uint64_t begin = first + static_cast<uint64_t>(start);
    const bool reciprocal = filter_->reciprocal() && count == kReciprocalBlock;
    if (reciprocal && SettlesReciprocals(begin, results.at(start), count, known, totals)) continue;
    for (int64_t k = 0; k < count; k += kFilterBlock) {
      const int64_t some = std::min(kFilterBlock, count - k);
      const uint64_t from = begin + static_cast<uint64_t>(k);
      const uint8_t* const given = results.at(start + k);
      if (reciprocal && SettlesReciprocals(from, given, some, known, totals)) continue;
      CTS_RETURN_IF_ERROR(JudgePart(from, given, some, known.least_worst, totals, &doubtful));
    }
  }
  return JudgeDoubtful(doubtful, known.least_worst, totals);
}

bool SweepJudge::SettlesReciprocals(uint64_t first, const uint8_t* results, int64_t count,
                                    const SweepKnown& known, SweepTotals* totals) const {
  // Greater errors are to be known as fp64 measures them.
  const double greatest = std::max(known.greatest, totals->curve.greatest[Segment(first)]);
  const double most = std::min(greatest, LeastWorst(*totals, known.least_worst));
  int64_t above[2];
  if (!SettleReciprocals(filter_->of_roots(), static_cast<uint32_t>(first), results, count, most,
                         above))
    return false;
  totals->by_filter += static_cast<uint64_t>(count);
  totals->accepted += static_cast<uint64_t>(count);
  totals->ulps.counts[1] += count - above[0];
  totals->ulps.counts[2] += above[0] - above[1];
  totals->ulps.counts[3] += above[1];
  // No flushing implementation has to give one of these, whose operands are normal numbers.
  return true;
}

Status SweepJudge::JudgePart(uint64_t first, const uint8_t* results, int64_t count,
                             double least_worst, SweepTotals* totals,
                             std::vector<SweepElement>* doubtful) {
  const DType type = domain_.type();
  const int64_t width = StorageBytes(type);
  const double normal_min = Format(type).normal_min();
  const bool all_defined = !filter_->binary();
  auto& [x, y, given] = wide_;
  alignas(64) uint8_t operand[kFilterBlock * sizeof(uint32_t)];
  if (domain_.in_type() == DType::kI32) {
    domain_.Write(first, count, 0, operand);
    WidenIntegers(operand, count, x);
  } else {
    // The first operand of most rows of pairs is one number.
    const auto last = first + static_cast<uint64_t>(count) - 1;
    const bool one = domain_.Bits(first, 0) == domain_.Bits(last, 0);
    for (int k = 0; k < domain_.operands(); ++k) {
      const int64_t some = k == 0 && one ? 1 : count;
      domain_.Write(first, some, k, operand);
      WidenFloats(type, operand, some, k == 0 ? x : y);
    }
    if (one) std::fill_n(x, count, x[0]);
  }
  WidenFloats(type, results, count, given);
  FilterFigures figures;
  filter_->Look(x, y, given, count, LeastWorst(*totals, least_worst), figures);
  const auto input = [&](int64_t k) { return first + static_cast<uint64_t>(k); };
  const auto bits = [&](int64_t k) { return BitsOf(results, k, width); };
  const auto element = [&](int64_t k) {
    return SweepElement{input(k), bits(k), figures.errors[k]};
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
    const int64_t at = figures.doubtful[k];
    if (all_defined || domain_.Defined(input(at))) {
      doubtful->push_back({input(at), bits(at)});
    } else {
      ++totals->undefined;
    }
  }
  if (totals->kept && totals->kept->input <= first) return absl::OkStatus();
  // An implementation that flushes subnormal numbers might have to give another result.
  if (!AnySubnormal(x, count, normal_min) &&
      !(filter_->binary() && AnySubnormal(y, count, normal_min))) {
    return absl::OkStatus();
  }
  for (int64_t k = 0, next = 0; k < count; ++k) {
    if (next < figures.doubtful_count && figures.doubtful[next] == k) {
      ++next;
      continue;
    }
    if (!IsSubnormal(type, x[k]) && !(filter_->binary() && IsSubnormal(type, y[k]))) continue;
    CTS_ASSIGN_OR_RETURN(const bool accepts, FlushedAccepts(input(k), bits(k)));
    if (accepts) continue;
    totals->AddKept(element(k));
    break;
  }
  return absl::OkStatus();
}

}  // namespace cts
