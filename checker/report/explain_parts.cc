#include "checker/report/explain_parts.h"

#include <algorithm>
#include <cmath>

#include "checker/report/clusters.h"
#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "reference/base/float_format.h"

namespace cts {

std::string FormatBits(const Tensor& tensor, int64_t i) {
  constexpr char kHex[] = "0123456789abcdef";
  const uint64_t bits = tensor.Bits(i);
  std::string text = "0x";
  for (int shift = 8 * StorageBytes(tensor.dtype()) - 4; shift >= 0; shift -= 4) {
    text += kHex[bits >> shift & 15];
  }
  return text;
}

std::vector<std::string> WhereWords(const Shape& shape, const std::vector<int64_t>& refused) {
  std::vector<std::string> lines;
  const auto all = static_cast<int64_t>(refused.size());
  for (const Cluster& cluster : FindClusters(shape, refused)) {
    const auto percent = static_cast<int64_t>(100.0 * static_cast<double>(cluster.refused) /
                                              static_cast<double>(cluster.size));
    lines.push_back(cluster.size == ElementCount(shape)
                        ? "every element"
                        : StrCat(cluster.words, ": ", cluster.refused == all ? "all " : "",
                                 cluster.refused == all ? StrCat(all)
                                                        : StrCat(cluster.refused, " of the ", all),
                                 " that differ lie there, and ", cluster.refused, " of its ",
                                 cluster.size, " elements differ (", percent, " %)"));
  }
  return lines;
}

// The ends are rounded here; the verdict took them exactly.
std::string AcceptedRange(const ExpectedOutput& output, const Answer& answer,
                          const ElementJudge& judge, int64_t i) {
  if (output.rule.kind == RuleKind::kInterval) {
    return StrCat(FormatElement(output, answer.expected, i), " to ",
                  FormatElement(output, *answer.upper, i));
  }
  if (output.rule.kind == RuleKind::kExact) return "exactly that";
  const double reference = answer.expected.Element(i);
  if (std::isnan(reference)) return "any NaN";
  double bound = judge.Bound(i);
  if (output.rule.kind == RuleKind::kDotProduct) {
    if (!judge.DotProduct(i).limited) return "anything: the dot product may overflow";
    const FloatFormat& format = Format(output.dtype);
    const double unit = std::ldexp(bound, -1 - format.fraction_bits);
    bound = bound == 0 ? 0 : output.rule.absolute_limit * std::max(unit, format.normal_min());
  }
  if (bound == 0) return "exactly that";
  return StrCat(FormatDouble(reference - bound), " to ", FormatDouble(reference + bound),
                " (expected -/+ ", FormatFigure(bound), ")");
}

std::vector<int64_t> RefusedElements(const ElementJudge& judge, int64_t size) {
  std::vector<int64_t> refused;
  for (int64_t i = 0; i < size; ++i) {
    if (!judge.Accepts(i)) refused.push_back(i);
  }
  return refused;
}

std::vector<int64_t> WorstElements(const ElementJudge& judge, const std::vector<int64_t>& refused) {
  constexpr size_t kShownElements = 10;
  struct Ranked {
    double severity;
    int64_t offset;
  };
  std::vector<Ranked> ranked;
  for (const int64_t i : refused) {
    const ElementError error = judge.Measure(i);
    ranked.push_back({error.of_bound.value_or(error.ulp), i});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.severity > b.severity; });
  std::vector<int64_t> offsets;
  for (size_t n = 0; n < std::min(ranked.size(), kShownElements); ++n) {
    offsets.push_back(ranked[n].offset);
  }
  return offsets;
}

bool IsEnclosed(const CaseReport& report) {
  return std::any_of(report.outputs.begin(), report.outputs.end(),
                     [](const OutputReport& output) { return output.enclosure.has_value(); });
}

std::string EnclosureText(const EnclosureFigures& figures) {
  const int64_t said = figures.elements - figures.unlimited - figures.wide;
  return StrCat("a result inside is not refuted; ", said, " of ", figures.elements,
                " elements are known to half of their magnitude, ", figures.wide, " are wider, ",
                figures.unlimited, " without a limit; half of all are known within ",
                FormatFigure(figures.median_width), " of their magnitude");
}

std::string RuleText(const Rule& rule) {
  std::string text = StrCat(Name(rule.kind), ", as ", rule.form, " compares");
  switch (rule.kind) {
    case RuleKind::kUlp:
      text += StrCat(": within ", FormatFigure(rule.ulp), " ulp");
      break;
    case RuleKind::kDotProduct:
      text += StrCat(": KS ", rule.kernel_size, ", ksb ", rule.ksb,
                     rule.data_set >= 0 ? StrCat(", data set S", rule.data_set) : "",
                     "; errors in units of max(bound * 2^(-1-normal_frac), normal_min)");
      break;
    default:
      if (rule.enclosure) text += ": an enclosure of what operators in a row may give";
      if (rule.is_unsigned) text += ", unsigned numbers";
      if (rule.zero_sign) text += ", and the sign of zero counts";
      if (!rule.zero_choice.empty()) {
        text += StrCat("; +0 may stand for -0 (", rule.zero_choice, ")");
      }
  }
  return text;
}

}  // namespace cts
