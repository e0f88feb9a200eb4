#include "tools/program/run/compare_repeats.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "reference/base/status.h"

namespace cts {
namespace {

// The part of a header that is needed to count elements; without it bytes are counted. Nothing here
// is trusted, and nothing here decides anything.
struct Layout {
  size_t data = 0;  // where the elements begin
  size_t item = 1;  // bytes of one
  bool little_endian = true;
  bool known = false;
  std::vector<size_t> shape;  // empty if not C order
};

Layout LayoutOf(std::string_view npy) {
  Layout layout;
  if (!npy.starts_with("\x93NUMPY") || npy.size() < 10 || npy[6] != 1) return layout;
  const size_t length = static_cast<uint8_t>(npy[8]) + 256 * static_cast<uint8_t>(npy[9]);
  const std::string_view header = npy.substr(10, length);
  const auto behind = [&](std::string_view key) {
    const size_t at = header.find(key);
    return at == header.npos ? std::string_view() : header.substr(at + key.size());
  };
  const auto number = [](std::string_view& text) {
    size_t value = 0;
    while (!text.empty() && text[0] >= '0' && text[0] <= '9') {
      value = std::min<size_t>(value * 10 + static_cast<size_t>(text[0] - '0'), 1ull << 40);
      text.remove_prefix(1);
    }
    return value;
  };
  std::string_view descr = behind("'descr': '");
  std::string_view shape = behind("'shape': (");
  if (descr.size() < 3 || 10 + length > npy.size()) return layout;
  layout.little_endian = descr[0] != '>';
  descr.remove_prefix(2);
  layout.item = number(descr);
  layout.data = 10 + length;
  layout.known = layout.item >= 1 && layout.item <= 8;
  if (behind("'fortran_order': ").starts_with("False")) {
    while (!shape.empty() && shape[0] != ')' && layout.shape.size() < 32) {
      if (shape[0] >= '0' && shape[0] <= '9') {
        layout.shape.push_back(number(shape));
      } else {
        shape.remove_prefix(1);
      }
    }
  }
  return layout;
}

std::string Bits(std::string_view bytes, bool little_endian) {
  std::string text = "0x";
  for (size_t i = 0; i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[little_endian ? bytes.size() - 1 - i : i]);
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

// " [1, 2]" of an element in C order.
std::string IndexText(size_t element, const std::vector<size_t>& shape) {
  if (shape.empty()) return "";
  std::string text;
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 0) return "";
    text = StrCat(element % shape[d], text.empty() ? "" : ", ", text);
    element /= shape[d];
  }
  return element == 0 ? StrCat(" [", text, "]") : "";
}

}  // namespace

std::string FirstDifference(std::string_view first, std::string_view second, int repeat) {
  if (first == second) return "";
  if (first.size() != second.size()) {
    return StrCat(first.size(), " bytes the first time, ", second.size(), " in repeat ", repeat);
  }
  const auto at = static_cast<size_t>(
      std::mismatch(first.begin(), first.end(), second.begin()).first - first.begin());
  const Layout layout = LayoutOf(first);
  if (!layout.known || at < layout.data) {
    return StrCat("byte ", at, ": ", Bits(first.substr(at, 1), true), " the first time, ",
                  Bits(second.substr(at, 1), true), " in repeat ", repeat);
  }
  const auto item = [&](std::string_view bytes, size_t element) {
    return bytes.substr(layout.data + element * layout.item, layout.item);
  };
  const size_t element = (at - layout.data) / layout.item;
  const size_t all = (first.size() - layout.data) / layout.item;
  size_t different = 0;
  for (size_t i = element; i < all; ++i) different += item(first, i) != item(second, i) ? 1 : 0;
  return StrCat("element ", element, IndexText(element, layout.shape), ": ",
                Bits(item(first, element), layout.little_endian), " the first time, ",
                Bits(item(second, element), layout.little_endian), " in repeat ", repeat, "; ",
                different, " of ", all, " elements differ");
}

}  // namespace cts
