#include "tools/program/exchange/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <iomanip>
#include <map>
#include <mutex>
#include <set>

#include "checker/judge/check.h"
#include "generator/generate.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "reference/spec/edition.h"
#include "tools/program/exchange/import_network.h"
#include "tools/program/exchange/memory.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

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

// ---- Images of memories, and dumps of the results ----

class MemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    Recipe recipe = *FindRecipe("smoke");
    recipe.operators = {"BITWISE_NOT", "COND_IF", "VARIABLE"};
    const auto suite = Generate({.recipe = recipe, .out = root_ / "suite"});
    ASSERT_TRUE(suite.ok()) << suite.status();
    suite_ = *suite;
    const auto summary = Export("hex");
    ASSERT_TRUE(summary.ok()) << summary.status();
    summary_ = *summary;
    manifest_ = *LoadJson(root_ / "hex/manifest.json", "memory");
    for (size_t i = 0; i < manifest_["result_bytes"]; ++i) right_.push_back('\0');
    const std::string digest = Sha256(*ReadFile(root_ / "hex/manifest.json"));
    for (size_t i = 0; i < 32; ++i) {
      right_[i] = static_cast<char>(std::stoi(digest.substr(2 * i, 2), nullptr, 16));
    }
    for (const Json& entry : manifest_["cases"]) Answer(entry);
  }
  void TearDown() override { fs::remove_all(root_); }

  StatusOr<ExportSummary> Export(const std::string& name, ExportOptions options = {}) {
    options.suite = root_ / "suite";
    options.out = root_ / name;
    if (options.format.empty()) options.format = name;
    return ExportSuite(options);
  }

  // Puts the right answer to one execution where the manifest says.
  void Answer(const Json& entry) {
    const size_t address = entry["result_address"];
    const Case c = *ReadCase(root_ / "suite" / entry["id"].get<std::string>());
    right_[address] = c.outcome == Outcome::kError ? 2 : 1;
    if (c.outcome == Outcome::kError) return;
    for (const Json& output : entry["outputs"]) {
      for (const ExpectedOutput& expected : c.outputs) {
        if (expected.name != output["name"] || expected.execution != entry["execution"]) continue;
        const std::vector<uint8_t>& bytes = expected.answers[0].expected.bytes();
        ASSERT_EQ(bytes.size(), output["bytes"].get<size_t>());
        std::copy(bytes.begin(), bytes.end(),
                  right_.begin() + static_cast<int64_t>(address + output["offset"].get<size_t>()));
      }
    }
  }

  // The only execution of a legal case, or the second of several.
  const Json& OnlyExecution() const { return Entry(0, 1); }
  const Json& SecondExecution() const { return Entry(1, 4); }
  const Json& Entry(int execution, size_t executions) const {
    std::map<std::string, size_t> counts;
    for (const Json& entry : manifest_["cases"]) ++counts[entry["id"]];
    for (const Json& entry : manifest_["cases"]) {
      if (entry["execution"] == execution && counts[entry["id"]] == executions &&
          right_[entry["result_address"]] == 1) {
        return entry;
      }
    }
    ADD_FAILURE() << "no case of " << executions << " executions";
    return manifest_["cases"][0];
  }
  size_t Address(const Json& entry) const { return entry["result_address"]; }

  static std::string AsHex(const std::string& bytes) {
    std::string text = "// from a simulator\n@00000000\n";
    for (const char byte : bytes) {
      for (const int digit : {byte >> 4 & 15, byte & 15}) text += "0123456789abcdef"[digit];
      text += '\n';
    }
    return text;
  }
  // The text in which the byte at `address` is another word.
  std::string WithWord(size_t address, const std::string& word) const {
    std::string text = AsHex(right_);
    const size_t first = AsHex("").size();
    return text.replace(first + 3 * address, 2, word);
  }

  StatusOr<ImportedResults> Import(const std::string& dump, const std::string& name = "dump.hex") {
    EXPECT_TRUE(WriteFile(root_ / name, dump).ok());
    fs::remove_all(root_ / "results");
    return ImportResults({.suite = root_ / "suite",
                          .manifest = root_ / "hex/manifest.json",
                          .dumps = {root_ / name},
                          .out = root_ / "results",
                          .name = "core"});
  }
  std::map<Verdict, size_t> Verdicts() {
    const auto report = CheckSuite({.suite = root_ / "suite", .results = root_ / "results"});
    EXPECT_TRUE(report.ok()) << report.status();
    std::map<Verdict, size_t> verdicts;
    for (const CaseReport& c : report->cases) ++verdicts[c.verdict];
    return verdicts;
  }

  const fs::path root_ = fs::path(::testing::TempDir()) /
                         ::testing::UnitTest::GetInstance()->current_test_info()->name();
  Suite suite_;
  ExportSummary summary_;
  Json manifest_;
  std::string right_;  // results of an implementation without fault
};

