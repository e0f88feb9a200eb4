#include "tools/program/sweep/sweep_domain.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "checker/text/printable.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/calls/operator_call.h"
#include "reference/evaluate/evaluate.h"
#include "reference/graph/disputed.h"
#include "reference/ops/operator.h"
#include "tools/program/sweep/consecutive.h"

namespace cts {
namespace {

// Whether the text of an operator maps element to element. A publisher may call its groups as he
// likes, so that the group is that of the text in the default edition.
bool IsElementwise(const OperatorSpec& spec) {
  constexpr std::string_view kGroups[] = {"activation", "comparison", "elementwise-binary",
                                          "elementwise-unary"};
  if (spec.definition != nullptr) return false;
  const std::string& text = spec.Seen().name;
  const StatusOr<const Edition*> edition = FindEdition(kDefaultEdition);
  const OperatorSpec* const known = edition.ok() ? (*edition)->FindOperator(text) : nullptr;
  const bool group = Contains(kGroups, (known == nullptr ? spec : *known).group);
  return (group && text != "TABLE") || text == "CAST";
}

// Whether the text takes argument k for a zero point, a shift or a table.
bool IsParameter(const OperatorSpec& spec, size_t k) {
  const std::string& name = spec.Seen().arguments[k].name;
  return name.ends_with("_zp") || name == "shift" || name == "table";
}

StatusOr<DType> ParseSweptType(const char* option, const std::string& name,
                               const std::vector<DType>& known) {
  const std::optional<DType> dtype = ParseDType(name);
  if (dtype && (known.empty() || Contains(known, *dtype))) {
    return *dtype;
  }
  std::string names;
  for (const DTypeInfo& info : kDTypes) {
    const auto has = [&](DType type) { return Name(type) == info.name; };
    if (!known.empty() && std::none_of(known.begin(), known.end(), has)) continue;
    names += StrCat(names.empty() ? "" : ", ", info.name);
  }
  return InvalidArgument(option, ": found \"", Shortened(Printable(name), 60),
                         "\", expected one of ", names);
}

// Messages about a call begin with the place in its JSON. The user did not write that JSON, so the
// option is named instead.
Status InOptions(const Status& status) {
  const std::string message = Message(status);
  for (const auto& [place, option] :
       {std::pair("/arguments/", "--attribute "), std::pair("/operator:", "--operator:")}) {
    if (message.starts_with(place)) {
      return InvalidArgument(option, message.substr(std::string_view(place).size()));
    }
  }
  return status;
}

// Whether the given attributes are those that the operator has.
Status CheckAttributes(const OperatorSpec& spec, const std::string& edition,
                       const std::vector<std::string>& operands,
                       const std::map<std::string, std::string>& given) {
  std::vector<std::string> known;
  std::string names, missing;
  for (size_t k = 0; k < spec.arguments.size(); ++k) {
    const ArgumentSpec& argument = spec.arguments[k];
    if (argument.category == ArgumentCategory::kOutput || Contains(operands, argument.name)) {
      continue;
    }
    known.push_back(argument.name);
    names += StrCat(names.empty() ? "" : ", ", argument.name);
    if (!argument.optional && !IsParameter(spec, k) && !given.contains(argument.name)) {
      missing += StrCat(missing.empty() ? "" : ", ", argument.name);
    }
  }
  for (const auto& [name, text] : given) {
    if (Contains(known, name)) continue;
    return InvalidArgument("--attribute: found \"", Shortened(Printable(name), 60), "\", expected ",
                           known.empty()       ? "none"
                           : known.size() == 1 ? ""
                                               : "one of ",
                           names, ": ", spec.name, " of ", edition, " has no other");
  }
  if (missing.empty()) return absl::OkStatus();
  return InvalidArgument("--attribute: expected NAME=VALUE of ", missing, ": ", spec.name, " of ",
                         edition, " has ", names);
}

std::string Pattern(DType dtype, uint64_t bits) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string text = "0x";
  for (int shift = 4 * ((Info(dtype).bits + 3) / 4) - 4; shift >= 0; shift -= 4) {
    text += kHex[bits >> shift & 15];
  }
  return text;
}

// Element j gets the bits of first + j from bit `shift` on.
template <class T>
void WriteBits(uint64_t first, int shift, int64_t count, T* to) {
  for (int64_t j = 0; j < count; ++j) {
    to[j] = static_cast<T>((first + static_cast<uint64_t>(j)) >> shift);
  }
}

}  // namespace

