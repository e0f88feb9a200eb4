// Faults of REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PRODUCT, REDUCE_SUM.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/contains.h"
#include "reference/faults/accumulation.h"
#include "reference/faults/functions.h"
#include "reference/faults/tensor_faults.h"
#include "reference/ops/axis.h"

namespace cts::reduction_faults {
namespace {

using Integers = std::vector<int64_t>;
using Numbers = std::vector<double>;

// Computes each result from the elements along the axis. `f` may change the line.
template <class Number, class OfLine>
OperatorOutputs ForEachLine(const Call& call, OfLine f) {
  const Tensor& input = *call.values("input");
  const AxisView view(input.shape(), call.Integer("axis"));
  auto out = std::make_shared<Tensor>(call.dtype("output"), call.shape("output"));
  std::vector<Number> line(static_cast<size_t>(view.size));
  for (int64_t i = 0; i < out->size(); ++i) {
    for (int64_t k = 0; k < view.size; ++k) {
      if constexpr (std::is_same_v<Number, double>) {
        line[static_cast<size_t>(k)] = input.Element(view.Offset(i, k));
      } else {
        line[static_cast<size_t>(k)] = input.Integer(view.Offset(i, k));
      }
    }
    if constexpr (std::is_same_v<Number, double>) {
      out->SetElement(i, f(out->dtype(), line));
    } else {
      out->SetInteger(i, f(out->dtype(), line));
    }
  }
  return {{"output", std::move(out)}};
}

Wrong ByIntegers(int64_t (*f)(DType type, const Integers& line)) {
  return [f](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return ForEachLine<int64_t>(call, f);
  };
}
Wrong ByNumbers(double (*f)(DType type, const Numbers& line)) {
  return [f](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return ForEachLine<double>(call, f);
  };
}

// Replaces each line: `source(k, size)` is the element that is read in place of k. An extremum does
// not notice an element that stands for another; a sum or product has its identity there.
Wrong ByPlace(const std::string& op, int64_t (*source)(int64_t k, int64_t size)) {
  const bool is_sum = op == "REDUCE_SUM", is_product = op == "REDUCE_PRODUCT";
  return ByCall([=](CallEditor& editor) {
    const Call& call = editor.original();
    const Tensor& input = *call.values("input");
    const AxisView view(input.shape(), call.Integer("axis"));
    Tensor other = input;
    for (int64_t i = 0; i < input.size() / view.size; ++i) {
      for (int64_t k = 0; k < view.size; ++k) {
        const int64_t from = source(k, view.size);
        if (from != k && is_sum) {
          other.SetBits(view.Offset(i, k), 0);
        } else if (from != k && is_product) {
          other.SetElement(view.Offset(i, k), 1);
        } else {
          other.SetBits(view.Offset(i, k), input.Bits(view.Offset(i, from)));
        }
      }
    }
    editor.SetOperand("input", std::move(other));
    return true;
  });
}

// Faults that every reduction may have at the ends of a line.
Faults PlaceFaults(const std::string& op) {
  const std::string clause = op + ", every element along the axis";
  return {
      Hardware(op, "skips_first", "does not read the first element of several", clause, nullptr,
               ByPlace(op, [](int64_t k, int64_t size) { return k == 0 && size > 1 ? 1 : k; })),
      Hardware(op, "counts_the_axis_from_the_end",
               "takes axis for rank - 1 - axis where both are as long", op + ", argument axis",
               nullptr, CountsTheAxisFromTheEnd()),
      Hardware(op, "skips_last", "does not read the last element of several", clause, nullptr,
               ByPlace(op, [](int64_t k,
                              int64_t size) { return k + 1 == size && size > 1 ? k - 1 : k; })),
      Hardware(op, "loses_tail_of_lanes", "reads whole vectors of four elements, if there is one",
               clause, nullptr,
               ByPlace(op, [](int64_t k,
                              int64_t size) { return size >= 4 && k >= size / 4 * 4 ? 0 : k; })),
  };
}

// REDUCE_MAX and REDUCE_MIN of floating point begin with another element, `start(type)` or its
// negative, in place of the identity. A line of NaNs that are ignored stays NaN:
// StartsFiniteWithoutNumbers().
Wrong Starting(const std::string& op, double (*start)(DType type)) {
  const bool max = op == "REDUCE_MAX";
  return ByResult([=](const Call&, OperatorOutputs& results) {
    Tensor& out = *results.at("output");
    const double first = max ? start(out.dtype()) : -start(out.dtype());
    for (int64_t i = 0; i < out.size(); ++i) {
      const double x = out.Element(i);
      if (max ? x < first : x > first) out.SetElement(i, first);
    }
  });
}

// The same of integers; REDUCE_MIN begins with what it is given.
Wrong StartingAt(const std::string& op, int64_t (*start)(DType type)) {
  const bool max = op == "REDUCE_MAX";
  return ByResult([=](const Call&, OperatorOutputs& results) {
    Tensor& out = *results.at("output");
    const int64_t first = start(out.dtype());
    for (int64_t i = 0; i < out.size(); ++i) {
      const int64_t x = out.Integer(i);
      if (max ? x < first : x > first) out.SetInteger(i, first);
    }
  });
}

Wrong StartingFromZero(const std::string& op) {
  const Wrong floats = Starting(op, [](DType) { return 0.0; });
  const Wrong integers = StartingAt(op, [](DType) { return int64_t{0}; });
  return [=](const Operator& self, const Call& call) {
    return (IsFloat(call.dtype("output")) ? floats : integers)(self, call);
  };
}

// The identity of the numbers, for a line of NaNs that are ignored.
Wrong StartsFiniteWithoutNumbers(const std::string& op) {
  const bool max = op == "REDUCE_MAX";
  return ByResult([=](const Call& call, OperatorOutputs& results) {
    if (call.Enum("nan_mode") != "IGNORE") return;
    Tensor& out = *results.at("output");
    const double first = max ? -Format(out.dtype()).max : Format(out.dtype()).max;
    for (int64_t i = 0; i < out.size(); ++i) {
      if (std::isnan(out.Element(i))) out.SetElement(i, first);
    }
  });
}

Faults ExtremumFaults(const std::string& op) {
  const std::string clause = op + ", its text", nan = op + ", nan_mode";
  const bool max = op == "REDUCE_MAX";
  const Wrong by_less = Altered({.is_nan = NeverNan});
  const Wrong by_not_greater_or_equal = Altered({.is_nan = NeverNan, .less = NotGreaterOrEqual});
  return Together(
      {PlaceFaults(op),
       {
           LosesNan(op),
           NanIsInfinity(op),
           SaturatesInfinity(op),
           FlushesSome(op),
           Reported(op, "starts_finite",
                    max ? "starts from the lowest finite number"
                        : "starts from the greatest finite number",
                    op + ": starts from an infinity, with IGNORE from a NaN", FloatRows(),
                    Starting(op, [](DType type) { return -Format(type).max; }),
                    "llvm/llvm-project#222140"),
           Hardware(op, "line_of_ignored_nan_is_finite",
                    max ? "makes the lowest finite number of a line of NaNs under IGNORE"
                        : "makes the greatest finite number of a line of NaNs under IGNORE",
                    op + ": with IGNORE starts from a NaN", FloatRows(),
                    StartsFiniteWithoutNumbers(op)),
           Hardware(op, "starts_from_zero", "starts from zero", clause, nullptr,
                    StartingFromZero(op)),
           Hardware(op, "starts_from_normal_min",
                    max ? "starts from the least number above zero"
                        : "starts from the greatest number below zero",
                    clause, FloatRows(),
                    Starting(op, [](DType type) { return Format(type).normal_min(); })),
           Hardware(op, "starts_one_off",
                    max ? "starts from one more than the least number"
                        : "starts from one less than the greatest number",
                    clause, IntegerRows(),
                    max ? StartingAt(op, [](DType type) { return IntegerMin(type) + 1; })
                        : StartingAt(op, [](DType type) { return IntegerMax(type) - 1; })),
           Hardware(op, "starts_from_i8", "starts from the end of i8", clause,
                    Rows("in_out_t", {DType::kI16, DType::kI32}),
                    max ? StartingAt(op, [](DType) { return int64_t{-128}; })
                        : StartingAt(op, [](DType) { return int64_t{127}; })),
           Hardware(op, "nan_is_never_greater",
                    "compares alone: a NaN stays only where it comes first", nan, FloatRows(),
                    max ? by_less : by_not_greater_or_equal),
           Hardware(op, "forgets_a_nan", "lets the next element replace a NaN", nan, FloatRows(),
                    max ? by_not_greater_or_equal : by_less),
           Hardware(op, "compares_bits", "compares bit patterns as integers", clause, FloatRows(),
                    Altered({.less = LessByBits})),
           Hardware(op, "compares_magnitudes", "compares magnitudes", clause, FloatRows(),
                    Altered({.less = LessByMagnitude})),
           Hardware(op, "compares_unsigned", "compares as unsigned numbers", clause, IntegerRows(),
                    Altered({.less_integer = LessUnsigned})),
           Hardware(op, "compares_in_fp32", "compares integers in fp32", clause,
                    Rows("in_out_t", {DType::kI32}), Altered({.less_integer = LessAsFp32})),
           Hardware(op, "other_extremum", "takes the other extremum", clause, nullptr,
                    Altered({.less = [](double x, double y) { return x > y; },
                             .less_integer = [](int64_t x, int64_t y) { return x > y; }})),
       }});
}

// Multiplies the elements along the axis by another number.
double Product(DType type, const Numbers& line, double first, double (*round)(DType, double)) {
  double product = first;
  for (double x : line) product = round(type, product * x);
  return product;
}
double Sum(DType type, const Numbers& line, double first, double (*round)(DType, double)) {
  double sum = first;
  for (double x : line) sum = round(type, sum + x);
  return RoundTo(type, sum);
}
double InBf16(DType, double x) { return RoundTo(DType::kBf16, x); }
double InFp16(DType, double x) { return RoundTo(DType::kFp16, x); }
double InTf32(DType, double x) { return RoundToBits(x, 11); }
double InType(DType type, double x) { return RoundTo(type, x); }

}  // namespace

Faults ReduceAllFaults() {
  const std::string clause = "REDUCE_ALL, its text";
  return Together(
      {PlaceFaults("REDUCE_ALL"),
       {
           Hardware("REDUCE_ALL", "starts_false", "starts from false", clause, nullptr,
                    ByIntegers([](DType, const Integers&) { return int64_t{0}; })),
           Hardware("REDUCE_ALL", "any", "is true where any is", clause, nullptr,
                    ByIntegers([](DType, const Integers& line) {
                      return *std::max_element(line.begin(), line.end());
                    })),
           Hardware("REDUCE_ALL", "parity", "is true where an odd number is", clause, nullptr,
                    ByIntegers([](DType, const Integers& line) {
                      return std::count(line.begin(), line.end(), 1) % 2;
                    })),
           Hardware("REDUCE_ALL", "last_only", "takes the last element", clause, nullptr,
                    ByIntegers([](DType, const Integers& line) { return line.back(); })),
       }});
}

Faults ReduceAnyFaults() {
  const std::string clause = "REDUCE_ANY, its text";
  return Together(
      {PlaceFaults("REDUCE_ANY"),
       {
           Hardware("REDUCE_ANY", "starts_true", "starts from true", clause, nullptr,
                    ByIntegers([](DType, const Integers&) { return int64_t{1}; })),
           Hardware("REDUCE_ANY", "all", "is true where all are", clause, nullptr,
                    ByIntegers([](DType, const Integers& line) {
                      return *std::min_element(line.begin(), line.end());
                    })),
           Hardware("REDUCE_ANY", "parity", "is true where an odd number is", clause, nullptr,
                    ByIntegers([](DType, const Integers& line) {
                      return std::count(line.begin(), line.end(), 1) % 2;
                    })),
           Hardware("REDUCE_ANY", "last_only", "takes the last element", clause, nullptr,
                    ByIntegers([](DType, const Integers& line) { return line.back(); })),
       }});
}

Faults ReduceMaxFaults() { return ExtremumFaults("REDUCE_MAX"); }
Faults ReduceMinFaults() { return ExtremumFaults("REDUCE_MIN"); }

Faults ReduceProductFaults() {
  const std::string& clause = kPrecisionClause;
  return Together({PlaceFaults("REDUCE_PRODUCT"),
                   {
                       LosesNan("REDUCE_PRODUCT"),
                       NanIsInfinity("REDUCE_PRODUCT"),
                       SaturatesInfinity("REDUCE_PRODUCT"),
                       Hardware("REDUCE_PRODUCT", "starts_from_zero", "starts from zero", clause,
                                FloatRows(), ByNumbers([](DType type, const Numbers& line) {
                                  return Product(type, line, 0, InType);
                                })),
                       Hardware("REDUCE_PRODUCT", "in_bf16", "accumulates in bf16", clause,
                                Rows("in_out_t", {DType::kFp16, DType::kFp32}),
                                ByNumbers([](DType type, const Numbers& line) {
                                  return Product(type, line, 1, InBf16);
                                })),
                       Hardware("REDUCE_PRODUCT", "in_fp16", "accumulates in fp16", clause,
                                Rows("in_out_t", {DType::kBf16, DType::kFp32}),
                                ByNumbers([](DType type, const Numbers& line) {
                                  return Product(type, line, 1, InFp16);
                                })),
                       Hardware("REDUCE_PRODUCT", "truncates", "rounds every product toward zero",
                                clause, FloatRows(), ByNumbers([](DType type, const Numbers& line) {
                                  return Product(type, line, 1, TowardZero);
                                })),
                       Hardware("REDUCE_PRODUCT", "zero_wins",
                                "is 0 where one factor is, be others infinite or a NaN", clause,
                                FloatRows(), ByNumbers([](DType type, const Numbers& line) {
                                  const bool zero = Contains(line, 0);
                                  return zero ? 0 : Product(type, line, 1, InType);
                                })),
                       Hardware("REDUCE_PRODUCT", "by_logarithms", "loses the signs", clause,
                                FloatRows(), ByNumbers([](DType type, const Numbers& line) {
                                  return std::fabs(Product(type, line, 1, InType));
                                })),
                       Hardware("REDUCE_PRODUCT", "sums", "adds", clause, FloatRows(),
                                ByNumbers([](DType type, const Numbers& line) {
                                  return Sum(type, line, 0, InType);
                                })),
                   }});
}

Faults ReduceSumFaults() {
  const std::string exact = "REDUCE_SUM, exact";
  const std::string& clause = kPrecisionClause;
  return Together(
      {PlaceFaults("REDUCE_SUM"),
       {
           Hardware("REDUCE_SUM", "starts_from_one", "starts from one", exact, nullptr,
                    [](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
                      if (IsFloat(call.dtype("input"))) {
                        return ForEachLine<double>(call, [](DType type, const Numbers& line) {
                          return Sum(type, line, 1, [](DType, double x) { return x; });
                        });
                      }
                      return ForEachLine<int64_t>(call, [](DType, const Integers& line) {
                        int64_t sum = 1;
                        for (int64_t x : line) sum += x;
                        return sum;
                      });
                    }),
           Hardware("REDUCE_SUM", "in_fp32", "accumulates integers in fp32", exact, IntegerRows(),
                    ByIntegers([](DType, const Integers& line) {
                      float sum = 0;
                      for (int64_t x : line) sum += static_cast<float>(x);
                      return static_cast<int64_t>(sum);
                    })),
           Hardware("REDUCE_SUM", "in_24_bits", "keeps 24 bits of each sum", exact, IntegerRows(),
                    ByIntegers([](DType, const Integers& line) {
                      int64_t sum = 0;
                      for (int64_t x : line) {
                        sum = static_cast<int64_t>(static_cast<uint64_t>(sum + x) << 40) >> 40;
                      }
                      return sum;
                    })),
           Hardware("REDUCE_SUM", "halves_round", "adds halves of neighbours, rounded down, twice",
                    exact, IntegerRows(), ByIntegers([](DType, const Integers& line) {
                      int64_t sum = 0;
                      for (int64_t x : line) sum += x >> 1;
                      return sum * 2;
                    })),
           Hardware("REDUCE_SUM", "accumulates_in_bf16", "accumulates in bf16", clause, FloatRows(),
                    ByNumbers([](DType type, const Numbers& line) {
                      return Sum(type, line, 0, InBf16);
                    })),
           // The accumulator of fp16 is fp16.
           Hardware("REDUCE_SUM", "accumulates_in_fp16", "accumulates in fp16", clause,
                    Rows("in_out_t", {DType::kBf16, DType::kFp32}),
                    ByNumbers([](DType type, const Numbers& line) {
                      return Sum(type, line, 0, InFp16);
                    })),
           Hardware("REDUCE_SUM", "accumulates_in_tf32", "accumulates with 10 bits of fraction",
                    clause, Rows("in_out_t", {DType::kFp32}),
                    ByNumbers([](DType type, const Numbers& line) {
                      return Sum(type, line, 0, InTf32);
                    })),
           Hardware("REDUCE_SUM", "truncates", "rounds every sum of its type toward zero", clause,
                    FloatRows(), ByNumbers([](DType type, const Numbers& line) {
                      return Sum(type, line, 0, TowardZero);
                    })),
           Hardware("REDUCE_SUM", "mean", "divides the sum by their number", exact, nullptr,
                    [](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
                      if (IsFloat(call.dtype("input"))) {
                        return ForEachLine<double>(call, [](DType type, const Numbers& line) {
                          return Sum(type, line, 0, [](DType, double x) { return x; }) /
                                 static_cast<double>(line.size());
                        });
                      }
                      return ForEachLine<int64_t>(call, [](DType, const Integers& line) {
                        int64_t sum = 0;
                        for (int64_t x : line) sum += x;
                        return sum / static_cast<int64_t>(line.size());
                      });
                    }),
           Hardware("REDUCE_SUM", "of_magnitudes", "adds magnitudes", exact, FloatRows(),
                    ByNumbers([](DType type, const Numbers& line) {
                      double sum = 0;
                      for (double x : line) sum += std::fabs(x);
                      return RoundTo(type, sum);
                    })),
       },
       NonFiniteFaults({.name = "REDUCE_SUM", .of_products = false})});
}

}  // namespace cts::reduction_faults
