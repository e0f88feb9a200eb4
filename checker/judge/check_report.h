// The findings of a check, as data. Everything that judges across cases, reports, gates or
// certifies reads it.
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

// The verdict on a case. A case has exactly one; only kPass passes.
enum class Verdict {
  kPass,
  kFail,          // a value that the rule refuses
  kWrongOutcome,  // a result where an error was due, or an error where a result was due
  kMissing,       // no result.json, or `ok` without every output
  kMalformed,     // a result.json or an output that cannot be read as what it should be
  kUnsupported,
  kCrash,
  kTimeout,
  kProtocol,
  kAccepted,  // a legal graph was accepted, and no value was shown
  kDisputed,  // another answer than expected, where the edition's clauses disagree
};
inline constexpr int kVerdictCount = 11;
std::string_view Name(Verdict verdict);  // "pass", "wrong_outcome", ...
std::optional<Verdict> VerdictOf(std::string_view name);

// The kind that a case counts as in sums, where "not offered" is not "wrong". Only kRight conforms;
// kDisputed is no obstacle.
enum class Standing {
  kRight,
  kWrong,  // an answer that is not right, or no answer to a case that is declared as supported
  kNotSupported,  // the implementation does not offer it, and no declaration has it
  kNotRun,        // there is no result.json
  kNotShown,      // accepted, as was due, without values
  kNotChecked,    // kPass, but too little of some output could be judged
  kDisputed,      // not as expected, or not answered, where the edition's clauses disagree
};
inline constexpr int kStandingCount = 7;
// "right", "wrong", "not_supported", "not_run", "not_shown", "not_checked", "disputed"
std::string_view Name(Standing standing);

// How OutputReport::flushed_at ends where the rule takes a zero for a flushed number only.
inline constexpr std::string_view kZeroOfFlushedOnly = ": 0 is right for a flushed result only";

struct OutputReport {
  std::string name;
  DType dtype = DType::kBool;
  Rule rule;
  Verdict verdict =
      Verdict::kPass;     // kPass, kFail, kMissing or kMalformed; kDisputed from CaseChecker
  std::string message;    // why not kPass: one line
  bool disputed = false;  // the disputed point of the case reaches it: no answer is wrong
  std::string stored_as;  // "<f8" for fp32: converted without loss; otherwise empty
  int64_t elements = 0;
  // How many of them could be judged: 0 if the output could not be read.
  Limits limits;
  // The members below only if the output could be read.
  int64_t mismatches = 0;
  int64_t first = -1;  // the first of them
  std::string first_index, first_expected, first_got;
  double worst_ulp = 0;
  std::optional<double> worst_of_bound;
  UlpHistogram ulps;  // of all elements
  std::optional<DotProductFigures> figures;
  std::optional<EnclosureFigures> enclosure;  // rule.enclosure: a pass is "not refuted"
  // If the bundle holds two answers: "unflushed", "flushed" or "either". Empty if there is one
  // answer, or none was accepted.
  std::string answer;
  std::optional<FlushingEvidence> flushing;  // the bundle's evidence that `answer` shows
  // Further choices that an accepted result shows. They are taken by the answer that `answer`
  // names; if it says "either", by the unflushed one.
  ShownChoices shown;
  // The elements that show flushing and keeping, as findings name them: "out[3] is 0 where ...".
  std::string flushed_at, kept_at;

  // Whether it shows any choice, for FindChoices.
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
  std::map<std::string, std::string> types;        // of the type row: "in_t" -> "i8"
  std::vector<std::vector<std::string>> profiles;  // of that row: one of these lists, all of it
  std::map<std::string, std::string> parameters;   // what the generator chose
  // The operators of its graph in order, each once, without constants; empty if there is only one.
  std::vector<std::string> graph;
  std::string wrong_operator;         // the first of them that breaks its own rule, where known
  Outcome outcome = Outcome::kValid;  // what the edition prescribes
  std::string condition;              // of an error case
  std::string disputed;         // the point on which the edition's clauses disagree; empty: none
  std::string meaning;          // how it breaks that; may be empty
  std::vector<RuleKind> rules;  // of its outputs, whether or not it ran
  bool unchecked = false;       // too little of some output can be judged
  int64_t silent = 0;           // outputs whose enclosures say too little: these are unchecked, too
  Limits limits;                // of all its outputs, whether or not it ran
  Verdict verdict = Verdict::kMissing;
  std::string message;                 // why not kPass, or why it is unchecked: one line
  std::optional<CaseStatus> answered;  // the status in result.json, if that could be read
  std::string said;                    // the message in result.json
  std::string log;                     // the end of the log, several lines
  std::string differs;                 // what differed between repeated runs, if anything did
  // Whether a declaration says that the implementation supports it; nullopt without declarations.
  // `beyond`: the part that is beyond the declaration, "operator CONV2D".
  std::optional<bool> declared;
  std::string beyond;
  // Indexes into Report::declared: the declarations that call its profiles conformant.
  std::vector<size_t> called_conformant_by;
  std::optional<int64_t> exit_code, signal;
  bool reported = false;  // a crash that the adapter reported and survived
  double seconds = 0;
  std::vector<OutputReport> outputs;
};

