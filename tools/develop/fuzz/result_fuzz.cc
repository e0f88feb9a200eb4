// Results of one of a few cases, which the first byte chooses: result.json, then out.npy.
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "checker/judge/suite_on_disk.h"
#include "tools/develop/fuzz/fuzz.h"

namespace cts {
namespace {

using namespace testing_suite;  // NOLINT

std::vector<Case> MakeCases() {
  const auto fp64 = [](std::vector<double> v) {
    return Tensor::OfFloats(DType::kFp64, {static_cast<int64_t>(v.size())}, v);
  };
  std::vector<Case> cases = {IntegerCase("identity/a"), ErrorCase("identity/a"),
                             FloatCase("identity/a", {1, -0.0, 0x1p-140})};
  for (const DType dtype : {DType::kBf16, DType::kFp8E4M3, DType::kFp16}) {
    cases.push_back(ValidCase("identity/a", dtype, RuleOf(RuleKind::kDotProduct),
                              {{false, fp64({1, 2}), fp64({1, 2}), {}}}));
  }
  for (const DType dtype : {DType::kBool, DType::kI4, DType::kI48}) {
    cases.push_back(ValidCase("identity/a", dtype, RuleOf(RuleKind::kExact),
                              {{false, Tensor::OfIntegers(dtype, {3}, {0, 1, 1}), {}, {}}}));
  }
  cases.push_back(ValidCase("identity/a", DType::kFp32, RuleOf(RuleKind::kExact),
                            {{false, fp64({0x1p-130, 1}), {}, {}}, {true, fp64({0, 1}), {}, {}}}));
  cases.push_back(ValidCase("identity/a", DType::kShape, RuleOf(RuleKind::kExact),
                            {{false, Tensor(DType::kShape, {0}), {}, {}}}));
  return cases;
}

}  // namespace

void FuzzResult(std::string_view bytes) {
  static const auto& cases = *new std::vector<Case>(MakeCases());
  const Case& c = cases[TakeByte(&bytes) % cases.size()];
  const size_t end = std::min(bytes.find("\x93NUMPY"), bytes.size());
  const std::string_view json = bytes.substr(0, end);
  const std::string_view npy = bytes.substr(end);
  const StatusOr<CheckedCase> checked =
      CheckCase(c, [&](std::string_view name, uint64_t max_bytes) -> StatusOr<std::string> {
        const std::string_view file = name.ends_with(".json") ? json : npy;
        if (file.empty()) return NotFound(name);
        if (file.size() > max_bytes) return InvalidArgument(name, ": too long");
        return std::string(file);
      });
  Assert(checked.ok(), "the implementation's mistakes are verdicts");
  const CaseReport& report = checked->report;
  const bool passed = report.verdict == Verdict::kPass;
  Assert(passed || !report.message.empty(), "what does not pass has a reason");
  if (!passed) return;
  Assert(report.answered == (c.outcome == Outcome::kError ? CaseStatus::kError : CaseStatus::kOk),
         "the outcome is right");
  for (const OutputReport& output : report.outputs) {
    Assert(output.verdict == Verdict::kPass && output.mismatches == 0, "every output passed");
  }
}

}  // namespace cts
