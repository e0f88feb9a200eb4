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
// and tabs become blanks with kEscape, and stay with kKeep.
std::string Printable(std::string_view text, Lines lines = Lines::kEscape);

// The first `max_bytes` bytes of a printable text, or slightly fewer in order not to cut a
// character. "..." follows if the text is longer.
std::string Shortened(std::string_view printable, size_t max_bytes);

// The last `max_bytes` bytes of a printable text, or slightly fewer in order not to cut a
// character. "..." precedes them if the text is longer.
std::string LastPart(std::string_view printable, size_t max_bytes);

// For XML and HTML, in text and within quotes: & < > " ' become entities; nothing else changes.
std::string EscapeMarkup(std::string_view text);

// Returns the part of `text` between the first `begin` and the next `end`. Both must occur.
std::string_view Between(std::string_view text, std::string_view begin, std::string_view end);

// Replaces placeholders in a text. `parts` has pairs of a placeholder and its replacement. Each
// placeholder must occur in the text, in the order of `parts`; only one occurrence is replaced. The
// inserted texts are not searched for placeholders.
std::string FillIn(std::string_view text,
                   const std::vector<std::pair<std::string_view, std::string>>& parts);

// The shortest text from which the same value can be read; "nan", "inf" or "-inf" for values that
// are no finite numbers.
std::string FormatDouble(double value);
// The value with six significant digits, for figures that no program reads.
std::string FormatFigure(double value);

// "3,954".
std::string WithCommas(int64_t count);

// A percentage such as "12 %". It has one decimal digit below 1 and from 99 on: "0.4 %", "99.0 %".
// It is "100 %" only if `part` equals `whole`, and "0 %" only if `part` is 0. For any other share
// below 0.1 % it is "below 0.1 %".
std::string PercentText(int64_t part, int64_t whole);

// A distance from the expected value: "3 ulp, 1.5 times what is allowed". `ulp` and `of_bound` are
// as in ElementError (checker/rules/match.h). For an integer type, the difference is printed in
// full and without a unit: "4521980".
std::string FormatDistance(double ulp, const std::optional<double>& of_bound, DType dtype);

// The value of one element as text: "true", "-3", "1.5".
std::string FormatElement(const Tensor& tensor, int64_t i);

// The last line of the text that is not blank; empty if all lines are blank.
std::string LastLine(const std::string& text);

// The text as one word of a POSIX shell, quoted if necessary.
std::string ShellQuoted(std::string_view text);

}  // namespace cts
