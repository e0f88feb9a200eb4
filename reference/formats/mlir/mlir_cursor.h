// Reads text of MLIR word by word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts::mlir_parse {

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::optional<unsigned> HexDigit(char c);

// A text, and the place in it that is read next.
class Cursor {
 public:
  Cursor(std::string_view text, std::string_view origin) : text_(text), origin_(origin) {}
  size_t place() const { return at_; }
  void Return(size_t place) { at_ = place; }
  std::string_view rest() const { return text_.substr(at_); }
  // The next character, which may be white space; 0 at the end.
  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void Advance(size_t count = 1) { at_ += count; }
  void SkipSpace();
  bool AtEnd();
  bool At(std::string_view mark);
  bool Accept(std::string_view mark);
  Status Expect(std::string_view mark);
  // The word at the place, such as the name of an operation; empty if there is no word.
  std::string_view PeekWord();
  bool AcceptWord(std::string_view word);
  StatusOr<std::string_view> Word(std::string_view what);
  // Reads the digits or the name after %, @ or ^.
  StatusOr<std::string_view> Suffix(std::string_view what);
  StatusOr<int64_t> Size(std::string_view what);
  // The bytes of a string in quotes.
  StatusOr<std::string> String();
  // After an opening brace was accepted: skips the text up to and including its closing brace.
  Status SkipBraces();
  Status Expected(std::string_view what);
  // An error at a place, with line and column.
  template <class... Args>
  Status BadAt(size_t place, const Args&... args) const {
    return Bad(place, StrCat(args...));
  }

 private:
  Status Bad(size_t place, std::string message) const;

  const std::string_view text_;
  const std::string_view origin_;
  size_t at_ = 0;
};

}  // namespace cts::mlir_parse
