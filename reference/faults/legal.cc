#include "reference/faults/legal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <tuple>

#include "absl/strings/str_replace.h"
#include "reference/evaluate/native.h"
#include "reference/faults/accumulation.h"
#include "reference/faults/accumulator_model.h"
#include "reference/faults/fault.h"
#include "reference/faults/functions.h"
#include "reference/faults/kept_terms.h"
#include "reference/faults/legal_extremum.h"
#include "reference/faults/right_answers.h"
#include "reference/faults/tensor_faults.h"
#include "reference/numeric/elementary.h"
#include "reference/ops/dot_product_length.h"
#include "reference/ops/size_ladder.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

class Reversed : public KeptTerms {
 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    double sum = 0;
    for (size_t k = terms.size(); k-- > 0;) sum = RoundTo(type, sum + terms[k]);
    return sum;
  }
};

class Pairwise : public KeptTerms {
 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    return Half(terms, type, 0, terms.size());
  }

 private:
  static double Half(const std::vector<double>& terms, DType type, size_t first, size_t end) {
    if (end - first == 1) return terms[first];
    if (first == end) return 0;
    const size_t middle = first + (end - first) / 2;
    return RoundTo(type, Half(terms, type, first, middle) + Half(terms, type, middle, end));
  }
};

// Compensated summation, every step in the type.
class Kahan : public KeptTerms {
 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    double sum = 0, lost = 0;
    for (const double term : terms) {
      const double y = RoundTo(type, term - lost);
      const double t = RoundTo(type, sum + y);
      lost = RoundTo(type, RoundTo(type, t - sum) - y);
      if (!std::isfinite(lost)) lost = 0;
      sum = t;
    }
    return sum;
  }
};

// Blocks of neighbours, then the blocks' sums.
class Blocked : public KeptTerms {
 public:
  explicit Blocked(size_t block) : block_(block) {}

 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    double sum = 0;
    for (size_t k = 0; k < terms.size(); k += block_) {
      const size_t end = std::min(terms.size(), k + block_);
      sum = RoundTo(type, sum + InOrder(terms, type, k, end, 1));
    }
    return sum;
  }

 private:
  const size_t block_;
};

// Adds every eighth term, as the lanes of a vector do, then the lanes.
class Lanes : public KeptTerms {
 public:
  explicit Lanes(size_t lanes) : lanes_(lanes) {}

 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    double sum = 0;
    for (size_t k = 0; k < std::min(lanes_, terms.size()); ++k) {
      sum = RoundTo(type, sum + InOrder(terms, type, k, terms.size(), lanes_));
    }
    return sum;
  }

 private:
  const size_t lanes_;
};

// A wider accumulator, rounded once.
class Wide : public KeptTerms {
 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    double sum = 0;
    for (const double term : terms) sum += term;
    return RoundTo(type, sum);
  }
  bool RoundsProducts() const override { return false; }
};

// The product is not rounded before it is added.
class Fused : public KeptTerms {
 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    return InOrder(terms, type, 0, terms.size(), 1);
  }
  bool RoundsProducts() const override { return false; }
};

// Splits each fp32 factor into a sum of three bf16 numbers, and adds the six greatest of their
// products. A single product is computed as a whole: 0.100, whose ksb is then 1, allows it an error
// of only half a unit.
class Split : public KeptTerms {
 public:
  void Begin(DType type, int64_t i) override {
    products_ = 0;
    KeptTerms::Begin(type, i);
  }

