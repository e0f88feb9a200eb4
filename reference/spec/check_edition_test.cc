// Damaged copies of tools/develop/testdata/acme: each is refused with the file, the place, what was
// found and what was expected.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "reference/base/json.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const fs::path kAcme = fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/acme";

// Writes acme and its table of precision, reads them as an edition of one's own, and removes them.
// Writes acme and its table of precision, reads them as an edition of one's own, and removes them.
// Returns the complaint about them; "" if they are accepted.
std::string Read(const Json& edition, const Json& table) {
  const std::string id = edition.at("id");
  const fs::path folder = fs::path(testing::TempDir()) / ("edition-" + std::to_string(getpid()));
  fs::create_directories(folder / "precision");
  std::ofstream(folder / "own.json") << edition.dump();
  std::ofstream(folder / "precision" / (id + ".json")) << table.dump();
  const Status added = AddEdition(folder / "own.json");
  fs::remove_all(folder);
  std::string text = Message(added);
  for (size_t at = text.find(folder.string()); at != text.npos; at = text.find(folder.string())) {
    text.erase(at, folder.string().size() + 1);
  }
  return text;
}

Json Acme() { return *LoadJson(kAcme / "acme-0.1.json", "edition"); }
Json Table() { return *LoadJson(kAcme / "precision/acme-0.1.json", "precision"); }

// "/V_ADD/arguments/0" is a pointer into the operator V_ADD; any other is one into the file.
Json::json_pointer PointerInto(const Json& edition, const std::string& place) {
  const size_t end = place.find('/', 1);
  for (size_t i = 0; i < edition.at("operators").size(); ++i) {
    if (edition["operators"][i]["name"] != place.substr(1, end - 1)) continue;
    return Json::json_pointer(StrCat("/operators/", i, end == place.npos ? "" : place.substr(end)));
  }
  return Json::json_pointer(place);
}

struct Damage {
  std::string place;
  std::string value;  // JSON; empty: the member is taken out
  std::string message;
};

void Change(Json& json, const Json::json_pointer& at, const std::string& value) {
  if (!value.empty()) {
    json[at] = Json::parse(value);
  } else if (json[at.parent_pointer()].is_array()) {
    json[at.parent_pointer()].erase(std::stoul(at.back()));
  } else {
    json[at.parent_pointer()].erase(at.back());
  }
}

