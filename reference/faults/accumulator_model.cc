#include "reference/faults/accumulator_model.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "reference/base/float_format.h"
#include "reference/base/status.h"
#include "reference/faults/kept_terms.h"
#include "reference/faults/round_to_bits.h"

namespace cts {
namespace {

constexpr int kNoExponent = -100000;  // of zero, and of a step without a number

// For a normal number of fp64, as all are that occur.
int ExponentOf(double x) {
  return static_cast<int>(std::bit_cast<uint64_t>(x) >> 52 & 0x7ff) - 1023;
}

double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

double RoundWhole(double x, SumRounding rounding) {
  switch (rounding) {
    case SumRounding::kTowardZero:
      return std::trunc(x);
    case SumRounding::kDown:
      return std::floor(x);
    case SumRounding::kNearest:
      break;
  }
  return std::nearbyint(x);
}

// The exponent of a number of the type: a subnormal one has that of the least normal number.
int ExponentIn(DType type, double x) {
  return x == 0 ? kNoExponent : std::max(ExponentOf(x), Format(type).min_exponent);
}

class Accumulator {
 public:
  Accumulator(const AccumulatorModel& model, DType acc_t)
      : model_(model),
        type_(model.sums.value_or(acc_t)),
        format_(Format(type_)),
        bits_(model.sum_bits == 0 ? format_.fraction_bits : model.sum_bits) {}

  double SumOf(const std::vector<SumTerm>& terms) const {
    const size_t count = terms.size(), block = static_cast<size_t>(model_.terms);
    switch (model_.order) {
      case SumOrder::kPairwise:
        return Half(terms.data(), count);
      case SumOrder::kBlocked: {
        double sum = 0;
        for (size_t k = 0; k < count; k += block) {
          sum = Rounded(sum + InSteps(terms.data() + k, std::min(block, count - k), 1));
        }
        return sum;
      }
      case SumOrder::kInOrder:
        break;
    }
    return InSteps(terms.data(), count, block);
  }

 private:
  double InSteps(const SumTerm* terms, size_t count, size_t step) const {
    double sum = 0;
    for (size_t k = 0; k < count; k += step) {
      sum = Rounded(Step(sum, terms + k, std::min(step, count - k)));
    }
    return sum;
  }

  double Half(const SumTerm* terms, size_t count) const {
    if (count == 0) return 0;
    if (count == 1) return Rounded(Value(terms[0]));
    const size_t half = count / 2;
    return Rounded(Half(terms, half) + Half(terms + half, count - half));
  }

  double Value(const SumTerm& term) const {
    return model_.rounds_products ? Rounded(term.value) : term.value;
  }

  // Returns what is left of the sum and the terms that are added to it, added without loss.
  double Step(double sum, const SumTerm* terms, size_t count) const {
    if (model_.aligned_bits == 0) {
      for (size_t k = 0; k < count; ++k) sum += Value(terms[k]);
      return sum;
    }
    int greatest = ExponentIn(type_, sum);
    bool finite = std::isfinite(sum);
    for (size_t k = 0; k < count; ++k) {
      greatest = std::max(greatest, terms[k].exponent);
      finite = finite && std::isfinite(terms[k].value);
    }
    if (greatest == kNoExponent || !finite) {
      for (size_t k = 0; k < count; ++k) sum += terms[k].value;
      return sum;
    }
    // Whole numbers of so few bits that fp64 adds them exactly.
    const double scale = PowerOfTwo(model_.aligned_bits - greatest);
    double whole = RoundWhole(sum * scale, model_.of_terms);
    for (size_t k = 0; k < count; ++k) {
      whole += RoundWhole(terms[k].value * scale, model_.of_terms);
    }
    return whole * PowerOfTwo(greatest - model_.aligned_bits);
  }

  double Rounded(double x) const {
    if (x == 0 || !std::isfinite(x)) return x;
    const int unit = std::max(ExponentOf(x), format_.min_exponent) - bits_;
    const double rounded = RoundWhole(x * PowerOfTwo(-unit), model_.of_sums) * PowerOfTwo(unit);
    if (std::fabs(rounded) > format_.max) {
      return std::copysign(std::numeric_limits<double>::infinity(), x);
    }
    const bool flushed = model_.flushes && std::fabs(rounded) < format_.normal_min();
    return flushed ? std::copysign(0.0, x) : rounded;
  }

