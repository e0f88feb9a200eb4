// NumPy's .npy files, with the type table of the design: bf16 as `<V2`, fp8 as `|V1` (as ml_dtypes
// saves them), i48 and shapes as `<i8`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts {

// The bytes of a version 1.0 .npy file: C order, little-endian, header padded to 64 bytes. A
// block-scaled tensor has two files; this is that of its values. `descr`: another name for the type
// of the same bytes, such as "|u1".
std::string EncodeNpy(const Tensor& tensor, std::string_view descr = {});
// The other file of a block-scaled tensor: the bits of its scales as `|V1`, of their own shape.
std::string EncodeScaleNpy(const Tensor& tensor);

// Reads bytes as a tensor of this type and shape. The header is untrusted: nothing is allocated
// before type, shape and length agree with the expectation. Accepted where nothing is lost: Fortran
// order, big-endian, `<u2` for the bits of bf16 and fp16, `|u1` for those of fp8, and `<f1` for
// those of fp8e5m2 (as ml_dtypes writes it). Also accepted are wider floats if every value is one
// of the type, integers of another width if every value fits, and `|u1`/`|i1` of 0 and 1 for bool.
// Errors name the field, what was found and what was expected. `is_unsigned`: the elements are
// unsigned numbers, so an unsigned integer of the type's own width has its bits: 200 in `|u1` is
// the i8 -56.
StatusOr<Tensor> DecodeNpy(std::string_view bytes, DType dtype, const Shape& shape,
                           bool is_unsigned = false);

// Returns the type in which such bytes store their elements, if it differs from the prescribed one:
// "<f8" for fp32, "|u1" for i8. Empty for the prescribed type or its bits, and for a header that
// cannot be read.
std::string StoredAsOther(std::string_view bytes, DType dtype, bool is_unsigned = false);

// Whether every stored element is a value of the tensor's type: no bool of 2, no i4 of 100. The
// error names the first that is not, in the words of DecodeNpy, which applies the same rule.
Status CheckElements(const Tensor& tensor);

// The same for a block-scaled tensor, whose type is that of its values. The scales are read from
// `|V1` or `|u1`.
StatusOr<Tensor> DecodeBlockScaledNpy(std::string_view values, std::string_view scales, DType dtype,
                                      const Shape& shape);

// The shape that the header of such a file states; nothing else is checked.
StatusOr<Shape> DecodeNpyShape(std::string_view bytes);

// The longest file that can be right: 8 bytes an element and the longest header.
uint64_t MaxNpyBytes(int64_t elements);

// The same with files; errors begin with the path. The scales of x.npy lie in x.scale.npy.
Status WriteNpy(const std::filesystem::path& path, const Tensor& tensor);
StatusOr<Tensor> ReadNpy(const std::filesystem::path& path, DType dtype, const Shape& shape);
StatusOr<Tensor> ReadBlockScaledNpy(const std::filesystem::path& path, DType dtype,
                                    const Shape& shape);

// The shape that the header of a file states. ReadNpy checks the rest.
StatusOr<Shape> ReadNpyShape(const std::filesystem::path& path);

}  // namespace cts
