// The curve of errors over the inputs of a sweep: the greatest error of each segment of inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cts {

// Divides the inputs, in the order of their numbers, into at most kSegments segments of equal size.
// For an operator with one fp32 operand, a segment is a binade, and the number of the segment
// consists of sign and exponent.
struct SweepCurve {
  static constexpr uint64_t kSegments = 512;

  // The greatest error of each segment, in ulp, as measured. Infinite if an error has no finite
  // size, as for a NaN in place of a number.
  std::vector<double> greatest;
  std::vector<uint64_t> rejected;  // the number of rejected results

  SweepCurve() = default;
  // Makes a curve of `size` inputs, a power of two.
  explicit SweepCurve(uint64_t size);

  bool empty() const { return greatest.empty(); }
  // Segment n begins with input n * Inputs(size), and has Inputs(size) inputs.
  static uint64_t Inputs(uint64_t size) { return size <= kSegments ? 1 : size / kSegments; }

  // Adds a result of this segment, with its error.
  void Add(size_t segment, double ulp, bool is_rejected) {
    if (ulp > greatest[segment]) greatest[segment] = ulp;
    if (is_rejected) ++rejected[segment];
  }
  // Both curves must have the same size, or one of them must be empty.
  void Add(const SweepCurve& other);
};

}  // namespace cts
