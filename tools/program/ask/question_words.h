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

// Adds "NAME=VALUE" to a question's attributes. Numbers, lists, true and false are as in JSON;
// anything else is a name.
Status AddAttribute(std::string_view word, Json* question);

struct AskOptions {
  std::string edition, op, type, in_type;  // in_type may be empty
  Json attributes;                         // an object
  int64_t count = 0;
  uint64_t seed = 0;
};

// Writes `count` questions, one per line: operator, type, NAME=VALUE for each given attribute (also
// for `in_type` if it is given, and for an edition other than the default), and the operands as bit
// patterns. The reference can answer each of them. The same options give the same questions.
Status Ask(const AskOptions& options, std::ostream& out);

struct JudgedLines {
  int64_t accepted = 0, rejected = 0, disputed = 0, no_question = 0;
};
// Reads such questions, each with an answer at the end of its line. Writes the lines whose answers
// are not accepted, each after the word "reject" or "disputed" and before the expected values. With
// `all`, also writes the accepted lines, each after "accept". For a line that is not a question,
// writes "error", its number and the reason. An error if `in` cannot be read or `out` written;
// `origin` is the name of `in` in the error.
StatusOr<JudgedLines> JudgeWords(std::istream& in, std::ostream& out, const std::string& edition,
                                 const std::string& origin, bool all);

}  // namespace cts
