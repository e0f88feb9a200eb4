#include "reference/formats/mlir/mlir_literals.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "reference/base/float_format.h"
#include "reference/formats/mlir/mlir_dialect.h"
#include "reference/formats/mlir/mlir_types.h"

namespace cts::mlir_parse {

std::string_view LiteralReader::NumberText() {
  in_.SkipSpace();
  const std::string_view rest = in_.rest();
  size_t end = rest.starts_with('-') ? 1 : 0;
  if (rest.substr(end).starts_with("0x")) {
    end += 2;
    while (end < rest.size() && HexDigit(rest[end])) ++end;
  } else {
    while (end < rest.size() &&
           (IsDigit(rest[end]) || rest[end] == '.' ||
            (end > 0 && rest[end - 1] != '-' && (rest[end] == 'e' || rest[end] == 'E')) ||
            (end > 0 && (rest[end] == '+' || rest[end] == '-') &&
             (rest[end - 1] == 'e' || rest[end - 1] == 'E')))) {
      ++end;
    }
  }
  in_.Advance(end);
  return rest.substr(0, end);
}

StatusOr<uint64_t> LiteralReader::NumberAs(DType dtype) {
  in_.SkipSpace();
  const size_t place = in_.place();
  if (dtype == DType::kBool) {
    if (in_.AcceptWord("true")) return uint64_t{1};
    if (in_.AcceptWord("false")) return uint64_t{0};
    return in_.Expected("true or false");
  }
  const std::string_view text = NumberText();
  const auto wrong = [&](std::string_view what) {
    in_.Return(place);
    return in_.Expected(what);
  };
  if (!IsFloat(dtype)) {
    int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data(), end, value);
    const int64_t least = unsigned_ ? 0 : IntegerMin(dtype);
    const int64_t most = unsigned_ ? 2 * IntegerMax(dtype) + 1 : IntegerMax(dtype);
    if (error != std::errc() || last != end || value < least || value > most) {
      return wrong(StrCat("an integer between ", least, " and ", most));
    }
    return static_cast<uint64_t>(value);
  }
  if (text.starts_with("0x")) {
    uint64_t bits = 0;
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(text.data() + 2, end, bits, 16);
    const int width = 8 * StorageBytes(dtype);
    if (error != std::errc() || last != end || (width < 64 && bits >> width != 0)) {
      return wrong(StrCat("at most ", width, " bits"));
    }
    return bits;
  }
  // MLIR reads a double and rounds it, too.
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || last != end || text.find('.') == std::string_view::npos) {
    return wrong("a number such as 1.0 or its bits such as 0x3F80");
  }
  return EncodeFloat(dtype, value);
}

StatusOr<Literal> LiteralReader::Number() {
  const size_t place = in_.place();
  const std::string_view text = NumberText();
  DType dtype = text.find('.') == std::string_view::npos ? DType::kI64 : DType::kFp64;
  if (in_.Accept(":")) {
    in_.SkipSpace();
    CTS_ASSIGN_OR_RETURN(dtype, ReadElementType(in_));
  }
  const size_t end = in_.place();
  in_.Return(place);
  CTS_ASSIGN_OR_RETURN(const uint64_t bits, NumberAs(dtype));
  in_.Return(end);
  if (IsFloat(dtype)) return Literal(DecodeFloat(dtype, bits));
  return Literal(static_cast<int64_t>(bits));
}

StatusOr<std::vector<int64_t>> LiteralReader::IntegersUpTo(std::string_view end) {
  std::vector<int64_t> list;
  if (in_.Accept(end)) return list;
  do {
    CTS_ASSIGN_OR_RETURN(const uint64_t value, NumberAs(DType::kI64));
    list.push_back(static_cast<int64_t>(value));
  } while (in_.Accept(","));
  CTS_RETURN_IF_ERROR(in_.Expect(end));
  return list;
}

