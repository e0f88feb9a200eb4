// Makes results of a suite from the outputs that a runner of the public conformance tests left in
// the tests' folders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/exchange/import_folder.h"
#include "tools/program/exchange/import_options.h"
#include "tools/program/exchange/imported_case.h"

namespace cts {

// One <testcase> of the file that the public runner writes.
struct XunitTest {
  std::string name, runner;
  bool skipped = false;
  std::optional<std::string> failure;
};

// Reads the file that the public runner writes. This is no reader for XML in general.
std::vector<XunitTest> ParseXunit(std::string_view text);

// Collects results in a temporary folder beside their destination.
class RunnerResults {
 public:
  RunnerResults(const ImportOptions& options, const Folder& root)
      : options_(options), root_(root) {}
  ~RunnerResults();
  RunnerResults(const RunnerResults&) = delete;

  // Makes the folder; does nothing if no results are requested.
  Status Open();

  // Copies the existing result files of one case. Returns whether the case has a result.
  StatusOr<bool> Collect(const TestOfOthers& test, const ImportedCase& made) const;

  // Writes run.json, which names `suite`, and moves the folder to its destination.
  Status MoveTo(const Suite& suite);

 private:
  const XunitTest* Find(const TestOfOthers& test) const;

  const ImportOptions& options_;
  const Folder& root_;
  std::filesystem::path out_, partial_;
  std::vector<XunitTest> tests_;
};

}  // namespace cts
