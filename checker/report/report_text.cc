#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "checker/report/causes.h"
#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

constexpr size_t kShownCauses = 20;
constexpr size_t kShownMessage = 600;

std::string PadLeft(const std::string& text, size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string PadRight(const std::string& text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

struct Column {
  std::string_view top, bottom;
  size_t width;
};
constexpr size_t kNameWidth = 24;
// 24 and these but the last three, with a space before each: 97.
constexpr Column kColumns[] = {{"", "cases", 6},        {"", "pass", 6},     {"", "fail", 6},
                               {"wrong", "outcome", 7}, {"", "missing", 7},  {"mal-", "formed", 6},
                               {"un-", "supported", 9}, {"", "crash", 5},    {"time-", "out", 5},
                               {"proto-", "col", 6},    {"", "accepted", 8}, {"", "disputed", 8},
                               {"not", "checked", 7}};
static_assert(std::size(kColumns) == kVerdictCount + 2);
constexpr size_t kAlwaysShown = 2;  // cases and pass

// The cases by verdict, and behind those the ones that are not checked, which do not count as
// passed.
using ColumnCounts = std::array<int, kVerdictCount + 1>;
ColumnCounts ColumnsOf(const VerdictCounts& counts, const Standings& standings) {
  ColumnCounts columns{};
  std::copy(counts.begin(), counts.end(), columns.begin());
  columns.back() = Count(standings, Standing::kNotChecked);
  columns[static_cast<size_t>(Verdict::kPass)] -= columns.back();
  return columns;
}

// The columns that fit: where not all do, those go that count nothing, then names get shorter.
struct Layout {
  std::vector<size_t> columns;
  size_t name_width = kNameWidth;
};
Layout LayoutOf(const ColumnCounts& totals, size_t width) {
  const auto width_of = [](const std::vector<size_t>& columns) {
    size_t sum = 0;
    for (const size_t i : columns) sum += 1 + kColumns[i].width;
    return sum;
  };
  constexpr size_t kLeastName = 8;
  Layout layout;
  for (size_t i = 0; i < std::size(kColumns); ++i) layout.columns.push_back(i);
  // Few implementations show no values, or answer otherwise where the text disagrees with itself,
  // and few cases cannot be judged.
  std::erase_if(layout.columns, [&](size_t i) {
    return i > static_cast<size_t>(Verdict::kAccepted) && totals[i - 1] == 0;
  });
  if (kNameWidth + width_of(layout.columns) <= width) return layout;
  std::erase_if(layout.columns, [&](size_t i) { return i >= kAlwaysShown && totals[i - 1] == 0; });
  const size_t others = width_of(layout.columns);
  if (kNameWidth + others > width) {
    layout.name_width = width > others + kLeastName ? width - others : kLeastName;
  }
  return layout;
}

std::string NameCell(const std::string& name, size_t width) {
  return PadRight(name.size() <= width ? name : name.substr(0, width - 2) + "..", width);
}

std::string TableLine(const std::string& name, const ColumnCounts& counts, const Layout& layout) {
  std::string line = NameCell(name, layout.name_width);
  for (const size_t i : layout.columns) {
    const int count = i == 0 ? std::accumulate(counts.begin(), counts.end(), 0) : counts[i - 1];
    line += " " + PadLeft(i > 0 && count == 0 ? "-" : std::to_string(count), kColumns[i].width);
  }
  return line + "\n";
}

// The same columns for every grouping. A total where the groups add up to it.
std::string Tables(const Report& report, size_t width) {
  const ColumnCounts totals = ColumnsOf(CountVerdicts(report), CountStandings(report));
  const Layout layout = LayoutOf(totals, width);
  std::string text(layout.name_width, ' ');
  for (const size_t i : layout.columns) {
    text += " " + PadLeft(std::string(kColumns[i].top), kColumns[i].width);
  }
  text.erase(text.find_last_not_of(' ') + 1);
  for (const GroupBy by : kGroupings) {
    const Summary summary = Summarize(report, by);
    text += "\n" + NameCell(std::string(Name(by)), layout.name_width);
    for (const size_t i : layout.columns) {
      text += " " + PadLeft(std::string(kColumns[i].bottom), kColumns[i].width);
    }
    text += "\n";
    for (const Group& group : summary.groups) {
      text += TableLine(group.name, ColumnsOf(group.counts, group.standings), layout);
    }
    if (by == GroupBy::kOperator) text += TableLine("total", totals, layout);
    if (!summary.partition) {
      text += StrCat("(a case counts for every ", Name(by), " that it belongs to)\n");
    }
  }
  return text;
}

std::string FindingsText(const Report& report, size_t width) {
  constexpr size_t kShownCases = 4;
  std::string text;
  for (const Finding& finding : report.findings) {
    text +=
        StrCat("  ",
               Fold(StrCat(Words(finding.kind), finding.waived ? ", waived by the claim: " : ": ",
                           Printable(finding.message)),
                    4, width),
               "\n");
    for (size_t i = 0; i < std::min(kShownCases, finding.cases.size()); ++i) {
      text += StrCat("    ", ExplainCommand(report, finding.cases[i]), "\n");
    }
    if (finding.cases.size() > kShownCases) {
      text += StrCat("    ... and ", finding.cases.size() - kShownCases, " more cases\n");
    }
  }
  return text.empty() ? "" : StrCat("Findings over several cases:\n\n", text, "\n");
}

// " (i8 14, fp32 2)"; empty of what has no type.
std::string TypesText(const Cause& cause) {
  if (cause.types.size() == 1) {
    const std::string& type = cause.types.begin()->first;
    return type == "none" ? "" : StrCat(" (", Printable(type), ")");
  }
  std::string text;
  for (const auto& [type, count] : cause.types) {
    text += StrCat(text.empty() ? " (" : ", ", Printable(type), " ", count);
  }
  return text + ")";
}

// Tells of all cases that fail in the same way once, with one example; with `all`, adds every
// case's id.
std::string CauseText(const Report& report, const Cause& cause, const TextOptions& options) {
  const CaseReport& example = *cause.cases.front();
  const std::string count =
      StrCat(WithCommas(cause.cases.size()), cause.cases.size() == 1 ? " case" : " cases");
  std::string text =
      cause.IsOfCondition() || cause.kind == CauseKind::kNotOwed
          ? StrCat(TitleOf(cause), ", ", count)
          : StrCat(count, " of ", SubjectOf(cause), TypesText(cause), GraphsText(cause.of_graphs));
  text = Fold(text, 4, options.width);
  const auto add = [&](const std::string& line) {
    text += "\n    " + Fold(line, 4, options.width);
  };
  const OutputReport* const output = DecidingOutput(example);
  if (output != nullptr) {
    add(StrCat("rule ", Name(output->rule.kind), ": ", Printable(output->rule.clause)));
  }
  add((cause.cases.size() == 1 ? "" : "for example ") + example.id);
  add(StrCat(Words(Name(example.verdict)), ": ", Shortened(example.message, kShownMessage)));
  text += StrCat("\n    explain: ", ExplainCommand(report, example.id), "\n");
  if (options.all) {
    for (size_t i = 1; i < cause.cases.size(); ++i)
      text += StrCat("    ", cause.cases[i]->id, "\n");
  }
  return text;
}

std::string FailuresText(const Report& report, const TextOptions& options) {
  const std::vector<Cause> causes = CausesOf(report);
  if (causes.empty()) return "";
  const size_t shown = options.all ? causes.size() : std::min(causes.size(), kShownCauses);
  size_t cases = 0, cases_shown = 0;
  for (size_t i = 0; i < causes.size(); ++i) {
    cases += causes[i].cases.size();
    if (i < shown) cases_shown += causes[i].cases.size();
  }
  std::string text = StrCat("Failures: ", WithCommas(cases), cases == 1 ? " case" : " cases", ", ",
                            WithCommas(causes.size()),
                            causes.size() == 1 ? " cause" : " causes, the gravest first", "\n");
  for (size_t i = 0; i < shown; ++i) {
    text += StrCat("\n", PadLeft(std::to_string(i + 1), 2), ". ",
                   CauseText(report, causes[i], options));
  }
  if (causes.size() > shown) {
    text += StrCat("\n    ... and ", WithCommas(causes.size() - shown), " more causes of ",
                   WithCommas(cases - cases_shown),
                   " cases; --verbose names them all, --html FILE "
                   "shows them\n");
  }
  return text + "\n";
}

// Lists operators rather than cases: there is no fault to look for.
std::string ApartText(const Report& report, Standing standing, const std::string& heading,
                      size_t width) {
  struct OfOperator {
    int cases = 0, apart = 0;
  };
  std::map<std::string, OfOperator> operators;
  const CaseReport* first = nullptr;
  int total = 0;
  for (const CaseReport& c : report.cases) {
    OfOperator& of = operators[c.op];
    ++of.cases;
    if (StandingOf(c) != standing) continue;
    if (total++ == 0) first = &c;
    ++of.apart;
  }
  if (total == 0) return "";
  std::string names;
  for (const auto& [op, of] : operators) {
    if (of.apart == 0) continue;
    names += StrCat(names.empty() ? "" : ", ", op, " (",
                    of.apart == of.cases ? std::string("all") : StrCat(of.apart, " of"), " ",
                    of.cases, ")");
  }
  return StrCat(
      heading, WithCommas(total), total == 1 ? " case" : " cases", "\n    ", Fold(names, 4, width),
      "\n    ",
      Fold(StrCat("the first, ", first->id, ": ", Shortened(first->message, kShownMessage)), 4,
           width),
      "\n\n");
}

}  // namespace

std::string FormatText(const Report& report, const TextOptions& options) {
  const size_t width = options.width;
  const RunInfo& run = report.run;
  std::string text = StrCat("implementation  ", run.name, " ", run.version, "\n");
  text += "command         " + Fold(run.command, 16, width) + "\n";
  text += StrCat("suite           ", Printable(report.suite.name), ": ",
                 Printable(report.suite.edition), ", level ", Printable(report.suite.level), ", ",
                 report.suite.cases.size(), " cases, by ", Printable(report.suite.generator), "\n");
  text += StrCat("suite digest    ", report.suite.digest, "\n");
  if (!run.code.empty() || run.announced_code) {
    text += Fold(StrCat("adapter's code  ", CodeText(run)), 16, width) + "\n";
  }
  if (run.under_load) {
    text += "under load      a sample ran three times more, twice as many at a time\n";
  }
  if (run.shard) {
    text += StrCat("SHARD           ", run.shard->index, " OF ", run.shard->of, ": only ",
                   report.cases.size(), " of the ", report.suite.cases.size(), " cases\n");
  }
  if (!report.filter.empty()) {
    text += Fold(StrCat("FILTER          ", FilterText(report), ": only ", report.cases.size(),
                        " of the ", report.suite.cases.size(), " cases"),
                 16, width) +
            "\n";
  }
  if (report.missing) {
    text += StrCat("PARTIAL         ", PartialText(report), ": only ", report.cases.size(),
                   " are judged\n");
  }
  for (const DeclaredBy& each : report.declared) {
    text += StrCat("declared by     ", Printable(each.by), "\n");
  }
  text += Fold("elements        " + ElementsText(report), 16, width) + "\n";
  text += "\n";
  text += FindingsText(report, width) + Tables(report, width) + "\n" +
          FailuresText(report, options) +
          ApartText(report, Standing::kNotSupported,
                    report.declared.empty() ? "Not supported, by the implementation's own words: "
                                            : "Not supported, and not declared: ",
                    width) +
          ApartText(report, Standing::kNotShown, "Accepted, values not shown: ", width) +
          ApartText(report, Standing::kDisputed, "Disputed, decide nothing: ", width);
  std::vector<std::string> notes = report.notes;
  if (IsPositiveControl(report)) notes.push_back(PositiveControlNote(report));
  for (const std::string& note : notes) text += "note: " + Fold(note, 6, width) + "\n";
  for (const std::string& line : ChoiceLines(report))
    text += "choice: " + Fold(line, 8, width) + "\n";
  const bool on_this_suite = Conformant(report);
  text += StrCat(VerdictWords(report), on_this_suite ? " on this suite" : "", ": ",
                 VerdictReason(report), "\n");
  return Printable(text, Lines::kKeep);
}

}  // namespace cts
