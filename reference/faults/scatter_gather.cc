// Faults of GATHER, SCATTER.
#include <algorithm>

#include "reference/faults/moves.h"

namespace cts::scatter_gather_faults {
namespace {

// values [N, K, C], indices [N, W], the rest [N, W, C].
struct Sizes {
  explicit Sizes(const Call& call, std::string_view values)
      : N(call.shape(values)[0]),
        K(call.shape(values)[1]),
        C(call.shape(values)[2]),
        W(call.shape("indices")[1]) {}

  int64_t N, K, C, W;
};

// GATHER that finds the element of `values` otherwise, from batch n, index w, channel c.
using Find =
    std::function<int64_t(const Sizes&, const Tensor& indices, int64_t n, int64_t w, int64_t c)>;
Wrong Gathered(Find find) {
  return TakenFromOffset("values", [find = std::move(find)](const Call& call, int64_t i) {
    const Sizes s(call, "values");
    return find(s, *call.values("indices"), i / s.C / s.W, i / s.C % s.W, i % s.C);
  });
}

// SCATTER that writes `input` element by element at the place that `place` gives (none for -1),
// over values_in or over zeros.
Wrong Scattered(const Find& place, bool from_values = true, bool adds = false) {
  return ByResult([=](const Call& call, OperatorOutputs& results) {
    const Sizes s(call, "values_in");
    const Tensor& indices = *call.values("indices");
    const Tensor& input = *call.values("input");
    Tensor& out = *results.begin()->second;
    out = from_values ? *call.values("values_in") : Tensor(out.dtype(), out.shape());
    for (int64_t i = 0; i < input.size(); ++i) {
      const int64_t k = place(s, indices, i / s.C / s.W, i / s.C % s.W, i % s.C);
      if (k < 0 || k >= out.size()) continue;
      if (!adds) {
        out.SetBits(k, input.Bits(i));
      } else if (IsFloat(out.dtype())) {
        out.SetElement(k, out.Element(k) + input.Element(i));
      } else {
        out.SetInteger(k, out.Integer(k) + input.Integer(i));
      }
    }
  });
}

int64_t Right(const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
  return (n * s.K + indices.Integer(n * s.W + w)) * s.C + c;
}

struct Named {
  const char* id;
  const char* sentence;
  Wrong wrong;
};

Faults Catalogue(const std::string& op, const std::string& prefix, const std::string& clause,
                 std::vector<Named> named) {
  Faults faults = MovingFaults(op, "in_out_t");
  for (Named& fault : named) {
    faults.push_back({.id = prefix + fault.id,
                      .op = op,
                      .sentence = fault.sentence,
                      .clause = clause,
                      .does = std::move(fault.wrong)});
  }
  return faults;
}

}  // namespace

Faults GatherFaults() {
  return Catalogue(
      "GATHER", "gather.", "GATHER, argument indices",
      {{"index_one_more", "takes the value behind the one that is asked for",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + (indices.Integer(n * s.W + w) + 1) % s.K) * s.C + c;
        })},
       {"index_from_one", "counts values from one",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          const int64_t k = indices.Integer(n * s.W + w) - 1;
          return k < 0 ? -1 : (n * s.K + k) * s.C + c;
        })},
       {"values_of_the_first_batch", "takes the values of the first batch for every batch",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return indices.Integer(n * s.W + w) * s.C + c;
        })},
       {"steps_through_values_by_the_output",
        "reads each batch of values as far behind the one before as the output's batches lie",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.W + indices.Integer(n * s.W + w)) * s.C + c;
        })},
       {"indices_of_the_first_batch", "takes the indices of the first batch for every batch",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + indices.Integer(w)) * s.C + c;
        })},
       {"transposes_indices", "takes indices to lie in memory as [W, N]",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + indices.Integer(w * s.N + n)) * s.C + c;
        })},
       {"repeats_the_first_index", "takes the first index of a batch for all",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t, int64_t c) {
          return Right(s, indices, n, 0, c);
        })},
       {"transposes_values", "takes values to lie in memory as [N, C, K]",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.C + c) * s.K + indices.Integer(n * s.W + w);
        })},
       {"one_channel", "moves the first channel; the others stay zero",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return c == 0 ? Right(s, indices, n, w, c) : int64_t{-1};
        })},
       {"hands_out_once", "moves a value away: where it is asked for again there is zero",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          for (int64_t before = 0; before < w; ++before) {
            if (indices.Integer(n * s.W + before) == indices.Integer(n * s.W + w)) {
              return int64_t{-1};
            }
          }
          return Right(s, indices, n, w, c);
        })},
       {"sorts_indices", "hands the values out in their own order",
        Gathered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          std::vector<int64_t> sorted;
          for (int64_t k = 0; k < s.W; ++k) sorted.push_back(indices.Integer(n * s.W + k));
          std::sort(sorted.begin(), sorted.end());
          return (n * s.K + sorted[static_cast<size_t>(w)]) * s.C + c;
        })}});
}

Faults ScatterFaults() {
  const auto once = [](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
    return Right(s, indices, n, w, c);
  };
  return Catalogue(
      "SCATTER", "scatter.", "SCATTER, arguments values_in and indices",
      {{"index_one_more", "writes behind where it should",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + (indices.Integer(n * s.W + w) + 1) % s.K) * s.C + c;
        })},
       {"forgets_values_in", "begins with zeros, not with values_in", Scattered(once, false)},
       {"adds", "adds the input to values_in", Scattered(once, true, true)},
       {"writes_the_first_batch", "writes every batch into the first",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return indices.Integer(n * s.W + w) * s.C + c;
        })},
       {"steps_through_values_by_the_input",
        "writes each batch as far behind the one before as the input's batches lie",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.W + indices.Integer(n * s.W + w)) * s.C + c;
        })},
       {"indices_of_the_first_batch", "takes the indices of the first batch for every batch",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + indices.Integer(w)) * s.C + c;
        })},
       {"transposes_indices", "takes indices to lie in memory as [W, N]",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + indices.Integer(w * s.N + n)) * s.C + c;
        })},
       {"skips_index_zero", "takes index 0 for none",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return indices.Integer(n * s.W + w) == 0 ? int64_t{-1} : Right(s, indices, n, w, c);
        })},
       {"writes_one_channel", "writes the first channel; the others keep values_in",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return c == 0 ? Right(s, indices, n, w, c) : int64_t{-1};
        })},
       {"loses_the_last_index", "writes all but the last index of a batch",
        Scattered([](const Sizes& s, const Tensor& indices, int64_t n, int64_t w, int64_t c) {
          return w + 1 == s.W ? int64_t{-1} : Right(s, indices, n, w, c);
        })},
       {"writes_in_order", "writes one value after another, whatever indices say",
        Scattered([](const Sizes& s, const Tensor&, int64_t n, int64_t w, int64_t c) {
          return (n * s.K + w) * s.C + c;
        })}});
}

}  // namespace cts::scatter_gather_faults
