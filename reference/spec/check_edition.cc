#include "reference/spec/check_edition.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include "cts_editions.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

using Names = std::set<std::string, std::less<>>;

// The greatest rank that files of suites have.
constexpr int64_t kGreatestRank = 64;

// "softmax." of SOFTMAX: how the ids of its conditions begin.
std::string PrefixOfIds(const OperatorSpec& spec) {
  std::string prefix = spec.name;
  for (char& c : prefix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return prefix + ".";
}

template <class Things>
std::string Joined(const Things& things) {
  std::string text;
  for (const std::string& thing : things) text += (text.empty() ? "" : ", ") + thing;
  return text;
}

// `place` says where thing `i` stands.
template <class Named, class Place>
Status CheckUnique(const std::vector<Named>& things, const Place& place) {
  Names names;
  for (size_t i = 0; i < things.size(); ++i) {
    if (names.insert(things[i].name).second) continue;
    return WrongAt(StrCat(place(i), "/name"), "found ", things[i].name,
                   " a second time, expected a name of its own; rename it or take it out");
  }
  return absl::OkStatus();
}

auto In(const std::string& list) {
  return [list](size_t i) { return StrCat(list, "/", i); };
}

// Profiles stand before extensions in Edition::profiles.
std::string PlaceOfProfile(const Edition& edition, size_t i) {
  const auto first = std::find_if(edition.profiles.begin(), edition.profiles.end(),
                                  [](const ProfileSpec& each) { return each.extension; });
  const auto count = static_cast<size_t>(first - edition.profiles.begin());
  return i < count ? StrCat("/profiles/", i) : StrCat("/extensions/", i - count);
}

Status CheckProfilesExist(const Edition& edition, const std::vector<std::string>& names,
                          const std::string& place) {
  for (size_t i = 0; i < names.size(); ++i) {
    const bool known = std::any_of(edition.profiles.begin(), edition.profiles.end(),
                                   [&](const ProfileSpec& each) { return each.name == names[i]; });
    if (known || names[i] == kDeducedExtensions) continue;
    return WrongAt(
        StrCat(place, "/", i), "found ", names[i],
        ", expected a profile or an extension of the edition: ", NamesOf(edition.profiles));
  }
  return absl::OkStatus();
}

Status CheckProfiles(const Edition& edition) {
  const auto place = [&](size_t i) { return PlaceOfProfile(edition, i); };
  CTS_RETURN_IF_ERROR(CheckUnique(edition.profiles, place));
  for (size_t i = 0; i < edition.profiles.size(); ++i) {
    const ProfileSpec& profile = edition.profiles[i];
    CTS_RETURN_IF_ERROR(CheckProfilesExist(edition, profile.base, place(i) + "/base"));
    CTS_RETURN_IF_ERROR(CheckProfilesExist(edition, profile.includes, place(i) + "/includes"));
  }
  return absl::OkStatus();
}

Status CheckLevels(const Edition& edition) {
  CTS_RETURN_IF_ERROR(CheckUnique(edition.levels, In("/levels")));
  for (size_t i = 0; i < edition.levels.size(); ++i) {
    const std::string place = StrCat("/levels/", i, "/maxima");
    const int64_t rank = edition.levels[i].Max("MAX_RANK");
    if (rank < 1 || rank > kGreatestRank) {
      return WrongAt(place + "/MAX_RANK", "found ", rank, ", expected a rank from 1 to ",
                     kGreatestRank);
    }
    // The number of bits of a size in bytes, which 64 bits hold.
    const auto size = edition.levels[i].maxima.find("MAX_LOG2_SIZE");
    if (size == edition.levels[i].maxima.end()) {
      return WrongAt(place, "found no MAX_LOG2_SIZE, expected it: it limits the size of a tensor");
    }
    if (size->second < 1 || size->second > 63) {
      return WrongAt(place + "/MAX_LOG2_SIZE", "found ", size->second, ", expected 1 to 63");
    }
  }
  return absl::OkStatus();
}

Status CheckEnumerations(const Edition& edition) {
  CTS_RETURN_IF_ERROR(CheckUnique(edition.enums, In("/enumerations")));
  for (size_t i = 0; i < edition.enums.size(); ++i) {
    const std::string values = StrCat("/enumerations/", i, "/values");
    CTS_RETURN_IF_ERROR(CheckUnique(edition.enums[i].values, In(values)));
    std::map<int64_t, std::string> numbers;
    for (size_t k = 0; k < edition.enums[i].values.size(); ++k) {
      const EnumValue& value = edition.enums[i].values[k];
      const auto [known, is_new] = numbers.emplace(value.value, value.name);
      if (!is_new) {
        return WrongAt(StrCat(values, "/", k, "/value"), "found ", value.value, ", which ",
                       known->second, " has; expected a number of its own");
      }
      const std::string& extension = value.extension;
      if (extension.empty()) continue;
      const bool has_extension = std::any_of(
          edition.profiles.begin(), edition.profiles.end(),
          [&](const ProfileSpec& each) { return each.extension && each.name == extension; });
      if (has_extension) continue;
      return WrongAt(StrCat(values, "/", k, "/extension"), "found ", extension,
                     ", expected an extension of the edition");
    }
  }
  return absl::OkStatus();
}

// --- Arguments by themselves.

int64_t InLevel(const RankBound& bound, const Level& level) {
  return bound.constant + (bound.plus_max_rank ? level.Max("MAX_RANK") : 0);
}

Status CheckRanks(const ArgumentSpec& argument, const Edition& edition, const std::string& place) {
  if (!argument.min_rank || !argument.max_rank) return absl::OkStatus();
  for (const Level& level : edition.levels) {
    const int64_t least = InLevel(*argument.min_rank, level);
    const int64_t greatest = InLevel(*argument.max_rank, level), most = level.Max("MAX_RANK");
    if (least >= 0 && least <= greatest && greatest <= most) continue;
    return WrongAt(place + "/rank", "found ranks from ", least, " to ", greatest, " at level ",
                   level.name, ", expected the least first, and the greatest at most MAX_RANK, ",
                   most);
  }
  return absl::OkStatus();
}

// A maximum that a level lacks would leave its LEVEL_CHECK out.
Status CheckLimits(const ArgumentSpec& argument, const Edition& edition, const std::string& place) {
  for (size_t i = 0; i < argument.level_limits.size(); ++i) {
    const std::string& limit = argument.level_limits[i].limit;
    for (const Level& level : edition.levels) {
      if (level.maxima.contains(limit)) continue;
      Names known;
      for (const auto& [name, value] : level.maxima) known.insert(name);
      return WrongAt(StrCat(place, "/level_limits/", i, "/limit"), "found ", limit,
                     ", expected a maximum that every level has; ", level.name, " has ",
                     Joined(known));
    }
  }
  return absl::OkStatus();
}

// A name too many would shift those behind it, so that expressions judge another element.
Status CheckElements(const ArgumentSpec& argument, const std::string& place) {
  const std::string& shape = argument.shape;
  if (shape.starts_with('[') && !shape.ends_with(']')) {
    return WrongAt(place + "/shape", "found ", shape, ", expected ] at its end");
  }
  if (argument.elements.empty()) return absl::OkStatus();
  Names names;
  for (size_t i = 0; i < argument.elements.size(); ++i) {
    if (names.insert(argument.elements[i]).second) continue;
    return WrongAt(StrCat(place, "/elements/", i), "found ", argument.elements[i],
                   " a second time, expected a name for each element");
  }
  const std::vector<Dimension>& dimensions = argument.pattern.dimensions;
  const auto count = static_cast<int64_t>(argument.elements.size());
  if (dimensions.size() == 1 && dimensions[0].size.value_or(count) == count) {
    return absl::OkStatus();
  }
  return WrongAt(place + "/elements", "found ", count, " names, expected one for each element of ",
                 shape);
}

Status CheckArguments(const OperatorSpec& spec, const Edition& edition, const std::string& place) {
  CTS_RETURN_IF_ERROR(CheckUnique(spec.arguments, In(place + "/arguments")));
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec& argument = spec.arguments[i];
    const std::string own = StrCat(place, "/arguments/", i);
    CTS_RETURN_IF_ERROR(CheckRanks(argument, edition, own));
    CTS_RETURN_IF_ERROR(CheckLimits(argument, edition, own));
    CTS_RETURN_IF_ERROR(CheckElements(argument, own));
    CTS_RETURN_IF_ERROR(CheckProfilesExist(edition, argument.ctc, own + "/ctc"));
    CTS_RETURN_IF_ERROR(CheckProfilesExist(edition, argument.ctc_remove, own + "/ctc_remove"));
  }
  return absl::OkStatus();
}

