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

// The longest line of calls.
inline constexpr size_t kMaxCallBytes = size_t{1} << 28;

// outcome, conditions, violations, outputs, flushed, rules: an answer without its id.
Json EvaluationToJson(const Evaluation& evaluation, const Edition& edition);

// The answer to one line of calls. A malformed line is no error: the answer says what is wrong with
// it, and the run goes on.
struct CallAnswer {
  std::string line;  // JSON without the final newline
  bool malformed = false;
};
CallAnswer AnswerCall(std::string_view line, const CallDefaults& defaults = {},
                      const std::string& place = {});

// The answer to a line that is no call.
CallAnswer MalformedCall(const std::string& reason, const Json& id = nullptr);

// {"dtype", "shape", "data"}: floats in hexadecimal, integers as numbers, bool as true and false.
// `dtype` is the tensor's own, except for reference values, which are fp64 and stand for another
// type.
Json TensorToJson(const Tensor& tensor, DType dtype);

}  // namespace cts
