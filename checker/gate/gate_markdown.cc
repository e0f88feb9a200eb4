#include <algorithm>
#include <map>
#include <utility>

#include "checker/gate/gate.h"
#include "checker/gate/gate_causes.h"
#include "checker/report/causes.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

// GitHub takes a summary of 1 MiB, and shows ten annotations of a step.
constexpr size_t kMostCauses = 200;
constexpr size_t kMostAnnotations = 10;
constexpr size_t kMostBytes = 1000;
constexpr size_t kMostNames = 50;

// Escapes untrusted text, so that it cannot become markup, a link or a table.
std::string Markdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*_[]<>|~&#@$\"':";
  std::string result;
  for (const char c : Shortened(Printable(text), kMostBytes)) {
    if (kSpecial.find(c) == std::string_view::npos) {
      result += c;
    } else {
      result += StrCat("&#", static_cast<int>(c), ";");
    }
  }
  return result;
}

std::string Code(std::string_view text) { return StrCat("<code>", Markdown(text), "</code>"); }

std::string CausesTable(const std::vector<FreshCause>& causes) {
  if (causes.empty()) return "";
  std::string text = "\n### New failures\n\n| cases | what | for example |\n|---:|---|---|\n";
  for (size_t i = 0; i < std::min(kMostCauses, causes.size()); ++i) {
    const FreshCause& cause = causes[i];
    text +=
        StrCat("| ", cause.ids.size(), " | ", Markdown(cause.what + GraphsText(cause.of_graphs)),
               cause.words.empty() ? "" : "<br>" + Markdown(cause.words), " | ",
               Code(cause.ids.front()), "<br>", Markdown(cause.message),
               cause.explain.empty() ? "" : "<br>" + Code(cause.explain), " |\n");
  }
  if (causes.size() > kMostCauses) {
    text += StrCat("\nand ", causes.size() - kMostCauses, " more causes\n");
  }
  return text;
}

std::string List(const std::string& title, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string text = StrCat("\n### ", title, " (", items.size(), ")\n\n");
  for (size_t i = 0; i < std::min(kMostNames, items.size()); ++i) {
    text += StrCat("* ", Markdown(items[i]), "\n");
  }
  if (items.size() > kMostNames) text += StrCat("* and ", items.size() - kMostNames, " more\n");
  return text;
}

// For a property of a workflow command, or for its message.
std::string ForCommand(std::string_view text, bool property) {
  std::string result;
  for (const char c : Shortened(Printable(text), kMostBytes)) {
    if (c == '%' || (property && (c == ':' || c == ','))) {
      result += c == '%' ? "%25" : c == ':' ? "%3A" : "%2C";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string FormatGateMarkdown(const Report& report, const GateOptions& options,
                               const GateResult& result) {
  std::vector<std::string> not_supported;
  std::map<std::string_view, const CaseReport*> cases;
  for (const CaseReport& c : report.cases) cases[c.id] = &c;
  std::map<std::string, int> operators;
  for (const GateFailure& failure : result.fresh) {
    if (failure.standing == Standing::kNotSupported) ++operators[cases.at(failure.id)->op];
  }
  const auto newly_unseen = static_cast<int>(std::count_if(
      result.fresh.begin(), result.fresh.end(),
      [](const GateFailure& failure) { return failure.standing == Standing::kNotShown; }));
  int newly_not = 0;
  for (const auto& [op, count] : operators) {
    newly_not += count;
    not_supported.push_back(StrCat(op, ": ", count, count == 1 ? " case" : " cases"));
  }
  return StrCat(
      "## ", result.Passed() ? "Gate passed" : "Gate failed", ": ", Markdown(report.run.name), " ",
      Markdown(report.run.version), " on ", Markdown(report.suite.name),
      "\n\n| | cases |\n|---|---:|\n", "| all | ", result.cases, " |\n| passed | ", result.passed,
      " |\n| **newly failed** | **",
      static_cast<int>(result.fresh.size()) - newly_not - newly_unseen,
      "** |\n| newly not supported | ", newly_not, " |\n",
      newly_unseen > 0 ? StrCat("| newly accepted without values | ", newly_unseen, " |\n") : "",
      "| as in the baseline | ", result.known.size(), " |\n| waived | ", result.waived.size(),
      " |\n",
      options.tolerate_undeclared
          ? StrCat("| not supported, not declared | ", result.undeclared, " |\n")
          : "",
      result.flaky > 0 ? StrCat("| flaky, among these | ", result.flaky, " |\n") : "",
      result.disputed > 0 ? StrCat("| disputed, decide nothing | ", result.disputed, " |\n") : "",
      result.not_checked > 0
          ? StrCat("| **not checked**: too little could be judged | ", result.not_checked, " |\n")
          : "",
      "\nelements: ", Markdown(ElementsText(report)), "\n",
      CausesTable(FreshCauses(report, result)), List("Legal, but less accurate", result.worse),
      List("Newly not supported", not_supported), List("Waivers to mend", result.faults),
      List("Fixed since the baseline", result.fixed), List("Notes", result.notes), "\n",
      Markdown(report.suite.edition), ", level ", Markdown(report.suite.level), ", suite ",
      Code(report.suite.digest.substr(0, 12)), ", waivers as of ", Markdown(options.today), "\n");
}

std::string GateAnnotations(const Report& report, const GateResult& result) {
  const std::vector<FreshCause> causes = FreshCauses(report, result);
  std::string text;
  for (size_t i = 0; i < std::min(kMostAnnotations, causes.size()); ++i) {
    const FreshCause& cause = causes[i];
    text += StrCat("::error title=", ForCommand(cause.what, true), "::",
                   ForCommand(StrCat(cause.ids.size(), cause.ids.size() == 1 ? " case" : " cases",
                                     ", first ", cause.ids.front(), ": ", cause.message),
                              false),
                   "\n");
  }
  if (!result.worse.empty()) {
    text += StrCat("::error title=less accurate::",
                   ForCommand(StrCat(result.worse.size(), " of operators, types and ranges, first ",
                                     result.worse.front()),
                              false),
                   "\n");
  }
  return text;
}

}  // namespace cts
