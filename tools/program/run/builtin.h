// The embedded implementations: the positive control of a suite, never evidence of conformance.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checker/judge/case_status.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// "native", as in `--implementation builtin:native`, or "fault:ID": native with a fault of the
// catalogue, whose results count like those of a vendor. An unknown name is an error that names the
// nearest.
Status CheckBuiltin(const std::string& name, const std::string& edition);

// The version of this program.
std::string BuiltinVersion();

struct BuiltinAnswer {
  CaseStatus status;  // kOk, kError or kUnsupported
  std::string message;
  std::map<std::string, std::string> files;  // the outputs of kOk, by the names of their files
};

// Runs the case in `case_dir`. An error if the bundle cannot be read.
StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const std::filesystem::path& case_dir);
// The same for a case that has been read from there.
StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const Case& c,
                                   const std::filesystem::path& case_dir);

}  // namespace cts
