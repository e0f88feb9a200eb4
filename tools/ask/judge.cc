#include "tools/ask/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <utility>

#include "checker/printable.h"
#include "checker/rules/interval.h"
#include "checker/rules/match.h"
#include "reference/base/contains.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/evaluate/call_answer.h"
#include "reference/evaluate/operator_call.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"
#include "reference/precision/precision.h"
#include "tools/ask/eval.h"

namespace cts {
namespace {

constexpr size_t kMaxShown = 60;

template <class... Args>
Status Bad(const std::string& place, const Args&... args) {
  return InvalidArgument(place, ": ", args...);
}

std::string Found(const Json& json) {
  return Shortened(json.dump(-1, ' ', true, Json::error_handler_t::replace), kMaxShown);
}

// --- Values and bit patterns ---------------------------------------------------------------------

int PatternDigits(DType dtype) { return (Info(dtype).bits + 3) / 4; }

uint64_t PatternMask(DType dtype) { return ~uint64_t{0} >> (64 - Info(dtype).bits); }

std::string Pattern(DType dtype, uint64_t bits) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (int digit = PatternDigits(dtype) - 1; digit >= 0; --digit) {
    text += kHex[(bits & PatternMask(dtype)) >> (4 * digit) & 15];
  }
  return text;
}

// The bits of a type as Tensor stores them: integers sign-extended to their storage.
uint64_t Stored(DType dtype, uint64_t bits) {
  if (IsFloat(dtype) || dtype == DType::kBool) return bits;
  const int shift = 64 - Info(dtype).bits;
  return static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
}

Tensor OfBits(DType dtype, const Shape& shape, uint64_t bits) {
  Tensor tensor(dtype, shape);
  tensor.SetBits(0, Stored(dtype, bits));
  return tensor;
}

bool IsHexadecimal(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

// A bit pattern, or a number that is rounded to the type. `unsigned_too`: an integer beyond the
// signed range is taken as the value of an unsigned type of the width.
StatusOr<uint64_t> BitsFromText(const std::string& text, DType dtype, Digits digits,
                                bool unsigned_too) {
  const auto size = static_cast<size_t>(PatternDigits(dtype));
  const bool prefixed = text.starts_with("0x") || text.starts_with("0X");
  const std::string_view pattern = std::string_view(text).substr(prefixed ? 2 : 0);
  const std::string wanted =
      StrCat("expected ", size, " hexadecimal digits of ", Name(dtype), ", such as ",
             digits == Digits::kNumber ? "0x" : "", Pattern(dtype, uint64_t{1}));
  const bool is_pattern = IsHexadecimal(pattern) && (prefixed || digits == Digits::kPattern);
  if (is_pattern) {
    // A type of fewer than 8 bits may be written as the byte that stores it.
    const bool fits = pattern.size() == size || (size == 1 && pattern.size() == 2);
    const uint64_t bits = fits ? std::strtoull(std::string(pattern).c_str(), nullptr, 16) : 0;
    if (!fits || ((bits & ~PatternMask(dtype)) != 0 &&
                  OfBits(dtype, {}, bits & PatternMask(dtype)).Bits(0) != bits)) {
      return InvalidArgument("found \"", Shortened(Printable(text), kMaxShown), "\", ", wanted);
    }
    return bits & PatternMask(dtype);
  }
  const auto bad = [&] {
    return InvalidArgument("found \"", Shortened(Printable(text), kMaxShown), "\", ", wanted,
                           IsFloat(dtype) ? ", or a number such as 0.1, 0x1.8p3, -inf or nan"
                                          : ", or an integer of the type");
  };
  char* end = nullptr;
  if (text.empty() || text.front() == ' ') return bad();
  if (IsFloat(dtype)) {
    const double value = std::strtod(text.c_str(), &end);
    if (*end != '\0') return bad();
    const uint64_t bits = EncodeFloat(dtype, value);
    const bool named = text.find("inf") != text.npos || text.find("nan") != text.npos;
    if (!named && !std::isfinite(DecodeFloat(dtype, bits))) return bad();
    if (std::isinf(value) && std::isnan(DecodeFloat(dtype, bits))) return bad();
    return bits;
  }
  if (dtype == DType::kBool && (text == "true" || text == "false")) return text == "true" ? 1 : 0;
  errno = 0;
  const int64_t value = std::strtoll(text.c_str(), &end, 10);
  const int64_t greatest = unsigned_too && Info(dtype).bits < 63
                               ? (int64_t{1} << Info(dtype).bits) - 1
                               : IntegerMax(dtype);
  if (*end != '\0' || errno != 0 || value < IntegerMin(dtype) || value > greatest) return bad();
  return static_cast<uint64_t>(value) & PatternMask(dtype);
}

StatusOr<uint64_t> BitsFromJson(const Json& json, DType dtype, Digits digits, bool unsigned_too) {
  if (json.is_string()) {
    return BitsFromText(json.get_ref<const std::string&>(), dtype, digits, unsigned_too);
  }
  if (json.is_boolean() && dtype == DType::kBool) return json.get<bool>() ? 1 : 0;
  if (json.is_number_integer() && !IsFloat(dtype)) {
    return BitsFromText(json.dump(), dtype, Digits::kNumber, unsigned_too);
  }
  if (json.is_number_float() && IsFloat(dtype)) {
    return BitsFromText(json.dump(), dtype, Digits::kNumber, unsigned_too);
  }
  // Nobody can say whether 16256 is a number of bf16 or a bit pattern.
  return InvalidArgument("found ", Found(json), ", expected a string with ", PatternDigits(dtype),
                         " hexadecimal digits of ", Name(dtype),
                         IsFloat(dtype) ? "" : ", or an integer");
}

// As operator_call reads it.
Json ValueOf(DType dtype, uint64_t bits) {
  if (IsFloat(dtype)) return FormatHex(DecodeFloat(dtype, bits));
  if (dtype == DType::kBool) return bits != 0;
  return static_cast<int64_t>(Stored(dtype, bits));
}

// --- The question as a call of an operator -------------------------------------------------------

// Operators whose `in` lists the elements that are combined into one.
bool Reduces(std::string_view op) {
  return op.starts_with("REDUCE_") || op == "ARGMAX" || op == "MAX_POOL2D";
}

// Operators for which one result tells too little: bias and variance are of whole tensors. One sum
// is judged as any other reduction.
bool IsJudgedAsAWhole(const Edition& edition, std::string_view op) {
  return edition.precision->IsDotProduct(op) && !Reduces(op);
}

bool IsZeroPoint(std::string_view name) {
  return name.ends_with("_zp") || name.ends_with("_qpoint");
}

// Arguments that say how to compute, not on what: they stand in `attributes`.
bool IsParameter(const ArgumentSpec& argument) {
  const std::string& name = argument.name;
  return argument.type == "shape_t" || IsZeroPoint(name) || name == "shift" ||
         name == "multiplier" || name == "table";
}

struct Question {
  const Edition* edition = nullptr;
  const OperatorSpec* spec = nullptr;
  DType type = DType::kFp32;
  std::optional<DType> in_type;
  Json arguments = Json::object();
  std::vector<Json> in;
  std::optional<double> ref;
  Digits digits = Digits::kPattern;
  bool unsigned_too = false;
};

StatusOr<std::string> TextAt(const Json& json, const char* member) {
  if (!json.contains(member)) return Bad("/", "expected a member \"", member, "\"");
  if (!json[member].is_string()) {
    return Bad(StrCat("/", member), "found ", Found(json[member]), ", expected a name");
  }
  return json[member].get<std::string>();
}

StatusOr<DType> TypeAt(const Json& json, const char* member) {
  CTS_ASSIGN_OR_RETURN(const std::string name, TextAt(json, member));
  if (const std::optional<DType> dtype = ParseDType(name); dtype && *dtype != DType::kShape) {
    return *dtype;
  }
  std::string known;
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype != DType::kShape) known += StrCat(known.empty() ? "" : ", ", info.name);
  }
  return Bad(StrCat("/", member), "found ", Found(json[member]), ", expected one of ", known);
}

