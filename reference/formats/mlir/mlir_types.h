// Types in text of MLIR.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/shape.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/formats/mlir/mlir_cursor.h"

namespace cts::mlir_parse {

struct Type {
  DType dtype = DType::kI8;
  Shape shape;  // for !tosa.shape: one number, its length. -1 is an unknown size, if allowed
  // Whether the element type is ui8, ui16 or ui32. `dtype` is then the signed type of this width;
  // only RESCALE reads its bits as unsigned numbers.
  bool is_unsigned = false;

  friend bool operator==(const Type&, const Type&) = default;
};

std::string ToString(const Type& type);

// Whether a value of type `found` fits `type`. Any size fits an unknown dimension of `type`.
bool Fits(const Type& found, const Type& type);

// The element type with this name in MLIR.
std::optional<DType> FindElementType(std::string_view word);
StatusOr<DType> ReadElementType(Cursor& in);

enum class Unknowns { kRefused, kAllowed };

// Reads "tensor<2x3xi8>", "tensor<2xui8>" or "tensor<?x3xi8>".
StatusOr<Type> TensorType(Cursor& in, Unknowns unknowns = Unknowns::kRefused);

// Reads the type of a value: a tensor type or "!tosa.shape<3>".
StatusOr<Type> ValueType(Cursor& in, Unknowns unknowns = Unknowns::kRefused);

// Reads a list of types, "t, t", up to `end`. The list may be empty.
StatusOr<std::vector<Type>> TypesUpTo(Cursor& in, std::string_view end,
                                      Unknowns unknowns = Unknowns::kRefused);

// Reads "(t, t)" or "t", where t is a type.
StatusOr<std::vector<Type>> ResultTypes(Cursor& in, Unknowns unknowns = Unknowns::kRefused);

}  // namespace cts::mlir_parse
