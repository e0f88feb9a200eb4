#include "checker/report/html.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "checker/report/accuracy.h"
#include "checker/report/causes.h"
#include "checker/report/explain_parts.h"
#include "checker/report/page_parts.h"
#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "checker/text/printable.h"
#include "cts_checker_texts.h"
#include "reference/base/json.h"

namespace cts {
namespace {

constexpr size_t kMaxPageMessage = 2000;
constexpr size_t kMostPageOutputs = 8;  // of one case; graphs have up to some hundred
constexpr size_t kMaxPageLog = 4000;    // its end
constexpr size_t kMaxPageWords = 300;   // of a cause
constexpr size_t kUnfoldedCauses = 20;
constexpr size_t kMostPageCauses = 100;

// #operator=CONV2D&amp;type=i8
std::string Link(const std::vector<std::pair<std::string_view, std::string>>& filters) {
  std::string text = "#";
  for (const auto& [field, value] : filters) {
    text += StrCat(text.size() == 1 ? "" : "&amp;", field, "=", ForFragment(value));
  }
  return text;
}

std::string Share(int part, int whole) {
  if (whole == 0) return "";
  // Never "100 %" for less than all.
  const double percent = std::floor(1000.0 * part / whole) / 10;
  return FormatFigure(percent) + " %";
}

// --- What stands in the page itself.

std::string Fact(std::string_view name, const std::string& markup, bool wide = false) {
  return StrCat("<div", wide ? " class=\"wide\"" : "", "><dt>", name, "</dt><dd>", markup,
                "</dd></div>\n");
}

std::string Header(const Report& report) {
  const RunInfo& run = report.run;
  const Suite& suite = report.suite;
  const bool good = Conformant(report);
  const bool control = IsPositiveControl(report);
  // A shard that passed is neither, and the positive control is no evidence.
  const char* const style = !AllPassed(report) ? "bad" : good && !control ? "good" : "part";
  std::string text =
      StrCat("<header><div>\n<h1>Tensor CTS conformance report</h1>\n<p class=\"verdict ", style,
             "\" role=\"status\"><strong id=\"verdict-words\">",
             good                ? "&#10003; "
             : AllPassed(report) ? ""
                                 : "&#10007; ",
             VerdictWords(report), "</strong> <span>", Markup(VerdictReason(report)),
             good ? " on this suite" : "", "</span>",
             control ? StrCat("<span>", Markup(PositiveControlNote(report)), "</span>") : "",
             "</p>\n<dl class=\"facts\">\n");
  text += Fact("implementation", StrCat("<b>", Markup(run.name), "</b> ", Markup(run.version)));
  text +=
      Fact("suite", StrCat("<b>", Markup(suite.name), "</b>, ", Markup(suite.edition), ", level ",
                           Markup(suite.level), ", ", suite.cases.size(), " cases"));
  if (run.shard) {
    text += Fact("shard", StrCat("<b>", run.shard->index, " of ", run.shard->of,
                                 "</b>: ", report.cases.size(), " of the cases"));
  }
  if (!report.filter.empty()) {
    text += Fact("filter", StrCat("<code>", Markup(FilterText(report)),
                                  "</code>: ", report.cases.size(), " of the cases"));
  }
  if (report.missing) {
    text += Fact("partial", StrCat("<b>", PartialText(report), "</b>: only ", report.cases.size(),
                                   " are judged"));
  }
  for (const DeclaredBy& each : report.declared) {
    text += Fact("declared by", StrCat("<code>", Markup(each.by), "</code>"));
  }
  if (!run.started.empty()) {
    text +=
        Fact("ran", StrCat(Markup(run.started),
                           run.seconds > 0 ? StrCat(", ", FormatFigure(run.seconds), " s") : ""));
  }
  if (!run.host.empty()) text += Fact("on", Markup(run.host));
  if (!run.code.empty() || run.announced_code)
    text += Fact("adapter's code", Markup(CodeText(run)));
  if (run.under_load) {
    text += Fact("under load", "a sample ran three times more, twice as many at a time");
  }
  text += Fact("generator", StrCat(Markup(suite.generator), ", seed ", suite.seed));
  text += Fact("elements", Markup(ElementsText(report)), true);
  text += Fact("command", StrCat("<code>", Markup(run.command), "</code>"), true);
  text += Fact("suite digest", StrCat("<code>", Markup(suite.digest), "</code>"), true);
  return text + "</dl>\n</div></header>\n";
}

std::string Tiles(const Report& report) {
  const VerdictCounts counts = CountVerdicts(report);
  std::string text =
      "<section aria-labelledby=\"outcome\"><h2 id=\"outcome\">Cases by verdict</h2>\n"
      "<ul class=\"tiles\">\n";
  const auto tile = [&](const std::string& style, const std::string& link, int count,
                        const std::string& words) {
    if (count == 0) return;
    text += StrCat("<li><a class=\"", style, "\" href=\"", link, "\"><b>", count, "</b>", words,
                   "</a></li>\n");
  };
  tile("", "#q=", Total(counts), "cases");
  const int unchecked = Count(CountStandings(report), Standing::kNotChecked);
  for (int i = 0; i < kVerdictCount; ++i) {
    const std::string name(Name(static_cast<Verdict>(i)));
    const auto verdict = static_cast<Verdict>(i);
    const bool apart = verdict == Verdict::kUnsupported || verdict == Verdict::kAccepted ||
                       verdict == Verdict::kDisputed;
    tile(i == 0  ? "pass"
         : apart ? "apart"
                 : "some",
         Link({{"verdict", name}}), verdict == Verdict::kPass ? counts[i] - unchecked : counts[i],
         Words(name));
  }
  tile("some", Link({{"verdict", "declared"}}), CountDeclaredNotAnswered(report),
       "declared, not answered");
  tile("some", Link({{"verdict", "not-checked"}}), unchecked, "not checked");
  return text + "</ul></section>\n";
}

std::string ChoicesSection(const Report& report) {
  const std::vector<std::string> lines = ChoiceLines(report);
  if (lines.empty()) return "";
  std::string text =
      "<section aria-labelledby=\"choices\"><h2 id=\"choices\">Choices that explain the "
      "results</h2>\n<ul>\n";
  for (const std::string& line : lines) text += StrCat("<li>", Markup(line), "</li>\n");
  return text + "</ul></section>\n";
}

std::string FindingsSection(const Report& report) {
  constexpr size_t kShownCases = 10;
  if (report.findings.empty()) return "";
  std::string text = StrCat(
      "<section aria-labelledby=\"findings\"><h2 id=\"findings\">Findings over several cases</h2>\n"
      "<p class=\"soft\">Each of them makes the implementation nonconforming, unless its claim "
      "waives it, whatever the cases say one by one.</p>\n<ul class=\"findings\">\n");
  for (const Finding& finding : report.findings) {
    text += StrCat("<li><b>", Markup(Words(finding.kind)), finding.waived ? ", waived" : "",
                   "</b>: ", Markup(finding.message));
    for (size_t i = 0; i < std::min(kShownCases, finding.cases.size()); ++i) {
      text += StrCat("<br><a class=\"id\" href=\"", Link({{"q", finding.cases[i]}}), "\">",
                     Markup(finding.cases[i]), "</a>");
    }
    if (finding.cases.size() > kShownCases) {
      text += StrCat("<br>and ", finding.cases.size() - kShownCases, " more");
    }
    text += "</li>\n";
  }
  return text + "</ul></section>\n";
}

std::string HeatMap(const Report& report) {
  std::map<std::string, std::map<std::string, Standings>> cells;
  std::map<std::string, Standings> of_operator, of_type;
  for (const CaseReport& c : report.cases) {
    const std::string type = TypeOf(c);
    const auto standing = static_cast<size_t>(StandingOf(c));
    ++cells[c.op][type][standing];
    ++of_operator[c.op][standing];
    ++of_type[type][standing];
  }
  std::vector<std::string> types;
  types.reserve(of_type.size());
  for (const auto& [type, standings] : of_type) types.push_back(type);
  std::stable_sort(types.begin(), types.end(), [](const std::string& a, const std::string& b) {
    return OrderOfType(a) < OrderOfType(b);
  });
  const auto row_of = [&](const std::string& op) {
    std::string row = StrCat("<tr><th scope=\"row\">", Markup(op), "</th>");
    for (const std::string& type : types) {
      row += HeatCell(cells[op][type], Link({{"operator", op}, {"type", type}}),
                      StrCat(Markup(op), ", ", Markup(type)));
    }
    return row + HeatCell(of_operator[op], Link({{"operator", op}}), Markup(op)) + "</tr>\n";
  };
  std::string failed, others;
  int count = 0;
  for (const auto& [op, standings] : of_operator) {
    const bool fails = Count(standings, Standing::kWrong) + Count(standings, Standing::kNotRun) > 0;
    if (!fails) ++count;
    (fails ? failed : others) += row_of(op);
  }
  std::string sums = "<tr><th scope=\"row\">all</th>";
  for (const std::string& type : types) {
    sums += HeatCell(of_type[type], Link({{"type", type}}), Markup(type));
  }
  sums += HeatCell(CountStandings(report), "#q=", "all") + "</tr>";
  std::string head = "<tr><th scope=\"col\">operator</th>";
  for (const std::string& type : types) head += StrCat("<th scope=\"col\">", Markup(type), "</th>");
  head += "<th scope=\"col\">all</th></tr>";
  const auto table = [&](std::string_view id, const std::string& rows, const std::string& foot) {
    return PageScroll("Operators and types",
                      StrCat("<table class=\"heat map\" id=\"", id, "\"><thead>", head,
                             "</thead>\n<tbody>\n", rows, "</tbody>\n", foot, "</table>"));
  };
  return StrCat(
      "<section aria-labelledby=\"heat\"><h2 id=\"heat\">Operators and types</h2>\n"
      "<p class=\"soft\">Failed / all cases, by the type that goes in; a single number where all "
      "passed. Hatched cases stand apart and are in neither number. The implementation does not "
      "support them or does not show their values, too little of them can be judged, or the text "
      "disagrees with itself about them. Choose a cell to see its cases.</p>\n",
      table("heat-map", failed, StrCat("<tfoot>", sums, "</tfoot>")),
      others.empty() ? ""
                     : StrCat("<details><summary>", count, count == 1 ? " operator" : " operators",
                              " without a failure</summary>\n",
                              table("heat-map-others", others, ""), "</details>\n"),
      HeatLegend(), "</section>\n");
}

std::string GroupTable(const Report& report, GroupBy by) {
  const Summary summary = Summarize(report, by);
  const std::string name(Name(by));
  std::string table = StrCat(
      "<table class=\"heat\"><thead><tr><th scope=\"col\">", name,
      "</th><th scope=\"col\">failed / cases</th><th scope=\"col\">passed of all</th></tr></thead>"
      "<tbody>\n");
  for (const Group& group : summary.groups) {
    table += StrCat("<tr><th scope=\"row\">", Markup(Words(group.name)), "</th>",
                    HeatCell(group.standings, Link({{name, group.name}}), Markup(group.name)),
                    "<td><span>", Share(Count(group.standings, Standing::kRight), group.cases),
                    "</span></td></tr>\n");
  }
  const std::string heading = StrCat("By ", name);
  std::string body = PageScroll(heading, table + "</tbody></table>");
  if (!summary.partition) {
    body += StrCat("<p class=\"soft\">A case counts for every ", name,
                   " that it belongs to, so that the lines add up to more than all cases.</p>\n");
  }
  return PageSection(StrCat("by-", name), heading, body);
}

std::string HistogramSection(const Report& report) {
  const std::vector<RuleHistogram> histograms = Histograms(report);
  if (histograms.empty()) return "";
  std::string table =
      "<table class=\"bars\" id=\"histograms\"><thead><tr><th scope=\"col\">rule, type</th><th "
      "scope=\"col\">elements</th>";
  for (size_t slot = 0; slot <= UlpHistogram::kEnds.size(); ++slot) {
    table += StrCat("<th scope=\"col\">", UlpSlotName(slot), "</th>");
  }
  table += "</tr></thead><tbody>\n";
  for (const RuleHistogram& histogram : histograms) {
    int64_t total = 0;
    for (const int64_t count : histogram.ulps.counts) total += count;
    table += StrCat("<tr><th scope=\"row\">", Words(Name(histogram.rule)), ", ",
                    Name(histogram.dtype), "</th><td class=\"n\">", total, "</td>");
    for (const int64_t count : histogram.ulps.counts) {
      table += StrCat("<td>", BarOf(count, total), "</td>");
    }
    table += "</tr>\n";
  }
  return PageSection(
      "errors", "Errors",
      StrCat(
          "<p class=\"soft\">Elements of all outputs that could be read, by how far they are from "
          "the reference: in units in the last place, integers in ones. The height of a bar is "
          "the logarithm of the count.</p>\n",
          PageScroll("Errors", table + "</tbody></table>")));
}

// An error as a share of the bound, with a bar.
std::string ShareCell(const std::optional<double>& of_bound) {
  if (!of_bound) return "<td class=\"n\">no limit</td>";
  const double share = std::clamp(*of_bound, 0.0, 1.0);
  return StrCat("<td class=\"n\">", FormatFigure(100 * *of_bound),
                "&#8239;%<svg class=\"meter\" viewBox=\"0 0 100 4\" preserveAspectRatio=\"none\" "
                "aria-hidden=\"true\"><rect width=\"",
                std::lround(100 * share), "\" height=\"4\"/></svg></td>");
}

std::string AccuracySection(const Report& report) {
  const std::vector<AccuracyRow> rows = AccuracyOf(report);
  if (rows.empty()) return "";
  std::string table =
      "<table class=\"figures\" id=\"accuracy-card\"><thead><tr><th scope=\"col\">operator, type, "
      "data</th><th scope=\"col\">elements</th><th scope=\"col\">greatest error of its bound</th>"
      "<th scope=\"col\">greatest, ulp</th><th scope=\"col\">mean, ulp</th>"
      "<th scope=\"col\">greatest in</th></tr></thead>\n<tbody>\n";
  for (const AccuracyRow& row : rows) {
    table +=
        StrCat("<tr><th scope=\"row\">", Markup(Title(row)), "</th><td class=\"n\">", row.elements,
               "</td>", ShareCell(row.greatest_of_bound), "<td class=\"n\">",
               FormatFigure(row.greatest_ulp), "</td><td class=\"n\">", FormatFigure(row.mean_ulp),
               "</td><td><a href=\"", Link({{"q", row.worst_case}}), "\"><code>",
               Markup(row.worst_case), "</code></a></td></tr>\n");
  }
  return PageSection(
      "accuracy", "Accuracy",
      StrCat("<p class=\"soft\">Errors of accepted floating-point results where the rule allows an "
             "error, by operator, type and data set, in units in the last place (ulp) of the "
             "reference. A result near its bound is right, and the first to be wrong with other "
             "data.</p>\n<details><summary>",
             rows.size(), rows.size() == 1 ? " line" : " lines", "</summary>\n",
             PageScroll("Accuracy", table + "</tbody></table>"), "</details>"));
}

std::string Counts(const std::map<std::string, int>& counts) {
  std::string text;
  for (const auto& [name, count] : counts) {
    text += StrCat(text.empty() ? "" : ", ", Markup(name), " (", count, ")");
  }
  return text;
}

std::string CauseDetail(const Report& report, const Cause& cause) {
  const CaseReport& first = *cause.cases.front();
  std::string text = StrCat("<div class=\"detail\"><dl><dt>types</dt><dd>", Counts(cause.types));
  if (cause.operators.size() > 1) {
    std::map<std::string, int> operators;
    for (const CaseReport* c : cause.cases) ++operators[c->op];
    text += StrCat("</dd><dt>operators</dt><dd>", Counts(operators));
  }
  text += StrCat("</dd><dt>first case</dt><dd><a href=\"", Link({{"q", first.id}}), "\"><code>",
                 Markup(first.id), "</code></a></dd><dt>message</dt><dd>",
                 Markup(Shortened(first.message, kMaxPageMessage)), "</dd>");
  if (const OutputReport* const output = DecidingOutput(first);
      output != nullptr && output->first >= 0) {
    text += StrCat("<dt>element ", Markup(output->first_index), " of ",
                   Markup(Printable(output->name)), "</dt><dd>expected ",
                   Markup(output->first_expected), ", got ", Markup(output->first_got), "; ",
                   output->mismatches, " of ", output->elements, " elements are wrong</dd>");
  }
  return StrCat(text, "<dt>explain</dt><dd><code>", Markup(ExplainCommand(report, first.id)),
                "</code></dd></dl></div>");
}

// Failures that look alike: to be read without a script.
std::string CausesSection(const Report& report) {
  const std::vector<Cause> causes = CausesOf(report);
  if (causes.empty()) return "";
  std::string text =
      "<section aria-labelledby=\"causes\"><h2 id=\"causes\">What failed, by cause</h2>\n"
      "<p class=\"soft\">The gravest first: wrong values, missing results, crashes, legal graphs "
      "that were refused, then illegal graphs that were accepted. Each cause has its first case. "
      "Its cases fail against one clause or condition, or in the same words.</p>\n";
  const size_t shown = std::min(kMostPageCauses, causes.size());
  for (size_t i = 0; i < shown; ++i) {
    if (i == kUnfoldedCauses) {
      text += StrCat("<details class=\"cause\"><summary>", shown - i, " more</summary>\n");
    }
    const Cause& cause = causes[i];
    const std::string words = cause.kind < CauseKind::kAccepted ? WordsOf(cause) : "";
    text += StrCat("<details class=\"cause\"", i == 0 ? " open" : "", "><summary><b>",
                   cause.cases.size(), "</b> ", Markup(TitleOf(cause)), GraphsText(cause.of_graphs),
                   words.empty() ? "" : ": " + Markup(Shortened(words, kMaxPageWords)),
                   "</summary>", CauseDetail(report, cause), "</details>\n");
  }
  if (shown > kUnfoldedCauses) text += "</details>\n";
  if (causes.size() > shown) {
    text += StrCat("<p>", causes.size() - shown, " more causes: see the cases.</p>\n");
  }
  return text + "</section>\n";
}

std::string CasesSection() {
  const auto choice = [](std::string_view name, const std::string& more) {
    return StrCat("<label for=\"", name, "\">", name, "<select id=\"", name,
                  "\"><option value=\"\">any</option>", more, "</select></label>\n");
  };
  const std::string pager =
      "<div class=\"pager script\"><button type=\"button\" class=\"previous\">&#8249; "
      "previous</button> <span class=\"page\"></span> <button type=\"button\" "
      "class=\"next\">next &#8250;</button></div>\n";
  std::string text = StrCat(
      "<section id=\"cases\" aria-labelledby=\"cases-title\"><h2 id=\"cases-title\" "
      "tabindex=\"-1\">Cases</h2>\n<form id=\"filter\" class=\"script\"><div class=\"controls\">\n"
      "<label class=\"grow\" for=\"q\">search<input type=\"search\" id=\"q\" autocomplete=\"off\" "
      "placeholder=\"words of an id, a message, a rule ...\"></label>\n",
      choice("verdict",
             "<option value=\"failed\">failed</option>"
             "<option value=\"not-passed\">not passed</option>"
             "<option value=\"not-checked\">not checked</option>"
             "<option value=\"declared\">declared, not answered</option>"),
      choice("operator", ""), choice("type", ""), choice("profile", ""), choice("rule", ""),
      "<button type=\"button\" id=\"reset\">show all</button>\n</div></form>\n",
      "<p id=\"count\" class=\"script\" role=\"status\"></p>\n", pager,
      "<table id=\"list\" class=\"script\"><colgroup><col class=\"c1\"><col><col class=\"c3\"><col "
      "class=\"c4\"><col class=\"c5\"></colgroup><thead><tr><th scope=\"col\">verdict</th><th "
      "scope=\"col\">case</th><th scope=\"col\">operator</th><th scope=\"col\">type</th><th "
      "scope=\"col\">rule</th></tr></thead><tbody id=\"rows\"></tbody></table>\n",
      pager);
  return text +
         "<noscript><p>The list of all cases needs JavaScript; what failed stands above, by "
         "cause.</p></noscript>\n</section>\n";
}

std::string NotesSection(const Report& report) {
  if (report.notes.empty()) return "";
  std::string text = "<section aria-labelledby=\"notes\"><h2 id=\"notes\">Notes</h2>\n<ul>\n";
  for (const std::string& note : report.notes) text += StrCat("<li>", Markup(note), "</li>\n");
  return text + "</ul></section>\n";
}

std::string Static(const Report& report) {
  struct Part {
    std::string_view anchor, name;
    std::string markup;
  };
  const std::vector<Part> parts = {
      {"findings", "findings", FindingsSection(report)},
      {"causes", "causes", CausesSection(report)},
      {"heat", "operators and types", HeatMap(report)},
      {"outcome", "verdicts", Tiles(report)},
      {"choices", "choices", ChoicesSection(report)},
      {"notes", "notes", NotesSection(report)},
      {"by-profile", "profiles and rules",
       StrCat("<div class=\"columns\">", GroupTable(report, GroupBy::kProfile),
              GroupTable(report, GroupBy::kRule), "</div>\n")},
      {"cases", "cases", CasesSection()},
      {"errors", "errors", HistogramSection(report)},
      {"accuracy", "accuracy", AccuracySection(report)}};
  std::string contents, sections;
  for (const Part& part : parts) {
    if (part.markup.empty()) continue;
    contents += StrCat("<li><a href=\"#", part.anchor, "\">", part.name, "</a></li>\n");
    sections += part.markup;
  }
  return StrCat(Header(report), "<main>\n<nav aria-label=\"Contents\"><ul class=\"contents\">\n",
                contents, "</ul></nav>\n", sections,
                "</main>\n<footer>Written by tensor-cts check. This page is complete in itself: it "
                "loads nothing and sends nothing.</footer>\n");
}

// --- What its script lists.

// Values by their place in a table.
class Table {
 public:
  size_t operator()(const Json& value) {
    const auto [found, is_new] = places_.emplace(value.dump(), places_.size());
    if (is_new) rows_.push_back(value);
    return found->second;
  }
  Json rows() const { return rows_; }