TEST_F(MemoryTest, RightAnswersPassAndCasesLeftOutAreMissing) {
  ASSERT_GT(summary_.left_out, 0U);
  for (const char* name : {"dump.hex", "dump.bin"}) {
    const auto imported = Import(name == std::string("dump.bin") ? right_ : AsHex(right_), name);
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->answers, summary_.cases);
    EXPECT_EQ(imported->left_out, summary_.left_out);
    EXPECT_EQ(Verdicts(), (std::map<Verdict, size_t>{{Verdict::kPass, summary_.cases},
                                                     {Verdict::kMissing, summary_.left_out}}));
  }
  const std::string left_out = *ReadFile(root_ / "hex/left_out.txt");
  EXPECT_THAT(left_out, HasSubstr(": found a variable\n"));
  EXPECT_THAT(left_out, HasSubstr(": found control flow: more than one block\n"));
  EXPECT_EQ(manifest_["left_out"].size(), summary_.left_out);
}

// The image has the values at the addresses of the manifest, and an unwritten answer.
TEST_F(MemoryTest, ImagesHoldTheInputs) {
  for (const Json& entry : manifest_["cases"]) {
    const Case c = *ReadCase(root_ / "suite" / entry["id"].get<std::string>());
    const std::string image = *ReadFile(root_ / "hex" / entry["image"].get<std::string>());
    for (const Json& tensor : entry["tensors"]) {
      if (!tensor.contains("address")) continue;
      const auto inputs = c.InputsOfExecutions()[entry["execution"].get<size_t>()];
      const auto input = inputs->find(tensor["name"]);
      const Tensor& values = input != inputs->end()
                                 ? input->second
                                 : *c.graph.main().Find(tensor["name"].get<std::string>())->values;
      std::ostringstream expected;
      expected << "@" << std::hex << std::setfill('0') << std::setw(8)
               << tensor["address"].get<int>();
      for (size_t i = 0; i < values.bytes().size(); ++i) {
        expected << (i % 16 == 0 ? "\n" : " ") << std::setw(2) << int{values.bytes()[i]};
      }
      EXPECT_THAT(image, HasSubstr(expected.str() + "\n"));
    }
    std::string answer(entry["answer_bytes"].get<size_t>(), '\0');
    for (const Json& output : entry["outputs"]) {
      const bool real = output["dtype"].get<std::string>().find("fp") != std::string::npos;
      answer.replace(output["offset"], output["bytes"], output["bytes"], real ? '\xff' : '\xa5');
    }
    std::ostringstream expected;
    expected << "// answer\n@" << std::hex << std::setfill('0') << std::setw(8)
             << entry["answer_address"].get<int>();
    for (size_t i = 0; i < answer.size(); ++i) {
      expected << (i % 16 == 0 ? "\n" : " ") << std::setw(2)
               << int{static_cast<uint8_t>(answer[i])};
    }
    EXPECT_THAT(image, ::testing::EndsWith(expected.str() + "\n"));
  }
}

TEST_F(MemoryTest, ExpectedBitsAreThereOnRequestAlone) {
  ASSERT_TRUE(Export("more", {.format = "hex", .expected = true}).ok());
  const Json& entry = OnlyExecution();
  const std::string folder = entry["id"];
  EXPECT_FALSE(fs::exists(root_ / "hex" / folder / "expected.hex"));
  const std::string expected = *ReadFile(root_ / "more" / folder / "expected.hex");
  const Case c = *ReadCase(root_ / "suite" / folder);
  const std::vector<uint8_t>& bytes = c.outputs[0].answers[0].expected.bytes();
  EXPECT_THAT(expected, HasSubstr(AsHex({static_cast<char>(bytes[0])}).substr(30, 2)));
  EXPECT_EQ(static_cast<size_t>(std::count(expected.begin(), expected.end(), ' ')) / 15,
            bytes.size() / 16);
}