 protected:
  double Total(const std::vector<double>& terms, DType type) override {
    // The one term that is left of a product of zero is the bias.
    const auto zeros = std::count(terms.begin(), terms.end(), 0.0);
    const bool alone = zeros + 1 >= static_cast<int64_t>(terms.size());
    if (products_ == 1 && alone && whole_ != 0) return whole_;
    return InOrder(terms, type, 0, terms.size(), 1);
  }
  double Product(DType type, double x, double y) override {
    ++products_;
    whole_ = KeptTerms::Product(type, x, y);
    if (type != DType::kFp32 || !std::isfinite(x) || !std::isfinite(y) || x == 0 || y == 0) {
      return whole_;
    }
    double a[3], b[3];
    Parts(x, a);
    Parts(y, b);
    const double small = a[0] * b[2] + a[1] * b[1] + a[2] * b[0];
    return RoundTo(type, RoundTo(type, small + (a[0] * b[1] + a[1] * b[0])) + a[0] * b[0]);
  }
  void Products(DType type, const double* x, const double* y, int64_t count, double* out) override {
    for (int64_t k = 0; k < count; ++k) out[k] = Product(type, x[k], y[k]);
  }

 private:
  static void Parts(double x, double parts[3]) {
    for (int k = 0; k < 3; ++k) {
      parts[k] = RoundTo(DType::kBf16, x);
      if (!std::isfinite(parts[k])) parts[k] = x;  // next to the end of fp32: no split
      x -= parts[k];
    }
  }

  int64_t products_ = 0;  // of this sum
  double whole_ = 0;      // the last of them
};

// Subnormal operands and results become zeros of their sign, which 1.0 preserves: in one type, or
// in all types that may be flushed.
class Flushing : public ArithmeticFault {
 public:
  explicit Flushing(std::optional<DType> only) : only_(only) {}
  bool ReadsAlike() const override { return true; }
  double Load(const Operand& operand, int64_t i) override {
    return Flush(operand.tensor->dtype(), operand.Element(i));
  }
  double Round(DType type, double x) override { return Flush(type, RoundTo(type, x)); }
  double End(DType type, double value) override {
    return IsFloat(type) ? Flush(type, value) : value;
  }
  double SumProducts(DType type, const double* x, const double* y, int64_t count) override {
    if (!Flushes(type)) return Native::SumProducts(type, x, y, count);
    if (type != DType::kFp32) return ArithmeticFault::SumProducts(type, x, y, count);
    float sum = 0;
    for (int64_t k = 0; k < count; ++k) sum = FlushFloat(sum + FloatProduct(x[k], y[k]));
    return static_cast<double>(sum);
  }
  double SumPairs(DType type, const double* x, const double* y, int64_t count) override {
    if (!Flushes(type) || type != DType::kFp32) {
      return ArithmeticFault::SumPairs(type, x, y, count);
    }
    float sum = 0;
    for (int64_t k = 0; k < count; k += 2) {
      const float pair = FloatProduct(x[k], y[k]) + FloatProduct(x[k + 1], y[k + 1]);
      sum = FlushFloat(sum + FlushFloat(pair));
    }
    return static_cast<double>(sum);
  }

 private:
  // For fp32 the processor's float is the same.
  static float FlushFloat(float x) {
    return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
  }
  static float FloatProduct(double x, double y) {
    return FlushFloat(static_cast<float>(x) * static_cast<float>(y));
  }
  bool Flushes(DType type) const { return only_ ? type == *only_ : Info(type).may_flush; }
  double Flush(DType type, double x) const {
    return Flushes(type) && IsSubnormal(type, x) ? std::copysign(0.0, x) : x;
  }

  const std::optional<DType> only_;
};

// Computes functions in fp32 and then rounds to the narrower type, so that they are rounded twice.
class TwiceRounded : public ArithmeticFault {
 public:
  bool ReadsAlike() const override { return true; }
  bool ComputesPlainly() const override { return true; }
  double Apply(DType type, double exact, double) override {
    return Round(type, RoundTo(DType::kFp32, exact));
  }
  double Div(DType type, double x, double y) override {
    return Round(type, RoundTo(DType::kFp32, x / y));
  }
};

