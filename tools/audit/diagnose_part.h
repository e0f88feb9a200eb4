// The part of an operator's cases that a fault is of: kernels are written for a type, a mode or
// constants, and so are their faults.
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

// A case that a fault was tried on.
struct TriedCase {
  std::string id;
  std::vector<std::string> features;
  bool failing = false;
  std::optional<uint64_t> elements;  // of a failing case that it reproduces: the wrong ones
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

// The part of the best score, the largest of equal ones. Nothing if the fault fits nowhere: the
// whole operator counts if more cases support it than contradict it and some passing case does not
// contradict it, a smaller part if nothing contradicts it there and it explains two cases and half
// of those that fail. A part without wrong elements, of wrong outcomes
// alone, has one feature and passing cases: where everything is refused, any refusal explains it.
std::optional<PartCounts> BestPart(const std::vector<TriedCase>& tried);

}  // namespace cts
