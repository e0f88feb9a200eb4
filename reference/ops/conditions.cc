#include "reference/ops/conditions.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "reference/ops/inference.h"

namespace cts {

namespace {

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

// The values that an expression names; nothing if the call lacks one, such as that of a division by
// zero.
std::optional<std::vector<int64_t>> ValuesOf(const std::vector<Quantity>& quantities,
                                             const Call& call) {
  std::vector<int64_t> values;
  for (const Quantity& quantity : quantities) {
    const std::optional<int64_t> value = call.Value(quantity);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  return values;
}

// A value that the call lacks, such as that of a division by zero, exceeds nothing: other
// conditions are about it. A value that 64 bits do not hold exceeds every maximum.
Breach Exceeds(const LevelLimit& limit, const Call& call) {
  const std::optional<std::vector<int64_t>> known = ValuesOf(limit.quantities, call);
  if (!known) return false;
  const std::vector<int64_t>& values = *known;
  const int64_t most = call.level().Max(limit.limit);
  const StatusOr<Fraction> number = limit.expression.Number(values);
  if (!number.ok()) {
    if (!absl::IsOutOfRange(number.status())) return false;
    return Breach::Saying(TextOf(limit, values, "more than 64 bits hold"), ", ", limit.limit,
                          " is ", most);
  }
  if (WideSize{number->numerator} <= WideSize{most} * number->denominator) return false;
  return Breach::Saying(TextOf(limit, values, number->Text()), ", ", limit.limit, " is ", most);
}

// A value that 64 bits do not hold, or a divisor below 1, breaks a condition about it.
Breach IsBroken(const DescribedCondition& condition, const Call& call) {
  const std::optional<std::vector<int64_t>> values = ValuesOf(condition.quantities, call);
  if (!values) return false;
  const StatusOr<bool> holds = condition.expression.Holds(*values);
  if (holds.ok() && !*holds) return false;
  std::string text;
  const std::vector<NamedValue>& names = condition.expression.names();
  for (size_t k = 0; k < names.size(); ++k) {
    text += StrCat(k == 0 ? "" : ", ", names[k].Text(), " ", (*values)[k]);
  }
  if (absl::IsOutOfRange(holds.status())) {
    text += StrCat(", so that a number of `", condition.expression.text(),
                   "` is more than 64 bits hold");
  } else if (!holds.ok()) {
    text += StrCat("; ", Message(holds.status()));  // "`a / b`: found the divisor 0, expected ..."
  }
  return Breach::Saying(condition.paraphrase, ": found ", text);
}

}  // namespace

Conditions ConditionsOf(const Operator& op, const Edition& edition) {
  const OperatorSpec* const spec = edition.FindOperator(op.name);
  return spec == nullptr ? Conditions{} : ConditionsOf(op, *spec, edition);
}

namespace {

// `rows` are those of the operator's text.
Conditions InEdition(const Conditions& rows, const OperatorSpec& spec, const Edition& edition) {
  // The reference judges nothing of an edition that it does not cover yet.
  if (!edition.Has(Feature::kExecuted)) return {};
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
  for (const Condition& condition : rows) {
    if (condition.id == kLevelChecks.id) {
      add_limits();
      has_limits = true;
    } else if (StandsIn(condition, edition)) {
      conditions.push_back(condition);
    }
  }
  if (!has_limits) add_limits();
  for (const DescribedCondition& described : spec.conditions) {
    conditions.push_back({described.id,
                          described.is_error ? ConditionKind::kErrorIf : ConditionKind::kRequire,
                          described.paraphrase,
                          [&described](const Call& call) { return IsBroken(described, call); }});
  }
  return conditions;
}

}  // namespace

Conditions ConditionsOf(const Operator& op, const OperatorSpec& spec, const Edition& edition) {
  return InEdition(op.conditions(), spec, edition);
}

namespace {

using ById = std::map<std::string, Condition, std::less<>>;

ById ConditionsById(const Edition& edition) {
  ById found;
  const auto add = [&](const Conditions& list) {
    for (const Condition& condition : list) {
      if (StandsIn(condition, edition)) found.emplace(condition.id, condition);
    }
  };
  for (const OperatorSpec& spec : edition.operators) {
    // The conditions of an operator that is defined as a graph are the edition's alone.
    if (spec.definition != nullptr) {
      add(InEdition({}, spec, edition));
    } else if (const Operator* const text = FindOperator(spec.Seen().name)) {
      add(ConditionsOf(*text, spec, edition));
    }
  }
  add(LibraryConditions());
  add(GraphConditions());
  add(SymbolConditions());
  return found;
}

}  // namespace

const Condition* FindCondition(std::string_view id, const Edition& edition) {
  static std::mutex mutex;
  static auto& by_edition = *new std::map<const Edition*, ById>;
  const std::lock_guard lock(mutex);
  auto known = by_edition.find(&edition);
  if (known == by_edition.end()) {
    known = by_edition.emplace(&edition, ConditionsById(edition)).first;
  }
  const auto found = known->second.find(id);
  return found == known->second.end() ? nullptr : &found->second;
}

Status CheckOwnConditions(const Edition& edition) {
  for (size_t i = 0; i < edition.operators.size(); ++i) {
    const OperatorSpec& spec = edition.operators[i];
    const Operator* const text = FindOperator(spec.Seen().name);
    if (text == nullptr || spec.definition != nullptr) continue;
    for (size_t k = 0; k < spec.conditions.size(); ++k) {
      for (const Condition& condition : text->conditions()) {
        if (condition.id != spec.conditions[k].id) continue;
        return InvalidArgument("/operators/", i, "/conditions/", k, "/id: found ", condition.id,
                               ", which a condition of the text ", text->name,
                               " has; expected an id of its own");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace cts
