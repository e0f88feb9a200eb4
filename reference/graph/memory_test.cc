// What evaluating a graph takes at its peak: at most 16 bytes for every element of the case's
// tensors, which are the graph's inputs and outputs and the tensors of the answers.
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
  g_live -= static_cast<int64_t>(malloc_usable_size(block));
  std::free(block);
}
void operator delete(void* block, size_t) noexcept { operator delete(block); }

namespace cts {
namespace {

// Bytes an element, the inputs that the caller holds included.
double BytesAnElement(const OneOperator& op, int64_t elements_of_graph) {
  const int64_t before = g_live;
  g_peak = before;
  const ExpectedOutput output = op.Output();
  int64_t elements = elements_of_graph;
  int64_t answer_elements = 0;
  for (const Answer& answer : output.answers) {
    answer_elements +=
        answer.expected.size() * (1 + answer.bound.has_value() + answer.upper.has_value());
  }
  const double peak = static_cast<double>(g_peak - before);
  printf("graph %g all %g answers %zu\n", peak / static_cast<double>(elements),
         peak / static_cast<double>(elements + answer_elements), output.answers.size());
  return peak / static_cast<double>(elements + answer_elements);
}

constexpr int64_t kCount = int64_t{1} << 20;

Tensor Values(DType type, Shape shape, bool subnormal = false) {
  Tensor tensor(type, std::move(shape));
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsFloat(type))
      tensor.SetFloat(i, 1 + static_cast<double>(i % 100) / 8);
    else
      tensor.SetInteger(i, i % 100);
  }
  if (subnormal) tensor.SetFloat(0, Format(type).subnormal_min());
  return tensor;
}

TEST(Memory, ElementwiseTakesFewBytesAnElement) {
  for (DType type : {DType::kI32, DType::kFp32, DType::kFp16}) {
    OneOperator op("ADD");
    op.In(Values(type, {kCount})).In(Values(type, {kCount})).Out(type, {kCount});
    EXPECT_LT(BytesAnElement(op, 3 * kCount), 16) << Name(type);
  }
  for (DType type : {DType::kFp32}) {
    OneOperator op("ADD");
    op.In(Values(type, {kCount}, true)).In(Values(type, {kCount})).Out(type, {kCount});
    EXPECT_LT(BytesAnElement(op, 3 * kCount), 16) << Name(type);
  }
  for (DType type : {DType::kI8}) {
    OneOperator op("BITWISE_AND");
    op.In(Values(type, {kCount})).In(Values(type, {kCount})).Out(type, {kCount});
    EXPECT_LT(BytesAnElement(op, 3 * kCount), 16) << Name(type);
  }
  for (bool subnormal : {false, true}) {
    OneOperator op("EXP");
    op.In(Values(DType::kFp32, {kCount}, subnormal)).Out(DType::kFp32, {kCount});
    EXPECT_LT(BytesAnElement(op, 2 * kCount), 16);
  }
}

TEST(Memory, DotProductsTakeFewBytesAnElement) {
  for (bool subnormal : {false, true}) {
    OneOperator op("CONV2D");
    op.In(Values(DType::kFp32, {1, 128, 128, 16}, subnormal))
        .In(Values(DType::kFp32, {16, 1, 1, 16}))
        .Floats(DType::kFp32, {1}, {0});
    op.Floats(DType::kFp32, {1}, {0})
        .Floats(DType::kFp32, {1}, {0})
        .Out(DType::kFp32, {1, 128, 128, 16});
    op.Set("pad", std::vector<int64_t>{0, 0, 0, 0}).Set("stride", std::vector<int64_t>{1, 1});
    op.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", "FP32");
    op.Set("local_bound", false);
    EXPECT_LT(BytesAnElement(op, 2 * 128 * 128 * 16), 16);
  }
}

}  // namespace
}  // namespace cts