StatusOr<const Edition*> EditionAt(const Json& json) {
  std::string id(kDefaultEdition);
  if (json.contains("edition")) {
    CTS_ASSIGN_OR_RETURN(id, TextAt(json, "edition"));
  }
  StatusOr<const Edition*> edition = FindEdition(id);
  if (!edition.ok()) return Annotate(edition.status(), "/edition");
  if (!(*edition)->Has(Feature::kExecuted)) {
    return Bad("/edition", "the reference does not cover ", id, " yet");
  }
  CTS_RETURN_IF_ERROR(Annotate(PrecisionOf(**edition).status(), "/edition"));
  return edition;
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
    const auto in = row.Type(variable);
    if (!in || row.Type(output).value_or(question.type) != question.type) continue;
    if (!Contains(types, *in)) types.push_back(*in);
  }
  if (types.size() == 1) return types[0];
  if (Contains(types, question.type)) return question.type;
  return Bad("/", "expected a member \"in_type\": ", question.spec->name, " to ",
             Name(question.type), " takes more than one type");
}

StatusOr<Json> TensorOf(const Question& question, const ArgumentSpec& operand, size_t first,
                        size_t count, const Shape& shape) {
  CTS_ASSIGN_OR_RETURN(const DType dtype, TypeOfOperand(question, operand));
  Json data = Json::array();
  for (size_t i = first; i < first + count; ++i) {
    const auto bits = BitsFromJson(question.in[i], dtype, question.digits, question.unsigned_too);
    if (!bits.ok()) return Annotate(bits.status(), StrCat("/in/", i));
    data.push_back(ValueOf(dtype, *bits));
  }
  return Json{{"dtype", Name(dtype)}, {"shape", shape}, {"data", std::move(data)}};
}

