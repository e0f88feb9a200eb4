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

// The name that an implementation must give itself, and the file that claims it.
struct ClaimedName {
  std::string name, version, origin;
};

// Keeps what came, so that a run that goes on takes from its earlier parts what came, and nothing
// else. Any thread calls it.
class RunWitness {
 public:
  virtual ~RunWitness() = default;
  // Before run.json gets contents of this SHA-256.
  virtual Status WritesRecord(const std::string& digest) = 0;
  // After that.
  virtual Status WroteRecord(const std::string& digest) = 0;
  // Before a result gets this digest, because it was compared with a repeat.
  virtual Status WillBe(const std::string& id, const std::string& digest) = 0;
  // After a result came, or was compared with a repeat.
  virtual Status Came(const std::string& id, const std::string& digest) = 0;
  // The digest of a result of an earlier part; nothing if none came.
  virtual std::optional<std::string> DigestOf(const std::string& id) const = 0;
  // The digest that it was to get then, when its earlier part was killed; empty if there is none.
  virtual std::string NextDigestOf(const std::string& id) const = 0;
  // When the last result of the earlier parts came, if any did.
  virtual std::optional<std::string> last_result() const = 0;
};

struct RunOptions {
  std::filesystem::path suite;
  std::filesystem::path out;
  std::string builtin;  // "native", or empty
  std::string adapter;  // a command line for /bin/sh, or empty
  std::filesystem::path
      plugin;  // a shared library that tools/adapters/plugin.h describes, or empty
  // The adapter's files and folders of code besides those that the command names; empty: all code
  // beside its scripts.
  std::vector<std::string> code;
  bool worker = false;  // keep the adapter running and talk to it in lines
  // The implementation declares that it accepts symbolic programs. An implementation that does not
  // declare it gets no such program: they are `unsupported`. The embedded ones declare it.
  bool symbolic = false;
  int jobs = 0;  // 0: one per core
  double timeout_seconds = 60;
  int memory_mb = 0;  // of an adapter's process group, in units of 2^20 bytes; 0: no limit
  int repeats = 1;    // how often every case runs; the answers are compared
  // Afterwards a sample runs three times more, in drawn orders, among other cases, with twice as
  // many jobs and four times the time, and the answers are compared.
  bool under_load = false;
  std::optional<Shard> shard;       // only its cases
  std::filesystem::path balance;    // a report by whose seconds the shards are cut; or empty
  std::vector<std::string> filter;  // only cases that match a pattern; all if there is none
  std::string again;                // SHA-256 of the report whose failed cases `filter` has
  bool pack = false;                // results in one file an operator (reference/base/pack.h)
  bool resume = false;              // keep results that are already there
  std::optional<ClaimedName> claimed;
  RunWitness* witness = nullptr;  // may be null
};

struct RunSummary {
  int cases = 0;
  std::array<int, std::size(kCaseStatuses)> with_status = {};
  int restarts = 0;     // workers that were ended because of a fault
  int unexplained = 0;  // ended workers whose cases all ran without a fault alone
  std::string first_unexplained;
  int differs = 0;  // cases whose result differed when they ran again
  int late = 0;     // cases among them without an answer in time
  std::string first_differs_id, first_difference;
  bool interrupted = false;
  bool gave_up = false;    // repeated starts failed before any answer
  bool announced = false;  // a worker gave its name
  int ended = 0;           // cases that a signal or a limit of time or memory ended
  // The first case that crashed, hung or broke the protocol, and what happened; empty if none did.
  std::string first_id, first_message, first_log;

  int& operator[](CaseStatus status) { return with_status[static_cast<size_t>(status)]; }
  int operator[](CaseStatus status) const { return with_status[static_cast<size_t>(status)]; }
  bool AnyAnswer() const {
    return std::any_of(std::begin(kCaseStatuses), std::end(kCaseStatuses),
                       [&](CaseStatus status) { return IsAnswer(status) && (*this)[status] > 0; });
  }
  // Whether the implementation is to blame for the results of the cases. An adapter that always
  // ends by itself or writes nonsense is more likely broken.
  bool IsOfImplementation() const { return AnyAnswer() || (!gave_up && (announced || ended > 0)); }
};

// Called after every case, and after every repeat of one, by one thread at a time, with the results
// so far.
using Progress = std::function<void(int done, int total, const RunSummary& so_far)>;

// The result of a symbolic program if the implementation was not declared to accept such programs.
inline constexpr std::string_view kNotSymbolic =
    "a symbolic program, and the implementation does not declare that it accepts them (--symbolic)";

// Checks that the options fit together.
Status CheckRunOptions(const RunOptions& options);

// Returns the command in the form of run.json.
std::string CommandText(const RunOptions& options);

}  // namespace cts
