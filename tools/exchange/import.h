// Makes a suite of folders in the layout of the public TOSA conformance tests.
#pragma once

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "reference/spec/edition.h"

namespace cts {

struct ImportOptions {
  // The folder that is searched for folders with a desc.json. Paths in a desc.json may leave their
  // folder, never this one.
  std::filesystem::path tests;
  std::filesystem::path out;  // the suite: must not exist, or be an empty directory
  // Of folders that tensor-cts did not write.
  std::string edition = std::string(kDefaultEdition), level = "8K";
  bool edition_rules = false;  // judge by the edition, whatever desc.json says
  bool skip = false;           // leave out what cannot be judged, instead of refusing the whole
  int jobs = 0;                // 0: one per core
  // If not empty: the outputs that a runner left in the folders become results of the suite.
  std::filesystem::path results;
  std::string runner;  // result files are STEM.RUNNER.npy, as the public runner leaves them
  std::filesystem::path xunit;  // what the public runner says of the tests; empty: nothing
  // Once it is true, importing ends with an error and leaves nothing behind.
  const std::atomic<bool>* stop = nullptr;
};

struct Imported {
  Suite suite;
  std::vector<std::string> skipped;  // folder and reason
  // The outputs that desc.json judges by another rule than the edition's.
  std::vector<std::string> other_rules;
  size_t results = 0;  // cases with a result
};

// Reads every folder, asks the reference, and writes the suite as a whole, or nothing.
StatusOr<Imported> ImportTests(const ImportOptions& options);

// Whether a folder may be written: it does not exist, or is empty.
Status CheckFree(const std::filesystem::path& out);

// The id of a test in a folder: the last two components of its path, in lower case, other
// characters as '_'. The path itself is the case's parameter "test".
std::string IdOfFolder(const std::filesystem::path& relative);

}  // namespace cts
