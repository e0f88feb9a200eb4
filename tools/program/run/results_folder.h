// RESULTS while a run writes into it: a result appears by one rename, whole or not at all.
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

// Replaces anything that lies there by an empty directory.
Status MakeEmpty(const std::filesystem::path& directory);

// Writes a new file into a directory that no other process reads yet, so writing beside it and
// renaming is not necessary. `mode`: its permissions.
Status WriteNew(const std::filesystem::path& path, const std::string& bytes, unsigned mode = 0666);

// The error for a result that has changed since it came.
Status ResultChanged(const std::filesystem::path& place);

// Keeps a folder for each case. ResultsPack puts the same into packs.
class ResultsFolder {
 public:
  explicit ResultsFolder(std::filesystem::path out) : out_(std::move(out)) {}
  virtual ~ResultsFolder() = default;
  ResultsFolder(const ResultsFolder&) = delete;

  // A result of an earlier run.
  struct Kept {
    CaseResult result;
    int repeats = 1;
    std::string differs;  // the difference among its repeats; empty if there is none
  };

  // Makes a place for incomplete results. It differs from the places of earlier runs, where
  // adapters that outlived such a run may still write. `operators`: the folders of the cases of the
  // run.
  virtual Status Open(const std::set<std::string>& operators);
  // Removes it.
  void Close() const;

  // Returns the kept result of a case if it is whole. Otherwise removes anything in its place.
  virtual StatusOr<std::optional<Kept>> TakeKept(const std::string& id);
  // The bytes of the longest file of a kept result that will be read whole.
  virtual StatusOr<uint64_t> LongestFile(const std::string& id) const;

  // Forgets a kept result: the case runs again.
  virtual Status Drop(const std::string& id);
  // The digest of a result that is there.
  virtual StatusOr<std::string> DigestNow(const std::string& id) const;

  // A directory whose path no process knows yet. Any thread may call this and the functions below.
  StatusOr<std::filesystem::path> NewStaging();

  // Takes a first result. It outlives this program. A case whose result is not whole yet when the
  // machine dies runs again. kCancelled if the run is interrupted while results are read, here and
  // in Compare.
  virtual Status Put(const CaseTask& task, const CaseResult& result);

  // Compares another answer, of repeat `pass`, with the first, which is kept. Returns the
  // difference, if it is the first difference. Tells `changes` the digest that the result gets.
  StatusOr<std::string> Compare(const CaseTask& task, const CaseResult& result, int pass,
                                const std::function<Status(const std::string& digest)>& changes);

  // Digests of the results of this session, as they were when they came.
  const ResultDigests& digests() const { return digests_; }
  // The same of one result, while others come.
  std::string Remembered(const std::string& id);

 protected:
  static Kept KeptFromJson(const Json& json);
  void Remember(const std::string& id, std::string digest);
  const std::filesystem::path& out() const { return out_; }
  const std::filesystem::path& temporary() const { return temporary_; }

 private:
  // The parts of a first result that Compare needs: result.json and the other kept files, and a
  // function that replaces result.json.
  virtual StatusOr<Json> ReadFirst(const std::string& id) const;
  virtual StatusOr<std::string> ReadFirstFile(const std::string& id, const std::string& name) const;
  virtual Status Replace(const std::string& id, const Json& result);
  // The digest of a result after that.
  virtual StatusOr<std::string> DigestWith(const std::string& id, const Json& result) const;

  // The difference between an answer and the first one, in the words of a report; empty if there is
  // none.
  StatusOr<std::string> DifferenceOf(const CaseTask& task, CaseStatus first_status,
                                     const CaseResult& now, int pass) const;
  // An answer is given once, and must not change while the run continues.
  Status CheckUnchanged(const std::string& id);

  const std::filesystem::path out_;
  std::filesystem::path temporary_;
  std::atomic<size_t> stagings_{0};
  std::mutex mutex_;  // of digests_
  ResultDigests digests_;
};

}  // namespace cts
