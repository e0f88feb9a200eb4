// Writes cases as text in the language of another tool.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// Writes a chunk of text for each case. Lines `// -----` separate the chunks, so that `mlir-opt
// --split-input-file` processes each chunk separately. The chunk of case i is a line `//
// <prefix>_<i>: <case id>` and the function `@<prefix>_<i>` in MLIR's tosa dialect. If the case
// cannot be rendered, its chunk is the one line `// <prefix>_<i> unsupported: <reason>`. The case's
// edition determines the version of MLIR. If `mlir_version` is given, a case of an edition with
// another version cannot be rendered. Returns an error if the files of a case cannot be read, or if
// its graph is malformed.
StatusOr<std::string> RenderCases(const std::vector<std::filesystem::path>& case_dirs,
                                  const std::string& prefix, std::string_view mlir_version = "");

}  // namespace cts
