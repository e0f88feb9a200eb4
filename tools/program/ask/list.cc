#include "tools/program/ask/list.h"

#include <algorithm>
#include <set>

#include "checker/report/report.h"
#include "reference/base/json.h"
#include "reference/faults/catalogue.h"
#include "reference/faults/symbolic.h"

namespace cts {
namespace {

Json ToJson(const RankBound& bound) {
  if (!bound.plus_max_rank) return bound.constant;
  if (bound.constant == 0) return "MAX_RANK";
  return bound.constant < 0 ? StrCat("MAX_RANK - ", -bound.constant)
                            : StrCat("MAX_RANK + ", bound.constant);
}

std::string_view Name(ArgumentCategory category) {
  switch (category) {
    case ArgumentCategory::kInput:
      return "input";
    case ArgumentCategory::kAttribute:
      return "attribute";
    case ArgumentCategory::kOutput:
      break;
  }
  return "output";
}

// `seen`: the argument as the operator's text has it.
Json ToJson(const ArgumentSpec& argument, const ArgumentSpec& seen) {
  Json json = {{"name", argument.name},
               {"category", Name(argument.category)},
               {"type", argument.type},
               {"shape", argument.shape},
               {"element_type", argument.element_type}};
  if (!argument.element_scale_type.empty()) {
    json["element_scale_type"] = argument.element_scale_type;
  }
  if (argument.min_rank && argument.max_rank) {
    json["rank"] = {ToJson(*argument.min_rank), ToJson(*argument.max_rank)};
  }
  if (argument.optional) json["optional"] = true;
  if (!argument.elements.empty()) json["elements"] = argument.elements;
  for (const LevelLimit& limit : argument.level_limits) {
    json["level_limits"].push_back({{"value", limit.value}, {"limit", limit.limit}});
  }
  if (!argument.ctc.empty()) json["ctc"] = argument.ctc;
  if (!argument.ctc_remove.empty()) json["ctc_remove"] = argument.ctc_remove;
  if (seen.name != argument.name) json["view"]["name"] = seen.name;
  if (seen.shape != argument.shape) json["view"]["shape"] = seen.shape;
  if (seen.category != argument.category) json["view"]["category"] = Name(seen.category);
  return json;
}

Json ToJson(const TypeBinding& binding) {
  if (!binding.same_as.empty()) return {{"same_as", binding.same_as}};
  if (!binding.access_element_of.empty()) {
    return {{"access_element_of", binding.access_element_of}};
  }
  return {{"any_of", binding.any_of}};
}

// A value as the text of a cell; `depth` is the number of lists and objects around it.
std::string CellText(const Json& value, int depth) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [name, item] : value.items()) {
    if (!text.empty()) text += depth == 0 ? ", " : depth == 1 ? "+" : "|";
    if (value.is_object()) text += name + (depth == 0 ? "=" : " ");
    text += CellText(item, depth + 1);
  }
  return text;
}

}  // namespace

Json ListOperators(const Edition& edition) {
  Json rows = Json::array();
  for (const OperatorSpec& spec : edition.operators) {
    const OperatorSpec& published = spec.Published();
    Json arguments = Json::array();
    for (size_t i = 0; i < published.arguments.size(); ++i) {
      arguments.push_back(ToJson(published.arguments[i], published.Seen().arguments[i]));
    }
    rows.push_back({{"operator", spec.name},
                    {"group", spec.group},
                    {"arguments", std::move(arguments)},
                    {"type_rows", published.type_rows.size()}});
  }
  return rows;
}

Json ListTypes(const Edition& edition) {
  Json rows = Json::array();
  for (const OperatorSpec& spec : edition.operators) {
    for (const TypeRow& row : spec.Published().type_rows) {
      Json json = {{"operator", spec.name},
                   {"mode", row.mode},
                   {"types", row.types},
                   {"profiles", row.profiles}};
      for (const auto& [variable, binding] : row.bindings) {
        json["bindings"][variable] = ToJson(binding);
      }
      rows.push_back(std::move(json));
    }
  }
  return rows;
}

Json ListLevels(const Edition& edition) {
  Json rows = Json::array();
  for (const Level& level : edition.levels) {
    rows.push_back({{"level", level.name}, {"maxima", level.maxima}});
  }
  return rows;
}

Json ListProfiles(const Edition& edition) {
  Json rows = Json::array();
  for (const ProfileSpec& profile : edition.profiles) {
    Json& row = rows.emplace_back(Json{{"profile", profile.name},
                                       {"kind", profile.extension ? "extension" : "profile"},
                                       {"status", profile.status}});
    if (profile.numbers) {
      row["numbers"] = profile.numbers == NumberKind::kFloats ? "floats" : "integers";
    }
    if (!profile.base.empty()) row["extends"] = profile.base;
    if (!profile.includes.empty()) row["includes"] = profile.includes;
  }
  return rows;
}

Json ListEnumerations(const Edition& edition) {
  Json rows = Json::array();
  for (const EnumSpec& each : edition.enums) {
    for (const EnumValue& value : each.values) {
      Json& row = rows.emplace_back(
          Json{{"enumeration", each.name}, {"value", value.name}, {"number", value.value}});
      if (!value.extension.empty()) row["needs"] = value.extension;
    }
  }
  return rows;
}

Json ListChoices(const Edition& edition) {
  Json rows = Json::array();
  for (const NamedChoice& choice : edition.choices) {
    Json& row = rows.emplace_back(Json{{"choice", choice.id},
                                       {"about", choice.sentence},
                                       {"options", Json::array()},
                                       {"clause", choice.clause}});
    for (const NamedChoice::Option& option : choice.options) row["options"].push_back(option.name);
  }
  return rows;
}

