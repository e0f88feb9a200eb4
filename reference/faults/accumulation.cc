#include "reference/faults/accumulation.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/base/status.h"
#include "reference/faults/accumulator_model.h"
#include "reference/faults/functions.h"
#include "reference/faults/tensor_faults.h"

namespace cts {
namespace {

constexpr DType kI4 = DType::kI4, kI8 = DType::kI8, kI16 = DType::kI16, kI32 = DType::kI32,
                kI48 = DType::kI48, kFp16 = DType::kFp16, kBf16 = DType::kBf16,
                kFp32 = DType::kFp32;

using Rounding = double (*)(DType type, double x);

// Rounds every sum, or every product, otherwise than to the accumulator's type.
class RoundsSums : public SumFault {
 public:
  RoundsSums(bool of_products, Rounding round) : SumFault(of_products), round_(round) {}
  bool ReadsAlike() const override { return true; }

 protected:
  double AddTerm(DType type, double x, double y) override { return round_(type, x + y); }

 private:
  const Rounding round_;
};

class RoundsProducts : public SumFault {
 public:
  RoundsProducts(bool of_products, Rounding round) : SumFault(of_products), round_(round) {}
  bool ReadsAlike() const override { return true; }

 protected:
  double Product(DType type, double x, double y) override { return round_(type, x * y); }

 private:
  const Rounding round_;
};

// Splits each fp32 factor into a sum of two bf16 numbers, and adds the three greatest of their
// products.
class SplitsInTwo : public SumFault {
 public:
  SplitsInTwo() : SumFault(true) {}
  bool ReadsAlike() const override { return true; }

 protected:
  double Product(DType type, double x, double y) override {
    if (!std::isfinite(x) || !std::isfinite(y)) return SumFault::Product(type, x, y);
    const double a = RoundTo(kBf16, x), b = RoundTo(kBf16, y);
    // Next to the end of fp32: no split.
    if (!std::isfinite(a) || !std::isfinite(b)) return SumFault::Product(type, x, y);
    const double rest_a = RoundTo(kBf16, x - a), rest_b = RoundTo(kBf16, y - b);
    return RoundTo(type, a * b + (a * rest_b + rest_a * b));
  }
};

// Reads the summed values, not the bias, with other digits.
class RoundsOperands : public ArithmeticFault {
 public:
  explicit RoundsOperands(Rounding round) : round_(round) {}
  bool ReadsAlike() const override { return true; }
  bool ComputesPlainly() const override { return true; }
  double Load(const Operand& operand, int64_t i) override {
    const double x = operand.Element(i);
    return operand.id < 2 ? round_(operand.tensor->dtype(), x) : x;
  }

 private:
  const Rounding round_;
};

double ToFp16(DType, double x) { return RoundTo(kFp16, x); }
double ToBf16(DType, double x) { return RoundTo(kBf16, x); }
double ToTf32(DType, double x) { return RoundToBits(x, 11); }

int64_t Wrapped(int64_t x, int bits) {
  return static_cast<int64_t>(static_cast<uint64_t>(x) << (64 - bits)) >> (64 - bits);
}
int64_t Saturated(int64_t x, int bits) {
  const int64_t end = int64_t{1} << (bits - 1);
  return std::clamp(x, -end, end - 1);
}
int64_t InFp32(int64_t x, int) {
  return static_cast<int64_t>(RoundTo(kFp32, static_cast<double>(x)));
}
using Fitting = int64_t (*)(int64_t x, int bits);

class FitsSums : public SumFault {
 public:
  FitsSums(bool of_products, Fitting fit, int bits)
      : SumFault(of_products), fit_(fit), bits_(bits) {}

 protected:
  int64_t AddTerm(DType type, int64_t x, int64_t y) override {
    return fit_(SumFault::AddTerm(type, x, y), bits_);
  }

