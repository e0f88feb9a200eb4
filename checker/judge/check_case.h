// Verdicts: one case.
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

// Checks that results can be judged by every answer of a case. An error is the suite's fault, never
// the implementation's.
Status ValidateAnswers(const Case& c);

// Where the edition's clauses disagree about a case, an unexpected answer is disputed: neither
// right nor wrong. The message says the verdict that it had, and both clauses. The case stays wrong
// if the point does not affect a wrong output.
void SetDisputed(CaseReport* report);
// "MESSAGE; disputed, and decides nothing: POINT"
std::string DisputedMessage(const std::string& message, const std::string& point);

// Judges a tensor of the output's type and shape. The verdict is kMalformed if CheckElements
// refuses the tensor. One of the answers must accept it as a whole. If `answer` is not null, it
// becomes the accepted answer; if there is none, the nearest one.
OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result,
                         size_t* answer = nullptr);

// One case with everything that is needed to explain it.
struct CheckedCase {
  Case expected;
  CaseReport report;
  struct Output {
    std::optional<Tensor> result;
    size_t answer = 0;  // the accepted one; if there is none, the nearest
  };
  std::vector<Output> outputs;  // in step with report.outputs
};
StatusOr<CheckedCase> CheckCase(const std::filesystem::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const std::filesystem::path& results);

// The same for a case that is read already and for results that need not lie on a disk: `read`
// returns the bytes of a file such as "add/case/result.json", or kNotFound where there is none. An
// error means that results cannot be judged by an answer of `expected`. kUnavailable means that a
// file could not be read, which is no verdict.
using ReadResultFile =
    std::function<StatusOr<std::string>(std::string_view name, uint64_t max_bytes)>;
StatusOr<CheckedCase> CheckCase(Case expected, const ReadResultFile& read);

// A case of the suite with its result. Errors: a suite that is not as it was generated, and files
// that cannot be read.
StatusOr<CheckedCase> CheckCaseIn(const Folder& suite, const SuiteEntry& entry,
                                  std::string_view edition, const Folder& results);

// Why a result is wrong where an error is due. The text before the meaning must stay as it is:
// users match it.
std::string WrongResult(const CaseReport& report);

}  // namespace cts
