#include "reference/spec/precision_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cts_precision_tables.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kComplete[] = {"tosa-1.0", "tosa-0.100", "rvtensor"};

const Edition& Get(std::string_view id) { return **FindEdition(id); }

Json EmbeddedJson(std::string_view id) {
  for (const EmbeddedFile& file : EmbeddedPrecisionTables()) {
    if (file.name == StrCat(id, ".json")) return Json::parse(file.text);
  }
  ADD_FAILURE() << "no table of precision for " << id;
  return {};
}

std::string NoAttribute(const std::string&) { return ""; }

// The types of the results of a type row; empty where the row does not say (lists, shapes).
std::vector<DType> Results(const OperatorSpec& spec, const TypeRow& types) {
  std::vector<DType> results;
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kOutput) continue;
    if (const auto type = types.PlainType(argument.element_type)) results.push_back(*type);
  }
  return results;
}

// The values that an enumeration may have, and no value.
std::vector<std::string> Values(const Edition& edition, const std::string& attribute) {
  std::vector<std::string> values = {""};
  if (const EnumSpec* spec = edition.FindEnum(attribute + "_t")) {
    for (const EnumValue& value : spec->values) values.push_back(value.name);
  }
  return values;
}

TEST(PrecisionTable, HasExactlyOneRowForEveryFloatingPointResult) {
  for (const char* id : kComplete) {
    const Edition& edition = Get(id);
    int results = 0;
    for (const OperatorSpec& spec : edition.operators) {
      for (const TypeRow& types : spec.type_rows) {
        for (const DType type : Results(spec, types)) {
          if (!IsFloat(type)) continue;
          ++results;
          const auto row = edition.precision->Find(spec.name, types, type, NoAttribute);
          EXPECT_TRUE(row.ok()) << row.status();
        }
      }
    }
    EXPECT_GT(results, edition.id == "rvtensor" ? 20 : 190) << id;
  }
}

TEST(PrecisionTable, BindsEveryIntegerResult) {
  for (const char* id : kComplete) {
    for (const OperatorSpec& spec : Get(id).operators) {
      for (const TypeRow& types : spec.type_rows) {
        for (const DType type : Results(spec, types)) {
          const auto row = Get(id).precision->Find(spec.name, types, type, NoAttribute);
          ASSERT_TRUE(row.ok()) << row.status();
          if (IsFloat(type)) continue;
          EXPECT_TRUE((*row)->Is<ExactPrecision>()) << (*row)->clause;
        }
      }
    }
  }
}

TEST(PrecisionTable, HasNoRowThatNothingUses) {
  for (const std::string& id : EditionIds()) {
    const Edition& edition = Get(id);
    std::set<const PrecisionRow*> used;
    for (const OperatorSpec& spec : edition.operators) {
      for (const TypeRow& types : spec.type_rows) {
        std::vector<DType> results = Results(spec, types);
        // Lists, and what 1.1 leaves open, may be of any type.
        if (results.empty()) results = {DType::kFp32, DType::kI32};
        for (const DType type : results) {
          for (const std::string& mode : Values(edition, "rounding_mode")) {
            const auto row = edition.precision->Find(
                spec.name, types, type,
                [&](const std::string& name) { return name == "rounding_mode" ? mode : ""; });
            if (row.ok()) used.insert(*row);
          }
        }
      }
    }
    for (const PrecisionRow& row : edition.precision->rows()) {
      EXPECT_TRUE(used.contains(&row)) << id << ": " << row.op << ": " << row.clause;
    }
  }
}

TEST(PrecisionTable, NamesTheComparingFunctionOfEachEdition) {
  EXPECT_EQ(Get("tosa-1.0").precision->form(), "tosa-1.0");
  EXPECT_EQ(Get("tosa-0.100").precision->form(), "tosa-0.100");
  EXPECT_EQ(Get("rvtensor").precision->form(), "tosa-1.0");
  EXPECT_EQ(Get("tosa-1.1-draft").precision->form(), "tosa-1.1-draft");
}