 private:
  const Fitting fit_;
  const int bits_;
};

class FitsProducts : public SumFault {
 public:
  FitsProducts(Fitting fit, int bits) : SumFault(true), fit_(fit), bits_(bits) {}

 protected:
  int64_t Product(DType type, int64_t x, int64_t y) override {
    return fit_(SumFault::Product(type, x, y), bits_);
  }

 private:
  const Fitting fit_;
  const int bits_;
};

// Two products at a time, their sum saturated to 16 bits: an instruction that multiplies and adds
// pairs.
class SaturatesPairs : public SumFault {
 public:
  SaturatesPairs() : SumFault(true) {}

 protected:
  int64_t AddTerm(DType, int64_t acc, int64_t product) override {
    if (terms() % 2 == 1) {
      before_ = acc;
      pending_ = product;
      return acc + Saturated(product, 16);
    }
    return before_ + Saturated(pending_ + product, 16);
  }

 private:
  int64_t before_ = 0, pending_ = 0;
};

// Reads the elements of a type as other bits; the bias only if `of_bias`.
class ReadsBits : public ArithmeticFault {
 public:
  ReadsBits(DType type, int bits, bool is_signed) : type_(type), bits_(bits), signed_(is_signed) {}
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    const int64_t x = operand.Integer(i);
    if (operand.tensor->dtype() != type_) return x;
    return signed_ ? Wrapped(x, bits_) : x & ((int64_t{1} << bits_) - 1);
  }

 private:
  const DType type_;
  const int bits_;
  const bool signed_;
};

// Subtracts a zero point by `subtract`. A missing zero point is zero.
class SubtractsZeroPoints : public ArithmeticFault {
 public:
  using Subtract = int64_t (*)(int64_t x, int64_t zero_point);
  explicit SubtractsZeroPoints(Subtract subtract) : subtract_(subtract) {}
  int64_t SubInteger(DType, int64_t x, int64_t zero_point) override {
    return zero_point == 0 ? x : subtract_(x, zero_point);
  }

 private:
  const Subtract subtract_;
};

// Subtracts no zero point from one operand's elements beyond the whole vectors of `width` channels:
// the loop for the rest forgets it. `run` channels lie `step` elements apart in the operand.
class ForgetsTheZeroPoint : public ArithmeticFault {
 public:
  ForgetsTheZeroPoint(int operand, int64_t run, int64_t step, int64_t width)
      : operand_(operand), run_(run), step_(step), first_(run / width * width) {}
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    forgets_ = operand.id == operand_ && i / step_ % run_ >= first_;
    return operand.Integer(i);
  }
  int64_t SubInteger(DType type, int64_t x, int64_t zero_point) override {
    return forgets_ ? x : ArithmeticFault::SubInteger(type, x, zero_point);
  }

 private:
  const int operand_;
  const int64_t run_, step_, first_;
  bool forgets_ = false;
};

// Eight bits of another format.
class ReadsFp8AsFnuz : public ArithmeticFault {
 public:
  bool ReadsAlike() const override { return true; }
  bool ComputesPlainly() const override { return true; }
  double Load(const Operand& operand, int64_t i) override {
    const double x = operand.Element(i);
    if (StorageBytes(operand.tensor->dtype()) != 1) return x;
    return operand.tensor->Bits(i) == 0x80 ? std::nan("") : x / 2;
  }
};

// fp16 as bf16 and the reverse.
class ReadsOtherHalf : public ArithmeticFault {
 public:
  bool ReadsAlike() const override { return true; }
  bool ComputesPlainly() const override { return true; }
  double Load(const Operand& operand, int64_t i) override {
    const DType type = operand.tensor->dtype();
    if (operand.id > 1 || (type != kFp16 && type != kBf16)) return operand.Element(i);
    return DecodeFloat(type == kFp16 ? kBf16 : kFp16, operand.tensor->Bits(i));
  }
};

