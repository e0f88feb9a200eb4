// Faults of EQUAL, GREATER, GREATER_EQUAL.
#include <bit>
#include <cmath>

#include "reference/faults/functions.h"
#include "reference/ops/broadcast.h"

namespace cts::comparison_faults {
namespace {

// Gives the answer by comparing numbers of either kind wrongly.
Wrong ByComparing(bool (*floats)(double x, double y), bool (*integers)(int64_t x, int64_t y)) {
  return [=](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    const Shape& shape = call.shape("output");
    const Tensor &x = *call.values("input1"), &y = *call.values("input2");
    const BroadcastMap offset1(shape, x.shape()), offset2(shape, y.shape());
    auto out = std::make_shared<Tensor>(DType::kBool, shape);
    for (int64_t i = 0; i < out->size(); ++i) {
      const int64_t k = offset1(i), l = offset2(i);
      out->SetInteger(i, IsFloat(x.dtype()) ? floats(x.Element(k), y.Element(l))
                                            : integers(x.Integer(k), y.Integer(l)));
    }
    return OperatorOutputs{{"output", std::move(out)}};
  };
}

bool Never(double, double) { return false; }
bool NeverInteger(int64_t, int64_t) { return false; }

int32_t BitsOf(double x) { return std::bit_cast<int32_t>(static_cast<float>(x)); }

Fault OfFloats(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, bool (*holds)(double x, double y)) {
  return Hardware(op, what, std::move(sentence), std::move(clause), FloatRows(),
                  ByComparing(holds, NeverInteger));
}
Fault OfIntegers(const std::string& op, const std::string& what, std::string sentence,
                 bool (*holds)(int64_t x, int64_t y)) {
  return Hardware(op, what, std::move(sentence), op + ", exact", IntegerRows(),
                  ByComparing(Never, holds));
}

}  // namespace

Faults EqualFaults() {
  const std::string nan = "EQUAL: a NaN equals nothing", zero = "EQUAL: zeros are equal";
  return Together(
      {BroadcastFaults("EQUAL"),
       {
           OfFloats("EQUAL", "nan_equals_nan", "takes two NaN for equal", nan,
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }),
           OfFloats("EQUAL", "neither_less", "takes for equal what is neither less nor greater",
                    nan, [](double x, double y) { return !(x < y) && !(y < x); }),
           OfFloats("EQUAL", "compares_bits", "compares bit patterns, but of NaN", zero,
                    [](double x, double y) {
                      return !std::isnan(x) && !std::isnan(y) && BitsOf(x) == BitsOf(y);
                    }),
           OfFloats("EQUAL", "nearly", "takes numbers for equal that differ by 2^-6 of the first",
                    "EQUAL, exact",
                    [](double x, double y) {
                      return x == y || std::fabs(x - y) <= std::fabs(x) * 0x1p-6;
                    }),
           OfFloats("EQUAL", "difference_is_zero", "compares the difference with zero",
                    "EQUAL: infinities of one sign are equal",
                    [](double x, double y) { return x - y == 0; }),
           OfFloats("EQUAL", "magnitudes", "compares magnitudes", "EQUAL, exact",
                    [](double x, double y) { return std::fabs(x) == std::fabs(y); }),
           OfIntegers(
               "EQUAL", "in_fp32", "compares integers in fp32",
               [](int64_t x, int64_t y) { return static_cast<float>(x) == static_cast<float>(y); }),
           OfIntegers("EQUAL", "low_16_bits", "compares the low 16 bits",
                      [](int64_t x, int64_t y) { return ((x ^ y) & 0xffff) == 0; }),
           Hardware("EQUAL", "different", "is true where the numbers differ", "EQUAL", nullptr,
                    ByComparing([](double x, double y) { return x != y; },
                                [](int64_t x, int64_t y) { return x != y; })),
       }});
}

