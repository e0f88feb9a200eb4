#include "checker/text/printable.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace cts {
namespace {

TEST(WithCommas, GroupsThousands) {
  EXPECT_EQ(WithCommas(0), "0");
  EXPECT_EQ(WithCommas(999), "999");
  EXPECT_EQ(WithCommas(3954), "3,954");
  EXPECT_EQ(WithCommas(-123456), "-123,456");
  EXPECT_EQ(WithCommas(1234567), "1,234,567");
}

TEST(Printable, EscapesControlsAndStrayBytes) {
  EXPECT_EQ(Printable("a\x1b[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(Printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(Printable("\xff\xc3(\xe2\x82"), "\\xff\\xc3(\\xe2\\x82");
  EXPECT_EQ(Printable("\xc2\x9b"), "\\xc2\\x9b");           // a C1 control
  EXPECT_EQ(Printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
  EXPECT_EQ(Printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(Printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(Printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, KeepsText) {
  EXPECT_EQ(Printable("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 ~"),
            "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 ~");
  EXPECT_EQ(Printable("a\nb\tc"), "a b c");
  EXPECT_EQ(Printable("a\nb\tc\r", Lines::kKeep), "a\nb\tc\\x0d");
}

TEST(Shortened, CutsBetweenCharacters) {
  EXPECT_EQ(Shortened("abc", 3), "abc");
  EXPECT_EQ(Shortened("abcd", 3), "abc...");
  EXPECT_EQ(Shortened("a\xe2\x82\xac", 3), "a...");
}

TEST(FormatDouble, ReadsBackEqual) {
  for (const double value : {0.1, -0.0, 1e300, 5e-324, 1 + 0x1p-52}) {
    const double back = std::strtod(FormatDouble(value).c_str(), nullptr);
    EXPECT_EQ(back, value);
    EXPECT_EQ(std::signbit(back), std::signbit(value));
  }
  EXPECT_EQ(FormatDouble(-INFINITY), "-inf");
  EXPECT_EQ(FormatDouble(NAN), "nan");
  EXPECT_EQ(FormatFigure(1.0 / 3), "0.333333");
}

TEST(FormatDistance, ShowsIntegersAsTheyAre) {
  EXPECT_EQ(FormatDistance(4521980, std::nullopt, DType::kI32), "4521980");
  EXPECT_EQ(FormatDistance(4294967295.0, std::nullopt, DType::kI32), "4294967295");
  EXPECT_EQ(FormatDistance(1.5, 0.25, DType::kFp16), "1.5 ulp, 0.25 times what is allowed");
  EXPECT_EQ(FormatDistance(INFINITY, INFINITY, DType::kFp32), "inf ulp");
}

TEST(LastLine, SkipsBlankLines) {
  EXPECT_EQ(LastLine("a\n  b c \n\n \n"), "b c");
  EXPECT_EQ(LastLine("only"), "only");
  EXPECT_EQ(LastLine(" \n"), "");
  EXPECT_EQ(LastLine(""), "");
}

TEST(ShellQuoted, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(ShellQuoted("add/i32-4"), "add/i32-4");
  EXPECT_EQ(ShellQuoted("a b"), "'a b'");
  EXPECT_EQ(ShellQuoted("a'b$"), "'a'\\''b$'");
  EXPECT_EQ(ShellQuoted(""), "''");
}

TEST(LastPart, KeepsTheEndAndWholeCharacters) {
  EXPECT_EQ(LastPart("abc", 3), "abc");
  EXPECT_EQ(LastPart("abc", 2), "...bc");
  EXPECT_EQ(LastPart("\xC3\xA4\xC3\xB6", 3), "...\xC3\xB6");
}

TEST(EscapeMarkup, LeavesNothingThatEndsATextOrAnAttribute) {
  EXPECT_EQ(EscapeMarkup("<a b='c' d=\"e\">&"), "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;&amp;");
}

TEST(FillIn, LooksForNothingInWhatItPutIn) {
  EXPECT_EQ(FillIn("a @X@ b @Y@ c", {{"@X@", "@Y@"}, {"@Y@", "@X@"}}), "a @Y@ b @X@ c");
}

}  // namespace
}  // namespace cts
