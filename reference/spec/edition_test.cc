#include "reference/spec/edition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <tuple>

#include "cts_editions.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const Edition& Get(std::string_view id) {
  const StatusOr<const Edition*> edition = FindEdition(id);
  EXPECT_TRUE(edition.ok()) << edition.status();
  static const auto* const none = new Edition;
  return edition.ok() ? **edition : *none;
}

const OperatorSpec& Get(std::string_view id, std::string_view name) {
  const OperatorSpec* spec = Get(id).FindOperator(name);
  EXPECT_NE(spec, nullptr) << id << " " << name;
  static const auto* const none = new OperatorSpec;
  return spec != nullptr ? *spec : *none;
}

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The text of an embedded edition, parsed.
Json EmbeddedJson(std::string_view id) {
  for (const EmbeddedFile& file : EmbeddedEditions()) {
    if (file.name == StrCat(id, ".json")) return Json::parse(file.text);
  }
  ADD_FAILURE() << "no embedded edition " << id;
  return {};
}

TEST(Edition, IdsHaveTheDefaultFirst) {
  EXPECT_THAT(EditionIds(),
              ElementsAre(kDefaultEdition, "tosa-0.100", "tosa-1.1-draft", "rvtensor"));
}

TEST(Edition, EachResolvesToItselfAndStaysWhereItIs) {
  for (const std::string& id : EditionIds()) {
    EXPECT_EQ(Get(id).id, id);
    EXPECT_EQ(&Get(id), &Get(id));
  }
  EXPECT_EQ(Get("tosa-1.0").version, "1.0.2");
  EXPECT_EQ(Get("tosa-0.100").version, "0.100.0");
  EXPECT_EQ(Get("tosa-1.1-draft").version, "1.1.0");
}

TEST(Edition, UnknownIdListsTheKnownOnes) {
  for (const std::string_view id : {"tosa-9.9", "", "tosa-1.0.json"}) {
    const auto edition = FindEdition(id);
    ASSERT_FALSE(edition.ok()) << id;
    EXPECT_EQ(Message(edition.status()),
              StrCat("found the edition '", id,
                     "', expected one of tosa-1.0, tosa-0.100, "
                     "tosa-1.1-draft, rvtensor; --edition-file FILE adds "
                     "one of your own"));
  }
}

TEST(Edition, EveryEmbeddedFileFitsTheSchema) {
  for (const std::string& id : EditionIds()) {
    const auto edition = EditionFromJson(EmbeddedJson(id));
    EXPECT_TRUE(edition.ok()) << id << ": " << edition.status();
  }
}

TEST(Edition, RejectsJsonThatDoesNotFitTheSchema) {
  const Json good = EmbeddedJson("tosa-1.0");
  const auto rejected = [&](const std::string& pointer, const Json& value) {
    Json bad = good;
    bad[Json::json_pointer(pointer)] = value;
    const auto edition = EditionFromJson(bad);
    return edition.ok() ? std::string("accepted") : Message(edition.status());
  };
  EXPECT_THAT(rejected("/operators/0/arguments/0/category", "inout"),
              HasSubstr("/operators/0/arguments/0/category"));
  EXPECT_THAT(rejected("/operators/0/arguments/0/rank/1", "MAX_KERNEL"),
              HasSubstr("/operators/0/arguments/0/rank"));
  EXPECT_THAT(rejected("/operators/3/type_rows/0/profiles", Json::array()),
              HasSubstr("/operators/3/type_rows/0/profiles"));
  EXPECT_THAT(rejected("/levels/0/maxima/MAX_RANK", "6"), HasSubstr("/levels/0/maxima/MAX_RANK"));
  EXPECT_NE(rejected("/colour", "blue"), "accepted");
  EXPECT_THAT(rejected("/operators/2/arguments/0/view", {{"shape", "[N,IC,IH]"}}),
              HasSubstr("CONV2D: view [N,IC,IH]: expected the dimensions of [N,IH,IW,IC]"));
  // LEVEL_CHECKs: the operator, the argument, and what of the expression is wrong.
  const std::string limit = "/operators/2/arguments/1/level_limits/0/";
  EXPECT_THAT(rejected(limit + "value", "dilation_z * KH"),
              HasSubstr("CONV2D: weight: found the name dilation_z, expected an element of an "
                        "attribute or a dimension"));
  EXPECT_THAT(rejected(limit + "value", "rank(shape9) * KH"),
              HasSubstr("CONV2D: weight: found the name rank(shape9), expected the name of a shape "
                        "or an argument"));
  EXPECT_THAT(rejected(limit + "value", "KH *"),
              HasSubstr("CONV2D: weight: expression `KH *`, column 5: found the end, expected"));
  EXPECT_THAT(rejected(limit + "value", "KH > 1"),
              HasSubstr("expected a number, not a comparison"));
  EXPECT_THAT(rejected(limit + "id", "kernel_x"),
              HasSubstr("CONV2D: weight: found the id conv2d.level_kernel_x a second time"));
  EXPECT_THAT(rejected(limit + "id", "Kernel"), HasSubstr(limit + "id: found \"Kernel\""));
  // Names of element types.
  EXPECT_EQ(rejected("/enumerations/1/values/0/name", "INT31"),
            "edition: /operators/1: AVG_POOL2D: acc_type: found value INT31 of acc_type_t, "
            "expected names "
            "of element types: "
            "BOOLEAN, INT4, INT8, INT16, INT32, INT48, FP8E4M3, FP8E5M2, FP16, BF16, FP32");
  EXPECT_THAT(
      rejected("/enumerations/2/values/0/name", "BOOL"),
      HasSubstr("VARIABLE: type: found value BOOL of var_t, expected names of element types"));
  EXPECT_EQ(rejected("/operators/2/arguments/8/type", "i32_t"),
            "edition: /operators/2: CONV2D: acc_type: found type i32_t, expected an enumeration of "
            "element types");
  EXPECT_EQ(
      rejected("/operators/71/arguments/2/optional", true),
      "edition: /operators/71: VARIABLE: type: found an optional attribute, expected one that is "
      "always there");
  EXPECT_FALSE(EditionFromJson(Json::array()).ok());
  EXPECT_THAT(rejected("/features", {"Upper"}), HasSubstr("/features/0"));
  EXPECT_THAT(rejected("/features", {"executed", "executed"}), HasSubstr("/features"));
  EXPECT_THAT(rejected("/features", {"executed", "colourful"}),
              HasSubstr("edition: /features/1: found \"colourful\", expected a feature of "
                        "reference/spec/features.def: executed, symbolic_programs"));
}

