// The options of `tensor-cts import`.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>

#include "reference/spec/edition.h"

namespace cts {

struct ImportOptions {
  // The folder to search for folders with a desc.json. Paths in a desc.json may lead out of its
  // folder, but never out of this one.
  std::filesystem::path tests;
  std::filesystem::path out;  // the suite: a new folder, or an empty one
  // The edition for folders that tensor-cts did not write.
  std::string edition = std::string(kDefaultEdition);
  std::string level;           // the level for such folders; empty: the edition's narrowest
  bool edition_rules = false;  // judge by the edition's rules, and ignore those of desc.json
  bool skip = false;           // leave out tests that cannot be judged, instead of failing
  int jobs = 0;                // 0: one per core
  // If not empty: the folder for results of the suite, made from the outputs that a runner left in
  // the tests' folders.
  std::filesystem::path results;
  std::string runner;  // result files are named STEM.RUNNER.npy, as the public runner names them
  std::filesystem::path xunit;  // the public runner's report on the tests; empty: no report
  // Once true, importing ends with an error and leaves nothing behind.
  const std::atomic<bool>* stop = nullptr;
};

}  // namespace cts
