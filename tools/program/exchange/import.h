// Makes a suite from folders in the layout of the public TOSA conformance tests.
#pragma once

#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/exchange/import_options.h"

namespace cts {

struct Imported {
  Suite suite;
  std::vector<std::string> skipped;  // for each skipped test, its folder and the reason
  // The outputs for which desc.json has another rule than the edition.
  std::vector<std::string> other_rules;
  size_t results = 0;  // the number of cases with a result
};

// Reads every folder with a desc.json and computes the expected results by the reference. Then
// writes the whole suite. After an error, writes nothing.
StatusOr<Imported> ImportTests(const ImportOptions& options);

}  // namespace cts
