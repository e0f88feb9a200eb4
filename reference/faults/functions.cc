#include "reference/faults/functions.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <limits>

#include "reference/ops/broadcast.h"

namespace cts {
namespace {

class AlteredArithmetic : public ArithmeticFault {
 public:
  explicit AlteredArithmetic(const Alterations& a) : a_(a) {}

  double Load(const Operand& operand, int64_t i) override {
    const double x = operand.Element(i);
    return a_.load == nullptr ? x : a_.load(operand.tensor->dtype(), x);
  }
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    const int64_t x = operand.Integer(i);
    return a_.load_integer == nullptr ? x : a_.load_integer(operand.tensor->dtype(), x);
  }
  double Round(DType type, double x) override {
    return a_.round == nullptr ? RoundTo(type, x) : a_.round(type, x);
  }
  double End(DType type, double value) override {
    return a_.store == nullptr ? value : a_.store(type, value);
  }
  int64_t EndInteger(DType type, int64_t value) override {
    return a_.store_integer == nullptr ? value : a_.store_integer(type, value);
  }
  double Add(DType type, double x, double y) override {
    return Round(type, a_.add == nullptr ? x + y : a_.add(x, y));
  }
  double Mul(DType type, double x, double y) override {
    return Round(type, a_.mul == nullptr ? x * y : a_.mul(x, y));
  }
  bool IsNan(double x) override { return a_.is_nan == nullptr ? std::isnan(x) : a_.is_nan(x); }
  bool Less(double x, double y) override { return a_.less == nullptr ? x < y : a_.less(x, y); }
  bool LessInteger(int64_t x, int64_t y) override {
    return a_.less_integer == nullptr ? x < y : a_.less_integer(x, y);
  }
  int64_t Fit(DType type, int64_t x) override { return a_.fit == nullptr ? x : a_.fit(type, x); }

 private:
  const Alterations& a_;
};

std::string_view FirstOperand(const Call& call) { return call.Has("input1") ? "input1" : "input"; }

// Calls `put(output, i, element of the first operand, element of the second)`. If an operator has
// one operand, both elements are its.
template <class Put>
OperatorOutputs ForEachElement(const Call& call, Put put) {
  const Shape& shape = call.shape("output");
  const std::string_view name1 = FirstOperand(call);
  const std::string_view name2 = call.Has("input2") ? "input2" : name1;
  const BroadcastMap offset1(shape, call.shape(name1)), offset2(shape, call.shape(name2));
  const Tensor &operand1 = *call.values(name1), &operand2 = *call.values(name2);
  auto out = std::make_shared<Tensor>(call.dtype("output"), shape);
  for (int64_t i = 0; i < out->size(); ++i) {
    put(*out, i, operand1, offset1(i), operand2, offset2(i));
  }
  return {{"output", std::move(out)}};
}

// The exponent of the last place of `x` in a type, also among the subnormals.
int LastPlace(DType type, double x) {
  const FloatFormat& format = Format(type);
  return std::max(std::ilogb(x), format.min_exponent) - format.fraction_bits;
}

// `x`, finite and not zero, with `bits` more than the type has.
double ToMoreBits(DType type, double x, int bits, double (*round)(double)) {
  const int place = LastPlace(type, x) - bits;
  return std::ldexp(round(std::ldexp(x, -place)), place);
}

}  // namespace

Fault Hardware(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, std::function<bool(const TypeRow&)> touches, Wrong wrong) {
  std::string id = op;
  for (char& c : id) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return {.id = StrCat(id, ".", what),
          .op = op,
          .source = FaultSource::kHardware,
          .sentence = std::move(sentence),
          .clause = std::move(clause),
          .touches = std::move(touches),
          .does = std::move(wrong)};
}

Fault Reported(const std::string& op, const std::string& what, std::string sentence,
               std::string clause, std::function<bool(const TypeRow&)> touches, Wrong wrong,
               std::string report) {
  Fault fault = Hardware(op, what, std::move(sentence), std::move(clause), std::move(touches),
                         std::move(wrong));
  fault.source = FaultSource::kReported;
  fault.report = std::move(report);
  return fault;
}

Faults Together(std::vector<Faults> lists) {
  Faults all;
  for (Faults& list : lists) {
    for (Fault& fault : list) all.push_back(std::move(fault));
  }
  return all;
}

double TowardZero(DType type, double x) {
  return std::isnan(x) ? x : DecodeFloat(type, EncodeFloatTowardZero(type, x));
}

double WithoutSticky(DType type, double x) {
  if (!std::isfinite(x) || x == 0) return x;
  return RoundTo(type, ToMoreBits(type, x, 2, [](double y) { return std::trunc(y); }));
}

