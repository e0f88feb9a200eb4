#include "reference/bundle/case.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>

#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/bundle/case_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder of its own for every test, removed at the end.
class CaseTest : public ::testing::Test {
 protected:
  CaseTest() {
    std::string name = (fs::temp_directory_path() / "case_test_XXXXXX").string();
    root_ = mkdtemp(name.data());
    directory_ = root_ / "case";
  }
  ~CaseTest() override { fs::remove_all(root_); }

  void Write(const Case& c) const {
    for (const BundleFile& file : EncodeCase(c)) {
      ASSERT_TRUE(WriteFile(directory_ / file.path, file.bytes).ok());
    }
  }

  // Writes the case, changes its case.json, and returns what reading says.
  template <class Change>
  std::string ErrorAfter(const Case& c, Change change) const {
    Write(c);
    Json json = *LoadJson(directory_ / "case.json", "");
    change(json);
    EXPECT_TRUE(SaveJson(directory_ / "case.json", json).ok());
    return Error();
  }
  std::string Error() const {
    const auto c = ReadCase(directory_);
    return c.ok() ? "no error" : Message(c.status());
  }

  fs::path root_, directory_;
};

// y = CLAMP(x + k), fp16: an input, a constant, a tensor between, an output with two answers.
Case FloatCase() {
  Case c = EmptyCase("clamp/fp16-1", "CLAMP", {"x"}, {"y"});
  c.mode = "fp16";
  c.types = {{"in_out_t", "fp16"}};
  c.profiles = {{"PRO-FP"}, {"EXT-A", "EXT-B"}};
  c.parameters = {{"bounds", "infinite"}};
  Block& block = c.graph.main();
  const Tensor k = Tensor::OfFloats(DType::kFp16, {1, 2}, {0.5, -2});
  block.tensors = {{"x", DType::kFp16, {1, 2}, nullptr},
                   {"k", DType::kFp16, {1, 2}, std::make_shared<const Tensor>(k)},
                   {"s", DType::kFp16, {1, 2}, nullptr},
                   {"y", DType::kFp16, {1, 2}, nullptr}};
  block.operators = {{"CONST", {}, {"k"}, {}},
                     {"ADD", {"x", "k"}, {"s"}, {}},
                     {"CLAMP",
                      {"s"},
                      {"y"},
                      {{"min_val", -std::numeric_limits<double>::infinity()},
                       {"max_val", 3.0},
                       {"nan_mode", std::string("PROPAGATE")},
                       {"axis", int64_t{-1}},
                       {"flag", true},
                       {"pad", std::vector<int64_t>{0, -2}}}}};
  c.inputs.emplace("x", Tensor::OfFloats(DType::kFp16, {1, 2}, {1, 2}));
  Answer answer{false,
                Tensor::OfFloats(DType::kFp64, {1, 2}, {1.5, 0x1p-20}),
                Tensor::OfFloats(DType::kFp64, {1, 2}, {0.25, 0}),
                {}};
  Answer flushed{true,
                 Tensor::OfFloats(DType::kFp64, {1, 2}, {1.5, 0}),
                 Tensor::OfFloats(DType::kFp64, {1, 2}, {0.25, 0.125}),
                 {}};
  Rule rule{
      .kind = RuleKind::kAbsoluteBound, .form = "tosa-1.0", .clause = "1.2", .zero_sign = true};
  c.outputs = {{"y", DType::kFp16, {1, 2}, rule, {answer, flushed}}};
  c.outputs[0].flushing = {{DType::kFp16}, {DType::kFp16, DType::kFp32}, true};
  return c;
}