StatusOr<SweepDomain> SweepDomain::Of(const SweepQuestion& question) {
  SweepDomain domain;
  const StatusOr<const Edition*> edition = FindEdition(question.edition);
  if (!edition.ok()) return Annotate(edition.status(), "--edition");
  domain.edition_ = *edition;
  if (!domain.edition_->Has(Feature::kExecuted)) {
    return InvalidArgument("--edition: the reference does not cover ", question.edition, " yet");
  }
  const OperatorSpec* const spec = domain.edition_->FindOperator(question.op);
  if (spec == nullptr) {
    // For its message, which names the nearest.
    return InOptions(OperatorCallFromJson({{"edition", question.edition},
                                           {"operator", question.op},
                                           {"arguments", Json::object()}})
                         .status());
  }
  if (!IsElementwise(*spec)) {
    return InvalidArgument("--operator: ", question.op,
                           " cannot be swept; expected an operator that makes one element of one "
                           "or two, such as EXP, ADD or CAST");
  }
  domain.op_ = spec->name;
  domain.level_ = domain.edition_->NarrowestLevel().name;
  Json arguments = Json::object();
  std::string in_variable, out_variable;
  for (size_t k = 0; k < spec->arguments.size(); ++k) {
    const ArgumentSpec& argument = spec->arguments[k];
    if (argument.category == ArgumentCategory::kOutput) {
      domain.output_ = argument.name;
      out_variable = argument.element_type;
    } else if (argument.category == ArgumentCategory::kInput && !IsParameter(*spec, k)) {
      domain.names_.push_back(argument.name);
      in_variable = argument.element_type;
    } else if (IsParameter(*spec, k)) {
      arguments[argument.name] = 0;
    }
  }
  CTS_RETURN_IF_ERROR(CheckAttributes(*spec, question.edition, domain.names_, question.attributes));
  std::vector<DType> out_types;
  for (const TypeRow& row : spec->type_rows) {
    if (const std::optional<DType> out = row.PlainType(out_variable)) out_types.push_back(*out);
  }
  CTS_ASSIGN_OR_RETURN(domain.type_, ParseSweptType("--type", question.type, out_types));
  // The type of the operands: the given one, or the only one, or that of the result.
  if (!question.in_type.empty()) {
    CTS_ASSIGN_OR_RETURN(domain.in_type_, ParseSweptType("--in-type", question.in_type, {}));
  } else {
    std::vector<DType> types;
    for (const TypeRow& row : spec->type_rows) {
      const std::optional<DType> in = row.PlainType(in_variable), out = row.PlainType(out_variable);
      if (!in || out.value_or(domain.type_) != domain.type_) continue;
      if (!Contains(types, *in)) types.push_back(*in);
    }
    if (types.size() == 1) {
      domain.in_type_ = types[0];
    } else if (Contains(types, domain.type_) || types.empty()) {
      domain.in_type_ = domain.type_;
    } else {
      return InvalidArgument(question.op, " to ", question.type,
                             ": takes more than one type; say which with --in-type");
    }
  }
  const int bits = Info(domain.in_type_).bits;
  if ((bits != 8 && bits != 16 && bits != 32) || domain.operands() * bits > 32) {
    return InvalidArgument(question.op, " of ", Name(domain.in_type_), ": ", domain.operands(),
                           domain.operands() == 1 ? " operand" : " operands", " of ", bits,
                           " bits; a sweep has 2^32 inputs at most, of operands with 8, 16 or 32 "
                           "bits");
  }
  for (const auto& [name, text] : question.attributes) {
    // Numbers, true and false as in JSON; anything else is a name.
    const StatusOr<Json> value = ParseJson(text, "value");
    arguments[name] = value.ok() ? *value : Json(text);
  }
  domain.ignores_nan_ = arguments.value("nan_mode", Json()) == "IGNORE";
  domain.arguments_ = std::make_shared<const Json>(std::move(arguments));
  domain.FindHoles(*spec);
  // Whether the edition has an answer at all.
  CTS_RETURN_IF_ERROR(InOptions(domain.Expect(domain.Operands(1, 1)).status()));
  return domain;
}

