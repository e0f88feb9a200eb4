// The errors of results over the inputs of a sweep: the greatest of each segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cts {

// The inputs in at most kSegments segments of equal size, by number. For one operand of fp32 a
// segment is a binade: sign and exponent are its number.
struct SweepCurve {
  static constexpr uint64_t kSegments = 512;

  std::vector<double> greatest;    // in ulp, as measured; infinite where a result was no number
  std::vector<uint64_t> rejected;  // how many

  SweepCurve() = default;
  // Makes a curve of `size` inputs, a power of two.
  explicit SweepCurve(uint64_t size);

  bool empty() const { return greatest.empty(); }
  // Segment n begins with input n * Inputs(size), and has Inputs(size) inputs.
  static uint64_t Inputs(uint64_t size) { return size <= kSegments ? 1 : size / kSegments; }

  // `segment` has a result with this error.
  void Add(size_t segment, double ulp, bool is_rejected) {
    if (ulp > greatest[segment]) greatest[segment] = ulp;
    if (is_rejected) ++rejected[segment];
  }
  // Both of one size, or one of them empty.
  void Add(const SweepCurve& other);
};

}  // namespace cts
