#include "reference/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "cts_schemas.h"
#include "reference/base/file.h"
#include "reference/base/foreign_json.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::string ParseError(std::string_view text) {
  const StatusOr<Json> json = ParseJson(text, "x.json");
  return json.ok() ? "parsed: " + json->dump() : Message(json.status());
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const StatusOr<Json> json = ParseJson(
      R"({"a": [1, -2, 1.5, true, false, null], "b": {"c": "d\u00e9"}, "e": [], "f": {}})", "x");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->dump(), R"({"a":[1,-2,1.5,true,false,null],"b":{"c":"dé"},"e":[],"f":{}})");
  EXPECT_EQ(ParseJson(" 18446744073709551615 ", "x")->get<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(ParseJson("-9223372036854775808", "x")->get<int64_t>(), INT64_MIN);
}

TEST(ParseJson, NamesLineAndColumn) {
  EXPECT_THAT(ParseError("{\n  \"a\": 1,\n  \"b\": ?\n}"),
              AllOf(StartsWith("x.json: line 3, column 8: "), HasSubstr("?'")));
  EXPECT_THAT(ParseError("[1, 2"), StartsWith("x.json: line 1, column 5: "));
  EXPECT_THAT(ParseError(""), StartsWith("x.json: line 1, column "));
}

TEST(ParseJson, RejectsWhatIsNotJson) {
  for (std::string_view text :
       {"", " ", "{", "[1,]", "{\"a\":1,}", "{'a':1}", "nan", "01", "1 2", "[1]]", "\"\xFF\"",
        "\"\n\"", "1e999", "// c\n1", "{\"a\"}", "\"\\ud800\""}) {
    EXPECT_THAT(ParseError(text), StartsWith("x.json: line 1, column ")) << text;
  }
  // nlohmann::json takes NUL for the end of the text.
  EXPECT_EQ(ParseError(std::string_view("[1]\n\0x", 6)),
            "x.json: line 2, column 1: found a NUL byte");
}

TEST(ParseJson, RejectsDuplicateMembers) {
  EXPECT_EQ(ParseError("{\"a\": {\"b\": 1},\n \"a\": 2}"),
            "x.json: line 2, column 4: found the member \"a\" twice");
  EXPECT_TRUE(ParseJson(R"({"a": {"a": 1}})", "x").ok());
}

TEST(ParseJson, RejectsNestingBeyond100Levels) {
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_TRUE(ParseJson(deep, "x").ok());
  EXPECT_EQ(ParseError("[" + deep + "]"),
            "x.json: line 1, column 101: nested more than 100 levels deep");
  std::string objects;
  for (int i = 0; i < 101; ++i) objects += "{\"a\":";
  EXPECT_THAT(ParseError(objects), HasSubstr("nested more than 100 levels deep"));
  EXPECT_THAT(ParseError(std::string(1000000, '[')), HasSubstr("nested more than"));
}

TEST(ParseJson, RejectsIntegersThatWouldLoseDigits) {
  EXPECT_THAT(ParseError("[18446744073709551616]"),
              HasSubstr("found the integer 18446744073709551616, expected at most 64 bits"));
  EXPECT_THAT(ParseError("-9223372036854775809"), HasSubstr("expected at most 64 bits"));
}

// 2^128 - 2^104 is the greatest fp32. The same and 1 is no double.
TEST(ParseForeignJson, TakesWideIntegersThatLoseNoDigit) {
  const std::string greatest = "340282346638528859811704183484516925440";
  const StatusOr<Json> json = ParseForeignJson(greatest, "x.json");
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(json->get<double>(), std::numeric_limits<float>::max());
  EXPECT_EQ(ParseForeignJson("[-18446744073709551616]", "x.json")->at(0).get<double>(), -0x1p64);
  EXPECT_EQ(Message(ParseForeignJson("340282346638528859811704183484516925441", "x.json").status()),
            "x.json: line 1, column 39: found the integer 340282346638528859811704183484516925441, "
            "expected at most 64 bits");
  EXPECT_THAT(ParseError(greatest), HasSubstr("expected at most 64 bits"));
}

