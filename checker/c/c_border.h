// The parts that all functions of the C interface share: messages, tensors, and the border that no
// exception crosses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "reference/base/plain_arithmetic.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts::c_border {

// The text that tensor_cts_message() returns to this thread. Calls that succeed leave the text
// alone that a caller was given before; only the next text takes its place.
class MessageOfThread {
 public:
  MessageOfThread& operator=(std::string text) {
    said_ = !text.empty();
    if (said_) text_ = std::move(text);
    return *this;
  }
  void clear() { said_ = false; }
  const char* c_str() const { return said_ ? text_.c_str() : ""; }

 private:
  std::string text_;
  bool said_ = false;
};
MessageOfThread& LastMessage();

template <class T>
T* Fail(const std::string& message) {
  LastMessage() = message;
  return nullptr;
}

// Copies a tensor with type, shape and data. Errors: NULL, an unknown type, a number of bytes that
// does not fit the shape. Does not look at elements.
StatusOr<Tensor> TensorOf(const char* type, const int64_t* shape, size_t rank, const void* data,
                          size_t bytes);
// "i8" for "u8" and "i16" for "u16" where elements are unsigned numbers; any other type unchanged.
const char* SignlessType(const char* type, bool is_unsigned);
// Makes the tensor of a tensor_cts_tensor.
template <class T>
StatusOr<Tensor> TensorOf(const T& tensor) {
  return TensorOf(tensor.type, tensor.shape, tensor.rank, tensor.data, tensor.bytes);
}

// The same for a result: the type of an unsigned output may also be "u8" or "u16".
template <class T>
StatusOr<Tensor> ResultTensorOf(const T& tensor, bool is_unsigned) {
  return TensorOf(SignlessType(tensor.type, is_unsigned), tensor.shape, tensor.rank, tensor.data,
                  tensor.bytes);
}

// Calls `f`. No exception crosses the border to C: its text becomes the message, and the call
// returns `failed`.
template <class R, class F>
R Guarded(R failed, F f) noexcept {
  const PlainArithmetic plain;
  const char* what = "not enough memory";
  try {
    try {
      return f();
    } catch (const std::bad_alloc&) {
      LastMessage() = what;
    } catch (const std::exception& error) {
      LastMessage() = error.what();
    }
  } catch (...) {
    LastMessage().clear();  // no memory for the message
  }
  return failed;
}

}  // namespace cts::c_border
