#if defined(__GNUC__) && !defined(__clang__)
// False alarms of GCC 12: in std::string::replace, which valijson calls (GCC bug 105329), and in
// std::regex under AddressSanitizer (GCC bug 105562).
#pragma GCC diagnostic ignored "-Wrestrict"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "reference/base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

// Without exceptions valijson ends the process on a schema that it cannot read.
#define VALIJSON_USE_EXCEPTIONS 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>

#include "cts_schemas.h"
#include "reference/base/file.h"

namespace cts {
namespace {

constexpr size_t kMaxDepth = 100;
// std::regex recurses for every character: schemas' patterns see no longer string than this.
constexpr size_t kMaxMatched = 1024;
constexpr size_t kMaxErrors = 3;

// A value as a message shows it: one line, cut.
std::string Brief(const Json& json, size_t length = 80) {
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > length) text = text.substr(0, length) + "...";
  return text;
}

// Iterates over a text and publishes how far the parser has come.
struct Reading {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at;
  const char** furthest;

  const char& operator*() const { return *at; }
  Reading& operator++() {
    *furthest = ++at;
    return *this;
  }
  bool operator==(const Reading& other) const { return at == other.at; }
};

// Builds the value from the parser's events; refuses what nlohmann::json lets pass.
class Builder : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return Add(value); }
  bool number_unsigned(uint64_t value) override { return Add(value); }
  bool number_float(double value, const std::string& text) override {
    // nlohmann::json reads an integer beyond 64 bits as a double, and loses digits.
    if (text.find_first_of(".eE") == std::string::npos) {
      return Fail(StrCat("found the integer ", text.substr(0, 40), ", expected at most 64 bits"));
    }
    return Add(value);
  }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }

  bool start_object(size_t) override { return Open(Json::object()); }
  bool key(std::string& name) override {
    if (name.size() > kMaxMatched) {
      return Fail(
          StrCat("found a member name of ", name.size(), " bytes, expected at most ", kMaxMatched));
    }
    const auto [member, inserted] = open_.back()->get_ref<Json::object_t&>().emplace(name, nullptr);
    if (!inserted) return Fail(StrCat("found the member ", Brief(name), " twice"));
    member_ = &member->second;
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error ..."
    const std::string what = error.what();
    const size_t prefix = what.find(": ");
    const size_t code = what.find("] ");
    return Fail(prefix != std::string::npos ? what.substr(prefix + 2)
                : code != std::string::npos ? what.substr(code + 2)
                                            : what);
  }

  const std::string& error() const { return error_; }
  Json& result() { return result_; }

 private:
  bool Fail(std::string error) {
    error_ = std::move(error);
    return false;
  }

  // Puts a value where the next one belongs.
  Json* Place(Json value) {
    if (open_.empty()) {
      result_ = std::move(value);
      return &result_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    *member_ = std::move(value);
    return member_;
  }
  bool Add(Json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Json value) {
    if (open_.size() == kMaxDepth) {
      return Fail(StrCat("nested more than ", kMaxDepth, " levels deep"));
    }
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  Json result_;
  std::vector<Json*> open_;  // arrays and objects around the next value
  Json* member_ = nullptr;   // of the innermost object, waiting for its value
  std::string error_;
};

// A schema as text tells it, and as valijson wants it.
struct Schema {
  Json json;
  valijson::Schema compiled;
};

// The embedded schema of that name, compiled once and never freed.
StatusOr<const Schema*> FindSchema(std::string_view name) {
  static std::mutex mutex;
  static auto& schemas = *new std::map<std::string, std::unique_ptr<Schema>, std::less<>>;
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = schemas.find(name); found != schemas.end()) return found->second.get();
  const std::string_view member = name.substr(std::min(name.find('/'), name.size()));
  const std::string file_name = StrCat(name.substr(0, name.size() - member.size()), ".schema.json");
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    if (file.name != file_name) continue;
    auto schema = std::make_unique<Schema>();
    CTS_ASSIGN_OR_RETURN(schema->json, ParseJson(file.text, file_name));
    if (!member.empty()) {
      const Json::json_pointer pointer(StrCat("/properties", member));
      if (!schema->json.contains(pointer)) break;
      Json part = schema->json[pointer];
      part["definitions"] = schema->json["definitions"];
      schema->json = std::move(part);
    }
    try {
      valijson::SchemaParser().populateSchema(valijson::adapters::NlohmannJsonAdapter(schema->json),
                                              schema->compiled);
    } catch (const std::exception& error) {
      return absl::InternalError(StrCat(file_name, ": not a JSON schema: ", error.what()));
    }
    return (schemas[std::string(name)] = std::move(schema)).get();
  }
  return NotFound("schema '", name, "': no such embedded schema");
}