// A part of a run that was interrupted and went on: as its host said.
struct RunPart {
  std::string host, began;
  std::string ended;        // empty if it was killed
  std::string last_result;  // then: when its last result came, if that is known
};

// RESULTS/run.json.
struct RunInfo {
  std::string suite, suite_digest, name, version, command, host, started;
  std::string edition_file;  // the file of an edition that is not embedded; otherwise empty
  double seconds = 0;
  bool packed = false;               // run --pack left them
  bool complete = true;              // false: it was interrupted
  double timeout_seconds = 0;        // 0: not known
  int64_t memory_mb = 0;             // 0: no limit, or not known
  bool symbolic = false;             // declared to accept symbolic programs
  std::optional<Declared> declared;  // by the implementation
  int64_t unexplained = 0;           // faults of workers that no case showed when it ran alone
  std::string first_unexplained;
  std::optional<Shard> shard;       // only its cases ran
  std::vector<std::string> filter;  // only cases that match one of these patterns ran
  bool again = false;               // they are those that failed in a report
  int64_t repeats = 1;              // how often every case ran
  std::vector<std::string> code;    // printable paths: the adapter's code, as the user named it
  std::optional<int64_t>
      announced_code;       // the number of code files besides the command's, as the worker said
  bool under_load = false;  // a sample ran again, more at a time, among other cases
  std::string tensor_cts, commit;  // of the program that ran it; empty: not known
  std::vector<RunPart> parts;      // more than one if it was interrupted and went on
  // For merged results: how many shards there were, how often they went on, all together, and when
  // the last one ended, if all of them say so.
  size_t shards = 0, shards_resumed = 0;
  std::string shards_ended;
  std::string taken;  // when certify took results that were there before; empty if it ran them
};

// A finding that several cases show together. It makes an implementation nonconforming even where
// each of the cases passes.
struct Finding {
  std::string kind;                // "mixed_flushing", "outside_shard", "conformant_not_shown"
  std::string message;             // one line
  std::vector<std::string> cases;  // ids of those that show it
  bool waived = false;             // the claim names its kind: known, and no obstacle
};

// One of the edition's named choices for one type, and what the cases show of it.
struct ChosenOption {
  std::string choice;    // "subnormals"
  std::string sentence;  // "subnormal numbers"
  DType type = DType::kBool;
  std::string option;  // "flushed"; "mixed" if the cases contradict each other; empty: not shown
  std::string means;   // which words of the text the option follows, if there are two
};

// A declaration of what is supported, and who made it: "the implementation", "supported.json".
struct DeclaredBy {
  std::string by;
  Declared declared;
};

struct Report {
  std::filesystem::path suite_path, results_path;
  std::filesystem::path
      intermediates_path;  // of intermediate results; empty if they were not judged
  Suite suite;
  RunInfo run;
  std::vector<std::string> filter;   // patterns: only cases that match one were judged
  std::optional<size_t> missing;     // of a partial report: cases without a result, not in `cases`
  std::vector<DeclaredBy> declared;  // a case is declared if one of them declares it
  // One for each case of the suite, or of run.shard and `filter`, in the suite's order.
  std::vector<CaseReport> cases;
  std::vector<Finding> findings;
  std::vector<ChosenOption> choices;  // that explain the cases, in the edition's order
  std::vector<std::string> notes;     // further facts that change no verdict
};

}  // namespace cts
