// The reference's answers to operator calls as JSON (schemas/answer.schema.json).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "reference/base/json.h"
#include "reference/base/tensor.h"
#include "reference/calls/operator_call.h"
#include "reference/evaluate/evaluate.h"
#include "reference/spec/edition.h"

namespace cts {

// The greatest accepted length of a line with a call, in bytes.
inline constexpr size_t kMaxCallBytes = size_t{1} << 28;

// Returns an answer without its id: outcome, conditions, violations, outputs, flushed, rules, and
// the message if there is one.
Json EvaluationToJson(const Evaluation& evaluation, const Edition& edition);

// The answer to one line, which should hold a call. A malformed line is not a fatal error: its
// answer says what is wrong with it, and the run continues.
struct CallAnswer {
  std::string line;  // JSON without the final newline
  bool malformed = false;
};
// `place` comes before the reason in the answer to a malformed line.
CallAnswer AnswerCall(std::string_view line, const CallDefaults& defaults = {},
                      const std::string& place = {});

// The answer to a line that is not a call.
CallAnswer MalformedCall(const std::string& reason, const Json& id = nullptr);

// Returns {"dtype", "shape", "data"}, with floats in hexadecimal, integers as numbers, and bool as
// true and false. `dtype` is the tensor's type, except for reference values: these are stored as
// fp64, and `dtype` is the output's type.
Json TensorToJson(const Tensor& tensor, DType dtype);

}  // namespace cts
