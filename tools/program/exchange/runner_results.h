// The outputs that a runner of the public conformance tests left in their folders, as results of a
// suite.
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

// Reads the file that the public runner writes, not any XML.
std::vector<XunitTest> ParseXunit(std::string_view text);

// Results while they are collected: a folder beside their destination.
class RunnerResults {
 public:
  RunnerResults(const ImportOptions& options, const Folder& root)
      : options_(options), root_(root) {}
  ~RunnerResults();
  RunnerResults(const RunnerResults&) = delete;

  // Does nothing if no results are asked for.
  Status Open();

  // Copies the files that exist for one case. Returns whether there is a result.
  StatusOr<bool> Collect(const TestOfOthers& test, const ImportedCase& made) const;

  Status MoveTo(const Suite& suite);

 private:
  const XunitTest* Find(const TestOfOthers& test) const;

  const ImportOptions& options_;
  const Folder& root_;
  std::filesystem::path out_, partial_;
  std::vector<XunitTest> tests_;
};

}  // namespace cts
