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

// The values from which one element of an output was computed. The lists are empty if the values
// are unknown.
struct ElementOrigin {
  std::vector<std::string> inputs;  // "input[0,3] = 1.5", in the order in which they are read
  // The terms of a dot product, "input[0,3] 1.5 * weight[2,3] 0.25", in the order in which they are
  // added.
  std::vector<std::string> terms;
  int64_t divisor = 1;  // the divisor of the sum of the terms
};
// Returns the values from which the element at an offset of an output was computed.
using OriginFinder =
    std::function<ElementOrigin(const Case& c, const ExpectedOutput& output, int64_t offset)>;

// Returns named sets of an output's elements. The operator that computed the output determines
// which sets there are.
using SetFinder = std::function<std::vector<NamedSet>(const Case& c, const ExpectedOutput& output)>;

// Returns the value as text: "[1,2]", "true", "-3", "PROPAGATE".
std::string AttributeText(const AttributeValue& value);

// Says how much a pass means: ", not refuted: 96 % of elements judged (...)". Returns an empty text
// if the case does not pass, or if every element is judged without an enclosure.
std::string PassWords(const CaseReport& report);

// Adds further evidence about a case. It may change the report of the case, and returns text to
// print after the outputs.
using MoreEvidence = std::function<StatusOr<std::string>(CheckedCase* checked)>;

// A case and everything that is known about its result.
struct CaseToExplain {
  std::filesystem::path suite_path, results_path;
  Suite suite;
  RunInfo run;
  CheckedCase checked;
  std::string meaning;   // how the case breaks its condition, if known
  std::string evidence;  // the text that MoreEvidence returned
};

// `declared` is a declaration in addition to the implementation's own. `meaning` and `more` may be
// empty. Errors are those of CheckSuite. An unknown id is an error, too; the message lists the
// nearest ids.
StatusOr<CaseToExplain> ReadToExplain(const std::filesystem::path& suite,
                                      const std::filesystem::path& results,
                                      std::string_view case_id, const Meaning& meaning = nullptr,
                                      const MoreEvidence& more = nullptr,
                                      const std::optional<DeclaredBy>& declared = std::nullopt);

// Returns the whole text, "abs/a: fail, ...". If `full` is true, the text has all terms of a sum
// and all inputs, even if there are many.
std::string ExplainText(const CaseToExplain& of, const OriginFinder& find_origin, bool full = false,
                        const SetFinder& find_sets = nullptr);
// Calls ReadToExplain, then ExplainText.
StatusOr<std::string> Explain(const std::filesystem::path& suite,
                              const std::filesystem::path& results, std::string_view case_id,
                              const OriginFinder& find_origin, const Meaning& meaning = nullptr,
                              bool full = false, const MoreEvidence& more = nullptr,
                              const std::optional<DeclaredBy>& declared = std::nullopt);
// The part of the text of ExplainText that is about one output.
std::string ExplainOutput(const CheckedCase& checked, size_t output,
                          const OriginFinder& find_origin, bool full,
                          const SetFinder& find_sets = nullptr);

// Returns a NumPy script that shows the case and its result, and judges the result again by the
// rule. The script needs only NumPy and the files of the case.
StatusOr<std::string> ExplainInPython(const std::filesystem::path& suite,
                                      const std::filesystem::path& results,
                                      std::string_view case_id);

}  // namespace cts
