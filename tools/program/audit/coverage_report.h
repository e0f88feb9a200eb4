// The report of `tensor-cts coverage`.
#pragma once

#include <string>

#include "generator/cover/coverage.h"
#include "reference/base/json_fwd.h"

namespace cts {

// Returns the coverage in the form of schemas/coverage.schema.json.
Json CoverageToJson(const Coverage& coverage);

// The same for people, made from that JSON: tables, and the first 20 holes.
std::string FormatCoverage(const Json& json);

// One self-contained HTML page, made from the same JSON.
std::string CoverageToHtml(const Json& json);

}  // namespace cts
