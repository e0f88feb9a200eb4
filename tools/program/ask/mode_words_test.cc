#include "tools/program/ask/mode_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/ops/testing.h"

namespace cts {
namespace {

using ::testing::HasSubstr;

Case CaseOf(const OneOperator& op) {
  Case c;
  c.edition = op.edition().id;
  c.graph = op.graph();
  return c;
}

OneOperator Maximum(DType dtype, const std::string& mode) {
  OneOperator op("MAXIMUM");
  op.In(Tensor(dtype, {2})).In(Tensor(dtype, {2})).Out(dtype, {2}).Set("nan_mode", mode);
  return op;
}

TEST(NanModeText, SaysWhatIsDemanded) {
  EXPECT_EQ(NanModeText(CaseOf(Maximum(DType::kFp32, "IGNORE"))),
            "\nnan_mode IGNORE of MAXIMUM: where one operand is a NaN, the result is the other "
            "operand; only\n  where both are, it is a NaN\n");
  EXPECT_THAT(NanModeText(CaseOf(Maximum(DType::kFp32, "PROPAGATE"))),
              HasSubstr("the result is a NaN"));
}

TEST(NanModeText, IsSilentWhereThereIsNoNan) {
  EXPECT_EQ(NanModeText(CaseOf(Maximum(DType::kI8, "IGNORE"))), "");
  EXPECT_EQ(NanModeText(CaseOf(Maximum(DType::kFp32, "wrong"))), "");
}

}  // namespace
}  // namespace cts
