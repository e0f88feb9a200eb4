// The parts that the pages of reports have in common: texts as markup, cells coloured by their
// outcome, one style, and the policy under which a page loads nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"

namespace cts {

// Markup escapes an untrusted text of one line for a page. MarkupOfLines does the same for a text
// of several lines.
std::string Markup(std::string_view text);
std::string MarkupOfLines(std::string_view text);

// Encodes a text for the fragment of an address: every byte becomes %XX, except letters, digits and
// "-._".
std::string ForFragment(std::string_view text);

// A cell of a table of class "heat": "29" if all 29 cases passed, "3 / 29" if 3 of the 29 cases
// failed. The cell ends with "+9" if 9 more cases are not supported, were accepted without values,
// are not checked or are disputed. If the group has only such cases, the cell is "9". `label` is
// markup.
std::string HeatCell(const Standings& standings, const std::string& link, const std::string& label);
// The CSS class of a cell by the share `part` / `whole` of right cases. If `whole` is 0, the cell
// has only cases that HeatCell counts after the "+"; such cells have a class of their own.
std::string_view ShareClass(uint64_t part, uint64_t whole);
// The legend that explains the colours of the cells that HeatCell makes.
std::string_view HeatLegend();

// A cell of a table of class "bars": a count, and a bar whose height shows the logarithm of the
// count. `most` is the greatest count of the table.
std::string BarOf(int64_t count, int64_t most);

// The position of a type in the list of types, for sorting: i8 comes before i16.
size_t OrderOfType(const std::string& name);

// A row of a list of class "facts"; empty if `text` is empty.
std::string FactRow(std::string_view name, std::string_view text);
// The beginning of a page: the title `what`, the outcome `came_out` ("good", "part" or "bad") with
// `words` in large letters and the `reason`, and rows of facts. All arguments except `facts` are
// plain text.
std::string PageHeader(std::string_view what, std::string_view came_out, std::string_view words,
                       std::string_view reason, const std::string& facts);
// A card of the page; `body` is markup.
std::string PageSection(std::string_view anchor, std::string_view heading, const std::string& body);
// A part of a page that can be scrolled sideways, also by keyboard, where the page is narrow.
// `label` is plain text that names the part for screen readers; `body` is markup.
std::string PageScroll(std::string_view label, const std::string& body);
// A table that scrolls where the page is narrow; `rows` are markup from <tr> to </tr>. A head that
// begins with '<' marks a column of texts.
std::string PageTable(std::string_view label, const std::vector<std::string_view>& heads,
                      const std::string& rows);
// The last line of the page: the command that wrote it.
std::string PageFooter(std::string_view command);

// The text between <style> and </style> of every page.
std::string_view PageStyle();
// The content security policy of a page with PageStyle and, unless `script` is empty, with this
// script.
std::string PagePolicy(std::string_view script);
// A whole page with PageStyle and, unless `script` is empty, with this script. `body` is markup.
std::string PageOf(std::string_view title, const std::string& body, std::string_view script = "");

}  // namespace cts
