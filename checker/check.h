// Verdicts: results against a suite.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "checker/rules/match.h"
#include "checker/ulp_histogram.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// What became of a case. They exclude each other; only kPass passes.
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
};
inline constexpr int kVerdictCount = 9;
std::string_view Name(Verdict verdict);  // "pass", "wrong_outcome", ...

struct OutputReport {
  std::string name;
  DType dtype = DType::kBool;
  Rule rule;
  Verdict verdict = Verdict::kPass;  // kPass, kFail, kMissing or kMalformed
  std::string message;               // why not kPass: one line
  int64_t elements = 0;
  // The rest only if the output could be read.
  int64_t mismatches = 0;
  int64_t first = -1;  // the first of them
  std::string first_index, first_expected, first_got;
  double worst_ulp = 0;
  std::optional<double> worst_of_bound;
  UlpHistogram ulps;  // of all elements
  std::optional<DotProductFigures> figures;
  // Where the bundle holds two answers: "unflushed", "flushed" or "either"; empty if there is one,
  // or none was accepted.
  std::string answer;
};

// Which types a case could show flushed (checker/across_cases.h).
struct FlushingScope {
  std::set<std::string> types;  // of the graph's tensors, those whose subnormals may be flushed
  std::string kept;             // the one that an answer with subnormals kept speaks of, if known
  std::string flushed;          // the one that an answer without them speaks of, if known
  bool silent = false;          // that it keeps them shows nothing
};

struct CaseReport {
  std::string id;
  std::string op;
  std::string mode;
  std::string data_set;
  std::map<std::string, std::string> types;        // of the type row: "in_t" -> "i8"
  std::vector<std::vector<std::string>> profiles;  // of that row: any of, each all of
  std::map<std::string, std::string> parameters;   // what the generator chose
  Outcome outcome = Outcome::kValid;               // what the edition prescribes
  std::string condition;                           // of an error case
  std::string meaning;                             // how it breaks that, if somebody said
  std::vector<RuleKind> rules;                     // of its outputs, whether or not it ran
  bool unchecked = false;                          // of some output nobody looked at the values
  Verdict verdict = Verdict::kMissing;
  std::string message;   // why not kPass: one line
  std::string answered;  // the status in result.json, or empty
  std::string said;      // the message in result.json
  std::string log;       // the end of the log, several lines
  std::string differs;   // what differed between repeated runs, if anything did
  std::optional<int64_t> exit_code, signal;
  double seconds = 0;
  FlushingScope flushing;
  std::vector<OutputReport> outputs;
};

// RESULTS/run.json.
struct RunInfo {
  std::string suite, suite_digest, name, version, command, host, started;
  double seconds = 0;
  bool complete = true;        // false: it was interrupted
  double timeout_seconds = 0;  // 0: not known
  int64_t memory_mb = 0;       // 0: no limit, or not known
  bool symbolic = false;       // declared to accept symbolic programs
  int64_t unexplained = 0;     // faults of workers that no case showed when it ran alone
  std::string first_unexplained;
  std::optional<Shard> shard;  // only its cases ran
  int64_t repeats = 1;         // how often every case ran
};

// What several cases show together. It makes an implementation nonconforming even where each of
// them passes.
struct Finding {
  std::string kind;                // "mixed_flushing", "not_deterministic", "outside_shard"
  std::string message;             // one line
  std::vector<std::string> cases;  // ids of those that show it
};

struct Report {
  std::filesystem::path suite_path, results_path;
  std::filesystem::path intermediates_path;  // of what operators made; empty if none were looked at
  Suite suite;
  RunInfo run;
  // One for each of the suite's, or of run.shard's, in its order.
  std::vector<CaseReport> cases;
  std::vector<Finding> findings;
  std::vector<std::string> notes;  // what is worth knowing but changes no verdict
};

// In words, how an error case breaks its condition; empty if that is not known.
using Meaning = std::function<std::string(const Case& c)>;

struct CheckOptions {
  std::filesystem::path suite, results;
  int jobs = 0;  // 0: one per core; the report does not depend on it
  // Called after every case, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  // Once true, checking ends with an error.
  const std::atomic<bool>* stop = nullptr;
  // Asked about error cases that do not pass, by several threads at a time.
  Meaning meaning = {};
};

// Errors: a suite or a run.json that is missing, broken or changed, and results of another suite.
// Whatever the implementation did wrong is a verdict, never an error.
StatusOr<Report> CheckSuite(const CheckOptions& options);

// Every case passed, there was one, and there is no finding.
bool AllPassed(const Report& report);
// The same of the whole suite: a shard is never conformant.
bool Conformant(const Report& report);

// Brings the finding "not_checked" up to date: cases that passed although nobody looked at the
// values of some output (RuleKind::kUnchecked).
void FindUnchecked(Report* report);

// Directories, as "conv2d/case" or "conv2d", that belong to no case. Names that begin with a dot
// are the runner's.
std::vector<std::string> StrayDirectories(const std::filesystem::path& directory,
                                          const Suite& suite);
// "a, b, c, d, e, ...": the first five, printable.
std::string FirstNames(const std::vector<std::string>& names);

// Cases by verdict; of one operator unless `op` is empty.
using VerdictCounts = std::array<int, kVerdictCount>;
VerdictCounts CountVerdicts(const Report& report, std::string_view op = {});

// Reads run.json and holds its digest against the suite's.
StatusOr<RunInfo> ReadRun(const std::filesystem::path& results, const Suite& suite,
                          const std::filesystem::path& suite_path);

// The entry of a case. Errors: an unknown id, with those nearest to it.
StatusOr<const SuiteEntry*> FindCase(const Suite& suite, std::string_view id,
                                     const std::filesystem::path& suite_path);

// Whether every answer of a case is such that results can be judged by it. An error is the suite's
// fault, never the implementation's.
Status ValidateAnswers(const Case& c);

// Judges a tensor of the output's type and shape. One of the answers must accept it as a whole;
// `answer`, if not null, becomes that one or else the nearest.
OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result,
                         size_t* answer = nullptr);

// One case with everything that explaining it needs.
struct CheckedCase {
  Case expected;
  CaseReport report;
  struct Output {
    std::optional<Tensor> result;
    size_t answer = 0;  // the accepted one, or else the nearest
  };
  std::vector<Output> outputs;  // in step with report.outputs
};
StatusOr<CheckedCase> CheckCase(const std::filesystem::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const std::filesystem::path& results);

// The same of a case that was read, and results that need not lie on a disk: `read` gives a file
// such as "add/case/result.json", kNotFound where there is none. An error is an answer of
// `expected` that nobody can be judged by.
using ReadResultFile =
    std::function<StatusOr<std::string>(std::string_view name, uint64_t max_bytes)>;
StatusOr<CheckedCase> CheckCase(Case expected, const ReadResultFile& read);

}  // namespace cts
