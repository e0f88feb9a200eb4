// Cases with NaN, infinity and zero in sums of products: data set "non-finite".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

struct NonFiniteShape {
  std::string what;  // for the id
  Labels labels;
  int64_t products;  // of one sum, at most
  // Whether an implementation may multiply weights by zeros beside the input: by padding, and by
  // the zeros that a stride puts between elements.
  bool multiplies_padding = false;
  bool weight_is_finite = false;  // zeros beside the input add nothing, even if they are multiplied
};

// One case of each shape, of fewer results than MIN_DOT_PRODUCTS so that no statistics bind, for
// every floating-point type row. `at` builds a draft with labels of its own (BuildAt).
// `bound_is_local`: whether the bound of an element is that of its own products where the edition
// has no local_bound.
//
// A few elements of each operand are NaN or infinite, a quarter of the others are zero, the rest
// are small numbers whose sums are exact. Only results that the text settles are asked for
// (schemas/editions/notes.md, Precision and verdicts).
std::vector<DataCase> NonFiniteCases(CaseDraft (*at)(const CaseDraft&, Labels),
                                     std::vector<NonFiniteShape> shapes,
                                     bool bound_is_local = true);

}  // namespace cts
