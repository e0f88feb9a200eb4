// Formats a report as text for people, as JSON (schemas/report.schema.json) and as JUnit XML.
// html.h formats it as a page.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"
#include "reference/base/json_fwd.h"

namespace cts {

struct TextOptions {
  size_t width = 100;
  // True: list every cause and the id of every failure. False: list 20 causes with one example
  // each.
  bool all = false;
};
// Formats a report for people, with the failures grouped by cause. Lines that this program composes
// are longer than `width` only if a single word is.
std::string FormatText(const Report& report, const TextOptions& options = {});

Json ReportToJson(const Report& report);

// Returns an element of "cases" in the JSON of ReportToJson.
Json CaseToJson(const CaseReport& c);

// Returns the member "elements" of the JSON of ReportToJson: the numbers of judged elements, by the
// standing of their cases.
Json ElementsToJson(const Report& report);

// Reads JSON that ReportToJson wrote, in this version of the program or in another version with the
// same format. Some members are not in the JSON, and stay empty: paths, logs, the suite's list of
// cases, named choices, the limits of the run. Errors name `origin` and the JSON pointer.
StatusOr<Report> ReportFromJson(const Json& json, const std::string& origin);

// The result that JUnit XML gives to a case that is not supported, not shown or not checked. CI
// systems do not count skipped tests as failures.
enum class JUnitUnsupported { kSkipped, kFailure };

// Writes a test suite for each operator, with a test case for each case, and a test suite for the
// findings. A disputed case is always skipped. A case that is not supported, not shown or not
// checked is skipped if `unsupported` is kSkipped. Any other case that is not right is a failure or
// an error. If all cases are skipped, or if the report has no case, the XML has one more test,
// which fails.
std::string FormatJUnit(const Report& report,
                        JUnitUnsupported unsupported = JUnitUnsupported::kSkipped);

// --- Parts that the formats of reports share.

// " --edition-file FILE", for commands about a run whose edition is not embedded; otherwise empty.
std::string EditionOption(const RunInfo& run);

// The command that explains a case of this report.
std::string ExplainCommand(const Report& report, const std::string& case_id);

// The command that runs a case again with the same options as the recorded run `run`.
std::string RerunCommand(const std::filesystem::path& suite, const RunInfo& run,
                         const std::string& case_id);

// "CONFORMANT", "NOT CONFORMANT" or "SHARD 2 OF 8 PASSED". VerdictReason says why.
std::string VerdictWords(const Report& report);
std::string VerdictReason(const Report& report);

// For a partial report: "12 of 57 cases have no result".
std::string PartialText(const Report& report);

// The patterns of the cases that were judged: "add/*, clz/*"; empty if all cases were judged.
std::string FilterText(const Report& report);

// Says where the list of the adapter's code comes from: "lib, main.py, as --code says; other files
// may have changed".
std::string CodeText(const RunInfo& run);

// Returns one line for each of the edition's named choices, with the options that explain the
// cases: "NEGATE of +0: fp16 not shown, bf16 not shown, fp32 +0 (its pseudocode)".
std::vector<std::string> ChoiceLines(const Report& report);

// Whether the report is of the embedded implementation builtin:native, which shows only that the
// suite can be passed. PositiveControlNote is the sentence that every such report has.
bool IsPositiveControl(const Report& report);
std::string PositiveControlNote(const Report& report);

// "120 wrong, 3,954 not supported, 872 pass". The numbers are never added up to one number of
// failures. `owed` is the number of wrong cases that are declared and were answered `unsupported`.
std::string StandingsText(const Standings& standings, int owed = 0);

// The numbers of judged elements, first in all cases, then by the standing of the cases: "99.8 % of
// elements judged (...), ...; of cases that are right 1,200 of 1,203, wrong 30 of 30".
std::string ElementsText(const Report& report);

// Whether the case has an illegal graph, which the implementation must refuse. Failures puts such
// cases last in each group, because a wrong value matters more to a reader than an accepted illegal
// graph.
bool OnIllegalGraph(const CaseReport& c);

// The cases that did not pass. They come in this order: wrong cases, cases that did not run,
// unsupported cases, cases without shown values, disputed cases. Within each group, cases with
// legal graphs come before cases with illegal graphs. Cases that are alike in both respects are in
// the suite's order. (CausesOf in causes.h orders failures by cost.)
std::vector<const CaseReport*> Failures(const Report& report);

// The first output that has the same verdict as the case; null if no output has this verdict, or if
// the case passes.
const OutputReport* DecidingOutput(const CaseReport& c);

// Whether the values of an output were read and compared with an answer.
bool HasFigures(const OutputReport& output);

// The errors of the outputs for which HasFigures holds, added up for each rule and type.
struct RuleHistogram {
  RuleKind rule;
  DType dtype;
  UlpHistogram ulps;
};
std::vector<RuleHistogram> Histograms(const Report& report);
// The range of errors that a slot counts: "0", "to 0.25", ..., "above 65536".
std::string UlpSlotName(size_t slot);

int Passed(const VerdictCounts& counts);
int Total(const VerdictCounts& counts);

// Replaces each "_" of a name by a space: "wrong outcome" for "wrong_outcome".
std::string Words(std::string_view name);

// Breaks the text at spaces, so that no line is longer than `width` unless a single word is. Every
// line except the first begins with `indent` spaces. The caller must print the first line from
// column `indent` on.
std::string Fold(const std::string& text, size_t indent, size_t width = 100);

}  // namespace cts