// The bias of the position within a row, not of the channel.
class BiasOfColumn : public ArithmeticFault {
 public:
  explicit BiasOfColumn(int64_t channels) : channels_(channels) {}
  void Begin(DType, int64_t offset) override { offset_ = offset; }
  double Load(const Operand& operand, int64_t i) override {
    return operand.Element(Place(operand, i));
  }
  int64_t LoadInteger(const Operand& operand, int64_t i) override {
    return operand.Integer(Place(operand, i));
  }

 private:
  int64_t Place(const Operand& operand, int64_t i) const {
    return operand.id < 2 ? i : offset_ / channels_ % operand.tensor->size();
  }
  const int64_t channels_;
  int64_t offset_ = 0;
};

// Errors that the dot-product rule accepts are no faults (notes.md, what the dot-product rule
// sees): those of single products, rounded in the accumulator; those of the result's own rounding;
// those of sums rounded one way, if the result is coarser than the accumulator, or the operands are
// so coarse that few sums are inexact.
bool HasWiderResult(const TypeRow& row) { return HasFloat(row) && OperandOf(row) != ResultOf(row); }
bool SumsShow(const TypeRow& row) {
  const bool fp8 = StorageBytes(OperandOf(row)) == 1;
  return HasFloat(row) && !fp8 && AccumulatorOf(row) == ResultOf(row);
}

Wrong SumsBy(const std::string& model) {
  return [model](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    const auto arithmetic = InAccumulator(FindAccumulatorModel(model));
    return ComputeWith(op, call, *arithmetic);
  };
}

// Matrix units (accumulator_model.h) whose sums the rule refuses: suites/ACCUMULATORS.md. A loss in
// sums of fp32 does not show in a narrower result.
void AddAlignedSums(FaultFamily& family) {
  const RowTest to_fp32 = [](const TypeRow& row) {
    return HasFloat(row) && AccumulatorOf(row) == kFp32 && ResultOf(row) == kFp32;
  };
  const RowTest fp16 = And(Operands({kFp16}), Accumulates({kFp16}));
  family.Add("keeps_22_fraction_bits",
             "adds 4 products at a time and keeps 22 fraction bits beneath the greatest exponent",
             to_fp32, SumsBy("align_4x22"));
  family.Add("keeps_9_fraction_bits",
             "adds 4 products at a time and keeps 9 fraction bits beneath the greatest exponent",
             fp16, SumsBy("align_4x9"));
  family.Add("aligns_products_down",
             "adds 8 products at a time and rounds each down to 24 fraction bits", to_fp32,
             SumsBy("align_8x24_down"));
  family.Add("truncates_sums_of_8",
             "adds 8 products at a time, keeps 24 fraction bits, and rounds the sum toward zero",
             to_fp32, SumsBy("align_8x24"));
}

