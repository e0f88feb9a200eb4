#include "reference/base/npy.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <optional>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/float_format.h"
#include "reference/base/plain_arithmetic.h"

namespace cts {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors hold the bytes of .npy files");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 64 * 1024;
constexpr size_t kMaxRank = 64;
constexpr size_t kAlignment = 64;

// NumPy's description of elements: a byte order, a kind and a size, such as "<f4".
struct NpyType {
  char kind = 0;  // b, i, u, f or V
  int bytes = 0;
  bool big_endian = false;
};

struct Header {
  std::string_view descr;
  bool fortran_order = false;
  Shape shape;
};

// Unprintable characters are shown as '?'; long texts are cut.
std::string Printable(std::string_view text) {
  std::string result(text.substr(0, 60));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return result + (text.size() > 60 ? "..." : "");
}

// Parses the header, a Python dictionary display:
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  StatusOr<Header> Parse() {
    constexpr std::string_view kKeys[] = {"descr", "fortran_order", "shape"};
    Header header;
    bool seen[std::size(kKeys)] = {};
    CTS_RETURN_IF_ERROR(Expect('{'));
    while (!Accept('}')) {
      CTS_ASSIGN_OR_RETURN(const std::string_view key, String());
      CTS_RETURN_IF_ERROR(Expect(':'));
      const auto known = std::find(std::begin(kKeys), std::end(kKeys), key) - std::begin(kKeys);
      if (known == std::ssize(kKeys) || seen[known]) {
        return Error(StrCat("key '", Printable(key), "'"),
                     "descr, fortran_order, shape, each once");
      }
      seen[known] = true;
      if (key == "descr") {
        if (Peek() == '[') return Error("a structured type", "one type such as '<f4'");
        CTS_ASSIGN_OR_RETURN(header.descr, String());
      } else if (key == "fortran_order") {
        CTS_ASSIGN_OR_RETURN(header.fortran_order, Boolean());
      } else {
        CTS_ASSIGN_OR_RETURN(header.shape, Tuple());
      }
      if (!Accept(',') && Peek() != '}') return Error(Found(), "',' or '}'");
    }
    if (Peek() != '\0') return Error(Found(), "the end of the header");
    for (size_t i = 0; i < std::size(kKeys); ++i) {
      if (!seen[i]) return Error("the end of the header", StrCat("key '", kKeys[i], "'"));
    }
    return header;
  }

 private:
  Status Error(std::string_view found, std::string_view expected) const {
    return InvalidArgument("header, column ", at_ + 1, ": found ", found, ", expected ", expected);
  }

  std::string Found() {
    return Peek() == '\0' ? "the end of the header"
                          : StrCat("'", Printable(text_.substr(at_)), "'");
  }

  // The next character that is not white space, or '\0'. A NUL itself is an error wherever it is.
  char Peek() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
    return at_ < text_.size() ? (text_[at_] == '\0' ? '?' : text_[at_]) : '\0';
  }

  bool Accept(char c) {
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  Status Expect(char c) {
    if (Accept(c)) return absl::OkStatus();
    return Error(Found(), StrCat("'", c, "'"));
  }

  StatusOr<std::string_view> String() {
    const char quote = Peek();
    if (quote != '\'' && quote != '"') return Error(Found(), "a string");
    const size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return Error("a string without end", StrCat(quote));
    const std::string_view text = text_.substr(at_ + 1, end - at_ - 1);
    if (text.find('\\') != std::string_view::npos) return Error("'\\' in a string", "none");
    at_ = end + 1;
    return text;
  }

  StatusOr<bool> Boolean() {
    for (const auto& [word, value] : {std::pair("True", true), std::pair("False", false)}) {
      if (Peek() == word[0] && text_.substr(at_, std::strlen(word)) == word) {
        at_ += std::strlen(word);
        return value;
      }
    }
    return Error(Found(), "True or False");
  }

  StatusOr<int64_t> Size() {
    if (Peek() < '0' || Peek() > '9') return Error(Found(), "a dimension");
    const size_t start = at_;
    int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (at_ - start == 18) return Error("a dimension of more than 18 digits", "a shorter one");
      value = value * 10 + (text_[at_] - '0');
    }
    return value;
  }

  StatusOr<Shape> Tuple() {
    Shape shape;
    CTS_RETURN_IF_ERROR(Expect('('));
    while (!Accept(')')) {
      if (shape.size() == kMaxRank)
        return Error("more", StrCat("at most ", kMaxRank, " dimensions"));
      CTS_ASSIGN_OR_RETURN(const int64_t size, Size());
      shape.push_back(size);
      // "(3)" is a number in Python: one dimension needs its comma.
      if (!Accept(',') && (Peek() != ')' || shape.size() == 1)) return Error(Found(), "','");
    }
    return shape;
  }

  const std::string_view text_;
  size_t at_ = 0;
};

