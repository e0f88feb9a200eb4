#include "reference/base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/foreign_json.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/base/schema.h"
#include "reference/base/utf8.h"

namespace cts {
namespace {

constexpr size_t kMaxDepth = 100;
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

// Builds the value from the parser's events. Refuses some texts that nlohmann::json accepts.
class Builder : public nlohmann::json_sax<Json> {
 public:
  // `wide_integers`: an integer beyond 64 bits is the double that it equals.
  explicit Builder(bool wide_integers) : wide_integers_(wide_integers) {}

  bool null() override { return Add(nullptr); }
  bool boolean(bool value) override { return Add(value); }
  bool number_integer(int64_t value) override { return Add(value); }
  bool number_unsigned(uint64_t value) override { return Add(value); }
  bool number_float(double value, const std::string& text) override {
    // nlohmann::json reads an integer beyond 64 bits as a double, and loses digits.
    if (text.find_first_of(".eE") == std::string::npos &&
        !(wide_integers_ && IsExact(value, text))) {
      return Fail(StrCat("found the integer ", text.substr(0, 40), ", expected at most 64 bits"));
    }
    return Add(value);
  }
  bool string(std::string& value) override { return Add(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }

  bool start_object(size_t) override { return Open(Json::object()); }
  bool key(std::string& name) override {
    if (name.size() > kMaxMatchedBytes) {
      return Fail(StrCat("found a member name of ", name.size(), " bytes, expected at most ",
                         kMaxMatchedBytes));
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

  // Whether the integer `text` is the value, digit by digit.
  static bool IsExact(double value, const std::string& text) {
    std::array<char, 400> digits;  // the greatest double has 309
    const int length = std::snprintf(digits.data(), digits.size(), "%.0f", value);
    return std::string_view(digits.data(), static_cast<size_t>(length)) == text;
  }

  // Puts a value at the next place.
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

  const bool wide_integers_;
  Json result_;
  std::vector<Json*> open_;  // arrays and objects around the next value
  Json* member_ = nullptr;   // of the innermost object, waiting for its value
  std::string error_;
};

// The fault at one place of a document.
struct Complaint {
  Json::json_pointer pointer;
  std::string text;
  size_t depth = 0;
};

unsigned KindOf(const Json& value) {
  switch (value.type()) {
    case Json::value_t::object:
      return kJsonObject;
    case Json::value_t::array:
      return kJsonArray;
    case Json::value_t::string:
      return kJsonString;
    case Json::value_t::boolean:
      return kJsonBoolean;
    case Json::value_t::number_integer:
      return kJsonInteger;
    case Json::value_t::number_unsigned:
      return value.get<uint64_t>() <= INT64_MAX ? kJsonInteger : kJsonHuge;
    case Json::value_t::number_float:
      return kJsonDouble;
    default:
      return kJsonNull;
  }
}

// Finds every fault of a value, place by place.
class Complainer {
 public:
  void Visit(const Schema& schema, const Json& value) {
    const unsigned kind = KindOf(value);
    if (kind == kJsonHuge) return Say(value, "an integer of at most 2^63 - 1");
    if ((schema.kinds & kind) == 0) {
      return Say(value, StrCat("type ", Brief((*schema.json)["type"])));
    }
    if (!schema.HasValue(value)) {
      const char* const keyword = schema.json->contains("enum") ? "enum" : "const";
      return Say(value, StrCat(keyword, " ", Brief((*schema.json)[keyword], 300)));
    }
    if (!schema.any_of.empty()) VisitAlternatives(schema, value, kind);
    if (kind == kJsonObject) VisitObject(schema, value);
    if (kind == kJsonArray) VisitArray(schema, value);
    if (kind == kJsonString) VisitString(schema, value);
    if (kind == kJsonInteger || kind == kJsonDouble) VisitNumber(schema, value);
  }
  std::vector<Complaint>& complaints() { return complaints_; }

 private:
  void Add(std::string text) { complaints_.push_back({at_, std::move(text), depth_}); }
  void Say(const Json& value, const std::string& expected) {
    Add(StrCat("found ", Brief(value), ", expected ", expected));
  }
  template <class Step>
  void VisitAt(const Step& step, const Schema& schema, const Json& value) {
    at_ /= step;
    ++depth_;
    Visit(schema, value);
    --depth_;
    at_.pop_back();
  }

  void VisitAlternatives(const Schema& schema, const Json& value, unsigned kind) {
    const Schema* only = nullptr;  // the one that admits values of this kind
    size_t candidates = 0;
    for (const Schema* const part : schema.any_of) {
      Complainer inner;
      inner.Visit(*part, value);
      if (inner.complaints_.empty()) return;
      if ((part->kinds & kind) != 0) only = (++candidates, part);
    }
    if (candidates == 1 && value.is_structured()) return Visit(*only, value);
    Say(value, StrCat("anyOf ", Brief((*schema.json)["anyOf"], 300)));
  }

  void VisitObject(const Schema& schema, const Json& value) {
    std::string missing, unknown, known;
    for (const std::string& name : schema.required) {
      if (!value.contains(name)) {
        missing += StrCat(missing.empty() ? "" : ", ", Json(name).dump());
      }
    }
    if (!missing.empty()) Add(StrCat("missing required member ", missing));
    for (const auto& [name, needed] : schema.dependencies) {
      for (const std::string& other : needed) {
        if (value.contains(name) && !value.contains(other)) {
          Add(StrCat("missing member ", Json(other).dump(), ", which ", Json(name).dump(),
                     " needs"));
        }
      }
    }
    for (const auto& [name, member] : value.items()) {
      if (schema.names != nullptr) VisitAt(name, *schema.names, Json(name));
      if (const Schema* const own = schema.Member(name)) {
        VisitAt(name, *own, member);
      } else if (schema.closed) {
        unknown += StrCat(unknown.empty() ? "" : ", ", Brief(name));
      } else if (schema.others != nullptr) {
        VisitAt(name, *schema.others, member);
      }
    }
    if (!unknown.empty()) {
      for (const auto& [name, unused] : schema.members) {
        known += StrCat(known.empty() ? "" : ", ", name);
      }
      Add(StrCat("found unknown member ", unknown, ", expected only ", known));
    }
    if (value.size() < schema.min_members) {
      Say(value, StrCat("at least ", schema.min_members, " members"));
    }
    if (value.size() > schema.max_members) {
      Say(value, StrCat("at most ", schema.max_members, " members"));
    }
  }

  void VisitArray(const Schema& schema, const Json& value) {
    for (size_t i = 0; schema.items != nullptr && i < value.size(); ++i) {
      VisitAt(i, *schema.items, value[i]);
    }
    if (value.size() < schema.min_items) {
      Say(value, StrCat("at least ", schema.min_items, " items"));
    }
    if (value.size() > schema.max_items) Say(value, StrCat("at most ", schema.max_items, " items"));
  }

  void VisitString(const Schema& schema, const Json& value) {
    const std::string& text = value.get_ref<const std::string&>();
    if (!schema.HasPattern(text)) {
      Say(value, StrCat("pattern ", Brief((*schema.json)["pattern"], 300)));
    }
    if (schema.HasLength(text)) return;
    std::string limits;
    if (schema.min_length > 0) limits = StrCat("at least ", schema.min_length);
    if (schema.max_length != Schema::kUnlimited) {
      limits += StrCat(limits.empty() ? "" : " and ", "at most ", schema.max_length);
    }
    Say(value, StrCat(limits, " characters"));
  }

  void VisitNumber(const Schema& schema, const Json& value) {
    const double number = value.get<double>();
    if (number < schema.minimum.value_or(number)) {
      const bool exclusive = schema.json->contains("exclusiveMinimum");
      Say(value, exclusive ? StrCat("more than ", Brief((*schema.json)["exclusiveMinimum"]))
                           : StrCat("at least ", Brief((*schema.json)["minimum"])));
    }
    if (number > schema.maximum.value_or(number)) {
      Say(value, StrCat("at most ", Brief((*schema.json)["maximum"])));
    }
  }

  Json::json_pointer at_;
  size_t depth_ = 0;
  std::vector<Complaint> complaints_;
};

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

// As Json::dump(2), but writes doubles as the shortest text that reads back equal. nlohmann's text
// is longer now and then, and null for a number that is not finite.
// Without spaces. Names and texts that a terminal would not show as they are stand in escapes.
std::string OnOneLine(const Json& json) {
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (HasUnprintable(text)) text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text;
}

void Append(const Json& json, const std::string& line, std::string* out) {
  if (json.is_number_float()) {
    AppendDouble(json.get<double>(), out);
  } else if (json.is_structured() && !json.empty()) {
    const std::string inner = line + "  ";
    const char* separator = json.is_object() ? "{" : "[";
    for (const auto& [name, value] : json.items()) {
      *out += separator;
      *out += inner;
      if (json.is_object()) *out += OnOneLine(name) + ": ";
      Append(value, inner, out);
      separator = ",";
    }
    *out += line;
    *out += json.is_object() ? '}' : ']';
  } else {
    *out += OnOneLine(json);
  }
}

StatusOr<Json> Parse(std::string_view text, std::string_view origin, bool wide_integers) {
  const PlainArithmetic plain;  // strtod rounds as the mode says
  const char* const end = text.data() + text.size();
  const char* furthest = text.data();
  Builder builder(wide_integers);
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
    } catch (const std::bad_alloc&) {
      return OutOfMemory(StrCat(origin, ": cannot be read"));
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

}  // namespace

StatusOr<Json> ParseJson(std::string_view text, std::string_view origin) {
  return Parse(text, origin, false);
}

StatusOr<Json> ParseForeignJson(std::string_view text, std::string_view origin) {
  return Parse(text, origin, true);
}

Status ValidateJson(const Json& json, std::string_view schema_name, std::string_view origin) {
  CTS_ASSIGN_OR_RETURN(const Schema* const schema, FindSchema(schema_name));
  Complainer complainer;
  complainer.Visit(*schema, json);
  std::vector<Complaint>& complaints = complainer.complaints();
  if (complaints.empty()) return absl::OkStatus();
  // The deepest place is the most specific.
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

std::string FormatJsonLine(const Json& json) { return OnOneLine(json); }

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