TEST(CheckEdition, RefusesWhatAnEditionGetsWrong) {
  const std::vector<Damage> damages = {
      // Types.
      {"/V_ADD/type_rows/1/types", R"({"in_out_t": "fp61"})",
       "own.json: /operators/1/type_rows/1/types/in_out_t: found fp61, expected a type: bool, "
       "i4, "},
      {"/V_ADD/type_rows/1/types", R"({"in_ut_t": "fp16"})",
       "own.json: /operators/1/type_rows/1/types: found no in_out_t, expected a type for each"},
      {"/SOFTMAX/type_rows/0/types/extra_t", R"("fp16")",
       "own.json: /operators/14/type_rows/0/types/extra_t: found a variable that no argument and "},
      {"/V_ADD/type_rows/1/types/extra_t", R"("fp16")",
       "own.json: /operators/1/type_rows/1: found extra_t fp16, in_out_t fp16, expected types that "
       "ADD computes: in_out_t bf16; "},
      {"/V_EXP/type_rows/0/types/in_out_t", R"("i32")",
       "own.json: /operators/6/type_rows/0: found in_out_t i32, expected types that EXP computes: "
       "in_out_t bf16; in_out_t fp16; in_out_t fp32"},
      // Maxima.
      {"/V_ADD/arguments/2/level_limits/0/limit", R"("MAX_RANG")",
       "own.json: /operators/1/arguments/2/level_limits/0/limit: found MAX_RANG, expected a "
       "maximum "
       "that every level has; 8K has MAX_KERNEL, "},
      {"/levels/0/maxima/MAX_RANK", "1000000000",
       "own.json: /levels/0/maxima/MAX_RANK: found 1000000000, expected a rank from 1 to 64"},
      {"/levels/0/maxima/MAX_LOG2_SIZE", "64",
       "own.json: /levels/0/maxima/MAX_LOG2_SIZE: found 64, expected 1 to 63"},
      {"/levels/0/maxima/MAX_LOG2_SIZE", "",
       "own.json: /levels/0/maxima: found no MAX_LOG2_SIZE, expected it: it limits the size of a "
       "tensor"},
      // Arguments that are not those of the text.
      {"/enumerations", "[]",
       "own.json: /operators/3/arguments/2/type: found nan_propagation_mode_t, which is no "
       "enumeration of the edition; expected it among /enumerations, with the values PROPAGATE"},
      {"/enumerations/0/values/0", "",
       "own.json: /enumerations/0/values: found no PROPAGATE, expected the values that MAXIMUM "
       "takes"},
      {"/enumerations/0/values/1/value", "1",
       "own.json: /enumerations/0/values/1/value: found 1, which PROPAGATE has; expected a number "
       "of its own"},
      {"/enumerations/0/values/2", R"({"name": "DROP", "value": 3})",
       "own.json: /enumerations/0/values/2/name: found DROP, expected a value that MAXIMUM takes"},
      {"/SOFTMAX/arguments/0/element_type", R"("in_t")",
       "own.json: /operators/14/type_rows/0/types: found no in_t, expected a type for each "
       "variable"},
      {"/SOFTMAX/arguments/0/element_type", R"("a")",
       "own.json: /operators/14/arguments/0/element_type: found a, expected a variable of the "
       "type"},
      {"/SOFTMAX/arguments/2/type", R"("fp16")",
       "own.json: /operators/14/arguments/2/type: found fp16, expected tensor_t"},
      {"/SOFTMAX/arguments/1/type", R"("mode_t")",
       "own.json: /operators/14/arguments/1/type: found mode_t, expected tensor_t, i32_t, bool_t "
       "or "},
      {"/V_ABS/arguments/0/rank", "[6, 0]",
       "own.json: /operators/5/arguments/0/rank: found ranks from 6 to 0 at level 8K, expected the "
       "least first, and the greatest at most MAX_RANK, 6"},
      {"/V_ABS/arguments/0/rank", "[0, 1000000000]",
       "own.json: /operators/5/arguments/0/rank: found ranks from 0 to 1000000000 at level 8K"},
      {"/V_ABS/arguments/0/rank", "[5, 6]",
       "own.json: /operators/5/arguments/0/rank: found ranks from 5 to 6, expected 0 to at most 6"},
      {"/SOFTMAX/arguments/0/rank", "[5, 6]",
       "own.json: /operators/14/domain/axes/0/values/0: found 61x2, rank 2, expected rank 5 to 6, "
       "that of input x at level 8K"},
      {"/V_ADD/text", R"("MUL")", "own.json: /operators/1/arguments"},
      {"/V_ADD/text", R"("COND_IF")",
       "own.json: /operators/1/arguments/0/view/name: found input1, "},
      {"/V_ABS/text", R"("RESIZE")",
       "own.json: /operators/5/arguments/0/view/name: found input1, "},
      {"/V_ABS/text", R"("EXP2")",
       "own.json: /operators/5/text: operator V_ABS: found text EXP2, expected an operator of "
       "TOSA"},
      {"/V_ADD/arguments/0/view/name", R"("input3")",
       "own.json: /operators/1/arguments/0/view/name: found input3, expected input1, the name of "
       "argument 0 of ADD in tosa-1.0; a view says"},
      {"/V_ADD/arguments/0/view", "",
       "own.json: /operators/1/arguments/0/name: found a, expected input1, "},
      {"/V_ADD/arguments/1/view/name", R"("input1")",
       "own.json: /operators/1/arguments/1/view/name: found input1, expected input2, "},
      {"/V_ADD/arguments/1/name", R"("a")",
       "own.json: /operators/1/arguments/1/name: found a a second time"},
      {"/V_SUB/name", R"("V_ADD")", "own.json: /operators/2/name: found V_ADD a second time"},
      {"/V_ABS/arguments/1", "",
       "own.json: /operators/5/arguments: found 1 arguments, expected the 2 of ABS in tosa-1.0: "
       "input1, output"},
      {"/POOL_MAX/arguments/0/view/shape", "",
       "own.json: /operators/11/arguments/0/shape: found [N,C,IH,IW], expected [N,IH,IW,C], that "
       "of"},
      {"/POOL_MAX/arguments/1/elements", R"(["y", "y", "x"])",
       "own.json: /operators/11/arguments/1/elements/1: found y a second time, expected a name "
       "for each element"},
      {"/POOL_MAX/arguments/1/elements", R"(["t", "y", "x"])",
       "own.json: /operators/11/arguments/1/elements: found 3 names, expected one for each element "
       "of [2]"},
      {"/POOL_MAX/arguments/0/shape", R"("[N,C,IH,IW]x")",
       "own.json: /operators/11/arguments/0/shape: found [N,C,IH,IW]x, expected ] at its end"},
      {"/V_ABS/arguments/2",
       R"({"name": "more", "category": "attribute", "type": "tensor_t", "shape": "-",
           "element_type": "i32_t"})",
       "own.json: /operators/5/arguments: found 3 arguments, expected the 2 of ABS in tosa-1.0: "
       "input1, output"},
      // Names of the edition.
      {"/V_ADD/type_rows/0/profiles", R"([["BASIS"]])",
       "own.json: /operators/1/type_rows/0/profiles/0/0: found BASIS, expected a profile or an "
       "extension of the edition: BASE"},
      {"/levels/1", R"({"name": "8K", "maxima": {"MAX_RANK": 6}})",
       "own.json: /levels/1/name: found 8K a second time"},
      {"/follows", R"("tosa-9")",
       "own.json: /follows: found the edition 'tosa-9', expected one of tosa-1.0, "},
      {"/features/0", R"("executes")",
       "own.json: /features/0: found \"executes\", expected a feature"},
      // Conditions.
      {"/POOL_MAX/conditions/0/id", R"("max_pool2d.kernel")",
       "own.json: /operators/11/conditions/0/id: found max_pool2d.kernel, expected an id that "
       "begins "
       "with pool_max."},
      {"/POOL_MAX/conditions/0/id", R"("pool_max.level_window_y")",
       "own.json: /operators/11/conditions/0/id: found pool_max.level_window_y, which another"},
      {"/POOL_MAX/conditions/0/example/window", "3",
       "own.json: /operators/11/conditions/0/example/window: found 3, expected a list of 2 "
       "integers"},
      {"/POOL_MAX/conditions/0/example/window", R"(["a", "b"])",
       "own.json: /operators/11/conditions/0/example/window/0: found \"a\""},
      {"/POOL_MAX/conditions/0/example/window", "[1, 1]",
       "own.json: /operators/11/conditions/0/example: found values that do not break "
       "pool_max.window_area: `window_y * window_x > 4096` is false for them"},
      // The domain.
      {"/SOFTMAX/domain/axes/1/values/0", R"("zero")",
       "own.json: /operators/14/domain/axes/1/values/0: found zero, expected an integer of 32 "
       "bits"},
      {"/SOFTMAX/domain/axes/0/values/0", R"("61y2")",
       "own.json: /operators/14/domain/axes/0/values/0: found 61y2, expected sizes such as 61x2"},
      {"/SOFTMAX/domain/axes/1", "",
       "own.json: /operators/14/domain/axes: found no axis axis, expected one"},
      {"/SOFTMAX/domain", "", "own.json: /operators/14: found a definition without a domain"},
      // Steps.
      {"/SOFTMAX/definition/edition", R"("tosa-9")",
       "own.json: /operators/14/definition/edition: found the edition 'tosa-9', expected one of "
       "tosa-1.0, "},
      {"/SOFTMAX/definition/steps/0/attributes/axes", "0",
       "own.json: /operators/14/definition/steps/0/attributes/axes: expected an attribute of "
       "REDUCE_MAX in tosa-1.0: axis, nan_mode"},
      {"/SOFTMAX/definition/steps/0/attributes/axis", R"("first")",
       "own.json: /operators/14/definition/steps/0/attributes/axis: found first, expected an "
       "integer"},
      {"/SOFTMAX/definition/steps/0/attributes/axis", "",
       "own.json: /operators/14/definition/steps/0: found no attribute axis, expected it"},
      {"/SOFTMAX/definition/steps/0/attributes/nan_mode", R"("SPREAD")",
       "own.json: /operators/14/definition/steps/0/attributes/nan_mode: found SPREAD, expected one "
       "of PROPAGATE, IGNORE"},
      {"/SOFTMAX/definition/steps/1/inputs", R"(["x"])",
       "own.json: /operators/14/definition/steps/1/inputs: found 1 inputs, expected 2, those of "
       "SUB"},
      {"/SOFTMAX/definition/steps/1/inputs/1", R"("top")",
       "own.json: /operators/14/definition/steps/1/inputs/1: found input top, expected an input of "
       "SOFTMAX, a constant or the output of a step before: no_shift, peak, x"},
      {"/SOFTMAX/definition/steps/1/type", R"("i32")",
       "own.json: /operators/14/definition/steps/1: in the type row \"fp16\" found x of fp16, peak "
       "of "
       "fp16, below_peak of i32, expected types that SUB of tosa-1.0 has: input1 bf16, "},
      {"/SOFTMAX/definition/steps/1/type", R"("i9")",
       "own.json: /operators/14/definition/steps/1/type: found type i9, expected a variable of the "
       "type rows or a type: bool, "},
      {"/SOFTMAX/definition/steps/2/operator", R"("EXPONENT")",
       "own.json: /operators/14/definition/steps/2/operator: found EXPONENT, an operator that "
       "tosa-1.0 does not have"},
      {"/SOFTMAX/definition/steps/5", "",
       "own.json: /operators/14/definition/steps: no step makes output y, expected one; the steps "
       "make peak, below_peak, power, sum, part"},
      {"/SOFTMAX/definition/constants/0/values", "[128]",
       "own.json: /operators/14/definition/constants/0/values/0: found 128, expected an integer "
       "from "
       "-128 to 127, as i8 has"},
      {"/SOFTMAX/definition/constants/0/shape", "[1, 1]",
       "own.json: /operators/14/definition/steps/5/inputs/2: found no_shift of rank 2, expected "
       "rank "
       "at most 1, as shift of MUL has"},
      {"/SOFTMAX/definition/constants/0/dtype", R"("i9")",
       "own.json: /operators/14/definition/constants/0/dtype: found type i9, expected one of: "
       "bool"},
  };
  for (const Damage& damage : damages) {
    Json edition = Acme();
    Change(edition, PointerInto(edition, damage.place), damage.value);
    EXPECT_THAT(Read(edition, Table()), HasSubstr(damage.message)) << damage.place;
  }
}

