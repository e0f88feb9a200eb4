// The options of a run, and its outcome.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "checker/judge/case_status.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// The name and version that an implementation must give itself, and the file that claims them
// (`origin`).
struct ClaimedName {
  std::string name, version, origin;
};

// Records each result when it is stored, so that a resumed run accepts only the recorded results of
// its earlier parts. Any thread may call its functions.
class RunWitness {
 public:
  virtual ~RunWitness() = default;
  // Called before run.json is written with contents of this SHA-256.
  virtual Status WritesRecord(const std::string& digest) = 0;
  // Called after run.json was written.
  virtual Status WroteRecord(const std::string& digest) = 0;
  // Called before a comparison with a repeat changes a result. `digest` is that of the changed
  // result.
  virtual Status WillBe(const std::string& id, const std::string& digest) = 0;
  // Called after a result was stored, or was changed by a comparison with a repeat.
  virtual Status Came(const std::string& id, const std::string& digest) = 0;
  // The digest of a result of an earlier part of the run; nullopt if the earlier parts have no such
  // result.
  virtual std::optional<std::string> DigestOf(const std::string& id) const = 0;
  // If an earlier part called WillBe for this result, and did not call Came afterwards: the digest
  // that WillBe announced. Otherwise empty.
  virtual std::string NextDigestOf(const std::string& id) const = 0;
  // The time when the last result of the earlier parts was stored; nullopt if there is no such
  // result.
  virtual std::optional<std::string> last_result() const = 0;
};

struct RunOptions {
  std::filesystem::path suite;
  std::filesystem::path out;
  std::string builtin;  // "native", "fault:ID" (builtin.h), or empty
  std::string adapter;  // a command line for /bin/sh, or empty
  // A shared library in the form of tools/adapters/plugin.h, or empty.
  std::filesystem::path plugin;
  // Files and folders with the adapter's code, in addition to the files that the command names;
  // empty: all code in the folders of its scripts.
  std::vector<std::string> code;
  bool worker = false;  // keep the adapter running, and exchange lines with it
  // The implementation declares that it accepts symbolic programs. Otherwise it gets no symbolic
  // program, and the cases with such programs have the result `unsupported`. The embedded
  // implementations accept symbolic programs.
  bool symbolic = false;
  int jobs = 0;  // 0: one per core
  double timeout_seconds = 60;
  int memory_mb = 0;  // limit for an adapter's process group, in units of 2^20 bytes; 0: no limit
  int repeats = 1;    // how often every case runs; the answers are compared
  // After all cases have run, runs a sample of them three more times and compares the answers. Each
  // of these runs has a random order, so the cases have other neighbours. It has twice as many jobs
  // and four times the time limit.
  bool under_load = false;
  std::optional<Shard> shard;       // run only the cases of this shard
  std::filesystem::path balance;    // a report whose times balance the shards; empty: no balancing
  std::vector<std::string> filter;  // only cases that match one of these patterns; empty: all
  std::string again;                // SHA-256 of the report whose failed cases `filter` names
  bool pack = false;    // store results in one file for each operator (reference/base/pack.h)
  bool resume = false;  // keep results that are already there
  std::optional<ClaimedName> claimed;
  RunWitness* witness = nullptr;  // may be null
};

struct RunSummary {
  int cases = 0;
  std::array<int, std::size(kCaseStatuses)> with_status = {};
  int restarts = 0;     // workers that were ended because of a fault
  int unexplained = 0;  // ended workers whose cases all ran without a fault when each ran alone
  std::string first_unexplained;
  int differs = 0;  // cases whose results differed when they ran again
  int late = 0;     // cases among `differs` that gave no answer in time
  std::string first_differs_id, first_difference;
  bool interrupted = false;
  bool gave_up = false;    // the run gave up, because many cases ran and no case had an answer
  bool announced = false;  // a worker gave its name
  int ended = 0;           // cases that a signal, the time limit or the memory limit ended
  // The first case that crashed, hung or broke the protocol, and what happened; empty if there is
  // no such case.
  std::string first_id, first_message, first_log;

  int& operator[](CaseStatus status) { return with_status[static_cast<size_t>(status)]; }
  int operator[](CaseStatus status) const { return with_status[static_cast<size_t>(status)]; }
  bool AnyAnswer() const {
    return std::any_of(std::begin(kCaseStatuses), std::end(kCaseStatuses),
                       [&](CaseStatus status) { return IsAnswer(status) && (*this)[status] > 0; });
  }
  // Whether the results say something about the implementation. If an adapter always exits by
  // itself or writes nonsense, probably the adapter is broken, not the implementation.
  bool IsOfImplementation() const { return AnyAnswer() || (!gave_up && (announced || ended > 0)); }
};

// Called with the results so far, after every case and after every repeat of a case, by one thread
// at a time.
using Progress = std::function<void(int done, int total, const RunSummary& so_far)>;

// A symbolic program has the result `unsupported`, with this message, if the implementation was not
// declared to accept such programs.
inline constexpr std::string_view kNotSymbolic =
    "a symbolic program, and the implementation does not declare that it accepts them (--symbolic)";

// Checks that the options fit together.
Status CheckRunOptions(const RunOptions& options);

// Returns the implementation's command as run.json records it.
std::string CommandText(const RunOptions& options);

}  // namespace cts
