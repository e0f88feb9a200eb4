// The page of `tensor-cts sweep`.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "checker/report/case_pictures.h"
#include "checker/report/page_parts.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "tools/program/sweep/sweep_report.h"

namespace cts {
namespace {

// The segments of the curve, from the least operand to the greatest. Operands with a sign come
// first; in floating point the largest magnitude stands at both ends.
class Places {
 public:
  Places(const SweepDomain& domain, size_t segments)
      : domain_(domain), segments_(segments), half_(segments / 2) {}

  // The place of a segment.
  size_t Of(size_t segment) const {
    if (segment < half_) return half_ + segment;
    return IsFloat(domain_.in_type()) ? segments_ - 1 - segment : segment - half_;
  }
  // The number nearest to zero of the segment that stands there.
  double Value(size_t place) const {
    size_t segment = place - half_;
    if (place < half_) {
      segment = IsFloat(domain_.in_type()) ? segments_ - 1 - place : place + half_;
    }
    const uint64_t input = segment * SweepCurve::Inputs(domain_.size());
    Tensor operand(domain_.in_type(), {1});
    operand.SetBits(0, domain_.Bits(input, 0));
    return IsFloat(domain_.in_type()) ? operand.Element(0)
                                      : static_cast<double>(operand.Integer(0));
  }

