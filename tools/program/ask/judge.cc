#include "tools/program/ask/judge.h"

#include <algorithm>
#include <utility>

#include "checker/rules/interval.h"
#include "checker/rules/match.h"
#include "checker/text/element_text.h"
#include "checker/text/printable.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "tools/program/ask/judge_call.h"
#include "tools/program/ask/judge_question.h"
#include "tools/program/ask/question_error.h"

namespace cts {

using judging::OfBits;
using judging::Pattern;

StatusOr<Judgement> Judge(const Json& question_json, Digits digits) {
  CTS_ASSIGN_OR_RETURN(const judging::Question question,
                       judging::ReadQuestion(question_json, digits));
  std::string disputed;
  CTS_ASSIGN_OR_RETURN(ExpectedOutput output, judging::Expect(question, &disputed));
  Judgement judgement{std::move(output), {}, {}, std::move(disputed), {}};
  if (question_json.contains("results")) {
    const Json& results = question_json["results"];
    if (!results.is_array()) {
      return judging::Bad("/results", "found ", judging::Found(results),
                          ", expected a list of bit patterns or integers");
    }
    for (const Json& result : results) {
      const auto bits = judging::BitsFromJson(result, question.type, digits, question.unsigned_too);
      if (!bits.ok()) {
        return Annotate(bits.status(), StrCat("/results/", judgement.results.size()));
      }
      judgement.results.push_back(OfBits(question.type, judgement.output.shape, *bits));
      judgement.accepted.push_back(Accepts(judgement.output, *bits));
    }
  }
  judgement.values = FindAccepted(judgement.output);
  return judgement;
}

namespace {

std::string Row(std::string_view label, const std::string& text) {
  constexpr size_t kLabelWidth = 13;
  std::string line = "  " + std::string(label);
  line.resize(std::max(line.size() + 1, kLabelWidth), ' ');
  return line + text + "\n";
}

std::string Shown(const ExpectedOutput& output, uint64_t bits) {
  return StrCat("0x", Pattern(output.dtype, bits), " (",
                FormatElement(output, OfBits(output.dtype, {}, bits), 0), ")");
}

std::string Shown(const ExpectedOutput& output, const ValueRange& range) {
  if (range.lo == range.hi) return Shown(output, range.lo);
  return StrCat(Shown(output, range.lo), " to ", Shown(output, range.hi));
}

std::string Shown(const ExpectedOutput& output, const AcceptedValues& values) {
  if (values.anything) return "anything, NaN too";
  std::string text = values.range ? Shown(output, *values.range) : "";
  for (const ValueRange& range : values.also) text += StrCat(", also ", Shown(output, range));
  if (values.zero_sign) text += ", of zeros only that";
  if (values.nan) text += text.empty() ? "any NaN, and nothing else" : ", also any NaN";
  return text.empty() ? "nothing" : text;
}

std::string Reference(const ExpectedOutput& output, const Tensor& expected) {
  if (!IsFloat(expected.dtype())) return FormatElement(output, expected, 0);
  return StrCat(FormatHex(expected.Element(0)), " (", FormatDouble(expected.Element(0)), ")");
}

}  // namespace

std::string AcceptedText(const Judgement& judgement) {
  return Shown(judgement.output, judgement.values);
}

std::string FormatJudgement(const Json& question, const Judgement& judgement) {
  const ExpectedOutput& output = judgement.output;
  const Rule& rule = output.rule;
  std::string inputs;
  for (const Json& input : question["in"]) {
    inputs += StrCat(inputs.empty() ? "" : ", ", Printable(input.get<std::string>()));
  }
  const bool disputed = !judgement.accepted.at(0) && !judgement.disputed.empty();
  std::string text = judgement.accepted.at(0) ? "accept\n" : disputed ? "disputed\n" : "reject\n";
  text += Row("operator", StrCat(question["operator"].get<std::string>(), "(", inputs, ") to ",
                                 Name(output.dtype), ", ",
                                 question.value("edition", std::string(kDefaultEdition))));
  const Tensor& result = judgement.results[0];
  text += Row("result", Shown(output, result.Bits(0)));
  for (const Answer& answer : output.answers) {
    const ElementJudge judge(output, answer, result);
    const ElementError error = judge.Measure(0);
    if (answer.flushed) text += Row("flushed", "the other answer, with subnormals as zeros:");
    if (answer.upper) {
      text += Row("interval", StrCat(Reference(output, answer.expected), " to ",
                                     Reference(output, *answer.upper)));
    } else {
      text += Row("reference", Reference(output, answer.expected));
    }
    if (rule.kind == RuleKind::kUlp || answer.bound) {
      const double bound = judge.Bound(0);
      text += Row("bound", StrCat(FormatHex(bound), " (", FormatDouble(bound), ")"));
    }
    text += Row("error", FormatDistance(error.ulp, error.of_bound, output.dtype));
  }
  text += Row("accepted", Shown(output, judgement.values));
  text += Row("rule", std::string(Name(rule.kind)));
  text += Row("clause", rule.clause);
  if (disputed) text += Row("disputed", judgement.disputed);
  return text;
}

}  // namespace cts
