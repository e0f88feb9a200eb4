// `tensor-cts judge --lines`: one question a line, one answer a line.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "reference/base/status.h"

namespace cts {

// Answers line after line (schemas/judge_answer.schema.json); blank lines are skipped, each answer
// is flushed. Returns whether all lines were questions. An error if `in` cannot be read or `out`
// written; the error calls `in` by `origin`.
StatusOr<bool> JudgeLines(std::istream& in, std::ostream& out, const std::string& edition,
                          const std::string& origin);

}  // namespace cts
