// `tensor-cts shrink`: takes a case of a suite and an implementation, and writes a folder ready for
// a bug report.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "reference/base/status.h"
#include "tools/program/run/run_options.h"
#include "tools/program/shrink/shrink.h"

namespace cts {

struct ShrinkCaseOptions {
  std::filesystem::path suite;
  std::string id;
  RunOptions run;             // the implementation and its limits
  std::filesystem::path out;  // must not exist, or be an empty directory
  ShrinkOptions shrink;
};

struct ShrunkCase {
  Shrunk shrunk;
  std::string id;              // of the smallest case
  std::string report;          // REPORT.md
  std::string not_repeatable;  // the outcome of the smallest case in a repeated run, if it differed
};

// Writes OUT/suite, with only the smallest case; OUT/results, as `run` leaves them, unless it was
// interrupted; OUT/REPORT.md. Errors: as Shrink; an unknown case, with the ids nearest to it; an
// `out` that exists. An error leaves nothing behind.
StatusOr<ShrunkCase> ShrinkCase(const ShrinkCaseOptions& options);

}  // namespace cts
