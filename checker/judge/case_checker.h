// One case of a suite, for a test that computes the outputs itself (tensor_cts.h is the same
// interface in C).
#pragma once

#include <filesystem>
#include <string_view>

#include "checker/judge/check.h"

namespace cts {

class CaseChecker {
 public:
  // Reads the case and compares its files with the digest in suite.json. Errors: a file that cannot
  // be read, a case that is broken or has changed, and an unknown id. The error for an unknown id
  // lists the nearest ids.
  static StatusOr<CaseChecker> Open(const std::filesystem::path& directory, const Suite& suite,
                                    std::string_view id);

  // The graph, its inputs, the expected outcome, and the expected outputs. ResultName
  // (reference/answer/answer.h) returns the name of an output for Check.
  const Case& expected() const { return case_; }

  // Judges one output. The verdict is kPass or kFail, or kMalformed if an element is not a value of
  // its type (such as a bool of 2). If the edition's clauses disagree about the output, the verdict
  // is kDisputed in place of kFail, because a disagreement of clauses must not make a test fail.
  // Errors: an unknown output, or a tensor whose type or shape differs from the output's.
  StatusOr<OutputReport> Check(std::string_view output, const Tensor& result) const;

 private:
  explicit CaseChecker(Case c) : case_(std::move(c)) {}

  Case case_;
};

}  // namespace cts
