#include "checker/c/c_border.h"

#include <cstring>
#include <optional>
#include <utility>

namespace cts::c_border {

MessageOfThread& LastMessage() {
  thread_local MessageOfThread message;
  return message;
}

const char* SignlessType(const char* type, bool is_unsigned) {
  if (!is_unsigned || type == nullptr) return type;
  if (std::strcmp(type, "u8") == 0) return "i8";
  return std::strcmp(type, "u16") == 0 ? "i16" : type;
}

StatusOr<Tensor> TensorOf(const char* type, const int64_t* shape, size_t rank, const void* data,
                          size_t bytes) {
  if (type == nullptr || (rank > 0 && shape == nullptr) || (bytes > 0 && data == nullptr)) {
    return InvalidArgument("found NULL, expected a tensor with type, shape and data");
  }
  const std::optional<DType> dtype = ParseDType(type);
  if (!dtype) {
    return InvalidArgument("found the type '", type, "', expected one such as i8 or fp32");
  }
  Shape given(shape, shape + rank);
  // A list of shape_t may be empty.
  const bool empty = given == Shape{0};
  const StatusOr<int64_t> count = empty ? 0 : CheckedElementCount(given);
  if (!count.ok()) return count.status();
  const auto elements = static_cast<uint64_t>(*count);
  const auto width = static_cast<uint64_t>(StorageBytes(*dtype));
  if (bytes % width != 0 || bytes / width != elements) {
    return InvalidArgument("found ", bytes, " bytes, expected ", elements, " elements of ", type,
                           ", ", width, " bytes each");
  }
  Tensor copy(*dtype, std::move(given));
  if (elements > 0) std::memcpy(copy.bytes().data(), data, bytes);
  return copy;
}

}  // namespace cts::c_border
