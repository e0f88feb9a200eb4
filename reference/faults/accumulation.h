// Faults of operators that sum: faults of the accumulation and of its operands.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "reference/faults/fault.h"
#include "reference/faults/round_to_bits.h"

namespace cts {

using RowTest = std::function<bool(const TypeRow&)>;

// The type in which a row sums: acc_t, or the type of the result in a row without acc_t.
DType AccumulatorOf(const TypeRow& row);
DType OperandOf(const TypeRow& row);  // in_t or in_out_t
DType ResultOf(const TypeRow& row);   // out_t or in_out_t
// The next three functions return tests of a row. A test asks whether one type of the row is among
// `types`: the accumulator's type, the operands' type (OperandOf), or the weights' type.
RowTest Accumulates(std::vector<DType> types);
RowTest Operands(std::vector<DType> types);
RowTest Weights(std::vector<DType> types);  // tests the operands' type in a row without weight_t
RowTest And(RowTest first, RowTest second);
RowTest Not(RowTest test);

// Changes Fault::touches of the faults with one of these names (ids without the operator): they no
// longer touch the type rows for which `rows` is true.
void Exclude(Faults& faults, const std::vector<std::string>& names, const RowTest& rows);
void Append(Faults& faults, Faults more);

// Distinguishes the products and additions of a sum from the other operations of an operator's
// code. A derived class changes Product, AddTerm or Bias.
class SumFault : public ArithmeticFault {
 public:
  // If `of_products` is true, only products are terms of the sum, and any other number that is
  // added is the bias. If `of_products` is false, every number that is added is a term.
  explicit SumFault(bool of_products) : of_products_(of_products) {}

  void Begin(DType type, int64_t offset) override {
    (void)type, (void)offset;
    is_product_ = false;
    terms_ = 0;
  }
  double Mul(DType type, double x, double y) override {
    is_product_ = true;
    return Product(type, x, y);
  }
  double Add(DType type, double x, double y) override {
    return IsOfSum() ? AddTerm(type, x, y) : Bias(type, x, y);
  }
  int64_t MulInteger(DType type, int64_t x, int64_t y) override {
    is_product_ = true;
    return Product(type, x, y);
  }
  int64_t AddInteger(DType type, int64_t x, int64_t y) override {
    return IsOfSum() ? AddTerm(type, x, y) : Bias(type, x, y);
  }

 protected:
  virtual double Product(DType type, double x, double y) {
    return ArithmeticFault::Mul(type, x, y);
  }
  virtual double AddTerm(DType type, double x, double y) {
    return ArithmeticFault::Add(type, x, y);
  }
  virtual double Bias(DType type, double x, double y) { return ArithmeticFault::Add(type, x, y); }
  virtual int64_t Product(DType type, int64_t x, int64_t y) {
    return ArithmeticFault::MulInteger(type, x, y);
  }
  virtual int64_t AddTerm(DType type, int64_t x, int64_t y) {
    return ArithmeticFault::AddInteger(type, x, y);
  }
  virtual int64_t Bias(DType type, int64_t x, int64_t y) {
    return ArithmeticFault::AddInteger(type, x, y);
  }
  int64_t terms() const {
    return terms_;
  }  // the number of terms of the sum so far, including the current one

 private:
  bool IsOfSum() {
    const bool of_sum = !of_products_ || std::exchange(is_product_, false);
    terms_ += of_sum;
    return of_sum;
  }

  const bool of_products_;
  bool is_product_ = false;
  int64_t terms_ = 0;
};

// These functions round to a number of the type, toward zero or upward.
double RoundTowardZero(DType type, double x);
double RoundUp(DType type, double x);

struct SumOperator {
  std::string name;         // "CONV2D"
  bool of_products = true;  // false: the sum adds single elements
  std::string bias = {};    // the name of the argument; empty: no bias
  // Whether TOSA's operator has the attribute local_bound. In an edition that lacks this attribute,
  // the error bound of such an operator's sums depends on the whole input.
  bool local_bound = false;
  bool non_finite = true;  // whether cases have operands that are NaN or infinite
};
// The faults that any operator with sums can have. Each fault touches the type rows whose sums it
// changes.
Faults SumFaults(const SumOperator& sum);
// The faults of SumFaults that concern NaN, infinity and zero.
Faults NonFiniteFaults(const SumOperator& sum);
// Whether the fault with this id shows only if an operand is infinite.
bool IsOfInfiniteOperands(std::string_view id);

}  // namespace cts
