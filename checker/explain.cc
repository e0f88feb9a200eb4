#include "checker/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "checker/check.h"
#include "checker/printable.h"
#include "checker/report.h"
#include "reference/numeric/float_format.h"

namespace cts {
namespace {

constexpr size_t kShownElements = 10;
constexpr size_t kShownInputs = 16;

std::string FormatBits(const Tensor& tensor, int64_t i) {
  constexpr char kHex[] = "0123456789abcdef";
  const uint64_t bits = tensor.Bits(i);
  std::string text = "0x";
  for (int shift = 8 * StorageBytes(tensor.dtype()) - 4; shift >= 0; shift -= 4) {
    text += kHex[bits >> shift & 15];
  }
  return text;
}

std::string Row(std::string_view label, const std::string& text, size_t indent = 2) {
  constexpr size_t kLabelWidth = 16;
  std::string line = std::string(indent, ' ') + std::string(label);
  line.resize(std::max(line.size() + 1, indent + kLabelWidth), ' ');
  return line + Fold(text, indent + kLabelWidth) + "\n";
}

// What the rule accepts at one element. The figures are for reading: the ends are rounded here,
// the verdict took them exactly.
std::string AcceptedRange(const ExpectedOutput& output, const Answer& answer,
                          const ElementJudge& judge, int64_t i) {
  if (output.rule.kind == RuleKind::kInterval) {
    return StrCat(FormatElement(answer.expected, i), " to ", FormatElement(*answer.upper, i));
  }
  if (output.rule.kind == RuleKind::kExact) return "exactly that";
  const double reference = answer.expected.Float(i);
  if (std::isnan(reference)) return "any NaN";
  double bound = judge.Bound(i);
  if (output.rule.kind == RuleKind::kDotProduct) {
    if (!judge.DotProduct(i).limited) return "anything: the dot product may overflow";
    const FloatFormat& format = Format(output.dtype);
    const double unit = std::ldexp(bound, -1 - format.fraction_bits);
    bound = bound == 0 ? 0 : output.rule.absolute_limit * std::max(unit, format.normal_min());
  }
  if (bound == 0) return "exactly that";
  return StrCat(FormatDouble(reference - bound), " to ", FormatDouble(reference + bound),
                " (expected -/+ ", FormatFigure(bound), ")");
}

std::string Element(const CheckedCase& checked, size_t k, int64_t i, const ElementJudge& judge,
                    const Provenance& provenance) {
  const ExpectedOutput& output = checked.expected.outputs[k];
  const Answer& answer = output.answers[checked.outputs[k].answer];
  const Tensor& result = *checked.outputs[k].result;
  const ElementError error = judge.Measure(i);
  std::string text = StrCat("\n    ", ResultName(output), ToString(Index(output.shape, i)), "\n");
  text += Row("expected", FormatElement(answer.expected, i), 6);
  text += Row("accepted", AcceptedRange(output, answer, judge, i), 6);
  text += Row("got", StrCat(FormatElement(result, i), "  (bits ", FormatBits(result, i), ")"), 6);
  std::string off = FormatFigure(error.ulp) + (IsFloat(output.dtype) ? " ulp" : "");
  if (error.of_bound) off += StrCat(", ", FormatFigure(*error.of_bound), " times what is allowed");
  if (error.ulp == 0) off += " (the values are equal: the sign of zero differs)";
  text += Row("off by", off, 6);
  if (!provenance) return text;
  const std::vector<std::string> inputs = provenance(checked.expected, output, i);
  for (size_t n = 0; n < std::min(inputs.size(), kShownInputs); ++n) {
    text += Row(n == 0 ? "made of" : "", inputs[n], 6);
  }
  if (inputs.size() > kShownInputs) {
    text += Row("", StrCat("... and ", inputs.size() - kShownInputs, " more"), 6);
  }
  return text;
}

// How many elements are undefined, so that anything is accepted there.
int64_t UnlimitedElements(const ElementJudge& judge, int64_t size) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i) count += judge.Unlimited(i);
  return count;
}