 private:
  std::map<std::string, size_t> places_;
  Json rows_ = Json::array();
};

std::string Joined(const std::map<std::string, std::string>& texts) {
  std::string joined;
  for (const auto& [name, text] : texts) {
    joined += StrCat(joined.empty() ? "" : ", ", Printable(name), "=", Printable(text));
  }
  return joined;
}

std::string Off(const OutputReport& output) {
  return FormatDistance(output.worst_ulp, output.worst_of_bound, output.dtype);
}

Json PageFigures(const DotProductFigures& figures, const Rule& rule) {
  const auto limited = [](double value, const std::optional<double>& limit, bool met) {
    if (!limit) return StrCat(FormatFigure(value), ", no limit");
    return StrCat(FormatFigure(value), " of ", FormatFigure(*limit), ": ",
                  met ? "met" : "EXCEEDED");
  };
  // Pairs in order: an initializer list of them would become an object.
  Json rows = Json::array();
  const auto row = [&](const char* name, std::string text) {
    rows.push_back(Json::array({name, std::move(text)}));
  };
  row("worst error", limited(figures.worst_error, rule.absolute_limit,
                             figures.worst_error <= rule.absolute_limit));
  row("bias", limited(figures.error_sum, rule.bias_limit, figures.BiasAccepted(rule)));
  row("variance",
      limited(figures.squared_error_sum, rule.variance_limit, figures.VarianceAccepted(rule)));
  return rows;
}

Json Detail(const OutputReport& output) {
  Json json = {{"name", Printable(output.name)},          {"dtype", Name(output.dtype)},
               {"verdict", Name(output.verdict)},         {"rule", Name(output.rule.kind)},
               {"clause", Printable(output.rule.clause)}, {"elements", output.elements}};
  if (!output.message.empty()) json["message"] = Shortened(output.message, kMaxPageMessage);
  if (!HasFigures(output)) return json;
  json["mismatches"] = output.mismatches;
  json["judged"] = LimitsText(output.limits);
  json["worst"] = Off(output);
  json["ulps"] = output.ulps.counts;
  json["unit"] = IsFloat(output.dtype) ? "errors in ulp" : "errors";
  if (output.first >= 0) {
    json["first"] = Json::array({output.first_index, output.first_expected, output.first_got});
  }
  if (output.figures) json["figures"] = PageFigures(*output.figures, output.rule);
  return json;
}

Json Detail(const CaseReport& c) {
  Json json = {{"message", Shortened(c.message, kMaxPageMessage)},
               {"expected", c.outcome == Outcome::kError
                                ? StrCat("error, because of the condition ", Printable(c.condition),
                                         c.meaning.empty() ? "" : ": ", c.meaning)
                                : std::string("a result")},
               {"parameters", Joined(c.parameters)},
               {"data_set", Printable(c.data_set)},
               {"seconds", FormatFigure(c.seconds)}};
  if (c.declared) json["declared"] = *c.declared ? "yes" : StrCat("no: ", Printable(c.beyond));
  if (c.exit_code) json["exit_code"] = *c.exit_code;
  if (c.signal) json["signal"] = *c.signal;
  if (!c.log.empty()) json["log"] = LastPart(c.log, kMaxPageLog);
  if (c.outputs.empty()) return json;
  // Outputs that failed come first; a case of one operator has at most a few.
  std::vector<const OutputReport*> outputs;
  for (const OutputReport& output : c.outputs) outputs.push_back(&output);
  std::stable_partition(outputs.begin(), outputs.end(), [](const OutputReport* output) {
    return output->verdict != Verdict::kPass;
  });
  json["outputs"] = Json::array();
  for (const OutputReport* output : outputs) {
    if (json["outputs"].size() == kMostPageOutputs) break;
    json["outputs"].push_back(Detail(*output));
  }
  if (outputs.size() > kMostPageOutputs) json["more_outputs"] = outputs.size() - kMostPageOutputs;
  return json;
}

std::string Note(const CaseReport& c) {
  if (c.verdict != Verdict::kPass) return "";
  if (c.outcome == Outcome::kError) return "refused, as it must be";
  if (c.unchecked) return c.message;
  std::string judged = LimitsText(c.limits);
  if (IsEnclosed(c)) {
    return StrCat("not refuted: within what operators in a row may give",
                  judged.empty() ? "" : "; ", judged);
  }
  const OutputReport* worst = nullptr;
  for (const OutputReport& output : c.outputs) {
    if (worst == nullptr || output.worst_ulp > worst->worst_ulp) worst = &output;
  }
  if (worst == nullptr || worst->worst_ulp == 0) return judged;
  return StrCat("at most off by ", Off(*worst), judged.empty() ? "" : "; ", judged);
}

Json Data(const Report& report) {
  Table operators, types, modes, profiles, profile_sets, rules, rule_sets;
  const auto set = [](const CaseReport& c, GroupBy by, Table& names, Table& sets) {
    Json places = Json::array();
    for (const std::string& name : GroupsOf(c, by)) places.push_back(names(Printable(name)));
    return sets(places);
  };
  Json cases = Json::array(), details = Json::object(), verdicts = Json::array();
  Json owed = Json::array(), unchecked = Json::array(), order = Json::array();
  for (size_t i = 0; i < report.cases.size(); ++i) {
    const CaseReport& c = report.cases[i];
    cases.push_back(Json::array(
        {Printable(c.id), operators(Printable(c.op)), types(Printable(TypeOf(c))),
         modes(Printable(c.mode)), set(c, GroupBy::kProfile, profiles, profile_sets),
         set(c, GroupBy::kRule, rules, rule_sets), static_cast<int>(c.verdict), Note(c)}));
    if (c.verdict == Verdict::kUnsupported && StandingOf(c) == Standing::kWrong) owed.push_back(i);
    if (StandingOf(c) == Standing::kNotChecked) unchecked.push_back(i);
    if (c.verdict != Verdict::kPass) details[std::to_string(i)] = Detail(c);
  }
  for (int i = 0; i < kVerdictCount; ++i) verdicts.push_back(Name(static_cast<Verdict>(i)));
  for (const CaseReport* c : FailuresByCause(report)) order.push_back(c - report.cases.data());
  Json slots = Json::array();
  for (size_t slot = 0; slot <= UlpHistogram::kEnds.size(); ++slot) {
    slots.push_back(UlpSlotName(slot));
  }
  // A command, what stands before the case's id and what behind it.
  const std::string id(1, '\x01');
  const auto around_id = [&id](const std::string& command) {
    const size_t at = command.find(ShellQuoted(id));
    return Json{Printable(command.substr(0, at)),
                Printable(command.substr(at + ShellQuoted(id).size()))};
  };
  return {{"verdicts", std::move(verdicts)},
          {"order", std::move(order)},
          {"operators", operators.rows()},
          {"types", types.rows()},
          {"modes", modes.rows()},
          {"profiles", profiles.rows()},
          {"profile_sets", profile_sets.rows()},
          {"rules", rules.rows()},
          {"rule_sets", rule_sets.rows()},
          {"slots", std::move(slots)},
          {"explain", around_id(ExplainCommand(report, id))},
          {"rerun", around_id(RerunCommand(report.suite_path, report.run, id))},
          {"cases", std::move(cases)},
          {"owed", std::move(owed)},
          {"unchecked", std::move(unchecked)},
          {"details", std::move(details)}};
}

// JSON that can stand in a script element: no "</script>", no "<!--", no line separator.
std::string ForScript(const Json& json) {
  std::string result;
  for (const char c : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      result += "\\u003c";
    } else if (c == '>') {
      result += "\\u003e";
    } else if (c == '&') {
      result += "\\u0026";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string FormatHtml(const Report& report) {
  const std::string_view page = EmbeddedCheckerTexts().at(0).text;
  const std::vector<std::pair<std::string_view, std::string>> parts = {
      {"@CSP@", PagePolicy(Between(page, "<script>", "</script>"))},
      {"@TITLE@", StrCat(VerdictWords(report), ": ", Markup(report.run.name), " on ",
                         Markup(report.suite.name))},
      {"@STATIC@", Static(report)},
      {"@DATA@", ForScript(Data(report))}};
  return FillIn(page, parts);
}

}  // namespace cts
