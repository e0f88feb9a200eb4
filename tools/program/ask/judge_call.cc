#include "tools/program/ask/judge_call.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checker/rules/match.h"
#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/calls/call_json.h"
#include "reference/calls/operator_call.h"
#include "reference/graph/disputed.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"
#include "reference/precision/precision.h"
#include "tools/program/ask/question_error.h"

namespace cts::judging {
namespace {

// An argument as the edition has it, and as the operator's text sees it.
struct SeenArgument {
  const ArgumentSpec* given;
  const ArgumentSpec* seen;
};

std::vector<SeenArgument> ArgumentsOf(const OperatorSpec& spec) {
  std::vector<SeenArgument> arguments;
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    arguments.push_back({&spec.arguments[i], &spec.Seen().arguments[i]});
  }
  return arguments;
}

// The edition's argument that the text calls `seen`; null if it has none.
const ArgumentSpec* GivenFor(const OperatorSpec& spec, std::string_view seen) {
  for (const SeenArgument& argument : ArgumentsOf(spec)) {
    if (argument.seen->name == seen) return argument.given;
  }
  return nullptr;
}

bool IsZeroPoint(std::string_view name) {
  return name.ends_with("_zp") || name.ends_with("_qpoint");
}

// Arguments that say how to compute, not on what: they stand in `attributes`.
bool IsParameter(const ArgumentSpec& seen) {
  const std::string& name = seen.name;
  return seen.type == "shape_t" || IsZeroPoint(name) || name == "shift" || name == "multiplier" ||
         name == "table";
}

std::string PlaceOf(std::string_view attribute) { return StrCat("/attributes/", attribute); }

// Whether the attributes are arguments of the operator. Operands have their values in `in`.
Status CheckNames(const Question& question) {
  std::vector<std::string> known;
  for (const auto& [given, seen] : ArgumentsOf(*question.spec)) {
    if (given->category == ArgumentCategory::kOutput) continue;
    const bool operand = given->category == ArgumentCategory::kInput && !IsParameter(*seen);
    if (!operand || question.attributes.contains(given->name)) known.push_back(given->name);
  }
  return calls::CheckObject(question.attributes, "/attributes", {}, known, "an object");
}

// "one of PROPAGATE, IGNORE" of an enumeration.
std::string ValuesOf(const Edition& edition, const ArgumentSpec& argument) {
  const EnumSpec* enumeration = edition.FindEnum(argument.type);
  if (enumeration == nullptr) enumeration = edition.FindEnum(argument.element_type);
  if (enumeration == nullptr) return "a value";
  std::string names;
  for (const EnumValue& value : enumeration->values) {
    names += StrCat(names.empty() ? "" : ", ", value.name);
  }
  return StrCat("one of ", names);
}

// Whether every argument has a value once `in` and the defaults have given theirs.
Status CheckComplete(const Question& question) {
  const ArgumentSpec* first = nullptr;
  std::string others;
  for (const ArgumentSpec& argument : question.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput || argument.optional) continue;
    if (question.arguments.contains(argument.name)) continue;
    if (first == nullptr) {
      first = &argument;
    } else {
      others += StrCat(others.empty() ? "; likewise " : ", ", argument.name);
    }
  }
  if (first == nullptr) return absl::OkStatus();
  return Bad(PlaceOf(first->name), "found nothing, expected ", ValuesOf(*question.edition, *first),
             ": add it to \"attributes\" (--attribute ", first->name, "=VALUE)", others);
}

// Messages about a call begin with the place in its JSON. The user did not write that JSON, so the
// place in the question is named instead.
Status InQuestion(const Question& question, const Status& status) {
  constexpr std::string_view kArguments = "/arguments/", kOutputs = "/output_types";
  const std::string message = Message(status);
  if (message.starts_with(kArguments)) {
    const std::string rest = message.substr(kArguments.size());
    const bool given = question.attributes.contains(rest.substr(0, rest.find_first_of("/:")));
    return given ? InvalidArgument(PlaceOf(rest)) : Bad("/in", rest);
  }
  if (message.starts_with(kOutputs)) return Bad("/operator", message.substr(kOutputs.size() + 1));
  return status;
}

