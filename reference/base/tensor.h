// A tensor: type, shape and elements in row-major order, as .npy stores them (little-endian). A
// block-scaled tensor also has scales, in a second buffer.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/dtype.h"
#include "reference/base/float_format.h"
#include "reference/base/shape.h"

namespace cts {

// Block-scaled types of TOSA 1.1, bs32_fp8ue8m0_X: each block of 32 consecutive elements along the
// last dimension shares a scale. An element is its stored value, of type X, times the scale. A
// scale is of type fp8ue8m0, which has eight bits: its value is 2^(bits - 127), or NaN if the bits
// are 255.
inline constexpr int64_t kScaleBlock = 32;
inline constexpr std::string_view kScaleType = "fp8ue8m0";
inline constexpr uint8_t kScaleOfOne = 127;
inline constexpr uint8_t kScaleNan = 255;

// Returns the shape of the scales of a block-scaled tensor whose elements have this shape: the last
// dimension is divided by 32. An error if the last dimension is not a multiple of 32, or if the
// shape has no dimension.
StatusOr<Shape> ScaleShape(const Shape& shape);

class Tensor {
 public:
  // A tensor of zeros. CheckedElementCount must accept the shape.
  Tensor(DType dtype, Shape shape)
      : dtype_(dtype),
        shape_(std::move(shape)),
        bytes_(static_cast<size_t>(ElementCount(shape_)) * StorageBytes(dtype)) {}

  // A tensor with these values, stored by SetInteger or SetValue. For tests and small constants.
  static Tensor OfIntegers(DType dtype, Shape shape, const std::vector<int64_t>& values);
  static Tensor OfFloats(DType dtype, Shape shape, const std::vector<double>& values);

  // A block-scaled tensor of zeros of type `dtype`, with scales of one. An error if TOSA 1.1 has no
  // block-scaled type with values of this type, or if ScaleShape refuses the shape.
  static StatusOr<Tensor> BlockScaled(DType dtype, Shape shape);

  // The type of the elements; for a block-scaled tensor, the type of the stored values. TypeName
  // names the block-scaled type itself.
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t size() const { return static_cast<int64_t>(bytes_.size()) / StorageBytes(dtype_); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  std::vector<uint8_t>& bytes() { return bytes_; }

  // The scales, one byte each, in row-major order of ScaleShape. Empty for a tensor that is not
  // block-scaled.
  bool is_block_scaled() const { return !scales_.empty(); }
  const std::vector<uint8_t>& scales() const { return scales_; }
  std::vector<uint8_t>& scales() { return scales_; }
  // The name of the element type: "i8", "bs32_fp8ue8m0_fp8e4m3".
  std::string TypeName() const;

  // The stored bits of one element, zero-extended.
  uint64_t Bits(int64_t i) const {
    // Each width has its own case, because a copy of unknown length would need a function call.
    switch (StorageBytes(dtype_)) {
      case 1:
        return Stored<uint8_t>(i);
      case 2:
        return Stored<uint16_t>(i);
      case 4:
        return Stored<uint32_t>(i);
      default:
        return Stored<uint64_t>(i);
    }
  }
  void SetBits(int64_t i, uint64_t bits) {
    switch (StorageBytes(dtype_)) {
      case 1:
        return Store(i, static_cast<uint8_t>(bits));
      case 2:
        return Store(i, static_cast<uint16_t>(bits));
      case 4:
        return Store(i, static_cast<uint32_t>(bits));
      default:
        return Store(i, bits);
    }
  }

  // For integer and boolean types: the value of an element, sign-extended; 0 or 1 for a boolean.
  int64_t Integer(int64_t i) const {
    assert(!IsFloat(dtype_));
    const uint64_t bits = Bits(i);
    if (dtype_ == DType::kBool) return bits != 0;
    const int shift = 64 - 8 * StorageBytes(dtype_);
    return static_cast<int64_t>(bits << shift) >> shift;
  }
  void SetInteger(int64_t i, int64_t value) { SetBits(i, static_cast<uint64_t>(value)); }

  // For floating-point types: the number that an element represents, exact in fp64. This number is
  // the stored value, times the scale if the tensor is block-scaled. Operators and rules use this
  // function. SetElement rounds like SetValue and does not change the scale.
  double Element(int64_t i) const {
    const double value = Value(i);
    return is_block_scaled() ? value * Scale(i) : value;
  }
  void SetElement(int64_t i, double element) {
    SetValue(i, is_block_scaled() ? element / Scale(i) : element);
  }

  // For floating-point types: the stored number of an element, without its scale, exact in fp64.
  // Code that reads, writes or generates data uses this function. SetValue rounds to nearest even;
  // an overflow gives infinity, or NaN if the format has no infinity.
  double Value(int64_t i) const {
    // The processor has these two formats, so only a NaN needs DecodeFloat.
    if (dtype_ == DType::kFp32) {
      if (const float value = Stored<float>(i); value == value) return value;
    } else if (dtype_ == DType::kFp64) {
      if (const double value = Stored<double>(i); value == value) return value;
    }
    return DecodeFloat(dtype_, Bits(i));
  }
  void SetValue(int64_t i, double value) {
    if (dtype_ == DType::kFp64 && value == value) return Store(i, value);
    SetBits(i, EncodeFloat(dtype_, value));
  }

  // The scale of element i of a block-scaled tensor: a power of two, or NaN.
  double Scale(int64_t i) const;

  // Integers returns Integer of every element, and Elements returns Element of every element.
  std::vector<int64_t> Integers() const;
  std::vector<double> Elements() const;

  friend bool operator==(const Tensor&, const Tensor&) = default;

 private:
  template <class T>
  T Stored(int64_t i) const {
    T value;
    std::memcpy(&value, bytes_.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  }
  template <class T>
  void Store(int64_t i, T value) {
    std::memcpy(bytes_.data() + i * static_cast<int64_t>(sizeof(T)), &value, sizeof(T));
  }

  DType dtype_;
  Shape shape_;
  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> scales_ = {};
};

}  // namespace cts