// Rounds nothing before it is stored, as if a compiler kept wide registers.
class Unrounded : public ArithmeticFault {
 public:
  bool ReadsAlike() const override { return true; }
  double Round(DType, double x) override { return x; }
  double End(DType type, double value) override {
    return IsFloat(type) ? RoundTo(type, value) : value;
  }
  double SumProducts(DType, const double* x, const double* y, int64_t count) override {
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += x[k] * y[k];
    return sum;
  }
};

// Transforms of a line by halves, in the type.
using Numbers = std::vector<std::complex<double>>;

std::complex<double> Rounded(DType type, const std::complex<double>& z) {
  return {RoundTo(type, z.real()), RoundTo(type, z.imag())};
}

Numbers TransformLine(DType type, const Numbers& line, double sign) {
  const size_t half = line.size() / 2;
  if (half == 0) return line;
  Numbers even(half), odd(half), whole(line.size());
  for (size_t k = 0; k < half; ++k) even[k] = line[2 * k], odd[k] = line[2 * k + 1];
  even = TransformLine(type, even, sign), odd = TransformLine(type, odd, sign);
  constexpr double kPi = 3.141592653589793;
  for (size_t k = 0; k < half; ++k) {
    const double angle = kPi * static_cast<double>(k) / static_cast<double>(half);
    const double c = RoundTo(type, Cos(angle)), s = RoundTo(type, -sign * Sin(angle));
    const auto round = [&](double x) { return RoundTo(type, x); };
    const double x = odd[k].real(), y = odd[k].imag();
    const std::complex<double> turned(round(round(x * c) - round(y * s)),
                                      round(round(x * s) + round(y * c)));
    whole[k] = Rounded(type, even[k] + turned);
    whole[k + half] = Rounded(type, even[k] - turned);
  }
  return whole;
}

// FFT2D and RFFT2D in the usual way: rows, then columns.
std::optional<OperatorOutputs> FastTransform(const Operator& op, const Call& call) {
  if (op.name != "FFT2D" && op.name != "RFFT2D") return std::nullopt;
  const bool complex = op.name == "FFT2D";
  const double sign = complex && call.Flag("inverse") ? -1 : 1;
  const Tensor& real = *call.values("input_real");
  const Tensor* const imag = complex ? call.values("input_imag").get() : nullptr;
  const auto h = static_cast<size_t>(real.shape()[1]), w = static_cast<size_t>(real.shape()[2]);
  const Shape& shape = call.shape("output_real");
  const auto columns = static_cast<size_t>(shape[2]);
  auto out_real = std::make_shared<Tensor>(real.dtype(), shape),
       out_imag = std::make_shared<Tensor>(real.dtype(), shape);
  for (size_t n = 0; n < static_cast<size_t>(shape[0]); ++n) {
    std::vector<Numbers> rows(h, Numbers(w));
    for (size_t y = 0; y < h; ++y) {
      for (size_t x = 0; x < w; ++x) {
        const auto i = static_cast<int64_t>((n * h + y) * w + x);
        rows[y][x] = {real.Element(i), imag == nullptr ? 0 : imag->Element(i)};
      }
      rows[y] = TransformLine(real.dtype(), rows[y], sign);
    }
    for (size_t x = 0; x < columns; ++x) {
      Numbers column(h);
      for (size_t y = 0; y < h; ++y) column[y] = rows[y][x];
      column = TransformLine(real.dtype(), column, sign);
      for (size_t y = 0; y < h; ++y) {
        const auto i = static_cast<int64_t>((n * h + y) * columns + x);
        out_real->SetElement(i, column[y].real());
        out_imag->SetElement(i, column[y].imag());
      }
    }
  }
  return OperatorOutputs{{"output_real", std::move(out_real)},
                         {"output_imag", std::move(out_imag)}};
}

bool IsNanBits(DType type, uint64_t bits) {
  const double x = DecodeFloat(type, bits);
  return x != x;
}
uint64_t SignBit(DType type) { return uint64_t{1} << (Info(type).bits - 1); }

