#include "checker/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

using testing::HasSubstr;

TEST(NormalName, IsNfkcWithSingleBlanks) {
  EXPECT_EQ(NormalName(" a  b "), "a b");
  EXPECT_EQ(NormalName("\xef\xbc\xae\xef\xbc\xb0\xef\xbc\xb5"), "NPU");  // full width
  EXPECT_EQ(NormalName("e\xcc\x81"), "\xc3\xa9");                        // composed
  EXPECT_EQ(NormalName("a\xc2\xa0"
                       "b"),
            "a b");  // no-break space
  EXPECT_EQ(NormalName(""), "");
}

TEST(FaultOfName, TakesWhatVendorsAreCalled) {
  for (const char* name : {"NPU-1", "Gr\xc3\xbc\xc3\x9f 2.0", "\xe5\x8d\x8e\xe4\xb8\xba NPU",
                           "\xd0\xad\xd0\xbb\xd1\x8c\xd0\xb1\xd1\x80\xd1\x83\xd1\x81", "1.0+build",
                           "x \xe2\x82\xac", "built in: yes", "mlir"}) {
    EXPECT_EQ(FaultOfName(name), "") << name;
  }
}

TEST(FaultOfName, RefusesWhatLooksLikeSomethingElse) {
  EXPECT_THAT(FaultOfName(" builtin:native"), HasSubstr("expected \"builtin:native\", its normal"));
  EXPECT_THAT(FaultOfName("builtin:native"), HasSubstr("looks like \"builtin:...\""));
  EXPECT_THAT(FaultOfName("BUILTIN:native"), HasSubstr("looks like"));
  EXPECT_THAT(FaultOfName("bui1tin:native"), HasSubstr("looks like"));  // a one for an l
  // A Cyrillic letter among Latin ones; Armenian and others likewise.
  EXPECT_THAT(FaultOfName("n\xd1\x80u"), HasSubstr("scripts that do not look alike"));
  EXPECT_THAT(FaultOfName("\xe2\x80\x8bnpu"), HasSubstr("printable"));
  EXPECT_THAT(FaultOfName("npu\xcd\x8f"), HasSubstr("nobody sees"));  // a grapheme joiner
  EXPECT_THAT(FaultOfName(""), HasSubstr("not blank"));
  EXPECT_THAT(FaultOfName("  "), HasSubstr("not blank"));
  EXPECT_THAT(FaultOfName("npu\n"), HasSubstr("printable"));
  EXPECT_THAT(FaultOfName("\xff"), HasSubstr("printable"));
  EXPECT_THAT(FaultOfName("\xe2\x84\xa2"), HasSubstr("expected \"TM\""));
}

}  // namespace
}  // namespace cts
