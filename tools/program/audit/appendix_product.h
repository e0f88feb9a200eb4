// Matrix products of the data sets of appendix A. Accumulators are measured with these products.
#pragma once

#include <cstdint>

#include "generator/draft/case_draft.h"
#include "reference/answer/answer.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts {

inline constexpr int kAppendixSets = 6;

// MATMUL of kRows x KS by KS x kColumns, and the reference's answer.
struct AppendixProduct {
  static constexpr int64_t kRows = 32, kColumns = 32;  // at least MIN_DOT_PRODUCTS results

  Tensor a, b;
  ExpectedOutput expected;
};

// `setting`: a type row of MATMUL; `set`: the data set S.
StatusOr<AppendixProduct> MakeAppendixProduct(const Setting& setting, int64_t kernel_size, int set);

}  // namespace cts