// An operator of tosa-1.0 as acme would have it.
Json OfTosa(const std::string& name) {
  const Json tosa =
      *LoadJson(fs::path(CTS_SOURCE_DIR) / "schemas/editions/tosa-1.0.json", "edition");
  for (Json op : tosa.at("operators")) {
    if (op["name"] != name) continue;
    for (Json& row : op["type_rows"]) row["profiles"] = {{"BASE"}};
    for (Json& argument : op["arguments"]) {
      argument.erase("ctc");
      argument.erase("ctc_remove");
    }
    return op;
  }
  return nullptr;
}

TEST(CheckEdition, NeedsConstWhereOperandsAreConstants) {
  Json edition = Acme();
  edition["operators"][0] = OfTosa("MUL");
  EXPECT_THAT(Read(edition, Table()),
              HasSubstr("own.json: /operators: found no operator CONST, expected one: MUL takes "
                        "constants as shift"));
}

// Graphs, constants and variables are told by name.
TEST(CheckEdition, LeavesControlFlowVariablesAndConstantsTheirNames) {
  for (const char* const name :
       {"COND_IF", "WHILE_LOOP", "VARIABLE_READ", "CUSTOM", "CONST", "CONST_SHAPE"}) {
    Json edition = Acme();
    Json op = OfTosa(name);
    op["text"] = name;
    op["name"] = StrCat("OWN_", name);
    edition["operators"].push_back(op);
    EXPECT_THAT(Read(edition, Table()),
                HasSubstr(StrCat("own.json: /operators/15/text: found the text ", name,
                                 " under the name OWN_", name, ", expected its own name")));
  }
}

