// The editions that are known: the embedded ones and those of files, each with its table of
// precision, which edition.cc knows nothing of.
#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cts_editions.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "reference/spec/precision_table.h"

namespace cts {

namespace {

constexpr std::string_view kSuffix = ".json";

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

namespace {

bool HasText(std::string_view name) {
  static constexpr std::string_view kTexts[] = {
#define CTS_OPERATOR(NAME, Function, stem) #NAME,
#include "reference/spec/operators.def"
#undef CTS_OPERATOR
  };
  return std::find(std::begin(kTexts), std::end(kTexts), name) != std::end(kTexts);
}

// Whether every step has what it names.
Status CheckDefinition(const OperatorSpec& spec) {
  const Definition& definition = *spec.definition;
  CTS_ASSIGN_OR_RETURN(const Edition* const base, FindEdition(definition.edition));
  std::set<std::string> tensors;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category == ArgumentCategory::kInput) tensors.insert(argument.name);
  }
  for (const DefinitionConstant& constant : definition.constants) tensors.insert(constant.name);
  for (size_t i = 0; i < definition.steps.size(); ++i) {
    const DefinitionStep& step = definition.steps[i];
    const auto bad = [&](const auto&... what) {
      return InvalidArgument("definition, steps[", i, "] (", step.op, "): ", what...);
    };
    const OperatorSpec* const op = base->FindOperator(step.op);
    if (op == nullptr) return bad("found an operator that ", base->id, " does not have");
    for (const std::string& input : step.inputs) {
      if (!tensors.contains(input)) {
        return bad("found input ", input, ", expected an input of ", spec.name,
                   ", a constant or the output of a step before");
      }
    }
    if (!tensors.insert(step.output).second) return bad("found output ", step.output, " twice");
    const bool variable =
        std::any_of(spec.type_rows.begin(), spec.type_rows.end(),
                    [&](const TypeRow& row) { return row.types.contains(step.type); });
    if (!variable && !ParseDType(step.type)) {
      return bad("found type ", step.type, ", expected a variable of the type rows or a type");
    }
    for (const auto& [name, value] : step.attributes) {
      const auto* const text = std::get_if<std::string>(&value);
      if (text == nullptr || !text->starts_with('$')) continue;
      const ArgumentSpec* const own = spec.FindArgument(text->substr(1));
      if (own != nullptr && own->category == ArgumentCategory::kAttribute && !own->optional) {
        continue;
      }
      return bad("attribute ", name, ": found ", *text, ", expected an attribute of ", spec.name,
                 " that is always there");
    }
  }
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kOutput || tensors.contains(argument.name)) continue;
    return InvalidArgument("definition: no step makes output ", argument.name);
  }
  if (spec.domain != nullptr) return absl::OkStatus();
  return InvalidArgument("found a definition without a domain, expected both");
}

Status CheckTextsAndDefinitions(const Edition& edition) {
  for (const OperatorSpec& spec : edition.operators) {
    const std::string place = StrCat("operator ", spec.name);
    if (spec.definition != nullptr) {
      CTS_RETURN_IF_ERROR(Annotate(CheckDefinition(spec), place));
    } else if (!HasText(spec.Seen().name)) {
      return InvalidArgument(place, ": found text ", spec.Seen().name,
                             ", expected an operator of TOSA, or a definition");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status AddEdition(const std::filesystem::path& file) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, "edition"));
  StatusOr<Edition> read = EditionFromJson(json, file.string());
  if (!read.ok()) return Annotate(read.status(), file.string());
  if (FindEdition(read->id).ok()) {
    return InvalidArgument(file.string(), ": /id: found ", read->id, ", which is known already");
  }
  CTS_RETURN_IF_ERROR(Annotate(CheckTextsAndDefinitions(*read), file.string()));
  const std::filesystem::path table = file.parent_path() / "precision" / (read->id + ".json");
  CTS_ASSIGN_OR_RETURN(const Json rows, LoadJson(table, "precision"));
  StatusOr<PrecisionTable> precision = PrecisionTable::FromJson(rows, *read);
  if (!precision.ok()) return Annotate(precision.status(), table.string());
  read->precision = std::make_shared<const PrecisionTable>(*std::move(precision));
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
  return NotFound("unknown edition '", id, "'; known editions: ", ids);
}

std::string EditionsThatHave(Feature feature) {
  std::string ids;
  for (const std::string& id : EditionIds()) {
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (edition.ok() && (*edition)->Has(feature)) ids += StrCat(ids.empty() ? "" : ", ", id);
  }
  return ids;
}

}  // namespace cts
