// The vectorised sums of FFT2D and RFFT2D.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

namespace cts {

// The greatest number of lanes of a vector, on any CPU.
inline constexpr int64_t kTransformLanes = 8;

// The parameters of the transform of an image with height x width elements. `height` and `width`
// are powers of two. The greater of the two, parts(), is at least kTransformLanes.
//
// Angles are numbered by places (ay, ax) with ay < height and ax < width. The number of an angle is
// ay * (parts / height) + ax * (parts / width). The angle is a full turn times this number, divided
// by parts.
struct Transform {
  int64_t height = 1, width = 1;
  int64_t columns = 1;                 // of an output: the first `columns` columns; at most width
  std::vector<double> cosines, sines;  // indexed by the number of the angle
  // Whether the sine is replaced by zero if 2 * ay is a multiple of height and 2 * ax is a multiple
  // of width.
  bool drops_real_angles = false;

  int64_t parts() const { return height > width ? height : width; }
};

// Computes two sums for every output position (oy, ox). Each sum is over the rows iy and, in each
// row, over the columns ix. `cosine` and `sine` belong to the angle of the place (iy * oy mod
// height, ix * ox mod width).
//
//   real += re[iy][ix] * cosine + im[iy][ix] * sine
//   imag += im[iy][ix] * cosine + turned[iy][ix] * sine
//
// If `im` is null, each step adds only re * cosine to `real`, and only turned * sine to `imag`.
// Both sums begin with +0. Every product and every sum is rounded to fp64, and each lane of a
// vector adds its terms in order, so every CPU gives the same numbers. Only the bits of a NaN may
// differ.
class TransformSums {
 public:
  explicit TransformSums(const Transform& transform);

  // Transforms one image. Inputs have shape [height][width], and outputs [height][columns].
  void Compute(const double* re, const double* im, const double* turned, double* real,
               double* imag) const;

  // The offsets into the two tables below for one row or one column of the input. The offset for an
  // element is the offset of its row plus the offset of its column.
  struct Step {
    int64_t coefficients, permutation;
  };

 private:
  // The lanes are spread evenly along one side of the image. So for one input element, the angles
  // of the lanes differ by multiples of 1/lanes_ of a turn. An entry of table_ has the coefficients
  // of lanes_ angles that are 1/lanes_ of a turn apart: first the cosines, then the sines. A
  // permutation says which of these angles each lane uses.
  Step LaneStep(int64_t input, int64_t output) const;
  Step OtherStep(int64_t input, int64_t output) const;

  const int64_t height_, width_, columns_, lanes_;
  const bool along_rows_;  // whether the lanes are spread along the width
  const int64_t lane_side_, other_side_;
  const int64_t spacing_;                     // of neighbouring lanes, in elements
  const int64_t lane_stride_, other_stride_;  // in table_, for one step along the side
  const bool drops_real_angles_;
  int64_t table_size_ = 0;
  // One table, or two tables if drops_real_angles_. In the second table, the sines that
  // drops_real_angles_ replaces are zero.
  hwy::AlignedFreeUniquePtr<double[]> table_;
  hwy::AlignedFreeUniquePtr<int64_t[]> permutations_;
};

}  // namespace cts
