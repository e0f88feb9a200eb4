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
  std::filesystem::path out;  // a new folder, or an empty one
  ShrinkOptions shrink;
};

struct ShrunkCase {
  Shrunk shrunk;
  std::string id;      // the id of the smallest case
  std::string report;  // the text of REPORT.md
  // The outcome of another run of the smallest case, if it differs from the first outcome; empty if
  // it does not differ.
  std::string not_repeatable;
};

// Writes OUT/suite, with only the smallest case; OUT/results, as `run` writes them, unless the
// search was interrupted; and OUT/REPORT.md. Errors: those of Shrink; an unknown case (the message
// has the most similar ids); an `out` that exists and is not an empty directory. An error leaves
// nothing behind.
StatusOr<ShrunkCase> ShrinkCase(const ShrinkCaseOptions& options);

}  // namespace cts