// Puts the zeros of the padding into the input itself. Only a weight that is NaN or infinite tells.
std::optional<OperatorOutputs> MultiplyPadding(const Operator& op, const Call& call) {
  static const Wrong padded = ByCall([](CallEditor& editor) { return PadOperand(editor, 0); });
  const bool is_convolution = call.Has("weight") && call.Has("pad");
  if (!is_convolution || !IsFloat(call.dtype("input"))) return std::nullopt;
  return padded(op, call);
}

std::optional<OperatorOutputs> NegateFromZero(const Operator& op, const Call& call) {
  if (op.name != "NEGATE" || !IsFloat(call.dtype("input1"))) return std::nullopt;
  const Tensor& given = *call.values("input1");
  auto output = std::make_shared<Tensor>(given.dtype(), given.shape());
  for (int64_t i = 0; i < given.size(); ++i) output->SetElement(i, 0.0 - given.Element(i));
  return OperatorOutputs{{"output", std::move(output)}};
}

std::optional<OperatorOutputs> NegateFromZeroAndFlush(const Operator& op, const Call& call) {
  std::optional<OperatorOutputs> outputs = NegateFromZero(op, call);
  if (!outputs) return std::nullopt;
  Tensor& output = *outputs->at("output");
  for (int64_t i = 0; i < output.size(); ++i) {
    const double x = output.Element(i);
    if (IsSubnormal(output.dtype(), x)) output.SetElement(i, std::copysign(0.0, x));
  }
  return outputs;
}

template <class F, class... Args>
LegalImplementation ByArithmetic(const std::string& id, const std::string& sentence,
                                 const std::string& clause, Args... args) {
  return {.id = id, .sentence = sentence, .clause = clause, .arithmetic = [args...] {
            return std::make_unique<F>(args...);
          }};
}

// Whether a call has sums of at most `longest` products in fp32, judged by the limits of 1.0.
bool MayAlign(const Call& call, int64_t longest) {
  const SizedDimension* const length = LongSumsOf(call.edition(), call.given());
  if (length == nullptr) return false;
  const PrecisionTable& table = *call.edition().precision;
  if (!SumsProducts(table.FindDotProduct(call.given().name)->length)) return false;
  const DotProductNumbers* const numbers = table.dot_products();
  if (numbers == nullptr || numbers->variance < 1.6) return false;
  return HasFloat(call.row()) && AccumulatorOf(call.row()) == DType::kFp32 &&
         length->size(call) <= longest;
}

// Matrix units (accumulator_model.h), as long as their sums pass: suites/ACCUMULATORS.md.
void AddMatrixUnits(const std::string& clause, std::vector<LegalImplementation>& all) {
  for (const auto& [id, longest] :
       std::vector<std::pair<std::string, int64_t>>{{"align_4x23", 4096},
                                                    {"align_8x24", 256},
                                                    {"align_16x24", 2048},
                                                    {"align_16x25", 1024},
                                                    {"align_8x24_nearest", 4096}}) {
    all.push_back(
        {.id = "sum_" + id,
         .sentence =
             StrCat(NameOf(FindAccumulatorModel(id)), ", up to ", longest, " products in fp32"),
         .clause = clause,
         .arithmetic = [model = id] { return InAccumulator(FindAccumulatorModel(model)); },
         .where = [most = longest](const Call& call) { return MayAlign(call, most); }});
  }
}

