// Functions of one number, and POW: a bound per element, and a table of special values.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/numeric/elementary.h"
#include "reference/ops/broadcast.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

constexpr double kMax = std::numeric_limits<double>::max();

// One element of a function: its type, argument and reference.
struct Element {
  DType type;
  double x;
  double ref;

  int frac() const { return Format(type).fraction_bits; }
  // What 1.0 calls err_base.
  double exp_error() const { return type == DType::kFp32 ? 3 : 1; }
};

double HalfUlp(const Element& e) { return UlpErrorBound(e.type, e.ref, 0.5); }
double OneUlp(const Element& e) { return UlpErrorBound(e.type, e.ref, 1); }
double TwoUlp(const Element& e) { return UlpErrorBound(e.type, e.ref, 2); }
double FiveUlp(const Element& e) { return UlpErrorBound(e.type, e.ref, 5); }

// exp2(-normal_frac / 2) for odd normal_frac: dividing whole numbers is the more lenient reading,
// and what the type of exp2's argument makes of the other.
double HalfOfTheBits(DType type, double value) {
  return std::ldexp(value, -(Format(type).fraction_bits / 2));
}

double CosBound(const Element& e) { return HalfOfTheBits(e.type, 1 + std::fabs(e.x)); }

double SinBound(const Element& e) {
  constexpr double kPi = 3.141592653589793;
  const double least = Format(e.type).normal_min();
  return std::max(2 * HalfOfTheBits(e.type, std::max(std::fabs(e.x), least)), kPi * least);
}

double DraftTrigonometricBound(const Element& e) { return HalfOfTheBits(e.type, std::fabs(e.ref)); }

double ExpBound(const Element& e) {
  const double factor = e.exp_error() + 2 * std::fabs(e.x);
  if (std::isinf(e.ref)) return BoundOfInfinity(std::ldexp(factor, -e.frac()));
  // Where a finite reference has a bound beyond fp64, no finite result is outside.
  return std::min(AbsoluteErrorBound(e.type, e.ref, factor), kMax);
}

double DraftExpBound(const Element& e) {
  const double factor = 1 + std::fabs(e.x);
  if (std::isinf(e.ref)) return BoundOfInfinity(std::ldexp(factor, -e.frac()));
  return std::min(std::ldexp(std::fabs(e.ref), -e.frac()) * factor, kMax);
}

double LogBound(const Element& e) { return AbsoluteErrorBound(e.type, e.ref, 5, 0.5); }

double SigmoidBound(const Element& e) {
  return AbsoluteErrorBound(e.type, e.ref, 2 * (1 + std::fabs(e.x)));
}

// Without a table, 0.100 has no limit for an infinite argument.
double DraftSigmoidBound(const Element& e) {
  if (std::isinf(e.x)) return kMax;
  return std::ldexp(std::fabs(e.ref), -e.frac()) * (2 * (1 + std::fabs(e.x)));
}

double TanhBound(const Element& e) {
  return AbsoluteErrorBound(e.type, e.ref, 4 * (e.exp_error() + 2 * std::fabs(e.x)), 0.5);
}

double DraftTanhBound(const Element& e) {
  if (std::isinf(e.x)) return kMax;
  return std::ldexp(std::max(0.5, std::fabs(e.ref) * (4 * (1 + std::fabs(e.x)))), -e.frac());
}

// What one edition says of one operator.
struct Words {
  bool table = true;         // whether it has a table for infinities, zeros and NaN
  bool signed_zeros = true;  // whether the table tells the zeros apart
  double (*bound)(const Element&);
  std::string_view text;
};

struct ElementwiseWords {
  std::string_view op;
  Words latest;  // tosa-1.0
  Words draft;   // tosa-0.100
};

constexpr ElementwiseWords kWords[] = {
    {"SIGMOID",
     {true, false, SigmoidBound, "within max(|ref|, normal_min) * 2^-frac * 2 * (1 + |x|)"},
     {false, false, DraftSigmoidBound, "within |ref| * 2^-frac * 2 * (1 + |x|)"}},
    {"TANH",
     {true, true, TanhBound, "within 2^-frac * max(0.5, |ref| * 4 * (err_base + 2|x|))"},
     {false, false, DraftTanhBound, "within 2^-frac * max(0.5, |ref| * 4 * (1 + |x|))"}},
    {"CEIL", {true, true, HalfUlp, "within 0.5 ulp"}, {true, true, HalfUlp, "within 0.5 ulp"}},
    {"COS",
     {true, true, CosBound, "within 2^(-frac/2) * (1 + |x|)"},
     {true, true, DraftTrigonometricBound, "within |ref| * 2^(-frac/2)"}},
    {"EXP",
     {true, true, ExpBound,
      "within max(|ref|, normal_min) * 2^-frac * (err_base + 2|x|), err_base 3 for fp32, else 1"},
     {true, true, DraftExpBound, "within |ref| * 2^-frac * (1 + |x|)"}},
    {"FLOOR", {true, true, HalfUlp, "within 0.5 ulp"}, {true, true, HalfUlp, "within 0.5 ulp"}},
    {"LOG",
     {true, true, LogBound, "within 2^-frac * max(0.5, 5 * |ref|)"},
     {true, true, FiveUlp, "within 5 ulp"}},
    {"RECIPROCAL", {true, true, OneUlp, "within 1 ulp"}, {true, true, OneUlp, "within 1 ulp"}},
    {"RSQRT", {true, true, TwoUlp, "within 2 ulp"}, {true, true, TwoUlp, "within 2 ulp"}},
    {"SIN",
     {true, true, SinBound, "within max(2 * |x| * 2^(-frac/2), pi * normal_min)"},
     {true, true, DraftTrigonometricBound, "within |ref| * 2^(-frac/2)"}},
};