// y = RESHAPE(x) to rank 0, i8, whose constant shape is the empty list.
Case IntegerCase() {
  Case c = EmptyCase("reshape/i8-1", "RESHAPE", {"x"}, {"y"});
  c.level = "none";
  c.mode = "signed 8";
  c.data_set = "full-range";
  Block& block = c.graph.main();
  block.tensors = {{"x", DType::kI8, {1, 1}, nullptr},
                   {"n", DType::kShape, {0}, std::make_shared<Tensor>(DType::kShape, Shape{0})},
                   {"y", DType::kI8, {}, nullptr}};
  block.operators = {{"CONST_SHAPE", {}, {"n"}, {}}, {"RESHAPE", {"x", "n"}, {"y"}, {}}};
  c.inputs.emplace("x", Tensor::OfIntegers(DType::kI8, {1, 1}, {-128}));
  c.outputs = {{"y",
                DType::kI8,
                {},
                ExactRule(),
                {{false, Tensor::OfIntegers(DType::kI8, {}, {-128}), {}, {}}}}};
  return c;
}

// ADD of shapes that do not fit, one of them with a dimension that no file can have.
Case ErrorCase() {
  Case c = IntegerCase();
  c.id = "add/error-1";
  c.outcome = Outcome::kError;
  c.condition = "add.shape_mismatch";
  c.graph = EmptyGraph();
  Block& block = c.graph.main();
  block.inputs = {"x", "z"};
  block.outputs = {"y"};
  block.tensors = {{"x", DType::kI8, {1, 1}, nullptr},
                   {"z", DType::kI8, {-3, 0}, nullptr},
                   {"y", DType::kI8, {7, 1LL << 40, 1LL << 40}, nullptr}};
  block.operators = {{"ADD", {"x", "z"}, {"y"}, {}}};
  c.outputs.clear();
  return c;
}

Json& MainBlock(Json& json) { return json["graph"]["regions"][0]["blocks"][0]; }

TEST_F(CaseTest, LaysOutBundleAsDesigned) {
  std::vector<std::string> paths;
  for (const BundleFile& file : EncodeCase(FloatCase())) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("case.json", "bound/y.npy", "expected/y.npy",
                                 "flushed/y.bound.npy", "flushed/y.npy", "k.npy", "x.npy"));
  const Json json = *ParseJson(EncodeCase(FloatCase())[0].bytes, "case.json");
  EXPECT_TRUE(ValidateJson(json, "case", "case.json").ok());
}

TEST_F(CaseTest, ReadsBackEveryMember) {
  const Case c = FloatCase();
  Write(c);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->id, c.id);
  EXPECT_EQ(read->edition, c.edition);
  EXPECT_EQ(read->level, c.level);
  EXPECT_EQ(read->op, c.op);
  EXPECT_EQ(read->mode, c.mode);
  EXPECT_EQ(read->types, c.types);
  EXPECT_EQ(read->profiles, c.profiles);
  EXPECT_EQ(read->data_set, c.data_set);
  EXPECT_EQ(read->parameters, c.parameters);
  EXPECT_EQ(read->inputs, c.inputs);
  EXPECT_EQ(read->outcome, Outcome::kValid);
  const Block& block = read->graph.main();
  EXPECT_EQ(block.inputs, c.graph.main().inputs);
  EXPECT_EQ(block.outputs, c.graph.main().outputs);
  ASSERT_EQ(block.tensors.size(), 4u);
  EXPECT_EQ(block.Find("k")->shape, (Shape{1, 2}));
  EXPECT_EQ(*block.Find("k")->values, *c.graph.main().Find("k")->values);
  EXPECT_EQ(block.Find("s")->values, nullptr);
  EXPECT_EQ(block.Find("nobody"), nullptr);
  ASSERT_EQ(block.operators.size(), 3u);
  EXPECT_EQ(block.operators[1].inputs, (std::vector<std::string>{"x", "k"}));
  EXPECT_EQ(block.operators[2].attributes, c.graph.main().operators[2].attributes);
  ASSERT_EQ(read->outputs.size(), 1u);
  const ExpectedOutput& output = read->outputs[0];
  EXPECT_EQ(output.dtype, DType::kFp16);
  EXPECT_EQ(output.rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_EQ(output.rule.clause, "1.2");
  EXPECT_TRUE(output.rule.zero_sign);
  ASSERT_EQ(output.answers.size(), 2u);
  for (int i : {0, 1}) {
    EXPECT_EQ(output.answers[i].flushed, i == 1);
    EXPECT_EQ(output.answers[i].expected, c.outputs[0].answers[i].expected);
    EXPECT_EQ(output.answers[i].bound, c.outputs[0].answers[i].bound);
    EXPECT_EQ(output.answers[i].upper, std::nullopt);
  }
  EXPECT_EQ(output.flushing, c.outputs[0].flushing);
}

