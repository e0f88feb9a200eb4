#include "reference/base/json_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/json.h"

namespace cts {
namespace {

// One of every member that the schema knows.
constexpr std::string_view kCase = R"({
  "format": "tensor-cts-case-1", "id": "add/i8-2x3", "edition": "tosa-1.0", "level": "8K",
  "operator": "ADD", "mode": "signed", "types": {"in_out_t": "i8"},
  "profiles": [["PRO-INT"], ["PRO-FP", "EXT-X"]], "data_set": "S3", "parameters": {"rank": "2"},
  "graph": {"regions": [{"name": "main", "blocks": [{"name": "main", "inputs": ["a"],
    "outputs": ["out"],
    "tensors": [{"name": "a", "dtype": "i8", "shape": [2, 3]},
                {"name": "c_1", "dtype": "i8", "shape": [], "values": "c_1.npy"},
                {"name": "out", "dtype": "i8", "shape": [2, 3]}],
    "operators": [{"operator": "ADD", "inputs": ["a", "c_1"], "outputs": ["out"],
      "attributes": {"b": true, "i": -3, "s": "text", "l": [1, 2], "f": {"float": 1.5},
                     "g": {"float": "-inf"}}}]}]}]},
  "inputs": {"a": "a.npy"}, "outcome": "valid",
  "outputs": [{"name": "out", "dtype": "i8", "shape": [2, 3],
    "rule": {"kind": "dot_product", "form": "tosa-1.0", "clause": "1.2", "zero_sign": false,
             "unsigned": true, "ulp": 0.5, "kernel_size": 3, "ksb": 4, "data_set": -1,
             "absolute_limit": 1e3, "variance_limit": 2, "bias_limit": 0},
    "answers": [{"flushed": false, "expected": "expected/out.npy", "bound": "bound/out.npy",
                 "upper": "u.npy"}]}],
  "later_executions": [{"inputs": {"a": "a.1.npy"}}]
})";
constexpr std::string_view kResult =
    R"({"status": "timeout", "message": "m", "seconds": 1.5, "exit_code": -1, "signal": 9,
        "log": "a\nb", "differs": "x"})";
constexpr std::string_view kSuite = R"({"format": "tensor-cts-suite-1", "name": "n", "edition": "e",
  "level": "8K", "generator": "g", "seed": 9007199254740991,
  "digest": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "recipe": {"x": [1]},
  "cases": [{"id": "add/a", "operator": "ADD", "outcome": "valid", "conditions": ["c"],
    "digest": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "teeth": 1,
    "neighbour": "add/b"}]})";
constexpr std::pair<const char*, std::string_view> kGood[] = {
    {"case", kCase}, {"result", kResult}, {"suite", kSuite}};

// Returns what ParseJson and ValidateJson say: the norm.
Status Slow(std::string_view text, std::string_view schema) {
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, "text"));
  return ValidateJson(json, schema, "text");
}

struct Tally {
  int accepted = 0, refused = 0;
};

void ExpectSameVerdict(const std::string& text, const std::string& schema, Tally* tally) {
  const Status slow = Slow(text, schema);
  const StatusOr<JsonText> both = JsonText::Read(text, schema, "text");
  ASSERT_EQ(both.ok(), slow.ok()) << schema << ": " << text;
  if (!slow.ok()) {
    ASSERT_EQ(Message(both.status()), Message(slow));
    ASSERT_FALSE(FastAccepts(text, schema)) << schema << ": " << text;
  }
  ++(slow.ok() ? tally->accepted : tally->refused);
}

TEST(JsonView, TakesTheFastWayForWhatWeWrite) {
  for (const auto& [schema, text] : kGood) {
    EXPECT_TRUE(Slow(text, schema).ok()) << Message(Slow(text, schema));
    EXPECT_TRUE(FastAccepts(text, schema)) << schema;
  }
}