// The type that `descr` names, if it is one that we know how to read as some dtype.
std::optional<NpyType> ParseDescr(std::string_view descr) {
  if (descr.size() != 3) return std::nullopt;
  const NpyType type = {descr[1], descr[2] - '0', descr[0] == '>'};
  const bool known = (type.kind == 'b' && type.bytes == 1) ||
                     ((type.kind == 'i' || type.kind == 'u') &&
                      (type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8)) ||
                     (type.kind == 'f' &&
                      (type.bytes == 1 || type.bytes == 2 || type.bytes == 4 || type.bytes == 8)) ||
                     (type.kind == 'V' && (type.bytes == 1 || type.bytes == 2));
  // Raw bytes (V) have no order in NumPy; "<V2" and "|V2" both occur, ">V2" would be a guess.
  const std::string_view orders = type.bytes == 1 ? "|<>" : type.kind == 'V' ? "|<" : "<>";
  if (!known || orders.find(descr[0]) == std::string_view::npos) return std::nullopt;
  return type;
}

// Whether elements of `type` can be read as `dtype` (their values may still forbid it).
bool IsReadableAs(const NpyType& type, DType dtype) {
  const int bytes = StorageBytes(dtype);
  if (dtype == DType::kBool) return type.kind != 'f' && type.kind != 'V' && type.bytes == 1;
  if (IsInteger(dtype)) return type.kind == 'i' || type.kind == 'u';
  if (type.kind == 'u') return type.bytes == bytes && Info(dtype).bits <= 16;
  // This does not hold for fp16, which NumPy has: these would be the bits of bf16.
  if (type.kind == 'V') return type.bytes == bytes && Info(dtype).npy[1] == 'V';
  if (type.kind != 'f') return false;
  if (type.bytes == 1) return dtype == DType::kFp8E5M2;  // what ml_dtypes calls that type alone
  return type.bytes > bytes || (type.bytes == bytes && dtype != DType::kBf16);
}

// Whether unsigned integers of `type` may be the bits of an integer type.
bool IsBitsOf(const NpyType& type, DType dtype) {
  return IsInteger(dtype) && type.kind == 'u' && Info(dtype).bits == 8 * type.bytes;
}

std::string_view ReadableDescrs(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "'|b1', or '|i1' or '|u1' of 0 and 1";
    case DType::kFp8E5M2:
      return "'|V1', '|u1' or '<f1' with the bits, or '<f2', '<f4' or '<f8' with exact values";
    case DType::kFp8E4M3:
      return "'|V1' or '|u1' with the bits, or '<f2', '<f4' or '<f8' with exact values";
    case DType::kBf16:
      return "'<V2' or '<u2' with the bits, or '<f4' or '<f8' with exact values";
    case DType::kFp16:
      return "'<f2', '<u2' with the bits, or '<f4' or '<f8' with exact values";
    case DType::kFp32:
      return "'<f4', or '<f8' with exact values";
    case DType::kFp64:
      return "'<f8'";
    default:
      return "an integer type whose values fit";
  }
}

uint64_t LoadElement(const char* data, const NpyType& type) {
  uint64_t bits = 0;
  for (int i = 0; i < type.bytes; ++i) {
    const int byte = type.big_endian ? type.bytes - 1 - i : i;
    bits |= static_cast<uint64_t>(static_cast<unsigned char>(data[i])) << (8 * byte);
  }
  return bits;
}

bool IsOfType(int64_t value, DType dtype) {
  return value >= IntegerMin(dtype) && value <= IntegerMax(dtype);
}

template <class T>
Status OutsideType(T found, DType dtype) {
  return InvalidArgument("found ", found, ", expected ", IntegerMin(dtype), " to ",
                         IntegerMax(dtype), " for ", Name(dtype));
}

