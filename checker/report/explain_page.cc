#include "checker/report/explain_page.h"

#include <algorithm>

#include "checker/report/case_pictures.h"
#include "checker/report/explain_parts.h"
#include "checker/report/page_parts.h"
#include "checker/report/report.h"
#include "checker/text/element_text.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

std::string HeaderOf(const CaseToExplain& of) {
  const Case& c = of.checked.expected;
  const CaseReport& report = of.checked.report;
  const bool good = report.verdict == Verdict::kPass;
  const bool open = report.unchecked || report.verdict == Verdict::kDisputed;
  const char* const style = open ? "part" : good ? "good" : "bad";
  std::string text = FactRow("implementation", StrCat(of.run.name, " ", of.run.version));
  text += FactRow("operator", StrCat(c.op, ", mode ", c.mode));
  text += FactRow("edition", StrCat(c.edition, ", level ", c.level));
  text += FactRow("data", c.data_set);
  for (const auto& [name, value] : c.parameters) text += FactRow(name, value);
  text += FactRow("expected", c.outcome == Outcome::kError
                                  ? StrCat("error, because of the condition ", c.condition,
                                           of.meaning.empty() ? "" : ": ", of.meaning)
                                  : "a result");
  text +=
      FactRow("answered", report.answered ? Name(*report.answered) : "nothing that can be read");
  text += FactRow("disputed", report.disputed);
  // If there are outputs, their sections have the message.
  if (report.outputs.empty()) text += FactRow("message", report.message);
  text += FactRow("said", report.said == report.message ? "" : report.said);
  return PageHeader("Tensor CTS: one case", style, Words(Name(report.verdict)),
                    c.id + PassWords(report), text);
}

std::string Attributes(const Case& c) {
  std::string rows;
  for (const GraphOperator& op : c.graph.main().operators) {
    for (const auto& [name, value] : op.attributes) {
      rows +=
          StrCat("<tr><th scope=\"row\">", Markup(op.op), "</th><td class=\"text\">", Markup(name),
                 "</td><td class=\"text\">", Markup(AttributeText(value)), "</td></tr>\n");
    }
  }
  if (rows.empty()) return "";
  return PageTable("Attributes", {"operator", "<attribute", "<value"}, rows);
}

// Says in short what an element was made of.
std::string MadeOf(const ElementOrigin& origin) {
  constexpr size_t kMost = 6;
  const std::vector<std::string>& parts = origin.terms.empty() ? origin.inputs : origin.terms;
  std::string text;
  for (size_t n = 0; n < std::min(kMost, parts.size()); ++n) {
    text += StrCat(n == 0 ? "" : "<br>", Markup(parts[n]));
  }
  if (parts.size() > kMost) text += StrCat("<br>and ", parts.size() - kMost, " more");
  return text;
}

std::string WorstTable(const CaseToExplain& of, size_t k, const OriginFinder& find_origin) {
  const ExpectedOutput& output = of.checked.expected.outputs[k];
  const Answer& answer = output.answers[of.checked.outputs[k].answer];
  const Tensor& result = *of.checked.outputs[k].result;
  const ElementJudge judge(output, answer, result);
  const std::vector<int64_t> worst =
      WorstElements(output, answer, result, RefusedElements(judge, result.size()));
  if (worst.empty()) return "";
  std::string table =
      "<table class=\"figures\"><thead><tr><th scope=\"col\">element</th><th "
      "scope=\"col\">expected</th><th scope=\"col\">accepted</th><th "
      "scope=\"col\">got</th><th scope=\"col\">bits</th><th scope=\"col\">off by</th><th "
      "scope=\"col\">made of</th></tr></thead><tbody>\n";
  for (const int64_t i : worst) {
    table += StrCat("<tr><th scope=\"row\">", ToString(Index(output.shape, i)), "</th><td>",
                    Markup(ExpectedText(output, answer, i)), "</td><td>",
                    Markup(AcceptedRange(output, answer, judge, i)), "</td><td>",
                    Markup(FormatElement(output, result, i)), "</td><td><code>",
                    FormatBits(output.dtype, result.Bits(i)), "</code></td><td>",
                    Markup(OffBy(output, answer, result, i)), "</td><td>",
                    find_origin ? MadeOf(find_origin(of.checked.expected, output, i)) : "",
                    "</td></tr>\n");
  }
  const std::string label = StrCat("The worst ", worst.size());
  return StrCat("<h4>", label, "</h4>\n", PageScroll(label, table + "</tbody></table>"));
}

// A row for each guess where the refused elements lie.
std::string WhereRows(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                      const std::vector<NamedSet>& named) {
  const ElementJudge judge(output, answer, result);
  std::string rows;
  const std::vector<int64_t> refused = RefusedElements(judge, result.size());
  for (const std::string& words : WhereWords(output.shape, refused, named)) {
    rows += FactRow(rows.empty() ? "where" : "or", words);
  }
  return rows + FactRow("flushed", FlushedText(output, answer, result, refused));
}

std::string OutputSection(const CaseToExplain& of, size_t k, const OriginFinder& find_origin,
                          const SetFinder& find_sets) {
  const ExpectedOutput& output = of.checked.expected.outputs[k];
  const OutputReport& report = of.checked.report.outputs[k];
  const std::string anchor = StrCat("output-", k);
  std::string text = StrCat(
      "<section aria-labelledby=\"", anchor, "\"><h2 id=\"", anchor, "\">Output ",
      Markup(report.name), ": ", Name(output.dtype), ToString(output.shape), ", ",
      Words(Name(report.verdict)), "</h2>\n<dl class=\"facts\">\n",
      FactRow("rule", RuleText(output.rule)), FactRow("clause", output.rule.clause),
      FactRow("message", report.message),
      HasFigures(report)
          ? FactRow("elements", StrCat(report.mismatches, " of ", report.elements, " are refused"))
          : "",
      FactRow("judged", LimitsText(report.limits)),
      report.enclosure ? FactRow("enclosure", EnclosureText(*report.enclosure)) : "");
  if (!of.checked.outputs[k].result.has_value() || output.rule.kind == RuleKind::kUnchecked) {
    return text + "</dl>\n</section>\n";
  }
  const Answer& answer = output.answers[of.checked.outputs[k].answer];
  const Tensor& result = *of.checked.outputs[k].result;
  text += WhereRows(output, answer, result,
                    find_sets ? find_sets(of.checked.expected, output) : std::vector<NamedSet>()) +
          "</dl>\n";
  text += SlicesPicture(output, answer, result);
  text += ErrorsPicture(of.checked.expected, output, answer, result);
  text += HistogramPicture(report.ulps, output.dtype);
  text += WorstTable(of, k, find_origin);
  return text + "</section>\n";
}

}  // namespace

std::string ExplainPage(const CaseToExplain& of, const OriginFinder& find_origin,
                        const SetFinder& find_sets) {
  const Case& c = of.checked.expected;
  std::string text = StrCat(HeaderOf(of), "<main>\n",
                            PageSection("graph", "Graph", GraphPicture(c.graph) + Attributes(c)));
  for (size_t k = 0; k < of.checked.report.outputs.size(); ++k) {
    text += OutputSection(of, k, find_origin, find_sets);
  }
  return PageOf(
      c.id, StrCat(text,
                   PageSection("text", "In words",
                               StrCat("<details><summary>What <code>tensor-cts explain</code> "
                                      "prints</summary><div class=\"detail\"><pre>",
                                      MarkupOfLines(ExplainText(of, find_origin, false, find_sets)),
                                      "</pre></div></details>")),
                   "</main>\n", PageFooter("explain")));
}

}  // namespace cts