TEST(Edition, NeedsAnIdWhereALevelLimitIsNoName) {
  Json json = EmbeddedJson("tosa-1.0");
  json["operators"][2]["arguments"][1]["level_limits"][0].erase("id");
  const auto edition = EditionFromJson(json);
  ASSERT_FALSE(edition.ok());
  EXPECT_EQ(Message(edition.status()),
            "edition: /operators/2: CONV2D: weight: level limit `dilation_y * KH`: expected an id "
            "beside it");
}

TEST(Edition, CountsAreThoseOfTheSpecification) {
  std::ifstream file(CTS_SOURCE_DIR "/reference/spec/testdata/counts.tsv");
  using Totals = std::map<std::string, std::tuple<int, int, int>>;
  Totals totals, expected;  // operators, type rows, level limits
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string id, name;
    if (line.starts_with("# total\t")) {
      int operators = -1, rows = -1, limits = -1;
      ASSERT_TRUE(fields >> id >> name >> id >> operators >> rows >> limits) << line;
      expected[id] = {operators, rows, limits};
    }
    if (line.empty() || line[0] == '#' || line.rfind("edition\t", 0) == 0) continue;
    int type_rows = -1, error_if = -1, require = -1, level_limits = -1;
    ASSERT_TRUE(fields >> id >> name >> type_rows >> error_if >> require >> level_limits) << line;
    const OperatorSpec& spec = Get(id, name);
    EXPECT_EQ(static_cast<int>(spec.Published().type_rows.size()), type_rows) << line;
    int limits = 0;
    for (const ArgumentSpec& argument : spec.arguments) {
      limits += static_cast<int>(argument.level_limits.size());
    }
    EXPECT_EQ(limits, level_limits) << line;
    auto& [operator_total, row_total, limit_total] = totals[id];
    operator_total += 1;
    row_total += type_rows;
    limit_total += level_limits;
  }
  EXPECT_EQ(expected.size(), 4u) << "a total for each edition";
  EXPECT_EQ(totals, expected);
  for (const std::string& id : EditionIds()) {
    EXPECT_EQ(static_cast<int>(Get(id).operators.size()), std::get<0>(totals[id])) << id;
  }
}

TEST(Edition, EveryTypeIsADTypeOrAKnownException) {
  // No type, sizes of shapes, and the formats of 1.1 that are no dtype of ours.
  const std::set<std::string> exceptions = {"-", "size_t", "tensor_size_t"};
  const std::set<std::string> formats_of_1_1 = {"fp4e2m1", "fp6e2m3",  "fp6e3m2",
                                                "mxint8",  "fp8ue8m0", "bs32_fp8ue8m0_set"};
  for (const std::string& id : EditionIds()) {
    const auto known = [&](const std::string& type) {
      return ParseDType(type).has_value() || exceptions.contains(type) ||
             (id == "tosa-1.1-draft" && formats_of_1_1.contains(type));
    };
    for (const OperatorSpec& spec : Get(id).operators) {
      for (const TypeRow& row : spec.Published().type_rows) {
        for (const auto& [variable, type] : row.types) {
          if (variable == "TABLE_SIZE") {
            EXPECT_TRUE(type == "256" || type == "513") << id << " " << spec.name << " " << type;
            continue;
          }
          EXPECT_TRUE(known(type)) << id << " " << spec.name << " " << variable << " " << type;
          EXPECT_EQ(row.Type(variable), ParseDType(type));
        }
        for (const auto& [variable, binding] : row.bindings) {
          EXPECT_FALSE(row.types.contains(variable)) << id << " " << spec.name << " " << variable;
          EXPECT_EQ(!binding.any_of.empty() + !binding.same_as.empty() +
                        !binding.access_element_of.empty(),
                    1);
          for (const std::string& type : binding.any_of) EXPECT_TRUE(known(type)) << type;
          for (const std::string& other : {binding.same_as, binding.access_element_of}) {
            EXPECT_TRUE(other.empty() || !row.bindings.at(other).any_of.empty()) << other;
          }
        }
      }
    }
  }
}

