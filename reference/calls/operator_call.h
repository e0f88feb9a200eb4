// Operator calls as JSON (schemas/call.schema.json). `tensor-cts eval` reads these.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// One operator with all its arguments, as a graph. Tensors are named after their arguments. A
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

// The values for the members that a call leaves out.
struct CallDefaults {
  std::string edition{kDefaultEdition};
  std::string level;  // empty: the edition's narrowest
};

// The value that a call gives for an argument: a tensor, the tensors of a list, or a plain value in
// its JSON form (a number, a name of an enumeration, a list of these).
using CallArgument = std::variant<Json, Tensor, std::vector<Tensor>>;

// The known parts of an output. A part that follows from the inputs may be left out.
struct CallOutput {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

// A call whose tensors are in memory already.
struct CallParts {
  std::string op;
  std::map<std::string, CallArgument> arguments;
  std::map<std::string, CallOutput> outputs;
  std::optional<std::string> edition, level;
  std::optional<int> data_set;
};

// Takes the tensors as they are: no element becomes text. An element that is no value of its type
// (a bool of 2, an i4 of 8) is an error. Everything that OperatorCallFromJson refuses is an error,
// too, in the same words.
StatusOr<OperatorCall> MakeCall(CallParts parts, const CallDefaults& defaults = {});

// Errors name the place within the call as a JSON pointer, what was found and what was expected.
StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults = {});

// Evaluates the call's graph. CONST_SHAPE yields its value here, although a graph of 1.0 yields no
// shapes.
StatusOr<Evaluation> EvaluateCall(const OperatorCall& call);

}  // namespace cts