Status ExpectIn(const Question& question, size_t count, std::string_view what) {
  if (question.in.size() == count) return absl::OkStatus();
  return Bad("/in", "found ", question.in.size(), " values, expected ", count, ": ", what);
}

// `in` as arguments of the operator.
Status AddOperands(Question* question) {
  const OperatorSpec& spec = *question->spec;
  Json& arguments = question->arguments;
  const auto missing = [&](const char* name, const Json& value) {
    if (spec.FindArgument(name) != nullptr && !arguments.contains(name)) arguments[name] = value;
  };
  std::vector<const ArgumentSpec*> operands;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (IsZeroPoint(argument.name)) missing(argument.name.c_str(), 0);
    if (argument.category != ArgumentCategory::kInput || IsParameter(argument)) continue;
    if (!arguments.contains(argument.name)) operands.push_back(&argument);
  }
  if (spec.name == "MUL") missing("shift", 0);
  if (spec.name == "RESCALE") missing("per_channel", false);
  if (spec.name == "RESCALE") missing("input_unsigned", false), missing("output_unsigned", false);
  if (spec.name == "RESCALE") missing("in_unsigned", false), missing("out_unsigned", false);

  const auto elements = static_cast<int64_t>(question->in.size());
  if (Reduces(spec.name)) {
    if (elements == 0) return Bad("/in", "found no values, expected the elements that are reduced");
    const bool pool = spec.name == "MAX_POOL2D";
    CTS_ASSIGN_OR_RETURN(arguments["input"],
                         TensorOf(*question, *spec.FindArgument("input"), 0, question->in.size(),
                                  pool ? Shape{1, 1, elements, 1} : Shape{elements}));
    if (!pool) missing("axis", 0);
    missing("kernel", {1, elements});
    missing("stride", {1, 1});
    missing("pad", {0, 0, 0, 0});
    return absl::OkStatus();
  }
  if (spec.name == "CLAMP") {
    CTS_RETURN_IF_ERROR(ExpectIn(*question, 3, "x, min_val, max_val"));
    const ArgumentSpec& input = *spec.FindArgument("input");
    CTS_ASSIGN_OR_RETURN(const Json least, TensorOf(*question, input, 1, 1, {1}));
    CTS_ASSIGN_OR_RETURN(const Json greatest, TensorOf(*question, input, 2, 1, {1}));
    arguments["min_val"] = least["data"][0];
    arguments["max_val"] = greatest["data"][0];
    CTS_ASSIGN_OR_RETURN(arguments["input"], TensorOf(*question, input, 0, 1, {1}));
    return absl::OkStatus();
  }
  if (spec.name == "RESIZE") {
    CTS_RETURN_IF_ERROR(ExpectIn(*question, 1, "the largest absolute input"));
    if (!question->ref) {
      return Bad("/ref", "expected the reference value: of RESIZE the bound alone follows from ",
                 "the largest absolute input");
    }
    CTS_ASSIGN_OR_RETURN(arguments["input"],
                         TensorOf(*question, *spec.FindArgument("input"), 0, 1, {1, 1, 1, 1}));
    missing("mode", "BILINEAR");
    missing("scale", {1, 1, 1, 1});
    missing("offset", {0, 0});
    missing("border", {0, 0});
    return absl::OkStatus();
  }
  std::string names;
  for (const ArgumentSpec* operand : operands) {
    names += StrCat(names.empty() ? "" : ", ", operand->name);
  }
  CTS_RETURN_IF_ERROR(ExpectIn(*question, operands.size(), names));
  for (size_t i = 0; i < operands.size(); ++i) {
    CTS_ASSIGN_OR_RETURN(arguments[operands[i]->name],
                         TensorOf(*question, *operands[i], i, 1, {1}));
  }
  return absl::OkStatus();
}

