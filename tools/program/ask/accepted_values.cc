#include "tools/program/ask/accepted_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "checker/rules/match.h"
#include "reference/base/float_format.h"
#include "tools/program/ask/bit_pattern.h"

namespace cts {
namespace {

using judging::OfBits;
using judging::PatternMask;

// The values of a floating-point type in order: ..., -1 for -0, 0 for +0, ...
int64_t KeyOf(DType dtype, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (Info(dtype).bits - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -1 - magnitude : magnitude;
}
uint64_t BitsOfKey(DType dtype, int64_t key) {
  const uint64_t sign = uint64_t{1} << (Info(dtype).bits - 1);
  return key < 0 ? sign | static_cast<uint64_t>(-1 - key) : static_cast<uint64_t>(key);
}

bool AnswerAccepts(const ExpectedOutput& output, const Answer& answer, uint64_t bits) {
  return ElementJudge(output, answer, OfBits(output.dtype, output.shape, bits)).Accepts(0);
}

using Run = std::pair<int64_t, int64_t>;  // keys

// The positive or negative numbers that an answer accepts: at most one run of them. If there is
// any, one of them is an end of the numbers, or lies next to the reference or to an end of the
// interval.
void FindRun(const ExpectedOutput& output, const Answer& answer, bool negative,
             std::vector<Run>* runs) {
  const DType dtype = output.dtype;
  const FloatFormat& format = Format(dtype);
  const int64_t top = KeyOf(dtype, EncodeFloat(dtype, format.max)) + (format.has_infinity ? 1 : 0);
  const auto key = [&](int64_t magnitude) { return negative ? -1 - magnitude : magnitude; };
  const auto accepts = [&](int64_t magnitude) {
    return AnswerAccepts(output, answer, BitsOfKey(dtype, key(magnitude)));
  };
  std::vector<int64_t> seeds = {1, top - 1, top};
  for (const Tensor* tensor : {&answer.expected, answer.upper ? &*answer.upper : nullptr}) {
    if (tensor == nullptr || std::isnan(tensor->Element(0))) continue;
    const int64_t nearest = KeyOf(dtype, EncodeFloat(dtype, std::fabs(tensor->Element(0))));
    for (int64_t step = -2; step <= 2; ++step) {
      seeds.push_back(std::clamp(nearest + step, int64_t{1}, top));
    }
  }
  const auto seed = std::find_if(seeds.begin(), seeds.end(), accepts);
  if (seed == seeds.end()) return;
  // The last accepted value on the way from the seed to an end.
  const auto last = [&](int64_t end) {
    int64_t inside = *seed;
    if (accepts(end)) return end;
    for (int64_t outside = end; std::abs(outside - inside) > 1;) {
      const int64_t middle = inside + (outside - inside) / 2;
      (accepts(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  const Run run = {key(last(1)), key(last(top))};
  runs->push_back({std::min(run.first, run.second), std::max(run.first, run.second)});
}

AcceptedValues FindAcceptedIntegers(const ExpectedOutput& output) {
  AcceptedValues values;
  const uint64_t mask = PatternMask(output.dtype);
  for (const Answer& answer : output.answers) {
    const Tensor& upper =
        output.rule.kind == RuleKind::kInterval && answer.upper ? *answer.upper : answer.expected;
    const ValueRange range = {answer.expected.Bits(0) & mask, upper.Bits(0) & mask};
    if (!values.range) {
      values.range = range;
    } else if (range.lo != values.range->lo || range.hi != values.range->hi) {
      values.also.push_back(range);
    }
  }
  return values;
}

}  // namespace

AcceptedValues FindAccepted(const ExpectedOutput& output) {
  const DType dtype = output.dtype;
  if (!IsFloat(dtype)) return FindAcceptedIntegers(output);
  AcceptedValues values;
  std::vector<Run> runs;
  bool negative_zero = false, positive_zero = false;
  const uint64_t nan = EncodeFloat(dtype, std::nan(""));
  for (const Answer& answer : output.answers) {
    values.nan = values.nan || AnswerAccepts(output, answer, nan);
    FindRun(output, answer, true, &runs);
    FindRun(output, answer, false, &runs);
    for (const int64_t zero : {int64_t{-1}, int64_t{0}}) {
      if (!AnswerAccepts(output, answer, BitsOfKey(dtype, zero))) continue;
      runs.push_back({zero, zero});
      (zero < 0 ? negative_zero : positive_zero) = true;
    }
  }
  values.zero_sign = negative_zero != positive_zero;
  std::sort(runs.begin(), runs.end());
  std::vector<Run> joined;
  for (const Run& run : runs) {
    if (!joined.empty() && run.first <= joined.back().second + 1) {
      joined.back().second = std::max(joined.back().second, run.second);
    } else {
      joined.push_back(run);
    }
  }
  if (joined.empty()) return values;
  const FloatFormat& format = Format(dtype);
  const int64_t top = KeyOf(dtype, EncodeFloat(dtype, format.max)) + (format.has_infinity ? 1 : 0);
  if (values.nan && joined.size() == 1 && joined[0] == Run(-1 - top, top)) {
    values.anything = true;
    return values;
  }
  // The run at the reference; zero alone only if there is no other.
  const double reference = output.answers[0].expected.Element(0);
  const int64_t at = std::isnan(reference)
                         ? 0
                         : std::clamp(KeyOf(dtype, EncodeFloat(dtype, reference)), -1 - top, top);
  const auto rank = [&](const Run& run) {
    const int64_t distance =
        at < run.first ? run.first - at : std::max<int64_t>(at - run.second, 0);
    return std::make_pair(run.first >= -1 && run.second <= 0 && distance > 0, distance);
  };
  const auto main = std::min_element(joined.begin(), joined.end(),
                                     [&](const Run& a, const Run& b) { return rank(a) < rank(b); });
  for (auto run = joined.begin(); run != joined.end(); ++run) {
    // +0 of the two zeros at an end.
    const int64_t first = run->first == -1 && run->second >= 0 ? 0 : run->first;
    const ValueRange range = {BitsOfKey(dtype, first), BitsOfKey(dtype, run->second)};
    if (run == main) {
      values.range = range;
    } else {
      values.also.push_back(range);
    }
  }
  return values;
}

bool Accepts(const ExpectedOutput& output, uint64_t bits) {
  return std::any_of(output.answers.begin(), output.answers.end(),
                     [&](const Answer& answer) { return AnswerAccepts(output, answer, bits); });
}

}  // namespace cts
