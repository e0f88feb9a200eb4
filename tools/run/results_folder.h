// RESULTS while a run writes into it: a result appears by one rename, whole or not at all.
#pragma once

#include <atomic>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
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

// A folder a case. ResultsPack puts the same into packs.
class ResultsFolder {
 public:
  explicit ResultsFolder(std::filesystem::path out) : out_(std::move(out)) {}
  virtual ~ResultsFolder() = default;
  ResultsFolder(const ResultsFolder&) = delete;

  // A result of an earlier run.
  struct Kept {
    CaseResult result;
    int repeats = 1;
    std::string differs;  // what differed among them; empty if nothing
  };

  // Makes room for results that are not whole yet. It lies apart from the places that earlier runs
  // used: adapters that outlived such a run may still write there. `operators`: the folders that
  // the cases of the run lie in.
  virtual Status Open(const std::set<std::string>& operators);
  // Removes it.
  void Close() const;

  // Removes anything that is no whole result: it would be in the way of one.
  virtual StatusOr<std::optional<Kept>> TakeKept(const std::string& id);
  // The bytes of the longest file of a kept result that somebody is going to read whole.
  virtual StatusOr<uint64_t> LongestFile(const std::string& id) const;

  // A directory that no process was told of before. Callable from any thread, as are the functions
  // below.
  StatusOr<std::filesystem::path> NewStaging();

  // Takes a first result. It outlives this program. A case whose result is not whole yet when the
  // machine dies runs again. kCancelled if the run is interrupted while results are read, here and
  // in Compare.
  virtual Status Put(const CaseTask& task, const CaseResult& result);

  // Compares another answer, of repeat `pass`, with the first, which is kept. Returns the
  // difference, if it is the first one.
  StatusOr<std::string> Compare(const CaseTask& task, const CaseResult& result, int pass);

  // Digests of the results of this session, as they were when they came.
  const ResultDigests& digests() const { return digests_; }

 protected:
  static Kept KeptFromJson(const Json& json);
  void Remember(const std::string& id, std::string digest);
  const std::filesystem::path& out() const { return out_; }
  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  // What Compare needs of a first result: result.json and the other files as they are kept, the
  // digest of all, and how result.json is replaced.
  virtual StatusOr<Json> ReadFirst(const std::string& id) const;
  virtual StatusOr<std::string> ReadFirstFile(const std::string& id, const std::string& name) const;
  virtual StatusOr<std::string> DigestNow(const std::string& id) const;
  virtual Status Replace(const std::string& id, const Json& result);

  // The difference between an answer and the first one, in the words of a report; empty if there is
  // none.
  StatusOr<std::string> DifferenceOf(const CaseTask& task, const std::string& first_status,
                                     const CaseResult& now, int pass) const;
  // An answer is given once: nobody may change it while the run continues.
  Status CheckUnchanged(const std::string& id);

  const std::filesystem::path out_;
  std::filesystem::path temporary_;
  std::atomic<size_t> stagings_{0};
  std::mutex mutex_;  // of digests_
  ResultDigests digests_;
};

}  // namespace cts
