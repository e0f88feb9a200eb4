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

// The value of an attribute: an attribute value of a graph, a constant, or an element type.
using Literal =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, Tensor, DType>;
using Literals = std::vector<std::pair<std::string, Literal>>;

// Reads literals at a cursor.
class LiteralReader {
 public:
  // `max_bytes`: the limit for the bytes of all constants together, since a short splat can stand
  // for a large tensor.
  LiteralReader(Cursor& in, uint64_t max_bytes) : in_(in), max_bytes_(max_bytes) {}

  // Reads "<[1, 2]> : tensor<2xi8>". The type, which comes last, is read first.
  StatusOr<Tensor> Dense();
  // Reads "<name> : tensor<2xi8>". The tensor's bytes come after the module in the text.
  StatusOr<Tensor> DenseResource();
  // Reads "axis = 0 : i32, ..." up to and including the closing brace. Skips attributes with a dot
  // in their names. They belong to other dialects, and mean nothing to TOSA.
  Status Attributes(Literals& attributes);

 private:
  // Reads the characters of a number: "-0x1F", "12", "-1.5e+3".
  std::string_view NumberText();
  // Reads a number and returns the bits of an element of the type.
  StatusOr<uint64_t> NumberAs(DType dtype);
  // Reads "12", "0 : i32" or "1.5 : bf16".
  StatusOr<Literal> Number();
  StatusOr<std::vector<int64_t>> IntegersUpTo(std::string_view end);
  // Reads "[[1, 2], [3, 4]]" into the tensor, from element `*next` on.
  Status NestedList(Tensor& tensor, size_t axis, int64_t* next);
  // Reads elements in MLIR's hexadecimal form, "0x0102": whole little-endian bytes for each
  // element, but single bits for i1.
  Status Blob(Tensor& tensor);
  // Reads elements as Blob does, from `text`, which has only the digits. `what` begins a message.
  Status Bytes(std::string_view text, std::string_view what, size_t place, Tensor& tensor);
  StatusOr<Literal> Value();
  // Makes a tensor of this type, and adds the tensor's bytes to `constants_`. An error if the type
  // has more than `most` elements, or if `constants_` would exceed `max_bytes_`.
  StatusOr<Tensor> Room(const Type& type, uint64_t most, size_t place);
  // Finds the resources in the text: the hexadecimal digits of each resource, by the resource's
  // name.
  Status FindResources();

  Cursor& in_;
  const uint64_t max_bytes_;
  bool unsigned_ = false;   // whether the current constant has unsigned elements
  uint64_t constants_ = 0;  // the bytes of the constants read so far
  std::optional<std::map<std::string, std::string_view, std::less<>>> resources_;
};

}  // namespace cts::mlir_parse