double WithOneBitMore(DType type, double x) {
  if (!std::isfinite(x) || x == 0) return x;
  return RoundTo(type, ToMoreBits(type, x, 1, [](double y) { return std::nearbyint(y); }));
}

double ThroughBf16(DType type, double x) { return RoundTo(type, RoundTo(DType::kBf16, x)); }

double Fp32Truncated(DType type, double x) { return TowardZero(type, RoundTo(DType::kFp32, x)); }

double Saturated(DType type, double x) {
  const double max = Format(type).max;
  return std::isnan(x) ? x : std::clamp(x, -max, max);
}

double WithoutNegativeSubnormals(DType type, double x) {
  return x < 0 && IsSubnormal(type, x) ? -0.0 : x;
}

double InfinityForNan(DType, double x) {
  return std::isnan(x) ? std::numeric_limits<double>::infinity() : x;
}
double ZeroForNan(DType, double x) { return std::isnan(x) ? 0 : x; }
double WithoutNegativeZero(DType, double x) { return x == 0 ? 0 : x; }
bool NeverNan(double) { return false; }
bool NotGreaterOrEqual(double x, double y) { return !(x >= y); }

bool LessUnsigned(int64_t x, int64_t y) {
  return static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
}
bool LessAsFp32(int64_t x, int64_t y) { return static_cast<float>(x) < static_cast<float>(y); }
bool LessByBits(double x, double y) {
  return std::bit_cast<int32_t>(static_cast<float>(x)) <
         std::bit_cast<int32_t>(static_cast<float>(y));
}
bool LessByMagnitude(double x, double y) { return std::fabs(x) < std::fabs(y); }

Wrong Altered(const Alterations& alterations) {
  return [alterations](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    AlteredArithmetic fault(alterations);
    return ComputeWith(op, call, fault);
  };
}

Wrong ByInteger(std::function<int64_t(DType, int64_t)> f) {
  return [f = std::move(f)](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return ForEachElement(
        call, [&](Tensor& out, int64_t i, const Tensor& x, int64_t k, const Tensor&, int64_t) {
          out.SetInteger(i, f(out.dtype(), x.Integer(k)));
        });
  };
}

Wrong ByIntegerPair(std::function<int64_t(DType, int64_t, int64_t)> f) {
  return [f = std::move(f)](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return ForEachElement(
        call, [&](Tensor& out, int64_t i, const Tensor& x, int64_t k, const Tensor& y, int64_t l) {
          out.SetInteger(i, f(out.dtype(), x.Integer(k), y.Integer(l)));
        });
  };
}

Wrong ByFunction(std::function<double(DType, double)> f) {
  return [f = std::move(f)](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return ForEachElement(
        call, [&](Tensor& out, int64_t i, const Tensor& x, int64_t k, const Tensor&, int64_t) {
          out.SetElement(i, f(out.dtype(), x.Element(k)));
        });
  };
}

Wrong ByFunctionPair(std::function<double(DType, double, double)> f) {
  return [f = std::move(f)](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    return ForEachElement(
        call, [&](Tensor& out, int64_t i, const Tensor& x, int64_t k, const Tensor& y, int64_t l) {
          out.SetElement(i, f(out.dtype(), x.Element(k), y.Element(l)));
        });
  };
}

Fault LosesNan(const std::string& op) {
  return Hardware(op, "loses_nan", "stores zero where the result is a NaN",
                  op + ", its table or text for NaN", FloatRows(), Altered({.store = ZeroForNan}));
}

Fault NanIsInfinity(const std::string& op) {
  return Hardware(op, "nan_is_infinity", "stores an infinity where the result is a NaN",
                  op + ", its table or text for NaN", HasNarrowResult,
                  Altered({.store = InfinityForNan}));
}

Fault SaturatesInfinity(const std::string& op) {
  return Hardware(
      op, "saturates_infinity", "stores the greatest finite number where the result is infinite",
      op + ", its table or text for infinities", FloatRows(), Altered({.store = Saturated}));
}

Fault LosesSignOfZero(const std::string& op) {
  return Hardware(op, "loses_sign_of_zero", "stores +0 where its table wants -0",
                  op + ", its table for zeros", FloatRows(),
                  Altered({.store = WithoutNegativeZero}));
}

Fault FlushesSome(const std::string& op, bool turns_signs) {
  Alterations some = {.load = WithoutNegativeSubnormals};
  if (!turns_signs) some.store = WithoutNegativeSubnormals;
  return Hardware(
      op, "flushes_some", "takes subnormal numbers below zero for zeros, and keeps those above",
      "Number Formats: all values of a type are flushed, or none of them",
      [](const TypeRow& row) {
        return HasType(row, DType::kFp16) || HasType(row, DType::kBf16) ||
               HasType(row, DType::kFp32);
      },
      Altered(some));
}

