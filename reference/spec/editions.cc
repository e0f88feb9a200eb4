// Reads editions, and lists the known ones.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <limits>
#include <memory>
#include <mutex>
#include <set>

#include "cts_editions.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/spec/check_edition.h"
#include "reference/spec/edition.h"
#include "reference/spec/precision_table.h"
#include "reference/spec/regular.h"
#include "reference/spec/type_names.h"

namespace cts {
namespace {

// All of these read JSON that fits schemas/edition.schema.json.

using Strings = std::vector<std::string>;

// "MAX_RANK", "MAX_RANK - 1" or a number.
RankBound ReadRankBound(const Json& json) {
  if (json.is_number()) return {.constant = json.get<int64_t>(), .plus_max_rank = false};
  RankBound bound{.constant = 0, .plus_max_rank = true};
  const auto& text = json.get_ref<const std::string&>();
  if (const size_t sign = text.find_first_of("+-"); sign != std::string::npos) {
    bound.constant = std::stoll(text.substr(sign + 2));
    if (text[sign] == '-') bound.constant = -bound.constant;
  }
  return bound;
}

ArgumentSpec ReadArgument(const Json& json) {
  ArgumentSpec argument;
  argument.name = json.at("name");
  const std::string category = json.at("category");
  argument.category = category == "input"    ? ArgumentCategory::kInput
                      : category == "output" ? ArgumentCategory::kOutput
                                             : ArgumentCategory::kAttribute;
  argument.type = json.at("type");
  argument.shape = json.at("shape");
  argument.pattern = ParseShapePattern(argument.shape);
  argument.element_type = json.at("element_type");
  argument.element_scale_type = json.value("element_scale_type", "");
  if (json.contains("rank")) {
    argument.min_rank = ReadRankBound(json.at("rank").at(0));
    argument.max_rank = ReadRankBound(json.at("rank").at(1));
  }
  argument.optional = json.value("optional", false);
  argument.elements = json.value("elements", Strings{});
  for (const Json& limit : json.value("level_limits", Json::array())) {
    argument.level_limits.push_back({.value = limit.at("value"),
                                     .limit = limit.at("limit"),
                                     .id = limit.value("id", ""),
                                     .paraphrase = limit.value("paraphrase", "")});
  }
  argument.ctc = json.value("ctc", Strings{});
  argument.ctc_remove = json.value("ctc_remove", Strings{});
  return argument;
}

TypeRow ReadTypeRow(const Json& json) {
  TypeRow row;
  row.mode = json.at("mode");
  row.types = json.at("types").get<std::map<std::string, std::string>>();
  const Json bindings = json.value("bindings", Json::object());
  for (const auto& [variable, binding] : bindings.items()) {
    row.bindings[variable] = {.any_of = binding.value("any_of", Strings{}),
                              .same_as = binding.value("same_as", ""),
                              .access_element_of = binding.value("access_element_of", "")};
  }
  row.attributes = json.value("attributes", std::map<std::string, std::string>{});
  row.version_added = json.value("version_added", "");
  row.profiles = json.at("profiles").get<std::vector<Strings>>();
  return row;
}

// "[N,IC,IH,IW]" -> "N", "IC", "IH", "IW".
Strings Dimensions(const ShapePattern& shape) {
  Strings names;
  names.reserve(shape.dimensions.size());
  for (const Dimension& dimension : shape.dimensions) names.push_back(dimension.name);
  return names;
}

std::string LowerCase(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

// Returns where each dimension of one shape stands in another one.
StatusOr<AxisOrder> OrderOf(const ArgumentSpec& seen, const ArgumentSpec& given) {
  const Strings wanted = Dimensions(seen.pattern), known = Dimensions(given.pattern);
  if (!std::is_permutation(wanted.begin(), wanted.end(), known.begin(), known.end())) {
    return InvalidArgument("view ", seen.shape, ": expected the dimensions of ", given.shape);
  }
  AxisOrder order;
  order.reserve(wanted.size());
  for (const std::string& name : wanted) {
    order.push_back(
        static_cast<size_t>(std::find(known.begin(), known.end(), name) - known.begin()));
  }
  return order;
}

// The operator as its text sees it, if any of its arguments says that it does.
Status ReadView(const Json& json_operator, OperatorSpec& spec) {
  const Json& json_arguments = json_operator.at("arguments");
  OperatorSpec view = spec;
  view.name = json_operator.value("text", spec.name);
  for (ArgumentSpec& argument : view.arguments) argument.level_limits.clear();
  bool differs = view.name != spec.name;
  for (size_t i = 0; i < view.arguments.size(); ++i) {
    const Json& json = json_arguments[i];
    if (!json.contains("view")) continue;
    differs = true;
    const Json& of_view = json["view"];
    ArgumentSpec& seen = view.arguments[i];
    seen.name = of_view.value("name", seen.name);
    if (of_view.contains("category")) seen.category = ArgumentCategory::kInput;
    if (!of_view.contains("shape")) continue;
    seen.shape = of_view["shape"];
    seen.pattern = ParseShapePattern(seen.shape);
    CTS_ASSIGN_OR_RETURN(spec.arguments[i].view_axes, OrderOf(seen, spec.arguments[i]));
  }
  if (differs) spec.view = std::make_shared<const OperatorSpec>(std::move(view));
  return absl::OkStatus();
}

// The condition that a LEVEL_CHECK is. Its id says what is checked: the name of an element, "rank",
// the list whose length it is, or what the edition's data say.
Status CompleteLimit(const OperatorSpec& spec, LevelLimit& limit) {
  CTS_ASSIGN_OR_RETURN(limit.expression, Expression::Parse(limit.value));
  if (limit.expression.is_condition()) {
    return InvalidArgument("level limit `", limit.value, "`: expected a number, not a comparison");
  }
  const std::vector<NamedValue>& names = limit.expression.names();
  for (const NamedValue& name : names) {
    CTS_ASSIGN_OR_RETURN(const Quantity quantity, spec.Resolve(name));
    limit.quantities.push_back(quantity);
  }
  const bool is_name = names.size() == 1 && names[0].Text() == limit.expression.text();
  if (limit.id.empty() && !is_name) {
    return InvalidArgument("level limit `", limit.value, "`: expected an id beside it");
  }
  if (limit.id.empty()) limit.id = names[0].function == "rank" ? "rank" : names[0].name;
  limit.id = StrCat(LowerCase(spec.name), ".level_", limit.id);
  if (limit.paraphrase.empty()) {
    limit.paraphrase = names[0].function == "length" && is_name
                           ? StrCat(names[0].name, " is longer than ", limit.limit)
                           : StrCat(limit.expression.text(), " exceeds ", limit.limit);
  }
  return absl::OkStatus();
}

Status CompleteLimits(OperatorSpec& spec) {
  std::set<std::string> ids;
  for (ArgumentSpec& argument : spec.arguments) {
    for (LevelLimit& limit : argument.level_limits) {
      CTS_RETURN_IF_ERROR(Annotate(CompleteLimit(spec, limit), argument.name));
      if (ids.insert(limit.id).second) continue;
      return InvalidArgument(argument.name, ": found the id ", limit.id,
                             " a second time, expected ids of their own for level limits");
    }
  }
  return absl::OkStatus();
}

StatusOr<DescribedCondition> ReadCondition(const Json& json, const OperatorSpec& spec) {
  DescribedCondition condition{.id = json.at("id"),
                               .is_error = json.at("kind") == "error_if",
                               .paraphrase = json.at("paraphrase"),
                               .expression = {},
                               .quantities = {},
                               .example = {}};
  const auto bad = [&](const auto&... what) {
    return InvalidArgument("condition ", condition.id, ": ", what...);
  };
  const std::string text = json.at("broken");
  StatusOr<Expression> expression = Expression::Parse(text);
  if (!expression.ok()) return bad(Message(expression.status()));
  condition.expression = *std::move(expression);
  if (!condition.expression.is_condition()) {
    return bad("found `", text, "`, expected a comparison that says when it is broken");
  }
  for (const NamedValue& name : condition.expression.names()) {
    const StatusOr<Quantity> quantity = spec.Resolve(name);
    if (!quantity.ok()) return bad(Message(quantity.status()));
    condition.quantities.push_back(*quantity);
  }
  const Json example = json.value("example", Json::object());
  for (const auto& [name, value] : example.items()) {
    const ArgumentSpec* const argument = spec.FindArgument(name);
    if (argument == nullptr || argument->category != ArgumentCategory::kAttribute) {
      return bad("example: found ", name, ", expected an attribute of ", spec.name);
    }
    condition.example[name] = DescribedValueFromJson(value);
  }
  return condition;
}

StatusOr<Features> ReadFeatures(const Json& names) {
  Features features;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    if (const std::optional<Feature> feature = ParseFeature(name)) {
      if (features.Has(*feature)) {
        return InvalidArgument("/features/", i, ": found \"", name, "\" twice");
      }
      features.Add(*feature);
      continue;
    }
    std::string known;
    for (size_t k = 0; k < kFeatureCount; ++k) {
      known += StrCat(known.empty() ? "" : ", ", Name(static_cast<Feature>(k)));
    }
    return InvalidArgument("/features/", i, ": found \"", name,
                           "\", expected a feature of reference/spec/features.def: ", known);
  }
  return features;
}

ProfileSpec ReadProfile(const Json& json, bool extension) {
  ProfileSpec profile{.name = json.at("name"),
                      .status = json.at("status"),
                      .extension = extension,
                      .base = json.value("base", Strings{}),
                      .includes = json.value("includes", Strings{}),
                      .numbers = {}};
  if (json.contains("numbers")) {
    profile.numbers = json["numbers"] == "integers" ? NumberKind::kIntegers : NumberKind::kFloats;
  }
  return profile;
}

// The origin of an edition. Only an embedded one may write as TOSA's XML does
// (reference/spec/regular.h).
enum class Source { kEmbedded, kFile };

// A variable that follows another one needs one that the row leaves open.
Status CheckBindings(const OperatorSpec& spec) {
  for (size_t i = 0; i < spec.type_rows.size(); ++i) {
    const std::map<std::string, TypeBinding>& bindings = spec.type_rows[i].bindings;
    for (const auto& [variable, binding] : bindings) {
      const bool is_same = !binding.same_as.empty();
      const std::string& other = is_same ? binding.same_as : binding.access_element_of;
      if (other.empty()) continue;
      const auto found = bindings.find(other);
      if (found != bindings.end() && !found->second.any_of.empty()) continue;
      return InvalidArgument("/type_rows/", i, "/bindings/", variable,
                             is_same ? "/same_as" : "/access_element_of", ": found ", other,
                             ", expected a variable among the bindings that has any_of");
    }
  }
  return absl::OkStatus();
}

StatusOr<OperatorSpec> ReadOperator(const Json& json, Source source) {
  OperatorSpec spec;
  spec.name = json.at("name");
  spec.group = json.at("group");
  for (const Json& argument : json.at("arguments")) {
    spec.arguments.push_back(ReadArgument(argument));
  }
  for (const Json& row : json.at("type_rows")) spec.type_rows.push_back(ReadTypeRow(row));
  CTS_RETURN_IF_ERROR(CheckBindings(spec));
  if (source == Source::kEmbedded) CompleteTypeRows(spec);
  OperatorSpec published = spec;
  if (source == Source::kEmbedded) MakeRegular(spec);
  ExpandTypeRows(spec);
  for (OperatorSpec* each : {&published, &spec}) {
    Status read = ReadView(json, *each);
    if (read.ok()) read = CompleteLimits(*each);
    if (!read.ok()) return Annotate(read, ": " + spec.name);
  }
  for (const Json& each : json.value("conditions", Json::array())) {
    StatusOr<DescribedCondition> condition = ReadCondition(each, spec);
    if (!condition.ok()) return Annotate(condition.status(), ": " + spec.name);
    spec.conditions.push_back(*std::move(condition));
  }
  if (json.contains("definition")) {
    StatusOr<Definition> definition = DefinitionFromJson(json.at("definition"));
    if (!definition.ok()) {
      return Status(definition.status().code(),
                    StrCat("/definition", Message(definition.status())));
    }
    spec.definition = std::make_shared<const Definition>(*std::move(definition));
  }
  if (json.contains("domain")) {
    spec.domain =
        std::make_shared<const DescribedParameters>(DescribedParametersFromJson(json.at("domain")));
  }
  spec.published = std::make_shared<const OperatorSpec>(std::move(published));
  return spec;
}

// A call reads acc_type and VARIABLE's type as element types.
bool SaysType(const OperatorSpec& spec, const ArgumentSpec& argument) {
  return argument.category == ArgumentCategory::kAttribute &&
         (argument.name == "acc_type" || (spec.name == "VARIABLE" && argument.name == "type"));
}

// Whether every name that an attribute may have for a type is that of a type.
Status CheckTypeNames(const Edition& edition, const OperatorSpec& spec) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (!SaysType(spec, argument)) continue;
    const auto bad = [&](const auto&... what) {
      return InvalidArgument(spec.name, ": ", argument.name, ": ", what...);
    };
    // 0.100 writes a scalar attribute as a tensor.
    const std::string& type = argument.type == "tensor_t" ? argument.element_type : argument.type;
    const EnumSpec* const enumeration = edition.FindEnum(type);
    if (enumeration == nullptr) {
      return bad("found type ", type, ", expected an enumeration of element types");
    }
    if (argument.optional && argument.name == "type") {
      return bad("found an optional attribute, expected one that is always there");
    }
    for (const EnumValue& value : enumeration->values) {
      if (TypeOfEnumerator(value.name).has_value()) continue;
      std::string known;
      for (const TypeEnumerator& row : kTypeEnumerators) {
        known += StrCat(known.empty() ? "" : ", ", row.name);
      }
      return bad("found value ", value.name, " of ", type,
                 ", expected names of element types: ", known);
    }
  }
  return absl::OkStatus();
}