TEST_F(CaseTest, SaysWhatAnAcceptedResultShows) {
  Case c = FloatCase();
  EXPECT_EQ(ParseJson(EncodeCase(c)[0].bytes, "case.json")->at("outputs")[0]["flushing"],
            Json({{"kept", {"fp16"}}, {"flushed", {"fp16", "fp32"}}, {"all_or_none", true}}));
  c.outputs[0].answers.pop_back();
  c.outputs[0].flushing->moved = true;
  EXPECT_EQ(ParseJson(EncodeCase(c)[0].bytes, "case.json")->at("outputs")[0]["flushing"]["moved"],
            true);
  c.outputs[0].flushing.reset();
  EXPECT_FALSE(
      ParseJson(EncodeCase(c)[0].bytes, "case.json")->at("outputs")[0].contains("flushing"));
  EXPECT_THAT(
      ErrorAfter(FloatCase(), [](Json& json) { json["outputs"][0]["flushing"]["kept"][0] = "i8"; }),
      HasSubstr("/outputs/0/flushing/kept/0"));
  EXPECT_THAT(
      ErrorAfter(FloatCase(), [](Json& json) { json["outputs"][0]["flushing"].erase("flushed"); }),
      HasSubstr("missing required member \"flushed\""));
}

// The sum is an output, too; CLAMP alone ignores NaN.
TEST_F(CaseTest, SaysWhichOutputsADisputeDoesNotReach) {
  Case c = FloatCase();
  Block& block = c.graph.main();
  block.operators.back().attributes["nan_mode"] = std::string("IGNORE");
  block.outputs.push_back("s");
  c.outputs.push_back(c.outputs[0]);
  c.outputs[1].name = "s";
  FindDispute(c);
  EXPECT_EQ(c.disputed, "");
  EXPECT_FALSE(c.outputs[1].undisputed);
  constexpr uint64_t kSignalling = 0x7C01;
  c.inputs.at("x").SetBits(0, kSignalling);
  FindDispute(c);
  EXPECT_THAT(c.disputed, HasSubstr("signalling NaN"));
  EXPECT_FALSE(c.outputs[0].undisputed);
  Write(c);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->disputed, c.disputed);
  EXPECT_FALSE(read->outputs[0].undisputed);
  EXPECT_TRUE(read->outputs[1].undisputed);
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json.erase("disputed"); }),
              HasSubstr("/outputs/1/undisputed: only in a disputed case"));
}

