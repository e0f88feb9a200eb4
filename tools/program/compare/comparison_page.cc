#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checker/report/page_parts.h"
#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "checker/text/printable.h"
#include "tools/program/compare/comparison.h"

namespace cts {
namespace {

// The number of cases of one cause on the page; the JSON has all.
constexpr size_t kShownCases = 5;
constexpr size_t kMaxMessage = 600;
constexpr size_t kGravestCauses = 20;
// The number of causes of an operator in the summary, and of letters in each.
constexpr size_t kSummaryCauses = 4;
constexpr size_t kSummaryWords = 100;

using Columns = std::vector<Standings>;  // of each report

// The cases of one operator.
struct OfOperator {
  Columns all;
  std::map<std::string, Columns> by_type;
  std::vector<const ComparedCause*> causes;
};

bool IsOfSeveral(const ComparedCause& cause) { return cause.all.operators.size() > 1; }

std::map<std::string, OfOperator> ByOperator(const Comparison& comparison) {
  std::map<std::string, OfOperator> operators;
  const size_t count = comparison.reports.size();
  for (const ComparedCase& c : comparison.cases) {
    OfOperator& op = operators[c.any().op];
    Columns& typed = op.by_type[TypeOf(c.any())];
    op.all.resize(count);
    typed.resize(count);
    for (size_t i = 0; i < count; ++i) {
      if (c.of[i] == nullptr) continue;
      const auto standing = static_cast<size_t>(StandingOf(*c.of[i]));
      ++op.all[i][standing];
      ++typed[i][standing];
    }
  }
  for (const ComparedCause& cause : comparison.causes) {
    if (!IsOfSeveral(cause)) operators[*cause.all.operators.begin()].causes.push_back(&cause);
  }
  return operators;
}

std::string AnchorOf(const std::string& op) { return "op-" + ForFragment(op); }

// The attribute of what belongs to one report, or to one operator, for the script.
std::string OfReport(size_t i) { return StrCat(" data-report=\"", i, "\""); }
std::string ForOperator(const std::string& op) {
  return StrCat(" data-operator=\"", Markup(op), "\"");
}

// The beginning of a cause's item in a list.
std::string CauseItem(const ComparedCause& cause) {
  std::string reports, operators;
  for (size_t i = 0; i < cause.counts.size(); ++i) {
    if (cause.counts[i] > 0) reports += StrCat(reports.empty() ? "" : " ", i);
  }
  for (const std::string& op : cause.all.operators) {
    operators += StrCat(operators.empty() ? "" : " ", Markup(op));
  }
  return StrCat("<li data-reports=\"", reports, "\" data-operators=\"", operators,
                "\" data-verdict=\"", Name(cause.all.verdict), "\">");
}

std::string HeadOfColumns(const Comparison& comparison, std::string_view first) {
  std::string text = StrCat("<thead><tr><th scope=\"col\">", first, "</th>");
  for (size_t i = 0; i < comparison.reports.size(); ++i) {
    text +=
        StrCat("<th scope=\"col\"", OfReport(i), ">", Markup(comparison.reports[i].label), "</th>");
  }
  return text + "</tr></thead>\n";
}

// "29" where all passed, "3/29" where 3 are wrong, "29 +9" where 9 more are not supported, were
// accepted without values, are not checked or are disputed. Cells are what the summary has most of:
// none has a word too many, not even its end tag.
std::string DenseCell(const Standings& standings) {
  const int right = Count(standings, Standing::kRight);
  const int apart = Count(standings, Standing::kNotSupported) +
                    Count(standings, Standing::kNotShown) +
                    Count(standings, Standing::kNotChecked) + Count(standings, Standing::kDisputed);
  const int offered =
      right + Count(standings, Standing::kWrong) + Count(standings, Standing::kNotRun);
  if (offered == 0) return apart == 0 ? "<td>" : StrCat("<td class=apart>+", apart);
  const std::string_view color =
      ShareClass(static_cast<uint64_t>(right), static_cast<uint64_t>(offered));
  return StrCat("<td class=", color, ">", right == offered ? "" : StrCat(offered - right, "/"),
                offered, apart > 0 ? StrCat(" +", apart) : "");
}

// The row of an operator, whose name leads to its section, or of a type.
std::string DenseRow(const std::string& name, const Columns& columns, bool of_operator) {
  const std::string words = of_operator
                                ? StrCat("<a href=\"#", AnchorOf(name), "\">", Markup(name), "</a>")
                                : Markup(name);
  std::string text =
      StrCat("<tr", of_operator ? ForOperator(name) : "", "><th scope=\"row\">", words, "</th>");
  for (const Standings& standings : columns) text += DenseCell(standings);
  return text + "\n";
}

// `attributes` are those of the row.
std::string HeatRow(const Comparison& comparison, const std::string& name, const Columns& columns,
                    const std::string& link, const std::string& attributes = "") {
  std::string text = StrCat("<tr", attributes, "><th scope=\"row\">", Markup(name), "</th>");
  for (size_t i = 0; i < columns.size(); ++i) {
    text +=
        HeatCell(columns[i], link, StrCat(Markup(name), ", ", Markup(comparison.reports[i].label)));
  }
  return text + "</tr>\n";
}

std::string Header(const Comparison& comparison) {
  const Suite& suite = comparison.reports.front().report.suite;
  const bool one_checker = std::all_of(
      comparison.reports.begin(), comparison.reports.end(),
      [&](const Compared& each) { return each.checker == comparison.reports.front().checker; });
  std::string facts;
  for (size_t i = 0; i < comparison.reports.size(); ++i) {
    const Compared& each = comparison.reports[i];
    const Report& report = each.report;
    std::string findings;
    for (const Finding& finding : report.findings) {
      findings += StrCat("; ", Markup(Words(finding.kind)));
    }
    facts += StrCat("<div class=\"wide\"", OfReport(i), "><dt>", Markup(each.label), "</dt><dd><b>",
                    VerdictWords(report), "</b>: ", Markup(VerdictReason(report)), findings,
                    report.run.started.empty() ? "" : "; ran " + Markup(report.run.started),
                    one_checker ? ""
                                : StrCat("; by the checker <code>",
                                         Markup(each.checker.substr(0, 12)), "</code>"),
                    "</dd></div>\n");
  }
  return StrCat("<header><div>\n<h1>Tensor CTS: ", comparison.reports.size(),
                " reports of one suite</h1>\n<dl class=\"facts\"><div><dt>suite</dt><dd><b>",
                Markup(suite.name), "</b>, ", Markup(suite.edition), ", level ",
                Markup(suite.level), "</dd></div><div class=\"wide\"><dt>digest</dt><dd><code>",
                Markup(suite.digest), "</code></dd></div>\n", facts, "</dl></div></header>\n");
}

std::string Pairs(const Comparison& comparison) {
  std::string rows;
  for (size_t i = 0; i < comparison.reports.size(); ++i) {
    rows += StrCat("<tr", OfReport(i), "><th scope=\"row\">", Markup(comparison.reports[i].label),
                   "</th>");
    for (size_t k = 0; k < comparison.reports.size(); ++k) {
      rows += StrCat("<td>", i == k ? "" : WithCommas(comparison.RightWhereWrong(i, k)), "</td>");
    }
    rows += "</tr>\n";
  }
  return StrCat(
      "<section aria-labelledby=\"pairs\"><h2 id=\"pairs\">Who differs from whom</h2>\n"
      "<p class=\"soft\">Cases that the row's implementation answers right and the column's "
      "wrong.</p>\n",
      PageScroll("Who differs from whom",
                 StrCat("<table>", HeadOfColumns(comparison, "right \\ wrong"), "<tbody>\n", rows,
                        "</tbody></table>")),
      "</section>\n");
}

std::string Changes(const Comparison& comparison) {
  if (comparison.reports.size() != 2) return "";
  std::string rows;
  for (int from = 0; from < kStandingCount; ++from) {
    for (int to = 0; to < kStandingCount; ++to) {
      if (from == to) continue;
      const auto a = static_cast<Standing>(from), b = static_cast<Standing>(to);
      const std::vector<const ComparedCase*> changed = comparison.Changed(a, b);
      if (changed.empty()) continue;
      rows += StrCat("<li><b>", Words(Name(a)), " &#8594; ", Words(Name(b)),
                     "</b>: ", WithCommas(static_cast<int64_t>(changed.size())),
                     changed.size() == 1 ? " case" : " cases", "<br>");
      std::set<std::string> operators;
      for (const ComparedCase* c : changed) operators.insert(c->any().op);
      std::string links;
      for (const std::string& op : operators) {
        links += StrCat(links.empty() ? "" : ", ", "<a href=\"#", AnchorOf(op), "\">", Markup(op),
                        "</a>");
      }
      rows += links + "</li>\n";
    }
  }
  return StrCat(
      "<section aria-labelledby=\"changes\"><h2 id=\"changes\">From ",
      Markup(comparison.reports.front().label), " to ", Markup(comparison.reports.back().label),
      "</h2>\n",
      rows.empty() ? "<p>Every case counts as before.</p>\n" : StrCat("<ul>\n", rows, "</ul>\n"),
      "</section>\n");
}

std::string HeatMap(const Comparison& comparison,
                    const std::map<std::string, OfOperator>& operators) {
  std::string rows;
  Columns sums(comparison.reports.size());
  for (const auto& [op, of] : operators) {
    rows += HeatRow(comparison, op, of.all, "#" + AnchorOf(op), ForOperator(op));
    for (size_t i = 0; i < sums.size(); ++i) {
      for (size_t k = 0; k < sums[i].size(); ++k) sums[i][k] += of.all[i][k];
    }
  }
  return StrCat(
      "<section aria-labelledby=\"heat\"><h2 id=\"heat\">Operators</h2>\n<p class=\"soft\">Failed "
      "/ all cases; a single number where all passed. Choose a cell for the operator's types and "
      "failures.</p>\n",
      PageScroll(
          "Operators",
          StrCat("<table class=\"heat\">", HeadOfColumns(comparison, "operator"), "<tbody>\n", rows,
                 "</tbody><tfoot>", HeatRow(comparison, "all", sums, "#heat"), "</tfoot></table>")),
      HeatLegend(), "</section>\n");
}

// Tells what one implementation did with a case that it got wrong: what came, what was due, by
// which rule.
std::string Answer(const CaseReport& c) {
  if (c.verdict == Verdict::kPass) return "pass";
  std::string text =
      StrCat("<b>", Words(Name(c.verdict)), "</b>: ", Markup(Shortened(c.message, kMaxMessage)));
  const OutputReport* const output = DecidingOutput(c);
  if (output == nullptr) return text;
  if (HasFigures(*output)) {
    text += StrCat("<br>off by ",
                   FormatDistance(output->worst_ulp, output->worst_of_bound, output->dtype));
  }
  return StrCat(text, "<br>rule ", Name(output->rule.kind), ": ", Markup(output->rule.clause));
}

std::string Repro(const Comparison& comparison, const ComparedCase& c) {
  const std::string& id = c.any().id;
  std::string text = StrCat("tensor-cts generate --recipe ",
                            ShellQuoted(comparison.reports.front().report.suite.name), " --id ",
                            ShellQuoted(id), " --out case\n");
  for (size_t i = 0; i < c.of.size(); ++i) {
    if (c.of[i] == nullptr || StandingOf(*c.of[i]) != Standing::kWrong) continue;
    text += StrCat("# ", comparison.reports[i].label, "\n",
                   RerunCommand("case", comparison.reports[i].report.run, id), "\n");
  }
  return text + StrCat("tensor-cts explain again ", ShellQuoted(id), "\n");
}

std::string CaseDetail(const Comparison& comparison, const ComparedCase& c) {
  const CaseReport& any = c.any();
  std::string facts;
  for (const auto& [name, text] : any.parameters) {
    facts += StrCat(facts.empty() ? "" : ", ", name, "=", text);
  }
  std::string rows;
  for (size_t i = 0; i < c.of.size(); ++i) {
    rows += StrCat("<dt", OfReport(i), ">", Markup(comparison.reports[i].label), "</dt><dd",
                   OfReport(i), ">",
                   c.of[i] == nullptr ? std::string("was not asked") : Answer(*c.of[i]), "</dd>");
  }
  return StrCat(
      "<details><summary><span class=\"id\">", Markup(any.id),
      "</span></summary><div class=\"detail\"><p class=\"soft\">", Markup(TypeOf(any)),
      any.mode.empty() ? "" : ", " + Markup(any.mode), "; data ", Markup(any.data_set),
      facts.empty() ? "" : "; " + Markup(facts), "; expected ",
      any.outcome == Outcome::kError ? StrCat("an error because of ", Markup(any.condition))
                                     : std::string("a result"),
      "</p><dl>", rows, "</dl><pre>", EscapeMarkup(Printable(Repro(comparison, c), Lines::kKeep)),
      "</pre></div></details>\n");
}

// How many cases of which report have it.
std::string CountsOf(const Comparison& comparison, const ComparedCause& cause) {
  std::string counts;
  for (size_t i = 0; i < cause.counts.size(); ++i) {
    if (cause.counts[i] == 0) continue;
    counts += StrCat(counts.empty() ? "" : "; ", Markup(comparison.reports[i].label), " ",
                     WithCommas(cause.counts[i]));
  }
  return counts;
}

std::string CauseDetail(const Comparison& comparison, const ComparedCause& cause) {
  std::string text = StrCat(CauseItem(cause), "<b>", Markup(TitleOf(cause.all)), "</b>",
                            GraphsText(cause.all.of_graphs), ": ",
                            Markup(Shortened(WordsOf(cause.all), kMaxMessage)), "<br>",
                            CountsOf(comparison, cause));
  const size_t shown = std::min(kShownCases, cause.cases.size());
  for (size_t i = 0; i < shown; ++i) text += CaseDetail(comparison, *cause.cases[i]);
  if (cause.cases.size() > shown) {
    text += StrCat("and ", cause.cases.size() - shown, " more, which the JSON names");
  }
  return text + "</li>\n";
}

// The causes that no operator's section has.
std::string OverOperators(const Comparison& comparison,
                          std::string (*detail)(const Comparison&, const ComparedCause&)) {
  std::string causes;
  for (const ComparedCause& cause : comparison.causes) {
    if (IsOfSeveral(cause)) causes += detail(comparison, cause);
  }
  if (causes.empty()) return "";
  return PageSection("several", "Several operators",
                     StrCat("<ul class=\"findings\">\n", causes, "</ul>\n"));
}

// The gravest causes, each with the way to its section.
std::string GravestCauses(const Comparison& comparison) {
  std::string rows;
  for (size_t i = 0; i < std::min(kGravestCauses, comparison.causes.size()); ++i) {
    const ComparedCause& cause = comparison.causes[i];
    const std::string anchor =
        IsOfSeveral(cause) ? "several" : AnchorOf(*cause.all.operators.begin());
    rows += StrCat(CauseItem(cause), "<a href=\"#", anchor, "\">", Markup(TitleOf(cause.all)),
                   "</a>: ", CountsOf(comparison, cause), "</li>\n");
  }
  return rows.empty()
             ? ""
             : PageSection("causes", "The gravest causes", StrCat("<ol>\n", rows, "</ol>\n"));
}

std::vector<std::string> TypesOf(const OfOperator& of) {
  std::vector<std::string> types;
  types.reserve(of.by_type.size());
  for (const auto& [type, columns] : of.by_type) types.push_back(type);
  std::stable_sort(types.begin(), types.end(), [](const std::string& a, const std::string& b) {
    return OrderOfType(a) < OrderOfType(b);
  });
  return types;
}

std::string OperatorSection(const Comparison& comparison, const std::string& op,
                            const OfOperator& of) {
  std::string rows, causes;
  for (const std::string& type : TypesOf(of)) {
    rows += HeatRow(comparison, type, of.by_type.at(type), "#" + AnchorOf(op));
  }
  for (const ComparedCause* cause : of.causes) causes += CauseDetail(comparison, *cause);
  return StrCat("<section", ForOperator(op), " aria-labelledby=\"", AnchorOf(op), "\"><h2 id=\"",
                AnchorOf(op), "\">", Markup(op), "</h2>\n",
                PageScroll(op, StrCat("<table class=\"heat\">", HeadOfColumns(comparison, "type"),
                                      "<tbody>\n", rows, "</tbody></table>")),
                causes.empty() ? "" : StrCat("<ul class=\"findings\">\n", causes, "</ul>\n"),
                "</section>\n");
}

// ---- The summary: no case of its own, small enough for a repository

// The cases of each by verdict, and the number of different causes.
std::string StandingsTable(const Comparison& comparison) {
  // Few implementations show no values, and few suites have cases that cannot be judged.
  const auto any = [&](Standing standing) {
    return std::any_of(
        comparison.reports.begin(), comparison.reports.end(),
        [&](const Compared& each) { return Count(CountStandings(each.report), standing) > 0; });
  };
  const bool unseen = any(Standing::kNotShown), unchecked = any(Standing::kNotChecked);
  const bool disputed = any(Standing::kDisputed);
  std::string rows;
  for (size_t i = 0; i < comparison.reports.size(); ++i) {
    const Compared& each = comparison.reports[i];
    const Standings counts = CountStandings(each.report);
    const auto crashes =
        std::count_if(each.report.cases.begin(), each.report.cases.end(),
                      [](const CaseReport& c) { return c.verdict == Verdict::kCrash; });
    const auto causes = std::count_if(comparison.causes.begin(), comparison.causes.end(),
                                      [&](const ComparedCause& c) { return c.counts[i] > 0; });
    rows += StrCat("<tr", OfReport(i), "><th scope=\"row\">", Markup(each.label), "</th>");
    std::vector<int64_t> columns = {static_cast<int64_t>(each.report.cases.size()),
                                    Count(counts, Standing::kRight),
                                    Count(counts, Standing::kWrong) - static_cast<int64_t>(crashes),
                                    static_cast<int64_t>(crashes)};
    if (unseen) columns.push_back(Count(counts, Standing::kNotShown));
    if (unchecked) columns.push_back(Count(counts, Standing::kNotChecked));
    if (disputed) columns.push_back(Count(counts, Standing::kDisputed));
    columns.push_back(Count(counts, Standing::kNotSupported));
    columns.push_back(Count(counts, Standing::kNotRun));
    columns.push_back(static_cast<int64_t>(causes));
    for (const int64_t count : columns) rows += StrCat("<td>", WithCommas(count), "</td>");
    rows += "</tr>\n";
  }
  std::vector<std::string_view> heads = {"<implementation", "cases", "pass", "wrong", "crash"};
  if (unseen) heads.emplace_back("accepted, values not shown");
  if (unchecked) heads.emplace_back("not checked");
  if (disputed) heads.emplace_back("disputed");
  heads.insert(heads.end(), {"not offered", "not run", "causes in different words"});
  return PageSection("standings", "Implementations", PageTable("Implementations", heads, rows));
}

std::string DenseTable(const Comparison& comparison, std::string_view label, std::string_view first,
                       const std::string& rows) {
  return PageScroll(label, StrCat("<table>", HeadOfColumns(comparison, first), "<tbody>\n", rows,
                                  "</tbody></table>"));
}

std::string SummaryOfCause(const Comparison& comparison, const ComparedCause& cause) {
  const bool by_title = cause.all.IsOfCondition() && cause.all.kind != CauseKind::kAccepted;
  const std::string what = by_title ? TitleOf(cause.all) : Words(Name(cause.all.verdict));
  return StrCat(CauseItem(cause), CountsOf(comparison, cause), ": ", Markup(what),
                GraphsText(cause.all.of_graphs), ", ",
                Markup(Shortened(WordsOf(cause.all), kSummaryWords)), "\n");
}

std::string DenseOperator(const Comparison& comparison, const std::string& op,
                          const OfOperator& of) {
  std::string rows, causes;
  for (const std::string& type : TypesOf(of)) rows += DenseRow(type, of.by_type.at(type), false);
  const size_t shown = std::min(kSummaryCauses, of.causes.size());
  for (size_t i = 0; i < shown; ++i) {
    const ComparedCause& cause = *of.causes[i];
    causes += SummaryOfCause(comparison, cause);
  }
  if (of.causes.size() > shown) causes += StrCat("<li>and ", of.causes.size() - shown, " more\n");
  return StrCat("<section", ForOperator(op), " aria-labelledby=\"", AnchorOf(op), "\"><h2 id=\"",
                AnchorOf(op), "\">", Markup(op), "</h2>\n",
                DenseTable(comparison, Markup(op), "type", rows),
                causes.empty() ? "" : StrCat("<ul>\n", causes, "</ul>\n"), "</section>\n");
}

std::string SummaryOfOperators(const Comparison& comparison,
                               const std::map<std::string, OfOperator>& operators) {
  std::string rows, sections;
  for (const auto& [op, of] : operators) {
    rows += DenseRow(op, of.all, true);
    sections += DenseOperator(comparison, op, of);
  }
  return StrCat(
      PageSection(
          "heat", "Operators",
          StrCat("<p class=\"soft\">29: all cases that are offered pass; 3/29: 3 of them do "
                 "not; +9: 9 more are not offered, or accepted without values. An operator's "
                 "name leads to its "
                 "types and to what went wrong.</p>\n",
                 DenseTable(comparison, "Operators", "operator", rows), HeatLegend())),
      sections);
}

// Picks reports and filters what stands on the page; nothing is made of texts. Like the report's
// page, it keeps its state in the fragment of the address.
constexpr std::string_view kScript = R"js(
'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const all = (selector) => [...document.querySelectorAll(selector)];
  const picks = all('#filter input[type=checkbox]');
  const fields = ['q', 'verdict', 'operator'];
  const causes = all('li[data-reports]').map((li) => ({
    li, text: li.textContent.toLowerCase(), reports: li.dataset.reports.split(' '),
    operators: li.dataset.operators.split(' '), verdict: li.dataset.verdict,
  }));
  const columns = all('th[data-report]');
  const places = all('tr[data-report], div[data-report], dt[data-report], dd[data-report]');
  const apply = () => {
    const on = picks.map((pick) => pick.checked);
    const [q, verdict, operator] = fields.map((name) => $(name).value);
    const words = q.toLowerCase().split(/\s+/).filter(Boolean);
    for (const th of columns) {
      for (const row of th.closest('table').rows) {
        const cell = row.cells[th.cellIndex];
        if (cell) cell.hidden = !on[th.dataset.report];
      }
    }
    for (const place of places) place.hidden = !on[place.dataset.report];
    let shown = 0;
    for (const cause of causes) {
      const fits = cause.reports.some((i) => on[i]) && (!verdict || cause.verdict === verdict) &&
        (!operator || cause.operators.includes(operator)) && words.every((word) => cause.text.includes(word));
      cause.li.hidden = !fits;
      if (fits && !cause.li.closest('ol')) ++shown;
    }
    for (const row of all('tr[data-operator]')) row.hidden = Boolean(operator) && row.dataset.operator !== operator;
    const narrow = Boolean(verdict || words.length);
    for (const section of all('section[data-operator]')) {
      section.hidden = Boolean(operator && section.dataset.operator !== operator) ||
        (narrow && !section.querySelector('li[data-reports]:not([hidden])'));
    }
    $('count').textContent = shown + (shown === 1 ? ' cause' : ' causes');
    $('reset').disabled = on.every(Boolean) && fields.every((name) => !$(name).value);
  };
  const write = () => {
    const state = new URLSearchParams(fields.filter((name) => $(name).value).map((name) => [name, $(name).value]));
    const without = picks.map((pick, i) => pick.checked ? '' : String(i)).filter(Boolean).join(' ');
    if (without) state.set('without', without);
    try { history.replaceState(null, '', '#' + state); } catch (e) { /* some hosts forbid it */ }
  };
  const read = () => {
    const state = new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '');
    const without = (state.get('without') || '').split(' ');
    picks.forEach((pick, i) => { pick.checked = !without.includes(String(i)); });
    for (const name of fields) $(name).value = state.get(name) || '';
  };
  document.documentElement.classList.add('scripted');
  $('filter').addEventListener('submit', (event) => event.preventDefault());
  $('filter').addEventListener('input', () => { write(); apply(); });
  $('reset').addEventListener('click', () => {
    for (const pick of picks) pick.checked = true;
    for (const name of fields) $(name).value = '';
    write();
    apply();
  });
  window.addEventListener('hashchange', () => { if (location.hash.includes('=')) { read(); apply(); } });
  read();
  apply();
})();
)js";

