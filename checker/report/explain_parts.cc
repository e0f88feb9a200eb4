#include "checker/report/explain_parts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "reference/base/float_format.h"

namespace cts {

std::string FormatBits(DType dtype, uint64_t bits) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 8 * StorageBytes(dtype) - 4; shift >= 0; shift -= 4) {
    text += kHex[bits >> shift & 15];
  }
  if (!IsFloat(dtype) || !std::isnan(DecodeFloat(dtype, bits))) return text;
  const FloatFormat& format = Format(dtype);
  if (!format.has_infinity) return text + ", NaN";
  // IEEE 754-2019, 6.2.1: the first bit of the fraction.
  const bool quiet = (bits >> (format.fraction_bits - 1) & 1) != 0;
  return text + (quiet ? ", quiet NaN" : ", signalling NaN");
}

std::string ExpectedText(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  std::string text = FormatElement(output, answer.expected, i);
  if (!IsFloat(output.dtype) || !std::isnan(answer.expected.Element(i))) return text;
  const uint64_t bits = EncodeFloat(output.dtype, answer.expected.Element(i));
  return StrCat(text, "  (bits ", FormatBits(output.dtype, bits), ")");
}

namespace {

bool IsBelowNormal(DType dtype, double value) {
  return value != 0 && std::fabs(value) < Format(dtype).normal_min();
}

}  // namespace

bool IsFlushed(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
               int64_t i) {
  if (!IsFloat(output.dtype) || result.Element(i) != 0 || answer.flushed) return false;
  const double expected = answer.expected.Element(i);
  if (IsBelowNormal(output.dtype, expected)) return true;
  return expected != 0 &&
         std::any_of(output.answers.begin(), output.answers.end(), [&](const Answer& other) {
           return other.flushed && ElementJudge(output, other, result).Accepts(i);
         });
}

std::string OffBy(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                  int64_t i) {
  if (IsFlushed(output, answer, result, i)) {
    return IsBelowNormal(output.dtype, answer.expected.Element(i))
               ? "flushed: zero was answered for a subnormal number"
               : "flushed: zero was answered, as if a subnormal operand were zero";
  }
  const ElementError error = ElementJudge(output, answer, result).Measure(i);
  if (error.ulp == 0) return "the values are equal, the sign of zero differs";
  return FormatDistance(error.ulp, error.of_bound, output.dtype);
}

std::vector<int64_t> FlushedElements(const ExpectedOutput& output, const Answer& answer,
                                     const Tensor& result, const std::vector<int64_t>& refused) {
  std::vector<int64_t> flushed;
  std::copy_if(refused.begin(), refused.end(), std::back_inserter(flushed),
               [&](int64_t i) { return IsFlushed(output, answer, result, i); });
  return flushed;
}

namespace {

// Whether an element that is right fits no flushed answer. There must be such an answer.
bool KeepsSome(const ExpectedOutput& output, const Tensor& result,
               const std::vector<int64_t>& refused) {
  std::vector<ElementJudge> flushed;
  for (const Answer& answer : output.answers) {
    if (answer.flushed) flushed.emplace_back(output, answer, result);
  }
  if (flushed.empty()) return false;
  for (int64_t i = 0; i < result.size(); ++i) {
    if (std::binary_search(refused.begin(), refused.end(), i)) continue;
    const auto accepts = [&](const ElementJudge& judge) { return judge.Accepts(i); };
    if (std::none_of(flushed.begin(), flushed.end(), accepts)) return true;
  }
  return false;
}

}  // namespace

std::string FlushedText(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                        const std::vector<int64_t>& refused) {
  const std::vector<int64_t> flushed = FlushedElements(output, answer, result, refused);
  if (flushed.empty()) return "";
  return StrCat(
      flushed.size(), " of the ", refused.size(), " that differ, the first at ",
      ToString(Index(output.shape, flushed.front())),
      ": zero was answered where a number or an operand is subnormal",
      KeepsSome(output, result, refused) ? ", and other elements of this output are kept" : "");
}

std::vector<std::string> WhereWords(const Shape& shape, const std::vector<int64_t>& refused,
                                    const std::vector<NamedSet>& named) {
  std::vector<std::string> lines;
  const auto all = static_cast<int64_t>(refused.size());
  for (const Cluster& cluster : FindClusters(shape, refused, named)) {
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
  if (IsFloat(output.dtype) && std::isnan(answer.expected.Element(i))) return "any NaN";
  if (output.rule.kind == RuleKind::kInterval) {
    return StrCat(FormatElement(output, answer.expected, i), " to ",
                  FormatElement(output, *answer.upper, i));
  }
  if (output.rule.kind == RuleKind::kExact) return "exactly that";
  const double reference = answer.expected.Element(i);
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

std::vector<int64_t> WorstElements(const ExpectedOutput& output, const Answer& answer,
                                   const Tensor& result, const std::vector<int64_t>& refused) {
  const ElementJudge judge(output, answer, result);
  const size_t flushed = FlushedElements(output, answer, result, refused).size();
  constexpr size_t kShownElements = 10;
  struct Ranked {
    double severity;
    int64_t offset;
  };
  std::vector<Ranked> ranked;
  for (const int64_t i : refused) {
    if (flushed < refused.size() && IsFlushed(output, answer, result, i)) continue;
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
