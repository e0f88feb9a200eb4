// Finds the violations of a call before it is computed, and the outcome that follows from them.
#pragma once

#include <string_view>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/graph/call.h"
#include "reference/machine/departure.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// A violation has this text in place of a condition's id if the call breaks conditions, and the
// implementation with the departure detects no broken condition.
inline constexpr std::string_view kOverlooked = "overlooked";

// Appends the violations that an implementation with this departure detects before it computes the
// call. If `departure` is null, appends all violations that can be detected before the computation.
void CheckCall(const Operator& op, const Call& call, const Departure* departure,
               std::vector<Violation>& violations);

// The outcome is kError if an ERROR_IF or an argument table is broken. It is kUnpredictable if a
// REQUIRE or a level limit is broken, or if the specification does not define the outcome, even if
// an ERROR_IF is broken as well.
Outcome OutcomeOf(const std::vector<Violation>& violations, const Edition& edition);
// The first violation that causes the outcome of OutcomeOf; null if there is no violation.
const Violation* DecidingViolation(const std::vector<Violation>& violations,
                                   const Edition& edition);

}  // namespace cts
