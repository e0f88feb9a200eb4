// Turns a question of `judge` into a call of its operator, and asks the reference for the answer.
#pragma once

#include <string>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "tools/program/ask/judge_question.h"

namespace cts::judging {

// Returns the expected output for the question. An implementation's result is compared with this
// output. The operands come from the question's `in`; operands that `in` leaves out have defaults.
// Errors name the place in the question. `disputed`, if not null, gets the point on which the
// edition's clauses disagree.
StatusOr<ExpectedOutput> Expect(Question question, std::string* disputed = nullptr);

// Returns the types of the values for a question's `in`: one value for each operand; for a
// reduction, four elements; for CLAMP, the operand and its two limits. Values that `in` already has
// are ignored. Errors: an operator without operands, and RESIZE.
StatusOr<std::vector<DType>> OperandTypes(const Question& question);

}  // namespace cts::judging
