// Texts that say whether two failures are of one kind.
#pragma once

#include <string>

#include "checker/judge/check_report.h"

namespace cts {

// Returns the way in which a case fails; empty if the case passes. Two failures are of one kind if
// their texts are the same: "a wrong value", "a crash, signal 11". Numbers, addresses, shapes and
// paths in the implementation's messages are left out, since they may change while the case gets
// smaller.
std::string FailureKind(const CaseReport& report);

// Returns the way in which a case fails as the title of a report. The title has the
// implementation's unchanged message, up to the end of the first line that contains words.
std::string FailureTitle(const CaseReport& report);

}  // namespace cts