// No one result is known to be right.
TEST_F(MemoryTest, DisputedOutputsHaveNoExpectedBits) {
  Case c = *ReadCase(root_ / "suite" / OnlyExecution()["id"].get<std::string>());
  MemoryExport memory(suite_, {.expected = true});
  const auto bits = [&] { return (*memory.Files(c, 0))[1].bytes; };
  EXPECT_NE(bits(), "");
  c.disputed = "a point";
  EXPECT_EQ(bits(), "");
}

// The suite may be of a stranger, and its text is compiled.
TEST_F(MemoryTest, TextOfASuiteIsNoCode) {
  Case c = *ReadCase(root_ / "suite" / OnlyExecution()["id"].get<std::string>());
  c.graph.main().operators.back().attributes["mode"] = std::string("a\"\n\\?\xff");
  suite_.name = "*/ int x; /*";
  MemoryExport memory(suite_, {.as_c = true});
  const auto files = memory.Files(c, 0);
  ASSERT_TRUE(files.ok()) << files.status();
  EXPECT_THAT((*files)[0].bytes, HasSubstr(R"("a\042\012\134\077\377")"));
  const auto whole = memory.Whole({});
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (const BundleFile& file : *whole) {
    if (file.path == "manifest.json") continue;
    EXPECT_THAT(file.bytes, Not(HasSubstr("int x")));
  }
}

TEST_F(MemoryTest, IsTheSameForAnyNumberOfThreads) {
  for (const char* format : {"hex", "c"}) {
    std::map<std::string, std::string> files[2];
    for (const int turn : {0, 1}) {
      const std::string name = StrCat(format, turn);
      ASSERT_TRUE(Export(name, {.format = format, .jobs = 1 + 2 * turn}).ok());
      for (const auto& each : fs::recursive_directory_iterator(root_ / name)) {
        if (!each.is_regular_file()) continue;
        files[turn][fs::relative(each.path(), root_ / name).string()] = *ReadFile(each.path());
      }
    }
    EXPECT_EQ(files[0], files[1]);
    EXPECT_GT(files[0].size(), summary_.cases);
  }
}

TEST_F(MemoryTest, LeavesOutWhatNeedsTooMuchMemory) {
  const auto small = Export("small", {.format = "hex", .memory_bytes = 100});
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_GT(small->cases, 0U);
  EXPECT_EQ(small->cases + small->left_out, suite_.cases.size());
  EXPECT_THAT(*ReadFile(root_ / "small/left_out.txt"),
              HasSubstr(" bytes of memory, expected at most 100 (--memory)\n"));
  for (const Json& entry : LoadJson(root_ / "small/manifest.json", "memory")->at("cases")) {
    EXPECT_LE(entry["memory_bytes"], 100);
  }
  // Tensors between operators need memory, too.
  Case c = *ReadCase(root_ / "suite" / OnlyExecution()["id"].get<std::string>());
  const uint64_t budget = OnlyExecution()["memory_bytes"].get<uint64_t>() + 999;
  EXPECT_TRUE(MemoryExport(suite_, {.budget = budget}).Files(c, 0).ok());
  c.graph.main().tensors.push_back({"between", DType::kI8, {1000}, nullptr});
  EXPECT_THAT(Message(MemoryExport(suite_, {.budget = budget}).Files(c, 0).status()),
              HasSubstr(" bytes of memory, expected at most "));
}

TEST_F(MemoryTest, TakesCasesByPattern) {
  const auto some = Export("some", {.format = "hex", .filter = {"bitwise_not/i8*"}});
  ASSERT_TRUE(some.ok()) << some.status();
  EXPECT_EQ(some->cases + some->left_out + some->other, suite_.cases.size());
  for (const Json& entry : LoadJson(root_ / "some/manifest.json", "memory")->at("cases")) {
    EXPECT_TRUE(entry["id"].get<std::string>().starts_with("bitwise_not/i8"));
  }
}

// A simulator shows what was never written.
TEST_F(MemoryTest, UndefinedBitsAreNoPass) {
  const size_t address = Address(OnlyExecution());
  for (const size_t offset : {0, 16}) {
    for (const char* word : {"xx", "0z", "X1"}) {
      const auto imported = Import(WithWord(address + offset, word));
      ASSERT_TRUE(imported.ok()) << imported.status();
      EXPECT_EQ(imported->malformed, 1U);
      EXPECT_EQ(Verdicts()[Verdict::kProtocol], 1U);
      EXPECT_EQ(Verdicts()[Verdict::kPass], summary_.cases - 1);
    }
  }
  const std::string id = OnlyExecution()["id"];
  const Json result = *LoadJson(root_ / "results" / id / "result.json", "result");
  std::ostringstream place;
  place << "address 0x" << std::hex << address + 16 << ": found x or z, expected a number";
  EXPECT_THAT(result["message"].get<std::string>(), HasSubstr(place.str()));
  // Where no byte of an answer lies, it does not matter.
  EXPECT_EQ(Import(WithWord(address + 4, "xx"))->malformed, 0U);
}

