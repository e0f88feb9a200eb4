// Models of accumulators: how processors add the products of a sum.
//
// Matrix units add the products of a step at once. They align them beneath the greatest exponent of
// the step, keep a number of bits of the fraction, add without further loss, and round the sum
// once. This was measured by Fasi, Higham, Mikaitis and Pranesh (Numerical behavior of NVIDIA
// tensor cores, PeerJ CS 2021), Khattak and Mikaitis (arXiv 2512.07004), and microsoft/MMA-Sim
// (arXiv 2511.10909). The arithmetic is written anew here.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/numeric/arithmetic_faulty.h"
#include "reference/spec/edition.h"

namespace cts {

enum class SumRounding { kNearest, kTowardZero, kDown };
enum class SumOrder { kInOrder, kPairwise, kBlocked };

struct AccumulatorModel {
  std::string id;  // "align_4x23"
  // The remaining fraction bits of fp32 operands, rounded to nearest; 0: all.
  int operand_bits = 0;
  bool rounds_products = false;  // to the type of the sums, before they are added
  SumOrder order = SumOrder::kInOrder;
  int terms = 1;  // that a step adds at once; kBlocked: that a block has
  // The remaining fraction bits of a term beneath the greatest exponent of its step; 0: all. The
  // exponent of a product is the sum of its factors' exponents, as in hardware.
  int aligned_bits = 0;
  SumRounding of_terms = SumRounding::kTowardZero;
  std::optional<DType> sums = {};  // their type; none: acc_t
  int sum_bits = 0;                // the remaining fraction bits of a sum; 0: those of its type
  SumRounding of_sums = SumRounding::kNearest;
  bool flushes = false;  // subnormal operands and sums are zero
};

// "fp32 sums, 4 terms aligned, 23 fraction bits, toward zero". `acc_t`: of a type row; none: "sums
// in acc_t".
std::string NameOf(const AccumulatorModel& model, std::optional<DType> acc_t = {});
// Says in a few words how the model differs from a right one: "sums keep 22 fraction bits".
std::string WhatIsLost(const AccumulatorModel& model);

// A term of a sum. The value is exact; fp64 holds the products of any two numbers of 24 bits.
struct SumTerm {
  double value = 0;
  int exponent = 0;  // for a product the sum of its factors' exponents; for a value its own
};
SumTerm ProductOf(DType operands, double x, double y);
SumTerm ValueOf(DType type, double x);

// An operand in the form that the model reads.
double ReadOperand(const AccumulatorModel& model, DType type, double x);
// The sum of the terms. Its steps begin with zero.
double SumOf(const AccumulatorModel& model, DType acc_t, const std::vector<SumTerm>& terms);

// An operator's text with the model's sums. The operands are the first two arguments.
std::unique_ptr<ArithmeticFault> InAccumulator(const AccumulatorModel& model);

// The models that explain results, and whose limits suites/ACCUMULATORS.md lists, from the widest
// to the narrowest of each kind.
const std::vector<AccumulatorModel>& AccumulatorModels();
// The model of this id, which must exist.
const AccumulatorModel& FindAccumulatorModel(std::string_view id);

}  // namespace cts