StatusOr<Json> ListEditions() {
  Json rows = Json::array();
  for (const std::string& id : EditionIds()) {
    CTS_ASSIGN_OR_RETURN(const Edition* edition, FindEdition(id));
    Json& row = rows.emplace_back(Json{
        {"edition", id}, {"version", edition->version}, {"operators", edition->operators.size()}});
    if (!edition->follows.empty()) row["follows"] = edition->follows;
    if (!edition->certify.empty()) row["certify"] = edition->certify;
  }
  return rows;
}

Json ListCases(const Suite& suite) {
  Json rows = Json::array();
  for (const SuiteEntry& entry : suite.cases) {
    rows.push_back({{"id", entry.id},
                    {"operator", entry.op},
                    {"outcome", entry.outcome},
                    {"conditions", entry.conditions}});
  }
  return rows;
}

Json ListFeatures(const Edition& edition) {
  Json rows = Json::array();
  for (size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    if (!edition.Has(feature)) continue;
    rows.push_back({{"feature", Name(feature)}, {"sentence", Sentence(feature)}});
  }
  return rows;
}

Json ListFaults(const Edition& edition) {
  Json rows = Json::array();
  const auto add = [&](const Fault& fault) -> Json& {
    Json& row = rows.emplace_back(Json{{"id", fault.id},
                                       {"operator", fault.op},
                                       {"source", Name(fault.source)},
                                       {"sentence", fault.sentence},
                                       {"clause", fault.clause}});
    if (!fault.report.empty()) row["report"] = fault.report;
    row["types"] = Json::array();
    return row;
  };
  for (const Fault& fault : FaultsOf(edition)) {
    Json& row = add(fault);
    if (fault.IsOfConditions()) continue;
    for (const TypeRow& type_row : edition.FindOperator(fault.op)->type_rows) {
      if (fault.Touches(type_row)) row["types"].push_back(type_row.mode);
    }
  }
  for (const Fault& fault : SymbolicFaultsOf(edition)) add(fault);
  return rows;
}

std::string FormatOperators(const Json& rows, size_t width) {
  Json flat = Json::array();
  for (const Json& row : rows) {
    Json& line = flat.emplace_back(row);
    for (const char* column : {"inputs", "attributes", "outputs"}) line[column] = Json::array();
    for (const Json& argument : row.at("arguments")) {
      line[argument.at("category").get<std::string>() + "s"].push_back(argument.at("name"));
    }
  }
  return FormatTable(flat, {"operator", "group", "inputs", "attributes", "outputs", "type_rows"},
                     width);
}

std::string FormatTypes(const Json& rows, size_t width) {
  return FormatTable(rows, {"operator", "mode", "profiles", "types", "bindings"}, width);
}

std::string FormatFeatures(const Json& rows, size_t width) {
  return FormatTable(rows, {"feature", "sentence"}, width);
}

std::string FormatFaults(const Json& rows, size_t width) {
  return FormatTable(rows, {"id", "source", "sentence"}, width);
}

std::string FormatCases(const Json& rows) {
  std::string text;
  for (const Json& row : rows) text += row.at("id").get<std::string>() + "\n";
  return text;
}

std::string FormatLevels(const Json& rows, size_t width) {
  Json flat = Json::array();
  std::set<std::string> maxima;
  for (const Json& row : rows) {
    Json& line = flat.emplace_back(row.at("maxima"));
    for (const auto& [name, value] : row.at("maxima").items()) maxima.insert(name);
    line["level"] = row.at("level");
  }
  std::vector<std::string> columns = {"level"};
  columns.insert(columns.end(), maxima.begin(), maxima.end());
  return FormatTable(flat, columns, width);
}

std::string FormatTable(const Json& rows, const std::vector<std::string>& columns,
                        size_t line_width) {
  std::vector<std::string> lines(rows.size() + 1);
  for (const std::string& column : columns) {
    const auto has_column = [&](const Json& row) { return row.contains(column); };
    if (std::none_of(rows.begin(), rows.end(), has_column)) continue;
    std::vector<std::string> cells = {column};
    bool numbers = true;
    for (const Json& row : rows) {
      cells.push_back(row.contains(column) ? CellText(row.at(column), 0) : "");
      numbers = numbers && (!row.contains(column) || row.at(column).is_number());
    }
    const bool last = column == columns.back();
    size_t width = 0;
    for (const std::string& cell : cells) width = std::max(width, cell.size());
    for (size_t i = 0; i < cells.size(); ++i) {
      if (!lines[i].empty()) lines[i] += "  ";
      const size_t begin = lines[i].size();
      if (last && !numbers && begin + width > line_width) {
        // A narrower column would be unreadable: the text then goes below the others.
        constexpr size_t kLeastFolded = 24, kIndent = 4;
        const bool beside = begin + kLeastFolded <= line_width;
        if (!beside) {
          lines[i].erase(lines[i].find_last_not_of(' ') + 1);
          if (!cells[i].empty()) lines[i] += "\n" + std::string(kIndent, ' ');
        }
        lines[i] += Fold(cells[i], beside ? begin : kIndent, line_width);
        continue;
      }
      const std::string blanks(width - cells[i].size(), ' ');
      lines[i] += numbers ? blanks + cells[i] : cells[i] + blanks;
    }
  }
  std::string text;
  for (const std::string& line : lines) {
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

}  // namespace cts
