// The cases of long sums (LongSumsOf of reference/ops/size_ladder.h): the requested number of
// products, and the fewest results for which the statistics of the dot-product rule bind.
#pragma once

#include <cstdint>
#include <string_view>

#include "generator/ops/domain.h"

namespace cts {

// Why a type row has no case of sums of this length with set S; empty if it has one. The limits
// grow with the length: where a result of zeros passes, a case shows nothing. In 0.100 all products
// of S1 have one sign: where the text's own sums in fp16 exceed the limits, there is no case.
std::string_view WhyNoLongSum(const Setting& setting, int64_t products, int set);

// The greatest length that a recipe with sums up to `most` asks of an operator: MATMUL has all of
// them.
int64_t LongestSum(std::string_view op, int64_t most);

// The domain's case of sums of `products` products, a multiple of 256. `start` is a draft of the
// domain (CaseDraft::built_from) with the data set.
CaseDraft BuildLongSum(const Domain& domain, int64_t products, const CaseDraft& start);

}  // namespace cts
