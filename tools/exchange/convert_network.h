// Networks in forms that other people's tools read: these make text of MLIR or a .tosa file of
// them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// The first bytes of a file of MLIR's bytecode.
inline constexpr std::string_view kMlirBytecode = "ML\xEFR";

enum class NetworkForm { kBytecode, kTfLite, kExportedProgram };

struct ConvertedNetwork {
  std::string bytes;  // text of MLIR; of an exported program of torch a .tosa file
  std::string tool;   // "tosa-converter-for-tflite 2026.2.0"
};

// Runs the tool, which has five minutes. `beside` is a place beside which its output lies while it
// is read. Errors: the tool is not installed, with the line that installs it; what the tool said.
StatusOr<ConvertedNetwork> ConvertNetwork(const std::filesystem::path& file, NetworkForm form,
                                          const std::filesystem::path& beside);

}  // namespace cts
