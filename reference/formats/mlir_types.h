// Types in text of MLIR.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/shape.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/formats/mlir_cursor.h"

namespace cts::mlir_parse {

struct Type {
  DType dtype;
  Shape shape;  // of a shape: its length

  friend bool operator==(const Type&, const Type&) = default;
};

std::string ToString(const Type& type);

// The element type that MLIR calls so.
std::optional<DType> FindElementType(std::string_view word);
StatusOr<DType> ElementType(Cursor& in);

// "tensor<2x3xi8>"
StatusOr<Type> TensorType(Cursor& in);

// The type of a value: also "!tosa.shape<3>".
StatusOr<Type> ValueType(Cursor& in);

// "t, t", possibly none, up to `end`.
StatusOr<std::vector<Type>> TypesUpTo(Cursor& in, std::string_view end);

// "(t, t)" or "t".
StatusOr<std::vector<Type>> ResultTypes(Cursor& in);

}  // namespace cts::mlir_parse