// Errors begin with a JSON pointer.
StatusOr<Edition> ReadEdition(const Json& json, Source source) {
  Edition edition;
  edition.id = json.at("id");
  edition.version = json.at("version");
  edition.follows = json.value("follows", "");
  edition.mlir = json.value("mlir", "");
  edition.certify = json.value("certify", "certify");
  CTS_ASSIGN_OR_RETURN(edition.features, ReadFeatures(json.at("features")));
  for (const bool extension : {false, true}) {
    for (const Json& profile : json.at(extension ? "extensions" : "profiles")) {
      edition.profiles.push_back(ReadProfile(profile, extension));
    }
  }
  for (const Json& level : json.at("levels")) {
    edition.levels.push_back({.name = level.at("name"),
                              .maxima = level.at("maxima").get<std::map<std::string, int64_t>>()});
  }
  for (const Json& choice : json.value("choices", Json::array())) {
    NamedChoice& named = edition.choices.emplace_back();
    named.id = choice.at("id");
    named.sentence = choice.at("sentence");
    named.by_type = choice.at("scope") == "type";
    named.clause = choice.at("clause");
    for (const Json& option : choice.at("options")) {
      named.options.push_back({option.at("name"), option.value("means", "")});
    }
  }
  for (const Json& enumeration : json.at("enumerations")) {
    EnumSpec& spec = edition.enums.emplace_back();
    spec.name = enumeration.at("name");
    for (const Json& value : enumeration.at("values")) {
      spec.values.push_back({.name = value.at("name"),
                             .value = value.at("value"),
                             .extension = value.value("extension", "")});
    }
  }
  for (const Json& json_operator : json.at("operators")) {
    StatusOr<OperatorSpec> spec = ReadOperator(json_operator, source);
    if (!spec.ok()) {
      // The message begins with the rest of the pointer, or with ": " and the operator.
      return Status(spec.status().code(),
                    StrCat("/operators/", edition.operators.size(), Message(spec.status())));
    }
    const std::string place = StrCat("/operators/", edition.operators.size());
    CTS_RETURN_IF_ERROR(Annotate(CheckTypeNames(edition, *spec), place));
    CTS_RETURN_IF_ERROR(Annotate(CheckTypeNames(edition, spec->Seen()), place));
    edition.operators.push_back(*std::move(spec));
  }
  return edition;
}

