// Questions as words on a line, for pipes: "EXP fp32 3dcccccd". A line may end with an
// implementation's answer: "EXP fp32 3dcccccd 3f8d763f".
#pragma once

#include <cstdint>
#include <istream>
#include <ostream>
#include <string>
#include <string_view>

#include "reference/base/json.h"
#include "reference/base/status.h"

namespace cts {

// Adds "NAME=VALUE" to a question's attributes. A VALUE that is valid JSON, such as a number, a
// list or true, is read as JSON; any other VALUE is a name.
Status AddAttribute(std::string_view word, Json* question);

struct AskOptions {
  std::string edition, op, type, in_type;  // in_type may be empty
  Json attributes;                         // an object
  int64_t count = 0;
  uint64_t seed = 0;
};

// Writes `count` questions, one per line: operator, type, edition=EDITION unless it is the default,
// in_type=TYPE if it is given, NAME=VALUE for each given attribute, and the operands as bit
// patterns. The reference can answer each question. The same options give the same questions.
Status Ask(const AskOptions& options, std::ostream& out);

struct JudgedLines {
  int64_t accepted = 0, rejected = 0, disputed = 0, no_question = 0;
};
// Reads questions as words, each with an implementation's answer at the end of its line. Writes
// each line whose answer is not accepted, with "reject" or "disputed" before the line and the
// expected values after it. With `all`, also writes the accepted lines, each after "accept". For a
// line that is not a question, writes "error", the number of the line and the reason. Returns an
// error if `in` cannot be read or `out` cannot be written; `origin` is the name of `in` in the
// error.
StatusOr<JudgedLines> JudgeWords(std::istream& in, std::ostream& out, const std::string& edition,
                                 const std::string& origin, bool all);

}  // namespace cts
