#include "reference/base/schema.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <set>

#include "cts_schemas.h"
#include "reference/base/contains.h"

namespace cts {

// Reads a pattern from left to right; false, or nothing, if it is of another kind.
class SchemaPattern::Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<std::vector<Sequence>> Alternatives() {
    std::vector<Sequence> alternatives(1);
    while (!text_.empty() && text_[0] != ')') {
      if (Take('|')) {
        alternatives.emplace_back();
        continue;
      }
      Part part;
      if (!Atom(&part) || !Count(&part)) return std::nullopt;
      alternatives.back().push_back(std::move(part));
    }
    return alternatives;
  }
  bool AtEnd() const { return text_.empty(); }

 private:
  bool Take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  static size_t Code(char c) { return static_cast<unsigned char>(c); }

  bool Atom(Part* part) {
    if (Take('(')) {
      std::optional<std::vector<Sequence>> inner = Alternatives();
      if (!inner || !Take(')')) return false;
      part->alternatives = *std::move(inner);
      return true;
    }
    if (Take('[')) return Class(part);
    if (Take('.')) {
      part->members.set();
      part->members.reset(Code('\n'));
      part->members.reset(Code('\r'));
      return true;
    }
    if (Take('\\')) {
      // Accepts only characters that stand for themselves.
      if (text_.empty() || std::string_view(".[]()/").find(text_[0]) == text_.npos) return false;
    } else if (std::string_view("{}?*+^$]").find(text_[0]) != text_.npos) {
      return false;
    }
    part->members.set(Code(text_[0]));
    text_.remove_prefix(1);
    return true;
  }

  bool Class(Part* part) {
    const size_t end = text_.find(']');
    if (end == text_.npos || end == 0 || text_[0] == '^') return false;
    for (size_t i = 0; i < end; ++i) {
      if (text_[i] == '\\' || text_[i] == '[' || Code(text_[i]) >= 128) return false;
      const bool range = i + 2 < end && text_[i + 1] == '-';
      for (size_t c = Code(text_[i]); c <= Code(text_[range ? i + 2 : i]); ++c) {
        part->members.set(c);
      }
      if (range) i += 2;
    }
    text_.remove_prefix(end + 1);
    return true;
  }

  bool Count(Part* part) {
    if (Take('+')) {
      part->most = Schema::kUnlimited;
    } else if (Take('*')) {
      part->least = 0;
      part->most = Schema::kUnlimited;
    } else if (Take('?')) {
      part->least = 0;
    } else if (Take('{')) {
      const std::optional<size_t> least = Number();
      if (!least) return false;
      part->least = part->most = *least;
      if (Take(',')) {
        const std::optional<size_t> most = Number();
        if (!most) return false;
        part->most = *most;
      }
      return Take('}') && part->least <= part->most;
    } else {
      return true;
    }
    return text_.empty() || text_[0] != '?';  // lazy ones are of another kind
  }

  std::optional<size_t> Number() {
    size_t number = 0, digits = 0;
    for (; !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; ++digits) {
      number = 10 * number + static_cast<size_t>(text_[0] - '0');
      if (number > kMaxMatchedBytes) return std::nullopt;
      text_.remove_prefix(1);
    }
    return digits == 0 ? std::nullopt : std::optional(number);
  }

  std::string_view text_;
};

std::optional<SchemaPattern> SchemaPattern::Parse(std::string_view text) {
  if (text.size() < 2 || text.front() != '^' || text.back() != '$') return std::nullopt;
  Parser parser(text.substr(1, text.size() - 2));
  std::optional<std::vector<Sequence>> alternatives = parser.Alternatives();
  // "^a|b$" anchors each alternative at one end.
  if (!alternatives || !parser.AtEnd() || alternatives->size() != 1) return std::nullopt;
  SchemaPattern pattern;
  pattern.alternatives_ = *std::move(alternatives);
  return pattern;
}