constexpr std::string_view kSuffix = ".json";

}  // namespace

namespace {

// Every edition that has been asked for or added, by id.
struct Known {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<const Edition>, std::less<>> editions;
  std::vector<std::string> added;
};
Known& KnownEditions() {
  static auto& known = *new Known;
  return known;
}

}  // namespace

std::vector<std::string> EditionIds() {
  std::vector<std::string> ids;
  for (const EmbeddedFile& file : EmbeddedEditions()) {
    ids.emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
  }
  Known& known = KnownEditions();
  const std::lock_guard lock(known.mutex);
  ids.insert(ids.end(), known.added.begin(), known.added.end());
  return ids;
}

Status AddEdition(const std::filesystem::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, "edition"));
  StatusOr<Edition> read = ReadEdition(json, Source::kFile);
  if (!read.ok()) return Annotate(read.status(), file.string());
  if (FindEdition(read->id).ok()) {
    return InvalidArgument(file.string(), ": /id: found ", read->id, ", which is known already");
  }
  CTS_RETURN_IF_ERROR(Annotate(CheckEdition(*read), file.string()));
  const std::filesystem::path table = file.parent_path() / "precision" / (read->id + ".json");
  StatusOr<Json> loaded = LoadJson(table, "precision");
  if (absl::IsNotFound(loaded.status())) {
    return NotFound(file.string(), ": found no table of precision beside it, expected ",
                    table.string());
  }
  CTS_ASSIGN_OR_RETURN(const Json rows, std::move(loaded));
  CTS_ASSIGN_OR_RETURN(PrecisionTable precision,
                       PrecisionTable::FromJson(rows, *read, table.string()));
  read->precision = std::make_shared<const PrecisionTable>(std::move(precision));
  CTS_RETURN_IF_ERROR(CheckPrecision(*read, table.string()));
  std::error_code error;
  read->file = std::filesystem::absolute(file, error);
  if (error) return InvalidArgument(file.string(), ": ", error.message());
  Known& known = KnownEditions();
  const std::lock_guard lock(known.mutex);
  const std::string id = read->id;
  known.added.push_back(id);
  known.editions[id] = std::make_unique<const Edition>(*std::move(read));
  return absl::OkStatus();
}

