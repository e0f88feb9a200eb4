// Reads a folder of the public conformance tests as a case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/exchange/import_folder.h"
#include "tools/program/exchange/import_options.h"

namespace cts {

// A file that desc.json names, and where desc.json names it.
struct ListedFile {
  std::string file;
  std::string pointer;  // "/ifm_file/0"
};

// The case that is made from a folder.
struct ImportedCase {
  Case c;
  // The outputs for which desc.json has another rule than the edition.
  std::vector<std::string> other_rules;
  // The files that a runner writes for outputs, by the output's name in the case.
  std::map<std::string, ListedFile> result_files;
  // The share of elements at which the case refuses trivial results, such as zeros. The manifest
  // calls this share "teeth".
  double noticed_share = 0;
};

// Reads the folder and computes the expected results by the reference. Unimplemented if results of
// this test cannot be judged.
StatusOr<ImportedCase> ReadTest(const ImportOptions& options, const Folder& root,
                                const TestOfOthers& test);

}  // namespace cts