// Every value of every document replaced by every other kind of value; every member left out, given
// twice, and joined by an unknown one.
void Mutate(const Json& root, const Json::json_pointer& at, std::vector<std::string>* mutants) {
  const Json& value = root[at];
  const std::string long_name = "a/" + std::string(300, 'x');
  const Json replacements[] = {nullptr,
                               true,
                               0,
                               -1,
                               1.0,
                               2.5,
                               -0.5,
                               5,
                               6,
                               1e300,
                               uint64_t{1} << 63,
                               int64_t{1} << 53,
                               "",
                               "a",
                               "i8",
                               "ok",
                               "valid",
                               "nan",
                               "inf",
                               "../a.npy",
                               "a.npy",
                               "a\n",
                               "/a.npy",
                               "A",
                               "a/b",
                               "tosa-1.0",
                               long_name,
                               std::string(1025, 'a'),
                               "\xc3\xa4",
                               Json::array(),
                               Json::array({1}),
                               Json::array({"a"}),
                               Json(std::vector<int>(65, 1)),
                               Json::object(),
                               Json({{"float", 1}}),
                               Json({{"float", "x"}}),
                               Json({{"a", "a.npy"}})};
  for (const Json& replacement : replacements) {
    Json mutant = root;
    mutant[at] = replacement;
    mutants->push_back(mutant.dump());
  }
  if (value.is_object()) {
    Json more = root;
    more[at]["unknown"] = 1;
    mutants->push_back(more.dump());
    for (const auto& [name, unused] : value.items()) {
      Json less = root;
      less[at].erase(name);
      mutants->push_back(less.dump());
      Mutate(root, at / name, mutants);
    }
  } else if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) Mutate(root, at / i, mutants);
  }
}

TEST(JsonView, GivesTheVerdictOfTheSchemaWhateverTheValues) {
  Tally tally;
  for (const auto& [schema, text] : kGood) {
    std::vector<std::string> mutants;
    Mutate(*ParseJson(text, "text"), Json::json_pointer(), &mutants);
    for (const std::string& mutant : mutants) {
      ASSERT_NO_FATAL_FAILURE(ExpectSameVerdict(mutant, schema, &tally));
    }
  }
  EXPECT_GT(tally.accepted, 200);
  EXPECT_GT(tally.refused, 2000);
}

TEST(JsonView, GivesTheVerdictOfTheParserWhateverTheText) {
  Tally tally;
  for (const auto& [schema, text] : kGood) {
    for (size_t i = 0; i < text.size(); ++i) {
      for (const std::string_view change :
           {"", "\"", "{", "]", ",", "0", "-", "e", " ", "\\", "\\u0000", "\x01", "\xff"}) {
        const std::string mutant =
            std::string(text.substr(0, i)) + std::string(change) + std::string(text.substr(i + 1));
        ASSERT_NO_FATAL_FAILURE(ExpectSameVerdict(mutant, schema, &tally));
      }
    }
  }
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, 5000);
}

TEST(JsonView, RefusesWhatOnlySimdjsonTakes) {
  Tally tally;
  const std::string nested = std::string(101, '[') + std::string(101, ']');
  for (const std::string text :
       {"{\"status\": \"ok\", \"status\": \"error\"}", "{\"status\": \"ok\", \"seconds\": 1e400}",
        "{\"status\": \"ok\", \"seconds\": 99999999999999999999}", "{\"status\": \"ok\"} ",
        "{\"status\": \"ok\"}\n{}", "\xef\xbb\xbf{\"status\": \"ok\"}",
        "{\"status\": \"ok\", \"exit_code\": -0}", "{\"status\": \"ok\", \"exit_code\": 1.0}",
        "{\"status\": \"\\ud800\"}", "{\"status\": \"ok\", \"message\": \"\\u0000\"}"}) {
    ExpectSameVerdict(text, "result", &tally);
  }
  for (const std::string& recipe : {nested, std::string("{\"a\": 1, \"a\": 2}")}) {
    std::string text(kSuite);
    ExpectSameVerdict(text.replace(text.find("{\"x\": [1]}"), 10, recipe), "suite", &tally);
  }
  EXPECT_GT(tally.accepted, 0);
  EXPECT_GT(tally.refused, 4);
}

TEST(JsonView, ReadsValues) {
  const StatusOr<JsonText> text = JsonText::Read(kCase, "case", "text");
  ASSERT_TRUE(text.ok());
  const JsonView root = text->root();
  EXPECT_EQ(root["id"].Text(), "add/i8-2x3");
  EXPECT_EQ(root["types"].TextMap().at("in_out_t"), "i8");
  EXPECT_FALSE(root.Has("condition"));
  EXPECT_EQ(root["condition"].Text(), "");
  EXPECT_EQ(root["inputs"]["b"]["c"].Integer(), std::nullopt);
  const JsonView rule = JsonView(root["outputs"].Items().at(0).value())["rule"];
  EXPECT_EQ(rule["data_set"].Integer(), -1);
  EXPECT_EQ(rule["variance_limit"].Number(), 2);
  EXPECT_EQ(rule["ulp"].Number(), 0.5);
  EXPECT_TRUE(rule["unsigned"].Boolean());
}

}  // namespace
}  // namespace cts
