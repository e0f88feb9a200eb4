#include "checker/text/printable.h"

#include <cassert>
#include <charconv>
#include <cmath>

#include "reference/base/utf8.h"

namespace cts {
namespace {

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
  // The cut must not lie within a sequence.
  size_t end = max_bytes;
  while (end > 0 && (static_cast<unsigned char>(printable[end]) & 0xC0) == 0x80) --end;
  return std::string(printable.substr(0, end)) + "...";
}

std::string LastPart(std::string_view printable, size_t max_bytes) {
  if (printable.size() <= max_bytes) return std::string(printable);
  // The cut must not lie within a sequence.
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

std::string_view Between(std::string_view text, std::string_view begin, std::string_view end) {
  const size_t at = text.find(begin) + begin.size();
  return text.substr(at, text.find(end, at) - at);
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

std::string WithCommas(int64_t count) {
  std::string text = std::to_string(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string PercentText(int64_t part, int64_t whole) {
  if (part == whole) return "100 %";
  const int64_t thousandths = 1000 * part / whole;
  if (thousandths < 1) return part == 0 ? "0 %" : "below 0.1 %";
  if (thousandths >= 10 && thousandths < 990) return StrCat(thousandths / 10, " %");
  return StrCat(thousandths / 10, ".", thousandths % 10, " %");
}

std::string FormatDistance(double ulp, const std::optional<double>& of_bound, DType dtype) {
  std::string text;
  if (IsFloat(dtype)) {
    text = FormatFigure(ulp) + " ulp";
  } else if (std::isfinite(ulp)) {
    char digits[400];
    text = {digits,
            std::to_chars(digits, digits + sizeof(digits), ulp, std::chars_format::fixed).ptr};
  } else {
    text = FormatDouble(ulp);
  }
  if (of_bound && std::isfinite(*of_bound)) {
    text += ", " + FormatFigure(*of_bound) + " times what is allowed";
  }
  return text;
}

std::string FormatElement(const Tensor& tensor, int64_t i) {
  if (IsFloat(tensor.dtype())) return FormatDouble(tensor.Element(i));
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
