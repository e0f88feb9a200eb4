// The description, as data, of an operator for which the program has no code. It has the operator's
// definition by other operators, its conditions, and the domain of its cases.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// The value of an attribute, as in a graph (AttributeValue).
using DescribedValue = std::variant<bool, int64_t, double, std::string, std::vector<int64_t>>;

// A tensor with values that a definition needs, such as the shift of MUL.
struct DefinitionConstant {
  std::string name;
  DType dtype;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

struct DefinitionStep {
  std::string op;                   // an operator of the definition's edition
  std::vector<std::string> inputs;  // arguments of the defined operator, constants,
                                    // outputs of earlier steps
  std::string output;               // an output of the defined operator, or a new name
  std::string type;  // the output's: a variable of the type row, or the name of a type
  // The value "$axis" stands for the value of the attribute `axis` of the defined operator.
  std::map<std::string, DescribedValue> attributes;
};

// An operator as a small graph of another edition's operators.
struct Definition {
  std::string edition;
  std::vector<DefinitionConstant> constants;
  std::vector<DefinitionStep> steps;
};

// One parameter of an operator's cases, with its values. In the ids of cases, `prefix` precedes the
// value. The axis "shape" sets the shape of every input; any other axis sets the attribute with its
// name.
struct DescribedAxis {
  std::string name, prefix;
  std::vector<std::string> values;
};

struct DescribedParameters {
  std::vector<DescribedAxis> axes;
  std::vector<std::string> data_sets;
};

// Reads JSON that fits schemas/edition.schema.json. An error begins with a JSON pointer relative to
// `json`.
StatusOr<Definition> DefinitionFromJson(const Json& json);
DescribedParameters DescribedParametersFromJson(const Json& json);
DescribedValue DescribedValueFromJson(const Json& json);

}  // namespace cts