// Main Inference Profile Compliance: it includes Base Inference.
TEST(Edition, MainInferenceOf0100IncludesBaseInference) {
  for (const ProfileSpec& profile : Get("tosa-0.100").profiles) {
    EXPECT_EQ(profile.includes,
              profile.name == "MI" ? std::vector<std::string>{"BI"} : std::vector<std::string>{})
        << profile.name;
  }
}

TEST(Edition, EveryProfileNamedExists) {
  for (const std::string& id : EditionIds()) {
    const Edition& edition = Get(id);
    std::set<std::string> names;
    for (const ProfileSpec& profile : edition.profiles) {
      EXPECT_TRUE(names.insert(profile.name).second) << id << " " << profile.name;
    }
    const auto exists = [&](const std::vector<std::string>& all) {
      return std::all_of(all.begin(), all.end(), [&](auto& name) { return names.contains(name); });
    };
    for (const ProfileSpec& profile : edition.profiles) EXPECT_TRUE(exists(profile.base));
    for (const EnumSpec& spec : edition.enums) {
      for (const EnumValue& value : spec.values) {
        EXPECT_TRUE(value.extension.empty() || names.contains(value.extension)) << value.name;
      }
    }
    for (const OperatorSpec& spec : edition.operators) {
      for (const ArgumentSpec& argument : spec.arguments) {
        EXPECT_TRUE(exists(argument.ctc) && exists(argument.ctc_remove)) << spec.name;
      }
      for (const TypeRow& row : spec.Published().type_rows) {
        EXPECT_FALSE(row.profiles.empty()) << id << " " << spec.name << " " << row.mode;
        for (std::vector<std::string> together : row.profiles) {
          EXPECT_FALSE(together.empty());
          // Extensions can be deduced only where a type is open.
          if (!row.bindings.empty()) std::erase(together, kDeducedExtensions);
          EXPECT_TRUE(exists(together)) << id << " " << spec.name << " " << row.mode;
        }
      }
    }
  }
}

TEST(Edition, EveryLevelLimitIsAMaximumOfEveryLevel) {
  for (const std::string& id : EditionIds()) {
    EXPECT_NE(Get(id).FindLevel("none"), nullptr);
    for (const Level& level : Get(id).levels) {
      for (const OperatorSpec& spec : Get(id).operators) {
        for (const ArgumentSpec& argument : spec.arguments) {
          for (const LevelLimit& limit : argument.level_limits) {
            EXPECT_TRUE(level.maxima.contains(limit.limit)) << id << " " << limit.limit;
          }
        }
      }
    }
  }
}

TEST(Edition, TheWidestLevelAdmitsWhatTheOthersDo) {
  Edition edition;
  edition.levels = {{"small", {{"MAX_RANK", 4}, {"MAX_KERNEL", 8}}},
                    {"large", {{"MAX_RANK", 6}, {"MAX_KERNEL", 8}}},
                    {"same", {{"MAX_RANK", 6}, {"MAX_KERNEL", 8}}},
                    {"other", {{"MAX_RANK", 3}, {"MAX_KERNEL", 99}}}};
  EXPECT_EQ(edition.WidestLevel().name, "large");
}

TEST(Edition, TheNarrowestLevelAdmitsNothingThatOthersRefuse) {
  Edition edition;
  edition.levels = {{"large", {{"MAX_RANK", 6}, {"MAX_KERNEL", 8}}},
                    {"small", {{"MAX_RANK", 4}, {"MAX_KERNEL", 8}}},
                    {"same", {{"MAX_RANK", 4}, {"MAX_KERNEL", 8}}},
                    {"unlimited", {{"MAX_RANK", 5}}},
                    {"other", {{"MAX_RANK", 3}, {"MAX_KERNEL", 99}}}};
  EXPECT_EQ(edition.NarrowestLevel().name, "small");
}

// The rest: single facts, read off the specification's tables by eye.

TEST(Edition, LevelsHaveTheMaximaOfTheirEdition) {
  const Level* level = Get("tosa-1.0").FindLevel("8K");
  ASSERT_NE(level, nullptr);
  EXPECT_EQ(level->Max("MAX_RANK"), 6);
  EXPECT_EQ(level->Max("MAX_KERNEL"), 8192);
  EXPECT_EQ(level->Max("MAX_TENSOR_LIST_SIZE"), 64);
  EXPECT_EQ(level->Max("MAX_SHAPE_LEN"), INT64_MAX);  // not before 1.1
  EXPECT_EQ(Get("tosa-1.1-draft").FindLevel("8K")->Max("MAX_SHAPE_LEN"), 16);
  EXPECT_EQ(Get("tosa-0.100").FindLevel("none")->Max("MAX_SCALE"), 2048);
  EXPECT_EQ(Get("tosa-1.0").FindLevel("9K"), nullptr);
  for (const std::string& id : EditionIds()) {
    EXPECT_EQ(Get(id).WidestLevel().name, "none") << id;
    EXPECT_EQ(Get(id).NarrowestLevel().name, "8K") << id;
  }
}

