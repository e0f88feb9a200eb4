// Explains why a case has its verdict, in words for the person who has to correct the
// implementation.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/clusters.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// The parts that one element of an output was made of. All members are empty if they are unknown.
struct ElementOrigin {
  std::vector<std::string> inputs;  // "input[0,3] = 1.5", in the order read
  // The terms of a dot product, "input[0,3] 1.5 * weight[2,3] 0.25", in the order added.
  std::vector<std::string> terms;
  int64_t divisor = 1;  // the divisor of the sum of the terms
};
// Says what the element at an offset of an output was made of.
using OriginFinder =
    std::function<ElementOrigin(const Case& c, const ExpectedOutput& output, int64_t offset)>;

// The sets of an output's elements that the operator which makes them has.
using SetFinder = std::function<std::vector<NamedSet>(const Case& c, const ExpectedOutput& output)>;

// "[1,2]", "true", "-3", "PROPAGATE".
std::string AttributeText(const AttributeValue& value);

// The worth of a pass: ", not refuted: 96 % of elements judged (...)". Empty if all elements are
// judged, or if the case does not pass.
std::string PassWords(const CaseReport& report);

// A function that adds further knowledge of a case. It may change the report of the case, and
// returns text that follows the outputs.
using MoreEvidence = std::function<StatusOr<std::string>(CheckedCase* checked)>;

// A case and everything that is known of its result.
struct CaseToExplain {
  std::filesystem::path suite_path, results_path;
  Suite suite;
  RunInfo run;
  CheckedCase checked;
  std::string meaning;   // how it breaks its condition, if known
  std::string evidence;  // of MoreEvidence
};

// `declared` is a declaration beside the implementation's own. The functions may be empty. Errors:
// as CheckSuite; an unknown case, with the nearest ids.
StatusOr<CaseToExplain> ReadToExplain(const std::filesystem::path& suite,
                                      const std::filesystem::path& results,
                                      std::string_view case_id, const Meaning& meaning = nullptr,
                                      const MoreEvidence& more = nullptr,
                                      const std::optional<DeclaredBy>& declared = std::nullopt);

// "abs/a: fail, ...": the whole text. `full` asks for all terms of a sum and all inputs, however
// many.
std::string ExplainText(const CaseToExplain& of, const OriginFinder& find_origin, bool full = false,
                        const SetFinder& find_sets = nullptr);
// Both.
StatusOr<std::string> Explain(const std::filesystem::path& suite,
                              const std::filesystem::path& results, std::string_view case_id,
                              const OriginFinder& find_origin, const Meaning& meaning = nullptr,
                              bool full = false, const MoreEvidence& more = nullptr,
                              const std::optional<DeclaredBy>& declared = std::nullopt);
// The part of that text about one output.
std::string ExplainOutput(const CheckedCase& checked, size_t output,
                          const OriginFinder& find_origin, bool full,
                          const SetFinder& find_sets = nullptr);

// A NumPy script that shows the case and its result and compares them once more by the rule. It
// needs nothing but NumPy and the files of the case.
StatusOr<std::string> ExplainInPython(const std::filesystem::path& suite,
                                      const std::filesystem::path& results,
                                      std::string_view case_id);

}  // namespace cts
