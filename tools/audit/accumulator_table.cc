#include "tools/audit/accumulator_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "checker/check.h"
#include "checker/rules/match.h"
#include "reference/base/float_format.h"
#include "reference/base/parallel_for.h"
#include "tools/audit/appendix_product.h"

namespace cts {
namespace {

constexpr int64_t kRows = AppendixProduct::kRows, kColumns = AppendixProduct::kColumns;

// The type row of MATMUL; null if there is none.
const TypeRow* RowOf(const OperatorSpec& matmul, DType in, DType out) {
  for (const TypeRow& row : matmul.type_rows) {
    if (row.Type("in_t") == in && row.Type("out_t") == out) return &row;
  }
  return nullptr;
}

Tensor Multiply(const AppendixProduct& product, const AccumulatorModel& model) {
  const DType in = product.a.dtype(), out = product.expected.dtype;
  const auto count = static_cast<size_t>(product.a.shape()[2]);
  const auto columns = static_cast<size_t>(kColumns);
  const auto read = [&](const Tensor& operand) {
    std::vector<double> values = operand.Floats();
    for (double& x : values) x = ReadOperand(model, in, x);
    return values;
  };
  const std::vector<double> a = read(product.a), b = read(product.b);
  Tensor result(out, product.expected.shape);
  std::vector<SumTerm> terms(count);
  for (int64_t i = 0; i < result.size(); ++i) {
    const size_t row = static_cast<size_t>(i) / columns, column = static_cast<size_t>(i) % columns;
    for (size_t k = 0; k < count; ++k) {
      terms[k] = ProductOf(in, a[row * count + k], b[k * columns + column]);
    }
    result.SetFloat(i, SumOf(model, out, terms));
  }
  return result;
}

AccumulatorShare ShareOf(const ExpectedOutput& expected, const Tensor& result, int set) {
  size_t answer = 0;
  const OutputReport report = JudgeTensor(expected, result, &answer);
  const Rule& rule = expected.rule;
  const TensorErrors errors = MeasureTensor(expected, expected.answers[answer], result);
  const DotProductFigures& figures = *errors.figures;
  AccumulatorShare worst{
      .set = set, .limit = "element", .accepted = report.verdict == Verdict::kPass};
  const auto take = [&](std::string_view limit, double share) {
    if (share > worst.share) worst.limit = limit, worst.share = share;
  };
  take("element", figures.worst_error / rule.absolute_limit);
  if (rule.variance_limit) take("variance", figures.squared_error_sum / *rule.variance_limit);
  if (rule.bias_limit) take("bias", std::fabs(figures.error_sum) / *rule.bias_limit);
  // NaN, an infinity, or not zero where the bound is zero.
  if (!worst.accepted && worst.share <= 1) {
    take("element", std::numeric_limits<double>::infinity());
  }
  return worst;
}

// A refusal is worse than any share.
bool IsWorse(const AccumulatorShare& a, const AccumulatorShare& b) {
  if (a.accepted != b.accepted) return b.accepted;
  return a.share > b.share;
}

StatusOr<std::vector<AppendixProduct>> Products(const Edition& edition,
                                                const AccumulatorSums& sums) {
  const OperatorSpec& matmul = *edition.FindOperator("MATMUL");
  const TypeRow* const row = RowOf(matmul, sums.in, sums.out);
  if (row == nullptr) {
    return InvalidArgument("MATMUL of ", edition.id, " has no type row of ",
                           std::string(Name(sums.in)), " to ", std::string(Name(sums.out)));
  }
  const Setting setting{&edition, edition.FindLevel("8K"), &matmul, row};
  std::vector<AppendixProduct> products;
  for (int set = 0; set < kAppendixSets; ++set) {
    CTS_ASSIGN_OR_RETURN(AppendixProduct product,
                         MakeAppendixProduct(setting, sums.kernel_size, set));
    products.push_back(std::move(product));
  }
  return products;
}

AccumulatorShare Try(const std::vector<AppendixProduct>& products, const AccumulatorModel& model) {
  std::optional<AccumulatorShare> worst;
  for (size_t set = 0; set < products.size(); ++set) {
    const AppendixProduct& product = products[set];
    const AccumulatorShare share =
        ShareOf(product.expected, Multiply(product, model), static_cast<int>(set));
    if (!worst || IsWorse(share, *worst)) worst = share;
  }
  return *worst;
}

}  // namespace

StatusOr<AccumulatorShare> TryAccumulator(const Edition& edition, const AccumulatorSums& sums,
                                          const AccumulatorModel& model) {
  CTS_ASSIGN_OR_RETURN(const std::vector<AppendixProduct> products, Products(edition, sums));
  return Try(products, model);
}

std::optional<double> DerivedShareOfS2(const AccumulatorModel& model, int64_t kernel_size) {
  const bool truncates = model.of_sums == SumRounding::kTowardZero;
  if (!truncates || model.order != SumOrder::kInOrder || model.sums || model.sum_bits != 0 ||
      model.operand_bits != 0) {
    return std::nullopt;
  }
  const bool aligned = model.aligned_bits != 0;
  const int extra = aligned ? model.aligned_bits - 23 : 100;
  const double of_terms = aligned ? std::ldexp(1, -2 * extra) / 3 : 0;
  const double loss = extra > 0 ? (1 - std::ldexp(1, -extra)) / 2 : 0;
  const auto terms = static_cast<double>(model.terms);
  return of_terms + static_cast<double>(kernel_size) / (terms * terms) * loss * loss;
}

}  // namespace cts