void AddFloats(const SumOperator& sum, FaultFamily& family) {
  const bool products = sum.of_products;
  const RowTest fp32 = Accumulates({kFp32}), any = Accumulates({kFp16, kFp32});
  family.clause = sum.name + ", accumulation in acc_t; " + kPrecisionClause;
  family.Add("accumulates_in_fp16", "rounds every sum to fp16", fp32,
             InArithmetic<RoundsSums>(products, ToFp16));
  family.Add("accumulates_in_bf16", "rounds every sum to bf16", any,
             InArithmetic<RoundsSums>(products, ToBf16));
  // In a result of bf16 the rule sees none of that.
  family.Add("accumulates_in_tf32", "rounds every sum to 10 bits of fraction",
             And(fp32, [](const TypeRow& row) { return ResultOf(row) != kBf16; }),
             InArithmetic<RoundsSums>(products, ToTf32));
  family.Add("truncates_every_sum", "rounds every sum toward zero", SumsShow,
             InArithmetic<RoundsSums>(products, RoundTowardZero));
  family.Add("rounds_every_sum_up", "rounds every sum toward plus infinity", SumsShow,
             InArithmetic<RoundsSums>(products, RoundUp));
  family.Add("rounds_operands_to_tf32", "reads operands with 10 bits of fraction",
             Operands({kFp32}), InArithmetic<RoundsOperands>(ToTf32));
  family.Add("rounds_operands_to_bf16", "reads operands as bf16", Operands({kFp32, kFp16}),
             InArithmetic<RoundsOperands>(ToBf16));
  family.Add("rounds_operands_to_fp16", "reads operands as fp16", Operands({kFp32, kBf16}),
             InArithmetic<RoundsOperands>(ToFp16));
  family.Add(
      "truncates_operands_to_bf16", "reads the upper 16 bits of operands", Operands({kFp32}),
      InArithmetic<RoundsOperands>([](DType, double x) { return RoundTowardZero(kBf16, x); }));
  family.Add("reads_the_other_half_format", "reads fp16 as bf16 or bf16 as fp16",
             Operands({kFp16, kBf16}), InArithmetic<ReadsOtherHalf>());
  family.Add("reads_fp8_as_fnuz",
             "reads fp8 with an exponent bias of one more and no negative zero",
             Operands({DType::kFp8E4M3, DType::kFp8E5M2}), InArithmetic<ReadsFp8AsFnuz>());
  if (!products) return;
  AddAlignedSums(family);
  family.Add("splits_operands_in_two", "multiplies fp32 as two bf16 numbers each",
             Operands({kFp32}), InArithmetic<SplitsInTwo>());
  for (const DType type : {DType::kFp8E4M3, DType::kFp8E5M2, kFp16, kBf16}) {
    family.Add(StrCat("rounds_products_to_", std::string(Name(type))),
               "rounds every product to the type of the operands",
               And(Operands({type}), HasWiderResult),
               type == kFp16   ? InArithmetic<RoundsProducts>(products, ToFp16)
               : type == kBf16 ? InArithmetic<RoundsProducts>(products, ToBf16)
               : type == DType::kFp8E4M3
                   ? InArithmetic<RoundsProducts>(
                         products, [](DType, double x) { return RoundTo(DType::kFp8E4M3, x); })
                   : InArithmetic<RoundsProducts>(
                         products, [](DType, double x) { return RoundTo(DType::kFp8E5M2, x); }));
  }
}

// The channels of the operand are its last axis, but for MATMUL's B: its rows.
Wrong ForgetsZeroPointOf(const std::string& operand, int64_t width) {
  return [operand, width](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    const Shape& shape = call.shape(operand);
    const bool rows = operand == "B";
    const int64_t run = rows ? shape[1] : shape.back();
    if (run % width == 0) return std::nullopt;
    const bool is_value = operand == "input" || operand == "A";
    ForgetsTheZeroPoint fault(is_value ? 0 : 1, run, rows ? shape[2] : 1, width);
    return ComputeWith(op, call, fault);
  };
}

void AddZeroPointsOfTails(const SumOperator& sum, FaultFamily& family) {
  std::vector<std::string> operands = {"input", "weight"};
  if (sum.name == "MATMUL") operands = {"A", "B"};
  if (!sum.of_products) operands = {"input"};
  for (const std::string& operand : operands) {
    const bool is_weight = operand == "weight";
    for (const int64_t width : {4, 8, 16}) {
      std::string name = StrCat("forgets_", operand, "_zp_beyond_vectors_of_", width);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      family.Add(
          name,
          StrCat("subtracts no ", operand, "_zp from channels beyond whole vectors of ", width),
          is_weight ? And(Operands({kI8}), Weights({kI8})) : Operands({kI8}),
          ForgetsZeroPointOf(operand, width));
    }
  }
}