TEST_F(CaseTest, KeepsFloatAttributesApartFromIntegers) {
  Case c = FloatCase();
  auto& attributes = c.graph.main().operators[2].attributes;
  attributes["max_val"] = std::numeric_limits<double>::quiet_NaN();
  Write(c);
  const Json json = *LoadJson(directory_ / "case.json", "case");
  const Json& written = json["graph"]["regions"][0]["blocks"][0]["operators"][2]["attributes"];
  EXPECT_EQ(written["min_val"], Json({{"float", "-inf"}}));
  EXPECT_EQ(written["max_val"], Json({{"float", "nan"}}));
  EXPECT_EQ(written["axis"], Json(-1));
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  const auto& back = read->graph.main().operators[2].attributes;
  EXPECT_TRUE(std::isnan(std::get<double>(back.at("max_val"))));
  EXPECT_EQ(std::get<double>(back.at("min_val")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(std::get<int64_t>(back.at("axis")), -1);
}

TEST_F(CaseTest, ReadsBackTheRuleOfDotProducts) {
  Case c = FloatCase();
  Rule& rule = c.outputs[0].rule;
  rule = {.kind = RuleKind::kDotProduct, .form = "tosa-0.100", .clause = "1.4"};
  rule.kernel_size = 9;
  rule.ksb = 11;
  rule.data_set = 3;
  rule.absolute_limit = 22;
  rule.variance_limit = 0.4;
  Write(c);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  const Rule& back = read->outputs[0].rule;
  EXPECT_EQ(back.kind, RuleKind::kDotProduct);
  EXPECT_EQ(back.form, "tosa-0.100");
  EXPECT_EQ(back.kernel_size, 9);
  EXPECT_EQ(back.ksb, 11);
  EXPECT_EQ(back.data_set, 3);
  EXPECT_EQ(back.absolute_limit, 22);
  EXPECT_EQ(back.variance_limit, 0.4);
  EXPECT_EQ(back.bias_limit, std::nullopt);
}

TEST_F(CaseTest, ReadsIntervalOfIntegersInTheirOwnType) {
  Case c = IntegerCase();
  c.outputs[0].rule.kind = RuleKind::kInterval;
  c.outputs[0].answers[0].upper = Tensor::OfIntegers(DType::kI8, {}, {-127});
  Write(c);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->outputs[0].answers[0].upper->Integer(0), -127);
}

TEST_F(CaseTest, ReadsEmptyShapeAsNumpyWritesIt) {
  Write(IntegerCase());
  const std::string command =
      std::string(CTS_PYTHON) +
      " -c \"import numpy as np; a = np.load('n.npy'); assert a.shape == " +
      "(0,) and a.dtype == np.int64; np.save('n.npy', np.zeros(0, np.int64))\"";
  ASSERT_EQ(std::system(("cd '" + directory_.string() + "' && " + command).c_str()), 0);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->graph.main().Find("n")->values->size(), 0);
  EXPECT_EQ(read->graph.main().Find("n")->values->shape(), Shape{0});
}

TEST_F(CaseTest, RejectsEmptyTensorOfOtherTypes) {
  EXPECT_THAT(
      ErrorAfter(IntegerCase(), [](Json& json) { MainBlock(json)["tensors"][1]["dtype"] = "i8"; }),
      AllOf(HasSubstr("n.npy"), HasSubstr("dimension of 0")));
}

TEST_F(CaseTest, AcceptsErrorCaseWithImpossibleShapes) {
  Write(ErrorCase());
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->condition, "add.shape_mismatch");
  EXPECT_EQ(read->outcome, Outcome::kError);
  EXPECT_EQ(read->inputs.count("x"), 1u);
  EXPECT_EQ(read->inputs.count("z"), 0u);
  EXPECT_EQ(read->graph.main().Find("z")->shape, (Shape{-3, 0}));
}

TEST_F(CaseTest, RejectsValidCaseWithoutFileForAnInput) {
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["inputs"].erase("x"); }),
              HasSubstr("case.json: /inputs: no file for input \"x\""));
}

TEST_F(CaseTest, ReadsHeaderWithoutInputsAndAnswers) {
  Write(FloatCase());
  for (const char* name : {"expected", "bound", "flushed"}) fs::remove_all(directory_ / name);
  EXPECT_THAT(Error(), HasSubstr("expected/y.npy: no such file"));
  const auto inputs = ReadCaseInputs(directory_);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ(inputs->inputs.at("x").Element(1), 2);
  fs::remove(directory_ / "x.npy");
  EXPECT_THAT(Error(), HasSubstr("x.npy: no such file"));
  const auto header = ReadCaseHeader(directory_);
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->outputs[0].name, "y");
  EXPECT_TRUE(header->outputs[0].answers.empty());
  EXPECT_TRUE(header->inputs.empty());
}

