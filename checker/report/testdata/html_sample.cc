// For html_test.py: writes pages of made-up reports into a directory.
//   html_sample DIR    big.html: 10,000 cases of every verdict, hostile texts among them;
//                      good.html: all of them pass
#include <cstdio>
#include <filesystem>

#include "checker/report/html.h"
#include "reference/base/file.h"

namespace cts {
namespace {

constexpr const char* kHostile =
    "</script><script>document.title='broken'</script><!-- \"><img "
    "src=http://attacker.example/x onerror=\"document.title='broken'\"> \xE2\x80\xA8 "
    "<a href=javascript:alert(1)>'\\";

constexpr const char* kOperators[] = {
    "ABS",     "ADD",        "ARGMAX",  "AVG_POOL2D", "CAST",  "CLAMP",   "CONCAT",
    "CONV2D",  "CONV3D",     "COS",     "EQUAL",      "ERF",   "EXP",     "FFT2D",
    "GATHER",  "IDENTITY",   "LOG",     "MATMUL",     "MUL",   "NEGATE",  "PAD",
    "POW",     "REDUCE_SUM", "RESCALE", "RESIZE",     "RSQRT", "SCATTER", "SELECT",
    "SIGMOID", "SLICE",      "SUB",     "TABLE",      "TANH",  "TILE",    "TRANSPOSE"};
constexpr const char* kTypes[] = {"bool", "i8", "i16", "i32", "fp8e4m3", "fp16", "bf16", "fp32"};
constexpr const char* kProfiles[] = {"PRO-INT", "PRO-FP", "EXT-BF16"};

CaseReport SampleCase(int i, bool good) {
  CaseReport c;
  const auto op = static_cast<size_t>(i) * std::size(kOperators) / 10000;
  c.op = kOperators[op];
  c.types = {{"in_t", kTypes[i % std::size(kTypes)]}};
  c.mode = kTypes[i % std::size(kTypes)];
  c.profiles = {{kProfiles[i % 3]}};
  std::string folder = c.op;
  for (char& letter : folder) letter = static_cast<char>(std::tolower(letter));
  c.id = StrCat(folder, "/", c.mode, "-o2x9x10x6-k3x3x3-s1x1-p1-0-1-1-d2x3-b1-wrun-lbno-", i);
  c.seconds = 0.001 * (i % 17);
  c.data_set = "full-range";
  c.parameters = {{"stride", "1x1"}, {"pad", "1-0-1-1"}};
  OutputReport output;
  output.name = "output";
  output.dtype = DType::kFp32;
  output.rule.kind = static_cast<RuleKind>(i % 5);
  output.rule.clause = "tosa-1.0, Some Section";
  output.elements = 1000;
  output.ulps.counts = {800, 100, 60, 40, 0, 0, 0, 0, 0, 0};
  output.worst_ulp = 0.75;
  c.rules = {output.rule.kind};
  const bool fails = !good && (i % 11 == 3 || (op == 7 && i % 2 == 0) || op == 13);
  c.verdict = !fails ? Verdict::kPass : static_cast<Verdict>(i % 4 == 0 ? 1 + i / 4 % 8 : 1);
  // An operator that is offered in one type alone.
  if (!good && op == 15 && i % 8 != 3) c.verdict = Verdict::kUnsupported;
  if (c.verdict == Verdict::kWrongOutcome && i % 64 == 4) {
    c.outcome = Outcome::kError;
    c.condition = "some.condition";
  }
  if (!good) c.declared = op < 28;
  if (!good && op >= 28) c.beyond = StrCat("operator ", c.op);
  if (!good && op == 15) c.declared = false;
  if (fails) c.message = "output output, element [0,1]: expected 1.5, got 2";
  if (c.verdict == Verdict::kFail) {
    output.verdict = c.verdict;
    output.message = c.message;
    output.mismatches = 12;
    output.first = 1;
    output.first_index = "[0,1]";
    output.first_expected = "1.5";
    output.first_got = "2";
    output.ulps.counts[9] = 12;
    output.figures = DotProductFigures{1000, 0, 3, 0.5, 0.25};
  }
  if (c.verdict == Verdict::kCrash) c.log = "loading\nassertion failed";
  if (fails && i % 977 < 11) c.message = c.log = c.mode = output.rule.clause = kHostile;
  c.outputs.push_back(std::move(output));
  return c;
}

Report SampleReport(bool good) {
  Report report;
  report.suite_path = "/suites/certify";
  report.results_path = "/results/acme npu";
  report.suite.name = "certify";
  report.suite.edition = "tosa-1.0";
  report.suite.level = "8K";
  report.suite.generator = "tensor-cts 0.1.0";
  report.suite.seed = 1;
  report.suite.digest = "21a14cf126b63a3b4a8854a4cb7f0efd5ed4229b4c5cf19d35675e5227f8da3b";
  report.suite.cases.resize(10000);
  report.run.name = good ? "Acme NPU" : kHostile;
  report.run.version = "2.4.1";
  report.run.command = "acme-adapter --device npu0";
  report.run.host = "build-7: Linux 6.1 x86_64";
  report.run.started = "2026-01-01T00:00:00Z";
  report.run.seconds = 321.5;
  for (int i = 0; i < 10000; ++i) report.cases.push_back(SampleCase(i, good));
  if (!good) {
    report.findings = {{"mixed_flushing",
                        "subnormal fp32 numbers are flushed in one case and kept in the other",
                        {report.cases[5].id, report.cases[6].id}},
                       {kHostile, kHostile, {kHostile}}};
    report.notes = {kHostile};
    report.declared = {{kHostile, {}}};
  }
  return report;
}

}  // namespace
}  // namespace cts

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory = argv[1];
  const bool written =
      cts::WriteFile(directory / "big.html", cts::FormatHtml(cts::SampleReport(false))).ok() &&
      cts::WriteFile(directory / "good.html", cts::FormatHtml(cts::SampleReport(true))).ok();
  return written ? 0 : 1;
}