// The answer of the unflushed run, had it computed another reference value: the same inputs, and
// the bound that belongs to that value.
StatusOr<Answer> AnswerFor(const OperatorCall& call, const std::string& output, double ref) {
  const Block& block = call.graph.main();
  std::map<std::string, std::shared_ptr<const Tensor>> values;
  for (const GraphTensor& tensor : block.tensors) {
    if (tensor.values != nullptr) values[tensor.name] = tensor.values;
  }
  for (const auto& [name, value] : call.inputs) {
    values[name] = std::make_shared<const Tensor>(value);
  }
  const GraphOperator& node = block.operators.back();
  const Operator& op = *OperatorFor(*call.edition->FindOperator(node.op));
  const Call bound(*call.edition, *call.edition->FindOperator(node.op), *call.level, block, node,
                   values);
  Computation computation(bound, ComputationKind::kReference);
  op.compute(bound, computation);
  Tensor& computed = *computation.outputs().at(output);
  if (IsFloat(computed.dtype())) {
    computed.SetFloat(0, ref);
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

StatusOr<ExpectedOutput> Expect(const Question& question) {
  std::string output;
  for (const ArgumentSpec& argument : question.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) output = argument.name;
  }
  const Json json = {{"edition", question.edition->id},
                     {"level", "none"},
                     {"operator", question.spec->name},
                     {"arguments", question.arguments},
                     {"output_types", {{output, {{"dtype", Name(question.type)}}}}}};
  CTS_ASSIGN_OR_RETURN(const OperatorCall call, OperatorCallFromJson(json));
  CTS_ASSIGN_OR_RETURN(Evaluation evaluation, EvaluateCall(call));
  if (evaluation.outcome != Outcome::kValid || evaluation.outputs.size() != 1) {
    std::string why = evaluation.message;
    for (const Violation& violation : evaluation.violations) {
      why += StrCat(why.empty() ? "" : "; ", violation.condition, ": ", violation.message);
    }
    return Bad("/operator", question.edition->id, " has no result to judge: the outcome is ",
               Name(evaluation.outcome), why.empty() ? "" : " (", why, why.empty() ? "" : ")");
  }
  ExpectedOutput expected = std::move(evaluation.outputs[0]);
  if (ElementCount(expected.shape) != 1) {
    return Bad("/operator", "found ", ElementCount(expected.shape),
               " results, expected an operator with one for these operands");
  }
  // For what is printed: the exact rule compares bits either way.
  const char* const is_unsigned =
      question.spec->FindArgument("out_unsigned") != nullptr ? "out_unsigned" : "output_unsigned";
  if (question.spec->name == "RESCALE" &&
      question.arguments.value(is_unsigned, Json(false)) == true) {
    expected.rule.is_unsigned = true;
  }
  if (question.ref) {
    if (expected.rule.kind == RuleKind::kInterval && !IsFloat(expected.dtype)) {
      return Bad("/ref", "found a reference, expected none: what is accepted follows from ",
                 "\"in\"");
    }
    CTS_ASSIGN_OR_RETURN(expected.answers[0], AnswerFor(call, output, *question.ref));
    CTS_RETURN_IF_ERROR(Annotate(ValidateAnswer(expected, expected.answers[0]), "/ref"));
  }
  return expected;
}

Status CheckMembers(const Json& json, const std::vector<std::string_view>& known) {
  if (!json.is_object()) return Bad("/", "found ", Found(json), ", expected an object");
  for (const auto& [name, value] : json.items()) {
    if (Contains(known, name)) continue;
    std::string names;
    for (const std::string_view each : known) names += StrCat(names.empty() ? "" : ", ", each);
    return Bad("/", "found the member \"", Shortened(Printable(name), kMaxShown),
               "\", expected one of ", names);
  }
  return absl::OkStatus();
}

// Hexadecimal or decimal.
StatusOr<double> NumberAt(const Json& json, const char* member) {
  const Json& number = json[member];
  if (number.is_number()) return number.get<double>();
  if (number.is_string()) {
    const auto& text = number.get_ref<const std::string&>();
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (!text.empty() && text.front() != ' ' && *end == '\0') return value;
  }
  return Bad(StrCat("/", member), "found ", Found(number),
             ", expected a number such as \"0x1.8p3\", \"0.1\", \"-inf\" or \"nan\"");
}

StatusOr<Question> Read(const Json& json, Digits digits) {
  CTS_RETURN_IF_ERROR(CheckMembers(json, {"id", "edition", "operator", "type", "in_type",
                                          "attributes", "in", "ref", "results"}));
  Question question;
  question.digits = digits;
  CTS_ASSIGN_OR_RETURN(question.edition, EditionAt(json));
  CTS_ASSIGN_OR_RETURN(const std::string op, TextAt(json, "operator"));
  question.spec = question.edition->FindOperator(op);
  if (question.spec == nullptr) {
    // For its message, which names the nearest.
    const auto call = OperatorCallFromJson(
        {{"edition", question.edition->id}, {"operator", op}, {"arguments", Json::object()}});
    return call.ok() ? Bad("/operator", "found ", Found(op)) : call.status();
  }
  const std::string& group = question.spec->group;
  if (group == "control-flow" || group == "variable" || group == "custom") {
    return Bad("/operator", op, " makes sense within a graph only");
  }
  if (IsJudgedAsAWhole(*question.edition, op)) {
    return Bad("/operator", op, " is judged as a whole tensor: expected a line with KS, S, bias, ",
               "types, ref, bnd and imp");
  }
  question.unsigned_too = op == "RESCALE";
  CTS_ASSIGN_OR_RETURN(question.type, TypeAt(json, "type"));
  if (json.contains("in_type")) {
    CTS_ASSIGN_OR_RETURN(question.in_type, TypeAt(json, "in_type"));
  }
  if (json.contains("attributes")) {
    if (!json["attributes"].is_object()) {
      return Bad("/attributes", "found ", Found(json["attributes"]), ", expected an object");
    }
    question.arguments = json["attributes"];
  }
  if (!json.contains("in") || !json["in"].is_array()) {
    return Bad("/in", "expected a list of bit patterns or integers");
  }
  question.in.assign(json["in"].begin(), json["in"].end());
  if (json.contains("ref")) {
    CTS_ASSIGN_OR_RETURN(question.ref, NumberAt(json, "ref"));
  }
  return question;
}

// --- Accepted values ----------------------------------------------------------------------------

// The values of a floating-point type in order: ..., -1 for -0, 0 for +0, ...
int64_t KeyOf(DType dtype, uint64_t bits) {
  const uint64_t sign = uint64_t{1} << (Info(dtype).bits - 1);
  const auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -1 - magnitude : magnitude;
}
uint64_t BitsOfKey(DType dtype, int64_t key) {
  const uint64_t sign = uint64_t{1} << (Info(dtype).bits - 1);
  return key < 0 ? sign | static_cast<uint64_t>(-1 - key) : static_cast<uint64_t>(key);
}

bool AnswerAccepts(const ExpectedOutput& output, const Answer& answer, uint64_t bits) {
  return ElementJudge(output, answer, OfBits(output.dtype, output.shape, bits)).Accepts(0);
}

using Run = std::pair<int64_t, int64_t>;  // keys

// The positive or negative numbers that an answer accepts: at most one run of them. If there is
// any, one of them is an end of the numbers, or lies next to the reference or to an end of the
// interval.
void FindRun(const ExpectedOutput& output, const Answer& answer, bool negative,
             std::vector<Run>* runs) {
  const DType dtype = output.dtype;
  const FloatFormat& format = Format(dtype);
  const int64_t top = KeyOf(dtype, EncodeFloat(dtype, format.max)) + (format.has_infinity ? 1 : 0);
  const auto key = [&](int64_t magnitude) { return negative ? -1 - magnitude : magnitude; };
  const auto accepts = [&](int64_t magnitude) {
    return AnswerAccepts(output, answer, BitsOfKey(dtype, key(magnitude)));
  };
  std::vector<int64_t> seeds = {1, top - 1, top};
  for (const Tensor* tensor : {&answer.expected, answer.upper ? &*answer.upper : nullptr}) {
    if (tensor == nullptr || std::isnan(tensor->Float(0))) continue;
    const int64_t nearest = KeyOf(dtype, EncodeFloat(dtype, std::fabs(tensor->Float(0))));
    for (int64_t step = -2; step <= 2; ++step) {
      seeds.push_back(std::clamp(nearest + step, int64_t{1}, top));
    }
  }
  const auto seed = std::find_if(seeds.begin(), seeds.end(), accepts);
  if (seed == seeds.end()) return;
  // The last accepted value on the way from the seed to an end.
  const auto last = [&](int64_t end) {
    int64_t inside = *seed;
    if (accepts(end)) return end;
    for (int64_t outside = end; std::abs(outside - inside) > 1;) {
      const int64_t middle = inside + (outside - inside) / 2;
      (accepts(middle) ? inside : outside) = middle;
    }
    return inside;
  };
  const Run run = {key(last(1)), key(last(top))};
  runs->push_back({std::min(run.first, run.second), std::max(run.first, run.second)});
}

AcceptedValues FindAcceptedIntegers(const ExpectedOutput& output) {
  AcceptedValues values;
  const uint64_t mask = PatternMask(output.dtype);
  for (const Answer& answer : output.answers) {
    const Tensor& upper =
        output.rule.kind == RuleKind::kInterval && answer.upper ? *answer.upper : answer.expected;
    const ValueRange range = {answer.expected.Bits(0) & mask, upper.Bits(0) & mask};
    if (!values.range) {
      values.range = range;
    } else if (range.lo != values.range->lo || range.hi != values.range->hi) {
      values.also.push_back(range);
    }
  }
  return values;
}

}  // namespace

