// The report of `tensor-cts coverage`.
#pragma once

#include <string>

#include "generator/cover/coverage.h"
#include "reference/base/json_fwd.h"

namespace cts {

// As schemas/coverage.schema.json has it.
Json CoverageToJson(const Coverage& coverage);

// The same for people, made from that JSON: tables, and the first 20 holes.
std::string FormatCoverage(const Json& json);

// One page that loads nothing.
std::string CoverageToHtml(const Json& json);

}  // namespace cts
