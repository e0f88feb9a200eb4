#include "reference/calls/call_answer.h"

#include <utility>

#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/ops/conditions.h"
#include "reference/ops/edition_wording.h"

namespace cts {

Json TensorToJson(const Tensor& tensor, DType dtype) {
  Json data = Json::array();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsFloat(tensor.dtype())) {
      data.push_back(FormatHex(tensor.Element(i)));
    } else if (tensor.dtype() == DType::kBool) {
      data.push_back(tensor.Integer(i) != 0);
    } else {
      data.push_back(tensor.Integer(i));
    }
  }
  return {{"dtype", Name(dtype)}, {"shape", tensor.shape()}, {"data", std::move(data)}};
}

Json EvaluationToJson(const Evaluation& evaluation, const Edition& edition) {
  Json conditions = Json::array(), violations = Json::array();
  for (const Violation& violation : evaluation.violations) {
    if (!Contains(conditions, violation.condition)) conditions.push_back(violation.condition);
    const Condition* condition = FindCondition(violation.condition, edition);
    violations.push_back(
        {{"condition", violation.condition},
         {"kind", condition != nullptr ? Name(condition->kind) : ""},
         {"paraphrase", condition != nullptr ? Paraphrase(edition, *condition) : ""},
         {"place", violation.op},
         {"message", violation.message}});
  }
  Json outputs = Json::object(), flushed = Json::object(), rules = Json::object();
  for (const ExpectedOutput& output : evaluation.outputs) {
    Json rule = RuleToJson(output.rule);
    for (const Answer& answer : output.answers) {
      const std::string prefix = answer.flushed ? "flushed_" : "";
      (answer.flushed ? flushed : outputs)[ResultName(output)] =
          TensorToJson(answer.expected, output.dtype);
      if (answer.bound) rule[prefix + "bound"] = TensorToJson(*answer.bound, DType::kFp64);
      if (answer.upper) rule[prefix + "upper"] = TensorToJson(*answer.upper, output.dtype);
    }
    rules[ResultName(output)] = std::move(rule);
  }
  Json json = {{"outcome", Name(evaluation.outcome)}, {"conditions", std::move(conditions)},
               {"violations", std::move(violations)}, {"outputs", std::move(outputs)},
               {"flushed", std::move(flushed)},       {"rules", std::move(rules)}};
  if (!evaluation.message.empty()) json["message"] = evaluation.message;
  return json;
}

CallAnswer AnswerCall(std::string_view line, const CallDefaults& defaults,
                      const std::string& place) {
  const PlainArithmetic plain;
  const StatusOr<Json> json = ParseJson(line, "not JSON");
  if (!json.ok()) return MalformedCall(place + Message(json.status()));
  const Json id = json->is_object() && json->contains("id") ? (*json)["id"] : Json(nullptr);
  const StatusOr<OperatorCall> call = OperatorCallFromJson(*json, defaults);
  if (!call.ok()) return MalformedCall(place + Message(call.status()), id);
  const StatusOr<Evaluation> evaluation = EvaluateCall(*call);
  if (!evaluation.ok()) return MalformedCall(place + Message(evaluation.status()), id);
  Json answer = EvaluationToJson(*evaluation, *call->edition);
  answer["id"] = id;
  return {FormatJsonLine(answer), false};
}

CallAnswer MalformedCall(const std::string& reason, const Json& id) {
  const Json answer = {{"id", id}, {"malformed", reason}};
  // A line that is not JSON may not be UTF-8 either.
  return {FormatJsonLine(answer), true};
}

}  // namespace cts
