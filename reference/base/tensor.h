// A tensor: type, shape and elements in row-major order, as .npy stores them (little-endian).
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/shape.h"

namespace cts {

class Tensor {
 public:
  // Zeros. The shape must be one that CheckedElementCount accepts.
  Tensor(DType dtype, Shape shape)
      : dtype_(dtype),
        shape_(std::move(shape)),
        bytes_(static_cast<size_t>(ElementCount(shape_)) * StorageBytes(dtype)) {}

  // Values converted as SetInteger or SetFloat convert them; for tests and small constants.
  static Tensor OfIntegers(DType dtype, Shape shape, const std::vector<int64_t>& values);
  static Tensor OfFloats(DType dtype, Shape shape, const std::vector<double>& values);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()) / StorageBytes(dtype_); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  std::vector<uint8_t>& bytes() { return bytes_; }

  // The stored bits of one element, zero-extended.
  uint64_t Bits(int64_t i) const {
    uint64_t bits = 0;
    const int width = StorageBytes(dtype_);
    std::memcpy(&bits, bytes_.data() + i * width, width);
    return bits;
  }
  void SetBits(int64_t i, uint64_t bits) {
    const int width = StorageBytes(dtype_);
    std::memcpy(bytes_.data() + i * width, &bits, width);
  }

  // Integer and boolean types: the value, sign-extended.
  int64_t Integer(int64_t i) const;
  void SetInteger(int64_t i, int64_t value) { SetBits(i, static_cast<uint64_t>(value)); }

  // Floating-point types: the value, exact in fp64; setting rounds to nearest even, overflow to
  // infinity (NaN where the format has none).
  double Float(int64_t i) const;
  void SetFloat(int64_t i, double value);

  // All elements at once.
  std::vector<int64_t> Integers() const;
  std::vector<double> Floats() const;

  friend bool operator==(const Tensor&, const Tensor&) = default;

 private:
  DType dtype_;
  Shape shape_;
  std::vector<uint8_t> bytes_;
};

}  // namespace cts
