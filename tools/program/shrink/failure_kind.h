// Whether two failures are of one kind.
#pragma once

#include <string>

#include "checker/judge/check_report.h"

namespace cts {

// The way in which a case fails; empty if it passes. Two failures are of one kind if their texts
// are the same: "a wrong value", "a crash, signal 11". Numbers, addresses, shapes and paths in the
// implementation's messages are left out, since they may change while the case gets smaller.
std::string FailureKind(const CaseReport& report);

// The same for people, as the title of a report. It has the implementation's unchanged message, up
// to the end of the first line that contains words.
std::string FailureTitle(const CaseReport& report);

}  // namespace cts
