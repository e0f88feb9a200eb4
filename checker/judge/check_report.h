// The report of a check, as data. It is the input of findings across cases, printed reports, gates
// and certificates.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/case_status.h"
#include "checker/judge/declared.h"
#include "checker/rules/enclosure.h"
#include "checker/rules/limits.h"
#include "checker/rules/match.h"
#include "checker/rules/shown.h"
#include "checker/rules/ulp_histogram.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// The verdict on a case. Every case has exactly one verdict. A case passes only with kPass.
enum class Verdict {
  kPass,
  kFail,          // a value that the rule refuses
  kWrongOutcome,  // a result or acceptance in place of an error, or an error in place of a result
  kMissing,       // no result.json, or the status `ok` with an output missing
  kMalformed,     // a result.json or an output in a wrong format
  kUnsupported,
  kCrash,
  kTimeout,
  kProtocol,
  // A graph was accepted without values. It is legal, or its error may depend on run-time values.
  kAccepted,
  kDisputed,  // an unexpected answer where the edition's clauses disagree
};
inline constexpr int kVerdictCount = 11;
std::string_view Name(Verdict verdict);  // "pass", "wrong_outcome", ...
std::optional<Verdict> VerdictOf(std::string_view name);

// The group in which totals count a case. A case that the implementation does not offer counts as
// wrong only if a declaration includes the case. An implementation conforms only if every case is
// kRight or kDisputed (see Conformant in standing.h).
enum class Standing {
  kRight,
  kWrong,         // a wrong answer, a crash or the like; also `unsupported` for a declared case
  kNotSupported,  // the answer `unsupported`, for a case that no declaration includes
  kNotRun,        // there is no result.json
  kNotShown,      // correctly accepted, but without output values
  kNotChecked,    // kPass, but too little of some output could be judged
  // The edition's clauses disagree about the case, and the answer is missing or not the expected
  // one.
  kDisputed,
};
inline constexpr int kStandingCount = 7;
// "right", "wrong", "not_supported", "not_run", "not_shown", "not_checked", "disputed"
std::string_view Name(Standing standing);

// OutputReport::flushed_at ends with these words if the rule accepts a zero only as a flushed
// number.
inline constexpr std::string_view kZeroOfFlushedOnly = ": 0 is right for a flushed result only";

struct OutputReport {
  std::string name;
  DType dtype = DType::kBool;
  Rule rule;
  Verdict verdict =
      Verdict::kPass;   // kPass, kFail, kMissing or kMalformed; CaseChecker may set kDisputed
  std::string message;  // why the verdict is not kPass: one line
  // The edition's clauses disagree about this output, so no answer counts as wrong.
  bool disputed = false;
  // The type in the result's file, such as "<f8" for fp32, if the result was converted without
  // loss; empty if it has the output's type.
  std::string stored_as;
  int64_t elements = 0;
  // The numbers of elements that could be judged, and of those that could not. No element counts as
  // judged if the output could not be read.
  Limits limits;
  // The members below are set only if the output could be read.
  int64_t mismatches = 0;
  int64_t first = -1;  // the offset of the first mismatch; -1 if there is no mismatch
  std::string first_index, first_expected, first_got;
  double worst_ulp = 0;
  std::optional<double> worst_of_bound;
  UlpHistogram ulps;  // the errors of all elements
  std::optional<DotProductFigures> figures;
  std::optional<EnclosureFigures> enclosure;  // set if rule.enclosure: a pass means "not refuted"
  // If the case has two answers for the output, this names the answer that accepts the result:
  // "unflushed", "flushed" or, if both accept, "either". Empty if there is only one answer, or if
  // no answer accepts.
  std::string answer;
  // The evidence that each answer gives, copied from the case.
  std::optional<FlushingEvidence> flushing;
  // Further choices that an accepted result shows. To find them, the result is compared with the
  // answer that `answer` names: with the unflushed answer if `answer` is "either", and with the
  // only answer if `answer` is empty.
  ShownChoices shown;
  // Texts for findings. `flushed_at` names an element that shows that subnormals are flushed:
  // "out[3] is 0 where ...". `kept_at` names an element that shows that subnormals are kept.
  std::string flushed_at, kept_at;

  // Whether the output shows any choice. FindChoices (across_cases.h) uses this.
  bool ShowsChoices() const {
    return answer == "flushed" || answer == "unflushed" || shown.flushed >= 0 || shown.kept >= 0 ||
           shown.negative_zero >= 0 || shown.positive_zero >= 0;
  }
};

