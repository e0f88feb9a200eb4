#include "reference/numeric/transpose_words.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

// Against the definition; what lies around the result stays as it was.
template <class Word>
void ExpectTransposed(int64_t rows, int64_t columns, int64_t from_stride, int64_t to_stride) {
  std::mt19937 random(1);
  std::vector<Word> from(static_cast<size_t>(rows * from_stride));
  for (Word& word : from) word = static_cast<Word>(random());
  std::vector<Word> to(static_cast<size_t>(columns * to_stride));
  for (Word& word : to) word = static_cast<Word>(random());
  std::vector<Word> expected = to;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      expected[static_cast<size_t>(column * to_stride + row)] =
          from[static_cast<size_t>(row * from_stride + column)];
    }
  }
  TransposeWords(from.data(), from_stride, rows, columns, to.data(), to_stride);
  EXPECT_EQ(to, expected) << rows << " rows, " << columns << " columns";
}

TEST(TransposeWords, IsTheDefinitionOnEveryTarget) {
  OnEveryTarget([] {
    for (const int64_t rows : {1, 15, 16, 64, 65, 130}) {
      for (const int64_t columns : {1, 16, 33, 64, 128, 131}) {
        ExpectTransposed<uint8_t>(rows, columns, columns, rows);
        ExpectTransposed<uint16_t>(rows, columns, columns + 3, rows + 5);
        ExpectTransposed<uint32_t>(rows, columns, columns + 1, rows);
      }
    }
  });
}

TEST(TransposeWords, GoesBackwardsByNegativeStrides) {
  OnEveryTarget([] {
    constexpr int64_t kRows = 70, kColumns = 66;
    std::vector<uint8_t> from(kRows * kColumns), to(kRows * kColumns);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint8_t>(i * 31 >> 3);
    TransposeWords(from.data() + (kRows - 1) * kColumns, -kColumns, kRows, kColumns, to.data(),
                   kRows);
    for (int64_t row = 0; row < kRows; ++row) {
      for (int64_t column = 0; column < kColumns; ++column) {
        ASSERT_EQ(to[static_cast<size_t>(column * kRows + row)],
                  from[static_cast<size_t>((kRows - 1 - row) * kColumns + column)]);
      }
    }
  });
}

}  // namespace
}  // namespace cts
