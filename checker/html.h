// A report as one self-contained page: report_page.html with the report in it.
#pragma once

#include <string>

#include "checker/check.h"

namespace cts {

// Loads nothing and sends nothing: its Content-Security-Policy lets only its own style and script
// in, by their digests. Verdict, counts and summaries stand in the page itself; its script lists
// and filters the cases, which stand there as JSON: passing ones as a row, the others in full.
// A filter is the fragment of the address: #verdict=fail&operator=CONV2D&type=i8&q=words.
std::string FormatHtml(const Report& report);

}  // namespace cts
