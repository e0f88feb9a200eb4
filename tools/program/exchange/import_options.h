// The options of `tensor-cts import`.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "reference/spec/edition.h"

namespace cts {

struct ImportOptions {
  // The folder that is searched for folders with a desc.json. Paths in a desc.json may leave their
  // folder, never this one.
  std::filesystem::path tests;
  std::filesystem::path out;  // the suite: must not exist, or be an empty directory
  // For folders that tensor-cts did not write.
  std::string edition = std::string(kDefaultEdition);
  std::string level;           // likewise; empty: the edition's narrowest
  bool edition_rules = false;  // judge by the edition, whatever desc.json says
  bool skip = false;           // leave out tests that cannot be judged, instead of refusing the
                               // whole
  int jobs = 0;                // 0: one per core
  // If not empty: the outputs that a runner left in the folders become results of the suite.
  std::filesystem::path results;
  std::string runner;  // result files are STEM.RUNNER.npy, as the public runner leaves them
  std::filesystem::path xunit;  // the public runner's report on the tests; empty: no report
  // Once it is true, importing ends with an error and leaves nothing behind.
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace cts
