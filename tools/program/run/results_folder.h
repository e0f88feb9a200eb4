// The folder RESULTS while a run writes into it. A result appears by one rename, complete or not at
// all.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "reference/base/status.h"
#include "tools/program/run/case_result.h"
#include "tools/program/run/result_digests.h"

namespace cts {

// Replaces anything at this path by an empty directory.
Status MakeEmpty(const std::filesystem::path& directory);

// Writes a new file directly, without a temporary file and a rename, for a directory that no other
// process reads yet. `mode`: the file's permissions.
Status WriteNew(const std::filesystem::path& path, const std::string& bytes, unsigned mode = 0666);

// The error for a result that has changed since it was written.
Status ResultChanged(const std::filesystem::path& place);

// Stores the results of each case in a folder of its own. The derived class ResultsPack stores
// results in packs.
class ResultsFolder {
 public:
  explicit ResultsFolder(std::filesystem::path out) : out_(std::move(out)) {}
  virtual ~ResultsFolder() = default;
  ResultsFolder(const ResultsFolder&) = delete;

  // A result of an earlier run.
  struct Kept {
    CaseResult result;
    int repeats = 1;
    std::string differs;  // the difference between its repeats; empty if all repeats are the same
  };

  // Makes a temporary folder for incomplete results. Its name differs from the names in earlier
  // runs, since an adapter that outlived its run may still write into that run's temporary folder.
  // `operators`: the folders that contain the run's cases.
  virtual Status Open(const std::set<std::string>& operators);
  // Removes the temporary folder.
  void Close() const;

  // Returns the result of a case from an earlier run if the result is complete. If it is not,
  // removes everything in its place, and returns nullopt.
  virtual StatusOr<std::optional<Kept>> TakeKept(const std::string& id);
  // The size in bytes of the longest file in a kept result's folder; 0 if kept results are never
  // read into memory as a whole, as in a pack.
  virtual StatusOr<uint64_t> LongestFile(const std::string& id) const;

  // Removes a kept result, so that the case runs again.
  virtual Status Drop(const std::string& id);
  // Computes the digest of an existing result.
  virtual StatusOr<std::string> DigestNow(const std::string& id) const;

  // Makes a new directory for an implementation's files. Any thread may call this function and the
  // functions below.
  StatusOr<std::filesystem::path> NewStaging();

  // Moves the first result of a case to its place. If the machine fails before the result is
  // completely on disk, the case runs again. Put and Compare return kCancelled if the run is
  // interrupted while they read results.
  virtual Status Put(const CaseTask& task, const CaseResult& result);

  // Compares the answer of repeat `pass` with the first answer, which stays the result. Returns the
  // difference; returns an empty text if the answers are the same, or if an earlier repeat of this
  // case differed already. Records the repeat and the difference in the result. Before that, calls
  // `changes` with the digest that the result will then have.
  StatusOr<std::string> Compare(const CaseTask& task, const CaseResult& result, int pass,
                                const std::function<Status(const std::string& digest)>& changes);

  // The digests of the results that this object stored, each computed when its result was stored.
  const ResultDigests& digests() const { return digests_; }
  // Returns the digest of a result that this object stored. May be called while other results are
  // being stored.
  std::string Remembered(const std::string& id);

 protected:
  static Kept KeptFromJson(const Json& json);
  void Remember(const std::string& id, std::string digest);
  const std::filesystem::path& out() const { return out_; }
  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  // Compare uses these functions to read result.json and the other files of a first result, and to
  // replace result.json.
  virtual StatusOr<Json> ReadFirst(const std::string& id) const;
  virtual StatusOr<std::string> ReadFirstFile(const std::string& id, const std::string& name) const;
  virtual Status Replace(const std::string& id, const Json& result);
  // The digest that the result will have after Replace.
  virtual StatusOr<std::string> DigestWith(const std::string& id, const Json& result) const;

  // Returns the difference between an answer and the first answer, in the words of a report;
  // returns an empty text if the answers are the same.
  StatusOr<std::string> DifferenceOf(const CaseTask& task, CaseStatus first_status,
                                     const CaseResult& now, int pass) const;
  // Returns an error if a result has changed since it was stored.
  Status CheckUnchanged(const std::string& id);

  const std::filesystem::path out_;
  std::filesystem::path temporary_;
  std::atomic<size_t> stagings_{0};
  std::mutex mutex_;  // guards digests_
  ResultDigests digests_;
};

}  // namespace cts
