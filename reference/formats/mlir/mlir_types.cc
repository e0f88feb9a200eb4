#include "reference/formats/mlir/mlir_types.h"

#include <utility>

#include "reference/formats/mlir/mlir_dialect.h"

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

constexpr std::pair<std::string_view, DType> kUnsignedTypes[] = {
    {"ui8", DType::kI8}, {"ui16", DType::kI16}, {"ui32", DType::kI32}};

}  // namespace

std::string ToString(const Type& type) {
  return StrCat(type.is_unsigned ? "u" : "", Name(type.dtype), cts::ToString(type.shape));
}

bool Fits(const Type& found, const Type& type) {
  if (found.dtype != type.dtype || found.is_unsigned != type.is_unsigned ||
      found.shape.size() != type.shape.size()) {
    return false;
  }
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] != -1 && type.shape[i] != found.shape[i]) return false;
  }
  return true;
}

std::optional<DType> FindElementType(std::string_view word) {
  if (word == "index") return DType::kShape;
  const auto name = FromMlir(kMlirElementTypes, word);
  return name ? ParseDType(*name) : std::nullopt;
}

StatusOr<DType> ReadElementType(Cursor& in) {
  const size_t place = in.place();
  CTS_ASSIGN_OR_RETURN(const std::string_view word, in.Word("an element type"));
  if (const auto dtype = FindElementType(word)) return *dtype;
  return in.BadAt(place, "found element type ", word, ", expected one of ", ElementTypes());
}

StatusOr<Type> TensorType(Cursor& in, Unknowns unknowns) {
  if (!in.AcceptWord("tensor")) return in.Expected("a tensor type");
  CTS_RETURN_IF_ERROR(in.Expect("<"));
  Type type;
  const bool allowed = unknowns == Unknowns::kAllowed;
  while (in.SkipSpace(), IsDigit(in.Peek()) || (allowed && in.At("?"))) {
    if (type.shape.size() == kMaxRank) return in.Expected("at most 64 dimensions");
    if (in.Accept("?")) {
      type.shape.push_back(-1);
    } else {
      CTS_ASSIGN_OR_RETURN(type.shape.emplace_back(), in.Size("a dimension below 2^63"));
    }
    CTS_RETURN_IF_ERROR(in.Expect("x"));
  }
  if (in.At("?") || in.At("*")) {
    return in.Expected(allowed ? "a shape of known rank" : "a shape without unknowns");
  }
  for (const auto& [word, dtype] : kUnsignedTypes) {
    if (in.PeekWord() != word) continue;
    in.AcceptWord(word);
    type.dtype = dtype;
    type.is_unsigned = true;
  }
  if (!type.is_unsigned) {
    CTS_ASSIGN_OR_RETURN(type.dtype, ReadElementType(in));
  }
  CTS_RETURN_IF_ERROR(in.Expect(">"));
  return type;
}

StatusOr<Type> ValueType(Cursor& in, Unknowns unknowns) {
  if (!in.Accept("!tosa.shape<")) {
    const size_t place = in.place();
    CTS_ASSIGN_OR_RETURN(Type type, TensorType(in, unknowns));
    if (type.dtype == DType::kShape) return in.BadAt(place, "no graph has tensors of index");
    return type;
  }
  in.SkipSpace();
  CTS_ASSIGN_OR_RETURN(const int64_t length, in.Size("the length of a shape"));
  CTS_RETURN_IF_ERROR(in.Expect(">"));
  return Type{DType::kShape, {length}, false};
}

StatusOr<std::vector<Type>> TypesUpTo(Cursor& in, std::string_view end, Unknowns unknowns) {
  std::vector<Type> types;
  if (in.Accept(end)) return types;
  do {
    CTS_ASSIGN_OR_RETURN(types.emplace_back(), ValueType(in, unknowns));
    // The attributes of a result of a function.
    if (in.Accept("{")) CTS_RETURN_IF_ERROR(in.SkipBraces());
  } while (in.Accept(","));
  CTS_RETURN_IF_ERROR(in.Expect(end));
  return types;
}

StatusOr<std::vector<Type>> ResultTypes(Cursor& in, Unknowns unknowns) {
  if (in.Accept("(")) return TypesUpTo(in, ")", unknowns);
  CTS_ASSIGN_OR_RETURN(Type type, ValueType(in, unknowns));
  return std::vector<Type>{std::move(type)};
}

}  // namespace cts::mlir_parse
