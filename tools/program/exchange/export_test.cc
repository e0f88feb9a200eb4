#include "tools/program/exchange/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>

#include "generator/generate.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "reference/spec/edition.h"
#include "tools/program/exchange/import_network.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// ---- Every case there and back ----

struct Count {
  std::string recipe;
  size_t least, most_left_out;
};

class TosaRoundTrip : public ::testing::TestWithParam<Count> {};

// The format cannot hold some error cases: their attribute is of the wrong kind, has a name that no
// enumeration has, or is missing where the format cannot leave it out. It cannot hold variables
// that have operands either.
TEST_P(TosaRoundTrip, GivesBackEveryCaseByteForByte) {
  GenerateOptions options;
  auto recipe = FindRecipe(GetParam().recipe);
  ASSERT_TRUE(recipe.ok());
  options.recipe = *std::move(recipe);
  std::mutex mutex;
  size_t same = 0, left_out = 0;
  std::set<std::string> conditions;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) -> Status {
    const auto bytes = EncodeTosa(c.graph, **FindEdition(c.edition));
    if (absl::IsUnimplemented(bytes.status()) && c.outcome == Outcome::kError) {
      const std::lock_guard<std::mutex> lock(mutex);
      conditions.insert(c.condition);
      ++left_out;
      return absl::OkStatus();
    }
    if (!bytes.ok()) return Annotate(bytes.status(), c.id);
    auto file = DecodeTosa(*bytes, c.id);
    if (!file.ok()) return file.status();
    Case again = c;
    again.graph = std::move(file->graph);
    const std::vector<BundleFile> before = EncodeCase(c), after = EncodeCase(again);
    const bool equal = std::equal(before.begin(), before.end(), after.begin(), after.end(),
                                  [](const BundleFile& a, const BundleFile& b) {
                                    return a.path == b.path && a.bytes == b.bytes;
                                  });
    if (!equal) return InvalidArgument(c.id, ": came back changed");
    const std::lock_guard<std::mutex> lock(mutex);
    ++same;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_GT(same, GetParam().least);
  EXPECT_LE(left_out, GetParam().most_left_out);
  for (const std::string& condition : conditions) {
    EXPECT_TRUE(condition == "graph.attribute" || condition == "graph.operand_count") << condition;
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, TosaRoundTrip,
                         ::testing::Values(Count{"smoke", 6000, 250}, Count{"graphs", 1300, 0}),
                         [](const auto& test) { return test.param.recipe; });

// It holds nothing of a symbolic program.
TEST(TosaRoundTripOfSymbols, LeavesOutEveryProgramAndSaysWhy) {
  GenerateOptions options{.recipe = *FindRecipe("symbolic")};
  std::atomic<size_t> left_out = 0;
  const Status status = ForEachCase(options, [&](size_t, const Case& c) {
    const Status refused = EncodeTosa(c.graph, **FindEdition(c.edition)).status();
    EXPECT_TRUE(absl::IsUnimplemented(refused)) << c.id;
    EXPECT_THAT(Message(refused), HasSubstr("found a symbolic program (tensor ")) << c.id;
    ++left_out;
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(left_out, 1712U);
}

// ---- Suites ----

class ExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    auto recipe = FindRecipe("smoke");
    ASSERT_TRUE(recipe.ok());
    recipe->operators = {"REDUCE_SUM", "VARIABLE"};
    GenerateOptions options{.recipe = *std::move(recipe), .out = root_ / "suite"};
    const auto suite = Generate(options);
    ASSERT_TRUE(suite.ok()) << suite.status();
    suite_ = *suite;
  }
  void TearDown() override { fs::remove_all(root_); }

  StatusOr<ExportSummary> Run(const std::string& out, int jobs = 1) {
    return ExportSuite(
        {.suite = root_ / "suite", .out = root_ / out, .format = "tosa", .jobs = jobs});
  }
  std::map<std::string, std::string> Files(const std::string& out) {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / out)) {
      if (!entry.is_regular_file()) continue;
      files[fs::relative(entry.path(), root_ / out).string()] = *ReadFile(entry.path());
    }
    return files;
  }

  const fs::path root_ = fs::path(::testing::TempDir()) /
                         ::testing::UnitTest::GetInstance()->current_test_info()->name();
  Suite suite_;
};

TEST_F(ExportTest, WritesEveryCaseAndNamesThoseLeftOut) {
  const auto summary = Run("out");
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(summary->cases + summary->left_out, suite_.cases.size());
  EXPECT_GT(summary->left_out, 0U);
  const auto files = Files("out");
  const std::string left_out = files.at("left_out.txt");
  EXPECT_EQ(static_cast<size_t>(std::count(left_out.begin(), left_out.end(), '\n')),
            summary->left_out);
  size_t inputs = 0, later = 0;
  for (const SuiteEntry& entry : suite_.cases) {
    if (left_out.find(entry.id + ": ") != std::string::npos) {
      EXPECT_FALSE(fs::exists(root_ / "out" / entry.id));
      continue;
    }
    const auto c = ReadCase(root_ / "suite" / entry.id);
    ASSERT_TRUE(c.ok()) << c.status();
    EXPECT_EQ(files.at(entry.id + "/graph.tosa"), *RenderTosa(root_ / "suite" / entry.id));
    for (const auto& [name, tensor] : c->inputs) {
      EXPECT_EQ(files.at(entry.id + "/" + name + ".npy"), EncodeNpy(tensor));
      ++inputs;
    }
    for (size_t i = 0; i < c->later_inputs.size(); ++i) {
      for (const auto& [name, tensor] : c->later_inputs[i]) {
        EXPECT_EQ(files.at(StrCat(entry.id, "/", name, ".", i + 1, ".npy")), EncodeNpy(tensor));
        ++later;
      }
    }
  }
  EXPECT_EQ(files.size(), 1 + summary->cases + inputs + later);
  EXPECT_GT(later, 0U);
}