// The type of the elements of `in` that an operand takes.
StatusOr<DType> TypeOfOperand(const Question& question, const ArgumentSpec& operand) {
  const std::string& variable = operand.element_type;
  if (variable.ends_with("_t")) {
    const auto fixed = ParseDType(std::string_view(variable).substr(0, variable.size() - 2));
    if (fixed) return *fixed;
  }
  if (question.in_type) return *question.in_type;
  std::string output;
  for (const ArgumentSpec& argument : question.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) output = argument.element_type;
  }
  if (variable == output) return question.type;
  std::vector<DType> types;
  for (const TypeRow& row : question.spec->type_rows) {
    const auto in = row.PlainType(variable);
    if (!in || row.PlainType(output).value_or(question.type) != question.type) continue;
    if (!Contains(types, *in)) types.push_back(*in);
  }
  if (types.size() == 1) return types[0];
  if (Contains(types, question.type)) return question.type;
  return Bad("/in_type", "found nothing, expected the type of the operands: ", question.spec->name,
             " to ", Name(question.type), " takes more than one");
}

// `shape` is that of the text.
StatusOr<Json> TensorOf(const Question& question, const ArgumentSpec& operand, size_t first,
                        size_t count, const Shape& shape) {
  CTS_ASSIGN_OR_RETURN(const DType dtype, TypeOfOperand(question, operand));
  Json data = Json::array();
  for (size_t i = first; i < first + count; ++i) {
    const auto bits = BitsFromJson(question.in[i], dtype, question.digits, question.unsigned_too);
    if (!bits.ok()) return Annotate(bits.status(), StrCat("/in/", i));
    data.push_back(ValueOf(dtype, *bits));
  }
  return Json{{"dtype", Name(dtype)},
              {"shape", Permute(shape, Inverse(operand.view_axes))},
              {"data", std::move(data)}};
}

Status ExpectIn(const Question& question, size_t count, std::string_view what) {
  if (question.in.size() == count) return absl::OkStatus();
  return Bad("/in", "found ", question.in.size(), " values, expected ", count, ": ", what);
}

// Gives the operand the elements of `in` from `first` on.
Status GiveOperand(Question* question, const ArgumentSpec& operand, size_t first, size_t count,
                   const Shape& shape) {
  if (question->attributes.contains(operand.name)) {
    return Bad(PlaceOf(operand.name), "found a value, expected none: \"in\" has those of ",
               operand.name);
  }
  CTS_ASSIGN_OR_RETURN(question->arguments[operand.name],
                       TensorOf(*question, operand, first, count, shape));
  return absl::OkStatus();
}

// Gives the text's argument `seen` a value, unless it has one or the edition lacks it.
void SetMissing(Question* question, std::string_view seen, const Json& value) {
  const ArgumentSpec* const given = GivenFor(*question->spec, seen);
  if (given == nullptr || question->arguments.contains(given->name)) return;
  question->arguments[given->name] = value;
}

// The elements that are combined into one, along the only axis that has more than one.
Status AddReduced(Question* question) {
  const auto elements = static_cast<int64_t>(question->in.size());
  if (elements == 0) return Bad("/in", "found no values, expected the elements that are reduced");
  const bool pool = question->spec->Seen().name == "MAX_POOL2D";
  const ArgumentSpec& input = *GivenFor(*question->spec, "input");
  CTS_RETURN_IF_ERROR(GiveOperand(question, input, 0, question->in.size(),
                                  pool ? Shape{1, 1, elements, 1} : Shape{elements}));
  if (!pool) SetMissing(question, "axis", 0);
  SetMissing(question, "kernel", {1, elements});
  SetMissing(question, "stride", {1, 1});
  SetMissing(question, "pad", {0, 0, 0, 0});
  return absl::OkStatus();
}

// The operand and CLAMP's bounds, which are attributes of its type.
Status AddClamped(Question* question) {
  const OperatorSpec& spec = *question->spec;
  const ArgumentSpec& input = *GivenFor(spec, "input");
  const std::string &least = GivenFor(spec, "min_val")->name,
                    &greatest = GivenFor(spec, "max_val")->name;
  CTS_RETURN_IF_ERROR(ExpectIn(*question, 3, StrCat("x, ", least, ", ", greatest)));
  for (const auto& [name, place] : {std::pair(least, size_t{1}), std::pair(greatest, size_t{2})}) {
    if (question->attributes.contains(name)) {
      return Bad(PlaceOf(name), "found a value, expected none: \"in\" has that of ", name);
    }
    CTS_ASSIGN_OR_RETURN(const Json bound, TensorOf(*question, input, place, 1, {1}));
    question->arguments[name] = bound["data"][0];
  }
  return GiveOperand(question, input, 0, 1, {1});
}

