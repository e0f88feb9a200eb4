// A question of `judge` as a call of its operator, and the reference's answer.
#pragma once

#include <string>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/ask/judge_question.h"

namespace cts::judging {

// Returns the answer that an implementation's one result is compared with. The operands come from
// the question's `in`; operands that it leaves out have defaults. Errors name the place in the
// question. `disputed`, if not null, gets the point on which the edition's clauses disagree.
StatusOr<ExpectedOutput> Expect(Question question, std::string* disputed = nullptr);

// The types of the values that `in` must have, whatever its present contents: one for each operand;
// four elements for reductions.
StatusOr<std::vector<DType>> OperandTypes(const Question& question);

}  // namespace cts::judging
