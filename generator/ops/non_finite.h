// Cases with NaN, infinity and zero among the factors of sums of products: data set "non-finite".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generator/ops/domain.h"

namespace cts {

struct NonFiniteShape {
  std::string what;  // for the id
  Labels labels;
  int64_t products;  // the greatest number of products of one sum
  // Whether an implementation may multiply weights by zeros that are not elements of the input: by
  // padding, and by zeros that a stride inserts between elements.
  bool multiplies_padding = false;
  // No weight is NaN or infinite, so products with these zeros add nothing.
  bool weight_is_finite = false;
};

// Returns one case for each shape, for every floating-point type row. Each case has fewer results
// than MIN_DOT_PRODUCTS, so that the limits of bias and variance do not apply. `at` builds a draft
// with given labels (BuildAt). `bound_is_local` says whether an element's bound depends only on
// the products of this element; it is ignored if the operator has the attribute local_bound.
//
// A few elements of each operand are NaN or infinite, a quarter of the others are zero, and the
// rest are small numbers whose sums are exact. Only results that the specification defines are
// checked (schemas/editions/notes.md, Precision and verdicts).
std::vector<DataCase> NonFiniteCases(CaseDraft (*at)(const CaseDraft&, Labels),
                                     std::vector<NonFiniteShape> shapes,
                                     bool bound_is_local = true);

}  // namespace cts
