// Finds the violations of a call before the call is computed, and the outcome that follows from the
// violations.
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

// The outcome is kValid if there is no violation. It is kError if every violation is a broken
// ERROR_IF, or the refusal of a legal call by a wrong implementation. It is kUnpredictable if any
// violation is a broken REQUIRE or level limit, or kOverlooked. Conditions of the argument tables
// count by their kind: most are ERROR_IFs.
Outcome OutcomeOf(const std::vector<Violation>& violations, const Edition& edition);
// The first violation that causes the outcome of OutcomeOf; null if there is no violation.
const Violation* DecidingViolation(const std::vector<Violation>& violations,
                                   const Edition& edition);

}  // namespace cts
