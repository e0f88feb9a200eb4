// Findings and notes about a whole report.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/check_report.h"
#include "reference/base/file.h"
#include "reference/bundle/suite.h"

namespace cts {

// The findings and notes about a whole report, once its cases are judged.
Status AddNotes(const Folder& results, Report* report);

// Directories, as "conv2d/case" or "conv2d", that belong to no case. Directories whose names begin
// with a dot are the runner's.
StatusOr<std::vector<std::string>> StrayDirectories(const std::filesystem::path& directory,
                                                    const Suite& suite);
// "a, b, c, d, e, ...": the first five, printable.
std::string FirstNames(const std::vector<std::string>& names);

}  // namespace cts