AcceptedValues FindAccepted(const ExpectedOutput& output) {
  const DType dtype = output.dtype;
  if (!IsFloat(dtype)) return FindAcceptedIntegers(output);
  AcceptedValues values;
  std::vector<Run> runs;
  bool negative_zero = false, positive_zero = false;
  const uint64_t nan = EncodeFloat(dtype, std::nan(""));
  for (const Answer& answer : output.answers) {
    values.nan = values.nan || AnswerAccepts(output, answer, nan);
    FindRun(output, answer, true, &runs);
    FindRun(output, answer, false, &runs);
    for (const int64_t zero : {int64_t{-1}, int64_t{0}}) {
      if (!AnswerAccepts(output, answer, BitsOfKey(dtype, zero))) continue;
      runs.push_back({zero, zero});
      (zero < 0 ? negative_zero : positive_zero) = true;
    }
  }
  values.zero_sign = negative_zero != positive_zero;
  std::sort(runs.begin(), runs.end());
  std::vector<Run> joined;
  for (const Run& run : runs) {
    if (!joined.empty() && run.first <= joined.back().second + 1) {
      joined.back().second = std::max(joined.back().second, run.second);
    } else {
      joined.push_back(run);
    }
  }
  if (joined.empty()) return values;
  const FloatFormat& format = Format(dtype);
  const int64_t top = KeyOf(dtype, EncodeFloat(dtype, format.max)) + (format.has_infinity ? 1 : 0);
  if (values.nan && joined.size() == 1 && joined[0] == Run(-1 - top, top)) {
    values.anything = true;
    return values;
  }
  // The run at the reference; zero alone only if there is no other.
  const double reference = output.answers[0].expected.Float(0);
  const int64_t at = std::isnan(reference)
                         ? 0
                         : std::clamp(KeyOf(dtype, EncodeFloat(dtype, reference)), -1 - top, top);
  const auto rank = [&](const Run& run) {
    const int64_t distance =
        at < run.first ? run.first - at : std::max<int64_t>(at - run.second, 0);
    return std::make_pair(run.first >= -1 && run.second <= 0 && distance > 0, distance);
  };
  const auto main = std::min_element(joined.begin(), joined.end(),
                                     [&](const Run& a, const Run& b) { return rank(a) < rank(b); });
  for (auto run = joined.begin(); run != joined.end(); ++run) {
    // Of both zeros at an end, +0.
    const int64_t first = run->first == -1 && run->second >= 0 ? 0 : run->first;
    const ValueRange range = {BitsOfKey(dtype, first), BitsOfKey(dtype, run->second)};
    if (run == main) {
      values.range = range;
    } else {
      values.also.push_back(range);
    }
  }
  return values;
}

