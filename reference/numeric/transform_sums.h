// The vectorised sums of FFT2D and RFFT2D.
#pragma once

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <vector>

namespace cts {

// The greatest number of lanes in a vector.
inline constexpr int64_t kTransformLanes = 8;

// The parameters of a transform of an image of height x width elements. Both are powers of two, and
// the greater of them, parts(), is at least kTransformLanes.
//
// Angles are numbered by places (ay, ax) with ay < height and ax < width. The number of an angle is
// ay * (parts / height) + ax * (parts / width). The angle is a full turn times this number, divided
// by parts.
struct Transform {
  int64_t height = 1, width = 1;
  int64_t columns = 1;                 // of an output, counted from the first; at most width
  std::vector<double> cosines, sines;  // the coefficients, by the angle's number
  // Replaces the sine by zero if 2 * ay is a multiple of height and 2 * ax is a multiple of width.
  bool drops_real_angles = false;

  int64_t parts() const { return height > width ? height : width; }
};

// Computes these sums for every output position (oy, ox), over rows iy and, in each row, over
// columns ix. Cosine and sine are those of the angle at (iy * oy mod height, ix * ox mod width).
//
//   real += re[iy][ix] * cosine + im[iy][ix] * sine
//   imag += im[iy][ix] * cosine + turned[iy][ix] * sine
//
// If `im` is null, each step adds only one product: re * cosine and turned * sine. Both sums begin
// with +0. Every product and every sum is rounded to fp64, and each lane of a vector adds its terms
// in order, so every CPU gives the same numbers. Only the bits of a NaN may differ.
class TransformSums {
 public:
  explicit TransformSums(const Transform& transform);

  // Transforms one image. Inputs have shape [height][width], and outputs [height][columns].
  void Compute(const double* re, const double* im, const double* turned, double* real,
               double* imag) const;

  // The offsets into the tables for one row or column of the input. The offsets of an element are
  // those of its row plus those of its column.
  struct Step {
    int64_t coefficients, permutation;
  };

 private:
  // The lanes are spread evenly along one side of the image. So for one input element the angles of
  // the lanes differ by multiples of 1/lanes_ of a turn, and a permutation says which angle each
  // lane has. An entry of the table has the coefficients of lanes_ angles that are 1/lanes_ of a
  // turn apart: first the cosines, then the sines.
  Step LaneStep(int64_t input, int64_t output) const;
  Step OtherStep(int64_t input, int64_t output) const;

  const int64_t height_, width_, columns_, lanes_;
  const bool along_rows_;  // whether the lanes are along the width
  const int64_t lane_side_, other_side_;
  const int64_t spacing_;                     // between neighbouring lanes
  const int64_t lane_stride_, other_stride_;  // in a table, for one step along the side
  const bool drops_real_angles_;
  int64_t table_size_ = 0;
  // One table, or two if drops_real_angles_. In the second table, the sines that drops_real_angles
  // replaces are zero.
  hwy::AlignedFreeUniquePtr<double[]> table_;
  hwy::AlignedFreeUniquePtr<int64_t[]> permutations_;
};

}  // namespace cts
