// Functions of one floating-point number. Between two arguments a monotonic function lies between
// its values there; wide arguments are taken in pieces, since the bound grows with the argument.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/enclosure/enclosed_operator.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

constexpr Ends kAllNumbers = {};
// An argument wider than this share of itself (or of one) is taken in pieces.
constexpr double kWideArgument = 0x1p-6;
constexpr int kPieces = 8;
// Beyond, the period of a circular function is not followed.
constexpr double kMostPeriods = 1e6;

// Whether the function is monotonic over the range, which lies where it is a number.
bool IsInDomain(Curve curve, const Ends& x) {
  if (x.IsEverything()) return false;
  switch (curve) {
    case Curve::kMonotonicAboveZero:
      return x.lo > 0;
    case Curve::kMonotonicBesideZero:
      return x.lo > 0 || x.hi < 0;
    case Curve::kCosine:
    case Curve::kSine:
      return std::fabs(x.lo) < kMostPeriods && std::fabs(x.hi) < kMostPeriods;
    case Curve::kMonotonic:
      return true;
    case Curve::kNone:
      break;
  }
  return false;
}

// Adds the extremes of a circular function that it may reach between two arguments.
void AddExtremes(Curve curve, const Ends& x, Ends* range) {
  if (curve != Curve::kCosine && curve != Curve::kSine) return;
  constexpr double kHalfTurn = 3.14159265358979323846, kDoubt = 1e-8;
  // A cosine has extremes at multiples of half a turn.
  const double shift = curve == Curve::kSine ? 0.5 : 0;
  const double first = std::ceil(x.lo / kHalfTurn - shift - kDoubt);
  const double last = std::floor(x.hi / kHalfTurn - shift + kDoubt);
  if (first > last) return;
  if (first < last || std::fmod(std::fabs(first), 2) == 0) range->hi = 1;
  if (first < last || std::fmod(std::fabs(first), 2) == 1) range->lo = -1;
}

// The ends of the pieces of every argument.
std::vector<Tensor> Cut(Curve curve, const Enclosure& x, double most) {
  bool wide = false;
  for (int64_t i = 0; i < x.lo.size(); ++i) {
    const auto [lo, hi] = x.At(i);
    wide = wide ||
           (IsInDomain(curve, x.At(i)) && hi - lo > kWideArgument * std::max(1.0, std::fabs(lo)));
  }
  const int pieces = wide ? kPieces : 1;
  std::vector<Tensor> cuts(static_cast<size_t>(pieces) + 1, Tensor(DType::kFp64, x.lo.shape()));
  for (int64_t i = 0; i < x.lo.size(); ++i) {
    const Ends ends = IsInDomain(curve, x.At(i)) ? x.At(i) : Ends{1, 1};
    const double lo = std::clamp(ends.lo, -most, most), hi = std::clamp(ends.hi, -most, most);
    for (int k = 0; k <= pieces; ++k) {
      const double inside = std::clamp(lo + (hi - lo) * k / pieces, lo, hi);
      cuts[static_cast<size_t>(k)].SetElement(i, k == 0 ? ends.lo : k == pieces ? ends.hi : inside);
    }
  }
  return cuts;
}

}  // namespace

StatusOr<Enclosures> EncloseFunction(const EnclosedCall& enclosed, const PrecisionRow& row) {
  const Curve curve = FactsOf(enclosed.call.name()).curve;
  const DType type = enclosed.call.dtype("output");
  if (!ToleranceOf(row, type, 0)) return NoEnclosure(enclosed, "under its rule");
  const auto* const bound = row.As<ElementwisePrecision>();
  const Enclosure& x = enclosed.operands[0];
  const std::vector<Tensor> cuts = Cut(curve, x, Format(type).max);
  std::vector<Tensor> values;
  for (const Tensor& cut : cuts) {
    auto run = enclosed.operands.Run({{0, std::make_shared<const Tensor>(cut)}});
    if (!run) return NoEnclosure(enclosed, "where a REQUIRE of it may not hold");
    values.push_back(std::move(run->at("output")));
  }
  Enclosure output(type, x.lo.shape());
  for (int64_t i = 0; i < output.lo.size(); ++i) {
    if (!IsInDomain(curve, x.At(i))) {
      output.Set(i, kAllNumbers);
      continue;
    }
    if (bound != nullptr && bound->table && x.IsExactInfinity(i)) {
      const double value = values[0].Element(i);  // of the table
      std::isinf(value) ? output.SetReals(i, {value, value}) : output.Set(i, {value, value});
      continue;
    }
    Ends all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (size_t k = 0; k + 1 < cuts.size(); ++k) {
      const Ends piece{cuts[k].Element(i), cuts[k + 1].Element(i)};
      const double from = values[k].Element(i), to = values[k + 1].Element(i);
      // RSQRT is rounded twice, the others once.
      Ends range{Below(Below(std::min(from, to))), Above(Above(std::max(from, to)))};
      AddExtremes(curve, piece, &range);
      const double greatest = std::max(std::fabs(piece.lo), std::fabs(piece.hi));
      // Infinity stands for every number that a wider type may hold in its place.
      if (std::isinf(greatest) && bound != nullptr && bound->slope != 0) all = kAllNumbers;
      const Ends accepted = ToleranceOf(row, type, greatest)->Around(range);
      all = {std::min(all.lo, accepted.lo), std::max(all.hi, accepted.hi)};
    }
    output.Set(i, all.IsEverything() ? kAllNumbers : Accepted(type, row.form, all));
  }
  Enclosures made;
  made.emplace("output", std::move(output));
  return made;
}

}  // namespace cts
