// The report of `tensor-cts coverage`.
#pragma once

#include <string>

#include "generator/cover/coverage.h"
#include "reference/base/json_fwd.h"

namespace cts {

// Returns the coverage in the form of schemas/coverage.schema.json.
Json CoverageToJson(const Coverage& coverage);

// Returns the coverage as text for people, made from the JSON of CoverageToJson: tables, and the
// first 20 holes (demands of the recipe that no case covers).
std::string FormatCoverage(const Json& json);

// Returns a self-contained HTML page, made from the JSON of CoverageToJson.
std::string CoverageToHtml(const Json& json);

}  // namespace cts
