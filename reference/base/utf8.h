// Finds characters in an untrusted text that are not visible in a terminal or in a document.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cts {

// Returns the length of the UTF-8 sequence at the front of `text`, and sets `code` to its
// character. Returns 0 if the sequence is invalid (RFC 3629: no overlong form, no surrogate,
// nothing above U+10FFFF). `text` must not be empty.
size_t DecodeUtf8(std::string_view text, uint32_t* code);

// Returns true for C0 and C1 controls, invisible characters, characters that change the direction
// of text, and the characters U+FFFE and U+FFFF, which XML 1.0 excludes.
bool IsUnprintable(uint32_t code);

// Whether the text contains a character for which IsUnprintable is true, or a byte that is not
// UTF-8.
bool HasUnprintable(std::string_view text);

}  // namespace cts
