// Elements that are moved and not computed: whole boxes and rows of them at the speed of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/base/tensor.h"
#include "reference/numeric/arithmetic.h"

namespace cts {

// The elements of a box in the operand and in the output. Strides are in elements; those of the
// operand may be zero or negative.
struct Box {
  Shape size;
  Shape from, to;
  int64_t from_first = 0, to_first = 0;
};

// A row of elements side by side, in the operand and in the output.
struct MovedRow {
  int64_t from, to;
};

// The most rows that one call of CopyRows should get, so that their list stays small.
inline constexpr size_t kMovedRows = 4096;

// Writes into the output of a computation the values that Computation::ForEach would store for
// a.Load of the same elements: widened to fp64 or unchanged, with one NaN for all.
class Mover {
 public:
  explicit Mover(Tensor& out) : out_(out) {}

  // Each returns false, and writes nothing, if the elements of the operand are not moved unchanged,
  // as in a bound run, or if an element would lie outside of its tensor.
  bool Copy(const Operand& from, const Box& box);
  // Moves as many elements as the output has, in order.
  bool CopyAll(const Operand& from);
  bool CopyRows(const Operand& from, const std::vector<MovedRow>& rows, int64_t length);
  // Writes one element at every place of the output.
  bool Fill(const Operand& from, int64_t offset);

 private:
  template <class Copier>
  bool WithElements(const Operand& from, Copier&& copier);

  Tensor& out_;
};

}  // namespace cts