bool SweepDomain::Disputed(uint64_t i) const {
  for (int k = 0; ignores_nan_ && k < operands(); ++k) {
    if (IsSignallingNan(in_type_, Bits(i, k))) return true;
  }
  return false;
}

StatusOr<OperatorCall> SweepDomain::CallOf(int64_t count) const {
  Json arguments = *arguments_;
  for (const std::string& name : names_) {
    arguments[name] = {{"dtype", Name(in_type_)}, {"shape", {count}}, {"data", nullptr}};
  }
  return OperatorCallFromJson({{"edition", edition_->id},
                               {"level", level_},
                               {"operator", op_},
                               {"arguments", std::move(arguments)},
                               {"output_types", {{output_, {{"dtype", Name(type_)}}}}}});
}

std::string SweepDomain::Describe(uint64_t i) const {
  std::string text;
  for (int k = 0; k < operands(); ++k) {
    text += StrCat(k == 0 ? "" : " ", Pattern(in_type_, Bits(i, k)));
  }
  return text;
}

// Editions differ in their conditions: the reference is asked whether there is a hole.
void SweepDomain::FindHoles(const OperatorSpec& spec) {
  const std::string& text = spec.Seen().name;
  const auto is_open = [&](uint64_t i) { return !Expect(Operands({i})).ok(); };
  const int bits = Info(in_type_).bits;
  if (text == "POW" && edition_->Has(Feature::kPowDomain)) {
    holes_ = Holes::kPow;
  } else if (text == "CAST" && IsFloat(in_type_) && is_open(EncodeFloat(in_type_, std::nan("")))) {
    holes_ = Holes::kNan;
  } else if ((text == "ABS" || text == "NEGATE") && in_type_ == DType::kI32 &&
             is_open(uint64_t{1} << (bits - 1))) {
    holes_ = Holes::kLeast;
  } else if (text.ends_with("_SHIFT")) {
    // The type's bits, or in older editions 32.
    for (const uint64_t end : {static_cast<uint64_t>(bits), uint64_t{32}}) {
      if (holes_ == Holes::kShift || !is_open(end)) continue;
      holes_ = Holes::kShift;
      shifts_ = end;
    }
  }
}

bool SweepDomain::Defined(uint64_t i) const {
  switch (holes_) {
    case Holes::kNone:
      return true;
    case Holes::kPow: {
      const double x = DecodeFloat(in_type_, Bits(i, 0)), y = DecodeFloat(in_type_, Bits(i, 1));
      return std::isfinite(x) && std::isfinite(y) && x >= 0 && (x > 0 || y > 0);
    }
    case Holes::kNan:
      return !std::isnan(DecodeFloat(in_type_, Bits(i, 0)));
    case Holes::kLeast:
      return Bits(i, 0) != uint64_t{1} << (Info(in_type_).bits - 1);
    case Holes::kShift:  // a negative one is a large one, as bits
      return Bits(i, 1) < shifts_;
  }
  return true;
}

