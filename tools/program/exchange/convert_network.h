// Networks in forms that other tools read. These tools make text of MLIR or a .tosa file of them.
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
  std::string bytes;  // text of MLIR; for an exported program of torch a .tosa file
  std::string tool;   // "tosa-converter-for-tflite 2026.2.0"
};

// Runs the tool, which has five minutes. Its output lies next to `beside` while it is read. Errors:
// the tool is not installed, with the line that installs it; the message of the tool.
StatusOr<ConvertedNetwork> ConvertNetwork(const std::filesystem::path& file, NetworkForm form,
                                          const std::filesystem::path& beside);

}  // namespace cts
