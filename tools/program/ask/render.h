// Writes cases as text in the language of another tool.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// Writes case i as function `@<prefix>_<i>` of MLIR's tosa dialect. Lines `// -----` separate the
// chunks, so that `mlir-opt --split-input-file` processes each chunk separately. A chunk with a
// function begins with a line `// <prefix>_<i>: <case id>`. For a case without a rendering, the
// chunk is the one line `// <prefix>_<i> unsupported: <reason>`. The edition determines the version
// of MLIR; if `mlir_version` is given, a case whose edition has another version of MLIR has no
// rendering. An error if a bundle cannot be read or is not a graph.
StatusOr<std::string> RenderCases(const std::vector<std::filesystem::path>& case_dirs,
                                  const std::string& prefix, std::string_view mlir_version = "");

}  // namespace cts
