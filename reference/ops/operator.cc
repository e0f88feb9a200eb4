#include "reference/ops/operator.h"

#include <map>

namespace cts {

namespace {

bool Stands(const Condition& condition, const Edition& edition) {
  return (condition.editions & MaskOf(edition.id)) != 0;
}

std::string TextOf(const LevelLimit& limit, const std::vector<int64_t>& values,
                   const std::string& number) {
  const std::vector<NamedValue>& names = limit.expression.names();
  std::string text = StrCat(limit.expression.text(), " is ", number);
  if (names.size() == 1 && names[0].Text() == limit.expression.text()) return text;
  for (size_t k = 0; k < names.size(); ++k) {
    text += StrCat(k == 0 ? " (" : ", ", names[k].Text(), " ", values[k]);
  }
  return text + ")";
}

// A value that the call does not have, as that of a division by zero, exceeds nothing: other
// conditions are about it. What 64 bits do not hold exceeds every maximum.
bool Exceeds(const LevelLimit& limit, const Call& call) {
  std::vector<int64_t> values;
  for (const Quantity& quantity : limit.quantities) {
    const std::optional<int64_t> value = call.Value(quantity);
    if (!value) return false;
    values.push_back(*value);
  }
  const int64_t most = call.level().Max(limit.limit);
  const StatusOr<Fraction> number = limit.expression.Number(values);
  if (!number.ok()) {
    return absl::IsOutOfRange(number.status()) &&
           call.Finds(TextOf(limit, values, "more than 64 bits hold"), ", ", limit.limit, " is ",
                      most);
  }
  if (WideSize{number->numerator} <= WideSize{most} * number->denominator) return false;
  return call.Finds(TextOf(limit, values, number->Text()), ", ", limit.limit, " is ", most);
}

}  // namespace

Conditions ConditionsOf(const Operator& op, const Edition& edition) {
  const OperatorSpec* const spec = edition.FindOperator(op.name);
  return spec == nullptr ? Conditions{} : ConditionsOf(op, *spec, edition);
}

Conditions ConditionsOf(const Operator& op, const OperatorSpec& spec, const Edition& edition) {
  // Of an edition that the reference does not cover yet, it judges nothing.
  if (MaskOf(edition.id) == 0) return {};
  Conditions conditions;
  const auto add_limits = [&] {
    for (const ArgumentSpec& argument : spec.arguments) {
      for (const LevelLimit& limit : argument.level_limits) {
        conditions.push_back({limit.id, ConditionKind::kLevel, limit.paraphrase,
                              [&limit](const Call& call) { return Exceeds(limit, call); }});
      }
    }
  };
  bool has_limits = false;
  for (const Condition& condition : op.conditions()) {
    if (condition.id == kLevelChecks.id) {
      add_limits();
      has_limits = true;
    } else if (Stands(condition, edition)) {
      conditions.push_back(condition);
    }
  }
  if (!has_limits) add_limits();
  return conditions;
}

std::string_view Name(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::kErrorIf:
      return "error_if";
    case ConditionKind::kRequire:
      return "require";
    case ConditionKind::kLevel:
      return "level";
  }
  return "";
}

unsigned MaskOf(std::string_view edition_id) {
  if (edition_id == "tosa-0.100") return kTosa0100;
  if (edition_id == "tosa-1.0") return kTosa10;
  if (edition_id == "rvtensor") return kRvtensor;
  return 0;
}

const std::vector<Operator>& Operators() {
  static const std::vector<Operator> operators = {
#define CTS_OPERATOR(NAME, Function, stem) \
  {#NAME, #stem, Function##Conditions, Compute##Function, Infer##Function},
#include "reference/spec/operators.def"
#undef CTS_OPERATOR
  };
  return operators;
}

const Operator* FindOperator(std::string_view name) {
  for (const Operator& op : Operators()) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

namespace {

using ById = std::map<std::string_view, Condition>;

ById ConditionsById(const Edition& edition) {
  ById found;
  const auto add = [&](const Conditions& list) {
    for (const Condition& condition : list) {
      if (Stands(condition, edition)) found.emplace(condition.id, condition);
    }
  };
  for (const Operator& op : Operators()) add(ConditionsOf(op, edition));
  add(LibraryConditions());
  add(GraphConditions());
  add(SymbolConditions());
  return found;
}

}  // namespace

const Condition* FindCondition(std::string_view id, std::string_view edition_id) {
  static const std::map<std::string, ById, std::less<>> by_edition = [] {
    std::map<std::string, ById, std::less<>> all;
    for (const std::string& each : EditionIds()) {
      const StatusOr<const Edition*> edition = FindEdition(each);
      if (edition.ok()) all.emplace(each, ConditionsById(**edition));
    }
    return all;
  }();
  const auto known = by_edition.find(edition_id);
  if (known == by_edition.end()) return nullptr;
  const auto found = known->second.find(id);
  return found == known->second.end() ? nullptr : &found->second;
}

}  // namespace cts
