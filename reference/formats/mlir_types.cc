#include "reference/formats/mlir_types.h"

#include <utility>

#include "reference/formats/mlir_dialect.h"

namespace cts::mlir_parse {
namespace {

// As many dimensions as a case may declare (schemas/case.schema.json).
constexpr size_t kMaxRank = 64;

std::string ElementTypes() {
  std::string names;
  for (const MlirSpelling& row : kMlirElementTypes) {
    names += StrCat(names.empty() ? "" : ", ", row.mlir);
  }
  return names;
}

}  // namespace

std::string ToString(const Type& type) {
  return StrCat(Name(type.dtype), cts::ToString(type.shape));
}

std::optional<DType> FindElementType(std::string_view word) {
  if (word == "index") return DType::kShape;
  const auto name = FromMlir(kMlirElementTypes, word);
  return name ? ParseDType(*name) : std::nullopt;
}

StatusOr<DType> ElementType(Cursor& in) {
  const size_t place = in.place();
  CTS_ASSIGN_OR_RETURN(const std::string_view word, in.Word("an element type"));
  if (const auto dtype = FindElementType(word)) return *dtype;
  return in.BadAt(place, "found element type ", word, ", expected one of ", ElementTypes());
}

StatusOr<Type> TensorType(Cursor& in) {
  if (!in.AcceptWord("tensor")) return in.Expected("a tensor type");
  CTS_RETURN_IF_ERROR(in.Expect("<"));
  Type type{};
  while (in.SkipSpace(), IsDigit(in.Peek())) {
    if (type.shape.size() == kMaxRank) return in.Expected("at most 64 dimensions");
    CTS_ASSIGN_OR_RETURN(type.shape.emplace_back(), in.Size("a dimension below 2^63"));
    CTS_RETURN_IF_ERROR(in.Expect("x"));
  }
  if (in.At("?") || in.At("*")) return in.Expected("a shape without unknowns");
  CTS_ASSIGN_OR_RETURN(type.dtype, ElementType(in));
  CTS_RETURN_IF_ERROR(in.Expect(">"));
  return type;
}

StatusOr<Type> ValueType(Cursor& in) {
  if (!in.Accept("!tosa.shape<")) {
    const size_t place = in.place();
    CTS_ASSIGN_OR_RETURN(Type type, TensorType(in));
    if (type.dtype == DType::kShape) return in.BadAt(place, "no graph has tensors of index");
    return type;
  }
  in.SkipSpace();
  CTS_ASSIGN_OR_RETURN(const int64_t length, in.Size("the length of a shape"));
  CTS_RETURN_IF_ERROR(in.Expect(">"));
  return Type{DType::kShape, {length}};
}

StatusOr<std::vector<Type>> TypesUpTo(Cursor& in, std::string_view end) {
  std::vector<Type> types;
  if (in.Accept(end)) return types;
  do {
    CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType(in));
    // The attributes of a result of a function.
    if (in.Accept("{")) CTS_RETURN_IF_ERROR(in.SkipBraces());
  } while (in.Accept(","));
  CTS_RETURN_IF_ERROR(in.Expect(end));
  return types;
}

StatusOr<std::vector<Type>> ResultTypes(Cursor& in) {
  if (in.Accept("(")) return TypesUpTo(in, ")");
  CTS_ASSIGN_OR_RETURN(Type type, ValueType(in));
  return std::vector<Type>{std::move(type)};
}

}  // namespace cts::mlir_parse