std::vector<LegalImplementation> Make() {
  const std::string sums = kPrecisionClause + ": any order, any precision within bounds";
  const std::string flush = "Number Formats: subnormals may be flushed";
  const std::string nan = "Number Formats: which NaN is not said";
  std::vector<LegalImplementation> all = {
      ByArithmetic<Reversed>("sum_reversed", "sums from the last term to the first", sums),
      ByArithmetic<Pairwise>("sum_pairwise", "sums by halves", sums),
      ByArithmetic<Kahan>("sum_kahan", "sums with compensation", sums),
      ByArithmetic<Wide>("sum_wide", "sums in fp64 and rounds once", sums),
      ByArithmetic<Fused>("sum_fused", "adds products that are not rounded", sums),
      ByArithmetic<Split>("sum_split_bf16", "multiplies fp32 as three bf16 numbers each", sums),
  };
  for (const size_t block : {2, 4, 8, 16, 32, 64, 128, 256}) {
    all.push_back(ByArithmetic<Blocked>(StrCat("sum_blocks_", block),
                                        StrCat("sums blocks of ", block, ", then their sums"), sums,
                                        block));
  }
  for (const size_t lanes : {2, 4, 8, 16, 32}) {
    all.push_back(ByArithmetic<Lanes>(StrCat("sum_lanes_", lanes),
                                      StrCat("sums every ", lanes, "th term, then these sums"),
                                      sums, lanes));
  }
  AddMatrixUnits(sums, all);
  for (LegalImplementation& legal : all) legal.sums_only = true;
  all.push_back({.id = "fft_by_halves",
                 .sentence = "transforms rows, then columns, each by halves",
                 .clause = sums,
                 .compute = FastTransform});
  all.push_back({.id = "multiply_padding",
                 .sentence = "multiplies the weights by the zeros of the padding, too",
                 .clause = "Dot product accuracy requirements, tosa_extra_multiplies",
                 .compute = MultiplyPadding});
  all.push_back(ByArithmetic<Flushing>("flush_all", "flushes every subnormal, the sign stays",
                                       flush, std::optional<DType>()));
  // Each type by itself: all of its values or none.
  for (const DType type : {DType::kFp16, DType::kBf16, DType::kFp32}) {
    const std::string name(Name(type));
    all.push_back(ByArithmetic<Flushing>(StrCat("flush_", name),
                                         StrCat("flushes the subnormals of ", name, " alone"),
                                         flush, std::optional<DType>(type)));
  }
  all.push_back(ByArithmetic<TwiceRounded>("functions_in_fp32",
                                           "computes functions in fp32 and rounds them once more",
                                           "the bounds of each function"));
  all.push_back(ByArithmetic<Unrounded>("wide_registers", "rounds only what is stored",
                                        "the bounds of each operator"));
  const auto stored = [&](const std::string& id, const std::string& sentence,
                          const std::string& clause, auto change) {
    all.push_back({.id = id, .sentence = sentence, .clause = clause, .stored = change});
  };
  stored("nan_negative", "its NaN has the sign bit", nan,
         [](const Rule&, DType type, uint64_t bits, int64_t) {
           return IsNanBits(type, bits) ? bits | SignBit(type) : bits;
         });
  stored("nan_positive", "its NaN has no sign bit", nan,
         [](const Rule&, DType type, uint64_t bits, int64_t) {
           return IsNanBits(type, bits) ? bits & ~SignBit(type) : bits;
         });
  stored("nan_payload", "its NaN has every bit of the fraction", nan,
         [](const Rule&, DType type, uint64_t bits, int64_t) {
           return IsNanBits(type, bits) ? ~SignBit(type) & (SignBit(type) * 2 - 1) : bits;
         });
  stored("nan_every_payload", "its NaNs differ from element to element", nan,
         [](const Rule&, DType type, uint64_t bits, int64_t i) {
           if (!IsNanBits(type, bits) || type == DType::kFp8E4M3) return bits;
           const uint64_t quiet = SignBit(type) >> (Info(type).bits - Format(type).fraction_bits);
           const uint64_t low = static_cast<uint64_t>(i) & (quiet - 1);
           return (bits & ~(quiet * 2 - 1)) | quiet | low;
         });
  for (const bool negative : {false, true}) {
    stored(negative ? "zero_negative" : "zero_positive",
           StrCat("a zero is ", negative ? "-0" : "+0", " where its sign is free"),
           "the operators' tables of special values",
           [negative](const Rule& rule, DType type, uint64_t bits, int64_t) {
             if (rule.zero_sign || (bits & ~SignBit(type)) != 0) return bits;
             return negative ? SignBit(type) : 0;
           });
  }
  const std::string zero = "NEGATE: its table and its pseudocode differ";
  all.push_back({.id = "negate_from_zero",
                 .sentence = "subtracts from zero to negate, so that NEGATE of +0 is +0",
                 .clause = zero,
                 .compute = NegateFromZero});
  all.push_back(ByArithmetic<Flushing>("flush_negate_from_zero",
                                       "flushes every subnormal, and in NEGATE the difference from "
                                       "zero: -0 of a subnormal, +0 of +0",
                                       StrCat(zero, "; ", flush), std::optional<DType>()));
  all.back().compute = NegateFromZeroAndFlush;
  const std::string ignore = "nan_mode IGNORE, and Number Formats of a signalling NaN";
  for (const auto& [id, sentence, function] :
       {std::tuple("max_num_2008", "takes maxNum and minNum of IEEE 754-2008 to ignore NaN",
                   IeeeExtremum::kNum2008),
        std::tuple("maximum_number_2019",
                   "takes maximumNumber and minimumNumber of IEEE 754-2019 to ignore NaN",
                   IeeeExtremum::kNumber2019)}) {
    all.push_back({.id = id,
                   .sentence = sentence,
                   .clause = ignore,
                   .compute = [function = function](const Operator& op, const Call& call) {
                     return ByIeeeExtremum(function, op, call);
                   }});
  }
  return all;
}

