#include "tools/program/ask/list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/json.h"

namespace cts {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Edition& Get(std::string_view id) {
  const StatusOr<const Edition*> edition = FindEdition(id);
  EXPECT_TRUE(edition.ok()) << edition.status();
  static const auto* const none = new Edition;
  return edition.ok() ? **edition : *none;
}

// The first row whose member `name` is `value`.
Json RowOf(const Json& rows, std::string_view name, std::string_view value) {
  for (const Json& row : rows) {
    if (row.at(std::string(name)) == value) return row;
  }
  ADD_FAILURE() << "no row with " << name << " " << value;
  return Json::object();
}

TEST(List, HasARowForEveryOperatorTypeRowAndLevel) {
  // Operators and type rows: the totals of counts.tsv.
  EXPECT_EQ(ListOperators(Get("tosa-0.100")).size(), 82u);
  EXPECT_EQ(ListOperators(Get("tosa-1.0")).size(), 75u);
  EXPECT_EQ(ListOperators(Get("tosa-1.1-draft")).size(), 100u);
  EXPECT_EQ(ListOperators(Get("rvtensor")).size(), 11u);
  EXPECT_EQ(ListTypes(Get("rvtensor")).size(), 89u);
  EXPECT_EQ(ListTypes(Get("tosa-0.100")).size(), 410u);
  EXPECT_EQ(ListTypes(Get("tosa-1.0")).size(), 389u);
  EXPECT_EQ(ListTypes(Get("tosa-1.1-draft")).size(), 601u);
  EXPECT_EQ(ListLevels(Get("tosa-1.0")).size(), 2u);
}

TEST(List, OperatorsHaveTheArgumentsOfTheEditionsFile) {
  for (const std::string& id : EditionIds()) {
    const auto file = LoadJson(CTS_SOURCE_DIR "/schemas/editions/" + id + ".json", "");
    ASSERT_TRUE(file.ok()) << file.status();
    const Json rows = ListOperators(Get(id));
    for (Json spec : file->at("operators")) {
      // The condition of a limit in the file is listed with the conditions.
      for (Json& argument : spec.at("arguments")) {
        if (!argument.contains("level_limits")) continue;
        for (Json& limit : argument["level_limits"]) {
          limit.erase("id");
          limit.erase("paraphrase");
        }
      }
      const Json row = RowOf(rows, "operator", spec.at("name").get<std::string>());
      EXPECT_EQ(row.at("arguments"), spec.at("arguments")) << id << " " << spec.at("name");
      EXPECT_EQ(row.at("group"), spec.at("group"));
      EXPECT_EQ(row.at("type_rows"), spec.at("type_rows").size());
    }
  }
}

TEST(List, TypesHaveTheRowsOfTheEditionsFile) {
  for (const std::string& id : EditionIds()) {
    const auto file = LoadJson(CTS_SOURCE_DIR "/schemas/editions/" + id + ".json", "");
    ASSERT_TRUE(file.ok()) << file.status();
    const Json rows = ListTypes(Get(id));
    size_t i = 0;
    for (const Json& spec : file->at("operators")) {
      for (Json row : spec.at("type_rows")) {
        row.erase("version_added");
        row["operator"] = spec.at("name");
        ASSERT_LT(i, rows.size());
        Json listed = rows[i++];
        // The types that 0.100 leaves out there are filled in when the edition is loaded.
        if (id == "tosa-0.100" && row["operator"] == "TRANSPOSE_CONV2D") {
          for (const char* variable : {"weight_t", "acc_t"}) {
            if (!row["types"].contains(variable)) listed["types"].erase(variable);
          }
        }
        EXPECT_EQ(listed, row) << id;
      }
    }
    EXPECT_EQ(i, rows.size());
  }
}

TEST(List, LevelsHaveTheirMaxima) {
  const Json level = RowOf(ListLevels(Get("tosa-1.0")), "level", "8K");
  EXPECT_EQ(level.at("maxima").at("MAX_KERNEL"), 8192);
}

TEST(List, FeaturesHaveTheirSentences) {
  EXPECT_EQ(RowOf(ListFeatures(Get("tosa-1.0")), "feature", "clamp_refuses_nan").at("sentence"),
            "a NaN among CLAMP's bounds is an error");
  for (const Json& row : ListFeatures(Get("tosa-0.100"))) {
    EXPECT_NE(row.at("feature"), "clamp_refuses_nan");
  }
}

TEST(FormatTable, AlignsColumnsAndWritesNoTrailingBlanks) {
  const Json rows = {{{"name", "a"}, {"count", 5}, {"note", "x"}},
                     {{"name", "longer"}, {"count", 1234567}}};
  EXPECT_EQ(FormatTable(rows, {"name", "count", "absent", "note"}),
            "name      count  note\n"
            "a             5  x\n"
            "longer  1234567\n");
}

TEST(FormatTable, FoldsTheLastColumnWhereALineWouldBeTooWide) {
  const std::string words = "one two three four five six seven";
  const Json rows = {{{"name", "a"}, {"note", words}}, {{"name", "bc"}, {"note", ""}}};
  EXPECT_EQ(FormatTable(rows, {"name", "note"}, 39), "name  note\na     " + words + "\nbc\n");
  EXPECT_EQ(FormatTable(rows, {"name", "note"}, 30),
            "name  note\na     one two three four five\n      six seven\nbc\n");
  EXPECT_EQ(FormatTable(rows, {"name", "note"}, 26),
            "name\n    note\na\n    one two three four\n    five six seven\nbc\n");
}

TEST(FormatTable, WritesListsAndObjects) {
  const Json rows = {{{"a", {{"BF16", "FP8"}, Json::array({"INT"})}},
                      {"b", {{"in_t", "i8"}, {"out_t", {{"any_of", {"i8", "i16"}}}}}}}};
  EXPECT_EQ(FormatTable(rows, {"a", "b"}),
            "a              b\n"
            "BF16+FP8, INT  in_t=i8, out_t=any_of i8|i16\n");
}

TEST(FormatTable, OfNoRowsIsAnEmptyLine) { EXPECT_EQ(FormatTable(Json::array(), {"a"}), "\n"); }

TEST(Format, TablesHaveALineForEachRow) {
  const Edition& edition = Get("tosa-1.1-draft");
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines(FormatOperators(ListOperators(edition))), 1 + 100);
  EXPECT_EQ(lines(FormatTypes(ListTypes(edition))), 1 + 601);
  EXPECT_EQ(lines(FormatLevels(ListLevels(edition))), 1 + 2);
}

