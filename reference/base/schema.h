// The part of JSON Schema that schemas/*.schema.json use, compiled once. json_view.cc matches texts
// against it, fast and silently; json.cc says what is wrong with a value.
//
// Reasons against a library: texts are matched by the thousand, and a library's tree of values is
// too slow for that. With valijson there were two compilers of schemas. It took three quarters of
// the time to compile json.cc, and matched patterns with std::regex, which overflows the stack on
// long strings. An unknown keyword makes its schema invalid; a test shows that.
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

// A regular expression that is anchored at both ends: characters, classes, groups, alternatives and
// counts. Matching costs no stack and never grows beyond length times parts.
class SchemaPattern {
 public:
  // nullopt if `text` needs more than that.
  static std::optional<SchemaPattern> Parse(std::string_view text);
  bool Matches(std::string_view text) const;

 private:
  struct Part;
  using Sequence = std::vector<Part>;
  struct Part {
    std::bitset<256> members;            // a class of characters, or
    std::vector<Sequence> alternatives;  // a group
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
  kJsonInteger = 8,  // of 64 bits with a sign
  kJsonDouble = 16,
  kJsonBoolean = 32,
  kJsonNull = 64,
  kJsonHuge = 128,  // a larger integer, for which no schema has a type
};

// The longest string that patterns see, and the longest name of a member.
inline constexpr size_t kMaxMatchedBytes = 1024;

// The demands of a schema, or of a part of one.
struct Schema {
  const Json* json = nullptr;  // the part, for messages
  unsigned kinds = ~0u;        // any of JsonKind
  std::vector<Json> values;    // enum and const: the allowed values; empty: any
  std::vector<std::pair<std::string, const Schema*>> members;
  std::vector<std::string> required;
  std::vector<std::pair<std::string, std::vector<std::string>>> dependencies;
  bool closed = false;             // no other member
  const Schema* others = nullptr;  // additionalProperties
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

// The embedded schema of that name ("case"), or its part about a member ("case/graph"). Compiled
// once and never freed.
StatusOr<const Schema*> FindSchema(std::string_view name);

}  // namespace cts