 private:
  const SweepDomain& domain_;
  size_t segments_, half_;
};

// Places without any input that was asked, drawn as ground.
std::string NotAsked(const SweepReport& report, const Places& places, double width, double height) {
  const uint64_t inputs = SweepCurve::Inputs(report.size);
  const size_t segments = report.totals.curve.greatest.size();
  std::vector<bool> asked(segments);
  for (const SweepRange& range : report.done) {
    for (uint64_t s = range.first / inputs; s <= range.last / inputs; ++s) {
      asked[places.Of(static_cast<size_t>(s))] = true;
    }
  }
  std::string text;
  for (size_t p = 0; p < segments;) {
    size_t end = p;
    while (end < segments && !asked[end]) ++end;
    if (end > p) {
      text += StrCat("<rect x=\"", FormatFigure(static_cast<double>(p) * width),
                     "\" y=\"0\" width=\"", FormatFigure(static_cast<double>(end - p) * width),
                     "\" height=\"", height, "\"/>");
    }
    p = end + 1;
  }
  return text;
}

// Two digits: there is no room for more below a picture.
std::string Short(double value) {
  if (!std::isfinite(value)) return FormatDouble(value);
  char text[32];
  constexpr int kDigits = 2;
  return {text,
          std::to_chars(text, text + sizeof(text), value, std::chars_format::general, kDigits).ptr};
}

std::string CurvePicture(const SweepReport& report, const SweepDomain& domain) {
  constexpr double kWidth = 640, kHeight = 200, kTop = 16;
  constexpr size_t kTicks = 8;
  constexpr double kMostLinear = 64;  // ulp
  const SweepCurve& curve = report.totals.curve;
  if (curve.empty()) return "";
  const size_t segments = curve.greatest.size();
  const Places places(domain, segments);
  double most = 0;
  for (const double ulp : curve.greatest) {
    if (std::isfinite(ulp)) most = std::max(most, ulp);
  }
  const bool any =
      std::any_of(curve.greatest.begin(), curve.greatest.end(), [](double ulp) { return ulp > 0; });
  if (!any) return "<p>No result differs from the reference.</p>\n";
  // One wrong infinity must not hide the other errors.
  const bool logarithmic = most > kMostLinear;
  const auto scaled = [&](double ulp) { return logarithmic ? std::log2(1 + ulp) : ulp; };
  const double step = kWidth / static_cast<double>(segments);
  std::string good, bad;
  for (size_t segment = 0; segment < segments; ++segment) {
    const double ulp = curve.greatest[segment];
    if (!(ulp > 0)) continue;
    const double share = std::isfinite(ulp) ? scaled(ulp) / scaled(most) : 1;
    (curve.rejected[segment] > 0 ? bad : good) +=
        StrCat("M", FormatFigure((static_cast<double>(places.Of(segment)) + 0.5) * step), " ",
               kHeight, "V", FormatFigure(kHeight - share * (kHeight - kTop)));
  }
  std::string ticks;
  for (size_t k = 0; k < kTicks && segments >= kTicks; ++k) {
    const size_t place = k * segments / kTicks;
    const double x = static_cast<double>(place) * step;
    ticks += StrCat("<path class=\"axis\" d=\"M", FormatFigure(x), " ", kHeight, "v5\"/><text x=\"",
                    FormatFigure(x + 2), "\" y=\"", kHeight + 15, "\">", Short(places.Value(place)),
                    "</text>");
  }
  return StrCat(
      "<svg class=\"plot\" role=\"img\" aria-label=\"greatest errors over the inputs\" viewBox=\"0 "
      "0 ",
      kWidth, " ", kHeight + 22, "\">", NotAsked(report, places, step, kHeight),
      "<path class=\"axis\" d=\"M0 ", kHeight, "H", kWidth, "M0 ", kTop, "H", kWidth,
      "\"/><text x=\"3\" y=\"12\">", FormatFigure(most), " ulp", logarithmic ? ", logarithmic" : "",
      "</text><g stroke-width=\"", FormatFigure(step), "\"><path class=\"bar\" d=\"", good,
      "\"/><path class=\"bar refused\" d=\"", bad, "\"/></g>", ticks,
      "</svg>\n<p class=\"soft\">A line for each ", SweepCurve::Inputs(report.size), " inputs",
      domain.operands() > 1 ? ", by the first operand" : "",
      ": the greatest error among them; in the colour of refusal where one was rejected, as high "
      "as the picture where an infinity or NaN is wrong. Below stand the inputs",
      IsFloat(domain.in_type()) ? ", by exponent" : "",
      ". Inputs that were not asked are grey.</p>\n");
}

std::string ExampleTable(std::string_view label, const SweepDomain& domain,
                         const std::vector<SweepReport::Example>& examples) {
  std::string rows;
  for (const SweepReport::Example& example : examples) {
    rows += StrCat("<tr><th scope=\"row\"><code>", domain.Describe(example.element.input),
                   "</code></th><td>", FormatDouble(example.reference), "</td><td>",
                   FormatDouble(example.value), "</td><td>", FormatFigure(example.ulp), "</td><td>",
                   example.of_bound < 0 ? "" : FormatFigure(example.of_bound), "</td><td>",
                   example.accepted ? "accepted" : "rejected", "</td></tr>\n");
  }
  return PageTable(label, {"input", "reference", "got", "ulp", "of the bound", ""}, rows);
}

std::string Digits(uint64_t count) { return WithCommas(static_cast<int64_t>(count)); }

std::string CameOut(const SweepReport& report) {
  switch (VerdictOf(report)) {
    case SweepVerdict::kConformant:
      return "good";
    case SweepVerdict::kPassed:
    case SweepVerdict::kUnfinished:
      return "part";
    case SweepVerdict::kNonconforming:
      return "bad";
  }
  return "bad";
}

std::string Facts(const SweepReport& report) {
  const SweepTotals& totals = report.totals;
  const SweepQuestion& question = report.question;
  std::string attributes;
  for (const auto& [name, value] : question.attributes) {
    attributes += StrCat(attributes.empty() ? "" : ", ", name, "=", value);
  }
  const auto some = [](uint64_t count) { return count == 0 ? std::string() : Digits(count); };
  return StrCat(
      FactRow("implementation",
              StrCat(report.implementation.name, " ", report.implementation.version)),
      FactRow("about", report.implementation.about),
      FactRow("operator", StrCat(question.op, " ", question.type,
                                 question.in_type.empty() ? "" : " of " + question.in_type)),
      FactRow("arguments", attributes), FactRow("edition", question.edition),
      FactRow("rule", StrCat(report.rule, ": ", report.clause)),
      FactRow("inputs", StrCat(Digits(totals.inputs), " of ", Digits(report.size))),
      FactRow("accepted", Digits(totals.accepted)), FactRow("rejected", Digits(totals.rejected)),
      FactRow("disputed", some(totals.disputed)),
      FactRow("undefined, not asked", some(totals.undefined)),
      FactRow("unanswered", some(totals.unanswered)),
      FactRow("decided", StrCat("by the filter ", Digits(totals.by_filter),
                                ", by the reference (MPFR) ", Digits(totals.by_reference))),
      FactRow("library", report.implementation.digest));
}

std::string Remarks(const SweepReport& report, const SweepDomain& domain) {
  std::string items;
  const auto add = [&items](std::string_view kind, std::string_view text) {
    items += StrCat("<li><b>", kind, "</b>: ", Markup(text), "</li>\n");
  };
  for (const SweepFault& fault : report.totals.faults) {
    add(Name(fault.kind), StrCat("inputs ", domain.Describe(fault.guilty_first), " to ",
                                 domain.Describe(fault.guilty_last), ": ", fault.message));
  }
  for (const std::string& finding : report.findings) add("finding", finding);
  std::string text = items.empty() ? "" : StrCat("<ul class=\"findings\">\n", items, "</ul>\n");
  for (const std::string& note : report.notes) text += StrCat("<p>", Markup(note), "</p>\n");
  return text;
}

}  // namespace

std::string FormatSweepPage(const SweepReport& report) {
  const StatusOr<SweepDomain> domain = SweepDomain::Of(report.question);
  const std::string text = FormatSweep(report);
  // The last line says it in words.
  const size_t last = text.rfind('\n', text.size() - 2) + 1;
  const std::string line = text.substr(last, text.size() - 1 - last);
  const size_t colon = std::min(line.find(": "), line.size());
  std::string body =
      PageHeader("Tensor CTS: every input of an operator", CameOut(report), line.substr(0, colon),
                 colon < line.size() ? line.substr(colon + 2) : "", Facts(report)) +
      "<main>\n";
  if (domain.ok()) {
    const std::string remarks = Remarks(report, *domain);
    if (!remarks.empty()) body += PageSection("findings", "Findings", remarks);
    body += PageSection(
        "errors", "Errors over the inputs",
        CurvePicture(report, *domain) + HistogramPicture(report.totals.ulps, domain->type()));
    if (!report.refused.empty()) {
      body += PageSection("rejected", "The first inputs that were rejected",
                          ExampleTable("Rejected inputs", *domain, report.refused));
    }
    if (!report.worst.empty()) {
      body += PageSection("worst", "The greatest errors",
                          ExampleTable("Greatest errors", *domain, report.worst));
    }
  }
  return PageOf(StrCat(report.question.op, " ", report.question.type, ": sweep"),
                StrCat(body, "</main>\n", PageFooter("sweep")));
}

}  // namespace cts
