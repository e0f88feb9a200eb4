// Conditions of the operators that slide a window over an image: convolutions and pooling.
#pragma once

#include "reference/ops/broadcast.h"
#include "reference/ops/computation.h"
#include "reference/ops/inference.h"

namespace cts {

// The specifications 0.100 and 1.0 compare weight_t of some operators with int8_t, a type that no
// type row has. We read int8_t as i8_t.
inline bool InputZeroPointUnlessI8(const Call& c) {
  return c.dtype("input") != DType::kI8 && c.Number("input_zp") != 0;
}
inline bool WeightZeroPointUnlessI8(const Call& c) {
  return c.dtype("weight") != DType::kI8 && c.Number("weight_zp") != 0;
}

inline Breach PadNegative(const Call& c) { return AnyBelow(c, "pad", 0); }
inline Breach StrideBelowOne(const Call& c) { return AnyBelow(c, "stride", 1); }

// Whether BC is neither the number of output channels nor 1.
inline Breach BiasHasOtherChannels(const Call& c) {
  const int64_t bc = c.shape("bias")[0];
  const int64_t channels = c.shape("output").back();
  if (bc == 1 || bc == channels) return false;
  return Breach::Saying("bias has ", bc, " elements, expected 1 or the output's ", channels,
                        " channels");
}

}  // namespace cts