// Section Dot product accuracy requirements names these.
TEST(PrecisionTable, KnowsTheSumsOfProducts) {
  const auto sums = [](std::string_view id) {
    std::vector<std::string> names;
    for (const OperatorSpec& spec : Get(id).operators) {
      if (Get(id).precision->IsDotProduct(spec.name)) names.push_back(spec.name);
    }
    std::sort(names.begin(), names.end());
    return names;
  };
  EXPECT_THAT(sums("tosa-1.0"),
              ElementsAre("AVG_POOL2D", "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "FFT2D", "MATMUL",
                          "REDUCE_SUM", "RFFT2D", "TRANSPOSE_CONV2D"));
  EXPECT_THAT(sums("tosa-0.100"),
              ElementsAre("AVG_POOL2D", "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "FFT2D",
                          "FULLY_CONNECTED", "MATMUL", "REDUCE_SUM", "RFFT2D", "TRANSPOSE_CONV2D"));
  EXPECT_THAT(sums("rvtensor"), ElementsAre("CONV2D", "CONV3D", "DEPTHWISE_CONV2D",
                                            "FULLY_CONNECTED", "MATMUL", "TRANSPOSE_CONV2D"));
  EXPECT_FALSE(Get("tosa-1.0").precision->IsDotProduct("NO_OPERATOR"));
}

TEST(PrecisionTable, CitesADocumentAndASectionInEveryClause) {
  for (const std::string& id : EditionIds()) {
    const Json documents = EmbeddedJson(id).at("documents");
    for (const PrecisionRow& row : Get(id).precision->rows()) {
      const size_t comma = row.clause.find(", ");
      ASSERT_NE(comma, std::string::npos) << row.clause;
      EXPECT_TRUE(documents.contains(row.clause.substr(0, comma))) << row.clause;
      if (!row.Is<DotProductPrecision>()) {
        EXPECT_THAT(row.clause.substr(comma), StartsWith(", " + row.op + ": "));
      }
    }
  }
  EXPECT_EQ(Get("rvtensor").precision->dot_products()->clause,
            "tosa-1.0, Dot product accuracy requirements");
}

// The table of an edition after a change of its JSON.
StatusOr<PrecisionTable> Changed(const std::function<void(Json&)>& change,
                                 std::string_view id = "tosa-1.0") {
  Json json = EmbeddedJson(id);
  change(json);
  return PrecisionTable::FromJson(json, Get(id));
}

size_t IndexOf(const Json& json, std::string_view op) {
  const Json& rows = json.at("rows");
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Json& row) { return row.at("operator") == op; });
  return static_cast<size_t>(found - rows.begin());
}

std::string Refusal(const PrecisionTable& table, std::string_view op, DType type,
                    std::string_view id = "tosa-1.0") {
  const OperatorSpec& spec = *Get(id).FindOperator(op);
  const auto fits = std::find_if(
      spec.type_rows.begin(), spec.type_rows.end(),
      [&](const TypeRow& types) { return Results(spec, types) == std::vector<DType>{type}; });
  const auto row = table.Find(op, *fits, type, NoAttribute);
  return row.ok() ? "found " + (*row)->clause : Message(row.status());
}

TEST(PrecisionTable, RefusesAResultWithoutARow) {
  const auto table = Changed([](Json& json) { json["rows"].erase(IndexOf(json, "EXP")); });
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(Refusal(*table, "EXP", DType::kFp16),
            "tosa-1.0, EXP, type row \"fp16\", result of fp16: no rule of precision is known: "
            "expected a row in schemas/editions/precision/tosa-1.0.json");
  // Rows in which 1.1 differs from 1.0 are not known yet.
  EXPECT_EQ(Refusal(*Get("tosa-1.1-draft").precision, "ADD", DType::kBf16, "tosa-1.1-draft"),
            "tosa-1.1-draft, ADD, type row \"bf16\", result of bf16: no rule of precision is "
            "known: expected a row in schemas/editions/precision/tosa-1.1-draft.json");
}

TEST(PrecisionTable, RefusesIntegersWithoutAClauseForThem) {
  const auto table = Changed([](Json& json) { json.erase("integers"); });
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Refusal(*table, "CLZ", DType::kI32), HasSubstr("CLZ, type row \"signed 32\""));
  EXPECT_EQ(Refusal(*Get("tosa-1.0").precision, "CLZ", DType::kI32),
            "found tosa-1.0, CLZ: integer and boolean results are exact");
}

TEST(PrecisionTable, RefusesTwoRowsForOneResult) {
  const auto table =
      Changed([](Json& json) { json["rows"].push_back(json["rows"][IndexOf(json, "ERF")]); });
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Refusal(*table, "ERF", DType::kFp32), HasSubstr("found two rows, expected one"));
}

TEST(PrecisionTable, RefusesATypeWithoutItsConstant) {
  const auto table = Changed([](Json& json) {
    json["rows"][IndexOf(json, "EXP")]["constant"] = {{"fp32", 3}};
  });
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_THAT(Refusal(*table, "EXP", DType::kBf16),
              HasSubstr("result of bf16: the row has no constant for the type: expected one"));
  EXPECT_THAT(Refusal(*table, "EXP", DType::kFp32), StartsWith("found tosa-1.0, EXP: within"));
}

