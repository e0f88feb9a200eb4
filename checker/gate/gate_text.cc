#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "checker/gate/gate.h"
#include "checker/gate/gate_causes.h"
#include "checker/report/causes.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"

namespace cts {
namespace {

// The most entries of each list that a log shows.
constexpr size_t kGateShownCauses = 12;
constexpr size_t kGateShownOthers = 5;
constexpr size_t kGateShownUnsupported = 2;
constexpr size_t kGateShownWaivers = 3;
constexpr size_t kGateShownMessageBytes = 120;

bool NotSupported(const GateFailure& failure) {
  return failure.standing == Standing::kNotSupported;
}

bool NotShown(const GateFailure& failure) { return failure.standing == Standing::kNotShown; }

size_t CountOf(const std::vector<GateFailure>& failures, bool (*is)(const GateFailure&)) {
  return static_cast<size_t>(std::count_if(failures.begin(), failures.end(), is));
}

// ", 3 newly accepted without values"; nothing of an implementation that shows its values.
std::string NotShownText(size_t count, std::string_view when) {
  if (count == 0) return "";
  return StrCat(", ", count, " ", when == "newly" ? "newly " : "", "accepted without values",
                when == "newly" ? "" : " as in the baseline");
}

std::string Was(const std::optional<Verdict>& before) {
  return before ? StrCat(" (was ", Name(*before), ")") : "";
}

// The reasons of the first few. The command tells about all of them.
std::string FreshText(const std::vector<FreshCause>& causes) {
  std::string text;
  for (size_t i = 0; i < std::min(kGateShownCauses, causes.size()); ++i) {
    const FreshCause& cause = causes[i];
    const bool many = cause.ids.size() > 1;
    text += StrCat("  ", cause.what, many ? StrCat(", ", cause.ids.size(), " cases") : "",
                   GraphsText(cause.of_graphs), Was(cause.before), ": ",
                   cause.explain.empty() ? cause.ids.front() : cause.explain, "\n");
    if (i < kGateShownOthers || cause.explain.empty()) {
      text += StrCat("    ", Shortened(Printable(cause.message), kGateShownMessageBytes), "\n");
    }
  }
  if (causes.size() > kGateShownCauses) {
    size_t cases = 0;
    for (size_t i = kGateShownCauses; i < causes.size(); ++i) cases += causes[i].ids.size();
    text += StrCat("  ... and ", cases, " more of ", causes.size() - kGateShownCauses, " causes\n");
  }
  return causes.empty() ? text : "New failures, by cause:\n" + text;
}

std::string ApartText(const std::vector<GateFailure>& fresh, bool (*is)(const GateFailure&),
                      const std::string& heading) {
  std::string text;
  size_t i = 0;
  for (const GateFailure& failure : fresh) {
    if (!is(failure) || i++ >= kGateShownUnsupported) continue;
    text += StrCat("  ", Name(failure.verdict), Was(failure.before), ": ",
                   failure.explain.empty() ? failure.id : failure.explain, "\n    ",
                   Shortened(Printable(failure.message), kGateShownMessageBytes), "\n");
  }
  if (i > kGateShownUnsupported) text += StrCat("  ... and ", i - kGateShownUnsupported, " more\n");
  return i == 0 ? text : heading + text;
}

std::string WorseText(const GateOptions& options, const GateResult& result) {
  if (result.worse.empty()) return "";
  std::string text =
      StrCat("Legal, but less accurate than ", Printable(options.accuracy_path.string()), ":\n");
  for (size_t i = 0; i < std::min(result.worse.size(), kGateShownOthers); ++i) {
    text += StrCat("  ", Shortened(result.worse[i], 2 * kGateShownMessageBytes), "\n");
  }
  if (result.worse.size() > kGateShownOthers) {
    text += StrCat("  ... and ", result.worse.size() - kGateShownOthers, " more\n");
  }
  return text;
}

std::string Some(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kGateShownOthers); ++i) {
    text += StrCat(i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kGateShownOthers)
    text += StrCat(" and ", names.size() - kGateShownOthers, " more");
  return text;
}

}  // namespace