TEST(Edition, ArgumentsKeepTheirOrderRankAndLimits) {
  const OperatorSpec& argmax = Get("tosa-1.0", "ARGMAX");
  EXPECT_EQ(argmax.group, "tensor");
  std::vector<std::string> names;
  for (const ArgumentSpec& argument : argmax.arguments) names.push_back(argument.name);
  EXPECT_THAT(names, ElementsAre("input", "axis", "nan_mode", "output"));
  const ArgumentSpec* input = argmax.FindArgument("input");
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(input->category, ArgumentCategory::kInput);
  EXPECT_EQ(input->min_rank->constant, 1);
  EXPECT_FALSE(input->min_rank->plus_max_rank);
  EXPECT_EQ(input->max_rank->constant, 0);
  EXPECT_TRUE(input->max_rank->plus_max_rank);
  ASSERT_EQ(input->level_limits.size(), 1u);
  EXPECT_EQ(input->level_limits[0].value, "rank(shape1)");
  EXPECT_EQ(input->level_limits[0].limit, "MAX_RANK");
  const ArgumentSpec* output = argmax.FindArgument("output");
  EXPECT_EQ(output->category, ArgumentCategory::kOutput);
  EXPECT_EQ(output->max_rank->constant, -1);  // MAX_RANK - 1
  EXPECT_TRUE(output->max_rank->plus_max_rank);
  EXPECT_EQ(argmax.FindArgument("axis")->category, ArgumentCategory::kAttribute);
  EXPECT_FALSE(argmax.FindArgument("axis")->min_rank.has_value());
  EXPECT_EQ(argmax.FindArgument("values"), nullptr);
}

TEST(Edition, ZeroPointsAreAttributesIn0100AndConstantsIn10) {
  const ArgumentSpec* before = Get("tosa-0.100", "CONV2D").FindArgument("input_zp");
  EXPECT_EQ(before->category, ArgumentCategory::kAttribute);
  EXPECT_EQ(before->type, "tensor_t");
  EXPECT_EQ(before->shape, "-");
  EXPECT_EQ(before->max_rank->constant, 0);
  EXPECT_THAT(before->ctc, ElementsAre());
  const ArgumentSpec* now = Get("tosa-1.0", "CONV2D").FindArgument("input_zp");
  EXPECT_EQ(now->category, ArgumentCategory::kInput);
  EXPECT_EQ(now->shape, "[1]");
  EXPECT_THAT(now->ctc, ElementsAre("PRO-INT", "PRO-FP"));
  EXPECT_THAT(now->ctc_remove, ElementsAre("EXT-DYNAMIC"));
}

TEST(Edition, TypeRowsHaveTypesAndProfiles) {
  const TypeRow& row = Get("tosa-1.0", "CONV2D").type_rows.at(1);
  EXPECT_EQ(row.mode, "signed 8x4 with int32 accumulate");
  EXPECT_EQ(row.PlainType("weight_t"), DType::kI4);
  EXPECT_EQ(row.PlainType("acc_t"), DType::kI32);
  EXPECT_EQ(row.PlainType("in_out_t"), std::nullopt);
  EXPECT_THAT(row.profiles, ElementsAre(ElementsAre("EXT-INT4")));
  const TypeRow& table = Get("tosa-1.0", "TABLE").type_rows.at(1);
  EXPECT_EQ(table.types.at("TABLE_SIZE"), "513");
  EXPECT_EQ(table.Type("TABLE_SIZE"), std::nullopt);
  // bf16 to fp8e4m3: both extensions, not either.
  std::vector<std::vector<std::string>> profiles;
  for (const TypeRow& cast : Get("tosa-1.0", "CAST").type_rows) {
    if (cast.Type("in_t") == DType::kBf16 && cast.Type("out_t") == DType::kFp8E4M3) {
      profiles = cast.profiles;
    }
  }
  EXPECT_THAT(profiles, ElementsAre(ElementsAre("EXT-BF16", "EXT-FP8E4M3")));
}

TEST(Edition, RowsOf11MayLeaveTypesOpen) {
  const OperatorSpec& conv = Get("tosa-1.1-draft", "CONV2D").Published();
  const TypeRow& row = conv.type_rows.back();
  EXPECT_EQ(row.PlainType("out_t"), DType::kFp32);
  EXPECT_EQ(row.PlainType("in_t"), std::nullopt);
  EXPECT_THAT(row.bindings.at("in_t").any_of, AllOf(Contains("bf16"), Contains("fp8e5m2")));
  EXPECT_EQ(row.bindings.at("in_zp_t").access_element_of, "in_t");
  EXPECT_THAT(row.profiles, ElementsAre(ElementsAre(kDeducedExtensions)));
  EXPECT_EQ(row.version_added, "1.1");
}

TEST(EditionDeathTest, RowsThatDoNotBindAVariableToAPlainTypeEndTheProgram) {
  const OperatorSpec& conv = Get("tosa-1.1-draft", "CONV2D");
  EXPECT_EQ(conv.type_rows.front().BoundType("CONV2D", "in_t"), DType::kI8);
  EXPECT_DEATH(
      (void)conv.type_rows.front().BoundType("CONV2D", "in_out_t"),
      "CONV2D, row \"signed 8x8 with int32 accumulate\": found no type for in_out_t, expected");
  const auto scaled = std::find_if(
      conv.type_rows.begin(), conv.type_rows.end(),
      [](const TypeRow& row) { return row.Type("in_t") && row.Type("in_t")->block_scaled; });
  ASSERT_NE(scaled, conv.type_rows.end());
  EXPECT_DEATH((void)scaled->BoundType("CONV2D", "in_t"),
               "found bs32_fp8ue8m0_fp.* for in_t, expected a type without scales");
}

