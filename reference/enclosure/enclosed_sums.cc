// Sums of products of enclosed factors. With factors c +- r the sum of the centers is off by at
// most the sum of r_x (|c_w| + r_w) + |c_x| r_w, which is again such a sum: the operator's own text
// computes all of them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "reference/base/float_format.h"
#include "reference/enclosure/enclosed_operator.h"
#include "reference/ops/dot_product_length.h"

namespace cts {
namespace {

enum class Role { kFirst, kSecond, kAddend };

struct Factor {
  Role role;
  std::shared_ptr<const Tensor> center, radius, most;  // most: |center| + radius
  std::shared_ptr<const Tensor> zeros;
  bool is_exact = true;  // every radius is zero
};

Factor FactorOf(Role role, const Enclosure& enclosure) {
  const Shape& shape = enclosure.lo.shape();
  Tensor center(DType::kFp64, shape), radius(DType::kFp64, shape), most(DType::kFp64, shape);
  Factor factor{.role = role};
  for (int64_t i = 0; i < center.size(); ++i) {
    const auto [lo, hi] = enclosure.At(i);
    double c = 0, r = std::numeric_limits<double>::infinity();
    if (std::isfinite(lo) && std::isfinite(hi)) {
      c = lo + (hi - lo) / 2;
      r = lo == hi ? 0 : Above(std::max(hi - c, c - lo));
    }
    factor.is_exact = factor.is_exact && r == 0;
    center.SetElement(i, c);
    radius.SetElement(i, r);
    most.SetElement(i, r == 0 ? std::fabs(c) : Above(std::fabs(c) + r));
  }
  factor.center = std::make_shared<const Tensor>(std::move(center));
  factor.radius = std::make_shared<const Tensor>(std::move(radius));
  factor.most = std::make_shared<const Tensor>(std::move(most));
  factor.zeros = std::make_shared<const Tensor>(DType::kFp64, shape);
  return factor;
}

// The operands that are multiplied or added, by their positions.
std::map<size_t, Factor> FactorsOf(const EnclosedCall& enclosed) {
  std::map<size_t, Factor> factors;
  for (const Argument& argument : enclosed.call.arguments()) {
    const std::string& name = argument.spec->name;
    if (argument.spec->category != ArgumentCategory::kInput || name.ends_with("_zp")) continue;
    const std::optional<size_t> k = enclosed.operands.Find(enclosed.call, name);
    if (!k || !IsFloat(enclosed.call.dtype(name))) continue;
    const Role role = name == "bias"                    ? Role::kAddend
                      : name == "weight" || name == "B" ? Role::kSecond
                                                        : Role::kFirst;
    factors.emplace(*k, FactorOf(role, enclosed.operands[*k]));
  }
  return factors;
}

using Choose = std::shared_ptr<const Tensor> Factor::*;

// Operands by their roles.
Replaced By(const std::map<size_t, Factor>& factors, Choose first, Choose second, Choose addend) {
  Replaced replaced;
  for (const auto& [k, factor] : factors) {
    replaced[k] = factor.*(factor.role == Role::kFirst    ? first
                           : factor.role == Role::kSecond ? second
                                                          : addend);
  }
  return replaced;
}

// How far the sums may be from those of the centers, by output.
EnclosedOperands::Outputs Distances(const EnclosedOperands& operands,
                                    const std::map<size_t, Factor>& factors) {
  bool second = false;
  for (const auto& [k, factor] : factors) {
    second = second || (factor.role == Role::kSecond && !factor.is_exact);
  }
  EnclosedOperands::Outputs sum = *operands.Run(
      By(factors, &Factor::radius, &Factor::most, &Factor::radius), ComputationKind::kBound);
  if (!second) return sum;
  const EnclosedOperands::Outputs more = *operands.Run(
      By(factors, &Factor::center, &Factor::radius, &Factor::zeros), ComputationKind::kBound);
  for (auto& [name, tensor] : sum) {
    for (int64_t i = 0; i < tensor.size(); ++i) {
      tensor.SetElement(i, Above(tensor.Element(i) + more.at(name).Element(i)));
    }
  }
  return sum;
}

}  // namespace

StatusOr<Enclosures> EncloseSums(const EnclosedCall& enclosed, const PrecisionRow& row,
                                 const DotProductPrecision& sum) {
  const EnclosedOperands& operands = enclosed.operands;
  const DotProductNumbers* const numbers = enclosed.table.dot_products();
  const std::map<size_t, Factor> factors = FactorsOf(enclosed);
  const auto centers = operands.Run(By(factors, &Factor::center, &Factor::center, &Factor::center));
  const Replaced all_most = By(factors, &Factor::most, &Factor::most, &Factor::most);
  const auto greatest = operands.Run(all_most, ComputationKind::kBound);
  if (!centers || !greatest) {
    return NoEnclosure(enclosed, "where a REQUIRE of it may not hold");
  }
  const EnclosedOperands::Outputs distances = Distances(operands, factors);
  // The rule's own bound, of the greatest magnitudes that an implementation may have.
  const Call most = operands.With(all_most);
  Computation bounds = DotProductBounds(sum, *numbers, enclosed.op, most, /*flushed=*/false);
  // Each of these sums is itself rounded in fp64, and so is the specification's reference.
  const double rounded = (static_cast<double>(LengthOf(sum.length, most)) + 16) * 0x1p-51;
  Enclosures made;
  for (const auto& [name, center] : *centers) {
    const DType type = most.dtype(name);
    const FloatFormat& format = Format(type);
    const RuledAnswer rule = DotProductRule(row, sum, *numbers, most, name, center, bounds, -1);
    const double least_unit = std::ldexp(1.0, -1 - format.fraction_bits);
    const double limit = rule.rule.absolute_limit;
    Enclosure output(type, center.shape());
    for (int64_t i = 0; i < center.size(); ++i) {
      const double bound = rule.answer.bound->Element(i) * (1 + rounded);
      const double reach = std::max(bound, bound * (1 + limit * least_unit));
      if (!(reach <= format.max)) {
        output.Set(i, {});
        continue;
      }
      const double unit = std::max(bound * least_unit, format.normal_min());
      const double off = distances.at(name).Element(i) * (1 + rounded) +
                         greatest->at(name).Element(i) * rounded + limit * unit * (1 + 0x1p-40);
      const double c = center.Element(i);
      const Ends reals{Below(c - off), Above(c + off)};
      if (!std::isfinite(reals.lo) || !std::isfinite(reals.hi)) {
        output.Set(i, {});
        continue;
      }
      // The rule refuses an infinity.
      output.Set(i, WithFlushed(type, {LeastNotBelow(type, std::max(reals.lo, -format.max)),
                                       GreatestNotAbove(type, std::min(reals.hi, format.max))}));
    }
    made.emplace(name, std::move(output));
  }
  return made;
}

}  // namespace cts
