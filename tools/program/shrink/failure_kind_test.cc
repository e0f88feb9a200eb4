#include "tools/program/shrink/failure_kind.h"

#include <gtest/gtest.h>

namespace cts {
namespace {

CaseReport Of(Verdict verdict) {
  CaseReport report;
  report.verdict = verdict;
  return report;
}

TEST(FailureKind, TellsWrongValuesFromWrongDistributions) {
  EXPECT_EQ(FailureKind(Of(Verdict::kPass)), "");
  CaseReport report = Of(Verdict::kFail);
  report.outputs.resize(2);
  EXPECT_EQ(FailureKind(report), "a wrong distribution of errors, every value within its limit");
  report.outputs[1].mismatches = 1;
  EXPECT_EQ(FailureKind(report), "a wrong value");
}

TEST(FailureKind, TellsWhichOutcomeWasDue) {
  CaseReport report = Of(Verdict::kWrongOutcome);
  report.said = "no kernel";
  report.outcome = Outcome::kError;
  EXPECT_EQ(FailureKind(report), "a result where an error is due");
  report.outcome = Outcome::kValid;
  EXPECT_EQ(FailureKind(report), "an error where a result is due: no kernel");
}

TEST(FailureKind, LeavesTheFileOutOfWhatIsMalformed) {
  CaseReport report = Of(Verdict::kMalformed);
  report.message = "y.npy: expected a header";
  EXPECT_EQ(FailureKind(report), "a malformed output: expected a header");
  report.message = "expected a header";
  EXPECT_EQ(FailureKind(report), "a malformed output: expected a header");
}

TEST(FailureKind, OfACrashHasItsSignalExitCodeAndAssertion) {
  CaseReport report = Of(Verdict::kCrash);
  EXPECT_EQ(FailureKind(report), "a crash");
  report.exit_code = 0;
  EXPECT_EQ(FailureKind(report), "a crash");
  report.exit_code = 3;
  EXPECT_EQ(FailureKind(report), "a crash, exit code 3");
  report.exit_code.reset();
  report.reported = true;
  report.said = "reported by the adapter: KeyError: 'pad' (npu.py, line 3, in execute)";
  EXPECT_EQ(FailureKind(report), "a crash: reported by the adapter: KeyError: 'pad'");
  report.reported = false;
  report.signal = 6;
  report.log = "starting\nkernel: Assertion `rank > 0' failed.\nAborted\n";
  EXPECT_EQ(FailureKind(report), "a crash, signal 6: kernel: Assertion `rank > ' failed.");
}

TEST(FailureTitle, KeepsTheMessage) {
  CaseReport report = Of(Verdict::kWrongOutcome);
  report.outcome = Outcome::kValid;
  report.said = "\n table of 513 entries is too large: got 'i8' and tensor<2x(3)>\nbacktrace";
  EXPECT_EQ(FailureTitle(report),
            "an error where a result is due: table of 513 entries is too large: got 'i8' and "
            "tensor<2x(3)>");
  report.said = "";
  EXPECT_EQ(FailureTitle(report), "an error where a result is due");
  report.said = std::string(1000, 'x') + "\x1b";
  EXPECT_LT(FailureTitle(report).size(), 300u);
}

}  // namespace
}  // namespace cts