// ROW_GATHER's "Base INT": 5 types of values, 2 of indices; RESIZE's out_t is its in_t; the zero
// points of a block-scaled operand are fp32 (delta of 1.1: Extension Data Type Mapping).
TEST(Edition, OpenTypesAreExpanded) {
  const auto with = [](const OperatorSpec& spec, const std::map<std::string, std::string>& types) {
    std::vector<const TypeRow*> rows;
    for (const TypeRow& row : spec.type_rows) {
      if (std::all_of(types.begin(), types.end(),
                      [&](const auto& type) { return row.types.at(type.first) == type.second; })) {
        rows.push_back(&row);
      }
    }
    return rows;
  };
  const OperatorSpec& gather = Get("tosa-1.1-draft", "ROW_GATHER");
  const auto wide = with(gather, {{"in_out_t", "i64"}, {"index_t", "i32"}});
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_THAT(wide[0]->profiles,
              ElementsAre(ElementsAre("PRO-INT", "EXT-INT64"), ElementsAre("PRO-FP", "EXT-INT64")));
  const auto plain = with(gather, {{"in_out_t", "i8"}, {"index_t", "i32"}});
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_THAT(plain[0]->profiles, ElementsAre(ElementsAre("PRO-INT"), ElementsAre("PRO-FP")));
  const auto scaled =
      with(Get("tosa-1.1-draft", "CONV2D"),
           {{"in_t", "bs32_fp8ue8m0_mxint8"}, {"weight_t", "bf16"}, {"out_t", "fp32"}});
  ASSERT_EQ(scaled.size(), 1u);
  EXPECT_EQ(scaled[0]->types.at("in_zp_t"), "fp32");
  EXPECT_EQ(scaled[0]->types.at("weight_zp_t"), "bf16");
  EXPECT_THAT(scaled[0]->profiles,
              ElementsAre(UnorderedElementsAre("EXT-MX-COMMON", "EXT-MX-INT8", "EXT-BF16")));
  const auto resized = with(Get("tosa-1.1-draft", "RESIZE"), {{"in_t", "fp8e5m2"}});
  ASSERT_EQ(resized.size(), 1u);
  EXPECT_EQ(resized[0]->types.at("out_t"), "fp8e5m2");
}

// The program works with regular rows: no open type, no two rows alike, no profile that does not
// exist.
TEST(Edition, RegularRowsAreClosedAndDiffer) {
  for (const std::string& id : EditionIds()) {
    std::set<std::string> names;
    for (const ProfileSpec& profile : Get(id).profiles) names.insert(profile.name);
    for (const OperatorSpec& spec : Get(id).operators) {
      std::set<std::pair<std::map<std::string, std::string>, std::map<std::string, std::string>>>
          seen;
      std::set<std::string> modes;
      for (const TypeRow& row : spec.type_rows) {
        EXPECT_TRUE(row.bindings.empty()) << id << " " << spec.name << " " << row.mode;
        EXPECT_TRUE(seen.emplace(row.types, row.attributes).second) << id << " " << row.mode;
        // Cases name their row by its mode. The rows of 1.1 have no names of their own yet.
        EXPECT_TRUE(modes.insert(row.mode).second || !Get(id).Has(Feature::kExecuted))
            << id << " " << spec.name << " " << row.mode;
        EXPECT_FALSE(row.profiles.empty());
        for (const std::vector<std::string>& together : row.profiles) {
          for (const std::string& name : together) {
            EXPECT_TRUE(names.contains(name)) << id << " " << spec.name << " " << name;
          }
        }
      }
    }
  }
}

TEST(Edition, QuirksAreMadeRegular) {
  EXPECT_TRUE(Get("tosa-1.0", "CLAMP").FindArgument("nan_mode")->optional);
  EXPECT_FALSE(Get("tosa-1.0", "CLAMP").Published().FindArgument("nan_mode")->optional);
  EXPECT_FALSE(Get("tosa-1.0", "CLAMP").FindArgument("min_val")->optional);
  const OperatorSpec& gather = Get("tosa-0.100", "GATHER");
  EXPECT_EQ(gather.FindArgument("indices")->element_type, "i32_t");
  EXPECT_EQ(gather.Published().FindArgument("indices")->element_type, "size_t");
  const auto& rows = Get("tosa-1.0", "RESIZE").type_rows;
  EXPECT_EQ(rows.at(0).attributes.at("mode"), "BILINEAR");
  EXPECT_EQ(rows.at(1).attributes.at("mode"), "NEAREST_NEIGHBOR");
  EXPECT_TRUE(rows.back().attributes.empty());
  const TypeRow& fp8 = Get("tosa-0.100", "TRANSPOSE_CONV2D").type_rows.at(3);
  EXPECT_EQ(fp8.types.at("in_t"), fp8.types.at("weight_t")) << fp8.mode;
}

