// A question of `judge` as a call of its operator, and the answer that the reference has for it.
#pragma once

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/ask/judge_question.h"

namespace cts::judging {

// What an implementation's one result is compared with. The operands come from the question's `in`,
// what it leaves out has a default. Errors name the place in the question.
StatusOr<ExpectedOutput> Expect(Question question);

}  // namespace cts::judging
