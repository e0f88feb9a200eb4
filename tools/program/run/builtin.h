// The embedded implementations. They show that a suite accepts a right implementation and refuses
// wrong implementations. Their results are never evidence of conformance.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "checker/judge/case_status.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// Checks the name of an embedded implementation, such as "native" in `--implementation
// builtin:native`. Any other valid name has the form "fault:ID", and stands for native with a fault
// of the catalogue (reference/faults/catalogue.h). The results of "fault:ID" are judged like those
// of a vendor's implementation. The error for an unknown name lists the most similar names.
Status CheckBuiltin(const std::string& name, const std::string& edition);

// The version of this program.
std::string BuiltinVersion();

struct BuiltinAnswer {
  CaseStatus status;  // kOk, kError or kUnsupported
  std::string message;
  std::map<std::string, std::string> files;  // if the status is kOk: the outputs' files by name
};

// Runs the case in `case_dir`. Returns an error if the files of the case cannot be read.
StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const std::filesystem::path& case_dir);
// Does the same for a case that has already been read from `case_dir`.
StatusOr<BuiltinAnswer> RunBuiltin(const std::string& name, const Case& c,
                                   const std::filesystem::path& case_dir);

}  // namespace cts
