// Moves elements without computation: whole boxes and rows, at the speed of memory.
#pragma once

#include <cstdint>
#include <vector>

#include "reference/base/tensor.h"
#include "reference/numeric/arithmetic.h"

namespace cts {

// A box of elements: its size, and its strides and first offset in the operand (`from`) and in the
// output (`to`). Strides are in elements; the operand's strides may be zero or negative.
struct Box {
  Shape size;
  Shape from, to;
  int64_t from_first = 0, to_first = 0;
};

// The offsets of a row of adjacent elements, in the operand and in the output.
struct MovedRow {
  int64_t from, to;
};

// The greatest number of rows for one call of CopyRows, so that the list of rows stays small.
inline constexpr size_t kMovedRows = 4096;

// Writes moved elements into the output of a computation. The stored values are those that
// Computation::ForEach would store if the operator's code only loaded the elements: widened to fp64
// or unchanged, with the same NaN for every NaN.
class Mover {
 public:
  explicit Mover(Tensor& out) : out_(out) {}

  // Each function returns true if it wrote the elements. It writes nothing and returns false if the
  // computation changes the operand's elements (as ComputationKind::kBound does), or if an element
  // would be outside of its tensor.
  bool Copy(const Operand& from, const Box& box);
  // Copies the operand's first elements, in order, as many as the output has.
  bool CopyAll(const Operand& from);
  bool CopyRows(const Operand& from, const std::vector<MovedRow>& rows, int64_t length);
  // Writes one element of the operand to every element of the output.
  bool Fill(const Operand& from, int64_t offset);

 private:
  template <class Copier>
  bool WithElements(const Operand& from, Copier&& copier);

  Tensor& out_;
};

}  // namespace cts
