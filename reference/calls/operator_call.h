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

// One operator with all its arguments, as a graph. Tensors are named after their arguments. The
// name of a tensor of a list ends with its position: "input1_0".
struct OperatorCall {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  int data_set = -1;  // S of the dot-product rule
  Graph graph;
  std::map<std::string, Tensor> inputs;
  // Not OK if a tensor got no values because it has too many elements. The argument tables and
  // conditions may still refuse the call; otherwise EvaluateCall returns this status.
  Status withheld;
  // Not OK, with the reason, if the call omits the shape of an output and this shape does not
  // follow from the inputs. The graph then contains a guess of that shape. EvaluateCall reports
  // only violations that do not depend on the guess.
  Status undetermined;
};

// The values for members that a call may omit.
struct CallDefaults {
  std::string edition{kDefaultEdition};
  std::string level;  // empty: the edition's narrowest level
};

// The value of an argument: a tensor, the tensors of a list, or a plain value in JSON (a number, a
// name of an enumeration, or a list of these).
using CallArgument = std::variant<Json, Tensor, std::vector<Tensor>>;

// The type and shape of an output. Each may be omitted if it follows from the inputs.
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

// Makes a call without a conversion of its tensors to JSON. An element that is not a value of its
// type (a bool of 2, an i4 of 8) is an error. Also returns every error of OperatorCallFromJson, in
// the same words.
StatusOr<OperatorCall> MakeCall(CallParts parts, const CallDefaults& defaults = {});

// Errors name the place within the call as a JSON pointer, what was found and what was expected.
StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults = {});

// Evaluates the call's graph. A CONST_SHAPE gets its value as the expected output, although a graph
// of 1.0 cannot output shapes.
StatusOr<Evaluation> EvaluateCall(const OperatorCall& call);

}  // namespace cts
