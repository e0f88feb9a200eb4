// What CheckSuite is put together of.
#pragma once

#include <string>
#include <string_view>

#include "checker/judge/check.h"
#include "reference/base/file.h"

namespace cts {

// A case of the suite with its result. Errors: a suite that is not as it was generated, and files
// that cannot be read.
StatusOr<CheckedCase> CheckCaseIn(const Folder& suite, const SuiteEntry& entry,
                                  std::string_view edition, const Folder& results);

// Why a result is wrong where an error is due. The text before the meaning must stay as it is:
// users match it.
std::string WrongResult(const CaseReport& report);

// The findings and notes about a whole report, once its cases are judged.
Status AddNotes(const Folder& results, Report* report);

}  // namespace cts
