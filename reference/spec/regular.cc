#include "reference/spec/regular.h"

#include <algorithm>
#include <cctype>

#include "reference/base/contains.h"

namespace cts {
namespace {

using Strings = std::vector<std::string>;
using Types = std::map<std::string, std::string>;

// Block-scaled types: blocks of 32 values of one of these types, with a scale each.
constexpr std::string_view kBlockScaledValues[] = {"fp8e4m3", "fp8e5m2", "fp6e3m2",
                                                   "fp6e2m3", "fp4e2m1", "mxint8"};

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

// Introduction, Extension Data Type Mapping: what a type needs.
Strings ExtensionsOf(std::string_view type) {
  if (type.starts_with(kBlockScaledPrefix)) {
    std::string_view values = type.substr(kBlockScaledPrefix.size());
    if (values == "mxint8") values = "int8";
    return {"EXT-MX-COMMON", "EXT-MX-" + Upper(values)};
  }
  if (type == "i64" || type == "i16" || type == "i4") {
    return {"EXT-INT" + std::string(type.substr(1))};
  }
  if (type == "bf16" || type == "fp8e4m3" || type == "fp8e5m2") return {"EXT-" + Upper(type)};
  return {};
}

// The types that a binding may be, a set of types written out.
Strings TypesOf(const TypeBinding& binding) {
  Strings types;
  for (const std::string& type : binding.any_of) {
    if (type != std::string(kBlockScaledPrefix) + "set") {
      types.push_back(type);
      continue;
    }
    for (const std::string_view values : kBlockScaledValues) {
      types.push_back(std::string(kBlockScaledPrefix) + std::string(values));
    }
  }
  return types;
}

// The profiles of a row with these types, with deduced extensions filled in. An alternative without
// any says nothing; the plain rows have those types.
std::vector<Strings> ProfilesOf(const std::vector<Strings>& published, const Types& types) {
  std::vector<Strings> profiles;
  for (const Strings& together : published) {
    Strings needed;
    const auto add = [&](const std::string& name) {
      if (!Contains(needed, name)) needed.push_back(name);
    };
    for (const std::string& name : together) {
      if (name != kDeducedExtensions) {
        add(name);
        continue;
      }
      for (const auto& [variable, type] : types) {
        for (const std::string& extension : ExtensionsOf(type)) add(extension);
      }
    }
    if (!needed.empty()) profiles.push_back(std::move(needed));
  }
  return profiles;
}

// One row for every choice of types for the variables that a row leaves open.
std::vector<TypeRow> Expand(const TypeRow& row) {
  if (row.bindings.empty()) return {row};
  std::vector<Types> choices = {{}};
  for (const auto& [variable, binding] : row.bindings) {
    if (binding.any_of.empty()) continue;
    std::vector<Types> more;
    for (const Types& choice : choices) {
      for (const std::string& type : TypesOf(binding)) {
        more.push_back(choice);
        more.back()[variable] = type;
      }
    }
    choices = std::move(more);
  }
  std::vector<TypeRow> rows;
  for (const Types& choice : choices) {
    TypeRow& one = rows.emplace_back(row);
    one.bindings.clear();
    one.types.insert(choice.begin(), choice.end());
    for (const auto& [variable, type] : choice) one.mode += StrCat(", ", variable, " ", type);
    for (const auto& [variable, binding] : row.bindings) {
      if (!binding.same_as.empty()) one.types[variable] = choice.at(binding.same_as);
      if (binding.access_element_of.empty()) continue;
      const std::string& type = choice.at(binding.access_element_of);
      one.types[variable] = type.starts_with(kBlockScaledPrefix) ? "fp32" : type;
    }
    one.profiles = ProfilesOf(row.profiles, one.types);
    if (one.profiles.empty()) rows.pop_back();
  }
  return rows;
}

// "signed 8, bilinear": the row is for that mode alone.
void ReadMode(const OperatorSpec& spec, TypeRow& row) {
  if (spec.name != "RESIZE") return;
  const size_t comma = row.mode.rfind(", ");
  if (comma == std::string::npos) return;
  const std::string_view mode = std::string_view(row.mode).substr(comma + 2);
  if (mode == "bilinear") row.attributes["mode"] = "BILINEAR";
  if (mode.starts_with("nearest")) row.attributes["mode"] = "NEAREST_NEIGHBOR";
}

void Merge(std::vector<TypeRow>& rows) {
  std::vector<TypeRow> merged;
  for (TypeRow& row : rows) {
    const auto same = std::find_if(merged.begin(), merged.end(), [&](const TypeRow& other) {
      return other.types == row.types && other.attributes == row.attributes;
    });
    if (same == merged.end()) {
      merged.push_back(std::move(row));
      continue;
    }
    for (Strings& together : row.profiles) {
      if (!Contains(same->profiles, together)) {
        same->profiles.push_back(std::move(together));
      }
    }
  }
  rows = std::move(merged);
}

void MakeRegular(ArgumentSpec& argument) {
  // Its description says PROPAGATE, although nothing marks it as optional.
  if (argument.name == "nan_mode") argument.optional = true;
  // GATHER and SCATTER of 0.100; every other edition has i32.
  const bool is_input = argument.category == ArgumentCategory::kInput;
  if (is_input && argument.element_type == "size_t") argument.element_type = "i32_t";
}

// 0.100 calls the type of every VARIABLE operator var_t in the table, and in_t or out_t with the
// operands.
void NameTypesAsTheRows(OperatorSpec& spec) {
  const std::string var_t = "var_t";
  if (spec.type_rows.empty() || !spec.type_rows.front().types.contains(var_t)) return;
  for (ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kAttribute) argument.element_type = var_t;
  }
}

}  // namespace

void CompleteTypeRows(OperatorSpec& spec) {
  if (spec.name != "TRANSPOSE_CONV2D") return;
  // The fp8 rows of 0.100 have neither weights nor accumulator. The convolutions beside it,
  // and 1.0, have the input's for the weights and fp16, the output's, for the accumulator
  // (schemas/editions/notes.md).
  for (TypeRow& row : spec.type_rows) {
    const auto complete = [&](const char* variable, const char* as) {
      if (row.types.contains(as) && !row.bindings.contains(variable)) {
        row.types.emplace(variable, row.types.at(as));
      }
    };
    complete("weight_t", "in_t");
    complete("acc_t", "out_t");
  }
}

void MakeRegular(OperatorSpec& spec) {
  for (TypeRow& row : spec.type_rows) ReadMode(spec, row);
  for (ArgumentSpec& argument : spec.arguments) MakeRegular(argument);
  NameTypesAsTheRows(spec);
}

void ExpandTypeRows(OperatorSpec& spec) {
  std::vector<TypeRow> rows;
  for (const TypeRow& row : spec.type_rows) {
    for (TypeRow& one : Expand(row)) rows.push_back(std::move(one));
  }
  Merge(rows);
  spec.type_rows = std::move(rows);
}

}  // namespace cts
