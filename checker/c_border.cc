#include "checker/c_border.h"

#include <cstring>
#include <optional>
#include <utility>

namespace cts::c_border {

std::string& LastMessage() {
  thread_local std::string message;
  return message;
}

StatusOr<Tensor> TensorOf(const tensor_cts_tensor& tensor) {
  if (tensor.type == nullptr || (tensor.rank > 0 && tensor.shape == nullptr) ||
      (tensor.bytes > 0 && tensor.data == nullptr)) {
    return InvalidArgument("found NULL, expected a tensor with type, shape and data");
  }
  const std::optional<DType> dtype = ParseDType(tensor.type);
  if (!dtype) {
    return InvalidArgument("found the type '", tensor.type, "', expected one such as i8 or fp32");
  }
  Shape shape(tensor.shape, tensor.shape + tensor.rank);
  // A list of shape_t may be empty.
  const bool empty = shape == Shape{0};
  const StatusOr<int64_t> count = empty ? 0 : CheckedElementCount(shape);
  if (!count.ok()) return count.status();
  const auto elements = static_cast<uint64_t>(*count);
  const auto width = static_cast<uint64_t>(StorageBytes(*dtype));
  if (tensor.bytes % width != 0 || tensor.bytes / width != elements) {
    return InvalidArgument("found ", tensor.bytes, " bytes, expected ", elements, " elements of ",
                           tensor.type, ", ", width, " bytes each");
  }
  Tensor copy(*dtype, std::move(shape));
  if (elements > 0) std::memcpy(copy.bytes().data(), tensor.data, tensor.bytes);
  return copy;
}

}  // namespace cts::c_border