Status AddResized(Question* question) {
  CTS_RETURN_IF_ERROR(ExpectIn(*question, 1, "the largest absolute input"));
  if (!question->ref) {
    return Bad("/ref", "found nothing, expected the reference value: of RESIZE the bound alone ",
               "follows from the largest absolute input");
  }
  const ArgumentSpec& input = *GivenFor(*question->spec, "input");
  CTS_RETURN_IF_ERROR(GiveOperand(question, input, 0, 1, {1, 1, 1, 1}));
  SetMissing(question, "mode", "BILINEAR");
  SetMissing(question, "scale", {1, 1, 1, 1});
  SetMissing(question, "offset", {0, 0});
  SetMissing(question, "border", {0, 0});
  return absl::OkStatus();
}

// One element for each operand that the question's attributes do not give.
Status AddElements(Question* question, const std::vector<const ArgumentSpec*>& operands) {
  std::string names;
  for (const ArgumentSpec* operand : operands) {
    names += StrCat(names.empty() ? "" : ", ", operand->name);
  }
  CTS_RETURN_IF_ERROR(ExpectIn(*question, operands.size(), names));
  for (size_t i = 0; i < operands.size(); ++i) {
    CTS_RETURN_IF_ERROR(GiveOperand(question, *operands[i], i, 1, {1}));
  }
  return absl::OkStatus();
}

// Sets zero points that were not given to 0. Returns the arguments that `in` gives.
std::vector<const ArgumentSpec*> SetZeroPoints(Question* question) {
  std::vector<const ArgumentSpec*> operands;
  for (const auto& [given, seen] : ArgumentsOf(*question->spec)) {
    if (IsZeroPoint(seen->name)) SetMissing(question, seen->name, 0);
    if (given->category != ArgumentCategory::kInput || IsParameter(*seen)) continue;
    if (!question->arguments.contains(given->name)) operands.push_back(given);
  }
  return operands;
}

// `in` as arguments of the operator.
Status AddOperands(Question* question) {
  const OperatorSpec& spec = *question->spec;
  const std::vector<const ArgumentSpec*> operands = SetZeroPoints(question);
  const std::string& text = spec.Seen().name;
  if (text == "MUL") SetMissing(question, "shift", 0);
  if (text == "RESCALE") {
    for (const char* const flag :
         {"per_channel", "input_unsigned", "output_unsigned", "in_unsigned", "out_unsigned"}) {
      SetMissing(question, flag, false);
    }
  }
  if (Reduces(spec)) return AddReduced(question);
  if (text == "CLAMP") return AddClamped(question);
  if (text == "RESIZE") return AddResized(question);
  return AddElements(question, operands);
}

// The answer of the unflushed run, had it computed another reference value: the same inputs, and
// the bound that belongs to that value.
StatusOr<Answer> AnswerFor(const OperatorCall& call, double ref) {
  const Block& block = call.graph.main();
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) values[tensor.name] = tensor.values;
  }
  for (const auto& [name, value] : call.inputs) {
    values[name] = std::make_shared<const Tensor>(value);
  }
  const GraphOperator& node = block.operators.back();
  const OperatorSpec& spec = *call.edition->FindOperator(node.op);
  const Operator& op = *OperatorFor(spec);
  const Call bound(*call.edition, spec, *call.level, block, node, values);
  Computation computation(bound, ComputationKind::kReference);
  op.compute(bound, computation);
  const std::string output = computation.outputs().begin()->first;  // as the text calls it
  Tensor& computed = *computation.outputs().at(output);
  if (IsFloat(computed.dtype())) {
    computed.SetElement(0, ref);
  } else {
    const DType dtype = computed.dtype();
    if (ref != std::floor(ref) || std::fabs(ref) >= 0x1p53 ||
        static_cast<int64_t>(ref) < IntegerMin(dtype) ||
        static_cast<int64_t>(ref) > IntegerMax(dtype)) {
      return Bad("/ref", "found ", FormatDouble(ref), ", expected an integer of ", Name(dtype),
                 " and of at most 53 bits");
    }
    computed.SetInteger(0, static_cast<int64_t>(ref));
  }
  CTS_ASSIGN_OR_RETURN(auto answers, ApplyPrecision(op, bound, computation, false, -1));
  return std::move(answers.at(output).answer);
}

}  // namespace