Status LiteralReader::NestedList(Tensor& tensor, size_t axis, int64_t* next) {
  if (axis == tensor.shape().size()) {
    CTS_ASSIGN_OR_RETURN(const uint64_t bits, NumberAs(tensor.dtype()));
    tensor.SetBits((*next)++, bits);
    return absl::OkStatus();
  }
  CTS_RETURN_IF_ERROR(in_.Expect("["));
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) {
    if (i > 0) CTS_RETURN_IF_ERROR(in_.Expect(","));
    CTS_RETURN_IF_ERROR(NestedList(tensor, axis + 1, next));
  }
  return in_.Expect("]");
}

Status LiteralReader::Blob(Tensor& tensor) {
  const size_t place = in_.place();
  CTS_RETURN_IF_ERROR(in_.Expect("\"0x"));
  const std::string_view text = in_.rest().substr(0, in_.rest().find('"'));
  CTS_RETURN_IF_ERROR(Bytes(text, "", place, tensor));
  in_.Advance(text.size() + 1);
  return absl::OkStatus();
}

Status LiteralReader::Bytes(std::string_view text, std::string_view what, size_t place,
                            Tensor& tensor) {
  const bool packed = tensor.dtype() == DType::kBool;
  const auto width = static_cast<uint64_t>(packed ? 1 : (Info(tensor.dtype()).bits + 7) / 8);
  const auto count = static_cast<uint64_t>(tensor.size());
  const uint64_t bytes = packed ? (count + 7) / 8 : count * width;
  if (text.size() != 2 * bytes || !std::all_of(text.begin(), text.end(), HexDigit)) {
    return in_.BadAt(place, what, "found ", text.size(), " characters, expected ", 2 * bytes,
                     " hexadecimal digits");
  }
  const auto byte = [&](uint64_t i) {
    return uint64_t{*HexDigit(text[2 * i]) * 16 + *HexDigit(text[2 * i + 1])};
  };
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = packed ? byte(i / 8) >> (i % 8) & 1 : 0;
    for (uint64_t k = 0; !packed && k < width; ++k) bits |= byte(i * width + k) << (8 * k);
    if (IsInteger(tensor.dtype())) {
      const int unused = 64 - Info(tensor.dtype()).bits;
      const int64_t value = static_cast<int64_t>(bits << unused) >> unused;
      if (value < IntegerMin(tensor.dtype())) {
        return in_.BadAt(place, what, "element ", i, ": found ", value, ", expected at least ",
                         IntegerMin(tensor.dtype()));
      }
      bits = static_cast<uint64_t>(value);
    }
    tensor.SetBits(static_cast<int64_t>(i), bits);
  }
  return absl::OkStatus();
}

namespace {

// CONST_SHAPE of nothing yields the one tensor without an element.
bool IsEmptyShape(const Type& type) {
  return type.dtype == DType::kShape && type.shape == Shape{0};
}

}  // namespace

StatusOr<Tensor> LiteralReader::Room(const Type& type, uint64_t most, size_t place) {
  const StatusOr<int64_t> count = IsEmptyShape(type) ? 0 : CheckedElementCount(type.shape);
  if (!count.ok()) return in_.BadAt(place, Message(count.status()));
  if (static_cast<uint64_t>(*count) > most) {
    return in_.BadAt(place, "found fewer values than ", *count);
  }
  const auto width = static_cast<uint64_t>(StorageBytes(type.dtype));
  if (static_cast<uint64_t>(*count) > (max_bytes_ - constants_) / width) {
    return in_.BadAt(place, "expected at most ", max_bytes_, " bytes of constants");
  }
  constants_ += static_cast<uint64_t>(*count) * width;
  return Tensor(type.dtype, type.shape);
}

