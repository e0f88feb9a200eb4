#include "generator/trivial_results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

constexpr int64_t kFewElements = 8;

// A result whose elements are all one value.
struct Trivial {
  double real = 0;      // of a floating-point output
  int64_t integer = 0;  // of any other
};

// The greatest value of a dot product that the rule reckons with. Where that is beyond the type the
// result has no limit.
double GreatestOfSum(const Rule& rule, const FloatFormat& format, double bound) {
  if (rule.form != kFlushedZerosName) return bound;
  return bound * (1 + rule.absolute_limit * std::ldexp(1.0, -1 - format.fraction_bits));
}

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// What the rule takes for one element. Decides as the rules of the checker do, except for the last
// bits, which this measure does not need.
class Taken {
 public:
  Taken(const ExpectedOutput& output, const Answer& answer, int64_t i) {
    if (IsFloat(output.dtype)) {
      OfReal(output, answer, i);
    } else {
      OfInteger(output, answer, i);
    }
  }

  bool Refuses(const Trivial& value) const {
    switch (kind_) {
      case Kind::kAnything:
        return false;
      case Kind::kIntegers: {
        const int64_t ordered = value.integer < 0 ? value.integer + wrap_ : value.integer;
        return ordered < least_ || ordered > greatest_;
      }
      case Kind::kReals:
        return !Same(value.real, expected_) && !(value.real >= expected_ && value.real <= end_);
      case Kind::kNear:
        return !Same(value.real, expected_) && !(takes_zero_ && value.real == 0) &&
               !(std::fabs(value.real - expected_) <= limit_);
    }
    return true;
  }

 private:
  enum class Kind { kAnything, kIntegers, kReals, kNear };

  void OfInteger(const ExpectedOutput& output, const Answer& answer, int64_t i) {
    kind_ = Kind::kIntegers;
    const Rule& rule = output.rule;
    least_ = greatest_ = answer.expected.Integer(i);
    if (rule.kind != RuleKind::kInterval) return;
    greatest_ = answer.upper->Integer(i);
    if (!rule.is_unsigned) return;
    wrap_ = int64_t{1} << Info(output.dtype).bits;
    if (least_ < 0) least_ += wrap_;
    if (greatest_ < 0) greatest_ += wrap_;
  }

  void OfReal(const ExpectedOutput& output, const Answer& answer, int64_t i) {
    const Rule& rule = output.rule;
    const FloatFormat& format = Format(output.dtype);
    kind_ = Kind::kNear;
    expected_ = answer.expected.Element(i);
    switch (rule.kind) {
      case RuleKind::kExact:
        break;
      case RuleKind::kInterval:
        kind_ = Kind::kReals;
        end_ = answer.upper->Element(i);
        return;
      case RuleKind::kUlp: {
        const int exponent = std::isfinite(expected_) && expected_ != 0 ? std::ilogb(expected_) : 0;
        limit_ =
            std::ldexp(rule.ulp, std::max(exponent, format.min_exponent) - format.fraction_bits);
        break;
      }
      case RuleKind::kAbsoluteBound:
        limit_ = answer.bound->Element(i);
        break;
      case RuleKind::kDotProduct: {
        if (std::isnan(expected_)) return;
        const double bound = answer.bound->Element(i);
        if (std::isnan(bound) || GreatestOfSum(rule, format, bound) > format.max) {
          kind_ = Kind::kAnything;
          return;
        }
        if (bound != 0) {
          limit_ = rule.absolute_limit *
                   std::max(std::ldexp(bound, -1 - format.fraction_bits), format.normal_min());
        }
        break;
      }
      case RuleKind::kUnchecked:
        kind_ = Kind::kAnything;
        return;
    }
    if (std::isinf(limit_)) kind_ = Kind::kAnything;
    // If the bound reaches below the least normal number, zero may stand for the numbers there.
    const bool is_measured = rule.kind == RuleKind::kUlp || rule.kind == RuleKind::kAbsoluteBound;
    takes_zero_ = is_measured && std::fabs(expected_) - limit_ < format.normal_min();
  }

  Kind kind_ = Kind::kAnything;
  int64_t least_ = 0, greatest_ = 0, wrap_ = 0;  // unsigned ones wrap
  double expected_ = 0, end_ = 0, limit_ = 0;
  bool takes_zero_ = false;
};

// Whether some element of the last lane of vectors of eight, or the last of all, refuses what is
// expected of the same output in another execution. With `any_lane` any element may.
bool LaneRefuses(const ExpectedOutput& output, const ExpectedOutput& other, bool any_lane) {
  if (output.answers.empty() || other.answers.empty()) return false;
  const Tensor& given = other.answers.front().expected;
  const int64_t size = given.size();
  for (int64_t i = 0; i < size; ++i) {
    if (!any_lane && i % 8 != 7 && i + 1 != size) continue;
    const Trivial value =
        IsFloat(output.dtype) ? Trivial{given.Element(i), 0} : Trivial{0, given.Integer(i)};
    if (std::all_of(output.answers.begin(), output.answers.end(), [&](const Answer& answer) {
          return Taken(output, answer, i).Refuses(value);
        })) {
      return true;
    }
  }
  return false;
}

