// The cases of long sums (LongSumsOf of reference/ops/size_ladder.h). Each sum has the requested
// number of products. Each case has little more than the fewest results for which the dot-product
// rule limits the bias and the variance.
#pragma once

#include <cstdint>
#include <string_view>

#include "generator/ops/domain.h"

namespace cts {

// The reason why a type row has no case with sums of `products` products and data set S0 to S5.
// `set` is the number after the S. Empty if the row has such a case. There are two reasons. The
// limits of the rule grow with the length of the sums, so they would accept a result of zeros. In
// edition 0.100, all products of data set S1 have one sign, so the specification's own sums in fp16
// would exceed the limits.
std::string_view WhyNoLongSum(const Setting& setting, int64_t products, int set);

// The greatest length of the sums of an operator in a recipe whose Recipe::long_sums is `most`.
// MATMUL always has all lengths, unless `most` is 0.
int64_t LongestSum(std::string_view op, int64_t most);

// Builds the domain's case with sums of `products` products, a multiple of 256. `start` is a draft
// that the domain built with the data set that the case shall have. Its CaseDraft::built_from must
// be set: the new draft takes its labels from there, except those that make the sums long.
CaseDraft BuildLongSum(const Domain& domain, int64_t products, const CaseDraft& start);

}  // namespace cts