TEST_F(CaseTest, RejectsPathsOutOfTheFolder) {
  const auto with_input = [](std::string path) {
    return [path](Json& json) { json["inputs"]["x"] = path; };
  };
  ASSERT_TRUE(WriteFile(root_ / "x.npy", "not for us").ok());
  EXPECT_THAT(ErrorAfter(FloatCase(), with_input("../x.npy")), HasSubstr("/inputs/x"));
  EXPECT_THAT(ErrorAfter(FloatCase(), with_input("a/../../x.npy")),
              AllOf(HasSubstr("a/../../x.npy"), HasSubstr("..")));
  EXPECT_THAT(ErrorAfter(FloatCase(), with_input((root_ / "x.npy").string())),
              HasSubstr("/inputs/x"));
  EXPECT_THAT(
      ErrorAfter(FloatCase(),
                 [](Json& json) { MainBlock(json)["tensors"][1]["values"] = "a/../../k.npy"; }),
      HasSubstr("a/../../k.npy"));
}

TEST_F(CaseTest, RejectsLinkOutOfTheFolder) {
  Write(FloatCase());
  fs::rename(directory_ / "x.npy", root_ / "x.npy");
  fs::create_symlink("../x.npy", directory_ / "x.npy");
  EXPECT_THAT(Error(), AllOf(HasSubstr("x.npy"), HasSubstr("link")));
}

TEST_F(CaseTest, RejectsMissingFile) {
  Write(FloatCase());
  fs::remove(directory_ / "k.npy");
  EXPECT_THAT(Error(), HasSubstr("k.npy: no such file"));
}

TEST_F(CaseTest, RejectsFileOfAnotherShape) {
  EXPECT_THAT(ErrorAfter(FloatCase(),
                         [](Json& json) {
                           MainBlock(json)["tensors"][0]["shape"] = {2, 1};
                         }),
              AllOf(HasSubstr("x.npy"), HasSubstr("found [1,2], expected [2,1]")));
}

TEST_F(CaseTest, RejectsFloatAnswerThatIsNotFp64) {
  Case c = FloatCase();
  c.outputs[0].answers[1].bound = Tensor::OfFloats(DType::kFp16, {1, 2}, {0.25, 0});
  Write(c);
  EXPECT_THAT(Error(), AllOf(HasSubstr("flushed/y.bound.npy"), HasSubstr("<f2"), HasSubstr("<f8")));
}

TEST_F(CaseTest, RejectsIntegerAnswerThatIsNotOfTheOutputsType) {
  Case c = IntegerCase();
  c.outputs[0].answers[0].expected = Tensor::OfFloats(DType::kFp64, {}, {-128});
  Write(c);
  EXPECT_THAT(Error(), AllOf(HasSubstr("expected/y.npy"), HasSubstr("<f8")));
}

TEST_F(CaseTest, RejectsShapeWhoseProductOverflows) {
  EXPECT_THAT(ErrorAfter(FloatCase(),
                         [](Json& json) {
                           MainBlock(json)["tensors"][0]["shape"] = {1LL << 32, 1LL << 32};
                         }),
              AllOf(HasSubstr("x.npy"), HasSubstr("2^62")));
  EXPECT_THAT(ErrorAfter(FloatCase(),
                         [](Json& json) {
                           MainBlock(json)["tensors"][3]["shape"] = {1LL << 32, 1LL << 32};
                           json["outputs"][0]["shape"] = {1LL << 32, 1LL << 32};
                         }),
              AllOf(HasSubstr("expected/y.npy"), HasSubstr("2^62")));
}

TEST_F(CaseTest, RejectsNumbersThatAreNoInt64) {
  EXPECT_THAT(ErrorAfter(FloatCase(),
                         [](Json& json) {
                           MainBlock(json)["tensors"][0]["shape"] = {1, UINT64_MAX};
                         }),
              AllOf(HasSubstr("/graph/regions/0/blocks/0/tensors/0/shape/1"),
                    HasSubstr("18446744073709551615"), HasSubstr("2^63 - 1")));
  EXPECT_THAT(ErrorAfter(FloatCase(),
                         [](Json& json) {
                           MainBlock(json)["tensors"][0]["shape"] = {1, 2.5};
                         }),
              HasSubstr("/graph/regions/0/blocks/0/tensors/0/shape/1"));
}

