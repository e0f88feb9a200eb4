#include "checker/report/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "checker/text/printable.h"

namespace cts {
namespace {

// Made of the reference's own texts.
constexpr std::string_view kPositiveControl = "builtin:native";

// Whether all pass but illegal graphs, of which some were not asked: a driver of Vulkan owes no
// error for one.
bool OnlyIllegalGraphsLeft(const Report& report) {
  bool legal = false, any_left = false;
  for (const CaseReport& c : report.cases) {
    const Standing standing = StandingOf(c);
    const bool left = c.outcome == Outcome::kError && standing == Standing::kNotSupported;
    if (!left && standing != Standing::kRight && standing != Standing::kDisputed) return false;
    legal |= c.outcome == Outcome::kValid;
    any_left |= left;
  }
  return legal && any_left;
}

}  // namespace

std::string EditionOption(const RunInfo& run) {
  if (run.edition_file.empty()) return "";
  return StrCat(" --edition-file ", ShellQuoted(run.edition_file));
}

std::string ExplainCommand(const Report& report, const std::string& case_id) {
  const std::string& made = report.intermediates_path.string();
  return StrCat("tensor-cts", EditionOption(report.run), " explain ",
                ShellQuoted(report.results_path.string()), " ", ShellQuoted(case_id),
                made.empty() ? "" : StrCat(" --intermediates ", ShellQuoted(made)));
}

std::string RerunCommand(const std::filesystem::path& suite, const RunInfo& run,
                         const std::string& case_id) {
  constexpr std::string_view kWorker = " --worker";
  constexpr std::string_view kPlugin = "plugin:";
  std::string how = "--implementation " + ShellQuoted(run.command);
  if (!run.command.starts_with("builtin:")) {
    if (run.command.starts_with(kPlugin)) {
      how = "--plugin " + ShellQuoted(run.command.substr(kPlugin.size()));
    } else {
      const bool worker = run.command.ends_with(kWorker);
      how = "--adapter " +
            ShellQuoted(run.command.substr(0, run.command.size() - (worker ? kWorker.size() : 0)));
      if (worker) how += kWorker;
    }
    if (run.timeout_seconds > 0) how += StrCat(" --timeout ", FormatDouble(run.timeout_seconds));
    if (run.memory_mb > 0) how += StrCat(" --memory ", run.memory_mb);
    if (run.symbolic) how += " --symbolic";
  }
  return StrCat("tensor-cts", EditionOption(run), " run ", ShellQuoted(suite.string()), " ", how,
                " --filter ", ShellQuoted(case_id), " --out again");
}

std::string VerdictWords(const Report& report) {
  const char* const passed = AllPassed(report) ? " PASSED" : " FAILED";
  if (report.missing) return StrCat("PARTIAL RESULTS", passed);
  if (!report.filter.empty()) return StrCat("PART OF THE SUITE", passed);
  if (const std::optional<Shard>& shard = report.run.shard; shard && !report.cases.empty()) {
    return StrCat("SHARD ", shard->index, " OF ", shard->of, passed);
  }
  return Conformant(report) ? "CONFORMANT" : "NOT CONFORMANT";
}

std::string PartialText(const Report& report) {
  return StrCat(WithCommas(static_cast<int64_t>(*report.missing)), " of ",
                WithCommas(static_cast<int64_t>(*report.missing + report.cases.size())),
                " cases have no result");
}

std::string FilterText(const Report& report) {
  std::string text;
  for (const std::string& pattern : report.filter) {
    text += StrCat(text.empty() ? "" : ", ", Printable(pattern));
  }
  return text;
}

std::string CodeText(const RunInfo& run) {
  if (run.announced_code) {
    return StrCat(*run.announced_code, *run.announced_code == 1 ? " file" : " files",
                  " besides the command's, as each worker says; others were not watched");
  }
  std::string text;
  for (const std::string& named : run.code) text += named + ", ";
  return text + "as --code says; other files may have changed";
}

std::string StandingsText(const Standings& standings, int owed) {
  std::string text = StrCat(WithCommas(Count(standings, Standing::kWrong)), " wrong");
  if (owed > 0) text += StrCat(" (", WithCommas(owed), " of them declared, not answered)");
  const auto add = [&](Standing standing, std::string_view words) {
    const int count = Count(standings, standing);
    if (count > 0) text += StrCat(", ", WithCommas(count), " ", words);
  };
  add(Standing::kNotRun, "without a result");
  add(Standing::kNotSupported, "not supported");
  add(Standing::kNotShown, "accepted (values not shown)");
  add(Standing::kNotChecked, "not checked (too little of them could be judged)");
  add(Standing::kDisputed, "disputed");
  return StrCat(text, ", ", WithCommas(Count(standings, Standing::kRight)), " pass");
}

std::string ElementsText(const Report& report) {
  const LimitsByStanding by_standing = CountLimits(report);
  Limits all;
  std::string text;
  size_t standings = 0;
  for (size_t i = 0; i < by_standing.size(); ++i) {
    const Limits& limits = by_standing[i];
    if (limits.elements == 0) continue;
    all.Add(limits);
    text += StrCat(standings++ == 0 ? "; of cases that are " : ", ",
                   Words(Name(static_cast<Standing>(i))), " ", WithCommas(limits.limited), " of ",
                   WithCommas(limits.elements));
  }
  if (all.elements == 0) return "none";
  const std::string limits = LimitsText(all);
  return StrCat(limits.empty() ? StrCat("all ", WithCommas(all.elements), " judged") : limits,
                standings > 1 ? text : "");
}

std::string VerdictReason(const Report& report) {
  const int total = static_cast<int>(report.cases.size());
  const Standings standings = CountStandings(report);
  if (total == 0) {
    return report.missing ? "no case has a result, nothing was checked"
                          : "the suite has no case, nothing was checked";
  }
  const std::string findings = report.findings.empty() ? ""
                               : report.findings.size() == 1
                                   ? "1 finding over several cases"
                                   : StrCat(report.findings.size(), " findings over several cases");
  const std::string of_part =
      report.missing ? StrCat("; ", PartialText(report), ", and this says nothing about them")
      : !report.filter.empty()
          ? StrCat(
                "; this says nothing about the other ",
                WithCommas(static_cast<int64_t>(report.suite.cases.size() - report.cases.size())),
                " cases")
      : report.run.shard ? "; this says nothing about the whole suite: merge all shards, check that"
                         : "";
  const Limits right = CountLimits(report)[static_cast<size_t>(Standing::kRight)];
  const std::string judged =
      right.limited == right.elements
          ? ""
          : StrCat(", ", PercentText(right.limited, right.elements), " of their elements judged");
  if (Count(standings, Standing::kRight) == total) {
    const std::string all = StrCat("all ", total, " cases passed", judged);
    return (findings.empty() ? all : StrCat(findings, ", though ", all)) + of_part;
  }
  const bool only_illegal = report.findings.empty() && OnlyIllegalGraphsLeft(report);
  return StrCat(
      StandingsText(standings, CountDeclaredNotAnswered(report)), judged,
      only_illegal ? ": every legal case passes, only illegal graphs are not supported" : "",
      findings.empty() ? "" : "; ", findings, of_part);
}

std::vector<std::string> ChoiceLines(const Report& report) {
  std::vector<std::string> lines;
  std::string choice;
  for (const ChosenOption& chosen : report.choices) {
    const std::string option = chosen.option.empty() ? "not shown" : chosen.option;
    const std::string text =
        StrCat(Name(chosen.type), " ", option, chosen.means.empty() ? "" : " (", chosen.means,
               chosen.means.empty() ? "" : ")");
    if (chosen.choice != choice) {
      choice = chosen.choice;
      lines.push_back(StrCat(chosen.sentence, ": ", text));
    } else {
      lines.back() += ", " + text;
    }
  }
  return lines;
}

bool IsPositiveControl(const Report& report) { return report.run.name == kPositiveControl; }

std::string PositiveControlNote(const Report& report) {
  return StrCat(report.run.name,
                " is the positive control of the suite: it shows that the suite can be passed, and "
                "is not evidence of conformance");
}

bool OnIllegalGraph(const CaseReport& c) { return c.outcome == Outcome::kError; }

std::vector<const CaseReport*> Failures(const Report& report) {
  std::vector<const CaseReport*> failures;
  for (const Standing standing : {Standing::kWrong, Standing::kNotRun, Standing::kNotSupported,
                                  Standing::kNotShown, Standing::kDisputed}) {
    const size_t begin = failures.size();
    for (const CaseReport& c : report.cases) {
      if (StandingOf(c) == standing) failures.push_back(&c);
    }
    std::stable_partition(failures.begin() + static_cast<ptrdiff_t>(begin), failures.end(),
                          [](const CaseReport* c) { return !OnIllegalGraph(*c); });
  }
  return failures;
}

const OutputReport* DecidingOutput(const CaseReport& c) {
  for (const OutputReport& output : c.outputs) {
    if (output.verdict == c.verdict && c.verdict != Verdict::kPass) return &output;
  }
  return nullptr;
}

bool HasFigures(const OutputReport& output) {
  const bool read = output.verdict == Verdict::kPass || output.verdict == Verdict::kFail;
  return read && output.rule.kind != RuleKind::kUnchecked;
}

std::vector<RuleHistogram> Histograms(const Report& report) {
  std::map<std::pair<RuleKind, DType>, UlpHistogram> sums;
  for (const CaseReport& c : report.cases) {
    for (const OutputReport& output : c.outputs) {
      if (HasFigures(output) && output.elements > 0)
        sums[{output.rule.kind, output.dtype}].Add(output.ulps);
    }
  }
  std::vector<RuleHistogram> histograms;
  histograms.reserve(sums.size());
  for (const auto& [key, ulps] : sums) histograms.push_back({key.first, key.second, ulps});
  return histograms;
}

std::string UlpSlotName(size_t slot) {
  constexpr auto kEnds = UlpHistogram::kEnds;
  if (slot == 0) return "0";
  if (slot == kEnds.size()) return StrCat("above ", FormatDouble(kEnds.back()));
  return StrCat("to ", FormatDouble(kEnds[slot]));
}

int Passed(const VerdictCounts& counts) { return counts[static_cast<int>(Verdict::kPass)]; }

int Total(const VerdictCounts& counts) {
  int total = 0;
  for (const int count : counts) total += count;
  return total;
}

std::string Words(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

std::string Fold(const std::string& text, size_t indent, size_t width) {
  std::string result;
  size_t column = indent;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const size_t length = end - at;
    if (column > indent) {
      if (column + 1 + length > width) {
        result += "\n" + std::string(indent, ' ');
        column = indent;
      } else {
        result += ' ';
        ++column;
      }
    }
    result.append(text, at, length);
    column += length;
    at = end + 1;
  }
  return result;
}

}  // namespace cts