TEST(ParseJson, RejectsEndlessMemberNames) {
  EXPECT_THAT(ParseError("{\"" + std::string(5000, 'a') + "\": 1}"),
              HasSubstr("a member name of 5000 bytes"));
}

std::string SchemaError(std::string_view text, std::string_view schema = "result") {
  return Message(ValidateJson(*ParseJson(text, "x"), schema, "x.json"));
}

TEST(ValidateJson, AcceptsWhatFits) {
  EXPECT_EQ(SchemaError(R"({"status": "ok", "seconds": 0.5, "exit_code": 0})"), "");
}

TEST(ValidateJson, NamesPlaceFoundAndExpected) {
  EXPECT_THAT(SchemaError(R"({"status": "fine"})"),
              AllOf(StartsWith("x.json: /status: found \"fine\", expected enum [\"ok\",\"error\""),
                    HasSubstr("(schema 'result')")));
  EXPECT_EQ(SchemaError(R"({"status": "ok", "seconds": "1"})"),
            "x.json: /seconds: found \"1\", expected type \"number\" (schema 'result')");
  EXPECT_THAT(SchemaError(R"({"status": "ok", "seconds": -1})"),
              AllOf(StartsWith("x.json: /seconds: found -1, "), HasSubstr("0")));
  EXPECT_EQ(SchemaError("{}"), "x.json: /: missing required member \"status\" (schema 'result')");
  EXPECT_THAT(SchemaError(R"({"status": "ok", "sttaus": 1})"),
              StartsWith("x.json: /: found unknown member \"sttaus\", expected only differs, "
                         "exit_code, log"));
  EXPECT_EQ(SchemaError("[]"), "x.json: /: found [], expected type \"object\" (schema 'result')");
}

// An otherwise valid manifest with something wrong in its second case.
TEST(ValidateJson, NamesTheDeepestPlaceFirst) {
  const std::string digest(64, 'a');
  Json suite = {{"format", "tensor-cts-suite-1"},
                {"name", 5},
                {"edition", "tosa-1.0"},
                {"level", "none"},
                {"generator", "g"},
                {"seed", 0},
                {"digest", digest},
                {"cases", Json::array()}};
  for (const char* id : {"add/a", "add/b"}) {
    suite["cases"].push_back({{"id", id},
                              {"operator", "ADD"},
                              {"outcome", "valid"},
                              {"digest", digest},
                              {"conditions", Json::array()}});
  }
  EXPECT_THAT(Message(ValidateJson(suite, "suite", "suite.json")),
              StartsWith("suite.json: /name: found 5, expected type \"string\" (schema"));
  suite["name"] = "smoke";
  EXPECT_TRUE(ValidateJson(suite, "suite", "suite.json").ok());
  suite["name"] = 5;
  suite["cases"][1]["id"] = "../etc";
  suite["cases"][1]["digest"] = "short";
  suite["cases"][0].erase("operator");
  const std::string message = Message(ValidateJson(suite, "suite", "suite.json"));
  EXPECT_THAT(message, StartsWith("suite.json: /cases/1/"));
  EXPECT_THAT(message, HasSubstr("/cases/1/id: found \"../etc\", expected pattern \"^[a-z"));
  EXPECT_THAT(message, HasSubstr("/cases/1/digest: found \"short\", expected pattern"));
  EXPECT_THAT(message, HasSubstr("/cases/0: missing required member \"operator\""));
  EXPECT_THAT(message, HasSubstr("; and 1 more (schema 'suite')"));
}

