// Functions with which the steps of `shrink` find and change parts of a case.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reference/base/tensor.h"
#include "reference/bundle/case.h"

namespace cts {

// Returns the tensor of this name; null if there is no such tensor.
GraphTensor* Find(Block& block, const std::string& name);

// Returns the inputs of every execution, by name.
std::vector<std::map<std::string, Tensor>*> InputsOf(Case& c);

// Applies `change` to the values of an input in every execution, or to the values of a constant.
void ChangeTensor(Case& c, const std::string& name,
                  const std::function<Tensor(const Tensor&)>& change);

// Returns the elements whose index along `dim` is in `keep`.
Tensor TakeSlices(const Tensor& from, size_t dim, const std::vector<int64_t>& keep);

// Returns the operator's `k`-th input if it is a constant of type shape; otherwise null.
const GraphTensor* ShapeOperand(const Block& block, const GraphOperator& op, size_t k);
GraphTensor* ShapeOperand(Block& block, const GraphOperator& op, size_t k);
void SetOperand(GraphTensor& tensor, const std::vector<int64_t>& values);

// Delta debugging over a list of `n` items. `keep(positions)` tries the case with only these items
// of the list, and returns whether the case still fails; if so, these items become the list. At
// least `least` items remain.
template <class Keep>
void Reduce(size_t n, size_t least, const Keep& keep) {
  int fruitless = 0;
  for (size_t chunk = least == 0 ? n : (n + 1) / 2; chunk > 0;) {
    bool any = false;
    for (size_t at = 0; at < n && n > least;) {
      const size_t end = std::min(n, at + chunk);
      std::vector<size_t> rest;
      for (size_t i = 0; i < n; ++i) {
        if (i < at || i >= end) rest.push_back(i);
      }
      if (rest.size() >= least && keep(rest)) {
        n = rest.size();
        any = true;
      } else {
        at = end;
      }
    }
    // If no chunk could be left out in three passes in a row, passes over many smaller chunks are
    // not worth the runs.
    fruitless = any ? 0 : fruitless + 1;
    if (fruitless >= 3 && n / chunk >= 16) return;
    chunk = chunk == 1 ? 0 : std::min((chunk + 1) / 2, std::max<size_t>(1, (n + 1) / 2));
  }
}

}  // namespace cts
