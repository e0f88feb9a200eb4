#include "generator/ops/long_sums.h"

#include <map>
#include <string>
#include <utility>

#include "generator/ops/limits.h"
#include "reference/ops/dot_product_length.h"

namespace cts {
namespace {

// P places and C columns have (P + C) * KS operands: the fewest for 1,000 results are those
// of 32 and 32. Windows lie side by side, so that the large value of S2 and S3 is the first product
// of each.
using Form = Labels (*)(int64_t products);

const std::map<std::string_view, Form>& Forms() {
  static const auto& forms = *new std::map<std::string_view, Form>{
      {"MATMUL",
       [](int64_t products) -> Labels {
         return {{"shape", StrCat("1x32x", products, "x32")}};
       }},
      {"FULLY_CONNECTED",
       [](int64_t products) -> Labels {
         return {{"shape", StrCat("32x", products, "x32")}};
       }},
      {"CONV2D",
       [](int64_t products) -> Labels {
         return {{"output", "1x4x8x32"},
                 {"kernel", StrCat("4x4x", products / 16)},
                 {"stride", "4x4"},
                 {"pad", "0-0-0-0"},
                 {"dilation", "1x1"}};
       }},
      {"CONV3D",
       [](int64_t products) -> Labels {
         return {{"output", "1x2x4x4x32"},
                 {"kernel", StrCat("4x4x4x", products / 64)},
                 {"stride", "4x4x4"},
                 {"pad", "0-0-0-0-0-0"},
                 {"dilation", "1x1x1"}};
       }},
      {"DEPTHWISE_CONV2D",
       [](int64_t products) -> Labels {
         const std::string kernel = StrCat("16x", products / 16);
         return {{"output", "1x4x8x1x32"},
                 {"kernel", kernel},
                 {"stride", kernel},
                 {"pad", "0-0-0-0"},
                 {"dilation", "1x1"}};
       }},
      // A larger kernel would leave sums at the edges shorter.
      {"TRANSPOSE_CONV2D",
       [](int64_t products) -> Labels {
         return {{"size", "1x4x8x32"},
                 {"kernel", StrCat("1x1x", products)},
                 {"stride", "1x1"},
                 {"out_pad", "0-0-0-0"}};
       }},
      // Each window has one large value, wherever it lies.
      {"AVG_POOL2D",
       [](int64_t products) -> Labels {
         return {{"output", "1x25x40x1"},
                 {"kernel", StrCat("16x", products / 16)},
                 {"stride", "1x1"},
                 {"pad", "0-0-0-0"}};
       }},
      {"REDUCE_SUM", [](int64_t products) -> Labels {
         return {{"shape", StrCat("1000x", products, "-last")}};
       }}};
  return forms;
}

// Type rows and sets in which a result of zeros passes. The test of this file holds each, and
// generation refuses a case that should stand here.
struct Hidden {
  bool of_one_sign;     // 0.100, whose sets and limits are others
  std::string_view op;  // empty: the operators of products
  DType in, out, acc;
  std::string_view sets;
  int64_t from;
};

constexpr DType kE4M3 = DType::kFp8E4M3, kE5M2 = DType::kFp8E5M2, kFp16 = DType::kFp16,
                kBf16 = DType::kBf16, kFp32 = DType::kFp32;
constexpr Hidden kHidden[] = {{false, "", kFp16, kFp16, kFp16, "1", 1024},
                              {false, "", kFp16, kFp16, kFp16, "5", 4096},
                              {false, "", kE4M3, kFp16, kFp16, "1", 2048},
                              {false, "", kE4M3, kFp16, kFp16, "5", 4096},
                              {false, "", kE5M2, kFp16, kFp16, "1", 2048},
                              {false, "", kE5M2, kFp16, kFp16, "5", 4096},
                              {false, "", kBf16, kBf16, kFp32, "1", 4096},
                              {false, "AVG_POOL2D", kBf16, kBf16, kFp32, "1", 2048},
                              {false, "AVG_POOL2D", kFp16, kFp16, kFp32, "2", 2048},
                              {false, "AVG_POOL2D", kFp16, kFp16, kFp16, "1", 2048},
                              {false, "AVG_POOL2D", kFp16, kFp16, kFp16, "2", 1024},
                              {false, "AVG_POOL2D", kE4M3, kE4M3, kFp16, "1245", 256},
                              {false, "AVG_POOL2D", kE4M3, kE4M3, kFp16, "3", 2048},
                              {false, "AVG_POOL2D", kE5M2, kE5M2, kFp16, "1245", 256},
                              {false, "AVG_POOL2D", kE5M2, kE5M2, kFp16, "3", 1024},
                              {false, "REDUCE_SUM", kBf16, kBf16, kFp32, "15", 4096},
                              {false, "REDUCE_SUM", kFp16, kFp16, kFp16, "15", 2048},
                              {false, "REDUCE_SUM", kFp16, kFp16, kFp16, "234", 4096},
                              {true, "AVG_POOL2D", kFp16, kFp16, kFp16, "2", 1024},
                              {true, "AVG_POOL2D", kE4M3, kE4M3, kFp16, "25", 256},
                              {true, "AVG_POOL2D", kE4M3, kE4M3, kFp16, "3", 2048},
                              {true, "AVG_POOL2D", kE4M3, kE4M3, kFp16, "4", 4096},
                              {true, "AVG_POOL2D", kE5M2, kE5M2, kFp16, "2", 1024},
                              {true, "AVG_POOL2D", kE5M2, kE5M2, kFp16, "3", 2048},
                              {true, "AVG_POOL2D", kE5M2, kE5M2, kFp16, "5", 256},
                              {true, "REDUCE_SUM", kFp16, kFp16, kFp16, "5", 4096}};

}  // namespace

std::string_view WhyNoLongSum(const Setting& setting, int64_t products, int set) {
  const DType in = setting.FirstBound({"in_t", "in_out_t"});
  const DType out = setting.FirstBound({"out_t", "in_out_t"});
  const DType acc = setting.FirstBound({"acc_t", "out_t", "in_out_t"});
  const bool of_one_sign = setting.EditionHas(Feature::kDotProductSetsOfOneSign);
  const auto length = setting.edition->precision->FindDotProduct(setting.spec->name)->length;
  for (const Hidden& hidden : kHidden) {
    const bool is_op = hidden.op.empty() ? SumsProducts(length) : hidden.op == setting.Text();
    if (is_op && hidden.of_one_sign == of_one_sign && hidden.in == in && hidden.out == out &&
        hidden.acc == acc && hidden.sets.find(static_cast<char>('0' + set)) != hidden.sets.npos &&
        products >= hidden.from) {
      return "the rule accepts a result of zeros for so long sums";
    }
  }
  if (of_one_sign && set == 1 && acc == kFp16 && products >= 2048) {
    return "sums in fp16, one product after the other as the text has it, leave the limits";
  }
  return "";
}

int64_t LongestSum(std::string_view op, int64_t most) {
  return op == "MATMUL" && most > 0 ? 4096 : most;
}

CaseDraft BuildLongSum(const Domain& domain, int64_t products, const CaseDraft& start) {
  Labels labels;
  for (const auto& [axis, label] : start.built_from->labels.all()) labels.Set(axis, label);
  const Labels of_sum = Forms().find(start.built_from->setting.Text())->second(products);
  for (const auto& [axis, label] : of_sum.all()) labels.Set(axis, label);
  // Beneath a bound of the whole input little shows.
  if (labels.Has("local_bound")) labels.Set("local_bound", "yes");
  CaseDraft draft = BuildAt(start, domain.axes, domain.build, std::move(labels));
  draft.built_from = start.built_from;
  return draft;
}

}  // namespace cts
