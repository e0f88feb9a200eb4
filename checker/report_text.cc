#include <algorithm>
#include <map>

#include "checker/printable.h"
#include "checker/report.h"
#include "checker/summary.h"

namespace cts {
namespace {

constexpr size_t kShownFailures = 20;
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
// 24 and these, with a space before each: 98.
constexpr Column kColumns[] = {{"", "cases", 6},        {"", "pass", 6},    {"", "fail", 6},
                               {"wrong", "outcome", 7}, {"", "missing", 7}, {"mal-", "formed", 6},
                               {"un-", "supported", 9}, {"", "crash", 5},   {"time-", "out", 5},
                               {"proto-", "col", 6}};

std::string TableLine(const std::string& name, const VerdictCounts& counts) {
  std::string line = PadRight(name, kNameWidth);
  line += " " + PadLeft(std::to_string(Total(counts)), kColumns[0].width);
  for (int i = 0; i < kVerdictCount; ++i) {
    const std::string cell = counts[i] == 0 ? "-" : std::to_string(counts[i]);
    line += " " + PadLeft(cell, kColumns[i + 1].width);
  }
  return line + "\n";
}

// The same columns for every grouping. A total where the groups add up to it.
std::string Tables(const Report& report) {
  std::string text(kNameWidth, ' ');
  for (const Column& column : kColumns)
    text += " " + PadLeft(std::string(column.top), column.width);
  for (const GroupBy by : kGroupings) {
    const Summary summary = Summarize(report, by);
    text += "\n" + PadRight(std::string(Name(by)), kNameWidth);
    for (const Column& column : kColumns) {
      text += " " + PadLeft(std::string(column.bottom), column.width);
    }
    text += "\n";
    for (const Group& group : summary.groups) text += TableLine(group.name, group.counts);
    if (by == GroupBy::kOperator) text += TableLine("total", CountVerdicts(report));
    if (!summary.partition) {
      text += StrCat("(a case counts for every ", Name(by), " that it belongs to)\n");
    }
  }
  return text;
}

std::string FindingsText(const Report& report) {
  constexpr size_t kShownCases = 4;
  std::string text;
  for (const Finding& finding : report.findings) {
    text +=
        StrCat("  ",
               Fold(StrCat(Words(finding.kind), finding.waived ? ", waived by the claim: " : ": ",
                           Printable(finding.message)),
                    4),
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

std::string FailuresText(const Report& report) {
  std::vector<const CaseReport*> failures = Failures(report);
  std::erase_if(failures,
                [](const CaseReport* c) { return StandingOf(*c) == Standing::kNotSupported; });
  if (failures.empty()) return "";
  const size_t shown = std::min(failures.size(), kShownFailures);
  std::string text = failures.size() == shown ? "Failures:\n"
                                              : StrCat("The first ", shown, " of ",
                                                       WithCommas(failures.size()), " failures:\n");
  for (size_t i = 0; i < shown; ++i) {
    const CaseReport& c = *failures[i];
    text += StrCat("\n", PadLeft(std::to_string(i + 1), 2), ". ", c.id, "\n");
    const std::string message =
        StrCat(Words(Name(c.verdict)), ": ", Shortened(c.message, kShownMessage));
    text += "    " + Fold(message, 4) + "\n";
    if (const OutputReport* output = DecidingOutput(c)) {
      const std::string rule =
          StrCat("rule ", Name(output->rule.kind), ": ", Printable(output->rule.clause));
      text += "    " + Fold(rule, 4) + "\n";
    }
    text += StrCat("    explain: ", ExplainCommand(report, c.id), "\n");
  }
  if (failures.size() > shown) {
    text += StrCat("\n    ... and ", WithCommas(failures.size() - shown),
                   " more; --json FILE names them all, --html FILE shows them\n");
  }
  return text + "\n";
}

// Which operators, rather than which cases: nobody has to look for a fault there.
std::string NotSupportedText(const Report& report) {
  struct OfOperator {
    int cases = 0, not_supported = 0;
  };
  std::map<std::string, OfOperator> operators;
  const CaseReport* first = nullptr;
  int total = 0;
  for (const CaseReport& c : report.cases) {
    OfOperator& of = operators[c.op];
    ++of.cases;
    if (StandingOf(c) != Standing::kNotSupported) continue;
    if (total++ == 0) first = &c;
    ++of.not_supported;
  }
  if (total == 0) return "";
  std::string names;
  for (const auto& [op, of] : operators) {
    if (of.not_supported == 0) continue;
    names +=
        StrCat(names.empty() ? "" : ", ", op, " (",
               of.not_supported == of.cases ? std::string("all") : StrCat(of.not_supported, " of"),
               " ", of.cases, ")");
  }
  return StrCat(
      report.declared.empty() ? "Not supported, by the implementation's own words: "
                              : "Not supported, and not declared: ",
      WithCommas(total), total == 1 ? " case" : " cases", "\n    ", Fold(names, 4), "\n    ",
      Fold(StrCat("the first, ", first->id, ": ", Shortened(first->message, kShownMessage)), 4),
      "\n\n");
}

}  // namespace

std::string FormatText(const Report& report) {
  const RunInfo& run = report.run;
  std::string text = StrCat("implementation  ", run.name, " ", run.version, "\n");
  text += "command         " + Fold(run.command, 16) + "\n";
  text += StrCat("suite           ", Printable(report.suite.name), ": ",
                 Printable(report.suite.edition), ", level ", Printable(report.suite.level), ", ",
                 report.suite.cases.size(), " cases, by ", Printable(report.suite.generator), "\n");
  text += StrCat("suite digest    ", report.suite.digest, "\n");
  if (run.shard) {
    text += StrCat("SHARD           ", run.shard->index, " OF ", run.shard->of, ": only ",
                   report.cases.size(), " of the ", report.suite.cases.size(), " cases\n");
  }
  if (!report.filter.empty()) {
    text += Fold(StrCat("FILTER          ", FilterText(report), ": only ", report.cases.size(),
                        " of the ", report.suite.cases.size(), " cases"),
                 16) +
            "\n";
  }
  for (const DeclaredBy& each : report.declared) {
    text += StrCat("declared by     ", Printable(each.by), "\n");
  }
  text += "\n";
  text += FindingsText(report) + Tables(report) + "\n" + FailuresText(report) +
          NotSupportedText(report);
  std::vector<std::string> notes = report.notes;
  if (IsPositiveControl(report)) notes.push_back(PositiveControlNote(report));
  for (const std::string& note : notes) text += "note: " + Fold(note, 6) + "\n";
  for (const std::string& line : ChoiceLines(report)) text += "choice: " + Fold(line, 8) + "\n";
  const bool on_this_suite = Conformant(report);
  text += StrCat(VerdictWords(report), on_this_suite ? " on this suite" : "", ": ",
                 VerdictReason(report), "\n");
  return Printable(text, Lines::kKeep);
}

}  // namespace cts