Status LiteralReader::FindResources() {
  resources_.emplace();
  const size_t place = in_.place();
  const size_t at = in_.rest().rfind("{-#");
  if (at == std::string_view::npos) return absl::OkStatus();
  in_.Advance(at + 3);
  // dialect_resources: { builtin: { name: "0x...", ... } }
  while (!in_.Accept("#-}")) {
    if (in_.AtEnd()) return in_.Expected("\"#-}\", which ends the resources");
    const bool quoted = in_.Peek() == '"';
    std::string name;
    if (quoted) {
      CTS_ASSIGN_OR_RETURN(name, in_.String());
    } else if (!in_.PeekWord().empty()) {
      CTS_ASSIGN_OR_RETURN(name, in_.Suffix("the name of a resource"));
    } else {
      in_.Advance();
      continue;
    }
    if (!in_.Accept(":") || !in_.At("\"")) continue;
    in_.SkipSpace();
    in_.Advance();
    const std::string_view text = in_.rest().substr(0, in_.rest().find('"'));
    if (text.size() == in_.rest().size()) return in_.Expected("the end of a string");
    resources_->emplace(std::move(name), text);
    in_.Advance(text.size() + 1);
  }
  in_.Return(place);
  return absl::OkStatus();
}

StatusOr<Tensor> LiteralReader::DenseResource() {
  CTS_RETURN_IF_ERROR(in_.Expect("<"));
  in_.SkipSpace();
  const size_t place = in_.place();
  std::string name;
  if (in_.Peek() == '"') {
    CTS_ASSIGN_OR_RETURN(name, in_.String());
  } else {
    CTS_ASSIGN_OR_RETURN(name, in_.Suffix("the name of a resource"));
  }
  CTS_RETURN_IF_ERROR(in_.Expect(">"));
  CTS_RETURN_IF_ERROR(in_.Expect(":"));
  CTS_ASSIGN_OR_RETURN(const Type type, TensorType(in_));
  if (!resources_) CTS_RETURN_IF_ERROR(FindResources());
  const auto found = resources_->find(name);
  if (found == resources_->end()) {
    return in_.BadAt(
        place, "found no resource ", name,
        " in the text, expected it behind the module between \"{-#\" and \"#-}\"; print "
        "the text whole (no --mlir-elide-resource-strings-if-larger)");
  }
  // Four bytes in front say how the others are aligned.
  constexpr std::string_view kHexadecimal = "0x";
  constexpr size_t kAlignment = 8;
  std::string_view digits = found->second;
  if (!digits.starts_with(kHexadecimal) || digits.size() < kHexadecimal.size() + kAlignment) {
    return in_.BadAt(place, "resource ", name, ": expected \"0x\", its alignment and its bytes");
  }
  digits.remove_prefix(kHexadecimal.size() + kAlignment);
  CTS_ASSIGN_OR_RETURN(Tensor tensor, Room(type, 4 * digits.size(), place));
  CTS_RETURN_IF_ERROR(Bytes(digits, StrCat("resource ", name, ": "), place, tensor));
  return tensor;
}

StatusOr<Tensor> LiteralReader::Dense() {
  in_.SkipSpace();
  const size_t place = in_.place();
  CTS_RETURN_IF_ERROR(in_.Expect("<"));
  const size_t begin = in_.place();
  const size_t length = in_.rest().find('>');
  if (length == std::string_view::npos) return in_.BadAt(place, "found no \">\" for it");
  in_.Advance(length + 1);
  CTS_RETURN_IF_ERROR(in_.Expect(":"));
  CTS_ASSIGN_OR_RETURN(const Type type, TensorType(in_));
  const size_t end = in_.place();
  in_.Return(begin);

  const bool empty = IsEmptyShape(type);
  const bool splat = !empty && !in_.At("[") && !in_.At("\"");
  CTS_ASSIGN_OR_RETURN(Tensor tensor, Room(type, splat ? UINT64_MAX : 8 * length, place));
  const auto width = static_cast<uint64_t>(StorageBytes(type.dtype));
  unsigned_ = type.is_unsigned;
  if (splat) {
    CTS_ASSIGN_OR_RETURN(const uint64_t bits, NumberAs(type.dtype));
    tensor.SetBits(0, bits);
    std::vector<uint8_t>& bytes = tensor.bytes();
    for (size_t i = width; i < bytes.size(); ++i) bytes[i] = bytes[i - width];
  } else if (in_.At("\"")) {
    CTS_RETURN_IF_ERROR(Blob(tensor));
  } else if (!empty) {
    int64_t next = 0;
    CTS_RETURN_IF_ERROR(NestedList(tensor, 0, &next));
  }
  unsigned_ = false;
  CTS_RETURN_IF_ERROR(in_.Expect(">"));
  in_.Return(end);
  return tensor;
}