// --- Operators of a text.

// The arguments of `spec` as its text sees them, against those that the text has in `other`.
Status CompareArguments(const OperatorSpec& spec, const OperatorSpec& text, const Edition& other,
                        const std::string& place) {
  const std::string where = StrCat(" of ", text.name, " in ", other.id);
  const std::vector<ArgumentSpec>& found = spec.Seen().arguments;
  for (size_t i = 0; i < std::min(found.size(), text.arguments.size()); ++i) {
    const ArgumentSpec &seen = found[i], &wanted = text.arguments[i];
    const std::string own = StrCat(place, "/arguments/", i);
    if (seen.name != wanted.name) {
      const bool is_viewed = seen.name != spec.arguments[i].name;
      return WrongAt(own + (is_viewed ? "/view/name" : "/name"), "found ", seen.name, ", expected ",
                     wanted.name, ", the name of argument ", i, where,
                     "; a view says under which name the text sees an argument");
    }
    if (seen.category != wanted.category) {
      return WrongAt(own + "/category", "expected the category of ", wanted.name, where);
    }
    const auto differs = [&](const char* member, const std::string& is, const std::string& should) {
      return WrongAt(StrCat(own, "/", member), "found ", is, ", expected ", should, ", that of ",
                     wanted.name, where);
    };
    if (seen.type != wanted.type) return differs("type", seen.type, wanted.type);
    if (seen.element_type != wanted.element_type) {
      return differs("element_type", seen.element_type, wanted.element_type);
    }
    if (seen.shape != wanted.shape) {
      const bool is_viewed = seen.shape != spec.arguments[i].shape;
      return differs(is_viewed ? "view/shape" : "shape", seen.shape, wanted.shape);
    }
  }
  if (found.size() == text.arguments.size()) return absl::OkStatus();
  return WrongAt(place + "/arguments", "found ", found.size(), " arguments, expected the ",
                 text.arguments.size(), where, ": ", NamesOf(text.arguments));
}

