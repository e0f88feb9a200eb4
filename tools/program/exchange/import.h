// Makes a suite of folders in the layout of the public TOSA conformance tests.
#pragma once

#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/exchange/import_options.h"

namespace cts {

struct Imported {
  Suite suite;
  std::vector<std::string> skipped;  // folder and reason
  // The outputs that desc.json judges by another rule than the edition's.
  std::vector<std::string> other_rules;
  size_t results = 0;  // cases with a result
};

// Reads every folder, asks the reference, and writes the suite as a whole, or nothing.
StatusOr<Imported> ImportTests(const ImportOptions& options);

}  // namespace cts
