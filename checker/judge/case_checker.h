// One case of a suite, for a test that computes the outputs itself (tensor_cts.h says the same in
// C).
#pragma once

#include <filesystem>
#include <string_view>

#include "checker/judge/check.h"

namespace cts {

class CaseChecker {
 public:
  // Reads the case and compares its files with the digest in suite.json. Errors: as CheckSuite; an
  // unknown case, with the nearest ids.
  static StatusOr<CaseChecker> Open(const std::filesystem::path& directory, const Suite& suite,
                                    std::string_view id);

  // The graph, its inputs, the outcome that is due, and the outputs, which ResultName names.
  const Case& expected() const { return case_; }

  // Judges one output. The verdict is kPass, kFail or, for a tensor with an element that is no
  // value of its type (a bool of 2), kMalformed. It is kDisputed in place of kFail where the
  // edition's clauses disagree about the output: a test must not fail because of it. Errors: an
  // unknown output, or a tensor whose type or shape differs from the output's.
  StatusOr<OutputReport> Check(std::string_view output, const Tensor& result) const;

 private:
  explicit CaseChecker(Case c) : case_(std::move(c)) {}

  Case case_;
};

}  // namespace cts