// The text computes nothing of a rank that it does not have.
Status CompareRanks(const OperatorSpec& spec, const OperatorSpec& text, const Edition& edition,
                    const std::string& place) {
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const ArgumentSpec &seen = spec.arguments[i], &wanted = text.arguments[i];
    const bool has = seen.min_rank && seen.max_rank, should = wanted.min_rank && wanted.max_rank;
    const std::string own = StrCat(place, "/arguments/", i, "/rank");
    if (has != should) {
      return WrongAt(own, has ? "found a rank" : "found no rank", ", expected ",
                     should ? "one" : "none", ", as ", wanted.name, " of ", text.name, " has");
    }
    for (const Level& level : edition.levels) {
      if (!has) break;
      const int64_t least = InLevel(*wanted.min_rank, level);
      const int64_t greatest = InLevel(*wanted.max_rank, level);
      if (InLevel(*seen.min_rank, level) == least && InLevel(*seen.max_rank, level) <= greatest) {
        continue;
      }
      return WrongAt(own, "found ranks from ", InLevel(*seen.min_rank, level), " to ",
                     InLevel(*seen.max_rank, level), ", expected ", least, " to at most ", greatest,
                     ", those of ", wanted.name, " of ", text.name, " at level ", level.name);
    }
  }
  return absl::OkStatus();
}

