#include "tools/bindings/c/tensor_cts_reference.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/c/c_border.h"
#include "checker/judge/check.h"
#include "reference/calls/disputed_elements.h"
#include "reference/calls/operator_call.h"
#include "reference/graph/disputed.h"
#include "reference/ops/conditions.h"
#include "reference/ops/edition_wording.h"

struct tensor_cts_answer {
  struct Finding {
    std::string condition, kind, paraphrase, message;
  };
  cts::Evaluation evaluation;
  std::string disputed;
  // For each output; an empty list: all of its elements.
  std::vector<std::vector<bool>> disputed_elements;
  std::vector<Finding> findings;
};

namespace {

using cts::InvalidArgument;
using cts::Json;
using cts::StatusOr;
using cts::StrCat;
using cts::Tensor;
using cts::c_border::Fail;
using cts::c_border::Guarded;
using cts::c_border::LastMessage;

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// An integer, true or false; any other text as it is, which numbers with a fraction and names are.
Json Scalar(std::string_view text) {
  text = Trimmed(text);
  if (text == "true" || text == "false") return text == "true";
  int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  // -0 is no integer: its sign counts.
  if (error == std::errc() && stop == end && (number != 0 || text[0] != '-')) return number;
  return std::string(text);
}

Json Value(std::string_view text) {
  text = Trimmed(text);
  if (!text.starts_with('[') || !text.ends_with(']')) return Scalar(text);
  text = text.substr(1, text.size() - 2);
  Json list = Json::array();
  if (Trimmed(text).empty()) return list;
  for (size_t comma = 0; comma != text.npos;) {
    comma = text.find(',');
    list.push_back(Scalar(text.substr(0, comma)));
    if (comma != text.npos) text.remove_prefix(comma + 1);
  }
  return list;
}

// A shape without elements is the reference's to refuse: it names the condition.
bool HasNoElements(const tensor_cts_tensor& tensor) {
  if (tensor.type == nullptr || tensor.shape == nullptr || tensor.bytes > 0) return false;
  for (size_t i = 0; i < tensor.rank; ++i) {
    if (tensor.shape[i] < 1) return true;
  }
  return false;
}

StatusOr<cts::CallArgument> ArgumentOf(const tensor_cts_argument& argument) {
  if ((argument.tensors == nullptr) == (argument.value == nullptr)) {
    return InvalidArgument("found tensors and a value, or neither, expected one of them");
  }
  if (argument.value != nullptr) return cts::CallArgument(Value(argument.value));
  std::vector<Tensor> tensors;
  Json empty = Json::array();
  for (size_t k = 0; k < argument.tensor_count; ++k) {
    const tensor_cts_tensor& given = argument.tensors[k];
    if (HasNoElements(given)) {
      const std::vector<int64_t> shape(given.shape, given.shape + given.rank);
      empty.push_back({{"dtype", given.type}, {"shape", shape}, {"data", Json::array()}});
      continue;
    }
    StatusOr<Tensor> tensor = cts::c_border::TensorOf(given);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  if (!empty.empty() && argument.tensor_count == 1) return cts::CallArgument(empty[0]);
  if (!empty.empty()) {
    return InvalidArgument(
        "found a tensor without elements in a list, expected dimensions of at least 1");
  }
  return cts::CallArgument(std::move(tensors));
}

// An operator's list takes tensors, every other argument one.
bool TakesList(const cts::ArgumentSpec& argument) {
  return argument.type == "tensor_list_t" || argument.type == "shape_list_t";
}

// The argument of the operator; null if the operator, or the argument, does not exist: MakeCall
// says so.
const cts::ArgumentSpec* SpecOf(const cts::CallParts& parts, const std::string& argument) {
  const auto edition = cts::FindEdition(parts.edition.value_or(std::string(cts::kDefaultEdition)));
  if (!edition.ok()) return nullptr;
  const cts::OperatorSpec* const op = (*edition)->FindOperator(parts.op);
  return op == nullptr ? nullptr : op->FindArgument(argument);
}

StatusOr<cts::CallParts> PartsOf(const tensor_cts_call& call) {
  if (call.op == nullptr) return InvalidArgument("found NULL, expected the name of an operator");
  if ((call.argument_count > 0 && call.arguments == nullptr) ||
      (call.output_count > 0 && call.outputs == nullptr)) {
    return InvalidArgument(
        "found NULL, expected arguments and outputs, as many as their counts say");
  }
  cts::CallParts parts{.op = call.op};
  if (call.edition != nullptr) parts.edition = call.edition;
  if (call.level != nullptr) parts.level = call.level;
  if (call.data_set != nullptr) parts.data_set = *call.data_set;
  for (size_t i = 0; i < call.argument_count; ++i) {
    const tensor_cts_argument& given = call.arguments[i];
    if (given.name == nullptr)
      return InvalidArgument("found NULL, expected the name of an argument");
    const std::string place = StrCat("/arguments/", given.name);
    StatusOr<cts::CallArgument> argument = ArgumentOf(given);
    if (!argument.ok()) return cts::Annotate(argument.status(), place);
    if (auto* const tensors = std::get_if<std::vector<Tensor>>(&*argument)) {
      const cts::ArgumentSpec* const spec = SpecOf(parts, given.name);
      if (spec == nullptr || !TakesList(*spec)) {
        if (tensors->size() != 1) {
          return InvalidArgument(place, ": found ", tensors->size(), " tensors, expected one");
        }
        argument = cts::CallArgument(std::move(tensors->front()));
      }
    }
    if (!parts.arguments.emplace(given.name, *std::move(argument)).second) {
      return InvalidArgument(place, ": found it twice, expected each argument once");
    }
  }
  for (size_t i = 0; i < call.output_count; ++i) {
    const tensor_cts_tensor& given = call.outputs[i];
    if (given.name == nullptr) return InvalidArgument("found NULL, expected the name of an output");
    cts::CallOutput& output = parts.outputs[given.name];
    if (given.type != nullptr) {
      output.dtype = cts::ParseDType(given.type);
      if (!output.dtype) {
        return InvalidArgument("/output_types/", given.name, ": found the type '", given.type,
                               "', expected one such as i8 or fp32");
      }
    }
    if (given.shape != nullptr) output.shape.emplace(given.shape, given.shape + given.rank);
  }
  return parts;
}

// Describes a tensor of the answer.
tensor_cts_tensor Described(const char* name, const Tensor& tensor) {
  // Names of types come from the table of types: they end with a zero.
  return {name,
          cts::Name(tensor.dtype()).data(),
          tensor.shape().data(),
          tensor.shape().size(),
          tensor.bytes().data(),
          tensor.bytes().size()};
}

// Why a call has no result.
std::string Broken(const tensor_cts_answer& answer) {
  std::string text = answer.evaluation.message;
  for (const auto& finding : answer.findings) {
    text += StrCat(text.empty() ? "" : "; ", finding.condition, ": ", finding.message);
  }
  return text;
}

tensor_cts_verdict BadCall(const std::string& message) {
  LastMessage() = message;
  return TENSOR_CTS_BAD_CALL;
}

tensor_cts_verdict NothingToJudge(const tensor_cts_answer& answer) {
  return BadCall(StrCat("nothing can be judged: the outcome is ",
                        cts::Name(answer.evaluation.outcome), " (", Broken(answer), ")"));
}

tensor_cts_verdict Reject(const std::string& message) {
  LastMessage() = message;
  return TENSOR_CTS_REJECT;
}

// Judges a refused result again, as if each element in dispute were as expected.
cts::OutputReport JudgeUndisputed(const tensor_cts_answer& answer, size_t k, const Tensor& result,
                                  const cts::OutputReport& refused) {
  const cts::ExpectedOutput& output = answer.evaluation.outputs[k];
  const std::vector<bool>& elements = answer.disputed_elements[k];
  cts::OutputReport report = refused;
  if (elements.empty()) report.verdict = cts::Verdict::kPass;
  for (size_t a = 0; a < output.answers.size() && report.verdict != cts::Verdict::kPass; ++a) {
    Tensor rest = result;
    for (int64_t i = 0; i < rest.size(); ++i) {
      if (elements[static_cast<size_t>(i)])
        rest.SetElement(i, output.answers[a].expected.Element(i));
    }
    report = cts::JudgeTensor(output, rest);
  }
  if (report.verdict != cts::Verdict::kPass) return report;
  report = refused;
  report.verdict = cts::Verdict::kDisputed;
  report.message = cts::DisputedMessage(report.message, answer.disputed);
  return report;
}

StatusOr<cts::OutputReport> JudgeResult(const tensor_cts_answer& answer,
                                        const tensor_cts_tensor& result) {
  std::string known;
  for (size_t k = 0; k < answer.evaluation.outputs.size(); ++k) {
    const cts::ExpectedOutput& output = answer.evaluation.outputs[k];
    if (output.name != result.name) {
      known += StrCat(known.empty() ? "" : ", ", output.name);
      continue;
    }
    StatusOr<Tensor> tensor = cts::c_border::ResultTensorOf(result, output.rule.is_unsigned);
    if (!tensor.ok()) return tensor.status();
    if (tensor->dtype() != output.dtype || tensor->shape() != output.shape) {
      return InvalidArgument("output ", output.name, ": found ", cts::Name(tensor->dtype()),
                             cts::ToString(tensor->shape()), ", expected ", cts::Name(output.dtype),
                             cts::ToString(output.shape));
    }
    cts::OutputReport report = cts::JudgeTensor(output, *tensor);
    if (report.verdict == cts::Verdict::kPass || answer.disputed.empty()) return report;
    return JudgeUndisputed(answer, k, *tensor, report);
  }
  return InvalidArgument("found a result named '", result.name, "', expected one of: ", known);
}

}  // namespace

tensor_cts_answer* tensor_cts_reference(const tensor_cts_call* call) {
  return Guarded(static_cast<tensor_cts_answer*>(nullptr), [&]() -> tensor_cts_answer* {
    LastMessage().clear();
    if (call == nullptr) return Fail<tensor_cts_answer>("found NULL, expected a call");
    StatusOr<cts::CallParts> parts = PartsOf(*call);
    if (!parts.ok()) return Fail<tensor_cts_answer>(cts::Message(parts.status()));
    const StatusOr<cts::OperatorCall> made = cts::MakeCall(*std::move(parts));
    if (!made.ok()) return Fail<tensor_cts_answer>(cts::Message(made.status()));
    StatusOr<cts::Evaluation> evaluation = cts::EvaluateCall(*made);
    if (!evaluation.ok()) return Fail<tensor_cts_answer>(cts::Message(evaluation.status()));
    auto answer = std::make_unique<tensor_cts_answer>();
    answer->evaluation = *std::move(evaluation);
    answer->disputed = cts::DisputeOf(made->graph, {&made->inputs});
    if (!answer->disputed.empty()) answer->disputed_elements = cts::DisputedElements(*made);
    for (const cts::Violation& violation : answer->evaluation.violations) {
      const cts::Condition* const condition =
          cts::FindCondition(violation.condition, *made->edition);
      answer->findings.push_back(
          {violation.condition, condition == nullptr ? "" : std::string(cts::Name(condition->kind)),
           condition == nullptr ? "" : std::string(cts::Paraphrase(*made->edition, *condition)),
           violation.message});
    }
    return answer.release();
  });
}

void tensor_cts_close_answer(tensor_cts_answer* answer) { delete answer; }

const char* tensor_cts_outcome(const tensor_cts_answer* answer) {
  // Names of outcomes are literals.
  return answer == nullptr ? nullptr : cts::Name(answer->evaluation.outcome).data();
}

const char* tensor_cts_reason(const tensor_cts_answer* answer) {
  return answer == nullptr ? nullptr : answer->evaluation.message.c_str();
}

size_t tensor_cts_violation_count(const tensor_cts_answer* answer) {
  return answer == nullptr ? 0 : answer->findings.size();
}

int tensor_cts_get_violation(const tensor_cts_answer* answer, size_t index,
                             tensor_cts_violation* violation) {
  if (violation == nullptr || index >= tensor_cts_violation_count(answer)) return 0;
  const tensor_cts_answer::Finding& finding = answer->findings[index];
  *violation = {finding.condition.c_str(), finding.kind.c_str(), finding.paraphrase.c_str(),
                finding.message.c_str()};
  return 1;
}

size_t tensor_cts_expected_count(const tensor_cts_answer* answer) {
  return answer == nullptr ? 0 : answer->evaluation.outputs.size();
}

int tensor_cts_get_expected(const tensor_cts_answer* answer, size_t index,
                            tensor_cts_expected* expected) {
  if (expected == nullptr || index >= tensor_cts_expected_count(answer)) return 0;
  const cts::ExpectedOutput& output = answer->evaluation.outputs[index];
  *expected = {.name = output.name.c_str(),
               .type = cts::Name(output.dtype).data(),
               .shape = output.shape.data(),
               .rank = output.shape.size(),
               .rule = cts::Name(output.rule.kind).data(),
               .clause = output.rule.clause.c_str(),
               .ulp = output.rule.ulp};
  for (const cts::Answer& given : output.answers) {
    tensor_cts_values& values = expected->values[expected->value_count++];
    values.flushed = given.flushed ? 1 : 0;
    values.value = Described(expected->name, given.expected);
    if (given.bound) values.bound = Described(expected->name, *given.bound);
    if (given.upper) values.upper = Described(expected->name, *given.upper);
  }
  return 1;
}

int tensor_cts_expected_is_unsigned(const tensor_cts_answer* answer, size_t index) {
  if (index >= tensor_cts_expected_count(answer)) return 0;
  return answer->evaluation.outputs[index].rule.is_unsigned ? 1 : 0;
}

int tensor_cts_round(const char* type, const double* values, size_t count, void* bits) {
  return Guarded(0, [&]() -> int {
    LastMessage().clear();
    const auto dtype = type == nullptr ? std::nullopt : cts::ParseDType(type);
    if (!dtype || !cts::IsFloat(*dtype) || (count > 0 && (values == nullptr || bits == nullptr))) {
      LastMessage() = "expected a floating-point type, values, and a place for their bits";
      return 0;
    }
    Tensor rounded(*dtype, {static_cast<int64_t>(std::max<size_t>(count, 1))});
    for (size_t i = 0; i < count; ++i) rounded.SetElement(static_cast<int64_t>(i), values[i]);
    if (count > 0) std::memcpy(bits, rounded.bytes().data(), rounded.bytes().size());
    return 1;
  });
}

tensor_cts_verdict tensor_cts_judge(const tensor_cts_answer* answer,
                                    const tensor_cts_tensor* result, tensor_cts_figures* figures) {
  return Guarded(TENSOR_CTS_BAD_CALL, [&]() -> tensor_cts_verdict {
    LastMessage().clear();
    if (figures != nullptr)
      *figures = {
          .first = -1, .first_index = "", .first_expected = "", .first_got = "", .took = ""};
    if (answer == nullptr || result == nullptr || result->name == nullptr) {
      return BadCall(
          "found NULL, expected an answer, and a result with name, type, shape and data");
    }
    const cts::Outcome outcome = answer->evaluation.outcome;
    if (outcome == cts::Outcome::kError) {
      return Reject(StrCat("found a result, expected a refusal: ", Broken(*answer)));
    }
    if (outcome != cts::Outcome::kValid) return NothingToJudge(*answer);
    const StatusOr<cts::OutputReport> judged = JudgeResult(*answer, *result);
    if (!judged.ok()) return BadCall(cts::Message(judged.status()));
    thread_local cts::OutputReport report;
    report = *judged;
    LastMessage() = report.message;
    if (figures != nullptr) {
      *figures = {report.elements,
                  report.mismatches,
                  report.first,
                  report.first_index.c_str(),
                  report.first_expected.c_str(),
                  report.first_got.c_str(),
                  report.worst_ulp,
                  report.answer.c_str()};
    }
    const bool refused =
        report.verdict != cts::Verdict::kPass && report.verdict != cts::Verdict::kDisputed;
    return refused ? TENSOR_CTS_REJECT : TENSOR_CTS_ACCEPT;
  });
}

tensor_cts_verdict tensor_cts_judge_refusal(const tensor_cts_answer* answer) {
  return Guarded(TENSOR_CTS_BAD_CALL, [&]() -> tensor_cts_verdict {
    LastMessage().clear();
    if (answer == nullptr) return BadCall("found NULL, expected an answer");
    switch (answer->evaluation.outcome) {
      case cts::Outcome::kError:
        return TENSOR_CTS_ACCEPT;
      case cts::Outcome::kValid:
        return Reject("found a refusal, expected a result: no condition is broken");
      default:
        return NothingToJudge(*answer);
    }
  });
}
