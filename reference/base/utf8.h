// Finds the characters of an untrusted text that terminals or documents do not show as visible
// signs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cts {

// Returns the length of the UTF-8 sequence at the front of `text`, and sets `code` to its
// character. Returns 0 if the sequence is invalid (RFC 3629: no overlong form, no surrogate,
// nothing above U+10FFFF). `text` must not be empty.
size_t DecodeUtf8(std::string_view text, uint32_t* code);

// True for C0 and C1 controls, invisible characters, characters that change the direction of text,
// and characters that XML 1.0 cannot contain.
bool IsUnprintable(uint32_t code);

// Whether the text has an unprintable character, or a byte that is not UTF-8.
bool HasUnprintable(std::string_view text);

}  // namespace cts