const ElementwiseWords* FindWords(std::string_view op) {
  for (const ElementwiseWords& words : kWords) {
    if (words.op == op) return &words;
  }
  return nullptr;
}

bool IsSpecial(double x) { return x == 0 || !std::isfinite(x); }

}  // namespace

bool HasElementwiseRule(std::string_view op) { return FindWords(op) != nullptr; }

RuledAnswer ElementwiseRule(const Call& call, Computation& computation, Tensor ref) {
  const ElementwiseWords& both = *FindWords(call.name());
  const Words& words = call.Is("tosa-0.100") ? both.draft : both.latest;
  const DType type = call.dtype("output");
  // COS and SIN call their operand "input" in 0.100, as the activation functions always do.
  const Operand& input = computation.In(call.Has("input1") ? "input1" : "input");
  Tensor bound(DType::kFp64, ref.shape());
  for (int64_t i = 0; i < ref.size(); ++i) {
    const Element e{type, input.Float(i), ref.Float(i)};
    // A NaN has no tolerance: any NaN, and nothing else.
    if (std::isnan(e.ref) || (words.table && IsSpecial(e.x))) continue;
    const double error = words.bound(e);
    // Only a result beyond fp64 is an infinity here, and is held exactly.
    bound.SetFloat(i, std::isinf(e.ref) ? error : Positive(error));
  }
  Rule rule{.kind = RuleKind::kAbsoluteBound,
            .form = call.edition().Rules(),
            .clause = StrCat(call.edition().id, ", ", call.name(), ": ", words.text,
                             words.table ? "; its table for infinities, zeros and NaN" : ""),
            .zero_sign = words.signed_zeros};
  return {std::move(rule), {.expected = std::move(ref), .bound = std::move(bound)}};
}

namespace {

// The bound of base x > 0 to the exponent y, or in 0.100 of any base but zero.
double PowBound(DType type, bool draft, double x, double y, double ref) {
  const int frac = Format(type).fraction_bits;
  const double log = y * Log(std::fabs(x));
  if (draft) {
    const double factor = 2 * (1 + std::fabs(log));
    if (std::isinf(ref)) return BoundOfInfinity(std::ldexp(factor, -frac));
    return Positive(std::min(std::ldexp(std::fabs(ref), -frac) * factor, kMax));
  }
  if (y == 0) return 0;  // exactly 1
  const double mul_error = AbsoluteErrorBound(type, log, 5.5, std::fabs(0.55 * y));
  const double factor = (type == DType::kFp32 ? 3 : 1) + 2 * std::fabs(log + mul_error);
  if (std::isinf(ref)) return BoundOfInfinity(Expm1(mul_error) + std::ldexp(factor, -frac));
  // ref * expm1(mul_error) in the reals, also where ref is zero in fp64 and the other infinite.
  double error = ref * Expm1(mul_error);
  if (std::isnan(error)) error = Exp(log + mul_error);
  // Infinite, there is no limit: the comparing function of 1.0 says so.
  return Positive(error + AbsoluteErrorBound(type, ref, factor));
}

}  // namespace

RuledAnswer PowRule(const Call& call, Computation& computation, Tensor expected) {
  const bool draft = call.Is("tosa-0.100");
  const DType type = call.dtype("output");
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const Shape &shape = call.shape("output"), &shape1 = call.shape("input1"),
              &shape2 = call.shape("input2");
  Tensor bound(DType::kFp64, shape);
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double x = input1.Float(BroadcastOffset(shape, shape1, i));
    const double y = input2.Float(BroadcastOffset(shape, shape2, i));
    const double ref = expected.Float(i);
    if (std::isnan(x) || std::isnan(y)) {
      // 0.100 makes a NaN of any NaN, fp64 arithmetic makes 1 of some: nothing binds those. 1.0
      // has no such graph.
      bound.SetFloat(i, std::isnan(ref) ? 0 : std::numeric_limits<double>::infinity());
    } else if (std::isinf(x) || std::isinf(y) || (x == 0 && y <= 0)) {
      // Undefined: in 1.0 only where a base was flushed. 0.100 says nothing, and its formula is not
      // a number; what 1.0 calls undefined is taken to be so there.
      bound.SetFloat(i, std::numeric_limits<double>::infinity());
    } else if (x == 0) {
      expected.SetFloat(i, 0);
    } else if (!std::isnan(ref)) {
      bound.SetFloat(i, PowBound(type, draft, x, y, ref));
    }
  }
  Rule rule{.kind = RuleKind::kAbsoluteBound,
            .form = call.edition().Rules(),
            .clause = StrCat(call.edition().id, ", POW: ",
                             draft ? "within |ref| * 2^-frac * 2 * (1 + |y log |x||)"
                                   : "within the errors of exp(y * log(x))",
                             "; nothing binds an undefined result")};
  return {std::move(rule), {.expected = std::move(expected), .bound = std::move(bound)}};
}

}  // namespace cts
