#include "reference/formats/mlir/mlir_values.h"

#include <algorithm>
#include <cmath>
#include <variant>

#include "reference/base/float_format.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/unsupported.h"

namespace cts::mlir_text {
namespace {

// The bits as MLIR writes a floating-point literal that is no decimal number.
std::string HexLiteral(uint64_t bits, int bytes) {
  std::string text = "0x";
  for (int shift = bytes * 8 - 4; shift >= 0; shift -= 4) {
    text += "0123456789ABCDEF"[(bits >> shift) & 15];
  }
  return text;
}

// One element: exact, so that NaN payloads and the sign of zero survive.
std::string Literal(const Tensor& tensor, int64_t i, bool is_unsigned = false) {
  if (IsFloat(tensor.dtype())) {
    return HexLiteral(tensor.Bits(i), StorageBytes(tensor.dtype()));
  }
  if (tensor.dtype() == DType::kBool) return tensor.Integer(i) != 0 ? "true" : "false";
  if (!is_unsigned) return StrCat(tensor.Integer(i));
  const uint64_t bits_that_count = 2 * static_cast<uint64_t>(IntegerMax(tensor.dtype())) + 1;
  return StrCat(tensor.Bits(i) & bits_that_count);
}

// "[[1, 2], [3, 4]]": the elements from `*next` on, along dimension `axis` and those within it.
std::string NestedList(const Tensor& tensor, size_t axis, int64_t* next, bool is_unsigned) {
  if (axis == tensor.shape().size()) return Literal(tensor, (*next)++, is_unsigned);
  std::string text = "[";
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    text += (i == 0 ? "" : ", ") + NestedList(tensor, axis + 1, next, is_unsigned);
  }
  return text + "]";
}

std::optional<std::string> Enumerator(const EnumSpec& spec, const std::string& name) {
  const bool known = std::any_of(spec.values.begin(), spec.values.end(),
                                 [&](const EnumValue& value) { return value.name == name; });
  if (!known) return std::nullopt;
  if (const auto mlir = ToMlir(kMlirEnumerations, spec.name)) return StrCat(*mlir, "<", name, ">");
  if (const auto mlir = TypeEnumeratorToMlir(name)) return std::string(*mlir);
  return std::nullopt;
}

}  // namespace

StatusOr<std::string_view> ElementTypeText(DType dtype) {
  if (const auto mlir = ToMlir(kMlirElementTypes, Name(dtype))) return *mlir;
  return Unsupported("MLIR has no tensors of ", Name(dtype));
}

bool IsSymbol(const GraphTensor& tensor, size_t dimension) {
  return !tensor.symbols.empty() && !tensor.symbols[dimension].empty();
}

StatusOr<std::string> TensorType(const GraphTensor& tensor, bool is_unsigned) {
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const int64_t size = tensor.shape[i];
    if (size < 0 && !IsSymbol(tensor, i)) {
      return Unsupported("MLIR cannot write a dimension of size ", size, " (tensor ", tensor.name,
                         ")");
    }
  }
  if (tensor.dtype == DType::kShape) {
    if (tensor.shape.size() == 1) return StrCat("!tosa.shape<", tensor.shape[0], ">");
    return Unsupported("MLIR cannot write a shape that is a tensor of rank ", tensor.shape.size(),
                       " (tensor ", tensor.name, ")");
  }
  CTS_ASSIGN_OR_RETURN(const std::string_view element, ElementTypeText(tensor.dtype));
  std::string text = "tensor<";
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    text += IsSymbol(tensor, i) ? "?x" : StrCat(tensor.shape[i], "x");
  }
  return StrCat(text, is_unsigned && IsInteger(tensor.dtype) ? "u" : "", element, ">");
}