  const AccumulatorModel& model_;
  const DType type_;
  const FloatFormat& format_;
  const int bits_;
};

// Collects the terms of each sum of an operator's text, with the exponents of products.
class AccumulatorArithmetic : public KeptTerms {
 public:
  explicit AccumulatorArithmetic(const AccumulatorModel& model) : model_(model) {}

  void Begin(DType type, int64_t offset) override {
    KeptTerms::Begin(type, offset);
    products_.clear();
  }
  double Load(const Operand& operand, int64_t i) override {
    const double x = operand.Element(i);
    if (operand.id > 1) return x;
    operands_ = operand.tensor->dtype();
    return ReadOperand(model_, operands_, x);
  }
  double Mul(DType type, double x, double y) override {
    if (IsMark(x) || IsMark(y)) return KeptTerms::Mul(type, x, y);
    products_.push_back(ProductOf(operands_, x, y));
    return products_.back().value;
  }

 protected:
  void Products(DType, const double* x, const double* y, int64_t count, double* out) override {
    products_.resize(static_cast<size_t>(count));
    for (int64_t k = 0; k < count; ++k) {
      products_[static_cast<size_t>(k)] = ProductOf(operands_, x[k], y[k]);
      out[k] = products_[static_cast<size_t>(k)].value;
    }
  }
  double Total(const std::vector<double>& terms, DType type) override {
    if (products_.empty()) {
      // The first is the zero that the text begins with. With one more it is a bias beside a sum of
      // zero, or a sum of one value.
      if (terms.size() == 2) return RoundTo(type, terms[1]);
      for (size_t k = 1; k < terms.size(); ++k) products_.push_back(ValueOf(operands_, terms[k]));
    }
    const double sum = SumOf(model_, type, products_);
    products_.clear();
    return sum;
  }

