#include "tools/program/run/compare_repeats.h"

#include <gtest/gtest.h>

namespace cts {
namespace {

// A file of version 1.0 of the format, with a header of fewer than 256 bytes.
std::string Npy(const std::string& descr, const std::string& order, const std::string& shape,
                const std::string& data) {
  const std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
         data;
}

TEST(FirstDifference, IsEmptyForTheSameBytes) {
  EXPECT_EQ(FirstDifference("abc", "abc", 2), "");
  EXPECT_EQ(FirstDifference("", "", 2), "");
}

TEST(FirstDifference, CountsBytesOfAnotherLength) {
  EXPECT_EQ(FirstDifference("abc", "ab", 3), "3 bytes the first time, 2 in repeat 3");
}

TEST(FirstDifference, NamesTheElementByItsIndices) {
  // Element 4 of [2,3] is [1,1]; the last differs as well.
  EXPECT_EQ(
      FirstDifference(Npy("<i2", "False", "2, 3", std::string("\1\0\2\0\3\0\4\0\5\0\6\0", 12)),
                      Npy("<i2", "False", "2, 3", std::string("\1\0\2\0\3\0\4\0\5\1\7\0", 12)), 2),
      "element 4 [1, 1]: 0x0005 the first time, 0x0105 in repeat 2; 2 of 6 elements differ");
}

TEST(FirstDifference, ReadsBothOrdersOfBytes) {
  EXPECT_EQ(
      FirstDifference(Npy(">i2", "False", "1,", "\1\2"), Npy(">i2", "False", "1,", "\1\3"), 2),
      "element 0 [0]: 0x0102 the first time, 0x0103 in repeat 2; 1 of 1 elements differ");
  EXPECT_EQ(
      FirstDifference(Npy("<i2", "False", "1,", "\1\2"), Npy("<i2", "False", "1,", "\1\3"), 2),
      "element 0 [0]: 0x0201 the first time, 0x0301 in repeat 2; 1 of 1 elements differ");
}

TEST(FirstDifference, GivesNoIndicesWhereItKnowsNone) {
  // Columns first: the second element in the file is [1, 0], not [0, 1].
  EXPECT_EQ(
      FirstDifference(Npy("|i1", "True", "2, 2", "abcd"), Npy("|i1", "True", "2, 2", "aBcd"), 2),
      "element 1: 0x62 the first time, 0x42 in repeat 2; 1 of 4 elements differ");
  // A shape that does not hold the element.
  EXPECT_EQ(
      FirstDifference(Npy("|i1", "False", "2,", "abcd"), Npy("|i1", "False", "2,", "abcD"), 2),
      "element 3: 0x64 the first time, 0x44 in repeat 2; 1 of 4 elements differ");
  EXPECT_EQ(FirstDifference(Npy("|i1", "False", "0,", "a"), Npy("|i1", "False", "0,", "b"), 2),
            "element 0: 0x61 the first time, 0x62 in repeat 2; 1 of 1 elements differ");
}

TEST(FirstDifference, CountsBytesWhereThereIsNoHeaderOrItDiffers) {
  EXPECT_EQ(FirstDifference("abc", "abd", 2), "byte 2: 0x63 the first time, 0x64 in repeat 2");
  EXPECT_EQ(FirstDifference(Npy("<i2", "False", "1,", "ab"), Npy("<u2", "False", "1,", "ab"), 2),
            "byte 22: 0x69 the first time, 0x75 in repeat 2");
  // A header that is longer than the file.
  EXPECT_EQ(FirstDifference(std::string("\x93NUMPY\x01\x00\xff\x00{'descr': '<i2'}a", 27),
                            std::string("\x93NUMPY\x01\x00\xff\x00{'descr': '<i2'}b", 27), 2),
            "byte 26: 0x61 the first time, 0x62 in repeat 2");
}

}  // namespace
}  // namespace cts