// The value that most elements of the answer have; of several the one with the least bits.
Trivial MostCommon(const Tensor& expected) {
  absl::flat_hash_map<uint64_t, int64_t> counts;
  counts.reserve(static_cast<size_t>(expected.size()));
  uint64_t bits = 0;
  int64_t most = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const uint64_t value = expected.Bits(i);
    const int64_t count = ++counts[value];
    if (count > most || (count == most && value < bits)) bits = value, most = count;
  }
  Tensor one(expected.dtype(), {});
  one.SetBits(0, bits);
  if (IsFloat(expected.dtype())) return {one.Element(0), 0};
  return {0, one.Integer(0)};
}

// Both ends of the type. An overflow is infinite where the type has infinities.
std::vector<Trivial> Ends(DType dtype) {
  if (!IsFloat(dtype)) return {{0, IntegerMin(dtype)}, {0, IntegerMax(dtype)}};
  const FloatFormat& format = Format(dtype);
  const double end = format.has_infinity ? std::numeric_limits<double>::infinity() : format.max;
  return {{-end, 0}, {end, 0}};
}

std::vector<Trivial> TrivialResults(const ExpectedOutput& output, const Answer& answer,
                                    bool one_value) {
  const bool few = answer.expected.size() < kFewElements;
  std::vector<Trivial> results;
  if (output.dtype != DType::kBool) {
    results = Ends(output.dtype);
    if (!one_value) results.push_back({});
  }
  if (!few && !one_value) results.push_back(MostCommon(answer.expected));
  return results;
}

// The number of elements that refuse each of these results.
std::vector<int64_t> CountRefused(const ExpectedOutput& output, const Answer& answer,
                                  const std::vector<Trivial>& results) {
  std::vector<int64_t> counts(results.size());
  for (int64_t i = 0; i < answer.expected.size(); ++i) {
    const Taken taken(output, answer, i);
    for (size_t k = 0; k < results.size(); ++k) counts[k] += taken.Refuses(results[k]);
  }
  return counts;
}

}  // namespace

NoticedShare NoticedShareOf(const Case& c, bool one_value) {
  NoticedShare least;
  bool measured = false;
  for (const ExpectedOutput& output : c.outputs) {
    for (const Answer& answer : output.answers) {
      const int64_t size = answer.expected.size();
      const std::vector<Trivial> results = TrivialResults(output, answer, one_value);
      for (const int64_t refused : CountRefused(output, answer, results)) {
        const int64_t thousandths = 1000 * refused / size;
        const double share = static_cast<double>(thousandths) / 1000;
        if (!measured || share < least.share) least = {share, refused};
        measured = true;
      }
    }
  }
  return least;
}

namespace {

// Whether the limits of the tensor refuse one value as the result of every sum.
bool StatisticsRefuse(const ExpectedOutput& output, const Answer& answer, double value) {
  const Rule& rule = output.rule;
  const FloatFormat& format = Format(output.dtype);
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < answer.expected.size(); ++i) {
    const double bound = answer.bound->Element(i);
    if (!(bound > 0 && GreatestOfSum(rule, format, bound) <= format.max)) continue;
    const double unit = std::max(std::ldexp(bound, -1 - format.fraction_bits), format.normal_min());
    const double error = (value - answer.expected.Element(i)) / unit;
    sum += error;
    squares += error * error;
  }
  return (rule.variance_limit && squares > *rule.variance_limit) ||
         (rule.bias_limit && std::fabs(sum) > *rule.bias_limit);
}

}  // namespace

NoticedShare NoticedShareOfSums(const Case& c) {
  NoticedShare least;
  for (const ExpectedOutput& output : c.outputs) {
    for (const Answer& answer : output.answers) {
      const int64_t size = answer.expected.size();
      std::vector<Trivial> results = Ends(output.dtype);
      if (c.data_set != "S0") results.push_back({});
      const std::vector<int64_t> counts = CountRefused(output, answer, results);
      for (size_t k = 0; k < results.size(); ++k) {
        const bool all = StatisticsRefuse(output, answer, results[k].real);
        const int64_t refused = all ? size : counts[k];
        const int64_t thousandths = 1000 * refused / size;
        const double share = static_cast<double>(thousandths) / 1000;
        if (share <= least.share) least = {share, refused};
      }
    }
  }
  return least;
}

bool NoticesZeroAtTheEnd(const Case& c) {
  return std::all_of(c.outputs.begin(), c.outputs.end(), [](const ExpectedOutput& output) {
    return std::all_of(output.answers.begin(), output.answers.end(), [&](const Answer& answer) {
      return Taken(output, answer, answer.expected.size() - 1).Refuses(Trivial());
    });
  });
}

bool NoticesTheLastAnswer(const Case& c, bool any_lane) {
  std::vector<bool> notices(static_cast<size_t>(c.executions()), false);
  for (const ExpectedOutput& output : c.outputs) {
    for (const ExpectedOutput& before : c.outputs) {
      if (before.name != output.name || before.execution + 1 != output.execution) continue;
      // The executions between the second and the last are of what is kept, not of lanes.
      const bool between = output.execution > 1 && output.execution + 1 < c.executions();
      if (LaneRefuses(output, before, any_lane || between))
        notices[static_cast<size_t>(output.execution)] = true;
    }
  }
  return std::all_of(notices.begin() + 1, notices.end(), [](bool notice) { return notice; });
}

}  // namespace cts
