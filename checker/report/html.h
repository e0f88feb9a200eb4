// Formats a report as one self-contained page: report_page.html with the report in it.
#pragma once

#include <string>

#include "checker/judge/check.h"

namespace cts {

// The page loads nothing and sends nothing: its Content-Security-Policy admits only the page's own
// style and script, by their digests. The verdict, counts and summaries stand in the page itself.
// The page also holds the cases as JSON. For a passing case it has the facts of a table row, for
// any other case all facts. The script lists and filters the cases. The fragment of the page's
// address is the filter: #verdict=fail&operator=CONV2D&type=i8&q=words.
std::string FormatHtml(const Report& report);

}  // namespace cts
