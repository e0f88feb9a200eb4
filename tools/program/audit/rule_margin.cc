#include "tools/program/audit/rule_margin.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <tuple>

#include "checker/judge/check.h"
#include "generator/generate.h"
#include "reference/faults/accumulation.h"
#include "tools/program/audit/appendix_product.h"
#include "tools/program/audit/farthest_accepted.h"

namespace cts {
namespace {

constexpr int64_t kElementsOfAnOutput = 64;
constexpr int64_t kKernelSizes[] = {16, 64, 256, 1024};

using BoundKey = std::tuple<std::string, std::string, std::string>;  // operator, type, rule
struct Reaches {
  uint64_t elements = 0, anything = 0;
  std::map<int64_t, uint64_t> counts;  // by how many values
};

// The accepted values near some elements of one output, which starts from the right results.
void Measure(const ExpectedOutput& output, Reaches* reaches) {
  const Answer& answer = output.answers[0];
  Tensor result(output.dtype, output.shape);
  for (int64_t i = 0; i < result.size(); ++i) result.SetElement(i, answer.expected.Element(i));
  const ElementJudge judge(output, answer, result);
  const int64_t stride = std::max<int64_t>(1, result.size() / kElementsOfAnOutput);
  for (int64_t i = 0; i < result.size(); i += stride) {
    const uint64_t bits = result.Bits(i);
    const double x = result.Element(i);
    if (!(std::fabs(x) <= Format(output.dtype).max)) continue;
    const bool limited = output.rule.kind != RuleKind::kDotProduct || judge.DotProduct(i).limited;
    ++reaches->elements;
    if (judge.Unlimited(i) || !limited) {
      ++reaches->anything;
      continue;
    }
    int64_t reach = 0;
    if (judge.Accepts(i)) {
      for (const int64_t direction : {int64_t{-1}, int64_t{1}}) {
        reach = std::max(reach, PushToEnd(judge, result, i, direction));
        result.SetBits(i, bits);
      }
    }
    ++reaches->counts[reach];
  }
}

BoundSlack Summary(const BoundKey& key, const Reaches& reaches) {
  BoundSlack slack{.op = std::get<0>(key),
                   .type = std::get<1>(key),
                   .rule = std::get<2>(key),
                   .elements = reaches.elements,
                   .anything = reaches.anything};
  if (reaches.counts.empty()) return slack;
  slack.least = reaches.counts.begin()->first;
  slack.greatest = reaches.counts.rbegin()->first;
  uint64_t below = 0;
  for (const auto& [reach, count] : reaches.counts) {
    below += count;
    slack.median = reach;
    if (2 * below >= reaches.elements - reaches.anything) break;
  }
  return slack;
}

// Computes the sums in order, with each fused product rounded to `bits` bits of significand.
bool IsAccepted(const AppendixProduct& product, int bits) {
  const int64_t kernel_size = product.a.shape()[2];
  const std::vector<double> a = product.a.Elements(), b = product.b.Elements();
  Tensor result(product.expected.dtype, product.expected.shape);
  for (int64_t h = 0; h < AppendixProduct::kRows; ++h) {
    for (int64_t w = 0; w < AppendixProduct::kColumns; ++w) {
      double sum = 0;
      for (int64_t c = 0; c < kernel_size; ++c) {
        const double term = a[static_cast<size_t>(h * kernel_size + c)] *
                            b[static_cast<size_t>(c * AppendixProduct::kColumns + w)];
        sum = RoundToBits(sum + term, bits);
      }
      result.SetElement(h * AppendixProduct::kColumns + w, sum);
    }
  }
  return JudgeTensor(product.expected, result).verdict == Verdict::kPass;
}

StatusOr<AccumulatorSlack> MeasureAccumulator(const Setting& setting, int64_t kernel_size) {
  const DType in = setting.Type("in_t"), out = setting.Type("out_t");
  AccumulatorSlack slack{.in = std::string(Name(in)),
                         .out = std::string(Name(out)),
                         .kernel_size = kernel_size,
                         .own_bits = Format(out).fraction_bits + 1};
  std::vector<AppendixProduct> products;
  for (int set = 0; set < kAppendixSets; ++set) {
    CTS_ASSIGN_OR_RETURN(AppendixProduct product, MakeAppendixProduct(setting, kernel_size, set));
    products.push_back(std::move(product));
  }
  for (slack.bits = slack.own_bits; slack.bits > 1; --slack.bits) {
    for (int set = 0; set < kAppendixSets && slack.refused_by < 0; ++set) {
      const AppendixProduct& product = products[static_cast<size_t>(set)];
      if (!IsAccepted(product, slack.bits - 1)) slack.refused_by = set;
    }
    if (slack.refused_by >= 0) break;
  }
  return slack;
}

}  // namespace

StatusOr<std::vector<BoundSlack>> MeasureBounds(const SlackOptions& options) {
  std::mutex mutex;
  std::map<BoundKey, Reaches> all;
  const GenerateOptions generate{.recipe = options.recipe,
                                 .jobs = options.jobs,
                                 .progress = options.progress,
                                 .stop = options.stop};
  CTS_RETURN_IF_ERROR(ForEachCase(generate, [&](size_t, const Case& c) -> Status {
    if (c.outcome != Outcome::kValid) return absl::OkStatus();
    for (const ExpectedOutput& output : c.outputs) {
      if (!IsFloat(output.dtype) || output.answers.empty()) continue;
      if (output.rule.kind == RuleKind::kExact || output.rule.kind == RuleKind::kUnchecked)
        continue;
      Reaches reaches;
      Measure(output, &reaches);
      const std::lock_guard<std::mutex> lock(mutex);
      Reaches& sum =
          all[{c.op, std::string(Name(output.dtype)), std::string(Name(output.rule.kind))}];
      sum.elements += reaches.elements;
      sum.anything += reaches.anything;
      for (const auto& [reach, count] : reaches.counts) sum.counts[reach] += count;
    }
    return absl::OkStatus();
  }));
  std::vector<BoundSlack> bounds;
  bounds.reserve(all.size());
  for (const auto& [key, reaches] : all) bounds.push_back(Summary(key, reaches));
  return bounds;
}

StatusOr<std::vector<AccumulatorSlack>> MeasureAccumulators(const Edition& edition) {
  std::vector<AccumulatorSlack> accumulators;
  const OperatorSpec* const matmul = edition.FindOperator("MATMUL");
  if (matmul == nullptr) return accumulators;
  for (const TypeRow& row : matmul->type_rows) {
    const Setting setting{&edition, &edition.NarrowestLevel(), matmul, &row};
    if (!IsFloat(setting.Type("in_t"))) continue;
    for (const int64_t kernel_size : kKernelSizes) {
      CTS_ASSIGN_OR_RETURN(AccumulatorSlack measured, MeasureAccumulator(setting, kernel_size));
      accumulators.push_back(std::move(measured));
    }
  }
  return accumulators;
}

std::string FormatSlack(const std::vector<BoundSlack>& bounds,
                        const std::vector<AccumulatorSlack>& accumulators) {
  std::string text =
      "| operator | type | rule | elements | anything goes | least | median | greatest |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const BoundSlack& bound : bounds) {
    text += StrCat("| ", bound.op, " | ", bound.type, " | ", bound.rule, " | ", bound.elements,
                   " | ", bound.anything, " | ", bound.least, " | ", bound.median, " | ",
                   bound.greatest, " |\n");
  }
  text += "\n| inputs, result | bits of the result |";
  for (const int64_t kernel_size : kKernelSizes) text += StrCat(" KS ", kernel_size, " |");
  text += "\n|---|---|";
  for (size_t k = 0; k < std::size(kKernelSizes); ++k) text += "---|";
  for (size_t k = 0; k < accumulators.size(); ++k) {
    const AccumulatorSlack& accumulator = accumulators[k];
    if (k % std::size(kKernelSizes) == 0) {
      text +=
          StrCat("\n| ", accumulator.in, ", ", accumulator.out, " | ", accumulator.own_bits, " |");
    }
    text += StrCat(" ", accumulator.bits);
    if (accumulator.refused_by >= 0) text += StrCat(" (S", accumulator.refused_by, ")");
    text += " |";
  }
  return text + "\n";
}

}  // namespace cts