// Follows {"$ref": "#/definitions/..."}; nullptr where that leads nowhere.
const Json* Resolve(const Json& root, const Json* schema) {
  for (size_t i = 0; i < kMaxDepth && schema->is_object() && schema->contains("$ref"); ++i) {
    const Json& reference = (*schema)["$ref"];
    if (!reference.is_string()) return nullptr;
    const std::string text = reference.get<std::string>();
    if (text.empty() || text[0] != '#') return nullptr;
    const Json::json_pointer pointer(text.substr(1));
    if (!root.contains(pointer)) return nullptr;
    schema = &root[pointer];
  }
  return schema;
}

// What is wrong at one place of a document.
struct Complaint {
  Json::json_pointer pointer;
  std::string text;
  size_t depth = 0;
};

// "found X, expected Y" for valijson's `description`, from the value and the part of the schema
// that speaks of it.
std::string Explain(const Json& value, const Json* schema, const std::string& description) {
  const std::string found = StrCat("found ", Brief(value), ", expected ");
  if (schema == nullptr || !schema->is_object()) return StrCat(found, "otherwise: ", description);
  if (description.starts_with("Missing required property")) {
    std::string missing;
    for (const Json& name : schema->value("required", Json::array())) {
      if (value.is_object() && name.is_string() && !value.contains(name.get<std::string>())) {
        missing += StrCat(missing.empty() ? "" : ", ", name.dump());
      }
    }
    if (!missing.empty()) return StrCat("missing required member ", missing);
  }
  if (description.starts_with("Object contains a property")) {
    std::string unknown;
    std::string known;
    const Json properties = schema->value("properties", Json::object());
    for (const auto& [name, unused] : value.items()) {
      if (!properties.contains(name)) unknown += StrCat(unknown.empty() ? "" : ", ", Brief(name));
    }
    for (const auto& [name, unused] : properties.items()) {
      known += StrCat(known.empty() ? "" : ", ", name);
    }
    if (!unknown.empty())
      return StrCat("found unknown member ", unknown, ", expected only ", known);
  }
  if (description.starts_with("Value type not permitted") && schema->contains("type")) {
    return StrCat(found, "type ", Brief((*schema)["type"]));
  }
  for (const char* keyword : {"const", "enum", "pattern", "anyOf", "oneOf"}) {
    if (schema->contains(keyword)) {
      return StrCat(found, keyword, " ", Brief((*schema)[keyword], 300));
    }
  }
  return StrCat(found, "otherwise: ", description);
}

// Finds the place that valijson's error speaks of: its context is "<root>", "[member]", "[2]".
Complaint Locate(const Json& json, const Json& root,
                 const valijson::ValidationResults::Error& error) {
  Complaint complaint;
  const Json* value = &json;
  const Json* schema = Resolve(root, &root);
  for (size_t i = 1; i < error.context.size(); ++i) {
    const std::string step = error.context[i].substr(1, error.context[i].size() - 2);
    const Json* next = nullptr;
    if (value->is_array()) {
      const size_t index = std::stoul(step);
      if (index >= value->size()) break;
      complaint.pointer /= index;
      value = &(*value)[index];
      if (schema != nullptr && schema->contains("items")) next = &(*schema)["items"];
    } else {
      if (!value->is_object() || !value->contains(step)) break;
      complaint.pointer /= step;
      value = &(*value)[step];
      if (schema != nullptr && schema->contains("properties") &&
          (*schema)["properties"].contains(step)) {
        next = &(*schema)["properties"][step];
      } else if (schema != nullptr && schema->contains("additionalProperties")) {
        next = &(*schema)["additionalProperties"];
      }
    }
    schema = next == nullptr ? nullptr : Resolve(root, next);
    ++complaint.depth;
  }
  complaint.text = Explain(*value, schema, error.description);
  return complaint;
}