TEST_F(CaseTest, RejectsUnknownNames) {
  const auto error = [this](auto change) {
    return ErrorAfter(FloatCase(), [&](Json& json) { change(MainBlock(json)); });
  };
  EXPECT_THAT(error([](Json& block) { block["operators"][1]["inputs"][0] = "q"; }),
              HasSubstr("block \"main\", operator 1 (ADD), inputs: \"q\" names no tensor"));
  EXPECT_THAT(error([](Json& block) { block["operators"][2]["outputs"][0] = "q"; }),
              HasSubstr("operator 2 (CLAMP), outputs: \"q\" names no tensor"));
  EXPECT_THAT(error([](Json& block) { block["inputs"][0] = "q"; }),
              HasSubstr("block \"main\", inputs: \"q\" names no tensor"));
  EXPECT_THAT(error([](Json& block) { block["outputs"][0] = "q"; }),
              HasSubstr("block \"main\", outputs: \"q\" names no tensor"));
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["inputs"]["s"] = "x.npy"; }),
              HasSubstr("/inputs: \"s\" is no input of block \"main\""));
}

TEST_F(CaseTest, RejectsDuplicateNames) {
  const auto error = [this](auto change) {
    return ErrorAfter(FloatCase(), [&](Json& json) { change(MainBlock(json)); });
  };
  EXPECT_THAT(error([](Json& block) { block["tensors"][2]["name"] = "x"; }),
              HasSubstr("tensor \"x\": declared twice"));
  EXPECT_THAT(error([](Json& block) {
                block["inputs"] = {"x", "x"};
              }),
              HasSubstr("inputs of the graph: \"x\" found twice"));
  EXPECT_THAT(error([](Json& block) {
                block["outputs"] = {"y", "y"};
              }),
              HasSubstr("outputs of the graph: \"y\" found twice"));
}

TEST_F(CaseTest, RejectsInputWithValues) {
  EXPECT_THAT(ErrorAfter(FloatCase(),
                         [](Json& json) {
                           MainBlock(json)["inputs"] = {"x", "k"};
                         }),
              HasSubstr("tensor \"k\": found values, expected none"));
}

TEST_F(CaseTest, RejectsOutputsThatContradictTheGraph) {
  const auto error = [this](auto change) {
    return ErrorAfter(FloatCase(), [&](Json& json) { change(json["outputs"]); });
  };
  EXPECT_THAT(error([](Json& outputs) { outputs = Json::array(); }),
              HasSubstr("/outputs: found 0, expected one for each of the 1 outputs"));
  EXPECT_THAT(error([](Json& outputs) { outputs[0]["name"] = "s"; }),
              HasSubstr("/outputs/0: found \"s\", expected \"y\""));
  EXPECT_THAT(error([](Json& outputs) { outputs[0]["dtype"] = "fp32"; }),
              HasSubstr("/outputs/0: found fp32[1,2], expected fp16[1,2]"));
  EXPECT_THAT(error([](Json& outputs) {
                outputs[0]["shape"] = {2, 1};
              }),
              HasSubstr("found fp16[2,1], expected fp16[1,2]"));
}

TEST_F(CaseTest, TakesAChoiceOfZerosBesideTheirSignOnly) {
  const auto error = [&](Json rule) {
    return ErrorAfter(FloatCase(), [&](Json& json) { json["outputs"][0]["rule"].update(rule); });
  };
  EXPECT_THAT(error({{"zero_choice", "negate_of_zero"}}),
              HasSubstr("/outputs/0: found \"zero_choice\" of a rule "));
}

