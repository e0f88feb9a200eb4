// Models of accumulators: how processors add the products of a sum.
//
// Matrix units add several products in one step. The units align these products and the sum so far
// to the greatest exponent among them, keep a limited number of fraction bits, add without further
// loss, and round the sum once. Such units were measured by Fasi, Higham, Mikaitis and Pranesh
// (Numerical behavior of NVIDIA tensor cores, PeerJ CS 2021), Khattak and Mikaitis (arXiv
// 2512.07004), and microsoft/MMA-Sim (arXiv 2511.10909). This project uses none of their code.
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
  // The number of fraction bits to which operands with more fraction bits are rounded, to nearest;
  // 0: operands keep all fraction bits.
  int operand_bits = 0;
  bool rounds_products = false;  // rounds to the type of the sums before adding
  SumOrder order = SumOrder::kInOrder;
  int terms = 1;  // the number of terms in a step; kBlocked: in a block
  // The number of fraction bits that a term, or the sum so far, keeps when it is aligned to the
  // greatest exponent of the step; 0: all of them. The exponent of a product is the sum of its
  // factors' exponents, as in hardware.
  int aligned_bits = 0;
  SumRounding of_terms = SumRounding::kTowardZero;
  std::optional<DType> sums = {};  // the type of the sums; nullopt: acc_t
  int sum_bits = 0;  // the number of fraction bits that a sum keeps; 0: as many as its type has
  SumRounding of_sums = SumRounding::kNearest;
  bool flushes = false;  // subnormal operands and sums become zero
};

// "fp32 sums, 4 terms aligned, 23 fraction bits, toward zero". `acc_t` is the accumulator type of a
// type row. If neither the model nor `acc_t` gives a type, the name says "sums in acc_t".
std::string NameOf(const AccumulatorModel& model, std::optional<DType> acc_t = {});
// Says in a few words the main difference between the model and an accumulator that rounds each
// product and each sum to acc_t: "sums keep 22 fraction bits".
std::string WhatIsLost(const AccumulatorModel& model);

// A term of a sum. The value is exact; fp64 holds the products of any two numbers of 24 bits.
struct SumTerm {
  double value = 0;
  int exponent = 0;  // of a product: the sum of its factors' exponents
};
SumTerm ProductOf(DType operands, double x, double y);
SumTerm ValueOf(DType type, double x);

// The number that the model reads for an operand `x` of type `type`: `x` itself, or `x` rounded or
// flushed.
double ReadOperand(const AccumulatorModel& model, DType type, double x);
// The sum of the terms as the model computes it, beginning with zero.
double SumOf(const AccumulatorModel& model, DType acc_t, const std::vector<SumTerm>& terms);

// An arithmetic that computes an operator's sums as the model does. It applies ReadOperand only to
// elements of the first two arguments, so the bias is read unchanged.
std::unique_ptr<ArithmeticFault> InAccumulator(const AccumulatorModel& model);

// All models. They serve to explain results, and suites/ACCUMULATORS.md lists their limits. Models
// that differ only in a number of bits are ordered from the most bits to the fewest.
const std::vector<AccumulatorModel>& AccumulatorModels();
// The model with this id, which must exist.
const AccumulatorModel& FindAccumulatorModel(std::string_view id);

}  // namespace cts