bool HasLongString(const Json& json) {
  if (json.is_string()) return json.get_ref<const std::string&>().size() > kMaxMatched;
  if (!json.is_structured()) return false;
  for (const Json& child : json) {
    if (HasLongString(child)) return true;
  }
  return false;
}

// Replaces long strings by what no pattern of a schema accepts (a test holds the schemas to that):
// a long string that has to match one is refused.
void ReplaceLongStrings(Json* json) {
  if (json->is_string()) {
    std::string& text = json->get_ref<std::string&>();
    if (text.size() > kMaxMatched) text = std::string(kMaxMatched, '?');
  } else if (json->is_structured()) {
    for (Json& child : *json) ReplaceLongStrings(&child);
  }
}

void AppendDouble(double value, std::string* out) {
  if (!std::isfinite(value)) {
    *out += DoubleToJson(value).dump();
    return;
  }
  char text[40];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  const std::string_view digits(text, static_cast<size_t>(end - text));
  *out += digits;
  // Stays a floating-point number when read back.
  if (digits.find_first_of(".e") == std::string_view::npos) *out += ".0";
}

// As Json::dump(2), but doubles as the shortest text that reads back equal: nlohmann's are longer
// than that now and then, and null for what is not finite.
void Append(const Json& json, const std::string& line, std::string* out) {
  if (json.is_number_float()) {
    AppendDouble(json.get<double>(), out);
  } else if (json.is_structured() && !json.empty()) {
    const std::string inner = line + "  ";
    const char* separator = json.is_object() ? "{" : "[";
    for (const auto& [name, value] : json.items()) {
      *out += separator;
      *out += inner;
      if (json.is_object()) {
        *out += Json(name).dump(-1, ' ', false, Json::error_handler_t::replace) + ": ";
      }
      Append(value, inner, out);
      separator = ",";
    }
    *out += line;
    *out += json.is_object() ? '}' : ']';
  } else {
    *out += json.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace

StatusOr<Json> ParseJson(std::string_view text, std::string_view origin) {
  const char* const end = text.data() + text.size();
  const char* furthest = text.data();
  Builder builder;
  std::string problem;
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    // nlohmann::json takes it for the end and ignores the rest.
    furthest += nul + 1;
    problem = "found a NUL byte";
  } else {
    try {
      if (Json::sax_parse(Reading{text.data(), &furthest}, Reading{end, &furthest}, &builder)) {
        return std::move(builder.result());
      }
      problem = builder.error();
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
  // The place of the last character that was read, counted from 1.
  size_t line = 1;
  size_t column = 0;
  for (const char* c = text.data(); c != furthest; ++c) {
    ++column;
    if (*c == '\n' && c + 1 != furthest) {
      ++line;
      column = 0;
    }
  }
  return InvalidArgument(origin, ": line ", line, ", column ", column, ": ", problem);
}

Status ValidateJson(const Json& json, std::string_view schema_name, std::string_view origin) {
  CTS_ASSIGN_OR_RETURN(const Schema* const schema, FindSchema(schema_name));
  Json copy;
  const Json* document = &json;
  if (HasLongString(json)) {
    copy = json;
    ReplaceLongStrings(&copy);
    document = &copy;
  }
  valijson::ValidationResults results;
  try {
    static thread_local valijson::Validator validator;  // keeps the patterns that it has compiled
    if (validator.validate(schema->compiled, valijson::adapters::NlohmannJsonAdapter(*document),
                           &results)) {
      return absl::OkStatus();
    }
  } catch (const std::exception& error) {
    return InvalidArgument(origin, ": cannot be validated as '", schema_name, "': ", error.what());
  }
  // The deepest place is the most specific; what merely says that something within failed goes,
  // but where alternatives failed, which Explain lists.
  std::vector<Complaint> complaints;
  std::set<std::pair<std::string, std::string>> seen;
  for (const valijson::ValidationResults::Error& error : results) {
    if (error.description.starts_with("Failed to validate") &&
        error.description.find("any schemas") == std::string::npos) {
      continue;
    }
    Complaint complaint = Locate(json, schema->json, error);
    if (seen.emplace(complaint.pointer.to_string(), complaint.text).second) {
      complaints.push_back(std::move(complaint));
    }
  }
  std::stable_sort(complaints.begin(), complaints.end(),
                   [](const Complaint& a, const Complaint& b) { return a.depth > b.depth; });
  std::string message;
  for (size_t i = 0; i < std::min(complaints.size(), kMaxErrors); ++i) {
    const std::string pointer = complaints[i].pointer.to_string();
    message += StrCat(i > 0 ? "; " : "", pointer.empty() ? "/" : pointer, ": ", complaints[i].text);
  }
  if (complaints.size() > kMaxErrors) {
    message += StrCat("; and ", complaints.size() - kMaxErrors, " more");
  }
  if (message.empty()) message = "/: does not fit";
  return InvalidArgument(origin, ": ", message, " (schema '", schema_name, "')");
}

StatusOr<Json> LoadJson(const std::filesystem::path& path, std::string_view schema,
                        uint64_t max_bytes) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, max_bytes));
  CTS_ASSIGN_OR_RETURN(Json json, ParseJson(text, path.string()));
  if (!schema.empty()) CTS_RETURN_IF_ERROR(ValidateJson(json, schema, path.string()));
  return json;
}