// The elements that the rule refuses, worst first; ties in the order of the tensor.
std::vector<int64_t> WorstElements(const ElementJudge& judge, int64_t size) {
  struct Ranked {
    double severity;
    int64_t offset;
  };
  std::vector<Ranked> refused;
  for (int64_t i = 0; i < size; ++i) {
    if (judge.Accepts(i)) continue;
    const ElementError error = judge.Measure(i);
    refused.push_back({error.of_bound.value_or(error.ulp), i});
  }
  std::stable_sort(refused.begin(), refused.end(),
                   [](const Ranked& a, const Ranked& b) { return a.severity > b.severity; });
  std::vector<int64_t> offsets;
  for (size_t n = 0; n < std::min(refused.size(), kShownElements); ++n) {
    offsets.push_back(refused[n].offset);
  }
  return offsets;
}

std::string Judged(bool accepted) { return accepted ? "met" : "EXCEEDED"; }

std::string Figures(const DotProductFigures& figures, const Rule& rule) {
  std::string text =
      Row("worst error",
          StrCat(FormatFigure(figures.worst_error), " of ", FormatFigure(rule.absolute_limit), ": ",
                 Judged(figures.worst_error <= rule.absolute_limit)),
          4);
  const std::string bias = rule.bias_limit ? StrCat(" of ", FormatFigure(*rule.bias_limit), ": ",
                                                    Judged(figures.BiasAccepted(rule)))
                                           : ", no limit for this data set";
  text += Row("bias", StrCat("sum of errors ", FormatFigure(figures.error_sum), bias), 4);
  const std::string variance = rule.variance_limit
                                   ? StrCat(" of ", FormatFigure(*rule.variance_limit), ": ",
                                            Judged(figures.VarianceAccepted(rule)))
                                   : ", no limit";
  text +=
      Row("variance",
          StrCat("sum of squared errors ", FormatFigure(figures.squared_error_sum), variance), 4);
  if (figures.unlimited > 0) {
    text += Row("",
                StrCat(figures.unlimited, " of ", figures.elements,
                       " elements have no accuracy limit (NaN or overflow)"),
                4);
  }
  return text;
}

std::string RuleText(const Rule& rule) {
  std::string text = StrCat(Name(rule.kind), ", as ", rule.form, " compares");
  switch (rule.kind) {
    case RuleKind::kUlp:
      text += StrCat(": within ", FormatFigure(rule.ulp), " ulp");
      break;
    case RuleKind::kDotProduct:
      text += StrCat(": KS ", rule.kernel_size, ", ksb ", rule.ksb,
                     rule.data_set >= 0 ? StrCat(", data set S", rule.data_set) : "",
                     "; errors in units of max(bound * 2^(-1-normal_frac), normal_min)");
      break;
    default:
      if (rule.zero_sign) text += ", and the sign of zero counts";
  }
  return text;
}

std::string Output(const CheckedCase& checked, size_t k, const Provenance& provenance) {
  const ExpectedOutput& output = checked.expected.outputs[k];
  const OutputReport& report = checked.report.outputs[k];
  std::string text = StrCat("\noutput ", report.name, ": ", Name(output.dtype),
                            ToString(output.shape), ", ", Name(report.verdict), "\n");
  text += Row("rule", RuleText(output.rule));
  text += Row("clause", Printable(output.rule.clause));
  if (!checked.outputs[k].result.has_value()) return text + Row("reason", report.message);
  text += Row("elements", StrCat(report.mismatches, " of ", report.elements, " differ"));
  if (!report.answer.empty()) {
    text += Row("subnormals", report.answer == "either" ? "flushed or kept, both fit"
                                                        : StrCat(report.answer, " fits"));
  } else if (output.answers.size() > 1) {
    const bool flushed = output.answers[checked.outputs[k].answer].flushed;
    text += Row("subnormals", StrCat("neither answer fits; nearest, and shown: ",
                                     flushed ? "flushed" : "unflushed"));
  }
  const Answer& answer = output.answers[checked.outputs[k].answer];
  const ElementJudge judge(output, answer, *checked.outputs[k].result);
  if (const int64_t count = UnlimitedElements(judge, report.elements); count > 0) {
    text +=
        Row("undefined", StrCat(count, " of ", report.elements, ": anything is accepted there"));
  }
  if (report.figures) text += Figures(*report.figures, output.rule);
  if (report.verdict == Verdict::kPass) {
    std::string worst = FormatFigure(report.worst_ulp) + (IsFloat(output.dtype) ? " ulp" : "");
    if (report.worst_of_bound) {
      worst += StrCat(", ", FormatFigure(*report.worst_of_bound), " times what is allowed");
    }
    return text + Row("worst", worst);
  }
  const std::vector<int64_t> worst = WorstElements(judge, report.elements);
  if (report.mismatches > static_cast<int64_t>(worst.size())) {
    text += StrCat("  the worst ", worst.size(), ":\n");
  }
  for (const int64_t i : worst) text += Element(checked, k, i, judge, provenance);
  return text;
}