StatusOr<Literal> LiteralReader::Value() {
  in_.SkipSpace();
  const size_t place = in_.place();
  const auto literal = [](auto value) -> StatusOr<Literal> {
    if (!value.ok()) return value.status();
    return Literal(*std::move(value));
  };
  if (in_.Peek() == '"') return literal(in_.String());
  if (in_.Peek() == '-' || IsDigit(in_.Peek())) return Number();
  if (in_.Accept("[")) return literal(IntegersUpTo("]"));
  if (in_.Accept("#")) {  // "#tosa.nan_mode<IGNORE>"
    CTS_ASSIGN_OR_RETURN(const std::string_view word, in_.Word("the name of an attribute"));
    if (!FromMlir(kMlirEnumerations, StrCat("#", word))) {
      in_.Return(place);
      return in_.Expected("an attribute of the tosa dialect");
    }
    CTS_RETURN_IF_ERROR(in_.Expect("<"));
    CTS_ASSIGN_OR_RETURN(const std::string_view value, in_.Word("the name of a value"));
    CTS_RETURN_IF_ERROR(in_.Expect(">"));
    return Literal(std::string(value));
  }
  CTS_ASSIGN_OR_RETURN(const std::string_view word, in_.Word("the value of an attribute"));
  if (word == "true" || word == "false") return Literal(word == "true");
  if (word == "dense") return literal(Dense());
  if (word == "dense_resource") return literal(DenseResource());
  if (word == "array") {
    CTS_RETURN_IF_ERROR(in_.Expect("<"));
    CTS_ASSIGN_OR_RETURN(const DType dtype, ReadElementType(in_));
    if (!IsInteger(dtype)) return in_.Expected("an array of integers");
    if (!in_.Accept(":")) {
      CTS_RETURN_IF_ERROR(in_.Expect(">"));
      return Literal(std::vector<int64_t>());
    }
    return literal(IntegersUpTo(">"));
  }
  if (const auto dtype = FindElementType(word)) return Literal(*dtype);
  return Literal(std::string(word));  // an enumerator, in the dialect's own syntax
}

Status LiteralReader::Attributes(Literals& attributes) {
  std::set<std::string> seen;
  for (const auto& [name, value] : attributes) seen.insert(name);
  if (in_.Accept("}")) return absl::OkStatus();
  do {
    in_.SkipSpace();
    const size_t place = in_.place();
    std::string name;
    if (in_.Peek() == '"') {
      CTS_ASSIGN_OR_RETURN(name, in_.String());
    } else {
      CTS_ASSIGN_OR_RETURN(name, in_.Word("the name of an attribute"));
    }
    if (!seen.insert(name).second) return in_.BadAt(place, name, " stands there twice");
    const bool foreign = name.find('.') != std::string::npos;
    if (foreign && !in_.At("=")) continue;
    CTS_RETURN_IF_ERROR(in_.Expect("="));
    CTS_ASSIGN_OR_RETURN(Literal value, Value());
    if (!foreign) attributes.emplace_back(std::move(name), std::move(value));
  } while (in_.Accept(","));
  return in_.Expect("}");
}

}  // namespace cts::mlir_parse
