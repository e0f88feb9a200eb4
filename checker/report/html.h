// Formats a report as one self-contained page: report_page.html with the report in it.
#pragma once

#include <string>

#include "checker/judge/check.h"

namespace cts {

// The page loads nothing and sends nothing: its Content-Security-Policy admits only the page's own
// style and script, by their digests. The page has the verdict, counts and summaries as HTML, and
// the cases as JSON. For a passing case, the JSON has only the facts that a table row shows. For
// any other case it has all facts. The script lists and filters the cases. The fragment of the
// page's address is the filter: #verdict=fail&operator=CONV2D&type=i8&q=words.
std::string FormatHtml(const Report& report);

}  // namespace cts