TEST(CheckEdition, NeedsReshapeWhereShapesAreConstants) {
  Json edition = Acme();
  edition["operators"].push_back(OfTosa("CONST_SHAPE"));
  EXPECT_THAT(Read(edition, Table()),
              HasSubstr("own.json: /operators: found no operator RESHAPE, expected one: cases of "
                        "CONST_SHAPE reshape a tensor by it"));
}

TEST(CheckEdition, NeedsTheModeInRowsOfResize) {
  Json edition = Acme();
  edition["operators"].push_back(OfTosa("RESIZE"));
  edition["enumerations"].push_back(
      Json::parse(R"({"name": "resize_mode_t", "values": [{"name": "NEAREST_NEIGHBOR", "value": 1},
                      {"name": "BILINEAR", "value": 2}]})"));
  EXPECT_THAT(Read(edition, Table()),
              HasSubstr("own.json: /operators/15/type_rows/0: found in_t i8, out_t i32, "
                        "resize_t i16, expected types that RESIZE computes: "));
}

TEST(CheckEdition, RefusesABindingToNothing) {
  Json edition = Acme();
  edition["operators"][1]["type_rows"][0]["bindings"] = {{"out_t", {{"same_as", "in_t"}}}};
  EXPECT_THAT(Read(edition, Table()),
              HasSubstr("own.json: /operators/1/type_rows/0/bindings/out_t/same_as: found in_t, "
                        "expected a variable among the bindings that has any_of"));
}