TEST(ShapePattern, IsReadOnce) {
  using Kind = ShapePattern::Kind;
  EXPECT_EQ(ParseShapePattern("-").kind, Kind::kAny);
  EXPECT_EQ(ParseShapePattern("shape1").kind, Kind::kNamed);
  EXPECT_EQ(ParseShapePattern("shape1").name, "shape1");
  const ShapePattern rank = ParseShapePattern("[2*rank(shape1)]");
  EXPECT_EQ(rank.kind, Kind::kRankOf);
  EXPECT_EQ(rank.name, "shape1");
  EXPECT_EQ(rank.factor, 2);
  EXPECT_EQ(ParseShapePattern("[rank(shape)]").factor, 1);
  const ShapePattern list = ParseShapePattern("[N,3, C*M,W/2 + 1]");
  EXPECT_EQ(list.kind, Kind::kDimensions);
  ASSERT_EQ(list.dimensions.size(), 4u);
  EXPECT_EQ(list.dimensions[0].name, "N");
  EXPECT_EQ(list.dimensions[0].size, std::nullopt);
  EXPECT_EQ(list.dimensions[1].size, 3);
  EXPECT_THAT(list.dimensions[2].factors, ElementsAre("C", "M"));
  EXPECT_EQ(list.dimensions[3].name, "W/2+1");
  EXPECT_TRUE(list.IsList());
  EXPECT_TRUE(ParseShapePattern("[]").dimensions.empty());
}

TEST(Features, HaveNamesAndSentences) {
  std::set<std::string_view> names;
  for (size_t i = 0; i < kFeatureCount; ++i) {
    const auto feature = static_cast<Feature>(i);
    EXPECT_TRUE(names.insert(Name(feature)).second) << Name(feature);
    EXPECT_EQ(ParseFeature(Name(feature)), feature);
    EXPECT_FALSE(Sentence(feature).empty());
    // A feature of no edition says nothing; one of all says nothing either.
    size_t editions = 0;
    for (const std::string& id : EditionIds()) editions += Get(id).Has(feature);
    EXPECT_GT(editions, 0u) << Name(feature);
    EXPECT_LT(editions, EditionIds().size()) << Name(feature);
  }
  EXPECT_EQ(ParseFeature("no_such_feature"), std::nullopt);
}

TEST(Features, AreThoseOfTheFile) {
  EXPECT_EQ(EditionsThatHave(Feature::kSymbolicPrograms), "tosa-1.0");
  EXPECT_EQ(EditionsThatHave(Feature::kExecuted), "tosa-1.0, tosa-0.100, rvtensor");
  EXPECT_TRUE(Get("rvtensor").Has(Feature::kSizesOfSizeT));
  EXPECT_FALSE(Get("tosa-1.1-draft").Has(Feature::kSizesOfSizeT));
  EXPECT_EQ(Get("tosa-0.100").ProfileOf(NumberKind::kFloats), "MI");
  EXPECT_EQ(Get("tosa-1.0").ProfileOf(NumberKind::kIntegers), "PRO-INT");
  EXPECT_EQ(Get("rvtensor").ProfileOf(NumberKind::kIntegers), "");
  EXPECT_EQ(Get("tosa-1.0").mlir, "22");
}

// Text of a source file without comments, which begin with `mark`.
std::string WithoutComments(const std::string& text, std::string_view mark) {
  std::string code;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    // A mark within a string, as of an address, ends no line that matters here.
    code += line.substr(0, line.find(mark)) + "\n";
  }
  return code;
}

// The first text of code that names an edition, or compares something with the beginning of an
// edition's name; empty if there is none.
std::string EditionNamedIn(const std::string& code) {
  if (code.find("tosa-") == code.npos && code.find("\"rvtensor\"") == code.npos) return "";
  static const std::regex names(
      R"(tosa-[01]|"rvtensor")"
      R"(|[=!]=\s*(std::string(_view)?\s*[({]\s*)?"tosa-[^"]*")"
      R"(|"tosa-[^"]*"(sv?)?\s*[)}]?\s*[=!]=)"
      R"(|(starts_with|ends_with|find|compare|contains)\s*\(\s*"tosa-[^"]*")");
  std::smatch found;
  return std::regex_search(code, found, names) ? found.str() : "";
}

TEST(Features, NamesOfEditionsAreSeenInEveryComparison) {
  for (const char* code :
       {"if (edition.id == \"tosa-1.0\")", "Is(\"tosa-0.100\")", "name == \"rvtensor\"",
        "edition.id != \"tosa-next\"", "id == std::string_view(\"tosa-2.0\")", "\"tosa-2.0\" == id",
        "\"tosa-2.0\"sv !=\n  id", "id.starts_with(\"tosa-\")", "id.compare(\"tosa-2.0\")",
        "id.find( \"tosa-2\")"}) {
    EXPECT_NE(EditionNamedIn(code), "") << code;
  }
  for (const char* code : {"{\"tosa-conformance\", 3}", "profiles = {\"tosa-pro-int\"}",
                           "id == edition.id", "name == \"tosa\""}) {
    EXPECT_EQ(EditionNamedIn(code), "") << code;
  }
}

