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

// A violation has this text in place of a condition's id if the call breaks conditions, but a wrong
// implementation (reference/machine/departure.h) detects none of them.
inline constexpr std::string_view kOverlooked = "overlooked";

// Appends the violations that the wrong implementation `departure` detects before it computes the
// call. If `departure` is null, appends all violations that can be detected before the computation.
void CheckCall(const Operator& op, const Call& call, const Departure* departure,
               std::vector<Violation>& violations);

// The outcome is kError if the call breaks an ERROR_IF or an argument table, or if a wrong
// implementation refuses a legal call. It is kUnpredictable if the call breaks a REQUIRE or a level
// limit, or if the specification does not define the outcome, even if the call also breaks an
// ERROR_IF. It is kValid if there is no violation.
Outcome OutcomeOf(const std::vector<Violation>& violations, const Edition& edition);
// The first violation that causes this outcome; null if there is no violation.
const Violation* DecidingViolation(const std::vector<Violation>& violations,
                                   const Edition& edition);

}  // namespace cts
