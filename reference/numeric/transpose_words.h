// Transposes matrices of small elements, many elements at a time.
#pragma once

#include <cstdint>

namespace cts {

// to[column * to_stride + row] = from[row * from_stride + column]. Strides count elements, and may
// be negative.
void TransposeWords(const uint8_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint8_t* to, int64_t to_stride);
void TransposeWords(const uint16_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint16_t* to, int64_t to_stride);
void TransposeWords(const uint32_t* from, int64_t from_stride, int64_t rows, int64_t columns,
                    uint32_t* to, int64_t to_stride);

}  // namespace cts
