#include "tools/program/sweep/sweep_curve.h"

#include <algorithm>

namespace cts {

SweepCurve::SweepCurve(uint64_t size)
    : greatest(static_cast<size_t>(std::min(size, kSegments))), rejected(greatest.size()) {}

void SweepCurve::Add(const SweepCurve& other) {
  if (empty()) {
    *this = other;
    return;
  }
  for (size_t segment = 0; segment < other.greatest.size(); ++segment) {
    greatest[segment] = std::max(greatest[segment], other.greatest[segment]);
    rejected[segment] += other.rejected[segment];
  }
}

}  // namespace cts
