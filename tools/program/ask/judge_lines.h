// `tensor-cts judge --lines`: one question per line, one answer per line.
#pragma once

#include <istream>
#include <ostream>
#include <string>

#include "reference/base/status.h"

namespace cts {

// Answers the questions line by line (schemas/judge_answer.schema.json). Skips blank lines, and
// flushes `out` after each answer. Returns whether all other lines were questions. Returns an error
// if `in` cannot be read or `out` cannot be written; `origin` is the name of `in` in the error.
StatusOr<bool> JudgeLines(std::istream& in, std::ostream& out, const std::string& edition,
                          const std::string& origin);

}  // namespace cts