TEST_F(CaseTest, RejectsRulesThatLackWhatTheyCompareWith) {
  const auto error = [this](auto change) {
    return ErrorAfter(FloatCase(), [&](Json& json) { change(json["outputs"][0]); });
  };
  EXPECT_THAT(error([](Json& output) { output["answers"][1].erase("bound"); }),
              HasSubstr("/outputs/0/answers/1: rule absolute_bound: expected a \"bound\""));
  EXPECT_THAT(error([](Json& output) { output["rule"]["kind"] = "exact"; }),
              HasSubstr("rule exact: expected no \"bound\""));
  EXPECT_THAT(error([](Json& output) { output["rule"]["kind"] = "ulp"; }),
              HasSubstr("rule ulp: no \"ulp\""));
  EXPECT_THAT(error([](Json& output) { output["rule"]["kind"] = "dot_product"; }),
              HasSubstr("rule dot_product: no \"kernel_size\""));
  EXPECT_THAT(error([](Json& output) { output["answers"][1]["flushed"] = false; }),
              HasSubstr("/outputs/0: answer 1: expected \"flushed\": true"));
}

TEST_F(CaseTest, RejectsOutcomeThatContradictsTheRest) {
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["outcome"] = "error"; }),
              HasSubstr("/condition: an error case names the condition"));
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["condition"] = "a.b"; }),
              HasSubstr("/condition: only an error case names a condition"));
  EXPECT_THAT(ErrorAfter(ErrorCase(), [](Json& json) { json["outputs"] = Json::array(); }),
              HasSubstr("/outputs: found answers, expected none where the outcome is error"));
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["outcome"] = "sealed"; }),
              HasSubstr("/outputs: found answers, expected none where the outcome is sealed"));
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["outcome"] = "unpredictable"; }),
              HasSubstr("/outcome"));
}

// The same graph executed three times.
Case CaseOfThreeExecutions() {
  Case c = FloatCase();
  for (int k = 1; k < 3; ++k) {
    c.later_inputs.push_back({{"x", Tensor::OfFloats(DType::kFp16, {1, 2}, {3.0 * k, 4})}});
    c.outputs.push_back(c.outputs[0]);
    c.outputs.back().execution = k;
    c.outputs.back().answers[0].expected.SetElement(0, 3.0 * k + 0.5);
  }
  return c;
}

TEST_F(CaseTest, ReadsBackEveryExecution) {
  const Case c = CaseOfThreeExecutions();
  Write(c);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->executions(), 3);
  EXPECT_EQ(read->inputs, c.inputs);
  EXPECT_EQ(read->later_inputs, c.later_inputs);
  ASSERT_EQ(read->outputs.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    const ExpectedOutput& output = read->outputs[static_cast<size_t>(k)];
    EXPECT_EQ(output.name, "y");
    EXPECT_EQ(output.execution, k);
    EXPECT_EQ(ResultName(output), k == 0 ? "y" : StrCat("y.", k));
    EXPECT_EQ(output.answers[0].expected.Element(0), k == 0 ? 1.5 : 3.0 * k + 0.5);
    EXPECT_EQ(output.answers.size(), 2u);
  }
  EXPECT_EQ(ReadCaseHeader(directory_)->executions(), 3);
  EXPECT_EQ(ReadCaseInputs(directory_)->InputsOfExecutions(2).size(), 2u);
}

TEST_F(CaseTest, LaysOutLaterExecutionsBesideTheFirst) {
  std::vector<std::string> paths;
  for (const BundleFile& file : EncodeCase(CaseOfThreeExecutions())) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("case.json", "bound/y.1.npy", "bound/y.2.npy", "bound/y.npy",
                                 "expected/y.1.npy", "expected/y.2.npy", "expected/y.npy",
                                 "flushed/y.1.bound.npy", "flushed/y.1.npy",
                                 "flushed/y.2.bound.npy", "flushed/y.2.npy", "flushed/y.bound.npy",
                                 "flushed/y.npy", "k.npy", "x.1.npy", "x.2.npy", "x.npy"));
  const std::string one = EncodeCase(FloatCase())[0].bytes;
  EXPECT_EQ(one.find("later_executions"), std::string::npos);
}

TEST_F(CaseTest, RejectsLaterExecutionsThatContradictTheGraph) {
  const Case c = CaseOfThreeExecutions();
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["later_executions"][1]["inputs"].erase("x"); }),
              HasSubstr("/later_executions/1/inputs: no file for input \"x\""));
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["later_executions"][0].erase("outputs"); }),
              HasSubstr("/later_executions/0/outputs: found 0, expected one for each"));
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["later_executions"] = Json::array(); }),
              HasSubstr("/later_executions"));
}