SchemaPattern::Positions SchemaPattern::Once(const Part& part, std::string_view text,
                                             const Positions& at) {
  Positions ends;
  if (part.alternatives.empty()) {
    for (const size_t i : at) {
      if (i < text.size() && part.members[static_cast<unsigned char>(text[i])]) {
        ends.push_back(i + 1);
      }
    }
    return ends;
  }
  for (const Sequence& alternative : part.alternatives) {
    const Positions more = After(alternative, text, at);
    ends.insert(ends.end(), more.begin(), more.end());
  }
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

SchemaPattern::Positions SchemaPattern::After(const Part& part, std::string_view text,
                                              Positions at) {
  // The usual case: characters from one position on.
  if (part.alternatives.empty() && at.size() == 1) {
    Positions ends;
    for (size_t i = at[0], n = 0;; ++i, ++n) {
      if (n >= part.least) ends.push_back(i);
      if (n == part.most || i == text.size() ||
          !part.members[static_cast<unsigned char>(text[i])]) {
        return ends;
      }
    }
  }
  std::set<size_t> ends;
  if (part.least == 0) ends.insert(at.begin(), at.end());
  for (size_t n = 1; n <= part.most && !at.empty(); ++n) {
    at = Once(part, text, at);
    if (n < part.least) continue;
    // If a match has ended here before, everything that follows is known.
    std::erase_if(at, [&](size_t end) { return !ends.insert(end).second; });
  }
  return Positions(ends.begin(), ends.end());
}

SchemaPattern::Positions SchemaPattern::After(const Sequence& sequence, std::string_view text,
                                              Positions at) {
  for (const Part& part : sequence) {
    if (at.empty()) break;
    at = After(part, text, std::move(at));
  }
  return at;
}

bool SchemaPattern::Matches(std::string_view text) const {
  for (const Sequence& alternative : alternatives_) {
    const Positions ends = After(alternative, text, {0});
    if (!ends.empty() && ends.back() == text.size()) return true;
  }
  return false;
}

const Schema* Schema::Member(std::string_view name) const {
  const auto member = std::find_if(members.begin(), members.end(),
                                   [&](const auto& known) { return known.first == name; });
  return member == members.end() ? nullptr : member->second;
}

bool Schema::HasValue(const Json& value) const { return values.empty() || Contains(values, value); }

bool Schema::HasLength(std::string_view text) const {
  if (min_length == 0 && max_length == kUnlimited) return true;
  // A character of UTF-8 begins with any byte but 10xxxxxx.
  const auto characters = static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  return min_length <= characters && characters <= max_length;
}

bool Schema::HasPattern(std::string_view text) const {
  return !pattern || (text.size() <= kMaxMatchedBytes && pattern->Matches(text));
}

namespace {

// Compiles one schema; its parts refer to each other and live as long as the process.
class SchemaCompiler {
 public:
  explicit SchemaCompiler(const Json* root) : root_(*root) {}

  const Schema* Compile(const Json& json) {
    if (json.is_object() && json.contains("$ref")) {
      const std::string name = json["$ref"].get<std::string>();
      const auto [place, is_new] = references_.try_emplace(name, nullptr);
      if (is_new) {
        place->second = new Schema;
        const Json::json_pointer pointer(name.substr(std::min<size_t>(1, name.size())));
        if (name.starts_with('#') && root_.contains(pointer)) {
          Fill(root_[pointer], place->second);
        } else {
          Fail(StrCat("\"$ref\": \"", name, "\" leads nowhere"));
        }
      }
      return place->second;
    }
    auto* const schema = new Schema;
    Fill(json, schema);
    return schema;
  }
  // The keyword that is not understood; empty if there is none.
  const std::string& problem() const { return problem_; }

 private:
  void Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

  void Fill(const Json& json, Schema* schema) {
    schema->json = &json;
    if (!json.is_object()) return Fail(StrCat("found ", json.dump(), ", expected an object"));
    for (const auto& [keyword, value] : json.items()) {
      if (!AddToAny(keyword, value, schema) && !AddToMembers(keyword, value, schema) &&
          !AddLimit(keyword, value, schema)) {
        Fail(StrCat("\"", keyword, "\": ", value.dump(), " is not known"));
      }
    }
  }

  bool AddToAny(const std::string& keyword, const Json& value, Schema* schema) {
    static const std::set<std::string> kRemarks = {"$schema",     "$id",     "title",
                                                   "description", "default", "definitions"};
    if (kRemarks.count(keyword) > 0) return true;
    if (keyword == "type") return AddKinds(value, schema);
    if (keyword == "const") {
      schema->values = {value};
    } else if (keyword == "enum") {
      schema->values = value.get<std::vector<Json>>();
    } else if (keyword == "anyOf") {
      for (const Json& part : value) schema->any_of.push_back(Compile(part));
    } else if (keyword == "pattern") {
      schema->pattern = SchemaPattern::Parse(value.get<std::string>());
      return schema->pattern.has_value();
    } else if (keyword == "items" && value.is_object()) {
      schema->items = Compile(value);
    } else {
      return false;
    }
    return true;
  }

  bool AddToMembers(const std::string& keyword, const Json& value, Schema* schema) {
    if (keyword == "properties") {
      for (const auto& [name, part] : value.items()) {
        schema->members.emplace_back(name, Compile(part));
      }
    } else if (keyword == "required") {
      schema->required = value.get<std::vector<std::string>>();
    } else if (keyword == "dependencies") {
      for (const auto& [name, needed] : value.items()) {
        if (!needed.is_array()) return false;
        schema->dependencies.emplace_back(name, needed.get<std::vector<std::string>>());
      }
    } else if (keyword == "additionalProperties") {
      schema->closed = value == Json(false);
      if (value.is_object()) schema->others = Compile(value);
    } else if (keyword == "propertyNames") {
      schema->names = Compile(value);
    } else {
      return false;
    }
    return true;
  }

  static bool AddLimit(const std::string& keyword, const Json& value, Schema* schema) {
    if (!value.is_number()) return false;
    if (keyword == "exclusiveMinimum") {
      schema->minimum =
          std::nextafter(value.get<double>(), std::numeric_limits<double>::infinity());
      return true;
    }
    if (keyword == "minimum" || keyword == "maximum") {
      (keyword == "minimum" ? schema->minimum : schema->maximum) = value.get<double>();
      return true;
    }
    const std::map<std::string_view, size_t*> limits = {
        {"minItems", &schema->min_items},        {"maxItems", &schema->max_items},
        {"minLength", &schema->min_length},      {"maxLength", &schema->max_length},
        {"minProperties", &schema->min_members}, {"maxProperties", &schema->max_members}};
    const auto limit = limits.find(keyword);
    if (limit == limits.end() || !value.is_number_unsigned()) return false;
    *limit->second = value.get<size_t>();
    return true;
  }

  static bool AddKinds(const Json& value, Schema* schema) {
    static const std::map<std::string, unsigned> kKinds = {
        {"object", kJsonObject},   {"array", kJsonArray},
        {"string", kJsonString},   {"integer", kJsonInteger},
        {"boolean", kJsonBoolean}, {"number", kJsonInteger | kJsonDouble},
        {"null", kJsonNull}};
    schema->kinds = 0;
    for (const Json& name : value.is_array() ? value : Json::array({value})) {
      const auto kind = kKinds.find(name.get<std::string>());
      if (kind == kKinds.end()) return false;
      schema->kinds |= kind->second;
    }
    return true;
  }

  const Json& root_;
  std::map<std::string, Schema*> references_;
  std::string problem_;
};

}  // namespace

StatusOr<const Schema*> FindSchema(std::string_view name) {
  static std::mutex mutex;
  static auto& schemas = *new std::map<std::string, const Schema*, std::less<>>;
  static auto& roots = *new std::vector<const Json*>;  // what schemas point into
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = schemas.find(name); found != schemas.end()) return found->second;
  const std::string_view member = name.substr(std::min(name.find('/'), name.size()));
  const std::string file_name = StrCat(name.substr(0, name.size() - member.size()), ".schema.json");
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    if (file.name != file_name) continue;
    // An embedded file: the build has checked that it is JSON.
    const Json* const root = new Json(Json::parse(file.text, nullptr, false));
    roots.push_back(root);
    if (root->is_discarded()) return absl::InternalError(StrCat(file_name, ": not JSON"));
    const Json::json_pointer part(member.empty() ? "" : StrCat("/properties", member));
    if (!root->contains(part)) break;
    SchemaCompiler compiler(root);
    const Schema* const schema = compiler.Compile((*root)[part]);
    if (!compiler.problem().empty()) {
      return absl::InternalError(StrCat(file_name, ": not a JSON schema: ", compiler.problem()));
    }
    return schemas[std::string(name)] = schema;
  }
  return NotFound("schema '", name, "': no such embedded schema");
}

}  // namespace cts
