// Finds all faults of a call before it is computed, and the outcome that follows from them.
#pragma once

#include <string_view>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/graph/call.h"
#include "reference/machine/departure.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// The effect of a departure: a broken condition was missed. It is no condition itself.
inline constexpr std::string_view kOverlooked = "overlooked";

// All faults of a call that an implementation sees before it computes the call. If `departure` is
// null, all faults.
void CheckCall(const Operator& op, const Call& call, const Departure* departure,
               std::vector<Violation>& violations);

// A broken error_if or argument table makes an error. A broken require or level, or a case that the
// text leaves open, makes the result unpredictable, even if an error_if is broken, too.
Outcome OutcomeOf(const std::vector<Violation>& violations, const Edition& edition);
// The first of the violations that make that outcome; null if there is no violation.
const Violation* DecidingViolation(const std::vector<Violation>& violations,
                                   const Edition& edition);

}  // namespace cts
