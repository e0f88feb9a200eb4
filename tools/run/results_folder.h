// RESULTS while a run writes into it: a result appears by one rename, whole or not at all.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "reference/base/status.h"
#include "tools/run/case_result.h"
#include "tools/run/result_digests.h"

namespace cts {

// Replaces anything that lies there by an empty directory.
Status MakeEmpty(const std::filesystem::path& directory);

// Writes a new file into a directory that nobody looks into yet. So there is no need to write
// beside it and rename. `mode`: its permissions.
Status WriteNew(const std::filesystem::path& path, const std::string& bytes, unsigned mode = 0666);

// The error for a result that has changed since it came.
Status ResultChanged(const std::filesystem::path& place);

class ResultsFolder {
 public:
  explicit ResultsFolder(std::filesystem::path out) : out_(std::move(out)) {}

  // A result of an earlier run.
  struct Kept {
    CaseResult result;
    int repeats = 1;
    std::string differs;  // what differed among them; empty if nothing
  };
  // Removes anything that is no whole result: it would be in the way of one.
  StatusOr<std::optional<Kept>> TakeKept(const std::string& id) const;
  // The bytes of the longest file of a result.
  StatusOr<uint64_t> LongestFile(const std::string& id) const;

  // Makes room for results that are not whole yet. It lies apart from the places that earlier runs
  // used: adapters that outlived such a run may still write there.
  Status Open();
  // Removes it.
  void Close() const;

  // A directory that no process was told of before. Callable from any thread, as are the functions
  // below.
  StatusOr<std::filesystem::path> NewStaging();

  // Moves a first result to its place, in one rename. The result outlives this program. A case
  // whose result is not whole yet when the machine dies runs again. kCancelled if the run is
  // interrupted while results are read, here and in Compare.
  Status Put(const CaseTask& task, const CaseResult& result);

  // Compares another answer, of repeat `pass`, with the first, which is kept. Returns the
  // difference, if it is the first one.
  StatusOr<std::string> Compare(const CaseTask& task, const CaseResult& result, int pass);

  // Digests of the results of this session, as they were when they came.
  const ResultDigests& digests() const { return digests_; }

 private:
  Status Remember(const std::string& id);
  // An answer is given once: nobody may change it while the run continues.
  Status CheckUnchanged(const std::string& id);

  const std::filesystem::path out_;
  std::filesystem::path temporary_;
  std::atomic<size_t> stagings_{0};
  std::mutex mutex_;  // of digests_
  ResultDigests digests_;
};

}  // namespace cts