std::string FormatGate(const Report& report, const GateOptions& options, const GateResult& result) {
  std::string text = StrCat(
      "gate: ", Printable(report.run.name), " ", Printable(report.run.version), " on ",
      Printable(report.suite.name), " (", report.suite.edition, ", level ", report.suite.level,
      ", digest ", report.suite.digest.substr(0, 12), "), waivers as of ", options.today, "\n");
  for (const std::string& note : result.notes) text += StrCat("note: ", note, "\n");
  const size_t newly_not = CountOf(result.fresh, NotSupported);
  const size_t known_not = CountOf(result.known, NotSupported);
  const size_t newly_unseen = CountOf(result.fresh, NotShown);
  const size_t known_unseen = CountOf(result.known, NotShown);
  const size_t newly_failed = result.fresh.size() - newly_not - newly_unseen;
  text +=
      StrCat(result.cases, " cases: ", result.passed, " passed, ", newly_failed, " newly failed, ",
             newly_not, " newly not supported", NotShownText(newly_unseen, "newly"), ", ",
             result.known.size() - known_not - known_unseen, " failed as in the baseline, ",
             known_not, " not supported as in the baseline", NotShownText(known_unseen, "known"),
             ", ", result.waived.size(), " waived, ", report.findings.size(),
             " findings over several cases among these",
             result.not_checked > 0
                 ? StrCat(", ", result.not_checked, " not checked: too little could be judged")
                 : "",
             "\n");
  if (options.tolerate_undeclared) {
    text += StrCat(result.undeclared, " more are not supported, not declared, and tolerated\n");
  }
  if (result.flaky > 0) {
    text += StrCat(result.flaky, result.flaky == 1 ? " case is" : " cases are",
                   " flaky: failed, and passed when run again\n");
  }
  if (result.disputed > 0) {
    text += StrCat(result.disputed,
                   " more are disputed: the text disagrees with itself about them, "
                   "and they decide nothing\n");
  }
  text += StrCat("elements: ", ElementsText(report), "\n");
  text += FreshText(FreshCauses(report, result));
  text += WorseText(options, result);
  text += ApartText(result.fresh, NotSupported, "Newly not supported:\n");
  text += ApartText(result.fresh, NotShown, "Newly accepted without values:\n");
  size_t waivers = 0;
  for (const Waiver& waiver : options.waivers) {
    const auto count = std::count_if(
        result.waived.begin(), result.waived.end(),
        [&](const GateFailure& failure) { return Waives(waiver, options.today, failure); });
    if (count == 0 || ++waivers > kGateShownWaivers) continue;
    text += StrCat("Waived by ", Shortened(Printable(waiver.pattern), kGateShownMessageBytes), " (",
                   count, ", ", Shortened(Printable(waiver.owner), kGateShownMessageBytes),
                   ", until ", waiver.expires,
                   "): ", Shortened(Printable(waiver.reason), kGateShownMessageBytes), "\n");
  }
  if (waivers > kGateShownWaivers) {
    text += StrCat("  ... and by ", waivers - kGateShownWaivers, " more waivers\n");
  }
  if (!result.fixed.empty()) {
    text += StrCat("Fixed since the baseline (", result.fixed.size(), "): ", Some(result.fixed),
                   "; refresh it by --write-baseline\n");
  }
  if (!result.gone.empty()) {
    text += StrCat("In the baseline, but not in the suite (", result.gone.size(),
                   "): ", Some(result.gone), "; refresh it by --write-baseline\n");
  }
  if (!result.faults.empty()) text += "Waivers to mend:\n";
  for (size_t i = 0; i < std::min(result.faults.size(), kGateShownOthers); ++i) {
    text += StrCat("  ", result.faults[i], "\n");
  }
  if (result.faults.size() > kGateShownOthers) {
    text += StrCat("  ... and ", result.faults.size() - kGateShownOthers, " more\n");
  }
  if (result.Passed()) return text + "GATE PASSED\n";
  if (result.cases == 0) return text + "GATE FAILED: the suite has no case, nothing was checked\n";
  if (result.undeclared == result.cases) {
    return text + "GATE FAILED: the declaration leaves no case of the suite to be answered\n";
  }
  if (result.undeclared + result.disputed == result.cases) {
    return text + "GATE FAILED: no case decides anything, nothing was checked\n";
  }
  return StrCat(
      text, "GATE FAILED: ", newly_failed, " new failures, ", newly_not, " newly not supported",
      NotShownText(newly_unseen, "newly"), ", ", result.faults.size(), " waivers to mend",
      result.worse.empty() ? "" : StrCat(", ", result.worse.size(), " less accurate"), "\n");
}

}  // namespace cts