// Enumerations by whose names the text knows what is asked.
Status CompareEnumerations(const OperatorSpec& spec, const Edition& edition, const Edition& other,
                           const std::string& place) {
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const std::string& type = spec.arguments[i].type;
    const EnumSpec* const wanted = other.FindEnum(type);
    if (wanted == nullptr) continue;
    const EnumSpec* const own = edition.FindEnum(type);
    if (own == nullptr) {
      return WrongAt(StrCat(place, "/arguments/", i, "/type"), "found ", type,
                     ", which is no enumeration of the edition; expected it among /enumerations, ",
                     "with the values ", NamesOf(wanted->values));
    }
    for (const EnumValue& value : wanted->values) {
      const auto has_name = [&](const EnumValue& each) { return each.name == value.name; };
      const bool has = std::any_of(own->values.begin(), own->values.end(), has_name);
      if (has || !value.extension.empty()) continue;
      return WrongAt(StrCat("/enumerations/", own - edition.enums.data(), "/values"), "found no ",
                     value.name, ", expected the values that ", spec.Seen().name,
                     " takes: ", NamesOf(wanted->values));
    }
    for (const EnumValue& value : own->values) {
      const auto has_name = [&](const EnumValue& each) { return each.name == value.name; };
      if (std::any_of(wanted->values.begin(), wanted->values.end(), has_name)) continue;
      return WrongAt(StrCat("/enumerations/", own - edition.enums.data(), "/values/",
                            &value - own->values.data(), "/name"),
                     "found ", value.name, ", expected a value that ", spec.Seen().name,
                     " takes: ", NamesOf(wanted->values));
    }
  }
  return absl::OkStatus();
}

// "in_t i8, out_t i32, mode BILINEAR".
std::string TextOfRow(const TypeRow& row) {
  std::string text;
  for (const auto* const part : {&row.types, &row.attributes}) {
    for (const auto& [name, value] : *part)
      text += StrCat(text.empty() ? "" : ", ", name, " ", value);
  }
  return text;
}

Status CompareRows(const OperatorSpec& spec, const std::vector<const OperatorSpec*>& texts,
                   const std::string& place) {
  // Rows as they stand in the file: a row that leaves a variable open is several in `type_rows`.
  const std::vector<TypeRow>& published = spec.Published().type_rows;
  for (const TypeRow& row : spec.type_rows) {
    std::set<std::string> known;
    bool has = false;
    for (const OperatorSpec* text : texts) {
      for (const TypeRow& each : text->type_rows) {
        has = has || (each.types == row.types && each.attributes == row.attributes);
        known.insert(TextOfRow(each));
      }
    }
    if (has) continue;
    const auto stated = std::find_if(published.begin(), published.end(), [&](const TypeRow& each) {
      return each.types == row.types && each.attributes == row.attributes;
    });
    std::string expected;
    for (const std::string& each : known) expected += (expected.empty() ? "" : "; ") + each;
    return WrongAt(
        StrCat(place, "/type_rows", stated == published.end() ? "" : "/",
               stated == published.end() ? "" : std::to_string(stated - published.begin())),
        "found ", TextOfRow(row), ", expected types that ", spec.Seen().name,
        " computes: ", expected);
  }
  return absl::OkStatus();
}