TEST(CheckEdition, RefusesWhatATableOfPrecisionGetsWrong) {
  const std::string exp = R"({"operator": "V_EXP", "text": "some", )";
  const auto missing = [](const char* op, const char* type) {
    return StrCat("acme-0.1, ", op, ", type row \"fp16\", result of ", type);
  };
  const std::vector<Damage> damages = {
      {"/form", R"("acme")",
       "acme-0.1.json: /form: found acme, expected a comparing function: tosa-0.100, tosa-1.0"},
      {"/rows/6", exp + R"("class": "power", "magnitude": "one", "scale": 1})",
       "acme-0.1.json: /rows/6/class: found a class whose bound the program cannot compute for "
       "V_EXP, expected exact, ulp, elementwise or relative_and_absolute"},
      {"/rows/6", exp + R"("class": "largest_input", "relative": 1})",
       "/rows/6/class: found a class"},
      {"/rows/6", exp + R"("class": "product", "magnitude": "one"})",
       "/rows/6/class: found a class"},
      {"/rows/6", exp + R"("class": "interval", "ends": "inexact_rescale"})",
       "/rows/6/class: found a class"},
      {"/rows/1",
       R"({"operator": "V_ADD", "text": "some", "class": "elementwise", "magnitude": "one",
                      "scale": 1, "slope": 2})",
       "acme-0.1.json: /rows/1/slope: found a bound that depends on the operand of V_ADD, expected "
       "an "
       "operator with one operand, which its text calls input or input1; found input1, input2"},
      {"/rows/1",
       R"({"operator": "V_ADD", "text": "some", "class": "elementwise", "magnitude": "one",
                      "scale": 1, "table": true})",
       "/rows/1/table: found a bound that depends on"},
      {"/rows/14", R"({"operator": "SOFTMAX", "text": "some", "class": "elementwise",
                       "magnitude": "one", "scale": 1, "slope": 2})",
       "/rows/14/slope: found a bound that depends on"},
      {"/rows/6", "",
       missing("V_EXP", "fp16") + ": no rule of precision is known: expected a row in "},
      {"/rows/15", exp + R"("class": "ulp", "scale": 3})",
       missing("V_EXP", "fp16") +
           ": no rule of precision is known: found two rows, expected one in "},
      {"/rows/15", exp + R"("class": "ulp", "scale": 3, "types": {"in_out_t": ["bf16"]}})",
       "acme-0.1.json: /rows/15: found a row that binds no result of V_EXP, expected its results, "
       "types and attributes to be some that V_EXP has; correct them, or take the row out"},
      {"/rows/6/scale", "-3", "acme-0.1.json: /rows/6/scale: found -3, expected more than 0"},
      {"/rows/6/operator", R"("V_EXQ")", "/rows/6: operator: found V_EXQ, expected an operator of"},
  };
  for (const Damage& damage : damages) {
    Json table = Table();
    Change(table, Json::json_pointer(damage.place), damage.value);
    const std::string said = Read(Acme(), table);
    EXPECT_THAT(said, HasSubstr(damage.message)) << damage.place;
    const size_t file = said.find("precision/acme-0.1.json");
    EXPECT_NE(file, said.npos) << said;
    EXPECT_EQ(said.find("precision/acme-0.1.json", file + 1), said.npos) << said;
  }
}

TEST(CheckEdition, SaysWhereTheTableOfPrecisionStands) {
  const fs::path folder = fs::path(testing::TempDir()) / ("edition-" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::copy_file(kAcme / "acme-0.1.json", folder / "own.json");
  const Status added = AddEdition(folder / "own.json");
  fs::remove_all(folder);
  EXPECT_THAT(Message(added), HasSubstr("own.json: found no table of precision beside it, "));
  EXPECT_THAT(Message(added), HasSubstr("precision/acme-0.1.json"));
}

// Only an embedded edition leaves out what these say.
TEST(CheckEdition, ReadsNoQuirksOfTosa) {
  Json edition = Acme(), table = Table();
  edition["id"] = table["edition"] = "acme-plain";
  table["documents"]["acme-plain"] = table["documents"]["acme-0.1"];
  ASSERT_EQ(Read(edition, table), "");
  const Edition& read = **FindEdition("acme-plain");
  EXPECT_FALSE(read.FindOperator("V_MAX")->FindArgument("nan_mode")->optional);
  EXPECT_TRUE(
      (*FindEdition("tosa-1.0"))->FindOperator("MAXIMUM")->FindArgument("nan_mode")->optional);
}

}  // namespace
}  // namespace cts
