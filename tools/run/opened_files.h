// Which of an adapter's files were opened while it ran: those are the implementation.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "checker/run_record.h"
#include "reference/base/status.h"

namespace cts {

// Watches the folders of an adapter's scripts (inotify).
class OpenedFiles {
 public:
  // Null where this machine cannot watch, or where nothing is to be watched: no script is named.
  static std::unique_ptr<OpenedFiles> Watch(const std::vector<AdapterFile>& files);
  ~OpenedFiles();
  OpenedFiles(const OpenedFiles&) = delete;
  OpenedFiles& operator=(const OpenedFiles&) = delete;

  // Ends the watch. Returns the paths that anybody opened, normalised; nothing if that is not
  // known: more happened than the kernel keeps, or no script that the command names was opened, so
  // that the adapter runs where this machine does not see it.
  std::optional<std::set<std::string>> Stop();

 private:
  explicit OpenedFiles(int watch) : watch_(watch) {}
  void Collect();
  void Take(const char* events, size_t bytes);

  const int watch_;
  int stop_ = -1;                                 // an eventfd
  std::map<int, std::filesystem::path> folders_;  // by watch; of __pycache__ the folder above
  std::set<int> caches_;                          // the watches of __pycache__
  std::set<std::string> named_;                   // scripts of the command
  std::set<std::string> opened_;
  bool overflow_ = false;
  std::thread thread_;
};

// Enters into the record of a run, which lists the files as they were when it began, which of them
// count: those that the command names, those that were `opened`, and those that counted before, if
// it continues a run. `opened` is nothing if it is not known: then all count.
void SettleFiles(const std::optional<std::set<std::string>>& opened,
                 const std::optional<RunRecord>& before, RunRecord* run);

// Compares the files of a finished run, of which SettleFiles has said which count, with what is
// there now: the first that counts and is another or gone, that came and was opened, or that the
// run before did not have and was opened; empty if there is none.
std::string ChangedWhileItRan(const std::optional<std::set<std::string>>& opened,
                              const std::optional<RunRecord>& before, const RunRecord& run,
                              const std::vector<AdapterFile>& now);

// The first file that keeps an earlier run from going on; empty if there is none. What was not
// loaded then may be another now, and what has come may be there, if the earlier run knew.
std::string ChangedSince(const RunRecord& before, const std::vector<AdapterFile>& now);

}  // namespace cts
