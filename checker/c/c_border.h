// The parts that all functions of the C interface share: messages, tensors, and a guard that keeps
// exceptions from reaching C code.
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

// The text that tensor_cts_message() returns to this thread. After a call that sets no message,
// tensor_cts_message() returns "". A pointer that the caller got from it earlier still points to
// the previous message, until the next message overwrites that message.
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

// Copies a tensor with this type, shape and data. Errors: a NULL pointer, an unknown type, a number
// of bytes that does not fit the type and the shape. Does not check the values of elements.
StatusOr<Tensor> TensorOf(const char* type, const int64_t* shape, size_t rank, const void* data,
                          size_t bytes);
// Returns "i8" for "u8" and "i16" for "u16" if the elements are unsigned numbers. Returns any other
// type unchanged.
const char* SignlessType(const char* type, bool is_unsigned);
// Copies a tensor_cts_tensor.
template <class T>
StatusOr<Tensor> TensorOf(const T& tensor) {
  return TensorOf(tensor.type, tensor.shape, tensor.rank, tensor.data, tensor.bytes);
}

// Copies a result. The type of an unsigned output may also be "u8" or "u16".
template <class T>
StatusOr<Tensor> ResultTensorOf(const T& tensor, bool is_unsigned) {
  return TensorOf(SignlessType(tensor.type, is_unsigned), tensor.shape, tensor.rank, tensor.data,
                  tensor.bytes);
}

// Returns the result of `f`. If `f` throws, the text of the exception (or "not enough memory")
// becomes the message, and Guarded returns `failed`. So no exception reaches C code.
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
