// Networks in forms that other tools must convert to MLIR text or to a .tosa file.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// The first bytes of an MLIR bytecode file.
inline constexpr std::string_view kMlirBytecode = "ML\xEFR";

enum class NetworkForm { kBytecode, kTfLite, kExportedProgram };

struct ConvertedNetwork {
  std::string bytes;  // MLIR text, or, for an exported program of torch, a .tosa file
  std::string tool;   // "tosa-converter-for-tflite 2026.2.0"
};

// Runs the tool, with a time limit of five minutes. The tool's output is a temporary file next to
// `beside`. Errors: the tool is not installed (the message has the command that installs it), or
// the tool fails (the error has the message of the tool).
StatusOr<ConvertedNetwork> ConvertNetwork(const std::filesystem::path& file, NetworkForm form,
                                          const std::filesystem::path& beside);

}  // namespace cts
