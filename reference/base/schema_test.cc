#if defined(__GNUC__) && !defined(__clang__)
// False alarm of GCC 12 in std::regex under AddressSanitizer (GCC bug 105562).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "reference/base/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "cts_schemas.h"
#include "reference/base/json.h"

namespace cts {
namespace {

bool Matches(std::string_view pattern, std::string_view text) {
  const std::optional<SchemaPattern> parsed = SchemaPattern::Parse(pattern);
  EXPECT_TRUE(parsed.has_value()) << pattern;
  return parsed && parsed->Matches(text);
}

TEST(SchemaPattern, MatchesClassesCountsGroupsAndAlternatives) {
  EXPECT_TRUE(Matches("^[0-9a-f]{4}$", "0aff"));
  EXPECT_FALSE(Matches("^[0-9a-f]{4}$", "0af"));
  EXPECT_FALSE(Matches("^[0-9a-f]{4}$", "0afff"));
  EXPECT_FALSE(Matches("^[0-9a-f]{4}$", "0afg"));
  EXPECT_TRUE(Matches("^[a-z]*a$", "banana"));  // gives one back
  EXPECT_FALSE(Matches("^[a-z]*a$", "banane"));
  EXPECT_TRUE(Matches("^a([-.]b+)*$", "a-b.bb"));
  EXPECT_FALSE(Matches("^a([-.]b+)*$", "a-b.bb-"));
  EXPECT_TRUE(Matches("^M( [-+] [0-9]{1,3})?$", "M"));
  EXPECT_TRUE(Matches("^M( [-+] [0-9]{1,3})?$", "M - 999"));
  EXPECT_FALSE(Matches("^M( [-+] [0-9]{1,3})?$", "M - 9999"));
  EXPECT_TRUE(Matches("^-?(0x[01]|inf|nan)$", "-inf"));
  EXPECT_FALSE(Matches("^-?(0x[01]|inf|nan)$", "infnan"));
  EXPECT_TRUE(Matches("^\\[.+\\]$", "[x, y]"));
  EXPECT_FALSE(Matches("^\\[.+\\]$", "[x\n]"));
  EXPECT_FALSE(Matches("^\\[.+\\]$", "[]"));
  EXPECT_FALSE(Matches("^a$", "a\n"));
}

TEST(SchemaPattern, DoesNotGuessAtWhatItDoesNotKnow) {
  for (const char* pattern : {"a", "^a", "a$", "^a|b$", "^[^a]$", "^\\d$", "^a*?$", "^a{2,}$",
                              "^(a$", "^a)$", "^[a$", "^[]$", "^*$", "^a{3,2}$", "^a{99999}$"}) {
    EXPECT_FALSE(SchemaPattern::Parse(pattern).has_value()) << pattern;
  }
}

// Backtracking would try 2^500 ways.
TEST(SchemaPattern, TakesNoLongerForAPatternThatIsAmbiguous) {
  EXPECT_FALSE(Matches("^(a*)*b$", std::string(500, 'a')));
  EXPECT_TRUE(Matches("^(a*)*b$", StrCat(std::string(500, 'a'), "b")));
}

// Tests every pattern of the schemas on strings near those that it accepts. std::regex is the norm.
TEST(SchemaPattern, AgreesWithStdRegexOnEveryPatternOfTheSchemas) {
  const std::vector<std::string> words = {"add/i8-2x3",
                                          "add/",
                                          "/add",
                                          "A",
                                          "MAX_RANK",
                                          "MAX_RANK + 1",
                                          "MAX_RANK - 1234",
                                          "MAX_",
                                          "a.npy",
                                          "expected/out.npy",
                                          "../out.npy",
                                          "a.npy\n",
                                          std::string(64, 'a'),
                                          std::string(63, 'f'),
                                          std::string(64, 'g'),
                                          "1.2.3",
                                          "1.2",
                                          "2026-11-22",
                                          "2026-11-2",
                                          "1/10",
                                          "0/3",
                                          "tosa-1.0",
                                          "tosa-1.1-draft",
                                          "tosa--1",
                                          "0x1.8p+3",
                                          "-0x0p-1",
                                          "0x2p+0",
                                          "inf",
                                          "-nan",
                                          "+inf",
                                          "[N, H]",
                                          "[]",
                                          "",
                                          "_x9",
                                          "9x",
                                          "\xc3\xa4",
                                          std::string("a\0b", 3)};
  int patterns = 0, accepted = 0;
  const std::function<void(const Json&)> compare = [&](const Json& schema) {
    if (schema.is_object() && schema.contains("pattern") && schema["pattern"].is_string()) {
      ++patterns;
      const std::string text = schema["pattern"];
      const std::optional<SchemaPattern> pattern = SchemaPattern::Parse(text);
      ASSERT_TRUE(pattern.has_value()) << text;
      const std::regex norm(text);
      for (const std::string& word : words) {
        EXPECT_EQ(pattern->Matches(word), std::regex_search(word, norm)) << text << ": " << word;
        accepted += pattern->Matches(word);
      }
    }
    if (!schema.is_structured()) return;
    for (const Json& child : schema) compare(child);
  };
  for (const EmbeddedFile& file : EmbeddedSchemas()) compare(*ParseJson(file.text, file.name));
  EXPECT_GT(patterns, 20);
  EXPECT_GT(accepted, 30);
}

TEST(FindSchema, CompilesEveryEmbeddedSchema) {
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    const StatusOr<const Schema*> schema = FindSchema(file.name.substr(0, file.name.find('.')));
    EXPECT_TRUE(schema.ok()) << schema.status();
  }
}

std::string Error(const Json& json, std::string_view schema) {
  return Message(ValidateJson(json, schema, "x"));
}

TEST(Schema, SaysWhichLimitAValueBreaks) {
  EXPECT_EQ(Error({{"status", "ok"}, {"seconds", -1}}, "result"),
            "x: /seconds: found -1, expected at least 0 (schema 'result')");
  EXPECT_EQ(Error({{"status", "ok"}, {"exit_code", 1.5}}, "result"),
            "x: /exit_code: found 1.5, expected type \"integer\" (schema 'result')");
  EXPECT_EQ(Error({{"status", "ok"}, {"exit_code", UINT64_MAX}}, "result"),
            "x: /exit_code: found 18446744073709551615, expected an integer of at most 2^63 - 1 "
            "(schema 'result')");
}

// The one alternative that has members says what is wrong with them.
TEST(Schema, ExplainsTheOneAlternativeOfAValuesKind) {
  const Json graph = {{"regions",
                       {{{"name", "main"},
                         {"blocks",
                          {{{"name", "main"},
                            {"inputs", Json::array()},
                            {"outputs", Json::array()},
                            {"tensors", Json::array()},
                            {"operators",
                             {{{"operator", "ADD"},
                               {"inputs", Json::array()},
                               {"outputs", Json::array()},
                               {"attributes", {{"a", {{"float", "x"}}}, {"b", nullptr}}}}}}}}}}}}};
  const std::string message = Error(graph, "case/graph");
  EXPECT_THAT(message, testing::HasSubstr("/attributes/a/float: found \"x\", expected anyOf"));
  EXPECT_THAT(message, testing::HasSubstr("/attributes/b: found null, expected anyOf"));
}

}  // namespace
}  // namespace cts
