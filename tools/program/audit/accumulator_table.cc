#include "tools/program/audit/accumulator_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>

#include "checker/judge/check.h"
#include "checker/rules/match.h"
#include "reference/base/float_format.h"
#include "reference/base/parallel_for.h"
#include "tools/program/audit/appendix_product.h"

namespace cts {
namespace {

constexpr int64_t kColumns = AppendixProduct::kColumns;

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
    std::vector<double> values = operand.Elements();
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
    result.SetElement(i, SumOf(model, out, terms));
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
  const OperatorSpec* const matmul = edition.FindOperator("MATMUL");
  if (matmul == nullptr) {
    return InvalidArgument("edition ", edition.id,
                           ": found no operator MATMUL, expected one: its sums are measured");
  }
  const TypeRow* const row = RowOf(*matmul, sums.in, sums.out);
  if (row == nullptr) {
    return InvalidArgument("MATMUL of ", edition.id, " has no type row of ",
                           std::string(Name(sums.in)), " to ", std::string(Name(sums.out)));
  }
  const Setting setting{&edition, &edition.NarrowestLevel(), matmul, row};
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

const std::vector<int64_t>& AccumulatorLengths() {
  static const auto& lengths = *new std::vector<int64_t>{27, 90, 256, 1024, 2048, 4096};
  return lengths;
}

namespace {

struct PageRow {
  DType in, out;
};
constexpr PageRow kPageRows[] = {{DType::kFp16, DType::kFp32},    {DType::kBf16, DType::kFp32},
                                 {DType::kFp32, DType::kFp32},    {DType::kFp16, DType::kFp16},
                                 {DType::kFp8E4M3, DType::kFp16}, {DType::kFp8E5M2, DType::kFp16}};

// The models of a table, in its order: those of no interest for a type are left out.
std::vector<const AccumulatorModel*> ModelsOfPage(const PageRow& row) {
  std::vector<std::string_view> ids = {
      "fused",          "rounded_products", "pairwise",    "blocks_32",
      "toward_zero",    "flushes",          "align_4x25",  "align_8x25",
      "align_16x25",    "align_4x24",       "align_8x24",  "align_16x24",
      "align_4x23",     "align_8x23",       "align_16x23", "align_8x24_nearest",
      "align_8x24_down"};
  std::vector<std::string_view> more = {"align_4x22",         "align_8x22", "align_16x22",
                                        "align_8x22_nearest", "align_8x21", "fused_22",
                                        "fused_21",           "fp16_sums",  "bf16_sums"};
  if (row.out == DType::kFp16) {
    more = {"align_8x13", "align_16x13", "align_8x12", "align_8x11", "align_4x10",
            "align_8x10", "align_4x9",   "align_8x9",  "fused_9",    "fused_8",
            "fused_7",    "fp32_sums",   "bf16_sums"};
  }
  ids.insert(ids.end(), more.begin(), more.end());
  if (row.in == DType::kFp32) ids.insert(ids.end(), {"tf32", "tf32_align_4x24", "bf16_operands"});
  std::vector<const AccumulatorModel*> models;
  models.reserve(ids.size());
  for (const std::string_view id : ids) models.push_back(&FindAccumulatorModel(id));
  return models;
}

std::string CellOf(const AccumulatorShare& share) {
  if (share.accepted) return "passes";
  char text[64];
  const char* const form = std::isinf(share.share) || share.share >= 100 ? "S%d %s" : "S%d %s %.2f";
  std::snprintf(text, sizeof text, form, share.set, std::string(share.limit).c_str(), share.share);
  return text;
}

// Returns the narrowest model of those that keep fraction bits of aligned terms: the one with the
// fewest bits that passes.
std::string NarrowestOf(const std::vector<const AccumulatorModel*>& models,
                        const std::vector<AccumulatorShare>& shares) {
  const AccumulatorModel* narrowest = nullptr;
  for (size_t m = 0; m < models.size(); ++m) {
    const AccumulatorModel& model = *models[m];
    if (!shares[m].accepted || model.aligned_bits == 0 || model.operand_bits != 0) continue;
    if (model.of_sums != SumRounding::kTowardZero) continue;
    if (narrowest == nullptr || model.aligned_bits < narrowest->aligned_bits) narrowest = &model;
  }
  return narrowest == nullptr ? "none" : StrCat(narrowest->aligned_bits);
}

}  // namespace

StatusOr<std::string> FormatAccumulators(const Edition& edition, int jobs) {
  const std::vector<int64_t>& lengths = AccumulatorLengths();
  const size_t rows = std::size(kPageRows);
  // By type row and length; in each those of the models.
  std::vector<std::vector<AccumulatorShare>> shares(rows * lengths.size());
  CTS_RETURN_IF_ERROR(ParallelFor(shares.size(), {.jobs = jobs}, [&](size_t k) -> Status {
    const PageRow& row = kPageRows[k / lengths.size()];
    CTS_ASSIGN_OR_RETURN(const std::vector<AppendixProduct> products,
                         Products(edition, {row.in, row.out, lengths[k % lengths.size()]}));
    for (const AccumulatorModel* const model : ModelsOfPage(row)) {
      shares[k].push_back(Try(products, *model));
    }
    return absl::OkStatus();
  }));
  std::string text;
  for (size_t r = 0; r < rows; ++r) {
    const PageRow& row = kPageRows[r];
    const std::vector<const AccumulatorModel*> models = ModelsOfPage(row);
    text += StrCat(text.empty() ? "" : "\n", "### ", std::string(Name(row.in)), " to ",
                   std::string(Name(row.out)), "\n\n| accumulator |");
    for (const int64_t length : lengths) text += StrCat(" KS ", length, " |");
    text += "\n|---|";
    for (size_t k = 0; k < lengths.size(); ++k) text += "---|";
    for (size_t m = 0; m < models.size(); ++m) {
      text += StrCat("\n| ", NameOf(*models[m], row.out), " |");
      for (size_t k = 0; k < lengths.size(); ++k) {
        text += StrCat(" ", CellOf(shares[r * lengths.size() + k][m]), " |");
      }
    }
    text += "\n| fewest fraction bits, aligned, toward zero |";
    for (size_t k = 0; k < lengths.size(); ++k) {
      text += StrCat(" ", NarrowestOf(models, shares[r * lengths.size() + k]), " |");
    }
    text += "\n";
  }
  return text;
}

}  // namespace cts
