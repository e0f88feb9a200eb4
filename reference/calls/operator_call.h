// Reads and evaluates operator calls: JSON that fits schemas/call.schema.json, as `tensor-cts eval`
// reads it.
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

// One operator with all its arguments, as a graph. Tensors have the names of their arguments. For a
// tensor of a list, the position in the list is added to the name: "input1_0".
struct OperatorCall {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  int data_set = -1;  // the number S of the dot-product rule's data set; -1: other data
  Graph graph;
  std::map<std::string, Tensor> inputs;
  // Not OK if a tensor has no values because its shape is not valid or the call has too many
  // elements. EvaluateCall returns this status, unless the argument tables or conditions already
  // refuse the call.
  Status withheld;
  // Not OK, with the reason, if the call omits the shape of an output and this shape does not
  // follow from the inputs. The graph then contains a guessed shape. EvaluateCall reports only
  // violations that do not depend on the guess; if it finds no violation, it returns this status.
  Status undetermined;
};

// The values for members that a call may omit.
struct CallDefaults {
  std::string edition{kDefaultEdition};
  std::string level;  // empty: the edition's narrowest level
};

// The value of an argument: a tensor, the tensors of a list, or a plain value in JSON. A plain
// value is a number, a boolean, the name of an enumeration value, or a list of numbers.
using CallArgument = std::variant<Json, Tensor, std::vector<Tensor>>;

// The type and the shape of an output. A member that follows from the inputs may be nullopt.
struct CallOutput {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

// A call whose tensors are already in memory.
struct CallParts {
  std::string op;
  std::map<std::string, CallArgument> arguments;
  std::map<std::string, CallOutput> outputs;
  std::optional<std::string> edition, level;
  std::optional<int> data_set;
};

// Makes a call without converting its tensors to JSON. An element that is not a value of its type
// (a bool of 2, an i4 of 8) is an error. All other errors are those of OperatorCallFromJson, in the
// same words.
StatusOr<OperatorCall> MakeCall(CallParts parts, const CallDefaults& defaults = {});

// Makes a call from JSON. Errors name the place within the call as a JSON pointer, the value found
// and the value expected.
StatusOr<OperatorCall> OperatorCallFromJson(const Json& json, const CallDefaults& defaults = {});

// Evaluates the call's graph. For a CONST_SHAPE, the expected output is the operator's value,
// although a graph of 1.0 cannot have a shape as an output.
StatusOr<Evaluation> EvaluateCall(const OperatorCall& call);

}  // namespace cts
