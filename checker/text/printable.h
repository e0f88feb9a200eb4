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

// Returns valid UTF-8 without unprintable characters. Those and stray bytes become \xNN,
// so that a message can neither break a document nor drive a terminal. kKeep leaves line feeds and
// tabs.
std::string Printable(std::string_view text, Lines lines = Lines::kEscape);

// The first `max_bytes` of printable text, with "..." if that is not all.
std::string Shortened(std::string_view printable, size_t max_bytes);

// The last `max_bytes` or fewer of printable text, after "..." if that is not all.
std::string LastPart(std::string_view printable, size_t max_bytes);

// For XML and HTML, in text and within quotes: & < > " ' become entities; nothing else changes.
std::string EscapeMarkup(std::string_view text);

// Returns the text between the first `begin` and the next `end`.
std::string_view Between(std::string_view text, std::string_view begin, std::string_view end);

// Puts texts into the places of a template. Each place occurs once, and they follow each other in
// this order. The texts that were put in are not searched for places.
std::string FillIn(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& parts);

// The shortest text that reads back equal; "nan", "inf", "-inf".
std::string FormatDouble(double value);
// Six significant digits, for figures that are not read back.
std::string FormatFigure(double value);

// "3,954".
std::string WithCommas(int64_t count);

// "12 %"; from 99 on with a digit behind the point. Never 100 unless the share is all, never 0
// unless it is nothing.
std::string PercentText(int64_t part, int64_t whole);

// A distance from the expected value: "3 ulp, 1.5 times what is allowed". `ulp` is in units in the
// last place; integers are printed in full: "4521980".
std::string FormatDistance(double ulp, const std::optional<double>& of_bound, DType dtype);

// The value of one element.
std::string FormatElement(const Tensor& tensor, int64_t i);

// The last line that is not blank.
std::string LastLine(const std::string& text);

// The text as a word of a POSIX shell.
std::string ShellQuoted(std::string_view text);

}  // namespace cts