Status CheckText(const OperatorSpec& spec, const Edition& edition, const std::string& place) {
  const std::string& name = spec.Seen().name;
  const bool is_own_name = name == spec.name;
  std::vector<const OperatorSpec*> texts;
  Status first;  // what is wrong against the first edition that has the text
  bool is_known = false;
  const Edition* of_texts = nullptr;
  for (const Edition* other : ExecutedEditions()) {
    for (const OperatorSpec& each : other->operators) {
      if (each.Seen().name != name) continue;
      Status compared = CompareArguments(spec, each.Seen(), *other, place);
      if (compared.ok()) compared = CompareRanks(spec, each.Seen(), edition, place);
      if (compared.ok()) {
        texts.push_back(&each.Seen());
        if (of_texts == nullptr) of_texts = other;
      } else if (!is_known) {
        first = compared;
      }
      is_known = true;
    }
  }
  if (!is_known) {
    return WrongAt(place + (is_own_name ? "/name" : "/text"), "operator ", spec.name,
                   ": found text ", name, ", expected an operator of TOSA, or a definition");
  }
  if (texts.empty()) return first;
  // Graphs, constants and variables are told by these names, and so are their arguments.
  const std::string& group = texts.front()->group;
  const bool is_told_by_name = name == "CONST" || name == "CONST_SHAPE" ||
                               group == "control-flow" || group == "variable" || group == "custom";
  if (is_told_by_name && spec.view != nullptr) {
    return WrongAt(place + (is_own_name ? "/arguments" : "/text"), "found the text ", name,
                   is_own_name ? " with a view" : StrCat(" under the name ", spec.name),
                   ", expected its own name, and the text's arguments");
  }
  CTS_RETURN_IF_ERROR(CompareEnumerations(spec, edition, *of_texts, place));
  CTS_RETURN_IF_ERROR(CompareRows(spec, texts, place));
  // Cases give operands whose values must be known as the outputs of constants.
  for (const ArgumentSpec& argument : spec.Seen().arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    const ArgumentSpec* const in_text = texts.front()->FindArgument(argument.name);
    const bool needs_constant = IsShapeArgument(argument) || !in_text->ctc.empty();
    const char* const maker = IsShapeArgument(argument) ? "CONST_SHAPE" : "CONST";
    if (!needs_constant || edition.FindOperator(maker) != nullptr) continue;
    return WrongAt("/operators", "found no operator ", maker, ", expected one: ", spec.name,
                   " takes constants as ", argument.name);
  }
  return absl::OkStatus();
}

// A case of CONST_SHAPE reshapes a tensor to the shape that it yields.
Status CheckCarrier(const Edition& edition) {
  if (edition.FindOperator("CONST_SHAPE") == nullptr) return absl::OkStatus();
  const OperatorSpec* const reshape = edition.FindOperator("RESHAPE");
  if (reshape != nullptr && reshape->view == nullptr && reshape->definition == nullptr) {
    return absl::OkStatus();
  }
  return WrongAt("/operators", "found no operator RESHAPE",
                 reshape == nullptr ? "" : " as TOSA has it",
                 ", expected one: cases of CONST_SHAPE reshape a tensor by it");
}

// --- Type rows.

// The variables that a definition's steps or the arguments of the operator use.
Names UsedVariables(const OperatorSpec& spec) {
  Names used;
  for (const ArgumentSpec& argument : spec.arguments) {
    used.insert(argument.element_type);
    used.insert(argument.type);
  }
  if (spec.definition != nullptr) {
    for (const DefinitionStep& step : spec.definition->steps) used.insert(step.type);
  }
  return used;
}

Status CheckTypeRows(const OperatorSpec& spec, const Edition& edition, const std::string& place) {
  const std::vector<TypeRow>& rows = spec.Published().type_rows;
  const Names used = UsedVariables(spec);
  Names variables;
  for (const TypeRow& row : rows) {
    for (const auto& [variable, type] : row.types) variables.insert(variable);
    for (const auto& [variable, binding] : row.bindings) variables.insert(variable);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string own = StrCat(place, "/type_rows/", i);
    for (size_t k = 0; k < rows[i].profiles.size(); ++k) {
      CTS_RETURN_IF_ERROR(
          CheckProfilesExist(edition, rows[i].profiles[k], StrCat(own, "/profiles/", k)));
    }
    for (const std::string& variable : used) {
      // A variable is a name that stands in a row, or that no type has.
      const bool is_variable =
          variables.contains(variable) ||
          (variable == "in_t" || variable == "out_t" || variable == "in_out_t");
      if (!is_variable || rows[i].types.contains(variable) || rows[i].bindings.contains(variable)) {
        continue;
      }
      return WrongAt(own + "/types", "found no ", variable, ", expected a type for each variable ",
                     "that ", spec.name, " uses");
    }
    for (const auto& [variable, type] : rows[i].types) {
      if (used.contains(variable) && !ParseDType(type)) {
        return WrongAt(StrCat(own, "/types/", variable), "found ", type,
                       ", expected a type: ", TypesOfTensors());
      }
      if (used.contains(variable) || spec.definition == nullptr) continue;
      return WrongAt(StrCat(own, "/types/", variable), "found a variable that no argument and no ",
                     "step of ", spec.name, " has as its type, expected none; take it out");
    }
  }
  return absl::OkStatus();
}

