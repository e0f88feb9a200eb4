// The peak memory of evaluating a graph is at most 16 bytes for every element of the case's
// tensors. These are the inputs, the outputs and the tensors of the answers (expected, bound; once
// more if flushing makes a difference). The inputs that the caller holds count, too.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "reference/ops/testing.h"

namespace {

std::atomic<int64_t> g_live = 0, g_peak = 0;

}  // namespace

// Counts what the whole program has from the heap.
void* operator new(size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) std::abort();
  const int64_t live = g_live += static_cast<int64_t>(malloc_usable_size(block));
  if (live > g_peak) g_peak = live;
  return block;
}
void operator delete(void* block) noexcept {
  if (block == nullptr) return;
  g_live -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }

namespace cts {
namespace {

constexpr int64_t kElements = int64_t{1} << 20;
constexpr double kMostBytes = 16;  // an element

Tensor Values(DType type, Shape shape, bool subnormal) {
  Tensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (subnormal) {
      tensor.SetElement(i, Format(type).subnormal_min());
    } else if (IsFloat(type)) {
      tensor.SetElement(i, 1 + static_cast<double>(i % 100) / 8);
    } else {
      tensor.SetInteger(i, i % 100);
    }
  }
  return tensor;
}

// The bytes per element at the peak of evaluating the graph that `make` makes.
template <class Make>
double BytesAnElement(Make make, int64_t elements, size_t answers) {
  const int64_t before = g_live;
  const OneOperator op = make();
  g_peak = g_live.load();
  const ExpectedOutput output = op.Output();
  EXPECT_EQ(output.answers.size(), answers);
  for (const Answer& answer : output.answers) {
    elements += answer.expected.size() * (answer.bound.has_value() ? 2 : 1);
  }
  const double bytes = static_cast<double>(g_peak - before) / static_cast<double>(elements);
  testing::Test::RecordProperty("bytes_an_element", std::to_string(bytes));
  return bytes;
}

OneOperator Elementwise(const std::string& name, int inputs, DType type, bool subnormal = false) {
  OneOperator op(name);
  for (int i = 0; i < inputs; ++i) op.In(Values(type, {kElements}, subnormal));
  return op.Out(type, {kElements});
}

TEST(Memory, ElementwiseOperatorsTakeAtMost16BytesAnElement) {
  for (DType type : {DType::kI8, DType::kI16, DType::kI32}) {
    const auto make = [&] { return Elementwise("BITWISE_AND", 2, type); };
    EXPECT_LT(BytesAnElement(make, 3 * kElements, 1), kMostBytes) << Name(type);
  }
  for (DType type : {DType::kI32, DType::kFp16, DType::kFp32}) {
    const auto make = [&] { return Elementwise("ADD", 2, type); };
    EXPECT_LT(BytesAnElement(make, 3 * kElements, 1), kMostBytes) << Name(type);
  }
  const auto exp = [] { return Elementwise("EXP", 1, DType::kFp32); };
  EXPECT_LT(BytesAnElement(exp, 2 * kElements, 1), kMostBytes);
}

TEST(Memory, TwoAnswersTakeAtMost16BytesAnElement) {
  for (const char* name : {"ABS", "FLOOR", "EXP"}) {
    const auto make = [&] { return Elementwise(name, 1, DType::kFp32, true); };
    EXPECT_LT(BytesAnElement(make, 2 * kElements, 2), kMostBytes) << name;
  }
}

TEST(Memory, DotProductsTakeAtMost16BytesAnElement) {
  const Shape shape = {1, 64, 64, 64};
  for (const bool subnormal : {false, true}) {
    const auto make = [&] {
      OneOperator op("CONV2D");
      op.In(Values(DType::kFp32, shape, subnormal)).In(Values(DType::kFp32, {64, 3, 3, 64}, false));
      op.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
      op.Floats(DType::kFp32, {1}, {0}).Out(DType::kFp32, shape);
      op.Set("pad", std::vector<int64_t>{1, 1, 1, 1}).Set("stride", std::vector<int64_t>{1, 1});
      op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", "FP32");
      return op.Set("local_bound", false);
    };
    const int64_t elements = 2 * ElementCount(shape) + 64 * 3 * 3 * 64;
    EXPECT_LT(BytesAnElement(make, elements, subnormal ? 2 : 1), kMostBytes);
  }
  const auto matmul = [] {
    OneOperator op("MATMUL");
    op.In(Values(DType::kI8, {2, 512, 512}, false)).In(Values(DType::kI8, {2, 512, 512}, false));
    op.Integers(DType::kI8, {1}, {0}).Integers(DType::kI8, {1}, {0});
    return op.Out(DType::kI32, {2, 512, 512});
  };
  EXPECT_LT(BytesAnElement(matmul, 3 * 2 * 512 * 512, 1), kMostBytes);
}

}  // namespace
}  // namespace cts
