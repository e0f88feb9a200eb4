// Reads JSON texts fast, for callers that read thousands of texts and do not change the values.
// Uses simdjson instead of nlohmann::json, and accepts the same texts as ParseJson.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// A value in a validated JSON text (JsonText::Read). If the value is missing, or has another type
// than a function returns, the function returns "", 0, false or an empty list; Integer returns
// nullopt.
class JsonView {
 public:
  JsonView() = default;
  explicit JsonView(simdjson::dom::element element) : element_(element) {}

  bool is_string() const { return Is(simdjson::dom::element_type::STRING); }
  bool is_boolean() const { return Is(simdjson::dom::element_type::BOOL); }
  bool is_double() const { return Is(simdjson::dom::element_type::DOUBLE); }
  bool is_array() const { return Is(simdjson::dom::element_type::ARRAY); }
  bool is_object() const { return Is(simdjson::dom::element_type::OBJECT); }

  // The member of an object. If there is no such member, Find returns nullopt, and operator[]
  // returns a missing value.
  std::optional<JsonView> Find(std::string_view name) const {
    simdjson::dom::element member;
    if (!element_ || element_->at_key(name).get(member) != simdjson::SUCCESS) return std::nullopt;
    return JsonView(member);
  }
  bool Has(std::string_view name) const { return Find(name).has_value(); }
  JsonView operator[](std::string_view name) const { return Find(name).value_or(JsonView()); }

  std::string_view View() const { return Get<std::string_view>(); }
  std::string Text() const { return std::string(View()); }
  bool Boolean() const { return Get<bool>(); }
  double Number() const { return Get<double>(); }  // converts an integer, too
  // nullopt if the value is not an integer that fits in int64_t.
  std::optional<int64_t> Integer() const {
    int64_t value = 0;
    if (!element_ || element_->get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }
  std::string Dump() const { return element_ ? simdjson::minify(*element_) : ""; }

  simdjson::dom::array Items() const;
  simdjson::dom::object Members() const;
  std::vector<std::string> Texts() const;
  std::map<std::string, std::string> TextMap() const;

 private:
  bool Is(simdjson::dom::element_type type) const { return element_ && element_->type() == type; }
  template <class T>
  T Get() const {
    T value{};
    if (element_ && element_->get(value) != simdjson::SUCCESS) value = T{};
    return value;
  }

  std::optional<simdjson::dom::element> element_;
};

// Owns a parsed text. The views of the text are valid until this object, or the object to which it
// was moved, is destroyed.
class JsonText {
 public:
  // Parses and validates `text`. Accepts the same texts as ParseJson and ValidateJson, and returns
  // the same errors.
  static StatusOr<JsonText> Read(std::string_view text, std::string_view schema,
                                 std::string_view origin);
  JsonText(JsonText&&) = default;
  JsonText& operator=(JsonText&&) = default;
  ~JsonText();
  JsonView root() const { return root_; }

 private:
  JsonText();

  std::unique_ptr<simdjson::dom::parser> parser_;  // owns the memory that the views point into
  JsonView root_;
};

// For tests: whether JsonText::Read accepts the text with simdjson alone, without ParseJson and
// ValidateJson. If true, the text fits the schema. If false, the text may fit the schema or not.
bool FastAccepts(std::string_view text, std::string_view schema);

}  // namespace cts
