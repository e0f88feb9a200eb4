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

// Replaces what may lie there by an empty directory.
Status MakeEmpty(const std::filesystem::path& directory);

// A new file in a directory that nobody looks into yet: no need to write beside and rename.
Status WriteNew(const std::filesystem::path& path, const std::string& bytes);

// The error of a result that is no longer what came.
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
  // What is no whole result goes: it would be in the way of one.
  StatusOr<std::optional<Kept>> TakeKept(const std::string& id) const;

  // Makes room for what is not whole yet, out of the way of adapters that outlived an earlier run
  // and may still write where that one told them to.
  Status Open();
  // Removes it.
  void Close() const;

  // A directory that no process has been told of before. From any thread, as is what follows.
  StatusOr<std::filesystem::path> NewStaging();

  // Moves a first result to its place, in one rename. That outlives this program; a case whose
  // result is still not whole when the whole machine dies runs again.
  Status Put(const CaseTask& task, const CaseResult& result);

  // Holds another answer, of repeat `pass`, against the first, which is kept. Returns the
  // difference, if it is the first one.
  StatusOr<std::string> Compare(const CaseTask& task, const CaseResult& result, int pass);

  // Of the results of this session, as they were when they came.
  const ResultDigests& digests() const { return digests_; }

 private:
  Status Remember(const std::string& id);
  // An answer is given once: nobody may change it while the run goes on.
  Status CheckUnchanged(const std::string& id);

  const std::filesystem::path out_;
  std::filesystem::path temporary_;
  std::atomic<size_t> stagings_{0};
  std::mutex mutex_;  // of digests_
  ResultDigests digests_;
};

}  // namespace cts
