// Text from untrusted files, and numbers, in a form for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/tensor.h"

namespace cts {

enum class Lines { kEscape, kKeep };

// Returns valid UTF-8 without unprintable characters. Unprintable characters and invalid bytes
// become \xNN, so that a message can neither break a document nor control a terminal. Line feeds
// and tabs become blanks, unless kKeep keeps them.
std::string Printable(std::string_view text, Lines lines = Lines::kEscape);

// The first `max_bytes` bytes, or fewer, of a printable text; followed by "..." if the text is
// longer.
std::string Shortened(std::string_view printable, size_t max_bytes);

// The last `max_bytes` bytes, or fewer, of a printable text; preceded by "..." if the text is
// longer.
std::string LastPart(std::string_view printable, size_t max_bytes);

// For XML and HTML, in text and within quotes: & < > " ' become entities; nothing else changes.
std::string EscapeMarkup(std::string_view text);

// Returns the text between the first `begin` and the next `end`.
std::string_view Between(std::string_view text, std::string_view begin, std::string_view end);

// Replaces the placeholders of a template by texts. Each placeholder occurs once, in the order of
// `parts`. The inserted texts are not searched for placeholders.
std::string FillIn(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& parts);

// The shortest text from which the same value can be read; "nan", "inf", "-inf".
std::string FormatDouble(double value);
// The value with six significant digits, for figures that no program reads.
std::string FormatFigure(double value);

// "3,954".
std::string WithCommas(int64_t count);

// A percentage such as "12 %". It has one decimal digit below 1 and from 99 on: "0.4 %", "99.0 %".
// It is "100 %" only if `part` equals `whole`, and "0 %" only if `part` is 0. Any other share below
// 0.1 % gives "below 0.1 %".
std::string PercentText(int64_t part, int64_t whole);

// A distance from the expected value: "3 ulp, 1.5 times what is allowed". `ulp` is in units in the
// last place. For an integer type, the distance is printed in full: "4521980".
std::string FormatDistance(double ulp, const std::optional<double>& of_bound, DType dtype);

// The value of one element.
std::string FormatElement(const Tensor& tensor, int64_t i);

// The last line that is not blank.
std::string LastLine(const std::string& text);

// The text as a word of a POSIX shell.
std::string ShellQuoted(std::string_view text);

}  // namespace cts
