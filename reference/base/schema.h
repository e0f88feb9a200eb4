// Compiled schemas. They support the part of JSON Schema that schemas/*.schema.json use.
// json_view.cc checks quickly whether a text fits a schema; json.cc says what is wrong with a
// value.
//
// The project does not use a library for schemas, because it validates thousands of texts, and the
// libraries' trees of values are too slow. Earlier, the project used valijson in addition to its
// own code. The headers of valijson took three quarters of the time to compile json.cc. valijson
// also matched patterns with std::regex, which overflows the stack on long strings. A schema with
// an unknown keyword is invalid; a test compiles all embedded schemas.
#pragma once

#include <bitset>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// A regular expression that is anchored at both ends. It may contain characters, classes, groups,
// alternatives and counts. The stack depth of Matches does not depend on the length of the text.
class SchemaPattern {
 public:
  // Returns nullopt if `text` uses a construct that this class does not support.
  static std::optional<SchemaPattern> Parse(std::string_view text);
  bool Matches(std::string_view text) const;

 private:
  struct Part;
  using Sequence = std::vector<Part>;
  struct Part {
    std::bitset<256> members;            // either the characters of a class,
    std::vector<Sequence> alternatives;  // or the alternatives of a group
    size_t least = 1, most = 1;
  };
  class Parser;
  using Positions = std::vector<size_t>;  // ascending
  static Positions After(const Sequence& sequence, std::string_view text, Positions at);
  static Positions After(const Part& part, std::string_view text, Positions at);
  static Positions Once(const Part& part, std::string_view text, const Positions& at);

  std::vector<Sequence> alternatives_;
};

// Kinds of JSON values, as bits.
enum JsonKind : unsigned {
  kJsonObject = 1,
  kJsonArray = 2,
  kJsonString = 4,
  kJsonInteger = 8,  // a signed integer of at most 64 bits
  kJsonDouble = 16,
  kJsonBoolean = 32,
  kJsonNull = 64,
  kJsonHuge = 128,  // an integer above 2^63 - 1; no `type` of a schema allows it
};

// The greatest length in bytes of a string that can match a pattern. Also the greatest length in
// bytes of a member's name.
inline constexpr size_t kMaxMatchedBytes = 1024;

// The requirements of a schema, or of a part of it.
struct Schema {
  const Json* json = nullptr;  // the source of this part, for messages
  unsigned kinds = ~0u;        // the allowed kinds, as bits of JsonKind
  std::vector<Json> values;    // the allowed values (`enum`, `const`); empty: any value
  std::vector<std::pair<std::string, const Schema*>> members;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependencies;
  bool closed = false;             // whether members without their own schema are refused
  const Schema* others = nullptr;  // additionalProperties: the schema of members without their own
  const Schema* names = nullptr;   // propertyNames
  const Schema* items = nullptr;
  static constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();
  size_t min_items = 0, max_items = kUnlimited;
  size_t min_members = 0, max_members = kUnlimited;
  size_t min_length = 0, max_length = kUnlimited;  // the length of strings, in characters
  std::optional<double> minimum, maximum;
  std::optional<SchemaPattern> pattern;
  std::vector<const Schema*> any_of;

  const Schema* Member(std::string_view name) const;  // the member's own schema, or nullptr
  bool HasValue(const Json& value) const;
  bool HasLength(std::string_view text) const;
  bool HasPattern(std::string_view text) const;
};

// Returns the embedded schema of this name ("case"), or the part of a schema for one member
// ("case/graph"). Each schema is compiled once and never freed.
StatusOr<const Schema*> FindSchema(std::string_view name);

}  // namespace cts