// --- Conditions.

// Whether a condition holds for the values of its example; nothing if other values decide, too.
std::optional<bool> BreaksIt(const OperatorSpec& spec, const DescribedCondition& condition) {
  std::vector<int64_t> values;
  for (const Quantity& quantity : condition.quantities) {
    const auto given = condition.example.find(spec.arguments[quantity.argument].name);
    if (quantity.kind != Quantity::Kind::kElement || given == condition.example.end()) return {};
    const auto* const list = std::get_if<std::vector<int64_t>>(&given->second);
    if (list != nullptr && quantity.index < list->size()) {
      values.push_back((*list)[quantity.index]);
    } else if (const auto* const number = std::get_if<int64_t>(&given->second)) {
      values.push_back(*number);
    } else {
      return std::nullopt;
    }
  }
  return condition.expression.Holds(values).value_or(true);
}

Status CheckConditions(const OperatorSpec& spec, const Edition& edition, Names& ids,
                       const std::string& place) {
  for (const ArgumentSpec& argument : spec.arguments) {
    for (const LevelLimit& limit : argument.level_limits) ids.insert(limit.id);
  }
  for (size_t i = 0; i < spec.conditions.size(); ++i) {
    const DescribedCondition& condition = spec.conditions[i];
    const std::string own = StrCat(place, "/conditions/", i), prefix = PrefixOfIds(spec);
    if (!condition.id.starts_with(prefix)) {
      return WrongAt(own + "/id", "found ", condition.id, ", expected an id that begins with ",
                     prefix);
    }
    if (!ids.insert(condition.id).second) {
      return WrongAt(own + "/id", "found ", condition.id,
                     ", which another condition has; expected an id of its own");
    }
    for (const auto& [name, value] : condition.example) {
      const ArgumentSpec& attribute = *spec.FindArgument(name);
      if (IsValueOf(value, attribute, edition)) continue;
      return WrongAt(StrCat(own, "/example/", name), "found ", TextOf(value), ", expected ",
                     ValuesOf(attribute, edition));
    }
    if (!condition.example.empty() && !BreaksIt(spec, condition).value_or(true)) {
      return WrongAt(own + "/example", "found values that do not break ", condition.id, ": `",
                     condition.expression.text(), "` is false for them; expected values for which ",
                     "it is true");
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::vector<const Edition*> ExecutedEditions() {
  std::vector<const Edition*> executed;
  for (const EmbeddedFile& file : EmbeddedEditions()) {
    const std::string_view id = file.name.substr(0, file.name.find(".json"));
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (edition.ok() && (*edition)->Has(Feature::kExecuted)) executed.push_back(*edition);
  }
  return executed;
}

bool IsShapeArgument(const ArgumentSpec& argument) {
  return argument.type == "shape_t" || argument.type == "shape_list_t";
}

std::string TypesOfTensors() {
  std::string types;
  for (const DTypeInfo& info : kDTypes) {
    if (info.dtype == DType::kShape) continue;
    types += StrCat(types.empty() ? "" : ", ", info.name);
  }
  return types;
}

std::optional<DType> TypeIn(const TypeRow& row, const ArgumentSpec& argument) {
  if (IsShapeArgument(argument)) return DType::kShape;
  const std::string& variable = argument.element_type;
  if (const std::optional<DType> type = row.PlainType(variable)) return type;
  if (!variable.ends_with("_t")) return ParseDType(variable);
  return ParseDType(std::string_view(variable).substr(0, variable.size() - 2));
}

std::string TextOf(const DescribedValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<int64_t>(&value)) return StrCat(*integer);
  if (const auto* number = std::get_if<double>(&value)) return StrCat(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  std::string list;
  for (const int64_t each : std::get<std::vector<int64_t>>(value)) {
    list += StrCat(list.empty() ? "" : ", ", each);
  }
  return "[" + list + "]";
}

namespace {

bool IsList(const ArgumentSpec& attribute) {
  return attribute.pattern.IsList() || IsShapeArgument(attribute);
}

// The length that an attribute's lists have; nothing if the call says it.
std::optional<int64_t> LengthOf(const ArgumentSpec& attribute) {
  const std::vector<Dimension>& dimensions = attribute.pattern.dimensions;
  return dimensions.size() == 1 ? dimensions[0].size : std::nullopt;
}

}  // namespace

std::string ValuesOf(const ArgumentSpec& attribute, const Edition& edition) {
  if (const EnumSpec* const enumeration = edition.FindEnum(attribute.type)) {
    return "one of " + NamesOf(enumeration->values);
  }
  if (attribute.type == "bool_t") return "true or false";
  if (attribute.type == "String") return "a text";
  if (const auto length = LengthOf(attribute)) return StrCat("a list of ", *length, " integers");
  if (IsList(attribute)) return "a list of integers";
  return attribute.type == "i32_t" ? "an integer of 32 bits" : "a number";
}

bool IsValueOf(const DescribedValue& value, const ArgumentSpec& attribute, const Edition& edition) {
  const auto* const text = std::get_if<std::string>(&value);
  if (const EnumSpec* const enumeration = edition.FindEnum(attribute.type)) {
    return text != nullptr &&
           std::any_of(enumeration->values.begin(), enumeration->values.end(),
                       [&](const EnumValue& each) { return each.name == *text; });
  }
  if (attribute.type == "bool_t") return std::holds_alternative<bool>(value);
  if (attribute.type == "String") return text != nullptr;
  if (IsList(attribute)) {
    const auto* const list = std::get_if<std::vector<int64_t>>(&value);
    const std::optional<int64_t> length = LengthOf(attribute);
    return list != nullptr && (!length || static_cast<int64_t>(list->size()) == *length);
  }
  const auto* const integer = std::get_if<int64_t>(&value);
  if (attribute.type != "i32_t") return integer != nullptr || std::holds_alternative<double>(value);
  return integer != nullptr && *integer >= std::numeric_limits<int32_t>::min() &&
         *integer <= std::numeric_limits<int32_t>::max();
}

Status CheckEdition(const Edition& edition) {
  if (!edition.follows.empty()) {
    const StatusOr<const Edition*> followed = FindEdition(edition.follows);
    if (!followed.ok()) return WrongAt("/follows", Message(followed.status()));
  }
  CTS_RETURN_IF_ERROR(CheckProfiles(edition));
  CTS_RETURN_IF_ERROR(CheckLevels(edition));
  CTS_RETURN_IF_ERROR(CheckEnumerations(edition));
  CTS_RETURN_IF_ERROR(CheckUnique(edition.operators, In("/operators")));
  Names ids;
  for (size_t i = 0; i < edition.operators.size(); ++i) {
    const OperatorSpec& spec = edition.operators[i];
    const std::string place = StrCat("/operators/", i);
    CTS_RETURN_IF_ERROR(CheckArguments(spec, edition, place));
    CTS_RETURN_IF_ERROR(CheckTypeRows(spec, edition, place));
    CTS_RETURN_IF_ERROR(CheckConditions(spec, edition, ids, place));
    CTS_RETURN_IF_ERROR(spec.definition != nullptr ? CheckDefinition(spec, edition, place)
                                                   : CheckText(spec, edition, place));
  }
  return CheckCarrier(edition);
}

}  // namespace cts
