// Finds characters in untrusted text that a terminal or a document does not show as a visible sign.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace cts {

// The length of the UTF-8 sequence at the front of `text`, which is not empty; 0 if it is invalid
// (RFC 3629: no overlong form, no surrogate, nothing above U+10FFFF). Sets `code`.
size_t DecodeUtf8(std::string_view text, uint32_t* code);

// True for C0 and C1 controls, invisible characters, characters that change the direction of text,
// and characters that XML 1.0 cannot contain.
bool IsUnprintable(uint32_t code);

// Whether the text has an unprintable character, or a byte that is not UTF-8.
bool HasUnprintable(std::string_view text);

}  // namespace cts