StatusOr<std::string> DenseValues(const GraphTensor& tensor, bool is_unsigned) {
  if (tensor.values->is_block_scaled()) {
    return Unsupported("MLIR text cannot hold scales, and the values of ", tensor.name, " are ",
                       tensor.values->TypeName());
  }
  CTS_ASSIGN_OR_RETURN(std::string type, TensorType(tensor, is_unsigned));
  if (tensor.dtype == DType::kShape) type = StrCat("tensor<", tensor.values->size(), "xindex>");
  int64_t next = 0;
  const std::string list =
      tensor.values->size() == 0 ? "" : NestedList(*tensor.values, 0, &next, is_unsigned);
  return StrCat("dense<", list, "> : ", type);
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      quoted += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      quoted += {'\\', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15]};
    }
  }
  return quoted + "\"";
}

std::string List(const std::vector<int64_t>& list, std::string_view type) {
  std::string text = StrCat("array<", type);
  for (size_t i = 0; i < list.size(); ++i) text += StrCat(i == 0 ? ": " : ", ", list[i]);
  return text + ">";
}

std::string ByKind(const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<int64_t>(&value)) return StrCat(*number, " : i64");
  if (const auto* number = std::get_if<double>(&value)) {
    return StrCat(HexLiteral(EncodeFloat(DType::kFp64, *number), 8), " : f64");
  }
  if (const auto* text = std::get_if<std::string>(&value)) return Quoted(*text);
  return List(std::get<std::vector<int64_t>>(value), "i64");
}

std::optional<std::string> ScalarLiteral(const AttributeValue& value, DType dtype) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && IsFloat(dtype)) {
    const Tensor scalar = Tensor::OfFloats(dtype, {}, {*number});
    const bool exact =
        std::isnan(*number) ? std::isnan(scalar.Value(0)) : scalar.Value(0) == *number;
    if (exact) return Literal(scalar, 0);
  }
  if (const auto* number = std::get_if<int64_t>(&value); number != nullptr && IsInteger(dtype)) {
    if (*number >= IntegerMin(dtype) && *number <= IntegerMax(dtype)) return StrCat(*number);
  }
  if (const auto* bit = std::get_if<int64_t>(&value); bit != nullptr && dtype == DType::kBool) {
    if (*bit == 0 || *bit == 1) return *bit == 1 ? "true" : "false";
  }
  return std::nullopt;
}

std::optional<std::string> TypedScalar(const AttributeValue& value, DType dtype) {
  const auto element = ToMlir(kMlirElementTypes, Name(dtype));
  const auto literal = ScalarLiteral(value, dtype);
  if (!element || !literal || dtype == DType::kBool) return std::nullopt;
  return StrCat(*literal, " : ", *element);
}

std::string Attribute(const ArgumentSpec& spec, const AttributeValue& value, DType tensor_type,
                      const Edition& edition) {
  const auto* number = std::get_if<int64_t>(&value);
  // Editions before 1.0 have attributes that are tensors.
  const std::string& type = spec.type == "tensor_t" ? spec.element_type : spec.type;
  if (type == "i32_t" && number != nullptr && FitsI32(*number)) {
    return StrCat(*number, " : i32");
  }
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    if (spec.name == "var_shape") {
      std::string sizes;
      for (const int64_t size : *list) sizes += StrCat(sizes.empty() ? "" : ", ", size);
      return StrCat("dense<", list->empty() ? "" : "[", sizes, list->empty() ? "" : "]",
                    "> : tensor<", list->size(), "xindex>");
    }
    // Integers of lists are 64 bits wide in the dialect, except in this one.
    if (spec.name == "perms" && std::all_of(list->begin(), list->end(), FitsI32)) {
      return List(*list, "i32");
    }
  }
  if (type == "in_out_t" || type == "in_t") {
    if (const auto text = TypedScalar(value, tensor_type)) return *text;
  }
  const auto* name = std::get_if<std::string>(&value);
  if (const EnumSpec* values = edition.FindEnum(type); values != nullptr && name != nullptr) {
    if (const auto text = Enumerator(*values, *name)) return *text;
  }
  return ByKind(value);
}

}  // namespace cts::mlir_text
