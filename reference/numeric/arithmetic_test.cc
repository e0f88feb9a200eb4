#include "reference/numeric/arithmetic.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "reference/base/float_format.h"

namespace cts {
namespace {

using Wide = __int128;
using Operation = int64_t (Integer::*)(DType, int64_t, int64_t);

// The result and the broken condition of one operation in `type`, against the exact result: a
// number that the type holds breaks nothing, and one that int64 holds is the result.
void Check(Operation operation, DType type, int64_t x, int64_t y, Wide exact) {
  Integer a;
  const int64_t result = (a.*operation)(type, x, y);
  const bool fits = exact >= IntegerMin(type) && exact <= IntegerMax(type);
  ASSERT_EQ(a.broken, fits ? "" : kIntegerOverflow) << Name(type) << " " << x << " " << y;
  const bool representable = exact >= INT64_MIN && exact <= INT64_MAX;
  ASSERT_EQ(result, representable ? static_cast<int64_t>(exact) : 0)
      << Name(type) << " " << x << " " << y;
}

void CheckAll(DType type, int64_t x, int64_t y) {
  Check(&Integer::Add, type, x, y, Wide{x} + y);
  Check(&Integer::Sub, type, x, y, Wide{x} - y);
  Check(&Integer::Mul, type, x, y, Wide{x} * y);
}

constexpr DType kIntegers[] = {DType::kI8,  DType::kI16, DType::kI32,
                               DType::kI48, DType::kI64, DType::kShape};

// Numbers at which something changes: the ends of every type, powers of two, the roots of the ends,
// and what lies beside them.
std::vector<int64_t> Edges() {
  std::vector<int64_t> edges;
  const auto add = [&](Wide x) {
    for (int off = -2; off <= 2; ++off) {
      if (x + off >= INT64_MIN && x + off <= INT64_MAX) {
        edges.push_back(static_cast<int64_t>(x + off));
      }
    }
  };
  for (int power = 0; power <= 63; ++power) {
    add(Wide{1} << power);
    add(-(Wide{1} << power));
  }
  for (const int64_t root : {int64_t{46341}, int64_t{11863283}, int64_t{3037000500}}) {
    add(root);
    add(-Wide{root});
  }
  return edges;
}

TEST(Integer, IsExactOrReportsTheOverflowAtEveryEdge) {
  const std::vector<int64_t> edges = Edges();
  for (const DType type : kIntegers) {
    for (const int64_t x : edges) {
      for (const int64_t y : edges) CheckAll(type, x, y);
    }
  }
}

TEST(Integer, IsExactOrReportsTheOverflowForAllSmallNumbers) {
  for (int64_t x = -300; x <= 300; ++x) {
    for (int64_t y = -300; y <= 300; ++y) {
      for (const DType type : {DType::kI4, DType::kI8, DType::kI16}) CheckAll(type, x, y);
    }
  }
}

TEST(Integer, IsExactOrReportsTheOverflowBesideBothEndsOfInt64) {
  for (int64_t i = 0; i <= 200; ++i) {
    for (int64_t k = 0; k <= 200; ++k) {
      CheckAll(DType::kI64, INT64_MAX - i, k);
      CheckAll(DType::kI64, INT64_MAX - i, -k);
      CheckAll(DType::kI64, INT64_MIN + i, k);
      CheckAll(DType::kI64, INT64_MIN + i, -k);
      CheckAll(DType::kI64, INT64_MAX - i, INT64_MIN + k);
    }
  }
}

TEST(Integer, KeepsTheFirstOverflow) {
  Integer a;
  a.Require(false, "first");
  a.Add(DType::kI64, INT64_MAX, 1);
  EXPECT_EQ(a.broken, "first");
}

TEST(DivideOverflows, OnlyWhereTheLeastIntegerIsDividedByMinusOne) {
  for (const int64_t x : Edges()) {
    for (const int64_t y : Edges()) {
      if (y == 0) continue;
      const Wide exact = Wide{x} / y;
      int64_t quotient = 0;
      const bool overflows = DivideOverflows(x, y, &quotient);
      ASSERT_EQ(overflows, x == INT64_MIN && y == -1) << x << " " << y;
      if (!overflows) {
        ASSERT_TRUE(quotient == exact) << x << " " << y;
      }
    }
  }
}

// Operation by operation, with NaN, infinities, both zeros and subnormal numbers among the factors.
TEST(Native, SumsProductsAsItAddsAndMultiplies) {
  std::mt19937 random(1);
  for (const DType type : {DType::kFp32, DType::kFp16, DType::kBf16}) {
    const auto draw = [&] {
      const uint64_t bits = random() & (type == DType::kFp32 ? 0xFFFF'FFFFu : 0xFFFFu);
      const double any = DecodeFloat(type, bits);
      // Three of four near one: other sums overflow, or have one term.
      return random() % 4 == 0 ? any : RoundTo(type, static_cast<double>(random()) * 0x1p-31 - 1);
    };
    int finite = 0;
    for (int i = 0; i < 20'000; ++i) {
      const auto count = static_cast<int64_t>(random() % 12);
      std::vector<double> x, y;
      Native native;
      double expected = 0;
      for (int64_t k = 0; k < count; ++k) {
        x.push_back(draw()), y.push_back(draw());
        expected = native.Add(type, expected, native.Mul(type, x.back(), y.back()));
      }
      const double sum = Native::SumProducts(type, x.data(), y.data(), count);
      ASSERT_EQ(std::isnan(sum), std::isnan(expected));
      finite += std::isfinite(sum);
      if (std::isnan(sum)) continue;
      ASSERT_EQ(std::bit_cast<uint64_t>(sum), std::bit_cast<uint64_t>(expected)) << Name(type);
    }
    EXPECT_GT(finite, 5'000);
  }
}

}  // namespace
}  // namespace cts
