// Intermediate results of an implementation, and the verdicts that follow from them.
#pragma once

#include <filesystem>
#include <string>

#include "checker/judge/check.h"
#include "reference/base/status.h"

namespace cts {

// Judges the operators of every case that has a folder DIR/<id> with intermediate results
// (<tensor>.npy, of later executions <tensor>.1.npy ...; outputs of the graph are those of the
// results).
//
// If an operator breaks its bound, the case fails by the first one that does, and so does each of
// its unchecked outputs that depends on such an operator. If every operator passes, the unchecked
// outputs count as checked. Operators that flush subnormals where others, or other cases, keep them
// are a finding, as among cases. Files that belong to no case or to no tensor are noted. Errors: no
// such folder, or something in it that cannot be read.
Status JudgeIntermediates(const std::filesystem::path& directory, Report* report);

// The same for one case. Changes its report. Gives `explain` the verdicts of the case's operators,
// and the reason for the first that breaks its bound.
StatusOr<std::string> ExplainIntermediates(const std::filesystem::path& directory,
                                           const std::filesystem::path& results, bool full,
                                           CheckedCase* checked);

}  // namespace cts