bool SweepDomain::MayLeaveOpen(uint64_t first, int64_t count) const {
  if (holes_ == Holes::kNone || count == 0) return false;
  const uint64_t last = first + static_cast<uint64_t>(count) - 1;
  const uint64_t sign = uint64_t{1} << (Info(in_type_).bits - 1);
  if (holes_ == Holes::kLeast) return first <= sign && sign <= last;
  // Among bits of one sign, NaNs are the greatest.
  if (holes_ == Holes::kNan && (first < sign) == (last < sign)) return !Defined(last);
  return true;
}

void SweepDomain::WriteAsked(uint64_t first, int64_t count, int k, uint8_t* bytes) const {
  Write(first, count, k, bytes);
  if (!MayLeaveOpen(first, count)) return;
  const int64_t width = StorageBytes(in_type_);
  const uint64_t one = IsFloat(in_type_) ? EncodeFloat(in_type_, 1) : 1;
  for (int64_t i = 0; i < count; ++i) {
    if (Defined(first + static_cast<uint64_t>(i))) continue;
    for (int64_t b = 0; b < width; ++b) bytes[i * width + b] = static_cast<uint8_t>(one >> 8 * b);
  }
}

std::vector<Tensor> SweepDomain::Operands(const std::vector<uint64_t>& inputs) const {
  std::vector<Tensor> tensors;
  for (int k = 0; k < operands(); ++k) {
    Tensor& tensor = tensors.emplace_back(in_type_, Shape{static_cast<int64_t>(inputs.size())});
    for (size_t j = 0; j < inputs.size(); ++j) {
      tensor.SetBits(static_cast<int64_t>(j), Bits(inputs[j], k));
    }
  }
  return tensors;
}

std::vector<Tensor> SweepDomain::Operands(uint64_t first, int64_t count) const {
  std::vector<Tensor> tensors;
  for (int k = 0; k < operands(); ++k) {
    Tensor& tensor = tensors.emplace_back(in_type_, Shape{count});
    Write(first, count, k, tensor.bytes().data());
  }
  return tensors;
}

void SweepDomain::Write(uint64_t first, int64_t count, int k, uint8_t* bytes) const {
  // Memory of a tensor is aligned.
  const bool last = k == operands() - 1;
  if (Info(in_type_).bits == 32) {
    WriteConsecutive(static_cast<uint32_t>(first), count, reinterpret_cast<uint32_t*>(bytes));
  } else if (Info(in_type_).bits == 16 && last) {
    WriteConsecutive(static_cast<uint16_t>(first), count, reinterpret_cast<uint16_t*>(bytes));
  } else if (Info(in_type_).bits == 16) {
    WriteBits(first, 16, count, reinterpret_cast<uint16_t*>(bytes));
  } else {
    WriteBits(first, last ? 0 : 8, count, bytes);
  }
}

StatusOr<ExpectedOutput> SweepDomain::Expect(const std::vector<Tensor>& operands) const {
  CTS_ASSIGN_OR_RETURN(OperatorCall call, CallOf(operands[0].size()));
  CTS_RETURN_IF_ERROR(call.withheld);
  CTS_RETURN_IF_ERROR(call.undetermined);
  for (size_t k = 0; k < operands.size(); ++k) call.inputs.at(names_[k]) = operands[k];
  CTS_ASSIGN_OR_RETURN(Evaluation evaluation, EvaluateCall(call));
  if (evaluation.outcome != Outcome::kValid || evaluation.outputs.size() != 1) {
    std::string why = evaluation.message;
    for (const Violation& violation : evaluation.violations) {
      why += StrCat(why.empty() ? "" : "; ", violation.condition, ": ", violation.message);
    }
    return InvalidArgument(
        op_, " of ", Name(in_type_), ": ", edition_->id,
        " has no result for every input: the outcome is ", Name(evaluation.outcome), " (", why,
        "); a sweep covers operators that are defined everywhere, POW, shifts, and "
        "ABS, NEGATE and CAST");
  }
  return std::move(evaluation.outputs[0]);
}

}  // namespace cts
