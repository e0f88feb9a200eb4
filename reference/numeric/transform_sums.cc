#include "reference/numeric/transform_sums.h"

#include <bit>

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/numeric/transform_sums.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#ifndef CTS_REFERENCE_NUMERIC_TRANSFORM_SUMS_ONCE
#define CTS_REFERENCE_NUMERIC_TRANSFORM_SUMS_ONCE
namespace cts {

// One sum of each output in every lane.
struct LaneSums {
  int64_t height, width;
  const double *re, *im, *turned;  // im: null if the input is real
  const TransformSums::Step *rows, *columns;
  const double* table;
  const int64_t* permutations;
};

}  // namespace cts
#endif

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Lanes = hn::CappedTag<double, kTransformLanes>;

int64_t CountLanes() { return static_cast<int64_t>(hn::Lanes(Lanes())); }

template <bool kComplex>
void AddUp(const LaneSums& s, double* real_sums, double* imag_sums) {
  const Lanes d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto real = hn::Zero(d), imag = hn::Zero(d);
  int64_t i = 0;
  for (int64_t y = 0; y < s.height; ++y) {
    const double* const row = s.table + s.rows[y].coefficients;
    const int64_t* const permutations = s.permutations + s.rows[y].permutation;
    for (int64_t x = 0; x < s.width; ++x, ++i) {
      const double* const entry = row + s.columns[x].coefficients;
      const auto order = hn::SetTableIndices(d, permutations + s.columns[x].permutation);
      const auto cosine = hn::TableLookupLanes(hn::Load(d, entry), order);
      const auto sine = hn::TableLookupLanes(hn::Load(d, entry + lanes), order);
      // MulAdd would be wrong here: these products are not exact.
      const auto a = hn::Mul(hn::Set(d, s.re[i]), cosine);
      const auto b = hn::Mul(hn::Set(d, s.turned[i]), sine);
      if constexpr (kComplex) {
        const auto im = hn::Set(d, s.im[i]);
        real = hn::Add(real, hn::Add(a, hn::Mul(im, sine)));
        imag = hn::Add(imag, hn::Add(hn::Mul(im, cosine), b));
      } else {
        real = hn::Add(real, a);
        imag = hn::Add(imag, b);
      }
    }
  }
  hn::StoreU(real, d, real_sums);
  hn::StoreU(imag, d, imag_sums);
}

void AddUpLanes(const LaneSums& s, double* real_sums, double* imag_sums) {
  s.im == nullptr ? AddUp<false>(s, real_sums, imag_sums) : AddUp<true>(s, real_sums, imag_sums);
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(CountLanes);
HWY_EXPORT(AddUpLanes);

TransformSums::TransformSums(const Transform& t)
    : height_(t.height),
      width_(t.width),
      columns_(t.columns),
      lanes_(HWY_DYNAMIC_DISPATCH(CountLanes)()),
      // Along the height no lane is lost if an output has fewer columns than the input.
      along_rows_(t.height < kTransformLanes),
      lane_side_(along_rows_ ? t.width : t.height),
      other_side_(along_rows_ ? t.height : t.width),
      spacing_(lane_side_ / lanes_),
      lane_stride_(t.parts() / lane_side_ * 2 * lanes_),
      other_stride_(t.parts() / other_side_ * 2 * lanes_),
      drops_real_angles_(t.drops_real_angles) {
  const auto angles = static_cast<int64_t>(t.cosines.size());
  // An entry begins with an angle of its lane side's first part. Some of the last entry's angles
  // may belong to no place, and are never used.
  const int64_t parts = t.parts();
  const int64_t entries = (other_side_ - 1) * (parts / other_side_) + parts / lanes_;
  table_size_ = entries * 2 * lanes_;
  const int64_t tables = drops_real_angles_ ? 2 : 1;
  table_ = hwy::AllocateAligned<double>(static_cast<size_t>(tables * table_size_));
  double* out = table_.get();
  for (int64_t table = 0; table < tables; ++table) {
    for (int64_t entry = 0; entry < entries; ++entry, out += 2 * lanes_) {
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        const int64_t k = entry + lane * (parts / lanes_);
        // The second table serves places where one part is a multiple of half a turn. The whole is
        // one if and only if the other part is.
        const bool dropped = table == 1 && 2 * k % parts == 0;
        out[lane] = k < angles ? t.cosines[static_cast<size_t>(k)] : 0;
        out[lanes_ + lane] = k < angles && !dropped ? t.sines[static_cast<size_t>(k)] : 0;
      }
    }
  }
  // Permutation [first][step] takes lane number first + lane * step.
  permutations_ = hwy::AllocateAligned<int64_t>(static_cast<size_t>(lanes_ * lanes_ * lanes_));
  int64_t* permutation = permutations_.get();
  for (int64_t first = 0; first < lanes_; ++first) {
    for (int64_t step = 0; step < lanes_; ++step) {
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        *permutation++ = (first + lane * step) % lanes_;
      }
    }
  }
}

// Sides, lanes and spacings are powers of two: masks and shifts divide.
//
// Lane l is the output at output + l * spacing. Its angle has input * output + l * input * spacing
// parts of the side, less whole turns. The first term is `first` whole spacings and a rest.
TransformSums::Step TransformSums::LaneStep(int64_t input, int64_t output) const {
  const int64_t angle = (input * output) & (lane_side_ - 1);
  const int64_t first = angle >> std::countr_zero(static_cast<uint64_t>(spacing_));
  const int64_t rest = angle & (spacing_ - 1);
  return {.coefficients = rest * lane_stride_,
          .permutation = (first * lanes_ + (input & (lanes_ - 1))) * lanes_};
}

TransformSums::Step TransformSums::OtherStep(int64_t input, int64_t output) const {
  const int64_t angle = (input * output) & (other_side_ - 1);
  const bool second = drops_real_angles_ && ((2 * angle) & (other_side_ - 1)) == 0;
  return {.coefficients = angle * other_stride_ + (second ? table_size_ : 0), .permutation = 0};
}

void TransformSums::Compute(const double* re, const double* im, const double* turned, double* real,
                            double* imag) const {
  std::vector<Step> lane_steps(static_cast<size_t>(lane_side_));
  std::vector<Step> other_steps(static_cast<size_t>(other_side_));
  const std::vector<Step>&rows = along_rows_ ? other_steps : lane_steps,
        &columns = along_rows_ ? lane_steps : other_steps;
  const LaneSums sums = {height_,
                         width_,
                         re,
                         im,
                         turned,
                         rows.data(),
                         columns.data(),
                         table_.get(),
                         permutations_.get()};
  const int64_t others = along_rows_ ? height_ : columns_;
  for (int64_t first = 0; first < spacing_; ++first) {
    for (int64_t k = 0; k < lane_side_; ++k) lane_steps[k] = LaneStep(k, first);
    for (int64_t other = 0; other < others; ++other) {
      for (int64_t k = 0; k < other_side_; ++k) other_steps[k] = OtherStep(k, other);
      double real_sums[kTransformLanes], imag_sums[kTransformLanes];
      HWY_DYNAMIC_DISPATCH(AddUpLanes)(sums, real_sums, imag_sums);
      for (int64_t lane = 0; lane < lanes_; ++lane) {
        const int64_t at = first + lane * spacing_;
        const int64_t oy = along_rows_ ? other : at, ox = along_rows_ ? at : other;
        if (ox >= columns_) continue;
        real[oy * columns_ + ox] = real_sums[lane];
        imag[oy * columns_ + ox] = imag_sums[lane];
      }
    }
  }
}

}  // namespace cts
#endif
