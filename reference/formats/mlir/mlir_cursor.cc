#include "reference/formats/mlir/mlir_cursor.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cts::mlir_parse {
namespace {

bool IsInName(char c) { return IsLetter(c) || IsDigit(c) || c == '$' || c == '.'; }

}  // namespace

std::optional<unsigned> HexDigit(char c) {
  if (IsDigit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

void Cursor::SkipSpace() {
  while (at_ < text_.size()) {
    if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    } else if (rest().starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

bool Cursor::AtEnd() {
  SkipSpace();
  return at_ == text_.size();
}

bool Cursor::At(std::string_view mark) {
  SkipSpace();
  return rest().starts_with(mark);
}

bool Cursor::Accept(std::string_view mark) {
  if (!At(mark)) return false;
  at_ += mark.size();
  return true;
}

Status Cursor::Expect(std::string_view mark) {
  if (Accept(mark)) return absl::OkStatus();
  return Expected(StrCat("\"", mark, "\""));
}

std::string_view Cursor::PeekWord() {
  SkipSpace();
  size_t end = at_;
  if (IsLetter(Peek())) {
    while (end < text_.size() && IsInName(text_[end])) ++end;
  }
  return text_.substr(at_, end - at_);
}

bool Cursor::AcceptWord(std::string_view word) {
  if (PeekWord() != word) return false;
  at_ += word.size();
  return true;
}

StatusOr<std::string_view> Cursor::Word(std::string_view what) {
  const std::string_view word = PeekWord();
  if (word.empty()) return Expected(what);
  at_ += word.size();
  return word;
}

StatusOr<std::string_view> Cursor::Suffix(std::string_view what) {
  size_t end = at_;
  const bool digits = IsDigit(Peek());
  while (end < text_.size() &&
         (digits ? IsDigit(text_[end]) : IsInName(text_[end]) || text_[end] == '-')) {
    ++end;
  }
  if (end == at_) return Expected(what);
  const std::string_view suffix = text_.substr(at_, end - at_);
  at_ = end;
  return suffix;
}

StatusOr<int64_t> Cursor::Size(std::string_view what) {
  int64_t value = 0;
  const std::string_view digits = rest();
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || !IsDigit(Peek())) return Expected(what);
  at_ += static_cast<size_t>(end - digits.data());
  return value;
}

StatusOr<std::string> Cursor::String() {
  CTS_RETURN_IF_ERROR(Expect("\""));
  std::string value;
  for (; Peek() != '"'; Advance()) {
    if (at_ == text_.size() || Peek() == '\n') return Expected("the end of a string");
    if (Peek() != '\\') {
      value += Peek();
      continue;
    }
    Advance();
    const std::string_view escape = rest().substr(0, 2);
    if (escape.starts_with('"') || escape.starts_with('\\')) {
      value += escape[0];
    } else if (escape.starts_with('n') || escape.starts_with('t')) {
      value += escape[0] == 'n' ? '\n' : '\t';
    } else {
      const auto high = escape.size() == 2 ? HexDigit(escape[0]) : std::nullopt;
      const auto low = escape.size() == 2 ? HexDigit(escape[1]) : std::nullopt;
      if (!high || !low) return Expected("an escape such as \\\" or \\0A");
      value += static_cast<char>(*high * 16 + *low);
      Advance();
    }
  }
  Advance();
  return value;
}

Status Cursor::SkipBraces() {
  for (int open = 1; open > 0;) {
    if (AtEnd()) return Expected("\"}\"");
    if (Peek() == '"') {
      CTS_RETURN_IF_ERROR(String().status());
      continue;
    }
    if (Peek() == '{') ++open;
    if (Peek() == '}') --open;
    Advance();
  }
  return absl::OkStatus();
}

Status Cursor::Expected(std::string_view what) {
  SkipSpace();
  if (at_ == text_.size()) return BadAt(at_, "found the end, expected ", what);
  const std::string_view found = rest().substr(0, std::min<size_t>(rest().find('\n'), 24));
  return BadAt(at_, "found \"", found, "\", expected ", what);
}

Status Cursor::Bad(size_t place, std::string message) const {
  const std::string_view before = text_.substr(0, place);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t column = place - (before.rfind('\n') + 1) + 1;  // npos + 1 is 0
  for (char& c : message) {                                    // quoted names may have any bytes
    if (c < ' ' || c > '~') c = '?';
  }
  return InvalidArgument(origin_, ":", line, ":", column, ": ", message);
}

}  // namespace cts::mlir_parse