TEST_F(MemoryTest, StatusWordsSayWhatHappened) {
  const size_t address = Address(OnlyExecution());
  const std::pair<const char*, Verdict> expected[] = {{"00", Verdict::kMissing},
                                                      {"02", Verdict::kWrongOutcome},
                                                      {"03", Verdict::kUnsupported},
                                                      {"04", Verdict::kProtocol},
                                                      {"ff", Verdict::kProtocol}};
  for (const auto& [word, verdict] : expected) {
    ASSERT_TRUE(Import(WithWord(address, word)).ok());
    std::map<Verdict, size_t> verdicts = Verdicts();
    EXPECT_EQ(verdicts[verdict], 1 + (verdict == Verdict::kMissing ? summary_.left_out : 0));
    EXPECT_EQ(verdicts[Verdict::kPass], summary_.cases - 1) << word;
  }
}

// A case passes only by all of its executions.
TEST_F(MemoryTest, EachExecutionCounts) {
  const Json& second = SecondExecution();
  ASSERT_EQ(second["execution"], 1);
  for (const char* word : {"00", "02", "03", "xx"}) {
    const auto imported = Import(WithWord(Address(second), word));
    ASSERT_TRUE(imported.ok()) << imported.status();
    EXPECT_EQ(imported->answers, summary_.cases - 1) << word;
    EXPECT_EQ(Verdicts()[Verdict::kPass], summary_.cases - 1) << word;
  }
  const auto value = static_cast<uint8_t>(right_[Address(second) + 16]);
  right_[Address(second) + 16] = static_cast<char>(value ^ 1);
  ASSERT_TRUE(Import(AsHex(right_)).ok());
  EXPECT_EQ(Verdicts()[Verdict::kFail], 1U);
}

TEST_F(MemoryTest, MalformedDumpsAreRefusedByFileAndAddress) {
  const auto refused = [&](const std::string& dump, const std::string& name = "dump.hex") {
    const auto imported = Import(dump, name);
    EXPECT_FALSE(fs::exists(root_ / "results"));
    return Message(imported.status());
  };
  const std::string whole = AsHex(right_);
  const size_t end = right_.size();
  std::ostringstream last;
  last << "0x" << std::hex << end;
  EXPECT_THAT(refused(whole + "00\n"),
              HasSubstr("too long: found a byte at address " + last.str()));
  EXPECT_THAT(refused(right_ + '\0', "dump.bin"), HasSubstr("dump.bin: too long: ends at address"));
  EXPECT_THAT(refused(right_.substr(1), "dump.bin"), HasSubstr("dump.bin: too short: ends at"));
  EXPECT_THAT(refused(WithWord(40, "g0")),
              HasSubstr("dump.hex:43: address 0x28: found 'g0', expected two hexadecimal digits"));
  EXPECT_THAT(refused(WithWord(40, "1")), HasSubstr("address 0x28: found '1', expected two"));
  EXPECT_THAT(refused(WithWord(40, "@x")), HasSubstr("found '@x', expected two"));
  EXPECT_THAT(refused(whole + "@30\n00\n"),
              HasSubstr("address 0x30: found a second byte, expected each address once"));
  EXPECT_THAT(refused(whole + "/* open"), HasSubstr("found no end of a comment"));
  // It ends within an answer.
  const size_t address = Address(OnlyExecution());
  std::ostringstream place;
  place << "no dump has a byte at address 0x" << std::hex << address + 16;
  EXPECT_THAT(refused(AsHex(right_.substr(0, address + 16))), HasSubstr(place.str()));
  EXPECT_THAT(refused(AsHex(right_.substr(0, address + 16))),
              HasSubstr(OnlyExecution()["id"].get<std::string>() + ": too short"));
}

