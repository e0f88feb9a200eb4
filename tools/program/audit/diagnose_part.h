// The part of an operator's cases to which a fault belongs: kernels are written for a type, a mode
// or constants, and their faults belong to these. Where no fault fits, what wrong elements have in
// common.
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
  std::optional<uint64_t> elements;  // of a failing case that it reproduces: the wrong elements
  bool contradicts = false;          // of a passing case: it would have failed
};

struct PartCounts {
  std::vector<std::string> part;  // features that all its cases have; empty: the whole operator
  // Failing cases that the fault reproduces, failing cases, wrong elements of the former; passing
  // cases that it would fail, passing cases.
  uint64_t cases = 0, of_cases = 0, elements = 0, contradicted = 0, of_passing = 0;

  int64_t Score() const { return static_cast<int64_t>(cases) - static_cast<int64_t>(contradicted); }
};

// Whether a case is of a part.
bool IsOf(const std::vector<std::string>& part, const TriedCase& tried);
PartCounts CountPart(const std::vector<std::string>& part, const std::vector<TriedCase>& tried);

// The part with the best score, the largest one if scores are equal. nullopt if the fault fits
// nowhere. The whole operator fits if more cases support the fault than contradict it, and some
// passing case does not contradict it. A smaller part fits if nothing contradicts the fault there,
// and it explains two cases and half of the failing ones. A part with only wrong outcomes must have
// one feature and passing cases: where everything is refused, any refusal would explain it.
std::optional<PartCounts> BestPart(const std::vector<TriedCase>& tried);

// What all wrong elements of an output have in common ("zero is answered", "every one is one
// more"), and where most of them lie ("windows that meet the padding"; checker/report/clusters.h).
// `wrong` are flat offsets, ascending.
std::vector<std::string> InCommon(const Case& c, const ExpectedOutput& output, const Answer& answer,
                                  const Tensor& result, const std::vector<int64_t>& wrong);

// What a case says, in the words above.
struct CaseRemarks {
  std::string id;
  std::vector<std::string> words;
};
// The three most frequent words of at least half of the cases, whatever the figures in them are:
// "5 of 7: zero is answered (ID)". Where figures differ, they are the first case's: "such as ...".
std::vector<std::string> MostFrequent(const std::vector<CaseRemarks>& cases);

}  // namespace cts
