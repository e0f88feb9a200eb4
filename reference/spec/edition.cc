#include "reference/spec/edition.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "reference/base/end_program.h"

namespace cts {
namespace {

using Strings = std::vector<std::string>;

template <class T>
const T* FindNamed(const std::vector<T>& items, std::string_view name) {
  for (const T& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

// Returns the place of `part` among the dimensions of a list, or 0 for the name of a shape; for a
// block-scaled operand "(values, scales)" its place among the two. Nothing for another shape.
std::optional<size_t> FindPart(const std::string& shape, std::string_view part) {
  Strings parts = {""};
  for (const char c : shape) {
    if (c == ',') {
      parts.emplace_back();
    } else if (std::string_view("[]() ").find(c) == std::string_view::npos) {
      parts.back() += c;
    }
  }
  const auto found = std::find(parts.begin(), parts.end(), part);
  if (found == parts.end()) return std::nullopt;
  return static_cast<size_t>(found - parts.begin());
}

// Whether `one` admits all that `other` admits.
bool AdmitsAllOf(const Level& one, const Level& other) {
  return std::all_of(one.maxima.begin(), one.maxima.end(), [&](const auto& maximum) {
    return maximum.second >= other.Max(maximum.first);
  });
}

}  // namespace

std::optional<ElementType> TypeRow::Type(std::string_view variable) const {
  const auto found = types.find(std::string(variable));
  if (found == types.end()) return std::nullopt;
  return ParseElementType(found->second);
}

std::optional<DType> TypeRow::PlainType(std::string_view variable) const {
  const std::optional<ElementType> type = Type(variable);
  return type && !type->block_scaled ? std::optional(type->dtype) : std::nullopt;
}

DType TypeRow::BoundType(std::string_view op, std::string_view variable) const {
  if (const std::optional<DType> type = PlainType(variable)) return *type;
  const auto found = types.find(std::string(variable));
  EndProgram(op, ", row \"", mode, "\": found ", found == types.end() ? "no type" : found->second,
             " for ", variable, ", expected a type without scales");
}

const ArgumentSpec* OperatorSpec::FindArgument(std::string_view argument) const {
  return FindNamed(arguments, argument);
}

StatusOr<Quantity> OperatorSpec::Resolve(const NamedValue& value) const {
  using Kind = Quantity::Kind;
  const bool is_list = value.function == "length";
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ArgumentSpec& argument = arguments[i];
    if (!value.function.empty()) {
      if (is_list && argument.name == value.name) return Quantity{Kind::kLength, i};
      continue;
    }
    if (argument.shape == "-" && argument.category == ArgumentCategory::kAttribute &&
        argument.name == value.name) {
      return Quantity{Kind::kElement, i};
    }
    for (size_t k = 0; k < argument.elements.size(); ++k) {
      if (value.name == argument.name + "_" + argument.elements[k]) {
        return Quantity{Kind::kElement, i, k};
      }
    }
  }
  // RESHAPE has an operand `shape` and an output of shape `shape`: a name in rank() is that of a
  // shape before it is an argument's.
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& shape = Seen().arguments[i].shape;
    const bool is_dimension = value.function.empty();
    if (shape.starts_with('[') != is_dimension) continue;
    if (const auto part = FindPart(shape, value.name)) {
      return Quantity{is_dimension ? Kind::kDimension : Kind::kRank, i, *part};
    }
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!value.function.empty() && arguments[i].name == value.name) return Quantity{Kind::kRank, i};
  }
  return InvalidArgument("found the name ", value.Text(), ", expected ",
                         value.function.empty() ? "an element of an attribute or a dimension"
                                                : "the name of a shape or an argument");
}

int64_t Level::Max(std::string_view maximum) const {
  const auto found = maxima.find(std::string(maximum));
  return found == maxima.end() ? std::numeric_limits<int64_t>::max() : found->second;
}

std::string Edition::ProfileOf(NumberKind numbers) const {
  for (const ProfileSpec& profile : profiles) {
    if (profile.numbers == numbers) return profile.name;
  }
  return "";
}

const OperatorSpec* Edition::FindOperator(std::string_view operator_name) const {
  return FindNamed(operators, operator_name);
}

const Level* Edition::FindLevel(std::string_view level) const { return FindNamed(levels, level); }

const Level& Edition::WidestLevel() const {
  const Level* widest = &levels.front();
  for (const Level& level : levels) {
    if (AdmitsAllOf(level, *widest) && !AdmitsAllOf(*widest, level)) widest = &level;
  }
  return *widest;
}

const Level& Edition::NarrowestLevel() const {
  const Level* narrowest = &levels.front();
  for (const Level& level : levels) {
    if (AdmitsAllOf(*narrowest, level) && !AdmitsAllOf(level, *narrowest)) narrowest = &level;
  }
  return *narrowest;
}

const EnumSpec* Edition::FindEnum(std::string_view enumeration) const {
  return FindNamed(enums, enumeration);
}

const NamedChoice* Edition::FindChoice(std::string_view name) const {
  for (const NamedChoice& choice : choices) {
    if (choice.id == name) return &choice;
  }
  return nullptr;
}

}  // namespace cts