StatusOr<const Edition*> FindEdition(std::string_view id) {
  {
    Known& known = KnownEditions();
    const std::lock_guard lock(known.mutex);
    if (const auto found = known.editions.find(id); found != known.editions.end()) {
      return found->second.get();
    }
    for (const EmbeddedFile& file : EmbeddedEditions()) {
      if (file.name != StrCat(id, kSuffix)) continue;
      CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
      CTS_ASSIGN_OR_RETURN(Edition read, EditionFromJson(json, file.name));
      CTS_ASSIGN_OR_RETURN(read.precision, EmbeddedPrecision(read));
      auto& edition = known.editions[std::string(id)];
      edition = std::make_unique<const Edition>(std::move(read));
      return edition.get();
    }
  }
  std::string ids;
  for (const std::string& each : EditionIds()) ids += (ids.empty() ? "" : ", ") + each;
  return NotFound("found the edition '", id, "', expected one of ", ids,
                  "; --edition-file FILE adds one of your own");
}

std::string EditionsThatHave(Feature feature) {
  std::string ids;
  for (const std::string& id : EditionIds()) {
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (edition.ok() && (*edition)->Has(feature)) ids += StrCat(ids.empty() ? "" : ", ", id);
  }
  return ids;
}

StatusOr<Edition> EditionFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "edition", origin));
  StatusOr<Edition> read = ReadEdition(json, Source::kEmbedded);
  if (!read.ok()) return Annotate(read.status(), std::string(origin));
  return read;
}

}  // namespace cts