void AddIntegers(const SumOperator& sum, FaultFamily& family) {
  const bool products = sum.of_products;
  family.clause = sum.name + ", accumulation in acc_t";
  family.Add("accumulates_in_int24", "keeps 24 bits of every sum", Accumulates({kI32}),
             InArithmetic<FitsSums>(products, Wrapped, 24));
  family.Add("accumulates_in_int16", "keeps 16 bits of every sum", Accumulates({kI32}),
             InArithmetic<FitsSums>(products, Wrapped, 16));
  family.Add("saturates_sums_at_int16", "saturates every sum at 16 bits", Accumulates({kI32}),
             InArithmetic<FitsSums>(products, Saturated, 16));
  family.Add("accumulates_in_int32", "keeps 32 bits of every sum", Accumulates({kI48}),
             InArithmetic<FitsSums>(products, Wrapped, 32));
  family.Add("saturates_sums_at_int32", "saturates every sum at 32 bits", Accumulates({kI48}),
             InArithmetic<FitsSums>(products, Saturated, 32));
  family.Add("accumulates_integers_in_fp32", "rounds every sum to fp32", IntegerRows(),
             InArithmetic<FitsSums>(products, InFp32, 0));
  family.Add(
      "reads_i8_unsigned", "reads i8 operands as unsigned",
      [](const TypeRow& row) { return HasType(row, kI8); }, InArithmetic<ReadsBits>(kI8, 8, false));
  family.Add("reads_i16_unsigned", "reads i16 operands as unsigned", Operands({kI16}),
             InArithmetic<ReadsBits>(kI16, 16, false));
  family.Add("reads_the_low_byte", "reads the lower half of i16 operands", Operands({kI16}),
             InArithmetic<ReadsBits>(kI16, 8, true));
  const auto has_zero_point = [](const TypeRow& row) { return HasType(row, kI8); };
  family.clause = sum.name + ", zero points";
  family.Add("adds_the_zero_points", "adds zero points where they are to be subtracted",
             has_zero_point,
             InArithmetic<SubtractsZeroPoints>([](int64_t x, int64_t zp) { return x + zp; }));
  family.Add(
      "zero_points_unsigned", "takes zero points for unsigned", has_zero_point,
      InArithmetic<SubtractsZeroPoints>([](int64_t x, int64_t zp) { return x - (zp & 0xff); }));
  family.Add("subtracts_zero_points_in_int8", "keeps 8 bits of an operand less its zero point",
             has_zero_point, InArithmetic<SubtractsZeroPoints>([](int64_t x, int64_t zp) {
               return Wrapped(x - zp, 8);
             }));
  family.Add("saturates_less_zero_points", "saturates an operand less its zero point at 8 bits",
             has_zero_point, InArithmetic<SubtractsZeroPoints>([](int64_t x, int64_t zp) {
               return Saturated(x - zp, 8);
             }));
  AddZeroPointsOfTails(sum, family);
  if (!products) return;
  family.clause = sum.name + ", products in acc_t";
  family.Add("reads_i4_unsigned", "reads i4 weights as unsigned", Weights({kI4}),
             InArithmetic<ReadsBits>(kI4, 4, false));
  family.Add("multiplies_in_int16", "keeps 16 bits of every product", Weights({kI8, kI16}),
             InArithmetic<FitsProducts>(Wrapped, 16));
  family.Add("multiplies_in_saturating_int16", "saturates every product at 16 bits",
             Weights({kI8, kI16}), InArithmetic<FitsProducts>(Saturated, 16));
  // 2 * 255 * 7 fits 16 bits: never of i4.
  family.Add("saturates_pairs_of_products", "saturates sums of two products at 16 bits",
             And(Operands({kI8}), Weights({kI8})), InArithmetic<SaturatesPairs>());
}