std::string FooterOf(std::string_view command) {
  return StrCat(
      "<footer>Written by tensor-cts ", command,
      ". This page is complete in itself: it loads nothing and sends nothing.</footer>\n");
}

// What the script needs: a page that is read without it does not show this.
std::string Filter(const Comparison& comparison,
                   const std::map<std::string, OfOperator>& operators) {
  std::string picks, verdicts, names;
  for (const Compared& each : comparison.reports) {
    picks += StrCat("<label class=\"pick\"><input type=\"checkbox\" checked> ", Markup(each.label),
                    "</label>\n");
  }
  std::set<Verdict> found;
  for (const ComparedCause& cause : comparison.causes) found.insert(cause.all.verdict);
  for (const Verdict verdict : found) {
    verdicts += StrCat("<option value=\"", Name(verdict), "\">", Words(Name(verdict)), "</option>");
  }
  for (const auto& [op, of] : operators) names += StrCat("<option>", Markup(op), "</option>");
  const auto choice = [](std::string_view name, const std::string& options) {
    return StrCat("<label for=\"", name, "\">", name, "<select id=\"", name,
                  "\"><option value=\"\">any</option>", options, "</select></label>\n");
  };
  return StrCat(
      "<section class=\"script\" aria-labelledby=\"pick\"><h2 id=\"pick\">Pick and filter</h2>\n"
      "<form id=\"filter\"><div class=\"controls\">\n",
      picks,
      "</div><div class=\"controls\">\n<label class=\"grow\" for=\"q\">search<input "
      "type=\"search\" "
      "id=\"q\" autocomplete=\"off\" placeholder=\"words of a cause, an id, a message "
      "...\"></label>\n",
      choice("verdict", verdicts), choice("operator", names),
      "<button type=\"button\" id=\"reset\">show all</button>\n</div></form>\n"
      "<p id=\"count\" role=\"status\"></p></section>\n");
}

}  // namespace

std::string ComparisonPage(const Comparison& comparison, ComparedDetail detail) {
  const std::map<std::string, OfOperator> operators = ByOperator(comparison);
  if (detail == ComparedDetail::kSummary) {
    return PageOf(
        StrCat(comparison.reports.size(), " implementations over ",
               comparison.reports.front().report.suite.name),
        StrCat(Header(comparison), "<main>\n", Filter(comparison, operators),
               StandingsTable(comparison), Pairs(comparison),
               SummaryOfOperators(comparison, operators), OverOperators(comparison, SummaryOfCause),
               "</main>\n", FooterOf("compare --summary")),
        kScript);
  }
  std::string sections;
  for (const auto& [op, of] : operators) sections += OperatorSection(comparison, op, of);
  return PageOf(StrCat(comparison.reports.size(), " reports of ",
                       comparison.reports.front().report.suite.name),
                StrCat(Header(comparison), "<main>\n", Filter(comparison, operators),
                       GravestCauses(comparison), Changes(comparison), Pairs(comparison),
                       HeatMap(comparison, operators), sections,
                       OverOperators(comparison, CauseDetail), "</main>\n", FooterOf("compare")),
                kScript);
}

}  // namespace cts
