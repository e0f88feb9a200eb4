// Reads and writes NumPy's .npy files. bf16 is stored as `<V2` and fp8e4m3 as `|V1`, as ml_dtypes
// saves them. fp8e5m2 is stored as `|V1`, too. i48 and shapes are stored as `<i8`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts {

// Returns the bytes of a version 1.0 .npy file: C order, little-endian, and a header padded so that
// the data begin at a multiple of 64 bytes. A block-scaled tensor has two files; EncodeNpy returns
// the file with the values. If `descr` is not empty, the header has `descr`, such as "|u1", as the
// type of the elements.
std::string EncodeNpy(const Tensor& tensor, std::string_view descr = {});
// Returns the second file of a block-scaled tensor. The file has the bits of the scales as `|V1`,
// with the shape that ScaleShape returns.
std::string EncodeScaleNpy(const Tensor& tensor);

// Reads the bytes of a .npy file as a tensor of this type and shape. The file is untrusted, so the
// function allocates the tensor only after it has checked the type, the shape and the length of the
// data. Also accepts other forms of the same values: Fortran order, big-endian, `<u2` for the bits
// of bf16 and fp16, `|u1` for the bits of fp8, and `<f1` for the bits of fp8e5m2 (as ml_dtypes
// writes it). Wider floats are accepted if every value is exact in the type. Integers of another
// width, and unsigned integers, are accepted if every value fits. For bool, `|u1` and `|i1` are
// accepted if every value is 0 or 1. Errors name the field, the value found and the value expected.
// If `is_unsigned`, the tensor's elements represent unsigned numbers. An unsigned integer of the
// type's own width is then read as its bit pattern: 200 in `|u1` becomes the i8 -56.
StatusOr<Tensor> DecodeNpy(std::string_view bytes, DType dtype, const Shape& shape,
                           bool is_unsigned = false);

// If a .npy file stores its elements in another type than EncodeNpy uses for `dtype`, returns the
// file's type: for example "<f8" if `dtype` is fp32, or "|u1" if it is i8. Returns an empty text if
// the file has the type that EncodeNpy uses, a type for the same bits (`|u1` for fp8 or, if
// `is_unsigned`, for i8), or a header that cannot be read. The byte order does not matter.
std::string StoredAsOther(std::string_view bytes, DType dtype, bool is_unsigned = false);

// Returns an error if a stored element is not a value of the tensor's type, such as a bool of 2 or
// an i4 of 100. The error names the first such element, in the same words as an error of DecodeNpy.
Status CheckElements(const Tensor& tensor);

// Like DecodeNpy, for the two files of a block-scaled tensor. `dtype` is the type of the tensor's
// values. The scales are stored as `|V1` or `|u1`.
StatusOr<Tensor> DecodeBlockScaledNpy(std::string_view values, std::string_view scales, DType dtype,
                                      const Shape& shape);

// Returns the shape in the header of a .npy file. Does not check the data.
StatusOr<Shape> DecodeNpyShape(std::string_view bytes);

// The greatest size in bytes of a valid file with this number of elements: the longest header, and
// 8 bytes for each element.
uint64_t MaxNpyBytes(int64_t elements);

// These functions write and read files on disk. Errors begin with the path. The scales of x.npy are
// in x.scale.npy.
Status WriteNpy(const std::filesystem::path& path, const Tensor& tensor);
StatusOr<Tensor> ReadNpy(const std::filesystem::path& path, DType dtype, const Shape& shape);
StatusOr<Tensor> ReadBlockScaledNpy(const std::filesystem::path& path, DType dtype,
                                    const Shape& shape);

// Returns the shape in the header of a file. Does not check the data.
StatusOr<Shape> ReadNpyShape(const std::filesystem::path& path);

}  // namespace cts
