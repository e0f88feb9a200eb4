// Names the accumulator of a failing implementation: the model
// (reference/faults/accumulator_model.h) that gives the same sums.
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
  std::string name;  // the model's name in the type row of the first failing case that was tried
  // `of_failing` and `of_passing` count the failing and the passing cases of the dot-product rule
  // that were tried. `same` and `same_passing` count the failing and the passing cases in which the
  // model gives all elements of the implementation's results, bit for bit.
  uint64_t same = 0, of_failing = 0, same_passing = 0, of_passing = 0;
  // Other models that give the implementation's results in the same number of cases, so that the
  // cases cannot tell these models apart.
  std::vector<std::string> alike;
  // Every model is first tried on at most two failing cases. This factor is set if no model gives
  // the implementation's results in all of these cases. Then `model` is the nearest model. In each
  // of these cases, the model's sum of squared errors and the implementation's sum of squared
  // errors differ by at most this factor.
  std::optional<double> factor;
};

struct AccumulatorOptions {
  int jobs = 0;  // 0: one per core; the diagnosis does not depend on it
  const std::atomic<bool>* stop = nullptr;
};

// Diagnoses the cases of one operator. nullopt if no failing case has the dot-product rule, or if
// no model comes near. Errors are those of CheckCase.
StatusOr<std::optional<AccumulatorDiagnosis>> DiagnoseAccumulator(
    const Report& report, const std::vector<const CaseReport*>& failing,
    const std::vector<const CaseReport*>& passing, const AccumulatorOptions& options);

// "sums keep 22 fraction bits (fp32 sums, 4 terms aligned, ...): bit for bit in 12 of 12 failing
// cases and 4 of 4 passing ones".
std::string AccumulatorText(const AccumulatorDiagnosis& diagnosis);
Json AccumulatorToJson(const AccumulatorDiagnosis& diagnosis);

}  // namespace cts
