#include "checker/report/explain.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "checker/report/explain_parts.h"
#include "checker/report/report.h"
#include "checker/rules/comparing_function.h"
#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "cts_checker_texts.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/graph/symbols.h"

namespace cts {
namespace {

constexpr size_t kShownInputs = 16;
constexpr size_t kShownTerms = 40;
constexpr char kGlue = '\x01';  // a space at which no line is folded

std::string Row(std::string_view label, const std::string& text, size_t indent = 2) {
  constexpr size_t kLabelWidth = 16;
  std::string line = std::string(indent, ' ') + std::string(label);
  line.resize(std::max(line.size() + 1, indent + kLabelWidth), ' ');
  return line + Fold(text, indent + kLabelWidth) + "\n";
}

// Joins words by `joiner`; none of them is folded. The middle is left out unless `full`.
std::string Sum(const std::vector<std::string>& terms, bool full) {
  std::string text;
  const size_t half = full || terms.size() <= kShownTerms ? terms.size() : kShownTerms / 2;
  for (size_t n = 0; n < terms.size(); ++n) {
    if (n == half) {
      n = terms.size() - half;
      text += StrCat(" +", kGlue, "(", n - half, kGlue, "more", kGlue, "terms:", kGlue, "--full)");
    }
    std::string term = terms[n];
    std::replace(term.begin(), term.end(), ' ', kGlue);
    text += (n == 0 ? "" : StrCat(" +", kGlue)) + term;
  }
  return text;
}

// Says what an element was made of, and how the reference came to its value.
std::string OriginOf(const ElementOrigin& made, const ExpectedOutput& output, const Answer& answer,
                     int64_t i, bool full) {
  if (!made.terms.empty()) {
    std::string text = Sum(made.terms, full);
    if (made.divisor != 1) text = StrCat("(", text, ") / ", made.divisor);
    if (output.rule.kind != RuleKind::kInterval) {
      text += StrCat(" =", kGlue) + FormatElement(output, answer.expected, i);
      if (IsFloat(output.dtype)) text += StrCat(kGlue, "(fp64)");
    }
    if (answer.bound)
      text += StrCat(", bound", kGlue, "run", kGlue, FormatElement(*answer.bound, i));
    text = Row("made of", text, 6);
    std::replace(text.begin(), text.end(), kGlue, ' ');
    return text;
  }
  std::string text;
  const size_t shown = full ? made.inputs.size() : std::min(made.inputs.size(), kShownInputs);
  for (size_t n = 0; n < shown; ++n) text += Row(n == 0 ? "made of" : "", made.inputs[n], 6);
  if (shown < made.inputs.size()) {
    text += Row("", StrCat("... and ", made.inputs.size() - shown, " more; --full shows them"), 6);
  }
  return text;
}

std::string Element(const CheckedCase& checked, size_t k, int64_t i, const ElementJudge& judge,
                    const OriginFinder& find_origin, bool full) {
  const ExpectedOutput& output = checked.expected.outputs[k];
  const Answer& answer = output.answers[checked.outputs[k].answer];
  const Tensor& result = *checked.outputs[k].result;
  std::string text = StrCat("\n    ", ResultName(output), ToString(Index(output.shape, i)), "\n");
  text += Row("expected", ExpectedText(output, answer, i), 6);
  text += Row("accepted", AcceptedRange(output, answer, judge, i), 6);
  text += Row("got",
              StrCat(FormatElement(output, result, i), "  (bits ",
                     FormatBits(output.dtype, result.Bits(i)), ")"),
              6);
  const std::string off = OffBy(output, answer, result, i);
  const bool distance = std::isalpha(static_cast<unsigned char>(off.front())) == 0;
  text += Row(distance ? "off by" : "differs", off, 6);
  if (!find_origin) return text;
  return text + OriginOf(find_origin(checked.expected, output, i), output, answer, i, full);
}

// Counts the undefined elements, where anything is accepted.
int64_t UnlimitedElements(const ElementJudge& judge, int64_t size) {
  int64_t count = 0;
  for (int64_t i = 0; i < size; ++i) count += judge.Unlimited(i);
  return count;
}

std::string Where(const Shape& shape, const std::vector<int64_t>& refused,
                  const std::vector<NamedSet>& named) {
  std::string text;
  for (const std::string& words : WhereWords(shape, refused, named)) {
    text += Row(text.empty() ? "where" : "or", words);
  }
  return text;
}

// A bar for every slot from the first to the last that counts anything.
std::string Histogram(const UlpHistogram& ulps, DType dtype) {
  constexpr double kWidth = 40;
  size_t last = 0;
  int64_t most = 1;
  for (size_t slot = 0; slot < ulps.counts.size(); ++slot) {
    if (ulps.counts[slot] > 0) last = slot;
    most = std::max(most, ulps.counts[slot]);
  }
  if (last == 0) return "";
  std::string text = IsFloat(dtype) ? "  errors in ulp\n" : "  errors\n";
  for (size_t slot = 0; slot <= last; ++slot) {
    const int64_t count = ulps.counts[slot];
    const bool between_integers = slot > 0 && slot < ulps.kEnds.size() && ulps.kEnds[slot] < 1;
    if (between_integers && !IsFloat(dtype)) continue;
    // One mark for anything at all.
    const double share = static_cast<double>(count) / static_cast<double>(most);
    const auto marks = static_cast<size_t>(std::ceil(kWidth * share));
    std::string line = "    " + UlpSlotName(slot);
    line.resize(18, ' ');
    std::string number = std::to_string(count);
    line += std::string(number.size() < 10 ? 10 - number.size() : 0, ' ') + number;
    text += line + (marks > 0 ? "  " + std::string(marks, '#') : "") + "\n";
  }
  return text;
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

// Says what single elements show of the edition's choices.
std::vector<std::string> ShownLines(const ExpectedOutput& output, const OutputReport& report) {
  std::vector<std::string> lines;
  const auto add = [&](int64_t i, std::string_view what) {
    if (i >= 0) lines.push_back(StrCat(ToString(Index(output.shape, i)), " ", what));
  };
  add(report.shown.flushed, "is 0, which the rule allows for a flushed number only");
  const bool moved = output.flushing && output.flushing->moved;
  add(report.shown.kept, moved ? "is a subnormal number that was moved, not flushed"
                               : "is a subnormal number, not flushed");
  add(report.shown.negative_zero, StrCat("is -0: ", output.rule.zero_choice));
  add(report.shown.positive_zero, StrCat("is +0: ", output.rule.zero_choice));
  return lines;
}

}  // namespace

std::string ExplainOutput(const CheckedCase& checked, size_t k, const OriginFinder& find_origin,
                          bool full, const SetFinder& find_sets) {
  const ExpectedOutput& output = checked.expected.outputs[k];
  const OutputReport& report = checked.report.outputs[k];
  std::string text = StrCat("\noutput ", report.name, ": ", Name(output.dtype),
                            ToString(output.shape), ", ", Name(report.verdict), "\n");
  text += Row("rule", RuleText(output.rule));
  text += Row("clause", Printable(output.rule.clause));
  const auto execution = static_cast<size_t>(output.execution);
  const int executions = checked.expected.executions();
  if (executions > 1) text += Row("execution", StrCat(output.execution + 1, " of ", executions));
  if (const std::vector<Binding>& bindings = checked.expected.bindings;
      execution < bindings.size()) {
    text += Row("binding", Describe(bindings[execution]));
  }
  if (!checked.outputs[k].result.has_value()) return text + Row("reason", report.message);
  if (output.rule.kind == RuleKind::kUnchecked) {
    if (!report.message.empty()) text += Row("reason", report.message);
    return text + Row("elements", StrCat(report.elements, "; only type and shape were checked"));
  }
  text += Row("elements", StrCat(report.mismatches, " of ", report.elements, " differ"));
  if (!report.answer.empty()) {
    text += Row("subnormals", report.answer == "either" ? "flushed or kept, both fit"
                                                        : StrCat(report.answer, " fits"));
  } else if (output.answers.size() > 1) {
    const bool flushed = output.answers[checked.outputs[k].answer].flushed;
    text += Row("subnormals", StrCat("neither answer fits; nearest, and shown: ",
                                     flushed ? "flushed" : "unflushed"));
  }
  for (const std::string& line : ShownLines(output, report)) text += Row("shows", line);
  const Answer& answer = output.answers[checked.outputs[k].answer];
  const ElementJudge judge(output, answer, *checked.outputs[k].result);
  if (const std::string judged = LimitsText(report.limits); !judged.empty()) {
    text += Row("judged", judged);
  }
  if (const int64_t count = UnlimitedElements(judge, report.elements); count > 0) {
    text += Row("undefined",
                StrCat(count, " of ", report.elements, ": anything is accepted there",
                       output.rule.form == kWidenedEndsName ? ", but no NaN for a number" : ""));
  }
  if (report.enclosure) text += Row("enclosure", EnclosureText(*report.enclosure));
  if (report.figures) text += Figures(*report.figures, output.rule);
  if (report.verdict == Verdict::kPass) {
    const std::string worst = FormatDistance(report.worst_ulp, report.worst_of_bound, output.dtype);
    return text + Row("worst", worst) + Histogram(report.ulps, output.dtype);
  }
  const std::vector<int64_t> refused = RefusedElements(judge, report.elements);
  const Tensor& result = *checked.outputs[k].result;
  if (const std::string flushed = FlushedText(output, answer, result, refused); !flushed.empty()) {
    text += Row("flushed", flushed);
  }
  text += Where(output.shape, refused,
                find_sets ? find_sets(checked.expected, output) : std::vector<NamedSet>());
  text += Histogram(report.ulps, output.dtype);
  const std::vector<int64_t> worst = WorstElements(output, answer, result, refused);
  if (report.mismatches > static_cast<int64_t>(worst.size())) {
    text += StrCat("  the worst ", worst.size(), ":\n");
  }
  for (const int64_t i : worst) text += Element(checked, k, i, judge, find_origin, full);
  return text;
}

namespace {

std::string Parameters(const Case& c) {
  std::string text;
  for (const auto& [name, value] : c.parameters) {
    text += StrCat(text.empty() ? "" : ", ", Printable(name), "=", Printable(value));
  }
  return text;
}

constexpr size_t kShownOperators = 8;
constexpr int64_t kShownValues = 16;

// "border shape[2] = [1,0]": type and shape, and the values of a short constant. A label such as
// border=mid stands for them.
std::string Operand(const Case& c, const std::string& name) {
  const GraphTensor* const tensor = c.graph.main().Find(name);
  if (tensor == nullptr) return Printable(name);
  std::string text = StrCat(Printable(name), kGlue, Name(tensor->dtype), ToString(tensor->shape));
  const Tensor* values = tensor->values.get();
  if (values == nullptr || values->size() > kShownValues) return text;
  std::string list;
  for (int64_t i = 0; i < values->size(); ++i) {
    list += (i == 0 ? "" : ",") + FormatElement(*values, i);
  }
  return text + StrCat(kGlue, "=", kGlue, "[", list, "]");
}

std::string Operands(const Case& c, const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + Operand(c, name);
  return text;
}

// The operators of the case's main block, with the types and shapes of their operands, and their
// attributes. Constants stand where they are used.
std::string Operators(const Case& c) {
  std::string text;
  size_t count = 0;
  for (const GraphOperator& op : c.graph.main().operators) {
    if (IsConstant(op)) continue;
    if (++count > kShownOperators) continue;
    std::string line =
        StrCat(Printable(op.op), op.inputs.empty() ? "" : StrCat(" of ", Operands(c, op.inputs)),
               " to ", Operands(c, op.outputs));
    size_t n = 0;
    for (const auto& [name, value] : op.attributes) {
      line += StrCat(n++ == 0 ? " with " : ", ", Printable(name), kGlue, "=", kGlue,
                     Printable(AttributeText(value)));
    }
    line = Row(count == 1 ? "graph" : "", line);
    std::replace(line.begin(), line.end(), kGlue, ' ');
    text += line;
  }
  if (count > kShownOperators)
    text += Row("", StrCat("... and ", count - kShownOperators, " more"));
  return text;
}

}  // namespace

std::string AttributeText(const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<int64_t>(&value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(&value)) return FormatDouble(*real);
  if (const auto* name = std::get_if<std::string>(&value)) return *name;
  return ToString(std::get<std::vector<int64_t>>(value));
}

std::string PassWords(const CaseReport& report) {
  if (report.verdict != Verdict::kPass) return "";
  const std::string judged = LimitsText(report.limits);
  if (report.unchecked) return ", but not checked: " + judged;
  return StrCat(IsEnclosed(report) ? ", not refuted" : "", judged.empty() ? "" : ": ", judged);
}

StatusOr<CaseToExplain> ReadToExplain(const std::filesystem::path& suite_path,
                                      const std::filesystem::path& results,
                                      std::string_view case_id, const Meaning& meaning,
                                      const MoreEvidence& more,
                                      const std::optional<DeclaredBy>& declared) {
  CaseToExplain of;
  of.suite_path = suite_path;
  of.results_path = results;
  CTS_ASSIGN_OR_RETURN(of.suite, ReadSuite(suite_path));
  CTS_ASSIGN_OR_RETURN(of.run, ReadRun(results, of.suite, suite_path));
  CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry, FindCase(of.suite, case_id, suite_path));
  CTS_ASSIGN_OR_RETURN(of.checked, CheckCase(suite_path, *entry, of.suite.edition, results));
  if (more) {
    CTS_ASSIGN_OR_RETURN(of.evidence, more(&of.checked));
  }
  const Case& c = of.checked.expected;
  CompareWithDeclared(WhoDeclares(declared, of.run, of.suite.edition), of.run.symbolic, c,
                      &of.checked.report);
  if (meaning) of.meaning = Printable(meaning(c));
  return of;
}

std::string ExplainText(const CaseToExplain& of, const OriginFinder& find_origin, bool full,
                        const SetFinder& find_sets) {
  const auto& [suite_path, results, suite, run, checked, broken, evidence] = of;
  const Case& c = checked.expected;
  const CaseReport& report = checked.report;
  std::string text = StrCat(c.id, ": ", Name(report.verdict), PassWords(report), "\n");
  text += Row("implementation", StrCat(run.name, " ", run.version));
  text += Row("operator",
              Printable(StrCat(c.op, ", mode ", c.mode, ", ", c.edition, ", level ", c.level)));
  if (!c.parameters.empty()) text += Row("parameters", Parameters(c));
  text += Row("data", Printable(c.data_set));
  if (!c.bindings.empty()) {
    std::string bindings;
    for (const Binding& binding : c.bindings) {
      bindings += StrCat(bindings.empty() ? "" : "; ", Describe(binding));
    }
    text += Row("bindings", Printable(bindings));
  }
  text += Operators(c);
  text += Row("expected", report.outcome == Outcome::kError
                              ? StrCat("error, because of the condition ", Printable(c.condition),
                                       broken.empty() ? "" : ": ", broken)
                              : "a result");
  text += Row("answered",
              std::string(report.answered ? Name(*report.answered) : "nothing that can be read"));
  if (!report.said.empty()) text += Row("message", report.said);
  if (!report.disputed.empty()) {
    const bool wrong = StandingOf(report) == Standing::kWrong;
    text += Row(
        "disputed",
        StrCat(wrong ? "not what is wrong here; " : "the case decides nothing: ", report.disputed));
  }
  if (report.declared) {
    text += Row("declared", *report.declared ? "yes: the implementation owes an answer"
                                             : "no: " + Printable(report.beyond));
  }
  if (report.exit_code) text += Row("exit code", std::to_string(*report.exit_code));
  if (report.signal) text += Row("signal", std::to_string(*report.signal));
  if (report.outputs.empty() && !report.message.empty() && report.message != report.said) {
    text += Row("reason", report.message);
  }
  for (size_t k = 0; k < report.outputs.size(); ++k) {
    text += ExplainOutput(checked, k, find_origin, full, find_sets);
  }
  text += evidence;
  if (report.verdict != Verdict::kPass && !report.log.empty()) {
    text += StrCat("\nthe end of the log:\n", report.log, report.log.back() == '\n' ? "" : "\n");
  }
  text += StrCat("\nfiles:  ", (suite_path / c.id).string(), "  ", (results / c.id).string(),
                 "\nrerun:  ", RerunCommand(suite_path, run, c.id), "\n");
  return Printable(text, Lines::kKeep);
}

StatusOr<std::string> Explain(const std::filesystem::path& suite_path,
                              const std::filesystem::path& results, std::string_view case_id,
                              const OriginFinder& find_origin, const Meaning& meaning, bool full,
                              const MoreEvidence& more, const std::optional<DeclaredBy>& declared) {
  CTS_ASSIGN_OR_RETURN(const CaseToExplain of,
                       ReadToExplain(suite_path, results, case_id, meaning, more, declared));
  return ExplainText(of, find_origin, full);
}

StatusOr<std::string> ExplainInPython(const std::filesystem::path& suite_path,
                                      const std::filesystem::path& results,
                                      std::string_view case_id) {
  CTS_ASSIGN_OR_RETURN(const Suite suite, ReadSuite(suite_path));
  CTS_RETURN_IF_ERROR(ReadRun(results, suite, suite_path).status());
  CTS_ASSIGN_OR_RETURN(const SuiteEntry* const entry, FindCase(suite, case_id, suite_path));
  CTS_RETURN_IF_ERROR(CheckCase(suite_path, *entry, suite.edition, results).status());
  // A JSON string without escapes of surrogates is a string of Python, too.
  const auto quoted = [](const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::error_code error;
  return FillIn(EmbeddedCheckerTexts().at(1).text,
                {{"@SUITE@", quoted(std::filesystem::absolute(suite_path, error).string())},
                 {"@RESULTS@", quoted(std::filesystem::absolute(results, error).string())},
                 {"@CASE@", quoted(entry->id)},
                 {"@FLUSHED_ZEROS@", quoted(std::string(kFlushedZerosName))}});
}

}  // namespace cts
