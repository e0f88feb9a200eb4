// A suite while it is written: a folder beside its destination, with a journal of the cases that
// are complete, so that whoever was killed can go on.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// `OUT.partial`, locked while we live. Thread-safe where it says so.
class PartialSuite {
 public:
  // What the folder is called for a destination.
  static std::filesystem::path PathFor(const std::filesystem::path& out);

  PartialSuite() = default;
  PartialSuite(const PartialSuite&) = delete;
  // Removes the folder, unless Keep or MoveTo was called.
  ~PartialSuite();

  // Creates the folder. What another process of ours has left there goes away or, if `resume`, is
  // gone on with and then kept whatever happens: it must have been begun with the same `suite`
  // (recipe, generator). An error if the folder is somebody else's, or is written at this moment.
  Status Open(const std::filesystem::path& out, const Suite& suite, bool resume);

  // Cases that were complete when we opened it, by id: their files are there and have the digest
  // that the journal says.
  std::map<std::string, SuiteEntry> Complete() const;

  // Writes the files of one case, and then its line of the journal. From any thread.
  Status Write(const SuiteEntry& entry, const std::vector<BundleFile>& files);

  // Leaves the folder as it is, for whoever goes on.
  void Keep() { keep_ = true; }

  // Adds the manifest, moves the folder to its destination, and drops the journal.
  Status MoveTo(const std::filesystem::path& out, const Suite& suite);

 private:
  std::filesystem::path path_;
  std::string old_journal_;
  int directory_ = -1;  // locked
  int journal_ = -1;
  std::mutex mutex_;
  bool keep_ = false;
};

}  // namespace cts