Fault FlushesSomeResults(const std::string& op) {
  return Hardware(
      op, "flushes_some_results",
      "takes subnormal results below zero for zeros, and keeps those above",
      "Floating-Point Precision Requirements: all values of a type are flushed, or none of them",
      [](const TypeRow& row) {
        return HasType(row, DType::kFp16) || HasType(row, DType::kBf16) ||
               HasType(row, DType::kFp32);
      },
      Altered({.store = WithoutNegativeSubnormals}));
}

Faults RoundingFaults(const std::string& op) {
  const std::string& clause = kPrecisionClause;
  const auto add = [&](const char* what, const char* sentence,
                       std::function<bool(const TypeRow&)> rows, double (*round)(DType, double)) {
    return Hardware(op, what, sentence, clause, std::move(rows), Altered({.round = round}));
  };
  return {
      add(
          "truncates", "rounds toward zero",
          [](const TypeRow& row) {
            return HasType(row, DType::kFp16) || HasType(row, DType::kFp32);
          },
          TowardZero),
      add("no_sticky_bit", "rounds by two bits beyond the last, and forgets all others",
          FloatRows(), WithoutSticky),
      add("rounds_twice", "rounds to one bit more than the type has, then to the type", FloatRows(),
          WithOneBitMore),
      add(
          "in_bf16", "computes in bf16",
          [](const TypeRow& row) {
            return HasType(row, DType::kFp16) || HasType(row, DType::kFp32);
          },
          ThroughBf16),
      // Allowed from 1.1 on.
      Reported(
          op, "drops_16_bits", "computes in fp32 and drops the lower 16 bits", clause,
          [](const TypeRow& row) { return HasType(row, DType::kBf16); },
          Altered({.round = Fp32Truncated}), "arm/tosa-specification#12"),
  };
}

Faults Approximations(const std::string& op, double (*exact)(double), const std::string& clause,
                      const std::vector<Approximation>& approximations) {
  Faults faults;
  for (const Approximation& a : approximations) {
    const auto off = [exact, a](DType type, double x) {
      const double y = exact(x);
      if (x == 0 || !std::isfinite(x) || !std::isfinite(y) || !a.where(x)) return y;
      const double error = std::ldexp(a.units(type, x), -Format(type).fraction_bits);
      return a.absolute ? y + error : y + error * y;
    };
    faults.push_back(Hardware(op, a.what, a.sentence, clause, FloatRows(), ByFunction(off)));
  }
  return faults;
}

Faults BroadcastFaults(const std::string& op) {
  using Offset = int64_t (*)(const Shape& out, const Shape& in, int64_t i);
  const auto add = [&](const char* what, const char* sentence, Offset offset) {
    return Hardware(op, what, sentence, "Broadcasting", nullptr,
                    ByCall([offset](CallEditor& editor) {
                      const Call& call = editor.original();
                      const Shape& out = call.shape("output");
                      bool changed = false;
                      for (const char* name : {"input1", "input2", "input3"}) {
                        if (!call.Has(name) || call.shape(name) == out) continue;
                        const Tensor& in = *call.values(name);
                        Tensor wide(in.dtype(), out);
                        for (int64_t i = 0; i < wide.size(); ++i) {
                          const int64_t k = offset(out, in.shape(), i);
                          if (k < in.size()) wide.SetBits(i, in.Bits(k));
                        }
                        editor.SetOperand(name, std::move(wide));
                        changed = true;
                      }
                      return changed;
                    }));
  };
  return {
      add("broadcasts_scalars_only", "takes the first element of whatever is broadcast",
          [](const Shape&, const Shape&, int64_t) { return int64_t{0}; }),
      add("broadcasts_by_repeating", "repeats the elements of what is broadcast in their order",
          [](const Shape&, const Shape& in, int64_t i) { return i % ElementCount(in); }),
      // Elements outside of the operand are zero.
      add("broadcasts_last_dimension_only",
          "steps through a dimension of size 1 as if it were not, but for the last",
          [](const Shape& out, const Shape& in, int64_t i) {
            int64_t result = 0, stride = 1;
            for (size_t d = out.size(); d-- > 0;) {
              if (in[d] != 1 || d + 1 != out.size()) result += i % out[d] * stride;
              i /= out[d];
              stride *= in[d];
            }
            return result;
          }),
  };
}

}  // namespace cts
