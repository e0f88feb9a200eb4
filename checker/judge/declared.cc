#include "checker/judge/declared.h"

#include <algorithm>
#include <set>

#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/dtype.h"
#include "reference/base/json.h"
#include "reference/base/nearest.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

using Names = std::vector<std::string>;

std::string Listed(const Names& names, std::string_view between = ", ") {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : between, name);
  return text;
}

// Every name must be one that is known, once. `pointer` is that of the list.
Status CheckNames(const Names& names, const Names& known, std::string_view what,
                  const std::string& pointer, std::string_view origin) {
  constexpr size_t kNearest = 3;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = [&](const auto&... more) {
      return InvalidArgument(origin, ": ", pointer, "/", i, ": found \"",
                             Shortened(Printable(names[i]), 100), "\", ", more...);
    };
    if (!Contains(known, names[i])) {
      return found("expected ", what,
                   "; the nearest: ", Listed(NearestNames(known, names[i], kNearest)));
    }
    if (std::count(names.begin(), names.end(), names[i]) > 1) {
      return found("expected every name once");
    }
  }
  return absl::OkStatus();
}

// The names that an edition knows.
struct KnownNames {
  Names profiles, extensions, operators, types;
};

KnownNames NamesOf(const Edition& edition) {
  KnownNames known;
  for (const ProfileSpec& profile : edition.profiles) {
    (profile.extension ? known.extensions : known.profiles).push_back(profile.name);
  }
  std::set<std::string> types;
  for (const OperatorSpec& op : edition.operators) {
    known.operators.push_back(op.name);
    for (const TypeRow& row : op.type_rows) {
      for (const auto& [variable, type] : row.types) {
        if (row.Type(variable)) types.insert(type);
      }
    }
  }
  known.types.assign(types.begin(), types.end());
  return known;
}

// Types by the variables of an operator's table of types that leave something open, in the order of
// its arguments: first those of operands, then those of results that no operand has.
struct OpenTypes {
  Names operands, results;
  std::map<std::string, std::string> of;  // by variable

  void Add(const ArgumentSpec& argument, std::string_view type) {
    if (!of.emplace(argument.element_type, type).second) return;
    (argument.category == ArgumentCategory::kOutput ? results : operands).emplace_back(type);
  }
  // "i8", "fp32->i8", "i8 i4 i32"
  std::string Together() const {
    const std::string of_results = Listed(results, " ");
    return StrCat(Listed(operands, " "), operands.empty() || results.empty() ? "" : "->",
                  of_results);
  }
};

bool IsOpen(const OperatorSpec& spec, const ArgumentSpec& argument) {
  return std::any_of(spec.type_rows.begin(), spec.type_rows.end(), [&](const TypeRow& row) {
    return row.Type(argument.element_type).has_value();
  });
}

constexpr ArgumentCategory kTensorCategories[] = {ArgumentCategory::kInput,
                                                  ArgumentCategory::kOutput};

// Returns the pairs of types that the operator's rows have together.
Names PairsOf(const OperatorSpec& spec) {
  std::set<std::string> pairs;
  for (const TypeRow& row : spec.type_rows) {
    OpenTypes types;
    for (const ArgumentCategory category : kTensorCategories) {
      for (const ArgumentSpec& argument : spec.arguments) {
        if (argument.category != category || !IsOpen(spec, argument)) continue;
        if (const auto type = row.Type(argument.element_type)) {
          types.Add(argument, Name(*type));
        }
      }
    }
    pairs.insert(types.Together());
  }
  return {pairs.begin(), pairs.end()};
}

// The types that one operator of a graph has: each of them, and those that it has together, unless
// one variable has several. A list takes what the arguments behind it leave.
struct FoundTypes {
  std::set<std::string> each;
  std::string together;
};

FoundTypes TypesOf(const OperatorSpec& spec, const Block& block, const GraphOperator& op) {
  FoundTypes found;
  OpenTypes types;
  bool one_each = true;
  for (const ArgumentCategory category : kTensorCategories) {
    const Names& names = category == ArgumentCategory::kInput ? op.inputs : op.outputs;
    std::vector<const ArgumentSpec*> arguments;
    for (const ArgumentSpec& argument : spec.arguments) {
      if (argument.category == category) arguments.push_back(&argument);
    }
    size_t at = 0;
    for (size_t k = 0; k < arguments.size(); ++k) {
      const size_t behind = arguments.size() - k - 1;
      const size_t left = names.size() - at;
      size_t count = std::min<size_t>(1, left);
      if (arguments[k]->type == "tensor_list_t") count = left - std::min(left, behind);
      for (const size_t end = at + count; at < end; ++at) {
        const GraphTensor* const tensor = block.Find(names[at]);
        if (tensor == nullptr || !IsOpen(spec, *arguments[k])) continue;
        found.each.insert(std::string(Name(tensor->dtype)));
        types.Add(*arguments[k], Name(tensor->dtype));
        one_each = one_each && types.of.at(arguments[k]->element_type) == Name(tensor->dtype);
      }
    }
  }
  if (one_each) found.together = types.Together();
  return found;
}