void AddBias(const SumOperator& sum, FaultFamily& family) {
  const std::string bias = sum.bias;
  family.clause = sum.name + ", argument " + bias;
  family.Add("loses_the_bias", "adds no bias", nullptr, ByCall([bias](CallEditor& editor) {
               const Tensor& before = *editor.original().values(bias);
               editor.SetOperand(bias, Tensor(before.dtype(), before.shape()));
               return true;
             }));
  family.Add("adds_the_bias_twice", "adds the bias to each of two partial sums", nullptr,
             ByCall([bias](CallEditor& editor) {
               Tensor values = *editor.original().values(bias);
               for (int64_t i = 0; i < values.size(); ++i) {
                 IsFloat(values.dtype()) ? values.SetElement(i, 2 * values.Element(i))
                                         : values.SetInteger(i, 2 * values.Integer(i));
               }
               editor.SetOperand(bias, std::move(values));
               return true;
             }));
  family.Add("adds_the_bias_along_rows", "adds element x of the bias at position x of a row",
             nullptr, [](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
               BiasOfColumn fault(call.shape("output").back());
               return ComputeWith(op, call, fault);
             });
  family.Add(
      "bias_in_int16", "reads 16 bits of the bias",
      [](const TypeRow& row) { return AccumulatorOf(row) == kI32; },
      InArithmetic<ReadsBits>(kI32, 16, true));
  family.Add("bias_in_int32", "reads 32 bits of the bias", Accumulates({kI48}),
             InArithmetic<ReadsBits>(kI48, 32, true));
  family.Add("bias_unsigned", "reads an i48 bias without extending its sign", Accumulates({kI48}),
             InArithmetic<ReadsBits>(kI48, 48, false));
}

// Reads what is not finite among the factors, or in the bias, as zero.
class ReadsAsZero : public ArithmeticFault {
 public:
  using Test = bool (*)(double x);
  ReadsAsZero(Test is_zero, bool of_bias) : is_zero_(is_zero), of_bias_(of_bias) {}
  bool ReadsAlike() const override { return true; }
  bool ComputesPlainly() const override { return true; }
  double Load(const Operand& operand, int64_t i) override {
    const double x = operand.Element(i);
    return (operand.id > 1) == of_bias_ && is_zero_(x) ? 0 : x;
  }

 private:
  const Test is_zero_;
  const bool of_bias_;
};

// Adds nothing for a product that has a factor of zero, as an implementation for sparse operands.
class SkipsZeros : public SumFault {
 public:
  SkipsZeros() : SumFault(true) {}
  bool ReadsAlike() const override { return true; }

 protected:
  double Product(DType type, double x, double y) override {
    return x == 0 || y == 0 ? 0 : SumFault::Product(type, x, y);
  }
};

}  // namespace

bool IsOfInfiniteOperands(std::string_view id) {
  const std::string_view name = id.substr(id.find('.') + 1);
  return name == "takes_infinity_for_zero" || name == "takes_an_infinite_bias_for_zero";
}

Faults NonFiniteFaults(const SumOperator& sum) {
  FaultFamily family(sum.name);
  family.clause = "Dot product accuracy requirements, reference is a NaN";
  // An infinite sum has no limit. Only those show that become NaN: of both infinities, of an
  // infinity and a zero.
  const RowTest has_infinity = [](const TypeRow& row) {
    return HasFloat(row) && Format(OperandOf(row)).has_infinity;
  };
  const auto is_nan = [](double x) { return std::isnan(x); };
  const auto is_infinite = [](double x) { return std::isinf(x); };
  family.Add("takes_nan_for_zero", "reads a NaN as zero", FloatRows(),
             InArithmetic<ReadsAsZero>(is_nan, false));
  family.Add("nan_is_infinity", "stores an infinity where the result is a NaN", HasNarrowResult,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               if (!std::isnan(out.Element(i))) return;
               out.SetElement(i, std::numeric_limits<double>::infinity());
             }));
  family.Add("takes_infinity_for_zero", "reads an infinity as zero", has_infinity,
             InArithmetic<ReadsAsZero>(is_infinite, false));
  if (!sum.bias.empty()) {
    family.Add("takes_a_bias_of_nan_for_zero", "reads a NaN in the bias as zero", FloatRows(),
               InArithmetic<ReadsAsZero>(is_nan, true));
    family.Add("takes_an_infinite_bias_for_zero", "reads an infinity in the bias as zero",
               has_infinity, InArithmetic<ReadsAsZero>(is_infinite, true));
  }
  if (sum.of_products) {
    family.Add("skips_products_with_zero", "adds nothing for a product of zero and NaN or infinity",
               FloatRows(), InArithmetic<SkipsZeros>());
  }
  return family.Take();
}

