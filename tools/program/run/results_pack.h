// Results of a run with --pack. During the run, the results are in the file results.unsorted; at
// the end of the run, in packs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/digest.h"
#include "reference/base/pack.h"
#include "tools/program/run/results_folder.h"

namespace cts {

// results.unsorted has the form of a pack (reference/base/pack.h) whose end is missing. After the
// files of each result comes one more file with the digest of these files, which shows that the
// result is complete. A result with a wrong digest is ignored. If no file begins at the place where
// the next file should begin, the rest of results.unsorted is ignored. The cases of ignored results
// run again. If a case occurs again with only result.json, that file replaces the earlier one
// (--repeat).
class ResultsPack : public ResultsFolder {
 public:
  using ResultsFolder::ResultsFolder;
  ~ResultsPack() override;

  // If results.unsorted of a killed run exists, continues with it. If not, continues with the packs
  // of a run that ended, if there are any.
  Status Open(const std::set<std::string>& operators) override;
  StatusOr<std::optional<Kept>> TakeKept(const std::string& id) override;
  // Always 0: kept results are never read into memory as a whole, since their digests were checked.
  StatusOr<uint64_t> LongestFile(const std::string&) const override { return 0; }
  Status Drop(const std::string& id) override;
  StatusOr<std::string> DigestNow(const std::string& id) const override;
  Status Put(const CaseTask& task, const CaseResult& result) override;

  // Makes the packs, and returns the operators that have a pack. Every result must still have the
  // digest with which it was stored. results.unsorted stays; the caller removes it after recording
  // the packs.
  StatusOr<std::vector<std::string>> MakePacks() const;
  // The digests of all results, including those of earlier runs.
  ResultDigests AllDigests() const;
  uint64_t size() const { return size_; }

 private:
  struct File {
    uint64_t offset = 0, size = 0;
  };
  struct Record {
    std::map<std::string, File> files;  // by name
    std::string digest;
  };
  class Appender;

  std::filesystem::path place() const;
  Status OpenUnsorted();
  Status ReadUnsorted(uint64_t size);
  Status Unpack(const std::set<std::string>& operators);
  Status AddDigested(const std::string& name, const File& file, Sha256Stream* stream) const;
  StatusOr<std::string> DigestOfFiles(const Record& record) const;
  Status CopyTo(const std::string& id, const Record& record, PackWriter& writer) const;
  Status ReadAt(const File& file, const std::function<Status(std::string_view)>& take) const;
  StatusOr<std::string> ReadWhole(const std::string& id, const std::string& name) const;

  StatusOr<Json> ReadFirst(const std::string& id) const override;
  StatusOr<std::string> ReadFirstFile(const std::string& id,
                                      const std::string& name) const override;
  Status Replace(const std::string& id, const Json& result) override;
  StatusOr<std::string> DigestWith(const std::string& id, const Json& result) const override;

  int unsorted_ = -1;
  mutable std::mutex mutex_;  // guards all members below, and the end of results.unsorted
  uint64_t size_ = 0;
  std::map<std::string, Record> records_;  // by id
};

}  // namespace cts
