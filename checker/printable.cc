#include "checker/printable.h"

#include <cassert>
#include <charconv>
#include <cmath>

namespace cts {
namespace {

// The length of the UTF-8 sequence at the front of `text`, 0 if it is none (RFC 3629: no overlong
// form, no surrogate, nothing above U+10FFFF). Sets `code`.
size_t DecodeUtf8(std::string_view text, uint32_t* code) {
  const auto byte = [text](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const size_t length = lead < 0x80   ? 1
                        : lead < 0xC2 ? 0
                        : lead < 0xE0 ? 2
                        : lead < 0xF0 ? 3
                        : lead < 0xF5 ? 4
                                      : 0;
  if (length == 0 || length > text.size()) return 0;
  *code = length == 1 ? lead : lead & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    *code = *code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && *code < 0x800) || (length == 4 && *code < 0x10000);
  const bool surrogate = *code >= 0xD800 && *code < 0xE000;
  return overlong || surrogate || *code > 0x10FFFF ? 0 : length;
}

// C0 and C1 controls, characters that turn the direction of text around, and characters that XML
// 1.0 cannot hold.
bool IsUnprintable(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0xFEFF || code == 0xFFFE || code == 0xFFFF;
}

void AppendEscaped(std::string_view bytes, std::string* out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : bytes) {
    const unsigned char value = static_cast<unsigned char>(c);
    *out += "\\x";
    *out += kHex[value >> 4];
    *out += kHex[value & 15];
  }
}

}  // namespace

std::string Printable(std::string_view text, Lines lines) {
  std::string result;
  while (!text.empty()) {
    uint32_t code = 0;
    const size_t length = DecodeUtf8(text, &code);
    const std::string_view bytes = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(bytes.size());
    if (length != 0 && (code == '\n' || code == '\t')) {
      result += lines == Lines::kKeep ? static_cast<char>(code) : ' ';
    } else if (length == 0 || IsUnprintable(code)) {
      AppendEscaped(bytes, &result);
    } else {
      result += bytes;
    }
  }
  return result;
}

std::string Shortened(std::string_view printable, size_t max_bytes) {
  if (printable.size() <= max_bytes) return std::string(printable);
  // Not within a sequence.
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(printable[end]) & 0xC0) == 0x80) --end;
  return std::string(printable.substr(0, end)) + "...";
}

std::string LastPart(std::string_view printable, size_t max_bytes) {
  if (printable.size() <= max_bytes) return std::string(printable);
  // Not within a sequence.
  size_t begin = printable.size() - max_bytes;
  while (begin < printable.size() &&
         (static_cast<unsigned char>(printable[begin]) & 0xC0) == 0x80) {
    ++begin;
  }
  return "..." + std::string(printable.substr(begin));
}

std::string EscapeMarkup(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string FillIn(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& parts) {
  std::string result;
  size_t at = 0;
  for (const auto& [place, part] : parts) {
    const size_t found = text.find(place, at);
    assert(found != std::string_view::npos);
    result.append(text.substr(at, found - at)).append(part);
    at = found + place.size();
  }
  return result.append(text.substr(at));
}

std::string FormatDouble(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

std::string FormatFigure(double value) {
  if (!std::isfinite(value)) return FormatDouble(value);
  char text[40];
  return {text, std::to_chars(text, text + sizeof(text), value, std::chars_format::general, 6).ptr};
}

std::string FormatElement(const Tensor& tensor, int64_t i) {
  if (IsFloat(tensor.dtype())) return FormatDouble(tensor.Float(i));
  if (tensor.dtype() == DType::kBool) return tensor.Integer(i) != 0 ? "true" : "false";
  return std::to_string(tensor.Integer(i));
}

std::string LastLine(const std::string& text) {
  const size_t end = text.find_last_not_of(" \t\n");
  if (end == std::string::npos) return "";
  const size_t line = text.rfind('\n', end);
  const size_t begin = text.find_first_not_of(" \t\n", line == std::string::npos ? 0 : line);
  return text.substr(begin, end + 1 - begin);
}

std::string ShellQuoted(std::string_view text) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/=:@%,";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace cts