Faults GreaterFaults() {
  const std::string nan = "GREATER: false beside a NaN";
  return Together(
      {BroadcastFaults("GREATER"),
       {
           OfFloats("GREATER", "not_less_or_equal", "is true beside a NaN", nan,
                    [](double x, double y) { return !(x <= y); }),
           OfFloats("GREATER", "nan_is_greatest", "takes a NaN for more than any number", nan,
                    [](double x, double y) { return std::isnan(x) ? !std::isnan(y) : x > y; }),
           OfFloats("GREATER", "compares_bits", "compares bit patterns as integers",
                    "GREATER, exact",
                    [](double x, double y) {
                      return !std::isnan(x) && !std::isnan(y) && LessByBits(y, x);
                    }),
           OfFloats("GREATER", "orders_zeros", "takes +0 for more than -0",
                    "GREATER: zeros are equal",
                    [](double x, double y) {
                      return x > y || (x == 0 && y == 0 && !std::signbit(x) && std::signbit(y));
                    }),
           OfFloats("GREATER", "magnitudes", "compares magnitudes", "GREATER, exact",
                    [](double x, double y) { return std::fabs(x) > std::fabs(y); }),
           OfIntegers(
               "GREATER", "in_fp32", "compares integers in fp32",
               [](int64_t x, int64_t y) { return static_cast<float>(x) > static_cast<float>(y); }),
           OfIntegers("GREATER", "by_difference", "takes the sign of a difference of 32 bits",
                      [](int64_t x, int64_t y) { return static_cast<int32_t>(x - y) > 0; }),
           OfIntegers("GREATER", "unsigned", "compares as unsigned numbers",
                      [](int64_t x, int64_t y) { return LessUnsigned(y, x); }),
           Hardware("GREATER", "or_equal", "is true of equal numbers", "GREATER", nullptr,
                    ByComparing([](double x, double y) { return x >= y; },
                                [](int64_t x, int64_t y) { return x >= y; })),
       }});
}

Faults GreaterEqualFaults() {
  const std::string nan = "GREATER_EQUAL: false beside a NaN";
  return Together(
      {BroadcastFaults("GREATER_EQUAL"),
       {
           OfFloats("GREATER_EQUAL", "not_less", "is true beside a NaN", nan,
                    [](double x, double y) { return !(x < y); }),
           OfFloats("GREATER_EQUAL", "nan_equals_nan", "takes a NaN for as much as another", nan,
                    [](double x, double y) { return x >= y || (std::isnan(x) && std::isnan(y)); }),
           OfFloats("GREATER_EQUAL", "compares_bits", "compares bit patterns as integers",
                    "GREATER_EQUAL, exact",
                    [](double x, double y) {
                      return !std::isnan(x) && !std::isnan(y) && !LessByBits(x, y);
                    }),
           OfFloats("GREATER_EQUAL", "orders_zeros", "takes -0 for less than +0",
                    "GREATER_EQUAL: zeros are equal",
                    [](double x, double y) {
                      return x >= y && !(x == 0 && y == 0 && std::signbit(x) && !std::signbit(y));
                    }),
           OfFloats("GREATER_EQUAL", "by_difference", "compares the difference with zero",
                    "GREATER_EQUAL: infinities of one sign are equal",
                    [](double x, double y) { return x - y >= 0; }),
           OfIntegers(
               "GREATER_EQUAL", "in_fp32", "compares integers in fp32",
               [](int64_t x, int64_t y) { return static_cast<float>(x) >= static_cast<float>(y); }),
           OfIntegers("GREATER_EQUAL", "by_sign_of_difference",
                      "takes the sign of a difference of 32 bits",
                      [](int64_t x, int64_t y) { return static_cast<int32_t>(x - y) >= 0; }),
           OfIntegers("GREATER_EQUAL", "unsigned", "compares as unsigned numbers",
                      [](int64_t x, int64_t y) { return !LessUnsigned(x, y); }),
           Hardware("GREATER_EQUAL", "not_equal", "is false of equal numbers", "GREATER_EQUAL",
                    nullptr,
                    ByComparing([](double x, double y) { return x > y; },
                                [](int64_t x, int64_t y) { return x > y; })),
       }});
}

}  // namespace cts::comparison_faults