std::string BeyondProfiles(const Declared& declared, const Edition& edition, const Case& c) {
  if (!declared.profiles || c.profiles.empty()) return "";
  std::set<std::string> names(declared.profiles->begin(), declared.profiles->end());
  for (const ProfileSpec& profile : edition.profiles) {
    if (Contains(*declared.profiles, profile.name)) {
      names.insert(profile.includes.begin(), profile.includes.end());
    }
  }
  names.insert(declared.extensions.begin(), declared.extensions.end());
  Names needed;
  for (const Names& all_of : c.profiles) {
    if (std::all_of(all_of.begin(), all_of.end(),
                    [&](const std::string& name) { return names.contains(name); })) {
      return "";
    }
    needed.push_back(Listed(all_of, " and "));
  }
  return Listed(needed, " or ");
}

std::string BeyondLimits(const Declared& declared, const GraphTensor& tensor) {
  const auto above = [&](const char* what, int64_t value, const std::optional<int64_t>& limit) {
    if (!limit || value <= *limit) return std::string();
    return StrCat(what, " ", value, " of ", Printable(tensor.name), ", above ", *limit);
  };
  std::string beyond = above("rank", static_cast<int64_t>(tensor.shape.size()), declared.max_rank);
  // Sizes that a symbolic program leaves open are -1.
  double elements = 1;
  for (const int64_t dimension : tensor.shape) {
    if (beyond.empty()) beyond = above("dimension", dimension, declared.max_dimension);
    elements *= static_cast<double>(std::max<int64_t>(dimension, 1));
  }
  // A graph that is illegal on purpose may declare more than 64 bits count.
  constexpr double kMost = 0x1p62;
  if (beyond.empty()) {
    beyond =
        above("elements", static_cast<int64_t>(std::min(elements, kMost)), declared.max_elements);
  }
  return beyond;
}

std::string BeyondTypes(const Declared& declared, const Edition& edition, const Block& block,
                        const GraphOperator& op) {
  const auto own = declared.types_of.find(op.op);
  if (own == declared.types_of.end() && !declared.types) return "";
  const Names& types = own == declared.types_of.end() ? *declared.types : own->second;
  const OperatorSpec* const spec = edition.FindOperator(op.op);
  if (spec == nullptr) return "";
  const FoundTypes found = TypesOf(*spec, block, op);
  if (Contains(types, found.together)) return "";
  const bool pairs = std::any_of(types.begin(), types.end(), [](const std::string& type) {
    return type.find("->") != std::string::npos;
  });
  for (const std::string& type : found.each) {
    if (!Contains(types, type)) return StrCat(pairs ? found.together : type, " in ", op.op);
  }
  return "";
}

}  // namespace

StatusOr<Declared> DeclaredFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "declared", origin));
  Declared declared;
  declared.edition = json["edition"];
  const auto names = [&](const char* member, auto& list) {
    if (json.contains(member)) list = json[member].get<Names>();
  };
  names("profiles", declared.profiles);
  names("extensions", declared.extensions);
  names("operators", declared.operators);
  names("types", declared.types);
  if (json.contains("types_of")) {
    declared.types_of = json["types_of"].get<std::map<std::string, Names>>();
  }
  declared.illegal_graphs = json.value("illegal_graphs", true);
  names("conformant", declared.conformant);
  const Json limits = json.value("limits", Json::object());
  for (const auto& [member, limit] :
       {std::pair("rank", &declared.max_rank), std::pair("dimension", &declared.max_dimension),
        std::pair("elements", &declared.max_elements)}) {
    if (limits.contains(member)) *limit = limits[member].get<int64_t>();
  }
  return declared;
}

