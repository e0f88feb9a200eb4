#include "tools/program/ask/bit_pattern.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "reference/base/float_format.h"
#include "tools/program/ask/question_error.h"

namespace cts::judging {
namespace {

int PatternDigits(DType dtype) { return (Info(dtype).bits + 3) / 4; }

// The bits of a type as Tensor stores them: integers sign-extended to their storage.
uint64_t Stored(DType dtype, uint64_t bits) {
  if (IsFloat(dtype) || dtype == DType::kBool) return bits;
  const int shift = 64 - Info(dtype).bits;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
}

}  // namespace

uint64_t PatternMask(DType dtype) { return ~uint64_t{0} >> (64 - Info(dtype).bits); }

std::string Pattern(DType dtype, uint64_t bits) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (int digit = PatternDigits(dtype) - 1; digit >= 0; --digit) {
    text += kHex[(bits & PatternMask(dtype)) >> (4 * digit) & 15];
  }
  return text;
}

Tensor OfBits(DType dtype, const Shape& shape, uint64_t bits) {
  Tensor tensor(dtype, shape);
  tensor.SetBits(0, Stored(dtype, bits));
  return tensor;
}

namespace {

bool IsHexadecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

StatusOr<uint64_t> BitsFromText(const std::string& text, DType dtype, Digits digits,
                                bool unsigned_too) {
  const auto size = static_cast<size_t>(PatternDigits(dtype));
  const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view pattern = std::string_view(text).substr(prefixed ? 2 : 0);
  const std::string wanted =
      StrCat("expected ", size, " hexadecimal digits of ", Name(dtype), ", such as ",
             digits == Digits::kNumber ? "0x" : "", Pattern(dtype, uint64_t{1}));
  const bool is_pattern = IsHexadecimal(pattern) && (prefixed || digits == Digits::kPattern);
  if (is_pattern) {
    // A type of fewer than 8 bits may be written as the byte that stores it.
    const bool fits = pattern.size() == size || (size == 1 && pattern.size() == 2);
    const uint64_t bits = fits ? std::strtoull(std::string(pattern).c_str(), nullptr, 16) : 0;
    if (!fits || ((bits & ~PatternMask(dtype)) != 0 &&
                  OfBits(dtype, {}, bits & PatternMask(dtype)).Bits(0) != bits)) {
      return InvalidArgument("found \"", Shortened(Printable(text), kMaxShown), "\", ", wanted);
    }
    return bits & PatternMask(dtype);
  }
  const auto bad = [&] {
    return InvalidArgument("found \"", Shortened(Printable(text), kMaxShown), "\", ", wanted,
                           IsFloat(dtype) ? ", or a number such as 0.1, 0x1.8p3, -inf or nan"
                                          : ", or an integer of the type");
  };
  char* end = nullptr;
  if (text.empty() || text.front() == ' ') return bad();
  if (IsFloat(dtype)) {
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') return bad();
    const uint64_t bits = EncodeFloat(dtype, value);
    const bool named = text.find("inf") != text.npos || text.find("nan") != text.npos;
    if (!named && !std::isfinite(DecodeFloat(dtype, bits))) return bad();
    if (std::isinf(value) && std::isnan(DecodeFloat(dtype, bits))) return bad();
    return bits;
  }
  if (dtype == DType::kBool && (text == "true" || text == "false")) return text == "true" ? 1 : 0;
  errno = 0;
  const int64_t value = std::strtoll(text.c_str(), &end, 10);
  const int64_t greatest = unsigned_too && Info(dtype).bits < 63
                               ? (int64_t{1} << Info(dtype).bits) - 1
                               : IntegerMax(dtype);
  if (*end != '\0' || errno != 0 || value < IntegerMin(dtype) || value > greatest) return bad();
  return static_cast<uint64_t>(value) & PatternMask(dtype);
}

}  // namespace

StatusOr<uint64_t> BitsFromJson(const Json& json, DType dtype, Digits digits, bool unsigned_too) {
  if (json.is_string()) {
    return BitsFromText(json.get_ref<const std::string&>(), dtype, digits, unsigned_too);
  }
  if (json.is_boolean() && dtype == DType::kBool) return json.get<bool>() ? 1 : 0;
  if (json.is_number_integer() && !IsFloat(dtype)) {
    return BitsFromText(json.dump(), dtype, Digits::kNumber, unsigned_too);
  }
  if (json.is_number_float() && IsFloat(dtype)) {
    return BitsFromText(json.dump(), dtype, Digits::kNumber, unsigned_too);
  }
  // 16256 may be a number of bf16 or a bit pattern.
  return InvalidArgument("found ", Found(json), ", expected a string with ", PatternDigits(dtype),
                         " hexadecimal digits of ", Name(dtype),
                         IsFloat(dtype) ? "" : ", or an integer");
}

Json ValueOf(DType dtype, uint64_t bits) {
  if (IsFloat(dtype)) return FormatHex(DecodeFloat(dtype, bits));
  if (dtype == DType::kBool) return bits != 0;
  return static_cast<int64_t>(Stored(dtype, bits));
}

}  // namespace cts::judging
