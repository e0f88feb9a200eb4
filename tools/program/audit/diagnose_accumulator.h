// Names the accumulator of a failing implementation: the model
// (reference/faults/accumulator_model.h) that makes its sums.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "reference/base/json_fwd.h"
#include "reference/faults/accumulator_model.h"

namespace cts {

struct AccumulatorDiagnosis {
  const AccumulatorModel* model = nullptr;
  std::string name;  // in the type row of the first case
  // Failing and passing cases of the dot-product rule that were tried, and those in which the model
  // gives every element of the implementation's results, bit for bit.
  uint64_t same = 0, of_failing = 0, same_passing = 0, of_passing = 0;
  // Other models that give the same results in the same number of cases: the cases do not tell them
  // apart.
  std::vector<std::string> alike;
  // If no model gives the same in all failing cases, this is the nearest by limits: its sums of
  // squared errors are that of the implementation times or divided by at most this factor.
  std::optional<double> factor;
};

struct AccumulatorOptions {
  int jobs = 0;  // 0: one per core; the diagnosis does not depend on it
  const std::atomic<bool>* stop = nullptr;
};

// For the cases of one operator. nullopt if no failing case is of the dot-product rule, or if no
// model comes near. Errors: as CheckCase.
StatusOr<std::optional<AccumulatorDiagnosis>> DiagnoseAccumulator(
    const Report& report, const std::vector<const CaseReport*>& failing,
    const std::vector<const CaseReport*>& passing, const AccumulatorOptions& options);

// "sums keep 22 fraction bits (fp32 sums, 4 terms aligned, ...): bit for bit in 12 of 12 failing
// cases and 4 of 4 passing ones".
std::string AccumulatorText(const AccumulatorDiagnosis& diagnosis);
Json AccumulatorToJson(const AccumulatorDiagnosis& diagnosis);

}  // namespace cts