// The bits of `dtype` for an element of `type`, or what is wrong with its value.
StatusOr<uint64_t> Convert(uint64_t bits, const NpyType& type, DType dtype) {
  if (IsFloat(dtype)) {
    if (type.bytes == StorageBytes(dtype)) return bits;
    const DType wide = type.bytes == 2   ? DType::kFp16
                       : type.bytes == 4 ? DType::kFp32
                                         : DType::kFp64;
    const double value = DecodeFloat(wide, bits);
    const uint64_t narrow = EncodeFloat(dtype, value);
    // Compares bits, so that NaN and the sign of zero do not slip through.
    if (std::bit_cast<uint64_t>(DecodeFloat(dtype, narrow)) != std::bit_cast<uint64_t>(value) &&
        value == value) {
      char text[40];
      std::snprintf(text, sizeof(text), "%.17g", value);
      return InvalidArgument("found ", text, ", expected a value of ", Name(dtype));
    }
    return narrow;
  }
  const int shift = 64 - 8 * type.bytes;
  const bool is_signed = type.kind == 'i';
  const int64_t value =
      is_signed ? static_cast<int64_t>(bits << shift) >> shift : static_cast<int64_t>(bits);
  if (!is_signed && bits > static_cast<uint64_t>(INT64_MAX)) return OutsideType(bits, dtype);
  if (!IsOfType(value, dtype)) return OutsideType(value, dtype);
  return static_cast<uint64_t>(value);
}

// The elements are stored as in a tensor, and any bytes are right, or all these are: nothing is
// left to convert. Large tensors are compared faster than they are loaded element by element.
bool NeedNoConversion(const NpyType& type, DType dtype, std::string_view data) {
  if (type.big_endian || type.bytes != StorageBytes(dtype)) return false;
  if (IsFloat(dtype)) return true;
  if (dtype == DType::kBool) {
    unsigned char all = 0;
    for (const char c : data) all |= static_cast<unsigned char>(c);
    return all <= 1;
  }
  return type.kind == 'i' && Info(dtype).bits == 8 * type.bytes;
}

uint64_t LittleEndian(std::string_view bytes) {
  return LoadElement(bytes.data(), {'u', static_cast<int>(bytes.size()), false});
}

// Splits the file into header text and data.
Status Split(std::string_view bytes, std::string_view* header, std::string_view* data) {
  if (bytes.substr(0, kMagic.size()) != kMagic) {
    return InvalidArgument("magic: found '", Printable(bytes.substr(0, kMagic.size())),
                           "', expected '\\x93NUMPY' of a .npy file");
  }
  if (bytes.size() < kMagic.size() + 2) {
    return InvalidArgument("header: truncated after ", bytes.size(), " bytes");
  }
  const int major = static_cast<unsigned char>(bytes[6]);
  const int minor = static_cast<unsigned char>(bytes[7]);
  if (major < 1 || major > 3 || minor != 0) {
    return InvalidArgument("version: found ", major, ".", minor, ", expected 1.0, 2.0 or 3.0");
  }
  const size_t start = kMagic.size() + 2 + (major == 1 ? 2 : 4);
  if (bytes.size() < start) {
    return InvalidArgument("header: truncated after ", bytes.size(), " bytes");
  }
  const uint64_t length = LittleEndian(bytes.substr(8, start - 8));
  if (length > kMaxHeader) {
    return InvalidArgument("header length: found ", length, ", expected at most ", kMaxHeader);
  }
  if (length > bytes.size() - start) {
    return InvalidArgument("header: truncated, found ", bytes.size() - start, " bytes, expected ",
                           length);
  }
  *header = bytes.substr(start, length);
  *data = bytes.substr(start + length);
  return absl::OkStatus();
}

// A file of `bytes`, the elements of a tensor of this shape.
std::string Encode(std::string_view descr, const Shape& dimensions,
                   const std::vector<uint8_t>& elements) {
  std::string shape;
  for (int64_t size : dimensions) shape += StrCat(shape.empty() ? "" : ", ", size);
  if (dimensions.size() == 1) shape += ',';
  std::string header =
      StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': (", shape, "), }");
  // As numpy.save of NumPy 1.23 and later: room for the first dimension to grow to 21 digits, then
  // 1 to 64 spaces and a line feed.
  if (!dimensions.empty()) header.append(21 - StrCat(dimensions[0]).size(), ' ');
  const size_t prefix = kMagic.size() + 4;
  header.append(kAlignment - (prefix + header.size() + 1) % kAlignment, ' ');
  header += '\n';

  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(header.size() & 0xFF), static_cast<char>(header.size() >> 8)};
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size());
  return bytes;
}

