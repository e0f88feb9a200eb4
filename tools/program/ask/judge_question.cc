#include "tools/program/ask/judge_question.h"

#include <cstdlib>

#include "reference/base/contains.h"
#include "reference/calls/operator_call.h"
#include "reference/precision/precision.h"
#include "tools/program/ask/question_error.h"

namespace cts::judging {

bool Reduces(const OperatorSpec& spec) {
  const std::string& text = spec.Seen().name;
  return text.starts_with("REDUCE_") || text == "ARGMAX" || text == "MAX_POOL2D";
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

StatusOr<std::string> TextAt(const Json& json, const char* member, std::string_view what) {
  if (json.contains(member) && json[member].is_string()) return json[member].get<std::string>();
  return Bad(StrCat("/", member), "found ", FoundAt(json, member), ", expected ", what);
}

StatusOr<DType> TypeAt(const Json& json, const char* member, const std::string& parent) {
  if (json.contains(member) && json[member].is_string()) {
    const auto dtype = ParseDType(json[member].get_ref<const std::string&>());
    if (dtype && *dtype != DType::kShape) return *dtype;
  }
  std::string known;
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype != DType::kShape) known += StrCat(known.empty() ? "" : ", ", info.name);
  }
  return Bad(StrCat(parent, "/", member), "found ", FoundAt(json, member), ", expected one of ",
             known);
}

StatusOr<const Edition*> EditionAt(const Json& json) {
  std::string id(kDefaultEdition);
  if (json.contains("edition")) {
    CTS_ASSIGN_OR_RETURN(id, TextAt(json, "edition", "the id of an edition"));
  }
  StatusOr<const Edition*> edition = FindEdition(id);
  if (!edition.ok()) return Annotate(edition.status(), "/edition");
  if (!(*edition)->Has(Feature::kExecuted)) {
    return Bad("/edition", "the reference does not cover ", id, " yet");
  }
  CTS_RETURN_IF_ERROR(Annotate(PrecisionOf(**edition).status(), "/edition"));
  return edition;
}

StatusOr<int64_t> IntegerAt(const Json& json, const char* member, int64_t least, int64_t greatest) {
  if (json.contains(member) && json[member].is_number_integer()) {
    const Json& number = json[member];
    const bool beyond = number.is_number_unsigned() && number.get<uint64_t>() > uint64_t{INT64_MAX};
    const int64_t value = beyond ? -1 : number.get<int64_t>();
    if (!beyond && least <= value && value <= greatest) return value;
  }
  return Bad(StrCat("/", member), "found ", FoundAt(json, member), ", expected an integer from ",
             least, " to ", greatest);
}

namespace {

// Operators for which one result tells too little: bias and variance are of whole tensors. One sum
// is judged as any other reduction.
bool IsJudgedAsAWhole(const Edition& edition, const OperatorSpec& spec) {
  return edition.precision->IsDotProduct(spec.name) && !Reduces(spec);
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

}  // namespace

StatusOr<Question> ReadQuestion(const Json& json, Digits digits) {
  CTS_RETURN_IF_ERROR(CheckMembers(json, {"id", "edition", "operator", "type", "in_type",
                                          "attributes", "in", "ref", "results"}));
  Question question;
  question.digits = digits;
  CTS_ASSIGN_OR_RETURN(question.edition, EditionAt(json));
  CTS_ASSIGN_OR_RETURN(const std::string op, TextAt(json, "operator", "the name of an operator"));
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
  if (IsJudgedAsAWhole(*question.edition, *question.spec)) {
    return Bad("/operator", op, " is judged as a whole tensor: expected a line with KS, S, bias, ",
               "types, ref, bnd and imp");
  }
  question.unsigned_too = question.spec->Seen().name == "RESCALE";
  CTS_ASSIGN_OR_RETURN(question.type, TypeAt(json, "type"));
  if (json.contains("in_type")) {
    CTS_ASSIGN_OR_RETURN(question.in_type, TypeAt(json, "in_type"));
  }
  if (json.contains("attributes")) {
    if (!json["attributes"].is_object()) {
      return Bad("/attributes", "found ", Found(json["attributes"]), ", expected an object");
    }
    question.attributes = json["attributes"];
    question.arguments = question.attributes;
  }
  if (!json.contains("in") || !json["in"].is_array()) {
    return Bad("/in", "found ", FoundAt(json, "in"),
               ", expected a list of bit patterns or integers");
  }
  question.in.assign(json["in"].begin(), json["in"].end());
  if (json.contains("ref")) {
    CTS_ASSIGN_OR_RETURN(question.ref, NumberAt(json, "ref"));
  }
  return question;
}

}  // namespace cts::judging