// Differences between editions are asked of their features and their data.
TEST(Features, NoFileOutsideOfThisRoomNamesAnEdition) {
  const fs::path root = CTS_SOURCE_DIR;
  const auto may = [](const std::string& file) {
    const std::string stem = fs::path(file).stem().string();
    for (const std::string_view suffix : {"_test", "_benchmark", "testing", "_fuzz"}) {
      if (stem.ends_with(suffix)) return true;
    }
    for (const std::string_view part :
         {"reference/spec/", "/testdata/", "tools/adapters/", "tools/examples/",
          // A suite for tests.
          "checker/judge/suite_on_disk.h",
          // The names of comparing functions, as case.json has them.
          "reference/answer/answer.h"}) {
      if (file.find(part) != std::string::npos) return true;
    }
    return false;
  };
  size_t files = 0;
  for (const char* folder : {"reference", "generator", "checker", "tools"}) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string extension = entry.path().extension().string();
      const std::string file = fs::relative(entry.path(), root).generic_string();
      // The scripts that judge.
      const bool script = extension == ".py" && std::string_view(folder) == "checker";
      const bool source = extension == ".cc" || extension == ".h" || extension == ".def";
      if ((!source && !script) || may(file)) continue;
      ++files;
      const std::string code = WithoutComments(ReadText(entry.path()), script ? "#" : "//");
      const std::string name = EditionNamedIn(code);
      EXPECT_EQ(name, "") << file << " names an edition: " << name
                          << "; ask for a feature of reference/spec/features.def instead";
    }
  }
  EXPECT_GT(files, 300u);
}

TEST(Edition, EnumerationsHaveValuesAndExtensions) {
  const EnumSpec* rounding = Get("tosa-1.0").FindEnum("rounding_mode_t");
  ASSERT_NE(rounding, nullptr);
  ASSERT_EQ(rounding->values.size(), 3u);
  EXPECT_EQ(rounding->values[2].name, "DOUBLE_ROUND");
  EXPECT_EQ(rounding->values[2].value, 3);
  EXPECT_EQ(rounding->values[2].extension, "EXT-DOUBLEROUND");
  EXPECT_EQ(rounding->values[0].extension, "");
  EXPECT_EQ(Get("tosa-0.100").FindEnum("rounding_mode_t"), nullptr);
}

// Facts of the document.
TEST(Edition, RvtensorHasItsOwnLayoutsAndNames) {
  const OperatorSpec& conv = Get("rvtensor", "CONV3D");
  EXPECT_EQ(conv.FindArgument("input")->shape, "[N,ID,IC,IH,IW]");
  EXPECT_EQ(conv.FindArgument("weight")->shape, "[KD,OC,IC,KH,KW]");
  EXPECT_EQ(conv.Seen().FindArgument("weight")->shape, "[OC,KD,KH,KW,IC]");
  EXPECT_THAT(conv.FindArgument("weight")->view_axes, ElementsAre(1, 0, 3, 4, 2));
  EXPECT_THAT(conv.FindArgument("bias")->view_axes, ElementsAre());
  EXPECT_EQ(conv.FindArgument("input_zp"), nullptr);
  EXPECT_EQ(conv.FindArgument("in_qpoint")->category, ArgumentCategory::kAttribute);
  EXPECT_NE(conv.Seen().FindArgument("input_zp"), nullptr);
  EXPECT_EQ(Get("rvtensor", "DEPTHWISE_CONV2D").FindArgument("weight")->shape, "[M,C,KH,KW]");
  const OperatorSpec& rescale = Get("rvtensor", "RESCALE");
  EXPECT_EQ(rescale.FindArgument("multiplier")->category, ArgumentCategory::kAttribute);
  EXPECT_EQ(rescale.Seen().FindArgument("multiplier")->category, ArgumentCategory::kInput);
  EXPECT_EQ(Get("rvtensor", "MATMUL").Seen().FindArgument("B_zp")->type, "tensor_t");
  EXPECT_EQ(&Get("tosa-1.0", "CONV2D").Seen(), &Get("tosa-1.0", "CONV2D"));
}

TEST(Edition, RvtensorHasTheLevelsOf10) {
  for (const Level& level : Get("rvtensor").levels) {
    const Level* const same = Get("tosa-1.0").FindLevel(level.name);
    ASSERT_NE(same, nullptr) << level.name;
    EXPECT_FALSE(level.maxima.empty()) << level.name;
    for (const auto& [name, maximum] : level.maxima) {
      EXPECT_EQ(maximum, same->Max(name)) << level.name << " " << name;
    }
  }
}

// tools/develop/import_edition, run as a person would.
class ImportEdition : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = fs::path(CTS_BINARY_DIR) / "import_edition_test" /
                 ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }

  // The exit status; standard error goes to message_.
  int Import(std::string_view id, const fs::path& xml, const fs::path& output) {
    const std::string errors = (directory_ / "stderr").string();
    const std::string command =
        StrCat("'" CTS_PYTHON "' '" CTS_SOURCE_DIR "/tools/develop/import_edition' --id '", id,
               "' --output '", output.string(), "' '", xml.string(), "' 2>'", errors, "'");
    const int status = std::system(command.c_str());
    message_ = ReadText(errors);
    fs::remove(errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  // Imports a small XML with `from` replaced by `to`.
  int ImportChanged(const std::string& from, const std::string& to) {
    std::string text = kSmall;
    EXPECT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(directory_ / "tosa.xml") << text;
    return Import("small", directory_ / "tosa.xml", directory_ / "out.json");
  }

  static constexpr const char* kSmall =
      R"xml(<?xml version="1.0" encoding="UTF-8"?>
<tosa>
  <version major="3" minor="2" patch="1" draft="false"/>
  <profiles><profile profile="P" name="PRO-P" status="Complete" description="x"/></profiles>
  <profile_extensions></profile_extensions>
  <levels><level name="none" max_rank="7">No level</level></levels>
  <operators><operatorgroup name="tensor"><operator>
    <name>ADD</name>
    <arguments>
      <argument category="input" name="a" type="tensor_t" shape="s" tensor-element-type="in_t">
        <description>Prose</description>
        <levellimit value="rank(s)" limit="MAX_RANK"/>
        <rank min="0" max="MAX_RANK"/>
      </argument>
    </arguments>
    <types><type name="in_t"/></types>
    <typesupport mode="signed 8" in_t="i8_t"><op_profile name="PRO-P"/></typesupport>
  </operator></operatorgroup></operators>
</tosa>
)xml";

  fs::path directory_;
  std::string message_;
};

