// Operator calls as JSON (schemas/call.schema.json), and the reference's answers to them
// (schemas/answer.schema.json). `tensor-cts eval` reads and writes these.
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

// One operator with everything it is given, as a graph. Tensors are named after their arguments. A
// tensor of a list has its position behind the name: "input1_0".
struct OperatorCall {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  int data_set = -1;  // S of the dot-product rule
  Graph graph;
  std::map<std::string, Tensor> inputs;
  // Not OK if a tensor has too many elements to be given values. The argument tables can refuse the
  // call without values; any other call fails with this status.
  Status withheld;
  // Not OK if the shape of an output was left out and does not follow from the inputs, with the
  // reason. The graph holds a guess. A fault of the call that does not depend on that shape is a
  // finding.
  Status undetermined;
};

// The values that a call takes for what it leaves out.
struct CallDefaults {
  std::string edition{kDefaultEdition};
  std::string level = "8K";
};

// The most elements that a call has in all its tensors, and its longest line.
inline constexpr int64_t kMaxCallElements = int64_t{1} << 24;
inline constexpr size_t kMaxCallBytes = size_t{1} << 28;

// Errors name the place within the call as a JSON pointer, what was found and what was expected.
StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults = {});

// Evaluates the call's graph. CONST_SHAPE yields its value here, although a graph of 1.0 yields no
// shapes.
StatusOr<Evaluation> EvaluateCall(const OperatorCall& call);

// outcome, conditions, violations, outputs, flushed, rules: an answer but for its id.
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