std::string FormatJson(const Json& json) {
  std::string text;
  Append(json, "\n", &text);
  return text + "\n";
}

Status SaveJson(const std::filesystem::path& path, const Json& json) {
  return WriteFile(path, FormatJson(json));
}

Json DoubleToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

StatusOr<double> DoubleFromJson(const Json& json) {
  constexpr std::string_view kExpected =
      ", expected a number, \"nan\", \"inf\", \"-inf\" or hexadecimal such as \"0x1.8p3\"";
  if (json.is_number_float()) return json.get<double>();
  if (json.is_number()) {
    const double value = json.get<double>();
    // Integers compare exactly only as integers; 2^63 and 2^64 do not fit those.
    const bool exact = json.is_number_unsigned()
                           ? value < 0x1p64 && static_cast<uint64_t>(value) == json.get<uint64_t>()
                           : value < 0x1p63 && static_cast<int64_t>(value) == json.get<int64_t>();
    if (exact) return value;
    return InvalidArgument("found ", Brief(json), ", which fp64 cannot hold exactly");
  }
  if (!json.is_string()) return InvalidArgument("found ", Brief(json), kExpected);
  std::string_view text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  double value = std::numeric_limits<double>::infinity();
  if (text != "inf") {
    const bool is_hexadecimal =
        text.size() > 2 && text.starts_with("0x") &&
        std::string_view("0123456789abcdefABCDEF.").find(text[2]) != std::string_view::npos;
    if (is_hexadecimal) text.remove_prefix(2);
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::hex);
    if (!is_hexadecimal || stop != end || error != std::errc()) {
      return InvalidArgument("found ", Brief(json), kExpected);
    }
  }
  return negative ? -value : value;
}

std::string FormatHex(double value) {
  if (std::isnan(value)) return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value)) return sign + "inf";
  char text[32];
  const auto [end, error] =
      std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::hex);
  return StrCat(sign, "0x", std::string_view(text, static_cast<size_t>(end - text)));
}

}  // namespace cts
