// A report as text for people, as JSON (schemas/report.schema.json) and as JUnit XML.
#pragma once

#include <string>

#include "checker/check.h"
#include "reference/base/json_fwd.h"

namespace cts {

// The command that explains a case of this report.
std::string ExplainCommand(const Report& report, const std::string& case_id);

// For a terminal of 100 columns. Names at most the first 20 failures.
std::string FormatText(const Report& report);

Json ReportToJson(const Report& report);

// A test suite for each operator, a test case for each case. Whatever did not pass is a failure or
// an error, never "skipped", which CI systems count as green.
std::string FormatJUnit(const Report& report);

// Folds at spaces so that no line is longer than `width` if words allow; every line but the first
// begins with `indent` spaces, and the first counts from `indent` too.
std::string Fold(const std::string& text, size_t indent, size_t width = 100);

}  // namespace cts