Status CheckDeclared(const Declared& declared, std::string_view edition, std::string_view origin) {
  if (declared.edition != edition) {
    return InvalidArgument(origin, ": /edition: found \"",
                           Shortened(Printable(declared.edition), 100), "\", expected \"",
                           std::string(edition), "\": declare what is supported of that edition");
  }
  const StatusOr<const Edition*> found = FindEdition(declared.edition);
  if (!found.ok()) return Annotate(found.status(), StrCat(origin, ": /edition"));
  const KnownNames known = NamesOf(**found);
  const std::string of = StrCat(" of ", declared.edition);
  if (!declared.extensions.empty() && !declared.profiles) {
    return InvalidArgument(origin, ": /extensions: found ", Listed(declared.extensions),
                           " without /profiles, expected the profiles that they extend beside ",
                           "them: without profiles all are declared, and all extensions");
  }
  if (declared.profiles) {
    CTS_RETURN_IF_ERROR(CheckNames(*declared.profiles, known.profiles, StrCat("a profile", of),
                                   "/profiles", origin));
  }
  CTS_RETURN_IF_ERROR(CheckNames(declared.extensions, known.extensions, StrCat("an extension", of),
                                 "/extensions", origin));
  if (!declared.conformant.empty()) {
    Names offered = known.profiles;
    offered.insert(offered.end(), known.extensions.begin(), known.extensions.end());
    std::string kind = StrCat("a profile or an extension", of);
    if (declared.profiles) {
      offered = *declared.profiles;
      offered.insert(offered.end(), declared.extensions.begin(), declared.extensions.end());
      kind = "one of /profiles and /extensions";
    }
    CTS_RETURN_IF_ERROR(CheckNames(declared.conformant, offered, kind, "/conformant", origin));
  }
  if (declared.operators) {
    CTS_RETURN_IF_ERROR(CheckNames(*declared.operators, known.operators, StrCat("an operator", of),
                                   "/operators", origin));
  }
  const std::string a_type = StrCat("a type", of);
  if (declared.types) {
    CTS_RETURN_IF_ERROR(CheckNames(*declared.types, known.types, a_type, "/types", origin));
  }
  for (const auto& [op, types] : declared.types_of) {
    const std::string pointer = StrCat("/types_of/", Printable(op));
    if (!Contains(known.operators, op) ||
        (declared.operators && !Contains(*declared.operators, op))) {
      return InvalidArgument(
          origin, ": ", pointer, ": expected ",
          declared.operators ? std::string("one of /operators") : StrCat("an operator", of),
          "; the nearest: ",
          Listed(NearestNames(declared.operators ? *declared.operators : known.operators, op, 3)));
    }
    Names offered = PairsOf(*(*found)->FindOperator(op));
    offered.insert(offered.end(), known.types.begin(), known.types.end());
    CTS_RETURN_IF_ERROR(CheckNames(
        types, offered, StrCat(a_type, ", or types of ", op, " together"), pointer, origin));
  }
  return absl::OkStatus();
}

StatusOr<Declared> ReadDeclared(const std::filesystem::path& path, std::string_view edition) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, ""));
  CTS_ASSIGN_OR_RETURN(Declared declared, DeclaredFromJson(json, path.string()));
  CTS_RETURN_IF_ERROR(CheckDeclared(declared, edition, path.string()));
  return declared;
}

Json DeclaredToJson(const Declared& declared) {
  Json json = {{"format", "tensor-cts-declared-1"}, {"edition", declared.edition}};
  if (declared.profiles) json["profiles"] = *declared.profiles;
  if (!declared.extensions.empty()) json["extensions"] = declared.extensions;
  if (declared.operators) json["operators"] = *declared.operators;
  if (declared.types) json["types"] = *declared.types;
  if (!declared.types_of.empty()) json["types_of"] = declared.types_of;
  if (!declared.illegal_graphs) json["illegal_graphs"] = false;
  if (!declared.conformant.empty()) json["conformant"] = declared.conformant;
  if (declared.max_rank) json["limits"]["rank"] = *declared.max_rank;
  if (declared.max_dimension) json["limits"]["dimension"] = *declared.max_dimension;
  if (declared.max_elements) json["limits"]["elements"] = *declared.max_elements;
  return json;
}

std::string BeyondDeclared(const Declared& declared, const Case& c) {
  const StatusOr<const Edition*> edition = FindEdition(declared.edition);
  if (!edition.ok()) return StrCat("edition ", Printable(declared.edition));
  if (!declared.illegal_graphs && c.outcome == Outcome::kError) return "illegal graphs";
  if (std::string beyond = BeyondProfiles(declared, **edition, c); !beyond.empty()) return beyond;
  const auto is_declared = [&](const std::string& op) {
    return !declared.operators || Contains(*declared.operators, op);
  };
  // In a case about constants, the constants are the operator.
  if (!is_declared(c.op)) return StrCat("operator ", Printable(c.op));
  for (const Region& region : c.graph.regions) {
    for (const Block& block : region.blocks) {
      for (const GraphOperator& op : block.operators) {
        if (IsConstant(op) && op.op != c.op) continue;
        if (!is_declared(op.op)) return StrCat("operator ", Printable(op.op));
        std::string beyond = BeyondTypes(declared, **edition, block, op);
        if (!beyond.empty()) return beyond;
      }
      for (const GraphTensor& tensor : block.tensors) {
        std::string beyond = BeyondLimits(declared, tensor);
        if (!beyond.empty()) return beyond;
      }
    }
  }
  return "";
}

bool IsCalledConformant(const Declared& declared, const Names& all_of) {
  return !all_of.empty() && std::all_of(all_of.begin(), all_of.end(), [&](const auto& name) {
    return Contains(declared.conformant, name);
  });
}

bool CalledConformant(const Declared& declared, const Case& c) {
  if (declared.conformant.empty()) return false;
  if (!declared.illegal_graphs && c.outcome == Outcome::kError) return false;
  return std::any_of(c.profiles.begin(), c.profiles.end(),
                     [&](const Names& all_of) { return IsCalledConformant(declared, all_of); });
}

}  // namespace cts