DType OperandOf(const TypeRow& row) {
  if (const auto type = row.PlainType("in_t")) return *type;
  return *row.PlainType("in_out_t");
}
DType ResultOf(const TypeRow& row) {
  if (const auto type = row.PlainType("out_t")) return *type;
  return *row.PlainType("in_out_t");
}
DType AccumulatorOf(const TypeRow& row) {
  if (const auto type = row.PlainType("acc_t")) return *type;
  return ResultOf(row);
}
RowTest Accumulates(std::vector<DType> types) {
  return [types = std::move(types)](const TypeRow& row) {
    return Contains(types, AccumulatorOf(row));
  };
}
RowTest Operands(std::vector<DType> types) {
  return [types = std::move(types)](const TypeRow& row) { return Contains(types, OperandOf(row)); };
}
RowTest Weights(std::vector<DType> types) {
  return [types = std::move(types)](const TypeRow& row) {
    const DType type = row.PlainType("weight_t").value_or(OperandOf(row));
    return Contains(types, type);
  };
}
RowTest And(RowTest first, RowTest second) {
  return [first = std::move(first), second = std::move(second)](const TypeRow& row) {
    return first(row) && second(row);
  };
}
RowTest Not(RowTest test) {
  return [test = std::move(test)](const TypeRow& row) { return !test(row); };
}

void Exclude(Faults& faults, const std::vector<std::string>& names, const RowTest& rows) {
  for (Fault& fault : faults) {
    const std::string name = fault.id.substr(fault.id.find('.') + 1);
    if (!Contains(names, name)) continue;
    fault.touches = fault.touches == nullptr ? Not(rows) : And(std::move(fault.touches), Not(rows));
  }
}

void Append(Faults& faults, Faults more) {
  for (Fault& fault : more) faults.push_back(std::move(fault));
}

double RoundTowardZero(DType type, double x) {
  return DecodeFloat(type, EncodeFloatTowardZero(type, x));
}

double RoundUp(DType type, double x) {
  const double nearest = RoundTo(type, x);
  if (!(nearest < x) || !std::isfinite(nearest)) return nearest;
  const uint64_t bits = EncodeFloat(type, nearest);
  // The next number above: further from zero where it is positive.
  if (nearest == 0) return Format(type).subnormal_min();
  return DecodeFloat(type, nearest > 0 ? bits + 1 : bits - 1);
}

Faults SumFaults(const SumOperator& sum) {
  FaultFamily family(sum.name);
  AddFloats(sum, family);
  AddIntegers(sum, family);
  if (!sum.bias.empty()) AddBias(sum, family);
  Faults faults = family.Take();
  for (Fault& fault : faults) {
    // Its bias grows with the number of steps.
    if (fault.id.ends_with(".truncates_sums_of_8")) fault.sums = 1024;
  }
  if (sum.non_finite) Append(faults, NonFiniteFaults(sum));
  if (sum.local_bound) {
    // A bound of the whole input hides all of that in a result of bf16: notes.md, RVTensor.
    MarkShown(faults, {"accumulates_in_bf16"}, [](const OperatorSpec& spec, const TypeRow& row) {
      return ResultOf(row) != kBf16 || spec.FindArgument("local_bound") != nullptr;
    });
  }
  return faults;
}

}  // namespace cts
