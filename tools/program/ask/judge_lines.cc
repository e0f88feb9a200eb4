#include "tools/program/ask/judge_lines.h"

#include <utility>

#include "checker/rules/interval.h"
#include "checker/rules/match.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/calls/call_answer.h"
#include "tools/program/ask/dot_product_judge.h"
#include "tools/program/ask/eval.h"
#include "tools/program/ask/judge.h"

namespace cts {
namespace {

using judging::OfBits;
using judging::Pattern;
using judging::PatternMask;
using judging::ValueOf;

Json AnswerOf(const Json& question, const Judgement& judgement) {
  const ExpectedOutput& output = judgement.output;
  const DType dtype = output.dtype;
  // In the form in which the results came.
  const bool numbers = !IsFloat(dtype) && question.contains("results") &&
                       !question["results"].empty() && question["results"][0].is_number();
  const auto value = [&](uint64_t bits) -> Json {
    if (!numbers) return Pattern(dtype, bits);
    return output.rule.is_unsigned ? Json(bits & PatternMask(dtype)) : ValueOf(dtype, bits);
  };
  Json verdicts = Json::array();
  const char* const otherwise = judgement.disputed.empty() ? "reject" : "disputed";
  for (const bool accepted : judgement.accepted)
    verdicts.push_back(accepted ? "accept" : otherwise);
  const AcceptedValues& values = judgement.values;
  Json answer = {{"verdicts", std::move(verdicts)},
                 {"lo", values.range ? value(values.range->lo) : Json(nullptr)},
                 {"hi", values.range ? value(values.range->hi) : Json(nullptr)},
                 {"rule", Name(output.rule.kind)},
                 {"clause", output.rule.clause}};
  Json also = Json::array();
  for (const ValueRange& range : values.also) {
    also.push_back(range.lo == range.hi ? value(range.lo)
                                        : Json{{"lo", value(range.lo)}, {"hi", value(range.hi)}});
  }
  if (values.anything) {
    answer["accepts"] = "anything";
  } else if (values.nan && !values.range) {
    answer["accepts"] = "nan";
  } else if (values.nan) {
    also.push_back("nan");
  }
  if (!judgement.disputed.empty()) answer["disputed"] = judgement.disputed;
  if (!also.empty()) answer["also"] = std::move(also);
  if (values.zero_sign) answer["zero_sign"] = true;
  const Tensor& expected = output.answers[0].expected;
  answer["ref"] = IsFloat(dtype)
                      ? Json(FormatHex(expected.Element(0)))
                      : Json(ComparedAs(dtype, expected.Integer(0), output.rule.is_unsigned));
  if (IsFloat(dtype) && (output.answers[0].bound || output.rule.kind == RuleKind::kUlp)) {
    answer["bound"] =
        FormatHex(ElementJudge(output, output.answers[0], OfBits(dtype, output.shape, 0)).Bound(0));
  }
  return answer;
}

StatusOr<Json> AnswerQuestion(const Json& json) {
  if (json.is_object() && json.contains("KS")) return judging::JudgeDotProducts(json);
  CTS_ASSIGN_OR_RETURN(const Judgement judgement, Judge(json, Digits::kPattern));
  return AnswerOf(json, judgement);
}

}  // namespace

StatusOr<bool> JudgeLines(std::istream& in, std::ostream& out, const std::string& edition,
                          const std::string& origin) {
  bool all_questions = true;
  std::string line;
  bool too_long = false;
  for (int64_t number = 1; ReadLine(in, line, too_long); ++number) {
    if (!too_long && line.find_first_not_of(" \t\r") == std::string::npos) continue;
    Json id;
    StatusOr<Json> answer = InvalidArgument("longer than ", kMaxCallBytes, " bytes");
    if (!too_long) {
      StatusOr<Json> question = ParseJson(line, "not JSON");
      if (question.ok() && question->is_object()) {
        if (question->contains("id")) id = (*question)["id"];
        if (!question->contains("edition")) (*question)["edition"] = edition;
      }
      if (question.ok()) {
        answer = AnswerQuestion(*question);
      } else {
        // The message names the line already. Its number within the text is left out.
        const std::string why = Message(question.status());
        const size_t column = why.find("column");
        answer = InvalidArgument("not JSON: ", why.substr(column == why.npos ? 0 : column));
      }
    }
    if (!answer.ok()) {
      answer = Json{{"error", StrCat("line ", number, ": ", Message(answer.status()))}};
      all_questions = false;
    }
    (*answer)["id"] = std::move(id);
    out << FormatJsonLine(*answer) << '\n' << std::flush;
    if (!out) return Unavailable("standard output: cannot be written");
  }
  if (in.bad()) return Unavailable(origin, ": cannot be read");
  return all_questions;
}

}  // namespace cts
