// The parts that the pages of reports have in common: texts as markup, cells coloured by their
// outcome, one style, and the policy under which a page loads nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"

namespace cts {

// Untrusted text as markup: one line, or several.
std::string Markup(std::string_view text);
std::string MarkupOfLines(std::string_view text);

// For the fragment of an address: everything except letters, digits and "-._" becomes %XX.
std::string ForFragment(std::string_view text);

// "29" where all passed, "3 / 29" where 3 failed, "3 / 20 +9" where 9 more are not supported, were
// accepted without values, are not checked or are disputed; a cell of a table of class "heat".
// `label` is markup.
std::string HeatCell(const Standings& standings, const std::string& link, const std::string& label);
// The class of a cell by the share of right cases. If `whole` is 0, it is the class of cases that
// are counted apart.
std::string_view ShareClass(uint64_t part, uint64_t whole);
// Explains the colours.
std::string_view HeatLegend();

// A bar whose height is the logarithm of a count, and the count; in a table of class "bars".
std::string BarOf(int64_t count, int64_t most);

// Types in the order of the type list, not of the alphabet: i8 before i16.
size_t OrderOfType(const std::string& name);

// A row of a list of class "facts"; empty for an empty text.
std::string FactRow(std::string_view name, std::string_view text);
// The beginning of a page: its title, the outcome ("good", "part", "bad"; `words` large, then the
// `reason`), and rows of facts. Everything except the facts is text.
std::string PageHeader(std::string_view what, std::string_view came_out, std::string_view words,
                       std::string_view reason, const std::string& facts);
// A card of the page; `body` is markup.
std::string PageSection(std::string_view anchor, std::string_view heading, const std::string& body);
// A table that scrolls where the page is narrow; `rows` are markup from <tr> to </tr>. A head that
// begins with '<' stands over a column of texts.
std::string PageTable(std::string_view label, const std::vector<std::string_view>& heads,
                      const std::string& rows);
// The last line of the page: the command that wrote it.
std::string PageFooter(std::string_view command);

// The text between <style> and </style>, for every page.
std::string_view PageStyle();
// The content security policy of a page with that style, and with this script unless it is empty.
std::string PagePolicy(std::string_view script);
// A whole page, with this script unless it is empty; `body` is markup.
std::string PageOf(std::string_view title, const std::string& body, std::string_view script = "");

}  // namespace cts
