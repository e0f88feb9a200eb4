#include "reference/base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace cts {
namespace {

TEST(IsUnprintable, IsWhatDrivesATerminalOrHides) {
  for (const uint32_t code : {0x00u, 0x1Bu, 0x7Fu, 0x9Bu, 0xADu, 0x200Bu, 0x200Fu, 0x202Eu, 0x2060u,
                              0x2069u, 0xFEFFu, 0xFFFFu}) {
    EXPECT_TRUE(IsUnprintable(code)) << std::hex << code;
  }
  for (const uint32_t code : {0x20u, 0x7Eu, 0xA0u, 0xE9u, 0x2010u, 0x20ACu, 0x4E2Du, 0x1F600u}) {
    EXPECT_FALSE(IsUnprintable(code)) << std::hex << code;
  }
}

TEST(HasUnprintable, FindsItAnywhereAndStrayBytesToo) {
  EXPECT_FALSE(HasUnprintable(""));
  EXPECT_FALSE(HasUnprintable("gr\xc3\xbc\xc3\x9f"));
  EXPECT_TRUE(HasUnprintable("abc\x1b"));
  EXPECT_TRUE(HasUnprintable("a\xe2\x80\xae"));
  EXPECT_TRUE(HasUnprintable("\xc3"));
  EXPECT_TRUE(HasUnprintable(std::string("\0", 1)));
}

// Every code point of Unicode, encoded by the rule of RFC 3629, is read back with its length.
TEST(DecodeUtf8, ReadsEveryCodePoint) {
  for (uint32_t code = 0; code <= 0x10FFFF; ++code) {
    std::string text;
    const auto tail = [&](int shift) {
      text += static_cast<char>(0x80 | ((code >> shift) & 0x3F));
    };
    if (code < 0x80) {
      text += static_cast<char>(code);
    } else if (code < 0x800) {
      text += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      text += static_cast<char>(0xE0 | (code >> 12));
      tail(6);
      tail(0);
    } else {
      text += static_cast<char>(0xF0 | (code >> 18));
      tail(12);
      tail(6);
      tail(0);
    }
    uint32_t read = 0;
    const size_t length = DecodeUtf8(text + "x", &read);
    const bool surrogate = code >= 0xD800 && code < 0xE000;
    ASSERT_EQ(length, surrogate ? 0 : text.size()) << std::hex << code;
    if (surrogate) continue;
    ASSERT_EQ(read, code);
  }
}

}  // namespace
}  // namespace cts
