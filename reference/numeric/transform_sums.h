// The vectorised sums of FFT2D and RFFT2D.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

namespace cts {

// No vector has more lanes.
inline constexpr int64_t kTransformLanes = 8;

// The transform of an image of height x width elements. Both are powers of two, and the greater,
// `parts`, is at least kTransformLanes.
//
// An angle is that of a place (ay, ax), ay < height and ax < width. Its number is
// ay * (parts / height) + ax * (parts / width), in parts of a turn.
struct Transform {
  int64_t height = 1, width = 1;
  int64_t columns = 1;                 // of an output: those of the input or the first of them
  std::vector<double> cosines, sines;  // the coefficients of angles, by their numbers
  // Counts the sine as zero where 2 * ay is a multiple of height and 2 * ax one of width.
  bool drops_real_angles = false;

  int64_t parts() const { return height > width ? height : width; }
};

// Computes, for every output position (oy, ox), with the angle of (iy * oy mod height,
// ix * ox mod width), rows iy from the first to the last and in each the columns ix:
//
//   real += re[iy][ix] * cosine + im[iy][ix] * sine
//   imag += im[iy][ix] * cosine + turned[iy][ix] * sine
//
// or, without `im`, one product each: re * cosine and turned * sine. Both begin with +0. Every
// product and every sum is rounded to fp64, and each lane of a vector is one sum from first to
// last: every CPU gives the same numbers. Only the bits of a NaN may differ.
class TransformSums {
 public:
  explicit TransformSums(const Transform& transform);

  // One image. Inputs have [height][width] elements, outputs [height][columns].
  void Compute(const double* re, const double* im, const double* turned, double* real,
               double* imag) const;

  // The places of the coefficients for one row or column of the input. Offsets of both add up.
  struct Step {
    int64_t coefficients, permutation;
  };

 private:
  // Lanes lie along one side of the image, as far from each other as the side allows. The angles of
  // one input element are then the same part of a turn away from each other, in an order that
  // depends on the element. An entry of the table holds the coefficients of such angles in their
  // natural order: first the cosines, then the sines.
  Step LaneStep(int64_t input, int64_t output) const;
  Step OtherStep(int64_t input, int64_t output) const;

  const int64_t height_, width_, columns_, lanes_;
  const bool along_rows_;  // lanes lie along the width
  const int64_t lane_side_, other_side_;
  const int64_t spacing_;                     // of lanes
  const int64_t lane_stride_, other_stride_;  // in a table, for a part of the side
  const bool drops_real_angles_;
  int64_t table_size_ = 0;
  // Two tables if real angles are dropped. The second has zeros for their sines.
  hwy::AlignedFreeUniquePtr<double[]> table_;
  hwy::AlignedFreeUniquePtr<int64_t[]> permutations_;
};

}  // namespace cts
