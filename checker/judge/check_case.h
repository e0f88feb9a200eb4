// Judges one case.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check_report.h"
#include "reference/base/file.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// Checks that every answer of a case can be used to judge results. An error means that the suite is
// broken. It is never the implementation's fault.
Status ValidateAnswers(const Case& c);

// If the edition's clauses disagree about a case, changes the verdict of an unexpected answer to
// kDisputed: neither right nor wrong. The message then contains the previous verdict and the point
// on which the clauses disagree. The verdict does not change if the clauses agree about some output
// that is not accepted.
void SetDisputed(CaseReport* report);
// Returns "MESSAGE; disputed, and decides nothing: POINT".
std::string DisputedMessage(const std::string& message, const std::string& point);

// Judges a tensor of the output's type and shape. The verdict is kMalformed if CheckElements
// refuses the tensor. Otherwise it is kPass if at least one answer accepts the whole tensor, or if
// the rule is `unchecked`. In all other cases it is kFail. `answer` may be null. If not, `*answer`
// becomes the index of the accepting answer, or of the nearest answer if no answer accepts. For a
// malformed tensor `*answer` stays unchanged.
OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result,
                         size_t* answer = nullptr);

// One case with everything that is needed to explain its verdict.
struct CheckedCase {
  Case expected;
  CaseReport report;
  struct Output {
    std::optional<Tensor> result;
    // The index of the accepting answer, or of the nearest answer if no answer accepts.
    size_t answer = 0;
  };
  std::vector<Output> outputs;  // in the order of `report.outputs`
};
StatusOr<CheckedCase> CheckCase(const std::filesystem::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const std::filesystem::path& results);

// Checks a case that is already read, against results that need not be on disk. `read` returns the
// bytes of a file such as "add/case/result.json", or kNotFound if there is no such file. CheckCase
// returns kUnavailable if a file could not be read; then there is no verdict. Any other error means
// that an answer of `expected` cannot be used to judge results.
using ReadResultFile =
    std::function<StatusOr<std::string>(std::string_view name, uint64_t max_bytes)>;
StatusOr<CheckedCase> CheckCase(Case expected, const ReadResultFile& read);

// Reads a case of the suite and its result, and judges the result. Errors: a case that is broken or
// has changed since it was generated, and files that cannot be read.
StatusOr<CheckedCase> CheckCaseIn(const Folder& suite, const SuiteEntry& entry,
                                  std::string_view edition, const Folder& results);

// Returns the message for an answer other than the expected error. The message ends with
// CaseReport::meaning. The words before it must not change, because users search for them.
std::string WrongResult(const CaseReport& report);

}  // namespace cts
