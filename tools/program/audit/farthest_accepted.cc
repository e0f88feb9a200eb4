#include "tools/program/audit/farthest_accepted.h"

namespace cts {
namespace {

// The values of a floating-point type in their order, as integers.
int64_t OrderOf(DType type, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (Info(type).bits - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}
uint64_t BitsOf(DType type, int64_t order) {
  const uint64_t sign = uint64_t{1} << (Info(type).bits - 1);
  return order < 0 ? sign | static_cast<uint64_t>(-order) : static_cast<uint64_t>(order);
}

}  // namespace

int64_t PushToEnd(const ElementJudge& judge, Tensor& result, int64_t i, int64_t direction) {
  const DType type = result.dtype();
  const uint64_t start = result.Bits(i);
  const int64_t origin = OrderOf(type, start);
  const int64_t most = (int64_t{1} << (Info(type).bits - 1)) - 1;
  const auto accepts = [&](int64_t steps) {
    const int64_t order = origin + direction * steps;
    if (order > most || order < -most) return false;
    result.SetBits(i, BitsOf(type, order));
    return result.Element(i) == result.Element(i) && judge.Accepts(i);
  };
  // By doubling and halving.
  int64_t good = 0, bad = 1;
  while (bad < int64_t{1} << 32 && accepts(bad)) good = bad, bad *= 2;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    (accepts(middle) ? good : bad) = middle;
  }
  result.SetBits(i, good == 0 ? start : BitsOf(type, origin + direction * good));
  return good;
}

}  // namespace cts