std::string Parameters(const Case& c) {
  std::string text;
  for (const auto& [name, value] : c.parameters) {
    text += StrCat(text.empty() ? "" : ", ", name, "=", Printable(value));
  }
  return text;
}

// As `run` was told, from what it wrote down.
std::string RerunCommand(const std::filesystem::path& suite, const RunInfo& run,
                         const std::string& id) {
  constexpr std::string_view kWorker = " --worker";
  std::string how = "--implementation " + run.command;
  if (!run.command.starts_with("builtin:")) {
    const bool worker = run.command.ends_with(kWorker);
    how = "--adapter " +
          ShellQuoted(run.command.substr(0, run.command.size() - (worker ? kWorker.size() : 0)));
    if (worker) how += kWorker;
  }
  return StrCat("tensor-cts run ", ShellQuoted(suite.string()), " ", how, " --filter ", id,
                " --out again");
}

}  // namespace

StatusOr<std::string> Explain(const std::filesystem::path& suite_path,
                              const std::filesystem::path& results, std::string_view case_id,
                              const Provenance& provenance, const Meaning& meaning) {
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(suite_path));
  CTS_ASSIGN_OR_RETURN(const RunInfo run, ReadRun(results, suite, suite_path));
  CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry, FindCase(suite, case_id, suite_path));
  CTS_ASSIGN_OR_RETURN(const CheckedCase checked, CheckCase(suite_path, *entry, results));

  const Case& c = checked.expected;
  const CaseReport& report = checked.report;
  std::string text = StrCat(c.id, ": ", Name(report.verdict), "\n");
  text += Row("implementation", StrCat(run.name, " ", run.version));
  text += Row("operator", StrCat(c.op, ", mode ", c.mode, ", ", c.edition, ", level ", c.level));
  if (!c.parameters.empty()) text += Row("parameters", Parameters(c));
  text += Row("data", c.data_set);
  text += Row("expected", report.outcome == Outcome::kError
                              ? StrCat("error, because of the condition ", c.condition,
                                       meaning && !meaning(c).empty() ? ": " + meaning(c) : "")
                              : "a result");
  text += Row("answered", report.answered.empty() ? "nothing that can be read" : report.answered);
  if (!report.said.empty()) text += Row("message", report.said);
  if (report.exit_code) text += Row("exit code", std::to_string(*report.exit_code));
  if (report.signal) text += Row("signal", std::to_string(*report.signal));
  if (report.outputs.empty() && !report.message.empty() && report.message != report.said) {
    text += Row("reason", report.message);
  }
  for (size_t k = 0; k < report.outputs.size(); ++k) text += Output(checked, k, provenance);
  if (report.verdict != Verdict::kPass && !report.log.empty()) {
    text += StrCat("\nthe end of the log:\n", report.log, report.log.back() == '\n' ? "" : "\n");
  }
  text += StrCat("\nfiles:  ", (suite_path / c.id).string(), "  ", (results / c.id).string(),
                 "\nrerun:  ", RerunCommand(suite_path, run, c.id), "\n");
  return text;
}

}  // namespace cts
