// A tensor times the reciprocal of its own sum, as softmax has it. Taken apart, the product would
// have the greatest term over the least sum. But the sum holds the term: t / (t + the others) is
// monotonic in t and in the others. And where the terms are EXP(x - m) with one m for the sum, e^-m
// cancels.
//
// Each bound is a share of the term that it belongs to. A tensor may be read with all its bits by
// one operator and rounded to its type, or flushed, by another: every reading has half a unit in
// the last place more.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "reference/base/float_format.h"
#include "reference/enclosure/enclosed_operator.h"
#include "reference/numeric/elementary.h"
#include "reference/ops/dot_product_length.h"

namespace cts {
namespace {

constexpr double kDoubt = 0x1p-40;  // a share for fp64's own roundings of a few steps
// A share for those of a sum of n terms, each of which is off by at most 2^-53 of the magnitudes.
double DoubtOfSum(size_t n) { return std::max(kDoubt, static_cast<double>(n + 16) * 0x1p-50); }

// The operator of the graph that makes a tensor, if it is `op`, and the row that binds it.
struct Maker {
  const GraphOperator* node;
  Call call;
  const PrecisionRow* row;
};
std::optional<Maker> FindMaker(const EnclosedCall& enclosed, std::string_view op,
                               const std::string& tensor) {
  const GraphOperator* const node = enclosed.operands.MakerOf(tensor);
  if (node == nullptr || node->op != op) return std::nullopt;
  Call call = enclosed.operands.CallOf(*node);
  if (!call.fits() || IsInAnotherLayout(call)) return std::nullopt;
  const StatusOr<const PrecisionRow*> row = FindRow(enclosed.table, call, "output");
  if (!row.ok()) return std::nullopt;
  return Maker{node, std::move(call), *row};
}

// The graph's terms * RECIPROCAL(REDUCE_SUM(terms)).
struct Quotient {
  std::string terms;
  Maker sum, reciprocal;
};
std::optional<Quotient> FindQuotient(const EnclosedCall& enclosed) {
  for (const size_t k : {0, 1}) {
    const std::string& terms = enclosed.operands.name(k);
    auto reciprocal = FindMaker(enclosed, "RECIPROCAL", enclosed.operands.name(1 - k));
    if (!reciprocal) continue;
    auto sum = FindMaker(enclosed, "REDUCE_SUM", reciprocal->node->inputs[0]);
    if (!sum || sum->node->inputs[0] != terms) continue;
    if (enclosed.operands[k].lo.shape() != enclosed.call.shape("output")) continue;
    return Quotient{terms, *std::move(sum), *std::move(reciprocal)};
  }
  return std::nullopt;
}

// The positions of the terms of one sum: first, first + step, ...
struct Row {
  int64_t first, step, length;
  int64_t At(int64_t k) const { return first + k * step; }
};

// t / (t + the others) for each term of a row, from its ends and those of the others; nothing if
// the sum may be zero. In each of both it is monotonic, so that the corners decide.
bool Shares(const std::vector<Ends>& terms, std::vector<Ends>* shares) {
  const size_t n = terms.size();
  // The sums of the terms before each, and of those behind it.
  std::vector<Ends> before(n + 1, {0, 0}), behind(n + 1, {0, 0});
  double magnitudes = 0;
  bool terms_are_positive = true;
  for (size_t k = 0; k < n; ++k) {
    terms_are_positive = terms_are_positive && terms[k].lo >= 0;
    before[k + 1] = {before[k].lo + terms[k].lo, before[k].hi + terms[k].hi};
    const Ends& last = terms[n - 1 - k];
    behind[n - 1 - k] = {behind[n - k].lo + last.lo, behind[n - k].hi + last.hi};
    magnitudes += std::max(std::fabs(terms[k].lo), std::fabs(terms[k].hi));
  }
  const double least_doubt = std::numeric_limits<double>::min(), of_sum = DoubtOfSum(n);
  for (size_t k = 0; k < n; ++k) {
    double lo = before[k].lo + behind[k + 1].lo, hi = before[k].hi + behind[k + 1].hi;
    // Sums of terms none of which is below zero are off by a share of themselves.
    lo -= (terms_are_positive ? lo : magnitudes) * of_sum + least_doubt;
    hi += (terms_are_positive ? hi : magnitudes) * of_sum + least_doubt;
    if (!(terms[k].lo + lo > 0) || !std::isfinite(magnitudes)) return false;
    Ends share{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const double term : {terms[k].lo, terms[k].hi}) {
      for (const double others : {lo, hi}) {
        const double at = term / (term + others);
        share = {std::min(share.lo, at), std::max(share.hi, at)};
      }
    }
    const double doubt = std::max(std::fabs(share.lo), std::fabs(share.hi)) * kDoubt;
    (*shares)[k] = {std::max((*shares)[k].lo, share.lo - doubt),
                    std::min((*shares)[k].hi, share.hi + doubt)};
  }
  return true;
}

// The terms as EXP(x - m).
struct Powers {
  const ElementwisePrecision& exp;
  const UlpPrecision& sub;
  Enclosure x, m, difference;
};
std::optional<Powers> FindPowers(const EnclosedCall& enclosed, const Quotient& quotient) {
  auto exp = FindMaker(enclosed, "EXP", quotient.terms);
  const auto* const bound = exp ? exp->row->As<ElementwisePrecision>() : nullptr;
  if (bound == nullptr) return std::nullopt;
  const bool grows =
      bound->magnitude == Magnitude::kReference || bound->magnitude == Magnitude::kRaisedReference;
  if (!grows || bound->least != 0 || bound->least_normal_min != 0) return std::nullopt;
  auto sub = FindMaker(enclosed, "SUB", exp->node->inputs[0]);
  const auto* const ulp = sub ? sub->row->As<UlpPrecision>() : nullptr;
  if (ulp == nullptr) return std::nullopt;
  const EnclosedOperands& operands = enclosed.operands;
  auto x = operands.Known(sub->node->inputs[0]), m = operands.Known(sub->node->inputs[1]);
  auto difference = operands.Known(exp->node->inputs[0]);
  if (!x || !m || !difference) return std::nullopt;
  // One m for each sum.
  Shape one = x->lo.shape();
  const auto axis = static_cast<size_t>(quotient.sum.call.Integer("axis"));
  if (one != enclosed.call.shape("output")) return std::nullopt;
  one[axis] = 1;
  if (m->lo.shape() != one) return std::nullopt;
  return Powers{*bound, *ulp, *std::move(x), *std::move(m), *std::move(difference)};
}

// The terms of a row times e^(m - the greatest m), for the m of an implementation, whichever it is.
bool WithoutOffset(const Powers& powers, DType type, const Row& row, double most,
                   const Enclosure& terms, std::vector<Ends>* scaled) {
  const FloatFormat& format = Format(type);
  const double unit = std::ldexp(1.0, -format.fraction_bits);
  for (int64_t k = 0; k < row.length; ++k) {
    const Ends x = powers.x.At(row.At(k)), d = powers.difference.At(row.At(k));
    const Ends term = terms.At(row.At(k));
    if (IsExactInfinity(d) && d.lo < 0) {  // nothing of it: what rounds to zero
      scaled->push_back({std::min(term.lo, 0.0), std::max(term.hi, 0.0)});
      continue;
    }
    if (!std::isfinite(x.lo) || !std::isfinite(x.hi) || !std::isfinite(term.hi)) return false;
    const double size = std::max(std::fabs(d.lo), std::fabs(d.hi));
    if (!std::isfinite(size)) return false;
    const double normal_min = format.normal_min();
    // By SUB's rule, by the bits that its result is held with, and by those that EXP reads. Numbers
    // below the normal ones stand for each other, or zero for them.
    const double off = unit * (powers.sub.scale + 1) * size * (1 + 2 * unit) + 2 * normal_min;
    // By EXP's rule, and by the bits that its result is held with.
    const double factor = BoundFactor(powers.exp, type, size + off) * unit * (1 + kDoubt);
    const double relative = factor + 0.5 * unit * (1 + factor);
    const double absolute =
        normal_min * (factor * (1 + unit) + unit + (term.lo < 4 * normal_min ? 2 : 0));
    const double lo = Exp(Below(x.lo - most) - off) * (1 - kDoubt);
    const double hi = Exp(Above(x.hi - most) + off) * (1 + kDoubt);
    scaled->push_back({(relative < 1 ? lo : hi) * (1 - relative) - absolute,
                       hi * (1 + relative) * (1 + kDoubt) + absolute});
  }
  return true;
}

// The terms of one sum, as they may be held.
struct Terms {
  explicit Terms(std::vector<Ends> terms) : held(std::move(terms)) {
    double magnitudes = 0;
    for (const Ends& term : held) {
      least += term.lo;
      negatives += std::max(0.0, -term.lo);
      magnitudes += std::fabs(term.lo);
    }
    least -= magnitudes * DoubtOfSum(held.size());
    negatives *= 1 + DoubtOfSum(held.size());
  }

