#include "checker/report/clusters.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "reference/base/contains.h"
#include "reference/base/status.h"

namespace cts {
namespace {

constexpr size_t kShown = 3;
// Refused elements that lie elsewhere: another fault, or noise.
constexpr double kLeastInside = 0.95;
constexpr double kLeastRefused = 0.1;
constexpr double kLeastOfChosen = 0.9;  // where the data chose first and last
// The chance that as many refused elements, spread at random, would lie in a set. Some thousand
// sets are looked at.
constexpr double kMostChance = 1e-7;

constexpr int64_t kVectors[] = {4, 8, 16, 32, 64};

std::string AxisName(const Shape& shape, size_t axis) {
  std::string name = StrCat("axis ", axis);
  if (axis == 0 && shape.size() >= 3) return name + ", the batch of most layouts";
  if (axis + 1 == shape.size() && shape.size() >= 2) return name + ", the last";
  return name;
}

// The logarithm of the chance that at least `inside` of `refused` elements fall into a share of the
// tensor, by the Chernoff bound.
double LogChance(double inside, double refused, double share) {
  if (share >= 1 || inside <= refused * share) return 0;
  const double part = inside / refused;
  const double rest = part < 1 ? (1 - part) * std::log((1 - part) / (1 - share)) : 0;
  return -refused * (part * std::log(part / share) + rest);
}

class Finder {
 public:
  Finder(const Shape& shape, const std::vector<int64_t>& refused)
      : shape_(shape), refused_(refused), elements_(ElementCount(shape)) {}

