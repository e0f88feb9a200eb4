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

// RESULTS/results.unsorted: what a run with --pack has so far, in the order in which it came. At
// its end packs take its place.
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
  // kNotFound if there is none. A link or anything else that `run` does not leave is an error.
  static StatusOr<StoredResult> Find(const std::filesystem::path& results, const std::string& id);

  struct File {
    std::string name;
    uint64_t size = 0;
  };
  // In ascending order. Names that begin with a dot are the runner's and do not count.
  const std::vector<File>& files() const { return files_; }
  bool Has(std::string_view name) const;
  // The directory; in a pack none is there.
  const std::filesystem::path& place() const { return place_; }

  // As ReadInPieces.
  Status Read(const std::string& name, const TakePieces& take, const std::atomic<bool>* stop) const;

 private:
  std::filesystem::path place_;
  std::string id_;
  std::shared_ptr<const Pack> pack_;
  std::vector<File> files_;
};

// The names of the operators that have results there, and of the cases of one of them, in
// ascending order. Those of folders, and of packs without a folder of the same name.
StatusOr<std::vector<std::string>> StoredOperators(const std::filesystem::path& results);
StatusOr<std::vector<std::string>> StoredCases(const std::filesystem::path& results,
                                               const std::string& op);

// Refuses results that nobody may judge: of a run that has not packed them yet, and where one of
// `packs`, the operators that were packed, is gone, broken or empty, or a pack lies beside a folder
// of the same operator.
Status CheckWhole(const std::filesystem::path& results, const std::vector<std::string>& packs);

}  // namespace cts
