// Bytes as a .npy file: the first two choose the type and the shape that are expected.
#include "reference/base/npy.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {

void FuzzNpy(std::string_view bytes) {
  const Shape shapes[] = {{}, {1}, {5}, {2, 3}, {2, 1, 3}, {1, 1, 1, 1}, {0}, {1 << 28}};
  const auto dtype = static_cast<DType>(TakeByte(&bytes) % kDTypeCount);
  const Shape& shape = shapes[TakeByte(&bytes) % std::size(shapes)];
  const StatusOr<Tensor> tensor = DecodeNpy(bytes, dtype, shape);
  if (!tensor.ok()) {
    Assert(!Message(tensor.status()).empty(), "a refusal has a reason");
    return;
  }
  Assert(tensor->dtype() == dtype && tensor->shape() == shape, "it is what was expected");
  if (!IsFloat(dtype)) {
    for (int64_t i = 0; i < tensor->size(); ++i) {
      Assert(tensor->Integer(i) >= IntegerMin(dtype) && tensor->Integer(i) <= IntegerMax(dtype),
             "integers lie in the range of the type");
    }
  }
  const StatusOr<Tensor> again = DecodeNpy(EncodeNpy(*tensor), dtype, shape);
  Assert(again.ok() && *again == *tensor, "it survives being written and read");
}

}  // namespace cts