 private:
  const AccumulatorModel model_;
  DType operands_ = DType::kFp32;
  std::vector<SumTerm> products_;  // of the sum so far
};

AccumulatorModel Aligned(int terms, int bits) {
  return {.id = StrCat("align_", terms, "x", bits),
          .terms = terms,
          .aligned_bits = bits,
          .of_sums = SumRounding::kTowardZero};
}

std::vector<AccumulatorModel> Make() {
  std::vector<AccumulatorModel> all = {
      {.id = "fused"},
      {.id = "rounded_products", .rounds_products = true},
      {.id = "pairwise", .rounds_products = true, .order = SumOrder::kPairwise},
      {.id = "blocks_32", .order = SumOrder::kBlocked, .terms = 32},
      {.id = "toward_zero", .of_sums = SumRounding::kTowardZero},
      {.id = "flushes", .flushes = true}};
  all.push_back({.id = "fp16_sums", .sums = DType::kFp16});
  all.push_back({.id = "fp16_pairwise", .order = SumOrder::kPairwise, .sums = DType::kFp16});
  all.push_back({.id = "bf16_sums", .sums = DType::kBf16});
  all.push_back({.id = "fp32_sums", .sums = DType::kFp32});
  for (const int bits : {25, 24, 23, 22, 21, 20, 18, 16, 14, 13, 12, 11, 10, 9, 8}) {
    for (const int terms : {4, 8, 16}) all.push_back(Aligned(terms, bits));
  }
  for (const int bits : {24, 23, 22}) {
    AccumulatorModel nearest = Aligned(8, bits);
    nearest.id += "_nearest";
    nearest.of_terms = nearest.of_sums = SumRounding::kNearest;
    all.push_back(nearest);
    AccumulatorModel down = Aligned(8, bits);
    down.id += "_down";
    down.of_terms = SumRounding::kDown;
    down.of_sums = SumRounding::kNearest;
    all.push_back(down);
  }
  for (const int bits : {22, 21, 20, 16, 13, 9, 8, 7}) {
    all.push_back({.id = StrCat("fused_", bits), .sum_bits = bits});
  }
  all.push_back({.id = "tf32", .operand_bits = 10});
  AccumulatorModel tf32 = Aligned(4, 24);
  tf32.id = "tf32_align_4x24";
  tf32.operand_bits = 10;
  all.push_back(tf32);
  all.push_back({.id = "bf16_operands", .operand_bits = 7});
  return all;
}

std::string_view Words(SumRounding rounding) {
  switch (rounding) {
    case SumRounding::kTowardZero:
      return "toward zero";
    case SumRounding::kDown:
      return "down";
    case SumRounding::kNearest:
      break;
  }
  return "to nearest";
}

}  // namespace

std::string NameOf(const AccumulatorModel& model, std::optional<DType> acc_t) {
  const std::optional<DType> type = model.sums ? model.sums : acc_t;
  std::string name;
  if (model.operand_bits == 10) name += "operands in TF32, ";
  if (model.operand_bits == 7) name += "operands in bf16, ";
  name += type ? StrCat(std::string(Name(*type)), " sums") : "sums in acc_t";
  if (model.sum_bits != 0) name += StrCat(" of ", model.sum_bits, " fraction bits");
  if (model.order == SumOrder::kPairwise) name += ", by halves";
  if (model.order == SumOrder::kBlocked) name += StrCat(", in blocks of ", model.terms);
  if (model.order == SumOrder::kInOrder && model.terms == 1) name += ", one term at a time";
  if (model.aligned_bits != 0) {
    name += StrCat(", ", model.terms, " terms aligned, ", model.aligned_bits, " fraction bits");
    if (model.of_terms != model.of_sums) name += StrCat(" rounded ", Words(model.of_terms));
  }
  if (model.rounds_products) name += ", products rounded";
  name += StrCat(", ", Words(model.of_sums));
  if (model.flushes) name += ", subnormals flushed";
  return name;
}

std::string WhatIsLost(const AccumulatorModel& model) {
  if (model.operand_bits == 10) return "operands rounded to TF32";
  if (model.operand_bits == 7) return "operands rounded to bf16";
  if (model.sums) return StrCat("sums in ", std::string(Name(*model.sums)));
  if (model.sum_bits != 0) return StrCat("sums keep ", model.sum_bits, " fraction bits");
  if (model.aligned_bits != 0) return StrCat("sums keep ", model.aligned_bits, " fraction bits");
  if (model.flushes) return "flushes subnormals";
  if (model.of_sums == SumRounding::kTowardZero) return "sums rounded toward zero";
  if (model.order != SumOrder::kInOrder) return "sums in another order";
  return model.rounds_products ? "rounded products" : "unrounded products";
}

SumTerm ProductOf(DType operands, double x, double y) {
  const double product = x * y;
  if (product == 0 || !std::isfinite(product)) return {product, kNoExponent};
  return {product, ExponentIn(operands, x) + ExponentIn(operands, y)};
}

SumTerm ValueOf(DType type, double x) {
  return {x, std::isfinite(x) ? ExponentIn(type, x) : kNoExponent};
}

double ReadOperand(const AccumulatorModel& model, DType type, double x) {
  if (model.flushes && IsSubnormal(type, x)) return std::copysign(0.0, x);
  const int bits = model.operand_bits;
  if (bits == 0 || bits >= Format(type).fraction_bits) return x;
  return RoundTo(type, RoundToBits(x, bits + 1));
}

double SumOf(const AccumulatorModel& model, DType acc_t, const std::vector<SumTerm>& terms) {
  return Accumulator(model, acc_t).SumOf(terms);
}

std::unique_ptr<ArithmeticFault> InAccumulator(const AccumulatorModel& model) {
  return std::make_unique<AccumulatorArithmetic>(model);
}

const std::vector<AccumulatorModel>& AccumulatorModels() {
  static const auto& all = *new std::vector<AccumulatorModel>(Make());
  return all;
}

const AccumulatorModel& FindAccumulatorModel(std::string_view id) {
  for (const AccumulatorModel& model : AccumulatorModels()) {
    if (model.id == id) return model;
  }
  std::abort();
}

}  // namespace cts