TEST(Format, OperatorsAreToldByTheirArguments) {
  Edition edition = Get("tosa-1.0");
  std::erase_if(edition.operators, [](const OperatorSpec& spec) { return spec.name != "ARGMAX"; });
  EXPECT_EQ(FormatOperators(ListOperators(edition)),
            "operator  group   inputs  attributes      outputs  type_rows\n"
            "ARGMAX    tensor  input   axis, nan_mode  output           7\n");
}

TEST(Format, TypesAreToldByProfileAndType) {
  EXPECT_THAT(FormatTypes(ListTypes(Get("tosa-1.0"))),
              Not(HasSubstr("bindings")));  // none in 1.0: no empty column
  Edition edition = Get("tosa-1.0");
  std::erase_if(edition.operators, [](const OperatorSpec& spec) { return spec.name != "TABLE"; });
  EXPECT_EQ(FormatTypes(ListTypes(edition)),
            "operator  mode       profiles   types\n"
            "TABLE     signed 8   PRO-INT    TABLE_SIZE=256, in_t=i8, out_t=i8, table_t=i8\n"
            "TABLE     signed 16  EXT-INT16  TABLE_SIZE=513, in_t=i16, out_t=i32, table_t=i16\n");
}

TEST(Format, FeaturesAreToldByTheirSentences) {
  Edition edition = Get("tosa-1.0");
  edition.features = {};
  edition.features.Add(Feature::kTosaFiles);
  edition.features.Add(Feature::kConcatNeedsInputs);
  EXPECT_EQ(FormatFeatures(ListFeatures(edition)),
            "feature              sentence\n"
            "tosa_files           its graphs are those of .tosa files\n"
            "concat_needs_inputs  CONCAT of an empty list is an error\n");
}

TEST(Format, LevelsAreToldByTheirMaxima) {
  Edition edition = Get("tosa-0.100");
  edition.levels = {{.name = "none", .maxima = {{"MAX_RANK", 32}, {"MAX_KERNEL", 2147483647}}},
                    {.name = "8K", .maxima = {{"MAX_RANK", 6}, {"MAX_KERNEL", 8192}}}};
  EXPECT_EQ(FormatLevels(ListLevels(edition)),
            "level  MAX_KERNEL  MAX_RANK\n"
            "none   2147483647        32\n"
            "8K           8192         6\n");
}

}  // namespace
}  // namespace cts
