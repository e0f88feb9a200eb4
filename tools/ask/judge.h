// `tensor-cts judge`: whether a result is acceptable for one element, and which results would be.
#pragma once

#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// Values of a type from `lo` to `hi`, as bit patterns.
struct ValueRange {
  uint64_t lo = 0, hi = 0;
};

// All values that an output of one element accepts.
struct AcceptedValues {
  bool anything = false;            // NaN, too
  bool nan = false;                 // any NaN
  bool zero_sign = false;           // one of the zeros, and not the other
  std::optional<ValueRange> range;  // around the reference; nothing if only NaN or all is accepted
  std::vector<ValueRange> also;     // apart from it: zero where subnormals may be flushed
};

// The values that one of the answers accepts. They are found by search over the ordered values of
// the type, with the functions of the checker. An end is +0 where both zeros are accepted.
AcceptedValues FindAccepted(const ExpectedOutput& output);

// A question about one element with its answer.
struct Judgement {
  ExpectedOutput output;        // of one element
  std::vector<Tensor> results;  // likewise
  std::vector<bool> accepted;   // in step with them
  AcceptedValues values;
};

// How to read bare text such as "10": as the digits of a bit pattern, or as a decimal number.
enum class Digits { kPattern, kNumber };

// A question as schemas/judge_line.schema.json has it. Errors name the place in it.
StatusOr<Judgement> Judge(const Json& question, Digits digits);

// For people: the first of the results.
std::string FormatJudgement(const Json& question, const Judgement& judgement);

// Answers line after line (schemas/judge_answer.schema.json); blank lines are skipped, each answer
// is flushed. Returns whether all lines were questions. An error if `in` cannot be read or `out`
// written; the error calls `in` by `origin`.
StatusOr<bool> JudgeLines(std::istream& in, std::ostream& out, const std::string& edition,
                          const std::string& origin);

}  // namespace cts
