#include "reference/numeric/transpose_words.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/numeric/transpose_words.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// A tile has a line of the cache along both axes, so that each is read and written as a whole.
constexpr int64_t kLineBytes = 64;

// Vectors of 16 bytes: as many of them as they have elements. Interleaving the first half of them
// with the second brings the position's upper bit down among the elements; after as many rounds as
// it has bits, vectors and elements have changed places.
template <class Word>
HWY_INLINE void TransposeSquare(const Word* from, int64_t from_stride, Word* to,
                                int64_t to_stride) {
// Vectors of SVE have no size for the compiler, even where Highway knows it (SVE_256, SVE2_128): no
// array holds them.
#if HWY_HAVE_SCALABLE || HWY_TARGET_IS_SVE || HWY_TARGET == HWY_SCALAR
  constexpr int64_t kSide = 16 / static_cast<int64_t>(sizeof(Word));
  for (int64_t row = 0; row < kSide; ++row) {
    for (int64_t column = 0; column < kSide; ++column) {
      to[column * to_stride + row] = from[row * from_stride + column];
    }
  }
#else
  constexpr int kSide = 16 / static_cast<int>(sizeof(Word));
  const hn::FixedTag<Word, kSide> d;
  hn::Vec<hn::FixedTag<Word, kSide>> rows[kSide], mixed[kSide];
  for (int k = 0; k < kSide; ++k) rows[k] = hn::LoadU(d, from + k * from_stride);
  for (int round = 1; round < kSide; round *= 2) {
    for (int k = 0; k < kSide / 2; ++k) {
      mixed[2 * k] = hn::InterleaveLower(d, rows[k], rows[k + kSide / 2]);
      mixed[2 * k + 1] = hn::InterleaveUpper(d, rows[k], rows[k + kSide / 2]);
    }
    for (int k = 0; k < kSide; ++k) rows[k] = mixed[k];
  }
  for (int k = 0; k < kSide; ++k) hn::StoreU(rows[k], d, to + k * to_stride);
#endif
}

// Lines of the output may lie a power of two apart, where they are in each other's way in the
// cache: they are put together elsewhere.
template <class Word>
HWY_INLINE void TransposeAll(const Word* from, int64_t from_stride, int64_t rows, int64_t columns,
                             Word* to, int64_t to_stride) {
  constexpr int64_t kSide = 16 / static_cast<int64_t>(sizeof(Word));
  constexpr int64_t kTile = kLineBytes / static_cast<int64_t>(sizeof(Word));
  alignas(kLineBytes) Word tile[kTile * kTile];
  const int64_t whole_rows = rows - rows % kTile, whole_columns = columns - columns % kTile;
  for (int64_t row = 0; row < whole_rows; row += kTile) {
    for (int64_t column = 0; column < whole_columns; column += kTile) {
      for (int64_t r = 0; r < kTile; r += kSide) {
        for (int64_t c = 0; c < kTile; c += kSide) {
          TransposeSquare(from + (row + r) * from_stride + column + c, from_stride,
                          tile + c * kTile + r, kTile);
        }
      }
      for (int64_t c = 0; c < kTile; ++c) {
        __builtin_memcpy(to + (column + c) * to_stride + row, tile + c * kTile, kLineBytes);
      }
    }
  }
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = row < whole_rows ? whole_columns : 0; column < columns; ++column) {
      to[column * to_stride + row] = from[row * from_stride + column];
    }
  }
}

void Transpose8(const uint8_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                uint8_t* to, int64_t to_stride) {
  TransposeAll(from, from_stride, rows, columns, to, to_stride);
}
void Transpose16(const uint16_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                 uint16_t* to, int64_t to_stride) {
  TransposeAll(from, from_stride, rows, columns, to, to_stride);
}
void Transpose32(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                 uint32_t* to, int64_t to_stride) {
  TransposeAll(from, from_stride, rows, columns, to, to_stride);
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(Transpose8);
HWY_EXPORT(Transpose16);
HWY_EXPORT(Transpose32);

void TransposeWords(const uint8_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint8_t* to, int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(Transpose8)(from, from_stride, rows, columns, to, to_stride);
}
void TransposeWords(const uint16_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint16_t* to, int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(Transpose16)(from, from_stride, rows, columns, to, to_stride);
}
void TransposeWords(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint32_t* to, int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(Transpose32)(from, from_stride, rows, columns, to, to_stride);
}

}  // namespace cts
#endif
