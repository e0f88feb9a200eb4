// Types, literals and attributes as text of MLIR.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts::mlir_text {

StatusOr<std::string_view> ElementTypeText(DType dtype);

// Whether a dimension of a tensor is a symbol, so that its size is unknown to MLIR.
bool IsSymbol(const GraphTensor& tensor, size_t dimension);

// `is_unsigned`: writes an integer type other than bool as an unsigned type, as some versions of
// the dialect have it.
StatusOr<std::string> TensorType(const GraphTensor& tensor, bool is_unsigned = false);

// The values of a constant: "dense<[1, 2]> : tensor<2xi8>".
StatusOr<std::string> DenseValues(const GraphTensor& tensor, bool is_unsigned = false);

std::string Quoted(std::string_view text);

// For example "array<i64: 1, 2>".
std::string List(const std::vector<int64_t>& list, std::string_view type);

inline bool FitsI32(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

// Any attribute value, in the form of its own kind. This form is for an attribute whose kind is
// wrong, which MLIR has to refuse.
std::string ByKind(const AttributeValue& value);

// A scalar of the type of the operator's tensors: "5".
std::optional<std::string> ScalarLiteral(const AttributeValue& value, DType dtype);

// The same scalar with its type, for the attributes that hold CLAMP's bounds: "5 : i8".
std::optional<std::string> TypedScalar(const AttributeValue& value, DType dtype);

// The text of one attribute, in the form that the attribute's type in the edition requires.
std::string Attribute(const ArgumentSpec& spec, const AttributeValue& value, DType tensor_type,
                      const Edition& edition);

}  // namespace cts::mlir_text
