// A suite while it is being written. A partial suite is a folder beside the suite's destination. It
// has a journal of the complete cases, so that a killed run can be resumed.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// A complete case, as one line of the journal records it.
struct FinishedCase {
  SuiteEntry entry;
  std::vector<std::string> files;  // paths within the case's folder
  // In a packed suite: the place of the case's files in the file that has the packed files of all
  // cases.
  struct Place {
    uint64_t offset = 0, size = 0;
  };
  std::optional<Place> packed = {};
};
// Returns the case as a line of the journal, without the line feed.
std::string JournalLine(const FinishedCase& finished);
// Returns nullopt if the line is incomplete; the generator then makes the case again.
std::optional<FinishedCase> ParseJournalLine(std::string_view line);

// The folder `OUT.partial`, which is locked as long as this object exists. Only the functions whose
// comments say so may be called by several threads at a time.
class PartialSuite {
 public:
  // Returns the folder's path for a destination.
  static std::filesystem::path PathFor(const std::filesystem::path& out);

  PartialSuite() = default;
  PartialSuite(const PartialSuite&) = delete;
  // Removes the folder, unless Keep or MoveTo was called.
  ~PartialSuite();

  // Creates the folder. If an earlier run left the folder, `resume` decides. If `resume` is false,
  // the old folder is removed first. If it is true, the old folder is continued, and the destructor
  // keeps it even without a call of Keep. A folder can be continued only if it was begun with the
  // same `suite` (recipe, generator) and the same `pack`. It is an error if another program made
  // the folder, or if another process is writing to it now.
  Status Open(const std::filesystem::path& out, const Suite& suite, bool resume, bool pack = false);

  // Returns the cases that were complete when the folder was opened, by id. Their files exist and
  // have the digest that the journal records.
  std::map<std::string, SuiteEntry> Complete();

  // Writes the files of one case, then its line in the journal. Several threads may call this at a
  // time.
  Status Write(const SuiteEntry& entry, const std::vector<BundleFile>& files);

  // Keeps the folder, so that a later run can resume.
  void Keep() { keep_ = true; }

  // Makes the packs of a packed suite, adds the manifest (suite.json), moves the folder to its
  // destination, and removes the journal.
  Status MoveTo(const std::filesystem::path& out, const Suite& suite);

 private:
  Status OpenUnsorted();
  StatusOr<std::vector<BundleFile>> FilesOf(const FinishedCase& finished) const;
  StatusOr<std::string> ReadPacked(const FinishedCase::Place& place) const;
  Status WritePacked(const SuiteEntry& entry, const std::vector<BundleFile>& files);
  Status AppendToJournal(const FinishedCase& finished);
  Status MakePacks(const Suite& suite) const;

  std::filesystem::path path_;
  std::string old_journal_;
  // In a packed suite: a file with the packed files of the cases, in the order of the calls of
  // Write.
  int unsorted_ = -1;
  uint64_t unsorted_size_ = 0;
  std::map<std::string, FinishedCase::Place> places_;
  int directory_ = -1;  // locked
  int journal_ = -1;
  std::mutex mutex_;
  bool keep_ = false;
};

// Returns an error if `out` exists and is not an empty folder.
Status CheckFree(const std::filesystem::path& out);

// Writes a suite that consists of this case alone. The suite has no recipe.
StatusOr<Suite> WriteSuiteOf(const Case& c, std::string_view name,
                             const std::filesystem::path& out);

}  // namespace cts