struct CaseReport {
  std::string id;
  std::string op;
  std::string mode;
  std::string data_set;
  std::map<std::string, std::string> types;  // the types of the type row: "in_t" -> "i8"
  // The type row needs all names of one of these lists.
  std::vector<std::vector<std::string>> profiles;
  std::map<std::string, std::string> parameters;  // parameter -> value that the generator chose
  // The operators of the graph's main block in order, each once, without constants; empty if there
  // is only one operator.
  std::vector<std::string> graph;
  // The first operator of `graph` whose result breaks its own rule, if known.
  std::string wrong_operator;
  Outcome outcome = Outcome::kValid;  // the outcome that the edition prescribes
  std::string condition;              // the broken condition of an error case
  std::string disputed;  // the point on which the edition's clauses disagree; empty if they agree
  std::string meaning;   // how the case breaks `condition`; may be empty
  // The kinds of the rules of all outputs, whether or not the case ran.
  std::vector<RuleKind> rules;
  bool unchecked = false;  // too little of some output can be judged
  int64_t silent = 0;      // the number of outputs whose enclosures limit too few elements
  Limits limits;           // the sums over all outputs, whether or not the case ran
  Verdict verdict = Verdict::kMissing;
  // One line: why the verdict is not kPass, or why `unchecked` is true.
  std::string message;
  // The status in result.json; nullopt if the file could not be read.
  std::optional<CaseStatus> answered;
  std::string said;     // the message in result.json
  std::string log;      // the end of the log, several lines
  std::string differs;  // what differed between repeated runs; may be empty
  // Whether a declaration says that the implementation supports the case; nullopt without
  // declarations. `beyond` is the part of the case that exceeds the declaration, "operator CONV2D".
  std::optional<bool> declared;
  std::string beyond;
  // The declarations that call the case's profiles conformant, as indexes into Report::declared.
  std::vector<size_t> called_conformant_by;
  std::optional<int64_t> exit_code, signal;
  bool reported = false;  // whether the adapter survived a crash and reported it
  double seconds = 0;
  std::vector<OutputReport> outputs;
};

// One part of a run. A run that was interrupted and resumed has several parts. The members are as
// run.json has them.
struct RunPart {
  std::string host, began;
  std::string ended;        // empty if the part was killed
  std::string last_result;  // if the part was killed: the time of its last result, if known
};

// RESULTS/run.json.
struct RunInfo {
  std::string suite, suite_digest, name, version, command, host, started;
  std::string edition_file;  // the file of an edition that is not embedded; otherwise empty
  double seconds = 0;
  bool packed = false;               // whether `run --pack` packed the results
  bool complete = true;              // false: the run was interrupted
  double timeout_seconds = 0;        // 0: not known
  int64_t memory_mb = 0;             // 0: no limit, or not known
  bool symbolic = false;             // the implementation accepts symbolic programs
  std::optional<Declared> declared;  // the implementation's own declaration
  // The number of worker faults that did not occur again when each case ran alone.
  int64_t unexplained = 0;
  std::string first_unexplained;
  std::optional<Shard> shard;       // if set, only the cases of this shard ran
  std::vector<std::string> filter;  // if not empty, only cases that match one of these patterns ran
  bool again = false;               // `filter` lists the cases that failed in an earlier report
  int64_t repeats = 1;              // how often every case ran
  std::vector<std::string> code;    // printable paths: the adapter's code, as the user named it
  // The number of code files that the worker announced, without the files of the command.
  std::optional<int64_t> announced_code;
  bool under_load = false;         // a sample of cases ran again under a higher load
  std::string tensor_cts, commit;  // of the program that ran the cases; empty: not known
  std::vector<RunPart> parts;      // more than one if the run was interrupted and resumed
  // For merged results: `shards` is the number of shards, and `shards_resumed` is how often shards
  // were resumed. `shards_ended` is the time when the last shard ended; empty if a shard does not
  // record its end.
  size_t shards = 0, shards_resumed = 0;
  std::string shards_ended;
  std::string taken;  // the time when certify took existing results into evidence; otherwise empty
};

// A finding that several cases show together. An implementation with a finding that is not waived
// does not conform, even if each of the cases passes.
struct Finding {
  std::string kind;                // "mixed_flushing", "outside_shard", "conformant_not_shown"
  std::string message;             // one line
  std::vector<std::string> cases;  // ids of the cases that show the finding
  // The claim waives this kind of finding, so the finding does not prevent a pass.
  bool waived = false;
};

// One of the edition's named choices, for one type, with the option that the cases show.
struct ChosenOption {
  std::string choice;    // "subnormals"
  std::string sentence;  // "subnormal numbers"
  DType type = DType::kBool;
  std::string option;  // "flushed"; "mixed" if the cases contradict each other; empty: not shown
  // If parts of the specification disagree: the part that the option follows, such as "its
  // pseudocode".
  std::string means;
};

// A declaration of what is supported, and its source `by`: "the implementation", "supported.json".
struct DeclaredBy {
  std::string by;
  Declared declared;
};

struct Report {
  std::filesystem::path suite_path, results_path;
  std::filesystem::path
      intermediates_path;  // the folder of intermediate results; empty if they were not judged
  Suite suite;
  RunInfo run;
  // If not empty, only cases that match one of these patterns were judged.
  std::vector<std::string> filter;
  // For a partial report: the number of cases without a result, which are not in `cases`.
  std::optional<size_t> missing;
  std::vector<DeclaredBy> declared;  // a case is declared if one of these declarations includes it
  // One report for each case of the suite that run.shard and `filter` select, in the suite's order,
  // except the cases that `missing` counts.
  std::vector<CaseReport> cases;
  std::vector<Finding> findings;
  std::vector<ChosenOption> choices;  // the choices that explain the cases, in the edition's order
  std::vector<std::string> notes;     // further facts that change no verdict
};

}  // namespace cts
