// Reads results that `run` wrote: in RESULTS/<case>/ or, with --pack, in the pack of the case's
// operator.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/pack.h"
#include "reference/base/status.h"

namespace cts {

// RESULTS/results.unsorted: the results of an unfinished run with --pack, in the order in which
// they arrived. At the end of the run, packs replace this file.
inline constexpr std::string_view kUnsortedResults = "results.unsorted";

// Receives the size of a file, then its bytes in pieces, because a file may be larger than memory.
struct TakePieces {
  std::function<Status(uint64_t size)> begin;
  std::function<Status(std::string_view piece)> piece;
};

// Passes the bytes of a regular file to `take`. Does not follow a link, and does not wait for a
// pipe. Returns kCancelled once `*stop` is true.
Status ReadInPieces(const std::filesystem::path& path, const TakePieces& take,
                    const std::atomic<bool>* stop);

// The result of one case, in a folder or in a pack.
class StoredResult {
 public:
  // Returns kNotFound if the case has no result. Anything that `run` does not write, such as a
  // link, is an error.
  static StatusOr<StoredResult> Find(const std::filesystem::path& results, const std::string& id);

  struct File {
    std::string name;
    uint64_t size = 0;
  };
  // The files of the result in ascending order of their names. Files whose names begin with a dot
  // belong to the runner and are left out.
  const std::vector<File>& files() const { return files_; }
  bool Has(std::string_view name) const;
  // RESULTS/<case>. A packed result has no such directory.
  const std::filesystem::path& place() const { return place_; }

  // Reads a file of the result as ReadInPieces does.
  Status Read(const std::string& name, const TakePieces& take, const std::atomic<bool>* stop) const;

 private:
  std::filesystem::path place_;
  std::string id_;
  std::shared_ptr<const Pack> pack_;
  std::vector<File> files_;
};

// StoredOperators returns the operators that have results. StoredCases returns the cases of one
// operator that have results. Both lists are in ascending order. Both functions read the folder of
// an operator or, if the folder does not exist, its pack.
StatusOr<std::vector<std::string>> StoredOperators(const std::filesystem::path& results);
StatusOr<std::vector<std::string>> StoredCases(const std::filesystem::path& results,
                                               const std::string& op);

// Returns an error for results that cannot be judged. `packs` are the packed operators. It is an
// error if a run has not packed its results yet, or if an operator of `packs` has neither pack nor
// folder. It is also an error if a pack is broken or empty, or if an operator has both a pack and a
// folder.
Status CheckWhole(const std::filesystem::path& results, const std::vector<std::string>& packs);

}  // namespace cts