// A file whose header and length are as expected.
struct Elements {
  NpyType type;
  bool fortran_order = false;
  std::string_view data;

  // Calls `f(offset into the tensor, element)` for each until one is an error.
  template <class F>
  Status ForEach(const Shape& shape, F f) const {
    const Shape reversed(shape.rbegin(), shape.rend());
    for (int64_t i = 0, count = ElementCount(shape); i < count; ++i) {
      int64_t offset = i;
      if (fortran_order) {
        Shape index = Index(reversed, i);
        std::reverse(index.begin(), index.end());
        offset = Offset(shape, index);
      }
      CTS_RETURN_IF_ERROR(f(offset, LoadElement(data.data() + i * type.bytes, type)));
    }
    return absl::OkStatus();
  }
};

// Reads the header of a file for the elements of `shape`, `count` in all. The type must be one that
// `is_readable`; `expected` says which are, and `name` for what.
template <class IsReadable>
StatusOr<Elements> Open(std::string_view bytes, int64_t count, const Shape& shape,
                        IsReadable is_readable, std::string_view expected, std::string_view name) {
  std::string_view header_text;
  std::string_view data;
  CTS_RETURN_IF_ERROR(Split(bytes, &header_text, &data));
  CTS_ASSIGN_OR_RETURN(const Header header, HeaderParser(header_text).Parse());

  const std::optional<NpyType> type = ParseDescr(header.descr);
  if (!type || !is_readable(*type)) {
    const bool is_object = header.descr.find('O') != std::string::npos;
    return InvalidArgument("descr: found '", Printable(header.descr), "'",
                           is_object ? " (pickled Python objects)" : "", ", expected ", expected,
                           " for ", name);
  }
  if (header.shape != shape) {
    return InvalidArgument("shape: found ", ToString(header.shape), ", expected ", ToString(shape));
  }
  const uint64_t expected_elements = static_cast<uint64_t>(count);
  if (data.size() / type->bytes < expected_elements) {
    return InvalidArgument("data: truncated, found ", data.size(), " bytes, expected ", count,
                           " elements of ", type->bytes);
  }
  if (data.size() != expected_elements * type->bytes) {
    return InvalidArgument("data: found ", data.size() - expected_elements * type->bytes,
                           " trailing bytes, expected ", expected_elements * type->bytes,
                           " bytes in all");
  }
  return Elements{*type, header.fortran_order, data};
}

bool IsReadableAsScale(const NpyType& type) {
  return type.bytes == 1 && (type.kind == 'V' || type.kind == 'u');
}

std::filesystem::path ScalePath(std::filesystem::path path) {
  return path.replace_extension(".scale.npy");
}

}  // namespace

std::string EncodeNpy(const Tensor& tensor, std::string_view descr) {
  return Encode(descr.empty() ? Info(tensor.dtype()).npy : descr, tensor.shape(), tensor.bytes());
}

std::string EncodeScaleNpy(const Tensor& tensor) {
  assert(tensor.is_block_scaled());
  return Encode("|V1", *ScaleShape(tensor.shape()), tensor.scales());
}

Status CheckElements(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  if (IsFloat(dtype)) return absl::OkStatus();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    // Tensor::Integer knows two values of bool only.
    const int64_t value =
        dtype == DType::kBool ? static_cast<int64_t>(tensor.Bits(i)) : tensor.Integer(i);
    if (IsOfType(value, dtype)) continue;
    return Annotate(OutsideType(value, dtype),
                    StrCat("element ", ToString(Index(tensor.shape(), i))));
  }
  return absl::OkStatus();
}

StatusOr<Tensor> DecodeNpy(std::string_view bytes, DType dtype, const Shape& shape,
                           bool is_unsigned) {
  const PlainArithmetic plain;
  CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
  const auto is_readable = [dtype](const NpyType& type) { return IsReadableAs(type, dtype); };
  CTS_ASSIGN_OR_RETURN(Elements elements,
                       Open(bytes, count, shape, is_readable, ReadableDescrs(dtype), Name(dtype)));
  if (is_unsigned && IsBitsOf(elements.type, dtype)) elements.type.kind = 'i';
  Tensor tensor(dtype, shape);
  if (!elements.fortran_order && NeedNoConversion(elements.type, dtype, elements.data)) {
    std::copy(elements.data.begin(), elements.data.end(), tensor.bytes().begin());
    return tensor;
  }
  CTS_RETURN_IF_ERROR(elements.ForEach(shape, [&](int64_t offset, uint64_t found) {
    const StatusOr<uint64_t> element = Convert(found, elements.type, dtype);
    if (!element.ok()) {
      return Annotate(element.status(), StrCat("element ", ToString(Index(shape, offset))));
    }
    tensor.SetBits(offset, *element);
    return absl::OkStatus();
  }));
  return tensor;
}