  std::vector<Cluster> Find(const std::vector<NamedSet>& named) {
    const auto count = static_cast<int64_t>(refused_.size());
    if (count < 2) return {};
    if (count == elements_) return {{"every element", count, count}};
    for (const NamedSet& set : named) Named(set);
    for (size_t axis = 0; axis < shape_.size(); ++axis) OfAxis(axis);
    if (shape_.size() > 1) OfFlatOffset();
    Frame();
    Box();
    std::stable_sort(found_.begin(), found_.end(),
                     [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
    std::vector<Cluster> clusters;
    for (const Ranked& ranked : found_) {
      // A set tells less than the one before it if clearly fewer of its elements are refused.
      if (clusters.size() == kShown || ranked.score < 0.6 * found_[0].score) break;
      clusters.push_back(ranked.cluster);
    }
    return clusters;
  }

 private:
  struct Ranked {
    Cluster cluster;
    double score;
  };

  // `choices`: how many sets of this kind there are; the data chose this one.
  void Consider(std::string words, int64_t inside, int64_t size, double choices = 1) {
    const auto refused = static_cast<double>(refused_.size());
    if (size <= 0 || size >= elements_ || static_cast<double>(inside) < kLeastInside * refused) {
      return;
    }
    const double of_set = static_cast<double>(inside) / static_cast<double>(size);
    const double share = static_cast<double>(size) / static_cast<double>(elements_);
    if (of_set < (choices > 1 ? kLeastOfChosen : kLeastRefused) ||
        LogChance(static_cast<double>(inside), refused, share) > std::log(kMostChance / choices)) {
      return;
    }
    const double of_refused = static_cast<double>(inside) / refused;
    const double score = 2 * of_set * of_refused / (of_set + of_refused);
    // Sets of the same elements need one name: the first, which is the simplest.
    for (const Ranked& other : found_) {
      if (other.cluster.size == size && other.cluster.refused == inside) return;
    }
    found_.push_back({{std::move(words), inside, size}, score});
  }

  void Named(const NamedSet& set) {
    const auto inside = std::count_if(refused_.begin(), refused_.end(), [&](int64_t offset) {
      return set.has[static_cast<size_t>(offset)];
    });
    Consider(set.words, inside, std::count(set.has.begin(), set.has.end(), true));
  }

  // Refused elements by their index on an axis.
  std::vector<int64_t> CountBy(const std::function<int64_t(int64_t)>& index, int64_t size) const {
    std::vector<int64_t> counts(static_cast<size_t>(size));
    for (const int64_t offset : refused_) ++counts[static_cast<size_t>(index(offset))];
    return counts;
  }

  int64_t Inner(size_t axis) const {
    int64_t inner = 1;
    for (size_t a = axis + 1; a < shape_.size(); ++a) inner *= shape_[a];
    return inner;
  }

  void OfAxis(size_t axis) {
    const int64_t n = shape_[axis], inner = Inner(axis), slice = elements_ / n;
    if (n < 2) return;
    const std::vector<int64_t> counts =
        CountBy([&](int64_t offset) { return offset / inner % n; }, n);
    const auto at = [&](int64_t k) { return counts[static_cast<size_t>(k)]; };
    const std::string name = AxisName(shape_, axis);
    Consider(StrCat("the last index (", n - 1, ") of ", name), at(n - 1), slice);
    Consider(StrCat("the first index (0) of ", name), at(0), slice);
    for (int64_t k = 1; k + 1 < n; ++k) {
      Consider(StrCat("index ", k, " of ", name), at(k), slice);
    }
    if (n > 2) {
      Consider(StrCat("the first and the last index (0 and ", n - 1, ") of ", name),
               at(0) + at(n - 1), 2 * slice);
    }
    Lanes(counts, n, slice, " of " + name, axis + 1 == shape_.size());
  }

  void OfFlatOffset() {
    const std::vector<int64_t> counts = CountBy([](int64_t offset) { return offset; }, elements_);
    Lanes(counts, elements_, 1, " of the flat tensor", true);
  }

  // Sets of indices below `n`: those that repeat, and those that a vector loop leaves over.
  void Lanes(const std::vector<int64_t>& counts, int64_t n, int64_t slice, const std::string& where,
             bool vectorized) {
    const auto refused = static_cast<int64_t>(refused_.size());
    for (const int64_t lanes : vectorized
                                   ? std::vector<int64_t>(std::begin(kVectors), std::end(kVectors))
                                   : std::vector<int64_t>()) {
      if (n <= lanes) break;
      const int64_t whole = n / lanes * lanes;
      int64_t tail = 0;
      for (int64_t k = whole; k < n; ++k) tail += counts[static_cast<size_t>(k)];
      if (whole < n) {
        Consider(StrCat("what is left after the last whole vector of ", lanes, where, " (from ",
                        whole, ")"),
                 tail, (n - whole) * slice);
      }
    }
    for (int64_t lanes = 2; lanes <= std::min<int64_t>(64, n / 2); ++lanes) {
      const bool vector = vectorized && Contains(kVectors, lanes);
      std::vector<int64_t> of_lane(static_cast<size_t>(lanes));
      for (int64_t k = 0; k < n; ++k) {
        of_lane[static_cast<size_t>(k % lanes)] += counts[static_cast<size_t>(k)];
      }
      const auto size = [&](int64_t lane) { return (n - lane + lanes - 1) / lanes * slice; };
      for (int64_t lane = 0; lane < lanes; ++lane) {
        const int64_t inside = of_lane[static_cast<size_t>(lane)];
        if (inside * 2 < refused) continue;
        Consider(vector && lane + 1 == lanes ? StrCat("the last lane of vectors of ", lanes, where)
                 : vector ? StrCat("lane ", lane, " of vectors of ", lanes, where)
                          : StrCat("every index ", lane, " modulo ", lanes, where),
                 inside, size(lane));
      }
      if (!vector) continue;
      int64_t inside = of_lane.back(), elements = size(lanes - 1);
      for (int64_t lane = lanes - 2; lane >= lanes / 2; --lane) {
        inside += of_lane[static_cast<size_t>(lane)];
        elements += size(lane);
        Consider(StrCat("the last ", lanes - lane, " lanes of vectors of ", lanes, where), inside,
                 elements);
      }
    }
  }

  // The border over two axes at once: the frame of an image.
  void Frame() {
    for (size_t a = 0; a + 1 < shape_.size(); ++a) {
      const size_t b = a + 1;
      if (shape_[a] < 3 || shape_[b] < 3) continue;
      const auto at_border = [&](int64_t offset) {
        const int64_t i = offset / Inner(a) % shape_[a], j = offset / Inner(b) % shape_[b];
        return i == 0 || i == shape_[a] - 1 || j == 0 || j == shape_[b] - 1;
      };
      const auto inside = std::count_if(refused_.begin(), refused_.end(), at_border);
      const int64_t inner = (shape_[a] - 2) * (shape_[b] - 2) * (elements_ / shape_[a] / shape_[b]);
      Consider(StrCat("the border of axes ", a, " and ", b), inside, elements_ - inner);
    }
  }

  // The smallest block that holds them all.
  void Box() {
    Shape least = Index(shape_, refused_.front()), most = least;
    for (const int64_t offset : refused_) {
      const Shape index = Index(shape_, offset);
      for (size_t a = 0; a < shape_.size(); ++a) {
        least[a] = std::min(least[a], index[a]);
        most[a] = std::max(most[a], index[a]);
      }
    }
    int64_t size = 1;
    for (size_t a = 0; a < shape_.size(); ++a) size *= most[a] - least[a] + 1;
    // First and last element could be any.
    const auto all = static_cast<double>(elements_);
    Consider(StrCat("the block from ", ToString(least), " to ", ToString(most)),
             static_cast<int64_t>(refused_.size()), size, all * all);
    const int64_t from = refused_.front(), to = refused_.back();
    Consider(StrCat("the run from element ", from, " to element ", to, " of the flat tensor"),
             static_cast<int64_t>(refused_.size()), to - from + 1, all * all);
  }

  const Shape& shape_;
  const std::vector<int64_t>& refused_;
  const int64_t elements_;
  std::vector<Ranked> found_;
};

}  // namespace

std::vector<Cluster> FindClusters(const Shape& shape, const std::vector<int64_t>& refused,
                                  const std::vector<NamedSet>& named) {
  return Finder(shape, refused).Find(named);
}

}  // namespace cts
