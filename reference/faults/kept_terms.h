// Sums in another order or precision than the operators' texts.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "reference/numeric/arithmetic_faulty.h"

namespace cts {

// An operator's text adds one term after another. Meanwhile it gets a mark back, a NaN that no
// operand holds. The terms are kept until somebody asks for the sum.
class KeptTerms : public ArithmeticFault {
 public:
  void Begin(DType, int64_t) override { terms_.clear(); }
  double End(DType type, double value) override { return Round(type, Resolve(value)); }
  double Add(DType type, double x, double y) override {
    if (!IsMark(x) && !IsMark(y) && x != 0) return ArithmeticFault::Add(type, x, y);
    // A first term is added to the zero that the text begins with.
    type_ = type;
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
    terms_.assign(1, 0);
    for (int64_t k = 0; k < count; ++k) terms_.push_back(Mul(type, x[k], y[k]));
    return std::bit_cast<double>(kMark);
  }
  bool IsNan(double x) override { return std::isnan(Resolve(x)); }
  bool Less(double x, double y) override { return Resolve(x) < Resolve(y); }

 protected:
  // The sum, in the type of the accumulator.
  virtual double Total(const std::vector<double>& terms, DType type) = 0;
  virtual double Product(DType type, double x, double y) {
    return ArithmeticFault::Mul(type, x, y);
  }
  // One after another from `first`, every `step`th, to before `end`.
  static double InOrder(const std::vector<double>& terms, DType type, size_t first, size_t end,
                        size_t step) {
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
  DType type_ = DType::kFp32;
};

}  // namespace cts
