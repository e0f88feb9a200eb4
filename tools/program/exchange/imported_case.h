// A folder of the public conformance tests as a case.
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

// A file that desc.json names, and the place of the name.
struct ListedFile {
  std::string file;
  std::string pointer;  // "/ifm_file/0"
};

// The case that is made of a folder.
struct ImportedCase {
  Case c;
  std::vector<std::string> other_rules;
  std::map<std::string, ListedFile>
      result_files;          // files that a runner writes, by our name of the output
  double noticed_share = 0;  // the manifest's "teeth"
};

// Reads the folder and asks the reference. Unimplemented if the folder cannot give a verdict.
StatusOr<ImportedCase> ReadTest(const ImportOptions& options, const Folder& root,
                                const TestOfOthers& test);

}  // namespace cts