TEST_F(ImportEdition, WritesFactsAndNoProse) {
  ASSERT_EQ(ImportChanged("Prose", "Some prose"), 0) << message_;
  const std::string text = ReadText(directory_ / "out.json");
  EXPECT_EQ(text.find("rose"), std::string::npos);
  const auto edition = EditionFromJson(Json::parse(text));
  ASSERT_TRUE(edition.ok()) << edition.status();
  EXPECT_EQ(edition->version, "3.2.1");
  const OperatorSpec* add = edition->FindOperator("ADD");
  ASSERT_NE(add, nullptr);
  EXPECT_EQ(add->type_rows.at(0).Type("in_t"), DType::kI8);
  EXPECT_EQ(add->arguments.at(0).level_limits.at(0).limit, "MAX_RANK");
}

TEST_F(ImportEdition, RefusesWhatItDoesNotKnow) {
  const std::vector<std::tuple<std::string, std::string, std::string>> changes = {
      {"<types>", "<novel/><types>", "line 16: unknown element <novel> in <operator>"},
      {"<rank min", "<rank mid=\"2\" min", "line 13: unknown attribute 'mid' of <rank>"},
      {"min=\"0\" ", "", "line 13: <rank> lacks the attribute 'min'"},
      {"max=\"MAX_RANK\"", "max=\"MAX_FUN\"", "line 13: max=\"MAX_FUN\""},
      {"limit=\"MAX_RANK\"", "limit=\"MAX_FUN\"", "line 12: limit=\"MAX_FUN\""},
      {"\"i8_t\"", "\"i9_t\"", "line 17: in_t: unknown type 'i9_t'"},
      {"op_profile name=\"PRO-P\"", "op_profile name=\"PRO-Q\"", "line 17: 'PRO-Q' is no declared"},
      {"category=\"input\"", "category=\"inout\"", "line 10: category=\"inout\""},
      {"<types>", "loose text<types>", "line 7: <operator> holds text"},
      {"</operators>", "", "line 19, column 3: not well-formed XML: mismatched tag"},
      {"</tosa>", "", "not well-formed XML"},
      {"<tosa>", "<!DOCTYPE tosa [<!ENTITY a 'b'>]><tosa>", "entity declaration 'a'"},
  };
  for (const auto& [from, to, message] : changes) {
    EXPECT_EQ(ImportChanged(from, to), 2) << from << " -> " << to;
    EXPECT_THAT(message_, AllOf(HasSubstr("tosa.xml: "), HasSubstr(message)));
    fs::remove(directory_ / "tosa.xml");
    EXPECT_TRUE(fs::is_empty(directory_)) << "something was left behind after: " << message;
  }
}

TEST_F(ImportEdition, RefusesMissingFilesAndKeepsTheOldOutput) {
  std::ofstream(directory_ / "out.json") << "old";
  EXPECT_EQ(Import("small", directory_ / "absent.xml", directory_ / "out.json"), 2);
  EXPECT_THAT(message_, HasSubstr("absent.xml: cannot read: No such file or directory"));
  EXPECT_EQ(ReadText(directory_ / "out.json"), "old");
  std::ofstream(directory_ / "tosa.xml") << kSmall;
  EXPECT_EQ(Import("small", directory_ / "tosa.xml", directory_ / "absent" / "out.json"), 2);
  EXPECT_THAT(message_, HasSubstr("out.json: cannot write: No such file or directory"));
  EXPECT_EQ(Import("Big Id", directory_ / "tosa.xml", directory_ / "out.json"), 2);
  EXPECT_THAT(message_, HasSubstr("'Big Id'"));
  EXPECT_EQ(ReadText(directory_ / "out.json"), "old");
}

TEST_F(ImportEdition, GivesTheFilesOfTheRepositoryAgain) {
  const fs::path sources = fs::path(CTS_SOURCE_DIR).parent_path() / "shared" / "spec";
  if (!fs::exists(sources)) {
    GTEST_SKIP() << "needs the specification's XML files in " << sources << ", not there";
  }
  const std::map<std::string, std::string> xml = {{"tosa-0.100", "tosa-0.100-draft-2024-03.xml"},
                                                  {"tosa-1.0", "tosa-1.0.2.xml"},
                                                  {"tosa-1.1-draft", "tosa-1.1-draft-2026-08.xml"}};
  for (const auto& [id, file] : xml) {
    const fs::path output = directory_ / (id + ".json");
    ASSERT_EQ(Import(id, sources / file, output), 0) << message_;
    const fs::path stored = fs::path(CTS_SOURCE_DIR) / "schemas" / "editions" / (id + ".json");
    EXPECT_TRUE(ReadText(output) == ReadText(stored))
        << stored << " differs from " << output << ", a new import: import it again";
  }
}

}  // namespace
}  // namespace cts
