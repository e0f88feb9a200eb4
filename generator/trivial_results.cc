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

bool Same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// Whether the rule refuses `value` for element `i`. Decides as the rules of the checker do, except
// for the last bits, which this measure does not need.
bool Refuses(const ExpectedOutput& output, const Answer& answer, int64_t i, const Trivial& value) {
  const Rule& rule = output.rule;
  if (!IsFloat(output.dtype)) {
    const int64_t expected = answer.expected.Integer(i);
    if (rule.kind != RuleKind::kInterval) return value.integer != expected;
    const auto ordered = [&](int64_t integer) {
      const int bits = Info(output.dtype).bits;
      const bool wraps = rule.is_unsigned && integer < 0;
      return wraps ? integer + (int64_t{1} << bits) : integer;
    };
    return ordered(value.integer) < ordered(expected) ||
           ordered(value.integer) > ordered(answer.upper->Integer(i));
  }
  const double expected = answer.expected.Float(i);
  if (Same(value.real, expected)) return false;
  const FloatFormat& format = Format(output.dtype);
  double limit = 0;
  switch (rule.kind) {
    case RuleKind::kExact:
      break;
    case RuleKind::kInterval:
      return !(value.real >= expected && value.real <= answer.upper->Float(i));
    case RuleKind::kUlp: {
      const int exponent = std::isfinite(expected) && expected != 0 ? std::ilogb(expected) : 0;
      limit = std::ldexp(rule.ulp, std::max(exponent, format.min_exponent) - format.fraction_bits);
      break;
    }
    case RuleKind::kAbsoluteBound:
      limit = answer.bound->Float(i);
      break;
    case RuleKind::kDotProduct: {
      if (std::isnan(expected)) return true;
      const double bound = answer.bound->Float(i);
      if (std::isnan(bound) || bound > format.max) return false;
      limit = bound == 0
                  ? 0
                  : rule.absolute_limit *
                        std::max(std::ldexp(bound, -1 - format.fraction_bits), format.normal_min());
      break;
    }
    case RuleKind::kUnchecked:
      return false;
  }
  if (std::isinf(limit)) return false;
  // If the bound reaches below the least normal number, zero may stand for the numbers there.
  const bool is_measured = rule.kind == RuleKind::kUlp || rule.kind == RuleKind::kAbsoluteBound;
  if (is_measured && value.real == 0 && std::fabs(expected) - limit < format.normal_min()) {
    return false;
  }
  return !(std::fabs(value.real - expected) <= limit);
}

// Whether some element of the last lane of vectors of eight, or the last of all, refuses what is
// expected of the same output in another execution. With `any_lane` any element may.
bool LaneRefuses(const ExpectedOutput& output, const ExpectedOutput& other, bool any_lane) {
  if (output.answers.empty() || other.answers.empty()) return false;
  const Tensor& given = other.answers.front().expected;
  const int64_t size = given.size();
  for (int64_t i = 0; i < size; ++i) {
    if (!any_lane && i % 8 != 7 && i + 1 != size) continue;
    const Trivial value =
        IsFloat(output.dtype) ? Trivial{given.Float(i), 0} : Trivial{0, given.Integer(i)};
    if (std::all_of(output.answers.begin(), output.answers.end(),
                    [&](const Answer& answer) { return Refuses(output, answer, i, value); })) {
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
  if (IsFloat(expected.dtype())) return {one.Float(0), 0};
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

}  // namespace

NoticedShare NoticedShareOf(const Case& c, bool one_value) {
  NoticedShare least;
  bool measured = false;
  for (const ExpectedOutput& output : c.outputs) {
    for (const Answer& answer : output.answers) {
      const int64_t size = answer.expected.size();
      for (const Trivial& result : TrivialResults(output, answer, one_value)) {
        int64_t refused = 0;
        for (int64_t i = 0; i < size; ++i) refused += Refuses(output, answer, i, result);
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
    const double bound = answer.bound->Float(i);
    if (!(bound > 0 && bound <= format.max)) continue;
    const double unit = std::max(std::ldexp(bound, -1 - format.fraction_bits), format.normal_min());
    const double error = (value - answer.expected.Float(i)) / unit;
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
      for (const Trivial& result : results) {
        int64_t refused = 0;
        for (int64_t i = 0; i < size; ++i) refused += Refuses(output, answer, i, result);
        if (StatisticsRefuse(output, answer, result.real)) refused = size;
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
      return Refuses(output, answer, answer.expected.size() - 1, Trivial());
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
