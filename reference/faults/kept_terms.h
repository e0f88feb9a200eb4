// An arithmetic that sums in another order or precision than the operators' code (their texts).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/numeric/arithmetic_faulty.h"

namespace cts {

// An operator's text adds one term after another. In this arithmetic, each addition keeps its term
// and returns a mark instead of a sum. The mark is a NaN that no operand holds. When the text needs
// the sum, Total computes it from the kept terms.
class KeptTerms : public ArithmeticFault {
 public:
  void Begin(DType, int64_t) override { terms_.clear(); }
  double End(DType type, double value) override { return Round(type, Resolve(value)); }
  double Add(DType type, double x, double y) override {
    if (!IsMark(x) && !IsMark(y) && x != 0) return ArithmeticFault::Add(type, x, y);
    // The text begins a sum with zero. So `x` is this zero, or `x` or `y` is a mark.
    type_ = type;
    of_type_ = false;
    if (!IsMark(x)) terms_.push_back(x);
    if (!IsMark(y)) terms_.push_back(y);
    return std::bit_cast<double>(kMark);
  }
  double Sub(DType type, double x, double y) override {
    return ArithmeticFault::Sub(type, Resolve(x), Resolve(y));
  }
  double Mul(DType type, double x, double y) override {
    return Product(type, Resolve(x), Resolve(y));
  }
  double Div(DType type, double x, double y) override {
    return ArithmeticFault::Div(type, Resolve(x), Resolve(y));
  }
  double Cast(DType type, double x) override { return Round(type, Resolve(x)); }
  bool ReadsAlike() const override { return true; }
  double SumProducts(DType type, const double* x, const double* y, int64_t count) override {
    if (count == 0) return 0;
    type_ = type;
    of_type_ = RoundsProducts();
    terms_.resize(static_cast<size_t>(count) + 1);
    terms_[0] = 0;
    Products(type, x, y, count, terms_.data() + 1);
    return std::bit_cast<double>(kMark);
  }
  double SumPairs(DType type, const double* x, const double* y, int64_t count) override {
    if (count == 0) return 0;
    type_ = type;
    of_type_ = RoundsProducts();
    products_.resize(static_cast<size_t>(count));
    Products(type, x, y, count, products_.data());
    terms_.clear();
    for (size_t k = 0; k < products_.size(); k += 2) {
      // As in Add: both products are kept as terms if the first product is zero.
      const double first = products_[k], second = products_[k + 1];
      if (first != 0) {
        if (k == 0) terms_.push_back(0);
        terms_.push_back(RoundTo(type, first + second));
      } else {
        terms_.push_back(first);
        terms_.push_back(second);
        if (k == 0) terms_.push_back(0);
      }
    }
    return std::bit_cast<double>(kMark);
  }
  bool IsNan(double x) override { return std::isnan(Resolve(x)); }
  bool Less(double x, double y) override { return Resolve(x) < Resolve(y); }

 protected:
  // The sum of the terms, in the type of the accumulator.
  virtual double Total(const std::vector<double>& terms, DType type) = 0;
  // Whether a product is rounded to the type. If this is false, the product is exact in fp64, since
  // no factor has more than 24 bits.
  virtual bool RoundsProducts() const { return true; }
  virtual double Product(DType type, double x, double y) {
    return RoundsProducts() ? RoundTo(type, x * y) : x * y;
  }
  // Computes the products for SumProducts and SumPairs. For fp32 the processor's float product is
  // the product rounded to fp32.
  virtual void Products(DType type, const double* x, const double* y, int64_t count, double* out) {
    if (!RoundsProducts()) {
      for (int64_t k = 0; k < count; ++k) out[k] = x[k] * y[k];
    } else if (type == DType::kFp32) {
      for (int64_t k = 0; k < count; ++k) {
        out[k] = static_cast<double>(static_cast<float>(x[k]) * static_cast<float>(y[k]));
      }
    } else {
      for (int64_t k = 0; k < count; ++k) out[k] = RoundTo(type, x[k] * y[k]);
    }
  }
  // Adds every `step`th term in order, from `first` up to, but not including, `end`.
  double InOrder(const std::vector<double>& terms, DType type, size_t first, size_t end,
                 size_t step) const {
    if (of_type_ && type == DType::kFp32) {
      float sum = 0;
      for (size_t k = first; k < end; k += step) sum += static_cast<float>(terms[k]);
      return static_cast<double>(sum);
    }
    double sum = 0;
    for (size_t k = first; k < end; k += step) sum = RoundTo(type, sum + terms[k]);
    return sum;
  }
  static bool IsMark(double x) { return std::bit_cast<uint64_t>(x) == kMark; }
  double Resolve(double x) {
    if (!IsMark(x)) return x;
    const double total = Total(terms_, type_);
    terms_.clear();
    return total;
  }

 private:
  static constexpr uint64_t kMark = 0x7ff8dead00000000;

  std::vector<double> terms_;
  std::vector<double> products_;  // used by SumPairs
  DType type_ = DType::kFp32;
  bool of_type_ = false;  // whether each term is a number of type_
};

}  // namespace cts
