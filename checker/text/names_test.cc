#include "checker/text/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unicode/unistr.h>
#include <unicode/uspoof.h>

#include <memory>
#include <random>

namespace cts {
namespace {

using testing::HasSubstr;

std::string Normal(std::string_view name) {
  const StatusOr<std::string> normal = NormalName(name);
  return normal.ok() ? *normal : Message(normal.status());
}

std::string Fault(std::string_view name) {
  const StatusOr<std::string> fault = FaultOfName(name);
  return fault.ok() ? *fault : Message(fault.status());
}

TEST(NormalName, IsNfkcWithSingleBlanks) {
  EXPECT_EQ(Normal(" a  b "), "a b");
  EXPECT_EQ(Normal("\xef\xbc\xae\xef\xbc\xb0\xef\xbc\xb5"), "NPU");  // full width
  EXPECT_EQ(Normal("e\xcc\x81"), "\xc3\xa9");                        // composed
  EXPECT_EQ(Normal("a\xc2\xa0"
                   "b"),
            "a b");  // no-break space
  EXPECT_EQ(Normal(""), "");
}

TEST(FaultOfName, TakesWhatVendorsAreCalled) {
  for (const char* name :
       {"NPU-1", "Gr\xc3\xbc\xc3\x9f 2.0", "\xe5\x8d\x8e\xe4\xb8\xba NPU",
        "\xd0\xad\xd0\xbb\xd1\x8c\xd0\xb1\xd1\x80\xd1\x83\xd1\x81", "1.0+build",
        "\xe4\xb8\x89\xe6\x98\x9f", "\xec\x82\xbc\xec\x84\xb1 2.0",
        "Gr\xc3\xbc\xc3\x9f"
        "e NPU",
        "\xe3\x82\xbd\xe3\x83\x8b\xe3\x83\xbc NPU",
        "\xc5\x81\xc3\xb3"
        "d\xc5\xba",
        "Wei\xc3\x9f (rev. 2)", "Intel(R) [AVX2]", "AT&T", "built in: yes", "mlir"}) {
    EXPECT_EQ(Fault(name), "") << name;
  }
}

TEST(FaultOfName, RefusesWhatLooksLikeSomethingElse) {
  EXPECT_THAT(Fault(" builtin:native"), HasSubstr("expected \"builtin:native\", its normal"));
  EXPECT_THAT(Fault("builtin:native"), HasSubstr("looks like \"builtin:...\""));
  EXPECT_THAT(Fault("BUILTIN:native"), HasSubstr("looks like"));
  EXPECT_THAT(Fault("bui1tin:native"), HasSubstr("looks like"));  // a one for an l
  // A Cyrillic letter among Latin ones; Armenian and others likewise.
  EXPECT_THAT(Fault("n\xd1\x80u"), HasSubstr("scripts that do not look alike"));
  EXPECT_THAT(Fault("\xe2\x80\x8bnpu"), HasSubstr("printable"));
  EXPECT_THAT(Fault("npu\xcd\x8f"), HasSubstr("no invisible character"));  // a grapheme joiner
  EXPECT_THAT(Fault(""), HasSubstr("not blank"));
  EXPECT_THAT(Fault("  "), HasSubstr("not blank"));
  EXPECT_THAT(Fault("npu\n"), HasSubstr("printable"));
  EXPECT_THAT(Fault("\xff"), HasSubstr("printable"));
  EXPECT_THAT(Fault("\xe2\x84\xa2"), HasSubstr("expected \"TM\""));
}

// A name must not look like another one: it has UTS #39's recommended characters, and no two
// scripts that look alike.
TEST(FaultOfName, RefusesWhatNamesAreNotMadeOf) {
  for (const auto& [name, code] :
       {std::pair("Acme\xe2\xa0\x80NPU", "U+2800"),  // a blank of Braille
        std::pair("Acme\xee\x80\x80", "U+E000"),     // for private use
        std::pair("\xc9\xa9nt8", "U+0269"),          // a Latin iota
        std::pair("NPU\xca\xbc", "U+02BC"),          // a letter that modifies
        std::pair("\xc2\xae NPU", "U+00AE"), std::pair("\xf0\x9f\x98\x80", "U+1F600")}) {
    EXPECT_THAT(Fault(name), HasSubstr(std::string("expected no ") + code + ", but ASCII")) << name;
  }
  EXPECT_THAT(Fault("Mem\xd6\x85ry"), HasSubstr("do not look alike"));  // an Armenian o
  EXPECT_THAT(Fault("\xce\xb1lpha"), HasSubstr("do not look alike"));   // a Greek one
  EXPECT_THAT(Fault("NPU <b>1</b>"), HasSubstr("markup"));
  // Cyrillic letters alone, which look like ACME and Capoc.
  EXPECT_THAT(Fault("\xd0\x90\xd0\xa1\xd0\x9c\xd0\x95"), HasSubstr("looks like \"ACME\""));
  EXPECT_THAT(Fault("\xd0\xa1\xd0\xb0\xd1\x80\xd0\xbe\xd1\x81"), HasSubstr("Latin letters"));
}

// ICU is not asked about names in ASCII: what it would say of them.
TEST(FaultOfName, SaysOfAsciiWhatIcuSays) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<USpoofChecker, decltype(&uspoof_close)> checker(uspoof_open(&error),
                                                                        uspoof_close);
  uspoof_setRestrictionLevel(checker.get(), USPOOF_HIGHLY_RESTRICTIVE);
  uspoof_setChecks(checker.get(),
                   USPOOF_RESTRICTION_LEVEL | USPOOF_INVISIBLE | USPOOF_MIXED_NUMBERS, &error);
  const auto skeleton = [&](const std::string& name) {
    icu::UnicodeString found;
    uspoof_getSkeletonUnicodeString(checker.get(), 0, icu::UnicodeString::fromUTF8(name).foldCase(),
                                    found, &error);
    std::string bytes;
    found.toUTF8String(bytes);
    return bytes;
  };
  std::vector<std::string> names;
  const std::string ours = "builtin:";
  for (size_t at = 0; at < ours.size(); ++at) {
    for (char c = '!'; c <= '~'; ++c) {
      if (c == '<' || c == '>') continue;  // refused for another reason
      names.push_back(ours + "x");
      names.back()[at] = c;
      names.push_back(ours.substr(0, at) + c + ours.substr(at));
      names.push_back(ours.substr(0, at) + c + ours.substr(std::min(at + 2, ours.size())) + "x");
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string name;
    for (const char c : ours) {
      constexpr std::string_view kAlike = "1|!lLI0oO;";
      const bool upper = random() % 2 == 0 && c >= 'a' && c <= 'z';
      name += random() % 4 == 0 ? kAlike[random() % kAlike.size()]
                                : static_cast<char>(upper ? c - 'a' + 'A' : c);
    }
    names.push_back(name);
  }
  int refused = 0;
  for (const std::string& name : names) {
    const bool alike = skeleton(name).starts_with(skeleton(ours));
    refused += alike ? 1 : 0;
    EXPECT_EQ(Fault(name) != "", alike) << name << ": " << Fault(name);
    EXPECT_EQ(uspoof_checkUTF8(checker.get(), name.data(), static_cast<int32_t>(name.size()),
                               nullptr, &error),
              0)
        << name;
  }
  ASSERT_TRUE(U_SUCCESS(error));
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace cts