class LegalDeparture : public Departure {
 public:
  explicit LegalDeparture(const LegalImplementation& legal) : legal_(legal) {}
  std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const override {
    if (legal_.compute != nullptr) {
      std::optional<OperatorOutputs> outputs = legal_.compute(op, call);
      if (outputs.has_value()) return outputs;
    }
    if (!ComputesByArithmetic(call)) return RememberedAnswer(op, call);
    const std::unique_ptr<ArithmeticFault> arithmetic = legal_.arithmetic();
    return ComputeWith(op, call, *arithmetic);
  }

 private:
  bool ComputesByArithmetic(const Call& call) const {
    if (legal_.arithmetic == nullptr) return false;
    const PrecisionTable* const precision = call.edition().precision.get();
    if (legal_.sums_only && (precision == nullptr || !precision->IsDotProduct(call.given().name))) {
      return false;
    }
    return legal_.where == nullptr || legal_.where(call);
  }

  const LegalImplementation& legal_;
};

}  // namespace

const std::vector<LegalImplementation>& LegalImplementations() {
  static const auto& all = *new std::vector<LegalImplementation>(Make());
  return all;
}

std::string ClauseOf(const LegalImplementation& legal, const Edition& edition) {
  const PrecisionTable* const table = edition.precision.get();
  const DotProductNumbers* const sums = table == nullptr ? nullptr : table->dot_products();
  return absl::StrReplaceAll(
      legal.clause, {{kPrecisionClause, sums == nullptr ? "sums of products" : sums->clause}});
}

StatusOr<std::vector<NativeResult>> ExecuteLegal(const LegalImplementation& legal, const Case& c,
                                                 const Edition& edition, const Level& level) {
  const LegalDeparture departure(legal);
  CTS_ASSIGN_OR_RETURN(
      std::vector<NativeResult> results,
      ExecuteNativeSequence(c.graph, c.InputsOfExecutions(), edition, level, &departure));
  if (legal.stored == nullptr) return results;
  for (const ExpectedOutput& output : c.outputs) {
    const auto execution = static_cast<size_t>(output.execution);
    if (!IsFloat(output.dtype) || execution >= results.size()) continue;
    const auto found = results[execution].outputs.find(output.name);
    if (found == results[execution].outputs.end()) continue;
    Tensor& tensor = found->second;
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.SetBits(i, legal.stored(output.rule, output.dtype, tensor.Bits(i), i));
    }
  }
  return results;
}

}  // namespace cts
