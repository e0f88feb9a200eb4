#include <algorithm>
#include <map>
#include <utility>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "tools/program/compare/comparison.h"

namespace cts {
namespace {

constexpr size_t kShownCauses = 15;
constexpr size_t kShownChanges = 3;

// A short name for columns: "A", ..., "Z", "AA".
std::string LetterOf(size_t report) {
  std::string letter;
  for (size_t i = report + 1; i > 0; i = (i - 1) / 26) {
    letter.insert(letter.begin(), static_cast<char>('A' + (i - 1) % 26));
  }
  return letter;
}

std::string Column(const std::string& text) {
  constexpr size_t kWidth = 9;
  return std::string(text.size() < kWidth ? kWidth - text.size() : 1, ' ') + text;
}

std::string HeadLine(const Comparison& comparison, const std::string& first) {
  std::string text = first;
  for (size_t i = 0; i < comparison.reports.size(); ++i) text += Column(LetterOf(i));
  return text + "\n";
}

std::string Named(std::string name) {
  constexpr size_t kWidth = 26;
  name.resize(std::max(kWidth, name.size()), ' ');
  return name;
}

std::string ReportsText(const Comparison& comparison, size_t width) {
  std::string text;
  for (size_t i = 0; i < comparison.reports.size(); ++i) {
    const Report& report = comparison.reports[i].report;
    text += StrCat(LetterOf(i), "  ",
                   Fold(StrCat(comparison.reports[i].label, ": ", VerdictWords(report), ": ",
                               VerdictReason(report)),
                        3, width),
                   "\n");
  }
  return text;
}

std::string PairsText(const Comparison& comparison) {
  std::string text = "\n" + HeadLine(comparison, Named("right \\ where it is wrong"));
  for (size_t i = 0; i < comparison.reports.size(); ++i) {
    text += Named(LetterOf(i));
    for (size_t k = 0; k < comparison.reports.size(); ++k) {
      text += Column(i == k ? "-" : WithCommas(comparison.RightWhereWrong(i, k)));
    }
    text += "\n";
  }
  return text;
}

// Wrong cases, and behind a plus those that are not supported, or accepted without values; only
// operators with wrong cases.
std::string OperatorsText(const Comparison& comparison) {
  std::map<std::string, std::vector<Standings>> operators;
  for (const ComparedCase& c : comparison.cases) {
    std::vector<Standings>& of = operators[c.any().op];
    of.resize(comparison.reports.size());
    for (size_t i = 0; i < c.of.size(); ++i) {
      if (c.of[i] != nullptr) ++of[i][static_cast<size_t>(StandingOf(*c.of[i]))];
    }
  }
  std::string text;
  int others = 0;
  bool unseen = false, others_apart = false;
  for (const auto& [op, of] : operators) {
    const bool is_wrong = std::any_of(of.begin(), of.end(), [](const Standings& standings) {
      return Count(standings, Standing::kWrong) > 0;
    });
    others += is_wrong ? 0 : 1;
    if (!is_wrong) continue;
    text += Named(Printable(op));
    for (const Standings& standings : of) {
      unseen |= Count(standings, Standing::kNotShown) > 0;
      others_apart |=
          Count(standings, Standing::kNotChecked) > 0 || Count(standings, Standing::kDisputed) > 0;
      const int wrong = Count(standings, Standing::kWrong);
      const int apart =
          Count(standings, Standing::kNotSupported) + Count(standings, Standing::kNotShown) +
          Count(standings, Standing::kNotChecked) + Count(standings, Standing::kDisputed);
      text += Column(StrCat(wrong == 0 ? std::string("-") : std::to_string(wrong),
                            apart == 0 ? "" : StrCat(" +", apart)));
    }
    text += "\n";
  }
  if (text.empty()) return "\nnobody is wrong\n";
  return StrCat("\n", HeadLine(comparison, Named("wrong, +not supported")), text,
                unseen ? "(behind the plus, too: accepted, values not shown)\n" : "",
                others_apart ? "(behind the plus, too: not checked, disputed)\n" : "",
                others == 0 ? "" : StrCat("(and ", others, " operators without a wrong case)\n"));
}

std::string ChangesText(const Comparison& comparison, size_t width) {
  if (comparison.reports.size() != 2) return "";
  std::string text;
  for (int from = 0; from < kStandingCount; ++from) {
    for (int to = 0; to < kStandingCount; ++to) {
      if (from == to) continue;
      const auto a = static_cast<Standing>(from), b = static_cast<Standing>(to);
      const std::vector<const ComparedCase*> changed = comparison.Changed(a, b);
      if (changed.empty()) continue;
      text += StrCat("  ", Words(Name(a)), " -> ", Words(Name(b)), ": ",
                     WithCommas(static_cast<int64_t>(changed.size())),
                     changed.size() == 1 ? " case\n" : " cases\n");
      for (size_t i = 0; i < std::min(kShownChanges, changed.size()); ++i) {
        const CaseReport& now = *changed[i]->of.back();
        const std::string said =
            now.message.empty() ? "" : StrCat(": ", Shortened(Printable(now.message), 200));
        text += "    " + Fold(Printable(now.id) + said, 6, width) + "\n";
      }
      if (changed.size() > kShownChanges) {
        text += StrCat("    ... and ", changed.size() - kShownChanges, " more\n");
      }
    }
  }
  return StrCat("\nFrom A to B:", text.empty() ? " every case counts as before\n" : "\n" + text);
}

std::string CausesText(const Comparison& comparison, size_t width) {
  const std::vector<ComparedCause>& causes = comparison.causes;
  if (causes.empty()) return "";
  std::string text = StrCat("\n", WithCommas(static_cast<int64_t>(causes.size())),
                            causes.size() == 1 ? " cause" : " causes, the gravest first", "\n");
  for (size_t n = 0; n < std::min(kShownCauses, causes.size()); ++n) {
    const ComparedCause& cause = causes[n];
    std::string counts;
    for (size_t i = 0; i < cause.counts.size(); ++i) {
      if (cause.counts[i] == 0) continue;
      counts += StrCat(counts.empty() ? "" : ", ", LetterOf(i), " ", WithCommas(cause.counts[i]));
    }
    text += StrCat("  ",
                   Fold(StrCat(TitleOf(cause.all), GraphsText(cause.all.of_graphs), " (", counts,
                               "): ", Shortened(WordsOf(cause.all), 200)),
                        4, width),
                   "\n    for example ", Printable(cause.all.cases.front()->id), "\n");
  }
  if (causes.size() > kShownCauses) {
    text += StrCat("  ... and ", WithCommas(static_cast<int64_t>(causes.size() - kShownCauses)),
                   " more; --html FILE and --json FILE have all\n");
  }
  return text;
}

}  // namespace

std::string FormatComparison(const Comparison& comparison, size_t width) {
  const Suite& suite = comparison.reports.front().report.suite;
  return StrCat("suite  ", Printable(suite.name), ": ", Printable(suite.edition), ", level ",
                Printable(suite.level), ", digest ", suite.digest, "\n\n",
                ReportsText(comparison, width), PairsText(comparison), OperatorsText(comparison),
                ChangesText(comparison, width), CausesText(comparison, width));
}

}  // namespace cts
