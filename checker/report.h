// A report as text for people, as JSON (schemas/report.schema.json) and as JUnit XML; as a page:
// html.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "checker/check.h"
#include "reference/base/json_fwd.h"

namespace cts {

struct TextOptions {
  size_t width = 100;
  bool all = false;  // every cause and the id of every failure; else 20 causes, an example of each
};
// For people, with the failures by cause. No line of ours is wider unless a word is.
std::string FormatText(const Report& report, const TextOptions& options = {});

Json ReportToJson(const Report& report);

// Its member "elements": how many could be judged, by standing of the cases.
Json ElementsToJson(const Report& report);

// Reads back what ReportToJson wrote, in this version or another of the same format. Not in the
// JSON, and so empty: paths, logs, the suite's list of cases, named choices, how the run was
// limited. Errors name `origin` and the JSON pointer.
StatusOr<Report> ReportFromJson(const Json& json, const std::string& origin);

// The result that JUnit XML gives to a case that the implementation does not offer. CI systems
// count what is skipped as green.
enum class JUnitUnsupported { kSkipped, kFailure };

// A test suite for each operator, a test case for each case and for each finding. A case that did
// not pass is a failure or an error; only what is not offered, or is disputed, may be skipped. If
// nothing is
// offered at all, that is a failure.
std::string FormatJUnit(const Report& report,
                        JUnitUnsupported unsupported = JUnitUnsupported::kSkipped);

// --- What they share.

// " --edition-file FILE", which stands before a command about a run where its edition is not
// embedded; else empty.
std::string EditionOption(const RunInfo& run);

// The command that explains a case of this report.
std::string ExplainCommand(const Report& report, const std::string& case_id);

// The command that runs a case again as `run` was told to, taken from the record that it wrote.
std::string RerunCommand(const std::filesystem::path& suite, const RunInfo& run,
                         const std::string& case_id);

// "CONFORMANT", "NOT CONFORMANT", "SHARD 2 OF 8 PASSED", and the sentence that explains it.
std::string VerdictWords(const Report& report);
std::string VerdictReason(const Report& report);

// The patterns of the cases that were judged: "add/*, clz/*"; empty if all were.
std::string FilterText(const Report& report);

// Who says what the adapter's code is: "lib, main.py, as --code says; other files may have
// changed".
std::string CodeText(const RunInfo& run);

// The assignment of named choices that explains the cases, a line for each choice: "NEGATE of +0:
// fp16 not shown, bf16 not shown, fp32 +0 (its pseudocode)".
std::vector<std::string> ChoiceLines(const Report& report);

// The embedded implementation shows that the suite can be passed, nothing else. Every report holds
// the sentence that says so.
bool IsPositiveControl(const Report& report);
std::string PositiveControlNote(const Report& report);

// The order of failures: wrong ones come before missing ones.
inline constexpr Verdict kByUrgency[] = {
    Verdict::kFail,     Verdict::kWrongOutcome, Verdict::kCrash,   Verdict::kTimeout,
    Verdict::kProtocol, Verdict::kMalformed,    Verdict::kMissing, Verdict::kUnsupported,
    Verdict::kAccepted, Verdict::kDisputed};

// "120 wrong, 3,954 not supported, 872 pass": never added up to one number of failures.
// `owed` of the wrong ones are declared and not answered.
std::string StandingsText(const Standings& standings, int owed = 0);

// "99.8 % of elements judged (...), ...; of right cases 1,200 of 1,203, of wrong ones 30 of 30":
// how many elements could be judged, of all cases and by what became of these.
std::string ElementsText(const Report& report);

// Whether the case asks that an illegal graph be refused. What is wrong on a legal graph stands
// before it in every list: to accept too much is worth less of a reader's time than a wrong value.
bool OnIllegalGraph(const CaseReport& c);

// The cases that did not pass: those that are wrong, those that did not run, those that are not
// supported, those whose values were not shown, those that are disputed; of each those on legal
// graphs before those on illegal ones, in the order of failures, then in the suite's.
std::vector<const CaseReport*> Failures(const Report& report);

// The output that decided the verdict, if one did.
const OutputReport* DecidingOutput(const CaseReport& c);

// Whether the values of an output were compared with anything.
bool HasFigures(const OutputReport& output);

// The errors of the outputs that have figures, added up for each rule and type.
struct RuleHistogram {
  RuleKind rule;
  DType dtype;
  UlpHistogram ulps;
};
std::vector<RuleHistogram> Histograms(const Report& report);
// The errors that a slot counts: "0", "to 0.25", ..., "above 65536".
std::string UlpSlotName(size_t slot);

int Passed(const VerdictCounts& counts);
int Total(const VerdictCounts& counts);

// "wrong_outcome" as people read it: "wrong outcome".
std::string Words(std::string_view name);

// Folds at spaces, so that no line is longer than `width` unless a word is. Every line but the
// first begins with `indent` spaces; the first line is taken to begin at column `indent`, too.
std::string Fold(const std::string& text, size_t indent, size_t width = 100);

}  // namespace cts