StatusOr<Judgement> Judge(const Json& question_json, Digits digits) {
  CTS_ASSIGN_OR_RETURN(Question question, Read(question_json, digits));
  CTS_RETURN_IF_ERROR(AddOperands(&question));
  CTS_ASSIGN_OR_RETURN(ExpectedOutput output, Expect(question));
  Judgement judgement{std::move(output), {}, {}, {}};
  if (question_json.contains("results")) {
    const Json& results = question_json["results"];
    if (!results.is_array()) return Bad("/results", "expected a list of bit patterns or integers");
    for (const Json& result : results) {
      const auto bits = BitsFromJson(result, question.type, digits, question.unsigned_too);
      if (!bits.ok()) {
        return Annotate(bits.status(), StrCat("/results/", judgement.results.size()));
      }
      judgement.results.push_back(OfBits(question.type, judgement.output.shape, *bits));
      judgement.accepted.push_back(std::any_of(
          judgement.output.answers.begin(), judgement.output.answers.end(),
          [&](const Answer& answer) { return AnswerAccepts(judgement.output, answer, *bits); }));
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

std::string Shown(DType dtype, uint64_t bits) {
  return StrCat("0x", Pattern(dtype, bits), " (", FormatElement(OfBits(dtype, {}, bits), 0), ")");
}

std::string Shown(DType dtype, const ValueRange& range) {
  if (range.lo == range.hi) return Shown(dtype, range.lo);
  return StrCat(Shown(dtype, range.lo), " to ", Shown(dtype, range.hi));
}

std::string Shown(DType dtype, const AcceptedValues& values) {
  if (values.anything) return "anything, NaN too";
  std::string text = values.range ? Shown(dtype, *values.range) : "";
  for (const ValueRange& range : values.also) text += StrCat(", also ", Shown(dtype, range));
  if (values.zero_sign) text += ", of zeros only that";
  if (values.nan) text += text.empty() ? "any NaN, and nothing else" : ", also any NaN";
  return text.empty() ? "nothing" : text;
}

std::string Reference(const Tensor& expected) {
  if (!IsFloat(expected.dtype())) return FormatElement(expected, 0);
  return StrCat(FormatHex(expected.Float(0)), " (", FormatDouble(expected.Float(0)), ")");
}

}  // namespace

std::string FormatJudgement(const Json& question, const Judgement& judgement) {
  const ExpectedOutput& output = judgement.output;
  const Rule& rule = output.rule;
  std::string inputs;
  for (const Json& input : question["in"]) {
    inputs += StrCat(inputs.empty() ? "" : ", ", Printable(input.get<std::string>()));
  }
  std::string text = judgement.accepted.at(0) ? "accept\n" : "reject\n";
  text += Row("operator", StrCat(question["operator"].get<std::string>(), "(", inputs, ") to ",
                                 Name(output.dtype), ", ", rule.form));
  const Tensor& result = judgement.results[0];
  text += Row("result", Shown(output.dtype, result.Bits(0)));
  for (const Answer& answer : output.answers) {
    const ElementJudge judge(output, answer, result);
    const ElementError error = judge.Measure(0);
    if (answer.flushed) text += Row("flushed", "the other answer, with subnormals as zeros:");
    if (answer.upper) {
      text += Row("interval", StrCat(Reference(answer.expected), " to ", Reference(*answer.upper)));
    } else {
      text += Row("reference", Reference(answer.expected));
    }
    if (rule.kind == RuleKind::kUlp || answer.bound) {
      const double bound = judge.Bound(0);
      text += Row("bound", StrCat(FormatHex(bound), " (", FormatDouble(bound), ")"));
    }
    std::string off = FormatFigure(error.ulp) + (IsFloat(output.dtype) ? " ulp" : "");
    if (error.of_bound) {
      off += StrCat(", ", FormatFigure(*error.of_bound), " times what is allowed");
    }
    text += Row("error", off);
  }
  text += Row("accepted", Shown(output.dtype, judgement.values));
  text += Row("rule", std::string(Name(rule.kind)));
  text += Row("clause", rule.clause);
  return text;
}

// --- Lines ---------------------------------------------------------------------------------------

namespace {

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
  for (const bool accepted : judgement.accepted) verdicts.push_back(accepted ? "accept" : "reject");
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
  if (!also.empty()) answer["also"] = std::move(also);
  if (values.zero_sign) answer["zero_sign"] = true;
  const Tensor& expected = output.answers[0].expected;
  answer["ref"] = IsFloat(dtype)
                      ? Json(FormatHex(expected.Float(0)))
                      : Json(ComparedAs(dtype, expected.Integer(0), output.rule.is_unsigned));
  if (IsFloat(dtype) && (output.answers[0].bound || output.rule.kind == RuleKind::kUlp)) {
    answer["bound"] =
        FormatHex(ElementJudge(output, output.answers[0], OfBits(dtype, output.shape, 0)).Bound(0));
  }
  return answer;
}

// A tensor of results of the dot-product rule.
StatusOr<Tensor> ReadTensor(const Json& json, const char* member, DType dtype, const Shape* shape) {
  CTS_ASSIGN_OR_RETURN(const std::string path, TextAt(json, member));
  Shape found;
  if (shape == nullptr) {
    const auto read = ReadNpyShape(path);
    if (!read.ok()) return Annotate(read.status(), StrCat("/", member));
    found = *read;
    shape = &found;
  }
  auto tensor = ReadNpy(path, dtype, *shape);
  if (!tensor.ok()) return Annotate(tensor.status(), StrCat("/", member));
  return tensor;
}

StatusOr<int64_t> IntegerAt(const Json& json, const char* member, int64_t least, int64_t greatest) {
  if (json.contains(member) && json[member].is_number_integer()) {
    const Json& number = json[member];
    const bool beyond = number.is_number_unsigned() && number.get<uint64_t>() > uint64_t{INT64_MAX};
    const int64_t value = beyond ? -1 : number.get<int64_t>();
    if (!beyond && least <= value && value <= greatest) return value;
  }
  return Bad(StrCat("/", member), "found ", json.contains(member) ? Found(json[member]) : "nothing",
             ", expected an integer from ", least, " to ", greatest);
}

// A whole tensor of dot products.
StatusOr<Json> JudgeDotProducts(const Json& json) {
  CTS_RETURN_IF_ERROR(CheckMembers(
      json, {"id", "edition", "operator", "KS", "S", "bias", "types", "ref", "bnd", "imp"}));
  CTS_ASSIGN_OR_RETURN(const Edition* edition, EditionAt(json));
  CTS_ASSIGN_OR_RETURN(const int64_t kernel_size, IntegerAt(json, "KS", 1, int64_t{1} << 40));
  const bool has_set = json.contains("S") && !json["S"].is_null();
  CTS_ASSIGN_OR_RETURN(const int64_t set, has_set ? IntegerAt(json, "S", -1, 5) : -1);
  if (json.contains("bias") && !json["bias"].is_boolean()) {
    return Bad("/bias", "found ", Found(json["bias"]),
               ", expected whether a bias is above zero: ", "true or false");
  }
  if (!json.contains("types") || !json["types"].is_object()) {
    return Bad("/types", "expected an object of type names: out_t, and acc_t if it is another");
  }
  const Json& types = json["types"];
  const auto type = [&](const char* member) -> StatusOr<DType> {
    const StatusOr<DType> found = TypeAt(types, member);
    if (!found.ok()) return Annotate(found.status(), "/types");
    if (IsFloat(*found)) return *found;
    return Bad("/types", "found ", Name(*found), " for ", member, ", expected floating point");
  };
  CTS_ASSIGN_OR_RETURN(const DType out_t, type("out_t"));
  CTS_ASSIGN_OR_RETURN(const DType acc_t, types.contains("acc_t") ? type("acc_t") : out_t);
  if (Format(acc_t).fraction_bits < Format(out_t).fraction_bits) {
    return Bad("/types", "found ", Name(acc_t), " for acc_t, expected no narrower type than ",
               Name(out_t), ", which is out_t");
  }

  CTS_ASSIGN_OR_RETURN(Tensor reference, ReadTensor(json, "ref", DType::kFp64, nullptr));
  const Shape shape = reference.shape();
  CTS_ASSIGN_OR_RETURN(Tensor bound, ReadTensor(json, "bnd", DType::kFp64, &shape));
  CTS_ASSIGN_OR_RETURN(const Tensor result, ReadTensor(json, "imp", out_t, &shape));
  ExpectedOutput output{.name = "imp", .dtype = out_t, .shape = shape};
  const int64_t outputs = reference.size();
  const PrecisionTable& precision = *edition->precision;
  if (precision.dot_products() == nullptr) {
    return Bad("/edition", "found ", edition->id, ", which has no rule for dot products");
  }
  output.rule = DotProductLimits(*precision.dot_products(), precision.form(), kernel_size,
                                 json.value("bias", false), out_t, acc_t, outputs,
                                 outputs >= kMinDotProducts, static_cast<int>(set));
  const Answer answer{false, std::move(reference), std::move(bound), {}};
  CTS_RETURN_IF_ERROR(ValidateAnswer(output, answer));
  const TensorErrors errors = MeasureTensor(output, answer, result);
  const DotProductFigures& figures = *errors.figures;
  const auto figure = [](double value, const std::optional<double>& limit, bool met) {
    return Json{{"value", DoubleToJson(value)},
                {"limit", limit ? DoubleToJson(*limit) : Json(nullptr)},
                {"met", limit ? Json(met) : Json(nullptr)}};
  };
  const Rule& rule = output.rule;
  return Json{
      {"verdicts", {errors.accepted ? "accept" : "reject"}},
      {"rule", Name(rule.kind)},
      {"clause", rule.clause},
      {"ksb", rule.ksb},
      {"elements", outputs},
      {"unlimited", figures.unlimited},
      {"mismatches", errors.mismatches},
      {"first", errors.first < 0 ? Json(nullptr) : Json(Index(shape, errors.first))},
      {"absolute", figure(figures.worst_error, rule.absolute_limit, errors.mismatches == 0)},
      {"bias", figure(figures.error_sum, rule.bias_limit, figures.BiasAccepted(rule))},
      {"variance",
       figure(figures.squared_error_sum, rule.variance_limit, figures.VarianceAccepted(rule))}};
}

StatusOr<Json> AnswerQuestion(const Json& json) {
  if (json.is_object() && json.contains("KS")) return JudgeDotProducts(json);
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
    out << answer->dump(-1, ' ', false, Json::error_handler_t::replace) << '\n' << std::flush;
    if (!out) return Unavailable("standard output: cannot be written");
  }
  if (in.bad()) return Unavailable(origin, ": cannot be read");
  return all_questions;
}

}  // namespace cts
