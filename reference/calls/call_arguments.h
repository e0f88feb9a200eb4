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

// Returns the error for a call that has more than kMaxElements elements. `place` is a JSON pointer.
Status TooLarge(const std::string& place);

// A tensor of a call. `values` is null if the shape is not valid, or if the call has too many
// elements. Type and shape are then still checked against the argument tables and conditions.
struct Given {
  DType dtype = DType::kI32;
  Shape shape;
  std::shared_ptr<Tensor> values;
};

// The type and the shape that a call states for an output. If the call omits one of the two, this
// member is nullopt.
struct OutputType {
  std::optional<DType> dtype;
  std::optional<Shape> shape;
};

// Whether the argument is a list of tensors or of shapes.
bool IsList(const ArgumentSpec& argument);

class Arguments {
 public:
  // If the member `data` of a tensor in `call` is a number, the tensor is tensors[data], and its
  // elements are moved from there. `call` and `tensors` must outlive the object.
  Arguments(const Edition& edition, const OperatorSpec& spec, const Json& call,
            std::vector<Tensor>& tensors);

  // Reads the tensors of the call with their types, and reads the types that the call states for
  // the outputs. The types of the other arguments follow from these types. Must be called before
  // all other functions.
  Status Read();

  // Returns the tensors of an input: one tensor, or all tensors of a list.
  StatusOr<std::vector<Given>> Inputs(const ArgumentSpec& argument);
  // Returns the value of an attribute; nullopt if the call omits the attribute.
  StatusOr<std::optional<AttributeValue>> Attribute(const ArgumentSpec& argument);
  // Returns the values of a CONST or CONST_SHAPE.
  StatusOr<Given> ConstantValues();
  StatusOr<OutputType> Output(const ArgumentSpec& argument) const;

  // Returns the type for a name such as "i32_t" (a fixed type) or "in_t" (a type variable). A
  // variable has the type that the call states for a tensor or an output with this variable. If the
  // call states no such type, the variable has the type that the type table allows together with
  // the stated types. The type of RESCALE's mul_t depends on the attribute scale32. Returns nullopt
  // if the table allows no type, or more than one type.
  std::optional<DType> Resolve(const std::string& variable) const;

  // The number of elements that the outputs may still have.
  int64_t elements_left() const { return elements_left_; }
  // Not OK if a tensor has no values because its shape is not valid or the call has too many
  // elements.
  const Status& withheld() const { return withheld_; }

 private:
  Status CheckNames() const;
  Status ReadTensors();
  Status ReadOutputTypes();
  // Subtracts `count` from elements_left_. Returns false if fewer elements are left.
  bool Fits(int64_t count);
  // Whether the argument is a zero point of RESCALE. A zero point is a bit pattern, which a call
  // may write as a signed or an unsigned number.
  bool IsPattern(const ArgumentSpec& argument) const;
  StatusOr<Given> TensorFromJson(const Json& json, const std::string& place);
  // Returns the tensor in `tensors_` with the index `data`. Returns null if `data` is not such an
  // index, or if the tensor has another type or shape than `given`.
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
  std::map<std::string, DType> types_;               // by ArgumentSpec::element_type: "in_t" -> i8
  int64_t elements_left_ = kMaxElements;
  Status withheld_;
};

}  // namespace cts::calls
