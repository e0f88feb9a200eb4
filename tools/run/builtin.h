// The embedded implementations: the positive control of a suite, never evidence of conformance.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// "native", as in `--implementation builtin:native`, or "fault:ID": native with a fault of the
// catalogue, whose results count as if a vendor had made them. An unknown name is an error that
// names the nearest.
Status CheckBuiltin(const std::string& name, const std::string& edition);

// The version of this program.
std::string BuiltinVersion();

struct BuiltinAnswer {
  std::string status;  // "ok", "error" or "unsupported"
  std::string message;
};

// Runs the case in `case_dir`. If the status is "ok", the outputs lie in `result_dir` afterwards.
// An error if the bundle cannot be read or the outputs cannot be written.
StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const std::filesystem::path& case_dir,
                                   const std::filesystem::path& result_dir);

}  // namespace cts
