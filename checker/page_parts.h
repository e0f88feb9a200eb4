// What the pages of reports have in common: texts as markup, cells coloured by what came out, one
// style, and the policy under which a page loads nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "checker/check.h"

namespace cts {

// Text that nobody vouches for, as markup.
std::string Markup(std::string_view text);

// For the fragment of an address: everything but letters, digits and "-._" becomes %XX.
std::string ForFragment(std::string_view text);

// "29" where all passed, "3 / 29" where 3 failed, "3 / 20 +9" where 9 more are not supported; a
// cell of a table of class "heat". `label` is markup.
std::string HeatCell(const Standings& standings, const std::string& link, const std::string& label);
// What the colours mean.
std::string_view HeatLegend();

// A bar whose height is the logarithm of a count, and the count; in a table of class "bars".
std::string BarOf(int64_t count, int64_t most);

// Types in the order of the type list, not of the alphabet: i8 before i16.
size_t OrderOfType(const std::string& name);

// What stands between <style> and </style>, for every page.
std::string_view PageStyle();
// The content security policy of a page with that style, and with this script unless it is empty.
std::string PagePolicy(std::string_view script);
// A whole page without a script; `body` is markup.
std::string PageOf(std::string_view title, const std::string& body);

}  // namespace cts