TEST_F(ExportTest, WritesTheSameForAnyNumberOfThreads) {
  ASSERT_TRUE(Run("one").ok());
  ASSERT_TRUE(Run("three", 3).ok());
  EXPECT_EQ(Files("one"), Files("three"));
}

TEST_F(ExportTest, LeavesNothingBehindWhereItFails) {
  const std::string id = suite_.cases.back().id;
  ASSERT_TRUE(WriteFile(root_ / "suite" / id / "case.json", "{}").ok());
  EXPECT_THAT(Message(Run("out").status()), HasSubstr("the suite is not as it was generated"));
  std::atomic<bool> stop{true};
  const auto stopped = ExportSuite(
      {.suite = root_ / "suite", .out = root_ / "out", .format = "tosa", .stop = &stop});
  EXPECT_EQ(Message(stopped.status()), "export: interrupted; nothing was written");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator()), 1);
}

TEST_F(ExportTest, RefusesWhatItCannotDo) {
  ASSERT_TRUE(WriteFile(root_ / "taken/mine", "precious").ok());
  EXPECT_THAT(Message(Run("taken").status()),
              HasSubstr("taken: expected a folder that does not exist yet, or an empty one"));
  EXPECT_THAT(
      Message(
          ExportSuite({.suite = root_ / "suite", .out = root_ / "x", .format = "onnx"}).status()),
      HasSubstr("export: found format \"onnx\", expected tosa"));
  EXPECT_FALSE(ExportSuite({.suite = root_ / "none", .out = root_ / "x", .format = "tosa"}).ok());
}

// A module of SPIR-V can be run, and the case made again, with what it asks its host for.
TEST_F(ExportTest, WritesModulesThatBecomeTheSameCasesAgain) {
  const auto summary = ExportSuite({.suite = root_ / "suite",
                                    .out = root_ / "spirv",
                                    .format = "spirv",
                                    .spirv = {.constants = SpirvConstants::kGraph}});
  ASSERT_TRUE(summary.ok()) << summary.status();
  size_t same = 0;
  for (const SuiteEntry& entry : suite_.cases) {
    const fs::path folder = root_ / "spirv" / entry.id;
    const auto c = ReadCase(root_ / "suite" / entry.id);
    ASSERT_TRUE(c.ok()) << c.status();
    if (c->outcome != Outcome::kValid || !fs::exists(folder) || c->op != "REDUCE_SUM" ||
        same == 5) {
      continue;
    }
    const auto interface = LoadJson(folder / "interface.json", "");
    ASSERT_TRUE(interface.ok()) << interface.status();
    EXPECT_EQ((*interface)["inputs"][0]["tensor"], "input");
    EXPECT_EQ((*interface)["outputs"][0]["binding"], 1);
    NetworkOptions options{.file = folder / "graph.spv",
                           .inputs = {StrCat("input=", (folder / "input.npy").string())},
                           .out = root_ / "again",
                           .level = c->level};
    const auto imported = ImportNetwork(options);
    ASSERT_TRUE(imported.ok()) << imported.status();
    const auto again = ReadCase(root_ / "again" / imported->suite.cases[0].id);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(again->outputs[0].answers[0].expected, c->outputs[0].answers[0].expected) << c->id;
    fs::remove_all(root_ / "again");
    ++same;
  }
  EXPECT_EQ(same, 5U);
}

TEST_F(ExportTest, CountsSymbolicProgramsAmongThoseLeftOut) {
  Recipe recipe = *FindRecipe("symbolic");
  recipe.valid_cases = true;
  recipe.operators = {"IDENTITY"};
  const auto suite = Generate({.recipe = recipe, .out = root_ / "both"});
  ASSERT_TRUE(suite.ok()) << suite.status();
  std::set<std::string> programs;
  for (const SuiteEntry& entry : suite->cases) {
    if (entry.id.starts_with("symbolic/")) programs.insert(entry.id);
  }
  ASSERT_GT(programs.size(), 0U);
  ASSERT_LT(programs.size(), suite->cases.size());
  for (const char* format : {"tosa", "tosa-conformance", "spirv"}) {
    const auto summary = ExportSuite({.suite = root_ / "both",
                                      .out = root_ / format,
                                      .format = format,
                                      .spirv = {.lower = true}});
    ASSERT_TRUE(summary.ok()) << summary.status();
    EXPECT_EQ(summary->cases, suite->cases.size() - programs.size()) << format;
    EXPECT_EQ(summary->left_out, programs.size()) << format;
    const std::string left_out = Files(format).at("left_out.txt");
    for (const std::string& id : programs) {
      EXPECT_THAT(left_out, HasSubstr(id + ": found a symbolic program (tensor ")) << format;
    }
  }
}

TEST_F(ExportTest, FailsWhereTheFormatCanHoldNothing) {
  auto recipe = FindRecipe("smoke");
  ASSERT_TRUE(recipe.ok());
  recipe->edition = "tosa-0.100";
  recipe->operators = {"ABS"};
  ASSERT_TRUE(Generate({.recipe = *std::move(recipe), .out = root_ / "old"}).ok());
  EXPECT_THAT(
      Message(ExportSuite({.suite = root_ / "old", .out = root_ / "x", .format = "tosa"}).status()),
      HasSubstr("cases; edition tosa-0.100: .tosa files are those of tosa-1.0"));
  EXPECT_FALSE(fs::exists(root_ / "x"));
}

}  // namespace
}  // namespace cts
