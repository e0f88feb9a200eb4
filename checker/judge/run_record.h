// RESULTS/run.json: what ran, where, and how far the run came (schemas/run.schema.json). Only this
// code reads and writes that file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge/declared.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"

namespace cts {

// A file that is part of the implementation.
struct AdapterFile {
  std::string path, sha256;
  friend bool operator==(const AdapterFile&, const AdapterFile&) = default;
};

struct Machine {
  std::optional<std::string> cpu, os;
  std::optional<int64_t> cores, memory_mb;
  friend bool operator==(const Machine&, const Machine&) = default;
};

// The name that an implementation gives itself, and its declaration of what it supports.
struct ImplementationName {
  std::string name, version;
  std::string about;  // may be empty
  std::optional<Declared> declared = std::nullopt;
  friend bool operator==(const ImplementationName&, const ImplementationName&) = default;
};

// The version of an implementation that does not state one.
inline constexpr const char* kUnknownVersion = "unknown";

// The environment variables that `run` records, with their values. Unset variables are left out.
using EnvironmentVariables = std::map<std::string, std::string>;

// The place and time at which a run began or was continued. An entry for a continued run leaves out
// members that have not changed since the beginning.
struct RunPlace {
  std::optional<std::string> started, host;
  std::optional<std::string> ended;        // missing if the run was killed
  std::optional<std::string> last_result;  // if `ended` is missing: the time of the last result
  std::optional<Machine> machine;
  std::optional<EnvironmentVariables> environment;
};

struct RunLimits {
  std::optional<int> jobs;
  std::optional<bool> worker;
  bool symbolic = false;
  std::optional<double> timeout_seconds;
  int64_t memory_mb = 0;  // 0: no limit
  friend bool operator==(const RunLimits&, const RunLimits&) = default;
};

// Faults of workers that did not occur again when each case ran alone.
struct UnexplainedFaults {
  int64_t count = 0;
  std::string first;
};

// For merged results: one of the shards that were put together.
struct MergedShard {
  Shard shard;
  int64_t cases = 0;
  RunPlace place;
  std::optional<RunLimits> options;
  std::optional<double> seconds;
  std::vector<RunPlace> resumed;
  std::optional<std::string> results_digest;
};

// The suite without answers (blind suite) that ran. Its results later got the ids of the suite with
// answers.
struct BlindRun {
  std::string suite_digest, results_digest;
};

// For results that existed before the command `certify` took them into evidence.
struct GivenResults {
  std::string taken;  // the time when certify took them
};

// Digests of the data and sources that decide about cases and verdicts, as `tensor-cts version`
// shows them.
struct BuildDigests {
  std::string editions, recipes, checker;
  bool operator==(const BuildDigests&) const = default;
};

// An optional member may be missing for three reasons. The run has not reached the point that the
// member describes. Or the member does not apply. Or an older version of this program, which did
// not know the member, wrote the file.
struct RunRecord {
  std::string suite, suite_digest;
  std::optional<std::string> suite_path;
  std::optional<int64_t> suite_cases;
  ImplementationName implementation;
  std::string command;
  std::optional<std::string> edition_file;        // the file of an edition that is not embedded
  std::optional<std::string> tensor_cts, commit;  // of the program that ran the cases
  std::optional<BuildDigests> build;              // of the program that ran the cases
  RunPlace place;
  std::optional<RunLimits> options;
  std::optional<std::vector<AdapterFile>> adapter_files;
  std::optional<std::vector<std::string>> code;            // the paths that the user named as the
                                                           // adapter's code
  std::optional<std::vector<std::string>> announced_code;  // the paths that each worker announced
                                                           // as its code
  std::optional<std::string> changed;                      // a file of the adapter that changed
                                                           // during the run
  std::optional<Shard> shard;
  std::optional<std::vector<std::string>> filter;  // patterns of the ids that ran
  std::optional<std::string> again;  // SHA-256 of the report whose failed cases `filter` lists
  std::optional<double> seconds;
  std::optional<int64_t> cases, restarts, repeats;
  bool under_load = false;
  std::optional<UnexplainedFaults> unexplained;
  std::optional<bool> complete;
  std::optional<std::string> results_digest;
  std::vector<RunPlace> resumed;
  std::vector<MergedShard> shards;
  std::optional<BlindRun> blind;
  std::optional<GivenResults> given;
  // For a run with --pack: the operators with a pack; empty before the end of the run.
  std::optional<std::vector<std::string>> packs;
};

// Reads RESULTS/run.json. An error names the file and the JSON pointer. Refuses results that
// CheckNotLeftOver or CheckWhole refuses. Every command that reads results calls this function
// first.
StatusOr<RunRecord> ReadRunRecord(const std::filesystem::path& results);
// Reads RESULTS/run.json of a run that may be unfinished. Does not check the results.
StatusOr<RunRecord> ReadUnfinishedRun(const std::filesystem::path& results);
// Returns an error if the run is complete but results.unsorted still exists (kUnsortedResults in
// stored_result.h).
Status CheckNotLeftOver(const std::filesystem::path& results, const RunRecord& record);
Status WriteRunRecord(const std::filesystem::path& results, const RunRecord& record);

// Returns the record as the file stores it.
Json RunRecordToJson(const RunRecord& record);
Json ToJson(const ImplementationName& implementation);
Json ToJson(const RunLimits& limits);

// Whether the implementation has not given its name. An adapter that is started anew for every case
// cannot give a name; the run then uses the command as the name.
bool IsAnonymous(const ImplementationName& implementation, const std::string& command);

// "the whole suite", "shard 2/3" or "shard 2/3 by the seconds of report 0123456789ab".
std::string ShardText(const RunRecord& record);

}  // namespace cts
