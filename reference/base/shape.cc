#include "reference/base/shape.h"

namespace cts {

std::string ToString(const Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

StatusOr<int64_t> CheckedElementCount(const Shape& shape) {
  constexpr int64_t kLimit = int64_t{1} << 62;
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size < 1) {
      return InvalidArgument("shape ", ToString(shape), ": found a dimension of ", size,
                             ", expected at least 1");
    }
    if (size > kLimit / count) {
      return InvalidArgument("shape ", ToString(shape), ": more than 2^62 elements");
    }
    count *= size;
  }
  return count;
}

Shape Index(const Shape& shape, int64_t offset) {
  Shape index(shape.size());
  for (size_t i = shape.size(); i-- > 0;) {
    index[i] = offset % shape[i];
    offset /= shape[i];
  }
  return index;
}

}  // namespace cts
