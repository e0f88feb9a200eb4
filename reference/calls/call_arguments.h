// Reads the arguments of a call from its JSON, guided by the edition's argument table.
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

// The greatest number of elements in all tensors of a call together.
inline constexpr int64_t kMaxElements = int64_t{1} << 24;

Status TooLarge(const std::string& place);

// A tensor of a call. `values` is null if the shape is not valid, or if the call has too many
// elements. The argument tables and conditions can still be applied to such a tensor.
struct Given {
  DType dtype = DType::kI32;
  Shape shape;
  std::shared_ptr<Tensor> values;
};

// The type and the shape that a call gives for an output. A member that the call omits is nullopt.
struct OutputType {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

bool IsList(const ArgumentSpec& argument);

class Arguments {
 public:
  // If the member `data` of a tensor in `call` is a number, the tensor is tensors[data]. `call` and
  // `tensors` must outlive the object.
  Arguments(const Edition& edition, const OperatorSpec& spec, const Json& call,
            std::vector<Tensor>& tensors);

  // Reads the tensors that state their type; the types of the other arguments follow from these.
  // Must be called before all other functions.
  Status Read();

  // The tensors of an input: one, or all tensors of a list.
  StatusOr<std::vector<Given>> Inputs(const ArgumentSpec& argument);
  // The value of an attribute; nullopt if the call omits it.
  StatusOr<std::optional<AttributeValue>> Attribute(const ArgumentSpec& argument);
  // The values of the call's CONST or CONST_SHAPE.
  StatusOr<Given> ConstantValues();
  StatusOr<OutputType> Output(const ArgumentSpec& argument) const;

  // The type for a name such as "i32_t" (a fixed type) or "in_t" (a type variable). A variable has
  // the type that the call states for a tensor or an output with this variable. If the call states
  // no such type, the variable has the only type that the rows of the type table still allow.
  // RESCALE's mul_t follows from the attribute scale32. nullopt if no type follows.
  std::optional<DType> Resolve(const std::string& variable) const;

  // The number of elements that the outputs may still have.
  int64_t elements_left() const { return elements_left_; }
  // Not OK if a tensor got no values because it has too many elements.
  const Status& withheld() const { return withheld_; }

 private:
  Status CheckNames() const;
  Status ReadTensors();
  Status ReadOutputTypes();
  // Subtracts `count` from elements_left_. Returns false if fewer elements are left.
  bool Fits(int64_t count);
  // Whether the argument is a zero point of RESCALE, which is read as a bit pattern, signed or
  // unsigned.
  bool IsPattern(const ArgumentSpec& argument) const;
  StatusOr<Given> TensorFromJson(const Json& json, const std::string& place);
  // The tensor in `tensors_` with index `data`; null unless that tensor has the type and shape of
  // `given`.
  Tensor* InMemory(const Json& data, const Given& given);
  // Makes a constant tensor from a plain value, for an argument that is an input in this edition.
  StatusOr<Given> ConstantFromJson(const ArgumentSpec& argument, const Json& json);
  // Makes a plain value from a tensor, for an argument that is an attribute in this edition and an
  // input in another.
  StatusOr<Json> PlainFromTensor(const ArgumentSpec& argument, const Json& json,
                                 const std::string& place);
  StatusOr<AttributeValue> AttributeFromJson(const ArgumentSpec& argument, const Json& json,
                                             const std::string& place) const;

  const Edition& edition_;
  const OperatorSpec& spec_;
  const Json& arguments_;
  const Json output_types_;
  std::vector<Tensor>& tensors_;
  std::map<std::string, std::vector<Given>> given_;  // the tensors of each input
  std::map<std::string, DType> types_;               // by element type: "in_t" -> i8
  int64_t elements_left_ = kMaxElements;
  Status withheld_;
};

}  // namespace cts::calls
