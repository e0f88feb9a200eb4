#include "reference/spec/edition.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>

#include "cts_editions.h"
#include "reference/base/json.h"
#include "reference/spec/regular.h"

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
  for (const Json& limit : json.value("level_limits", Json::array())) {
    argument.level_limits.push_back({.value = limit.at("value"), .limit = limit.at("limit")});
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

// Where each dimension of one shape stands in another one.
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
Status ReadView(const Json& json_arguments, OperatorSpec& spec) {
  OperatorSpec view = spec;
  bool differs = false;
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

StatusOr<Features> ReadFeatures(const Json& names, std::string_view origin) {
  Features features;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string name = names[i];
    if (const std::optional<Feature> feature = ParseFeature(name)) {
      features.Add(*feature);
      continue;
    }
    std::string known;
    for (size_t k = 0; k < kFeatureCount; ++k) {
      known += StrCat(known.empty() ? "" : ", ", Name(static_cast<Feature>(k)));
    }
    return InvalidArgument(origin, ": /features/", i, ": found \"", name,
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

StatusOr<OperatorSpec> ReadOperator(const Json& json) {
  OperatorSpec spec;
  spec.name = json.at("name");
  spec.group = json.at("group");
  for (const Json& argument : json.at("arguments")) {
    spec.arguments.push_back(ReadArgument(argument));
  }
  for (const Json& row : json.at("type_rows")) spec.type_rows.push_back(ReadTypeRow(row));
  CompleteTypeRows(spec);
  OperatorSpec published = spec;
  MakeRegular(spec);
  for (OperatorSpec* each : {&published, &spec}) {
    const Status view = ReadView(json.at("arguments"), *each);
    if (!view.ok()) return Annotate(view, spec.name);
  }
  spec.published = std::make_shared<const OperatorSpec>(std::move(published));
  return spec;
}

StatusOr<Edition> ReadEdition(const Json& json, std::string_view origin) {
  Edition edition;
  edition.id = json.at("id");
  edition.version = json.at("version");
  edition.draft = json.at("draft");
  edition.follows = json.value("follows", "");
  edition.mlir = json.value("mlir", "");
  CTS_ASSIGN_OR_RETURN(edition.features, ReadFeatures(json.at("features"), origin));
  for (const bool extension : {false, true}) {
    for (const Json& profile : json.at(extension ? "extensions" : "profiles")) {
      edition.profiles.push_back(ReadProfile(profile, extension));
    }
  }
  for (const Json& level : json.at("levels")) {
    edition.levels.push_back({.name = level.at("name"),
                              .maxima = level.at("maxima").get<std::map<std::string, int64_t>>()});
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
    CTS_ASSIGN_OR_RETURN(edition.operators.emplace_back(), ReadOperator(json_operator));
  }
  return edition;
}

template <class T>
const T* FindNamed(const std::vector<T>& items, std::string_view name) {
  for (const T& item : items) {
    if (item.name == name) return &item;
  }
  return nullptr;
}

constexpr std::string_view kSuffix = ".json";

}  // namespace

std::optional<DType> TypeRow::Type(std::string_view variable) const {
  const auto found = types.find(std::string(variable));
  if (found == types.end()) return std::nullopt;
  return ParseDType(found->second);
}

const ArgumentSpec* OperatorSpec::FindArgument(std::string_view argument) const {
  return FindNamed(arguments, argument);
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

const EnumSpec* Edition::FindEnum(std::string_view enumeration) const {
  return FindNamed(enums, enumeration);
}

const std::vector<std::string>& EditionIds() {
  static const auto* const ids = [] {
    auto* result = new std::vector<std::string>;
    for (const EmbeddedFile& file : EmbeddedEditions()) {
      result->emplace_back(file.name.substr(0, file.name.size() - kSuffix.size()));
    }
    return result;
  }();
  return *ids;
}

StatusOr<const Edition*> FindEdition(std::string_view id) {
  static std::mutex mutex;
  static auto* const loaded = new std::map<std::string, std::unique_ptr<const Edition>>;
  const std::lock_guard lock(mutex);
  if (const auto found = loaded->find(std::string(id)); found != loaded->end()) {
    return found->second.get();
  }
  for (const EmbeddedFile& file : EmbeddedEditions()) {
    if (file.name != StrCat(id, kSuffix)) continue;
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
    CTS_ASSIGN_OR_RETURN(Edition read, EditionFromJson(json, file.name));
    auto& edition = (*loaded)[std::string(id)];
    edition = std::make_unique<const Edition>(std::move(read));
    return edition.get();
  }
  std::string known;
  for (const std::string& each : EditionIds()) known += (known.empty() ? "" : ", ") + each;
  return NotFound("unknown edition '", id, "'; known editions: ", known);
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
  return ReadEdition(json, origin);
}

}  // namespace cts
