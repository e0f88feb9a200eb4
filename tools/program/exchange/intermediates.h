// Judges an implementation's intermediate results, and derives verdicts from them.
#pragma once

#include <filesystem>
#include <string>

#include "checker/judge/check.h"
#include "reference/base/status.h"

namespace cts {

// Judges the operators of every case that has a folder DIR/<id> with intermediate results
// (<tensor>.npy, and <tensor>.1.npy ... for later executions). The outputs of the graph are taken
// from the results.
//
// If operators break their bounds, the case fails, and its message names the first such operator.
// If an output that is unchecked, or judged by an enclosure, depends on an operator that breaks its
// bound, this output fails, too. If every operator passes, the unchecked outputs count as checked.
// It is a finding if some operators flush subnormals, and other operators or other cases keep them.
// The report notes files that belong to no case or to no tensor. Errors: `directory` does not
// exist, has no folder of a case, or has a file that cannot be read.
Status JudgeIntermediates(const std::filesystem::path& directory, Report* report);

// Does the same for one case: changes the report in `checked`. Returns text for `explain`: the
// verdicts on the case's operators, and the reason why the first failing operator breaks its bound.
// With `full`, the text has all terms of a sum and all inputs.
StatusOr<std::string> ExplainIntermediates(const std::filesystem::path& directory,
                                           const std::filesystem::path& results, bool full,
                                           CheckedCase* checked);

}  // namespace cts