StatusOr<std::vector<DType>> OperandTypes(const Question& given) {
  constexpr size_t kReduced = 4, kClamped = 3;
  Question question = given;
  CTS_RETURN_IF_ERROR(CheckNames(question));
  std::vector<const ArgumentSpec*> operands = SetZeroPoints(&question);
  const OperatorSpec& spec = *question.spec;
  if (operands.empty()) return Bad("/operator", spec.name, " has no operands to draw");
  if (spec.Seen().name == "RESIZE") {
    return Bad("/operator", "of ", spec.name, " the bound alone follows from one value");
  }
  const size_t copies = Reduces(spec) ? kReduced : spec.Seen().name == "CLAMP" ? kClamped : 1;
  if (copies > 1) operands.assign(copies, operands[0]);
  std::vector<DType> types;
  for (const ArgumentSpec* operand : operands) {
    CTS_ASSIGN_OR_RETURN(const DType dtype, TypeOfOperand(question, *operand));
    types.push_back(dtype);
  }
  return types;
}

namespace {

// The point on which the edition's clauses disagree. The call has numbers, which have one NaN
// alone; the question has its bits.
std::string PointOf(const Question& question) {
  if (question.attributes.value("nan_mode", Json()) != "IGNORE") return "";
  const StatusOr<std::vector<DType>> types = OperandTypes(question);
  for (size_t i = 0; types.ok() && i < question.in.size(); ++i) {
    const DType dtype = (*types)[std::min(i, types->size() - 1)];
    const auto bits = BitsFromJson(question.in[i], dtype, question.digits, question.unsigned_too);
    if (bits.ok() && IsSignallingNan(dtype, *bits)) return std::string(kSignallingNanPoint);
  }
  return "";
}

}  // namespace

StatusOr<ExpectedOutput> Expect(Question question, std::string* disputed) {
  CTS_RETURN_IF_ERROR(CheckNames(question));
  if (disputed != nullptr) *disputed = PointOf(question);
  CTS_RETURN_IF_ERROR(AddOperands(&question));
  CTS_RETURN_IF_ERROR(CheckComplete(question));
  std::string output;
  for (const ArgumentSpec& argument : question.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) output = argument.name;
  }
  const Json json = {{"edition", question.edition->id},
                     {"level", question.edition->WidestLevel().name},
                     {"operator", question.spec->name},
                     {"arguments", question.arguments},
                     {"output_types", {{output, {{"dtype", Name(question.type)}}}}}};
  const StatusOr<OperatorCall> call = OperatorCallFromJson(json);
  if (!call.ok()) return InQuestion(question, call.status());
  StatusOr<Evaluation> evaluated = EvaluateCall(*call);
  if (!evaluated.ok()) return InQuestion(question, evaluated.status());
  const Evaluation evaluation = *std::move(evaluated);
  if (evaluation.outcome != Outcome::kValid || evaluation.outputs.size() != 1) {
    std::string why = evaluation.message;
    for (const Violation& violation : evaluation.violations) {
      why += StrCat(why.empty() ? "" : "; ", violation.condition, ": ", violation.message);
    }
    return Bad("/operator", question.edition->id, " has no result to judge: the outcome is ",
               Name(evaluation.outcome), why.empty() ? "" : " (", why, why.empty() ? "" : ")");
  }
  ExpectedOutput expected = evaluation.outputs[0];
  if (ElementCount(expected.shape) != 1) {
    return Bad("/operator", "found ", ElementCount(expected.shape),
               " results, expected an operator with one for these operands");
  }
  if (question.ref) {
    if (expected.rule.kind == RuleKind::kInterval && !IsFloat(expected.dtype)) {
      return Bad("/ref", "found a reference, expected none: what is accepted follows from ",
                 "\"in\"");
    }
    CTS_ASSIGN_OR_RETURN(expected.answers[0], AnswerFor(*call, *question.ref));
    CTS_RETURN_IF_ERROR(Annotate(ValidateAnswer(expected, expected.answers[0]), "/ref"));
  }
  return expected;
}

}  // namespace cts::judging
