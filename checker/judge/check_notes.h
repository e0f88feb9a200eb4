// Findings and notes about a whole report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/check_report.h"
#include "reference/base/file.h"
#include "reference/bundle/suite.h"

namespace cts {

// Adds the findings and notes about a whole report, whose cases must already be judged.
Status AddNotes(const Folder& results, Report* report);

// Returns the result directories that belong to no case, such as "conv2d/case" or "conv2d".
// Directories whose names begin with a dot belong to the runner and are left out.
StatusOr<std::vector<std::string>> StrayDirectories(const std::filesystem::path& directory,
                                                    const Suite& suite);
// Returns the first five names in printable form; "..." follows if there are more: "a, b, c, d, e,
// ...".
std::string FirstNames(const std::vector<std::string>& names);

}  // namespace cts
