// A vendor's test of one kernel, in C++: every MAXIMUM case of a suite whose operands are fp32 and
// of one shape. vendor_test_cc SUITE; 0: all accepted, 1: one was not, 2: the suite cannot be read.
#include <cmath>
#include <iostream>

#include "checker/judge/case_checker.h"

namespace {

// The kernel under test: NaN wherever an operand is, unless the case asks for the number.
float Maximum(float a, float b, bool ignore_nan) {
  if (std::isnan(a) || std::isnan(b)) {
    if (ignore_nan) return std::isnan(a) ? b : a;
    return std::isnan(a) ? a : b;
  }
  return a > b ? a : b;
}

cts::Tensor Run(const cts::Case& c) {
  const cts::Block& graph = c.graph.main();
  const cts::Tensor& a = c.inputs.at(graph.inputs[0]);
  const cts::Tensor& b = c.inputs.at(graph.inputs[1]);
  const auto mode = c.parameters.find("nan_mode");
  const bool ignore_nan = mode != c.parameters.end() && mode->second == "ignore";
  cts::Tensor result(cts::DType::kFp32, a.shape());
  for (int64_t i = 0; i < a.size(); ++i) {
    const auto x = static_cast<float>(a.Element(i)), y = static_cast<float>(b.Element(i));
    result.SetElement(i, Maximum(x, y, ignore_nan));
  }
  return result;
}

bool IsOurs(const cts::Case& c) {
  if (c.op != "MAXIMUM" || c.outcome != cts::Outcome::kValid || c.executions() != 1) return false;
  const cts::Block& graph = c.graph.main();
  if (graph.inputs.size() != 2 || graph.outputs.size() != 1) return false;
  const cts::Tensor& a = c.inputs.at(graph.inputs[0]);
  const cts::Tensor& b = c.inputs.at(graph.inputs[1]);
  return a.dtype() == cts::DType::kFp32 && a.shape() == b.shape();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const cts::StatusOr<cts::Suite> suite = cts::ReadSuite(argv[1]);
  if (!suite.ok()) {
    std::cerr << suite.status() << "\n";
    return 2;
  }
  int checked = 0, wrong = 0;
  for (const cts::SuiteEntry& entry : suite->cases) {
    const auto checker = cts::CaseChecker::Open(argv[1], *suite, entry.id);
    if (!checker.ok()) {
      std::cerr << checker.status() << "\n";
      return 2;
    }
    const cts::Case& c = checker->expected();
    if (!IsOurs(c)) continue;
    const auto report = checker->Check(ResultName(c.outputs[0]), Run(c));
    ++checked;
    if (report.ok() && report->verdict == cts::Verdict::kPass) continue;
    // The text disagrees with itself about this case: it decides nothing.
    if (report.ok() && report->verdict == cts::Verdict::kDisputed) continue;
    ++wrong;
    std::cout << entry.id << ": " << (report.ok() ? report->message : cts::Message(report.status()))
              << "\n";
  }
  std::cout << checked << " cases checked, " << wrong << " wrong\n";
  return checked > 0 && wrong == 0 ? 0 : 1;
}
