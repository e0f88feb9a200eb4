// The cases of long sums (LongSumsOf of reference/ops/size_ladder.h). Each sum has the requested
// number of products. The dot-product rule limits the bias and the variance only from a certain
// number of results on. Each case has this number of results, or slightly more.
#pragma once

#include <cstdint>
#include <string_view>

#include "generator/ops/domain.h"

namespace cts {

// Returns the reason why a type row has no case with sums of `products` products and one of the
// data sets S0 to S5. `set` is the number after the S. Returns an empty text if the row has such a
// case. There are two possible reasons. The limits of the rule grow with the length of the sums;
// for long sums they may accept a result of zeros. In edition 0.100, all products of data set S1
// have one sign, so the specification's own long sums in fp16 would exceed the limits.
std::string_view WhyNoLongSum(const Setting& setting, int64_t products, int set);

// Returns the greatest length of the sums of operator `op` in a recipe whose Recipe::long_sums is
// `most`. For MATMUL this is the length of the longest of all long sums, even if `most` is less.
// Returns 0 if `most` is 0: the recipe has no long sums.
int64_t LongestSum(std::string_view op, int64_t most);

// Builds the domain's case with sums of `products` products, a multiple of 64. `start` is a draft
// that the domain built with the data set of the wanted case. Its CaseDraft::built_from must be
// set: the new draft takes its labels from `built_from`, except those that make the sums long.
CaseDraft BuildLongSum(const Domain& domain, int64_t products, const CaseDraft& start);

}  // namespace cts