StatusOr<Tensor> DecodeBlockScaledNpy(std::string_view values, std::string_view scales, DType dtype,
                                      const Shape& shape) {
  CTS_ASSIGN_OR_RETURN(const Shape scale_shape, ScaleShape(shape));
  CTS_ASSIGN_OR_RETURN(const Tensor plain, DecodeNpy(values, dtype, shape));
  const StatusOr<Elements> elements =
      Open(scales, ElementCount(scale_shape), scale_shape, IsReadableAsScale,
           "'|V1' or '|u1' with the bits", kScaleType);
  if (!elements.ok()) return Annotate(elements.status(), "scales");
  CTS_ASSIGN_OR_RETURN(Tensor tensor, Tensor::BlockScaled(dtype, shape));
  tensor.bytes() = plain.bytes();
  CTS_RETURN_IF_ERROR(elements->ForEach(scale_shape, [&](int64_t offset, uint64_t bits) {
    tensor.scales()[static_cast<size_t>(offset)] = static_cast<uint8_t>(bits);
    return absl::OkStatus();
  }));
  return tensor;
}

uint64_t MaxNpyBytes(int64_t elements) {
  return uint64_t{8} * std::min<int64_t>(elements, int64_t{1} << 40) + kMaxHeader + 12;
}

Status WriteNpy(const std::filesystem::path& path, const Tensor& tensor) {
  if (tensor.is_block_scaled()) {
    CTS_RETURN_IF_ERROR(WriteFile(ScalePath(path), EncodeScaleNpy(tensor)));
  }
  return WriteFile(path, EncodeNpy(tensor));
}

StatusOr<Tensor> ReadNpy(const std::filesystem::path& path, DType dtype, const Shape& shape) {
  CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, MaxNpyBytes(count)));
  StatusOr<Tensor> tensor = DecodeNpy(bytes, dtype, shape);
  if (!tensor.ok()) return Annotate(tensor.status(), path.string());
  return tensor;
}

StatusOr<Tensor> ReadBlockScaledNpy(const std::filesystem::path& path, DType dtype,
                                    const Shape& shape) {
  CTS_ASSIGN_OR_RETURN(const int64_t count, CheckedElementCount(shape));
  CTS_ASSIGN_OR_RETURN(const std::string values, ReadFile(path, MaxNpyBytes(count)));
  CTS_ASSIGN_OR_RETURN(const std::string scales, ReadFile(ScalePath(path), MaxNpyBytes(count)));
  StatusOr<Tensor> tensor = DecodeBlockScaledNpy(values, scales, dtype, shape);
  if (!tensor.ok()) return Annotate(tensor.status(), path.string());
  return tensor;
}

std::string StoredAsOther(std::string_view bytes, DType dtype, bool is_unsigned) {
  std::string_view header_text, data;
  if (!Split(bytes, &header_text, &data).ok()) return "";
  const StatusOr<Header> header = HeaderParser(header_text).Parse();
  if (!header.ok()) return "";
  const std::optional<NpyType> type = ParseDescr(header->descr);
  if (!type || (is_unsigned && IsBitsOf(*type, dtype))) return "";
  const bool other_kind =
      (dtype == DType::kBool && type->kind != 'b') || (IsInteger(dtype) && type->kind != 'i');
  return other_kind || type->bytes != StorageBytes(dtype) ? std::string(header->descr) : "";
}

StatusOr<Shape> DecodeNpyShape(std::string_view bytes) {
  std::string_view header_text, data;
  CTS_RETURN_IF_ERROR(Split(bytes, &header_text, &data));
  CTS_ASSIGN_OR_RETURN(Header header, HeaderParser(header_text).Parse());
  return std::move(header.shape);
}

StatusOr<Shape> ReadNpyShape(const std::filesystem::path& path) {
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  StatusOr<Shape> shape = DecodeNpyShape(bytes);
  if (!shape.ok()) return Annotate(shape.status(), path.string());
  return shape;
}

}  // namespace cts