// y = IDENTITY(x[N,2]) for N = 3 and N = 1.
Case SymbolicCase() {
  Case c = FloatCase();
  c.graph = EmptyGraph();
  Block& block = c.graph.main();
  block.inputs = {"x"};
  block.outputs = {"y"};
  block.tensors = {{"x", DType::kI32, {-1, 2}, nullptr, {"N", ""}},
                   {"y", DType::kI32, {-1, 2}, nullptr, {"y_0", ""}}};
  block.operators = {{"IDENTITY", {"x"}, {"y"}, {}}};
  c.bindings = {{{"N", 3}}, {{"N", 1}}};
  const Rule rule{.kind = RuleKind::kExact, .form = "tosa-1.0", .clause = "1.3"};
  c.outputs.clear();
  c.inputs.clear();
  c.later_inputs.resize(1);
  for (int k : {0, 1}) {
    const Tensor x(DType::kI32, {k == 0 ? 3 : 1, 2});
    (k == 0 ? c.inputs : c.later_inputs[0]).emplace("x", x);
    c.outputs.push_back({"y", DType::kI32, x.shape(), rule, {{false, x, {}, {}}}, k});
  }
  return c;
}

TEST_F(CaseTest, ReadsBackASymbolicProgram) {
  const Case c = SymbolicCase();
  Write(c);
  const Json json = *LoadJson(directory_ / "case.json", "case");
  EXPECT_EQ(json["graph"]["regions"][0]["blocks"][0]["tensors"][0]["shape"], Json({"N", 2}));
  EXPECT_EQ(json["later_executions"][0]["binding"], Json({{"N", 1}}));
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->bindings, c.bindings);
  EXPECT_EQ(read->later_inputs, c.later_inputs);
  EXPECT_EQ(read->graph.main().tensors[0].symbols, (std::vector<std::string>{"N", ""}));
  EXPECT_EQ(read->graph.main().tensors[0].shape, (Shape{-1, 2}));
  EXPECT_EQ(read->outputs[1].shape, (Shape{1, 2}));
  EXPECT_EQ(EncodeCase(*read)[0].bytes, EncodeCase(c)[0].bytes);
}

TEST_F(CaseTest, RejectsBindingsThatDoNotFit) {
  const Case c = SymbolicCase();
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json.erase("binding"); }),
              HasSubstr("/binding: expected values for the symbols of the graph"));
  EXPECT_THAT(ErrorAfter(c,
                         [](Json& json) {
                           json["binding"] = {{"M", 3}};
                         }),
              HasSubstr("found symbol M, which no tensor has; the inputs have N"));
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["binding"] = Json::object(); }),
              HasSubstr("/binding: found no value for N"));
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["binding"]["N"] = 0; }),
              HasSubstr("/binding: N: found 0, expected at least 1"));
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["binding"]["N"] = 4; }),
              HasSubstr("shape: found [3,2], expected [4,2]"));
  EXPECT_THAT(ErrorAfter(c, [](Json& json) { json["binding"]["y_0"] = 2; }),
              HasSubstr("/outputs/0: found i32[3,2], expected i32[y_0,2] as in the graph"));
  EXPECT_THAT(ErrorAfter(FloatCase(), [](Json& json) { json["binding"] = Json::object(); }),
              HasSubstr("/binding: found a binding, but the graph has no symbols"));
}

TEST_F(CaseTest, AcceptsErrorCasesWithWrongBindings) {
  Case c = SymbolicCase();
  c.outcome = Outcome::kError;
  c.condition = "symbol.contradiction";
  c.outputs.clear();
  c.later_inputs.clear();
  c.bindings = {{{"N", 5}}};
  Write(c);
  const auto read = ReadCase(directory_);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->inputs.at("x").shape(), (Shape{3, 2}));
}

}  // namespace
}  // namespace cts
