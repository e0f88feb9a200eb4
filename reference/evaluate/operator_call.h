// Operator calls as JSON (schemas/call.schema.json), and what the reference says to them
// (schemas/answer.schema.json): how `tensor-cts eval` talks.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// One operator with everything it is given, as a graph. Tensors are named after their arguments,
// those of a list with their position behind it: "input1_0".
struct OperatorCall {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  int data_set = -1;  // S of the dot-product rule
  Graph graph;
  std::map<std::string, Tensor> inputs;
  // Not OK if a tensor has too many elements to be given values. What the argument tables refuse
  // is refused without; anything else fails with this.
  Status withheld;
  // Not OK if the shape of an output was left out and does not follow from the inputs, with the
  // reason. The graph holds a guess; what is wrong with the call whatever the shape is a finding.
  Status undetermined;
};

// What a call means that does not say it.
struct CallDefaults {
  std::string edition{kDefaultEdition};
  std::string level = "8K";
};

// A call has no more elements than this in all its tensors, and no longer line than that.
inline constexpr int64_t kMaxCallElements = int64_t{1} << 24;
inline constexpr size_t kMaxCallBytes = size_t{1} << 28;

// Errors name the place within the call as a JSON pointer, what was found and what was expected.
StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults = {});

// Evaluate, and for CONST_SHAPE its value, though a graph of 1.0 yields no shapes.
StatusOr<Evaluation> EvaluateCall(const OperatorCall& call);

// outcome, conditions, violations, outputs, flushed, rules: an answer but for its id.
Json EvaluationToJson(const Evaluation& evaluation, const Edition& edition);

// The answer to one line of calls. An answer whose "malformed" says what is wrong with the line is
// no error: the run goes on.
struct CallAnswer {
  std::string line;  // JSON without the final newline
  bool malformed = false;
};
CallAnswer AnswerCall(std::string_view line, const CallDefaults& defaults = {},
                      const std::string& place = {});

// The answer to a line that is no call.
CallAnswer MalformedCall(const std::string& reason, const Json& id = nullptr);

// {"dtype", "shape", "data"}: floats in hexadecimal, integers as numbers, bool as true and false.
// `dtype` is the tensor's own but for reference values, which are fp64 and stand for another type.
Json TensorToJson(const Tensor& tensor, DType dtype);

}  // namespace cts
