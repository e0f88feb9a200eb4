// The arguments of a call, read from its JSON by the edition's argument table.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts::calls {

// The most elements that a call has in all its tensors.
inline constexpr int64_t kMaxElements = int64_t{1} << 24;

Status TooLarge(const std::string& place);

// A tensor of a call. It has no values if its shape has no elements, or more than a call may have.
// The argument tables and conditions may still refuse it.
struct Given {
  DType dtype = DType::kI32;
  Shape shape;
  std::shared_ptr<Tensor> values;
};

// The type and the shape that a call gives for an output.
struct OutputType {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

bool IsList(const ArgumentSpec& argument);

class Arguments {
 public:
  // A number as `data` of a tensor of the call is an index into `tensors`, which hold its values.
  // `call` and `tensors` have to outlive the object.
  Arguments(const Edition& edition, const OperatorSpec& spec, const Json& call,
            std::vector<Tensor>& tensors);

  // The tensors that state their type; the types of the other arguments follow from these. Call it
  // before all other functions.
  Status Read();

  // The tensors of an input: one, or those of a list.
  StatusOr<std::vector<Given>> Inputs(const ArgumentSpec& argument);
  // nullopt if the call leaves it out.
  StatusOr<std::optional<AttributeValue>> Attribute(const ArgumentSpec& argument);
  // The values of CONST and CONST_SHAPE.
  StatusOr<Given> ConstantValues();
  StatusOr<OutputType> Output(const ArgumentSpec& argument) const;

  // The type of an element type such as "in_t": fixed, another operand's, or the only one left in
  // the table of supported types.
  std::optional<DType> Resolve(const std::string& variable) const;

  // The number of elements that the outputs may have.
  int64_t elements_left() const { return elements_left_; }
  // Not OK if a tensor has too many elements to be given values.
  const Status& withheld() const { return withheld_; }

 private:
  Status CheckNames() const;
  Status ReadTensors();
  Status ReadOutputTypes();
  // Counts the elements of all inputs together; false if there are too many.
  bool Fits(int64_t count);
  // Zero points of RESCALE are bit patterns, for unsigned tensors, too.
  bool IsPattern(const ArgumentSpec& argument) const;
  StatusOr<Given> TensorFromJson(const Json& json, const std::string& place);
  // The tensor in memory that `data` names; null if there is no such tensor of this type and shape.
  Tensor* InMemory(const Json& data, const Given& given);
  // A constant tensor from a plain value, where the edition has an input.
  StatusOr<Given> ConstantFromJson(const ArgumentSpec& argument, const Json& json);
  // A plain value from a tensor, where this edition has an attribute and another edition an input.
  StatusOr<Json> PlainFromTensor(const ArgumentSpec& argument, const Json& json,
                                 const std::string& place);
  StatusOr<AttributeValue> AttributeFromJson(const ArgumentSpec& argument, const Json& json,
                                             const std::string& place) const;

  const Edition& edition_;
  const OperatorSpec& spec_;
  const Json& arguments_;
  const Json output_types_;
  std::vector<Tensor>& tensors_;
  std::map<std::string, std::vector<Given>> given_;  // tensors, by input
  std::map<std::string, DType> types_;               // by element type: "in_t" -> i8
  int64_t elements_left_ = kMaxElements;
  Status withheld_;
};

}  // namespace cts::calls
