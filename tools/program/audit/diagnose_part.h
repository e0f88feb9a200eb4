// Finds the part of an operator's cases that a fault affects, since an implementation may have a
// kernel for one type, one mode or constant operands only. If no fault fits, finds what the wrong
// elements have in common.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "reference/bundle/case.h"

namespace cts {

// Lists the features by which an implementation may choose the kernel of a case: "mode signed 8",
// "rounding_mode SINGLE_ROUND", "constant operands". In alphabetical order.
std::vector<std::string> FeaturesOf(const Case& c);

// A case on which a fault was tried.
struct TriedCase {
  std::string id;
  std::vector<std::string> features;
  bool failing = false;
  // If the fault reproduces a failing case: the number of the case's wrong elements, or 0 for a
  // wrong outcome or shape. nullopt for all other cases.
  std::optional<uint64_t> elements;
  bool contradicts = false;  // a passing case that the fault would have made fail
};

struct PartCounts {
  // The features that all cases of the part have; empty: the whole operator.
  std::vector<std::string> part;
  // `of_cases` counts the failing cases of the part. `cases` counts the failing cases that the
  // fault reproduces, and `elements` the wrong elements of these cases. `of_passing` counts the
  // passing cases of the part, and `contradicted` the passing cases that the fault would make fail.
  uint64_t cases = 0, of_cases = 0, elements = 0, contradicted = 0, of_passing = 0;

  int64_t Score() const { return static_cast<int64_t>(cases) - static_cast<int64_t>(contradicted); }
};

// Whether a case belongs to a part.
bool IsOf(const std::vector<std::string>& part, const TriedCase& tried);
PartCounts CountPart(const std::vector<std::string>& part, const std::vector<TriedCase>& tried);

// Returns the part with the best score; among parts with equal scores, the part with the fewest
// features. nullopt if the fault fits no part. The whole operator fits if more cases support the
// fault than contradict it, unless there are passing cases and all of them contradict it. A smaller
// part fits if no case in it contradicts the fault, and the fault explains at least two of the
// part's failing cases, and at least half of them. A part whose failing cases all have a wrong
// outcome must have exactly one feature and must contain passing cases. Without this last rule, if
// an implementation refuses all cases, every fault that refuses cases would explain the refusals.
std::optional<PartCounts> BestPart(const std::vector<TriedCase>& tried);

// Returns what all wrong elements of an output have in common ("zero is answered", "every one is
// one more"), and the set that contains most of these elements ("windows that meet the padding";
// checker/report/clusters.h). `wrong` holds the flat offsets of the wrong elements in ascending
// order.
std::vector<std::string> InCommon(const Case& c, const ExpectedOutput& output, const Answer& answer,
                                  const Tensor& result, const std::vector<int64_t>& wrong);

// The texts that InCommon returned for a case.
struct CaseRemarks {
  std::string id;
  std::vector<std::string> words;
};
// Returns the three most frequent texts among the texts that at least half of the cases have: "5 of
// 7: zero is answered (ID)". Texts that differ only in their numbers count as the same text. For
// such texts, the result has the text of the first case, after "such as".
std::vector<std::string> MostFrequent(const std::vector<CaseRemarks>& cases);

}  // namespace cts
