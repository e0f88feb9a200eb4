// Formats names for messages and ids.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cts {

std::string Lower(std::string_view text);
// "A, B".
std::string Join(const std::vector<std::string>& names);

}  // namespace cts