  std::vector<Ends> held;
  double least = 0;      // that their sum may be
  double negatives = 0;  // the greatest magnitude of the sum of those that may be below zero
};

// The share by which the reciprocal of the sum, times the sum of the terms, may differ from one;
// nothing if the rules set no limit, or near numbers that may be flushed.
std::optional<double> DistanceOfReciprocal(const EnclosedCall& enclosed, const Quotient& quotient,
                                           const Ends& sum, const Ends& part, const Terms& terms) {
  const PrecisionRow& row = *quotient.sum.row;
  const auto* const rule = row.As<DotProductPrecision>();
  const auto* const inverse = quotient.reciprocal.row->As<ElementwisePrecision>();
  const DotProductNumbers* const numbers = enclosed.table.dot_products();
  const bool known = rule != nullptr && numbers != nullptr && inverse != nullptr &&
                     inverse->magnitude == Magnitude::kBinade && inverse->slope == 0 &&
                     inverse->least == 0 && inverse->least_normal_min == 0;
  const Call& call = quotient.sum.call;
  const DType type = call.dtype("output");
  const double normal_min = Format(type).normal_min(), least = terms.least;
  const bool usual = least > 4 * normal_min && sum.lo > 4 * normal_min &&
                     part.lo > 4 * normal_min && std::isfinite(sum.hi) && std::isfinite(part.hi);
  if (!known || !usual) return std::nullopt;
  const DType accumulator = call.row().PlainType("acc_t").value_or(type);
  const double limit = DotProductLimits(*numbers, row.form, LengthOf(rule->length, call), false,
                                        type, accumulator, 1, false, -1)
                           .absolute_limit;
  const double unit = std::ldexp(1.0, -Format(type).fraction_bits);
  // The sum of magnitudes, each raised to at least the least normal number, as a multiple of the
  // sum.
  const double magnitudes =
      1 + (2 * terms.negatives + static_cast<double>(terms.held.size()) * normal_min) / least;
  const double of_rule = limit * (0.5 * unit * magnitudes * (1 + unit) + normal_min / least);
  // The bits that the sum reads, those that it is held with and those that RECIPROCAL reads. The
  // reference of the rule is itself rounded in fp64.
  const double of_sum = (of_rule + (unit + DoubtOfSum(terms.held.size())) * magnitudes +
                         (magnitudes - 1) + unit * (1 + of_rule)) *
                        (1 + kDoubt);
  if (!(of_sum < 0.5)) return std::nullopt;
  // Likewise of the reciprocal, which MUL reads.
  const double of_inverse =
      unit * (inverse->scale + 1) * (1 + inverse->scale * unit) * (1 + kDoubt);
  // (1 + of_inverse) / (1 - of_sum), which is farther from one than the other end.
  return (of_sum + of_inverse) / (1 - of_sum) * (1 + kDoubt) + kDoubt;
}

}  // namespace

void NarrowQuotient(const EnclosedCall& enclosed, std::vector<Ends>* products) {
  const std::optional<Quotient> quotient = FindQuotient(enclosed);
  if (!quotient) return;
  const EnclosedOperands& operands = enclosed.operands;
  const auto terms = operands.Known(quotient->terms),
             sums = operands.Known(quotient->sum.node->outputs[0]),
             parts = operands.Known(quotient->reciprocal.node->outputs[0]);
  if (!terms || !sums || !parts) return;
  const DType type = enclosed.call.dtype("output");
  const std::optional<Powers> powers = FindPowers(enclosed, *quotient);
  const FloatFormat& format = Format(type);
  const double unit = std::ldexp(1.0, -format.fraction_bits);
  const Shape& shape = enclosed.call.shape("output");
  const auto axis = static_cast<size_t>(quotient->sum.call.Integer("axis"));
  int64_t inner = 1;
  for (size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
  for (int64_t s = 0; s < sums->lo.size(); ++s) {
    const Row row{s / inner * inner * shape[axis] + s % inner, inner, shape[axis]};
    std::vector<Ends> of_row;
    for (int64_t k = 0; k < row.length; ++k) of_row.push_back(terms->At(row.At(k)));
    const Terms of_sum(std::move(of_row));
    const std::vector<Ends>& held = of_sum.held;
    const std::optional<double> distance =
        DistanceOfReciprocal(enclosed, *quotient, sums->At(s), parts->At(s), of_sum);
    constexpr double kUnbounded = std::numeric_limits<double>::infinity();
    std::vector<Ends> shares(held.size(), {-kUnbounded, kUnbounded});
    if (!distance || !Shares(held, &shares)) continue;
    std::vector<Ends> scaled;
    if (powers && std::isfinite(powers->m.At(s).hi) &&
        WithoutOffset(*powers, type, row, powers->m.At(s).hi, *terms, &scaled)) {
      Shares(scaled, &shares);
    }
    for (int64_t k = 0; k < row.length; ++k) {
      const auto [lo, hi] = shares[static_cast<size_t>(k)];
      const double size = std::max(std::fabs(lo), std::fabs(hi));
      // MUL may read the term as the sum does, or rounded, or flushed.
      const bool tiny = held[static_cast<size_t>(k)].lo < 4 * format.normal_min();
      const double read = (tiny ? format.normal_min() : format.subnormal_min()) * parts->At(s).hi;
      const double off = (size * (*distance + unit * (1 + *distance)) + read) * (1 + kDoubt);
      Ends& product = (*products)[static_cast<size_t>(row.At(k))];
      if (product.IsEverything()) continue;
      product = {std::max(product.lo, lo - off), std::min(product.hi, hi + off)};
    }
  }
}

}  // namespace cts