// A manifest that another program wrote.
TEST_F(MemoryTest, AnswersThatOverlapAreRefused) {
  const auto refused = [&](const std::function<void(Json*)>& change) {
    Json manifest = manifest_;
    change(&manifest);
    EXPECT_TRUE(WriteFile(root_ / "hex/manifest.json", FormatJson(manifest)).ok());
    return Message(Import(AsHex(right_)).status());
  };
  EXPECT_THAT(refused([](Json* json) { (*json)["result_bytes"] = 31; }),
              AllOf(HasSubstr("result_bytes"), HasSubstr("31")));
  EXPECT_THAT(refused([](Json* json) {
                (*json)["cases"] = Json::array();
                (*json)["result_bytes"] = 0;
              }),
              HasSubstr("result_bytes"));
  EXPECT_THAT(refused([](Json* json) { (*json)["cases"][0]["result_address"] = 16; }),
              HasSubstr("found an answer at address 0x10, expected it at address 0x20 or behind"));
  EXPECT_THAT(refused([](Json* json) {
                (*json)["cases"][1]["result_address"] = (*json)["cases"][0]["result_address"];
              }),
              HasSubstr("found an answer at address 0x20, expected it at address "));
  EXPECT_THAT(refused([](Json* json) {
                for (Json& entry : (*json)["cases"]) {
                  if (!entry["outputs"].empty()) entry["outputs"][0]["offset"] = 4;
                }
              }),
              HasSubstr("found it at offset 4, expected 16 or more"));
}

TEST_F(MemoryTest, DumpsOfOtherExportsAreRefused) {
  EXPECT_THAT(Message(Import(WithWord(3, "00")).status()),
              HasSubstr("dump.hex: address 0x0: found the digest"));
  EXPECT_THAT(Message(Import("@20\n00\n").status()),
              HasSubstr("expected the digest of the manifest"));
  Recipe recipe = *FindRecipe("smoke");
  recipe.operators = {"BITWISE_NOT"};
  ASSERT_TRUE(Generate({.recipe = recipe, .out = root_ / "other"}).ok());
  const auto other = ImportResults({.suite = root_ / "other",
                                    .manifest = root_ / "hex/manifest.json",
                                    .dumps = {root_ / "dump.hex"},
                                    .out = root_ / "results",
                                    .name = "core"});
  EXPECT_THAT(Message(other.status()), HasSubstr("expected that of SUITE"));
}

TEST_F(MemoryTest, RefusesOurOwnName) {
  EXPECT_THAT(Message(ImportResults({.suite = root_ / "suite",
                                     .manifest = root_ / "hex/manifest.json",
                                     .dumps = {root_ / "dump.hex"},
                                     .out = root_ / "results",
                                     .name = "builtin:native"})
                          .status()),
              HasSubstr("--name: "));
}

// Many simulators share the cases.
TEST_F(MemoryTest, SeveralDumpsAreOneResult) {
  const size_t middle = Address(SecondExecution());
  const std::string digest = AsHex(right_.substr(0, 32));
  std::ostringstream at;
  at << "@" << std::hex << middle << "\n";
  const std::string prefix = AsHex("");
  ASSERT_TRUE(WriteFile(root_ / "a.hex", AsHex(right_.substr(0, middle))).ok());
  ASSERT_TRUE(WriteFile(root_ / "b.hex",
                        digest + at.str() + AsHex(right_.substr(middle)).substr(prefix.size()))
                  .ok());
  ImportResultsOptions options{.suite = root_ / "suite",
                               .manifest = root_ / "hex/manifest.json",
                               .dumps = {root_ / "a.hex", root_ / "b.hex"},
                               .out = root_ / "results",
                               .name = "core"};
  const auto imported = ImportResults(options);
  ASSERT_TRUE(imported.ok()) << imported.status();
  EXPECT_EQ(imported->answers, summary_.cases);
  fs::remove_all(root_ / "results");
  options.dumps.pop_back();
  const auto first = ImportResults(options);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GT(first->missing, 0U);
  // The one that ends within an answer is not the last.
  ASSERT_TRUE(
      WriteFile(root_ / "a.hex", AsHex(right_.substr(0, Address(OnlyExecution()) + 16))).ok());
  ASSERT_TRUE(WriteFile(root_ / "c.hex", digest).ok());
  fs::remove_all(root_ / "results");
  options.dumps = {root_ / "a.hex", root_ / "c.hex"};
  EXPECT_THAT(Message(ImportResults(options).status()),
              AllOf(HasSubstr("too short: no dump has a byte"), Not(HasSubstr("c.hex"))));
  fs::remove_all(root_ / "results");
  options.dumps = {root_ / "a.hex", root_ / "a.hex"};
  EXPECT_THAT(Message(ImportResults(options).status()), HasSubstr("found a second byte"));
}

}  // namespace
}  // namespace cts
