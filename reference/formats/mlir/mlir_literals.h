// Values of attributes and constants in text of MLIR.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/formats/mlir/mlir_cursor.h"
#include "reference/formats/mlir/mlir_types.h"

namespace cts::mlir_parse {

// The value of an attribute: one of a graph's, constants, or the name of an element type.
using Literal =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, Tensor, DType>;
using Literals = std::vector<std::pair<std::string, Literal>>;

// Reads them at a cursor.
class LiteralReader {
 public:
  // `max_bytes`: the most bytes of all constants, since a splat is a short word for a large tensor.
  LiteralReader(Cursor& in, uint64_t max_bytes) : in_(in), max_bytes_(max_bytes) {}

  // "<[1, 2]> : tensor<2xi8>"; the type, which comes last, is read first.
  StatusOr<Tensor> Dense();
  // "<name> : tensor<2xi8>": bytes that the text has after the module.
  StatusOr<Tensor> DenseResource();
  // "axis = 0 : i32, ..." up to the closing brace, which is accepted. Attributes of other dialects,
  // which have a dot in their names, mean nothing to TOSA.
  Status Attributes(Literals& attributes);

 private:
  // "-0x1F", "12", "-1.5e+3": the characters.
  std::string_view NumberText();
  // The number as stored in an element of the type.
  StatusOr<uint64_t> NumberAs(DType dtype);
  // "12", "0 : i32", "1.5 : bf16"
  StatusOr<Literal> Number();
  StatusOr<std::vector<int64_t>> IntegersUpTo(std::string_view end);
  // "[[1, 2], [3, 4]]", from element `*next` on.
  Status NestedList(Tensor& tensor, size_t axis, int64_t* next);
  // The elements in MLIR's form, "0x0102": whole bytes, little-endian, except for i1, which has
  // bits.
  Status Blob(Tensor& tensor);
  // The same without the mark in front; `what` begins a message.
  Status Bytes(std::string_view text, std::string_view what, size_t place, Tensor& tensor);
  StatusOr<Literal> Value();
  // A tensor of that type whose elements still fit into the limit; counts them.
  StatusOr<Tensor> Room(const Type& type, uint64_t most, size_t place);
  // The hexadecimal digits of the text's resources by their names.
  Status FindResources();

  Cursor& in_;
  const uint64_t max_bytes_;
  bool unsigned_ = false;   // the elements of the constant that is being read
  uint64_t constants_ = 0;  // the bytes of those read so far
  std::optional<std::map<std::string, std::string_view, std::less<>>> resources_;
};

}  // namespace cts::mlir_parse
