// Results as `run` left them: RESULTS/<case>/, or with --pack the pack of the case's operator.
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

// RESULTS/results.unsorted: the results so far of a run with --pack, in the order in which they
// came. At the end of the run packs replace it.
inline constexpr std::string_view kUnsortedResults = "results.unsorted";

// Takes the length of a file, then its bytes piece by piece: it may be larger than memory.
struct TakePieces {
  std::function<Status(uint64_t size)> begin;
  std::function<Status(std::string_view piece)> piece;
};

// Hands over a regular file. Follows no link and waits for no pipe. kCancelled once `stop` is true.
Status ReadInPieces(const std::filesystem::path& path, const TakePieces& take,
                    const std::atomic<bool>* stop);

// The result of one case, in a folder or in a pack.
class StoredResult {
 public:
  // kNotFound if there is none. A link, or another thing that `run` does not write, is an error.
  static StatusOr<StoredResult> Find(const std::filesystem::path& results, const std::string& id);

  struct File {
    std::string name;
    uint64_t size = 0;
  };
  // In ascending order. Names that begin with a dot are the runner's and do not count.
  const std::vector<File>& files() const { return files_; }
  bool Has(std::string_view name) const;
  // The directory; empty for a pack.
  const std::filesystem::path& place() const { return place_; }

  // As ReadInPieces.
  Status Read(const std::string& name, const TakePieces& take, const std::atomic<bool>* stop) const;

 private:
  std::filesystem::path place_;
  std::string id_;
  std::shared_ptr<const Pack> pack_;
  std::vector<File> files_;
};

// The names of the operators that have results there, and of the cases of one of them, in ascending
// order. Counts folders, and packs without a folder of the same name.
StatusOr<std::vector<std::string>> StoredOperators(const std::filesystem::path& results);
StatusOr<std::vector<std::string>> StoredCases(const std::filesystem::path& results,
                                               const std::string& op);

// Refuses results that cannot be judged: results that a run has not packed yet; results where a
// pack of one of `packs`, the packed operators, is missing, broken or empty; and results with both
// a pack and a folder of one operator.
Status CheckWhole(const std::filesystem::path& results, const std::vector<std::string>& packs);

}  // namespace cts
