// Writes the reference's answers to operator calls as JSON (schemas/answer.schema.json).
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

// The answer to one line of text, which should be a call. If the line is not a call that can be
// evaluated, `malformed` is true, and the answer says why. The program then continues with the next
// line.
struct CallAnswer {
  std::string line;  // JSON without the final newline
  bool malformed = false;
};
// In the answer to a malformed line, `place` is written before the reason.
CallAnswer AnswerCall(std::string_view line, const CallDefaults& defaults = {},
                      const std::string& place = {});

// Returns the answer to a malformed line. `id` is the id of the call, or null if it is unknown.
CallAnswer MalformedCall(const std::string& reason, const Json& id = nullptr);

// Returns {"dtype", "shape", "data"}, with floats in hexadecimal, integers as numbers, and bool as
// true and false. `dtype` is usually the tensor's type. Floating-point reference values are stored
// as fp64, but `dtype` is the type of the output.
Json TensorToJson(const Tensor& tensor, DType dtype);

}  // namespace cts