TEST(ValidateJson, NamesUnknownSchema) {
  const Status status = ValidateJson(Json(1), "no_such", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(Message(status), HasSubstr("no_such"));
}

TEST(ValidateJson, EveryEmbeddedSchemaCompiles) {
  ASSERT_FALSE(EmbeddedSchemas().empty());
  for (const EmbeddedFile& file : EmbeddedSchemas()) {
    const std::string_view name = file.name.substr(0, file.name.find('.'));
    const Status status = ValidateJson(Json("neither"), name, "x");
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name << ": " << status;
  }
}

// A pattern sees no string beyond 1024 bytes: such a one is refused.
TEST(ValidateJson, SurvivesEndlessStrings) {
  const std::string endless(10 << 20, 'a');
  EXPECT_TRUE(ValidateJson(Json{{"status", "ok"}, {"log", endless}}, "result", "x").ok());
  const Json run = {{"format", "tensor-cts-run-1"},
                    {"suite", "smoke"},
                    {"suite_digest", endless},
                    {"implementation", {{"name", "n"}, {"version", "1"}}},
                    {"command", "c"}};
  const std::string message = Message(ValidateJson(run, "run", "x"));
  EXPECT_THAT(message, HasSubstr("/suite_digest: found \"aaaa"));
  EXPECT_LT(message.size(), 1000u);
}

TEST(ValidateJson, WorksFromSeveralThreads) {
  std::vector<std::thread> threads;
  std::vector<int> right(4, 0);
  for (size_t t = 0; t < right.size(); ++t) {
    threads.emplace_back([t, &right] {
      for (int i = 0; i < 100; ++i) {
        right[t] += ValidateJson(Json{{"status", "ok"}}, "result", "x").ok();
        right[t] += !ValidateJson(Json{{"status", i}}, i % 2 == 0 ? "run" : "result", "x").ok();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, std::vector<int>(4, 200));
}

TEST(LoadJson, NamesThePathInEveryError) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "cts_load.json";
  EXPECT_THAT(Message(LoadJson(path / "absent", "").status()), StartsWith(path.string()));
  ASSERT_TRUE(WriteFile(path, "{\"status\"").ok());
  EXPECT_THAT(Message(LoadJson(path, "result").status()), StartsWith(path.string() + ": line 1"));
  ASSERT_TRUE(WriteFile(path, "{}").ok());
  EXPECT_THAT(Message(LoadJson(path, "result").status()), StartsWith(path.string() + ": /: "));
  EXPECT_TRUE(LoadJson(path, "").ok());
  std::filesystem::remove(path);
}

TEST(SaveJson, WritesWhatLoadJsonReads) {
  const std::filesystem::path path = std::filesystem::path(testing::TempDir()) / "cts_save.json";
  const Json json = {{"status", "ok"}, {"seconds", 0.1}};
  ASSERT_TRUE(SaveJson(path, json).ok());
  EXPECT_EQ(*LoadJson(path, "result"), json);
  std::filesystem::remove(path);
}

TEST(FormatJson, IndentsByTwoAndSortsMembers) {
  const Json json = {{"b", {1, 2.5, "x\n"}}, {"a", Json::object()}, {"c", Json::array()}};
  EXPECT_EQ(FormatJson(json),
            "{\n  \"a\": {},\n  \"b\": [\n    1,\n    2.5,\n    \"x\\n\"\n  ],\n  \"c\": []\n}\n");
  EXPECT_EQ(FormatJson(Json(nullptr)), "null\n");
}

// The indentation is nlohmann's own but for the spelling of doubles.
TEST(FormatJson, AgreesWithDump) {
  const Json json = {{"a\"b\\", {{{"x", true}, {"y", nullptr}}, {-1, {"é", Json::object()}}}},
                     {"", 18446744073709551615u}};
  EXPECT_EQ(FormatJson(json), json.dump(2) + "\n");
}

TEST(FormatJson, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(FormatJson(Json("a\xFFz")), "\"a\xEF\xBF\xBDz\"\n");
  EXPECT_EQ(FormatJson(Json{{"\xFF", 1}}), "{\n  \"\xEF\xBF\xBD\": 1\n}\n");
}

TEST(FormatJson, WritesDoublesAsShortAsTheyReadBack) {
  const std::pair<double, std::string> known[] = {
      {0.1, "0.1"},    {1.0, "1.0"},          {-0.0, "-0.0"},
      {1e23, "1e+23"}, {5e-324, "5e-324"},    {0x1.FFFFFFFFFFFFFp1023, "1.7976931348623157e+308"},
      {0.3, "0.3"},    {123456.0, "123456.0"}};
  for (const auto& [value, text] : known) EXPECT_EQ(FormatJson(Json(value)), text + "\n");
  std::mt19937_64 random(5);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = FormatJson(Json(value));
    const Json back = *ParseJson(text, "x");
    ASSERT_TRUE(back.is_number_float()) << text;
    ASSERT_EQ(std::bit_cast<uint64_t>(back.get<double>()), std::bit_cast<uint64_t>(value)) << text;
    // No text with a digit less reads back equal.
    int digits = 0;
    for (char c : text.substr(0, text.find('e'))) digits += c >= '0' && c <= '9';
    if (digits < 2 || text.find('e') == std::string::npos) continue;
    char shorter[40];
    std::snprintf(shorter, sizeof(shorter), "%.*e", digits - 2, value);
    ASSERT_NE(std::strtod(shorter, nullptr), value) << text;
  }
}

TEST(DoubleToJson, ReadsBack) {
  for (double value : {0.0, -0.0, 0.1, 5e-324, -1e300, std::numeric_limits<double>::infinity(),
                       -std::numeric_limits<double>::infinity()}) {
    const StatusOr<double> back = DoubleFromJson(*ParseJson(FormatJson(DoubleToJson(value)), "x"));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(std::bit_cast<uint64_t>(*back), std::bit_cast<uint64_t>(value));
  }
  EXPECT_TRUE(std::isnan(*DoubleFromJson(DoubleToJson(std::nan("")))));
  EXPECT_EQ(DoubleToJson(-std::numeric_limits<double>::infinity()), Json("-inf"));
}

TEST(DoubleFromJson, ReadsIntegersAndHexadecimal) {
  EXPECT_EQ(*DoubleFromJson(Json(-3)), -3.0);
  EXPECT_EQ(*DoubleFromJson(Json(uint64_t{1} << 63)), 0x1p63);
  EXPECT_EQ(*DoubleFromJson(Json(INT64_MIN)), -0x1p63);
  EXPECT_EQ(*DoubleFromJson(Json("0x1.8p3")), 12.0);
  EXPECT_EQ(*DoubleFromJson(Json("-0x1p-1074")), -0x1p-1074);
  EXPECT_EQ(*DoubleFromJson(Json("0x1.fffffffffffffp+1023")), 0x1.FFFFFFFFFFFFFp1023);
  EXPECT_EQ(*DoubleFromJson(Json("0x10")), 16.0);
}

TEST(DoubleFromJson, RejectsEverythingElse) {
  for (const char* text : {"", "1.5", "0x", "0x1p", "0xinf", "0xnan", "0x-1", "--0x1", "-nan",
                           "Infinity", "NaN", "0x1p9999", "0x1 ", " inf", "0x1.8p3x", "+inf"}) {
    EXPECT_THAT(Message(DoubleFromJson(Json(text)).status()), HasSubstr("expected a number"))
        << text;
  }
  EXPECT_FALSE(DoubleFromJson(Json(true)).ok());
  EXPECT_FALSE(DoubleFromJson(Json()).ok());
  EXPECT_FALSE(DoubleFromJson(Json::array({1})).ok());
  for (const Json& json : {Json((int64_t{1} << 53) + 1), Json(UINT64_MAX), Json(INT64_MAX)}) {
    EXPECT_THAT(Message(DoubleFromJson(json).status()), HasSubstr("cannot hold exactly")) << json;
  }
}

}  // namespace
}  // namespace cts