TEST(PrecisionTable, RejectsRowsThatMakeNoSense) {
  const auto rejected = [](std::string_view op, const std::function<void(Json&)>& change) {
    const auto table = Changed([&](Json& json) { change(json["rows"][IndexOf(json, op)]); });
    return table.ok() ? "accepted" : Message(table.status());
  };
  EXPECT_EQ(rejected("ERF", [](Json& row) { row["operator"] = "ERFC"; }),
            "precision/tosa-1.0.json: /rows/10: operator: found ERFC, expected an operator of "
            "tosa-1.0");
  EXPECT_THAT(rejected("ERF", [](Json& row) { row["slope"] = 1; }),
              HasSubstr("/rows/10: ERF: class ulp: found the column slope, expected none"));
  EXPECT_THAT(rejected("ERF", [](Json& row) { row.erase("scale"); }),
              HasSubstr("/rows/10: ERF: class ulp: expected the column scale"));
  EXPECT_THAT(rejected("ERF", [](Json& row) { row["scale"] = -1; }), HasSubstr("/rows/10/scale"));
  EXPECT_THAT(rejected("ERF", [](Json& row) { row["class"] = "about"; }),
              HasSubstr("/rows/10/class"));
  EXPECT_THAT(rejected("ERF", [](Json& row) { row["document"] = "hearsay"; }),
              HasSubstr("/rows/10: the document hearsay is cited: expected it among /documents"));
  EXPECT_THAT(rejected("CAST",
                       [](Json& row) {
                         row["types"] = {{"acc_t", "integer"}};
                       }),
              HasSubstr("types: found acc_t, expected a type variable of CAST"));
  EXPECT_THAT(rejected("RESCALE",
                       [](Json& row) {
                         row["attributes"] = {{"mode", "FAST"}};
                       }),
              HasSubstr("attributes: found mode, expected an argument of RESCALE"));
  EXPECT_THAT(rejected("RESCALE",
                       [](Json& row) {
                         row["attributes"] = {{"rounding_mode", "INEXACT_ROUN"}};
                       }),
              HasSubstr("attributes: found rounding_mode INEXACT_ROUN, expected one of "
                        "SINGLE_ROUND, INEXACT_ROUND, DOUBLE_ROUND"));
  EXPECT_THAT(
      rejected("RESCALE",
               [](Json& row) {
                 row["attributes"] = {{"scale32", "true"}};
               }),
      HasSubstr("attributes: found scale32, expected an attribute whose values have names"));
  EXPECT_THAT(rejected("ABS", [](Json& row) { row["zero_choice"] = "nope"; }),
              HasSubstr("zero_choice: found nope, expected one of the choices of tosa-1.0: "
                        "subnormals, negate_of_zero, nan"));
  EXPECT_THAT(rejected("NEGATE", [](Json& row) { row.erase("zero_sign"); }),
              HasSubstr("zero_choice: found negate_of_zero without zero_sign, expected both"));
  EXPECT_THAT(rejected("EXP", [](Json& row) { row["unit"] = "2^-(frac/2)"; }),
              HasSubstr("unit: expected 2^-frac with the magnitude raised_reference"));
  EXPECT_THAT(rejected("EXP", [](Json& row) { row["least_normal_min"] = 2.5; }),
              AllOf(StartsWith("precision/tosa-1.0.json: /rows/"),
                    HasSubstr("least_normal_min: found 2.5 with the magnitude raised_reference, "
                              "expected none"),
                    HasSubstr("take the column out, or choose another magnitude")));
}

TEST(PrecisionTable, RejectsATableOfAnotherEditionOrWithoutWhatItNeeds) {
  const auto other = PrecisionTable::FromJson(EmbeddedJson("tosa-0.100"), Get("tosa-1.0"));
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(Message(other.status()),
            "precision/tosa-1.0.json: /edition: found tosa-0.100, expected tosa-1.0");
  const auto sums = Changed([](Json& json) { json.erase("dot_products"); });
  ASSERT_FALSE(sums.ok());
  EXPECT_EQ(Message(sums.status()),
            "precision/tosa-1.0.json: /rows/0: class dot_product: expected /dot_products");
}

TEST(PrecisionTable, AnEditionWithoutOneIsRefused) {
  Edition edition = Get("tosa-1.0");
  edition.precision = nullptr;
  EXPECT_EQ(Message(PrecisionOf(edition).status()),
            "edition tosa-1.0 has no table of precision: expected "
            "schemas/editions/precision/tosa-1.0.json");
}

}  // namespace
}  // namespace cts
