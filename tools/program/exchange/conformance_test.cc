#include "tools/program/exchange/conformance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "checker/rules/match.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/evaluate/testing.h"
#include "tools/program/exchange/import.h"
#include "tools/program/exchange/import_folder.h"

namespace cts {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testing_graph::Integers;
using testing_graph::Op;
using testing_graph::R;
using testing_graph::T;

// A case of one operator on tensors x (and more) with one output y.
Case CaseOf(GraphOperator op, DType out, const Shape& shape, std::map<std::string, Tensor> inputs,
            int data_set = -1) {
  Case c;
  c.id = "a/b";
  c.edition = "tosa-1.0";
  c.level = "8K";
  c.op = op.op;
  c.data_set = data_set < 0 ? "none" : StrCat("S", data_set);
  std::vector<GraphTensor> tensors = {T("y", out, shape)};
  std::vector<std::string> main;
  for (const auto& [name, value] : inputs) {
    const bool constant = name != "x" && name != "w";
    tensors.push_back(T(name, value.dtype(), value.shape()));
    if (constant) {
      tensors.back().values = std::make_shared<const Tensor>(value);
    } else {
      main.push_back(name);
      c.inputs.emplace(name, value);
    }
  }
  c.graph.regions = {R("main", main, {"y"}, std::move(tensors), {std::move(op)})};
  const testing_graph::Setting setting;
  auto evaluation = Evaluate(c.graph, c.inputs, setting.edition, setting.level, data_set);
  EXPECT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outcome, Outcome::kValid)
      << (evaluation->violations.empty() ? "" : evaluation->violations[0].message);
  c.outputs = std::move(evaluation->outputs);
  return c;
}

Case Unary(const std::string& op, DType type, const std::vector<double>& values) {
  const Shape shape = {static_cast<int64_t>(values.size())};
  return CaseOf(Op(op, {"x"}, {"y"}), type, shape, {{"x", Tensor::OfFloats(type, shape, values)}});
}

Json Mode(const Case& c) {
  Json entry = *ComplianceOf(c, c.outputs[0]);
  EXPECT_TRUE(
      ValidateJson({{"tosa_file", "a"},
                    {"ifm_name", Json::array()},
                    {"ifm_file", Json::array()},
                    {"ofm_name", {"y"}},
                    {"ofm_file", {"y.npy"}},
                    {"meta", {{"compliance", {{"version", "0.1"}, {"tensors", {{"y", entry}}}}}}}},
                   "desc", "desc")
          .ok());
  entry.erase("shape");
  entry.erase("data_type");
  return entry;
}

// Tells how the entry changes the rule: "same", "looser", "tighter", "other", or the error.
std::string Honour(Case& c, Json entry) {
  entry["data_type"] = PublicTypeName(c.outputs[0].dtype);
  const StatusOr<Compliance> compliance = HonourCompliance(entry, c, c.outputs[0]);
  if (!compliance.ok()) return Message(compliance.status());
  return compliance->same ? "same" : compliance->relation;
}

bool Accepts(const Case& c, double result) {
  const ExpectedOutput& output = c.outputs[0];
  Tensor tensor(output.dtype, output.shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetElement(i, result);
  for (const Answer& answer : output.answers) {
    if (ElementJudge(output, answer, tensor).Accepts(0)) return true;
  }
  return false;
}

// Figures of the public generator's table of operators.
TEST(ComplianceOf, IsWhatThePublicTestsSayOfAnOperator) {
  EXPECT_EQ(Mode(Unary("ABS", DType::kFp32, {1})), Json({{"mode", "EXACT"}}));
  EXPECT_EQ(Mode(Unary("ERF", DType::kFp16, {1})),
            Json({{"mode", "ULP"}, {"ulp_info", {{"ulp", 5.0}}}}));
  EXPECT_EQ(Mode(Unary("RECIPROCAL", DType::kFp16, {1})),
            Json({{"mode", "ULP"}, {"ulp_info", {{"ulp", 1.0}}}}));
  EXPECT_EQ(Mode(Unary("SIGMOID", DType::kFp16, {1})), Json({{"mode", "ABS_ERROR"}}));
  EXPECT_EQ(Mode(Unary("EXP", DType::kFp32, {1})),
            Json({{"mode", "ABS_ERROR"}, {"abs_error_info", {{"base_bound", 3.0}}}}));
  EXPECT_EQ(Mode(Unary("TANH", DType::kBf16, {1})),
            Json({{"mode", "ABS_ERROR"},
                  {"abs_error_info", {{"lower_bound", 0.5}, {"base_bound", 4.0}}}}));
  const Case cast = CaseOf(Op("CAST", {"x"}, {"y"}), DType::kFp16, {1},
                           {{"x", Tensor::OfFloats(DType::kFp32, {1}, {0.1})}});
  EXPECT_EQ(Mode(cast), Json({{"mode", "ULP"}, {"ulp_info", {{"ulp", 0.5}, {"ulp_lower", 1.0}}}}));
  const Case product =
      CaseOf(Op("REDUCE_PRODUCT", {"x"}, {"y"}, {{"axis", int64_t{1}}}), DType::kFp32, {1, 1},
             {{"x", Tensor::OfFloats(DType::kFp32, {1, 3}, {1, 2, 3})}});
  EXPECT_EQ(Mode(product), Json({{"mode", "REDUCE_PRODUCT"}, {"reduce_product_info", {{"n", 3}}}}));
}

TEST(ComplianceOf, FindsTheOperatorThatMakesTheBoundInTheGraph) {
  const Json exp = {{"mode", "ABS_ERROR"}, {"abs_error_info", {{"base_bound", 3.0}}}};
  Case c = Unary("EXP", DType::kFp32, {1});
  c.outputs[0].rule.clause = "in other words";
  EXPECT_EQ(Mode(c), exp);
  // The result moves.
  Block& main = c.graph.main();
  main.operators[0].outputs = {"e"};
  main.tensors.push_back(T("e", DType::kFp32, {1}));
  main.operators.push_back(Op("IDENTITY", {"e"}, {"y"}));
  EXPECT_EQ(Mode(c), exp);
  // Two rules in one output, and no rule.
  main.operators.push_back(Op("LOG", {"x"}, {"l"}));
  main.operators[1] = Op("CONCAT", {"e", "l"}, {"y"}, {{"axis", int64_t{0}}});
  EXPECT_EQ(Message(ComplianceOf(c, c.outputs[0]).status()),
            "output y: found bounds of EXP and of LOG, a compliance mode is of one");
  main.operators = {Op("IDENTITY", {"x"}, {"y"})};
  EXPECT_EQ(Message(ComplianceOf(c, c.outputs[0]).status()),
            "output y: no operator of tosa-1.0 has a bound per element that could be its rule, in "
            "other words");
}

// Figures of the public generator's table again.
TEST(ComplianceOf, GivesTrigonometricFunctionsTheirMagnitudes) {
  const double least = 3.141592653589793 * std::ldexp(1, -126);
  EXPECT_EQ(Mode(Unary("COS", DType::kFp32, {1})),
            Json({{"mode", "ABS_ERROR"},
                  {"abs_error_info",
                   {{"bound_as_magnitude", true}, {"normal_divisor", 2}, {"base_bound", 1.0}}}}));
  EXPECT_EQ(Mode(Unary("SIN", DType::kFp32, {1})), Json({{"mode", "ABS_ERROR"},
                                                         {"abs_error_info",
                                                          {{"bound_as_magnitude", true},
                                                           {"normal_divisor", 2},
                                                           {"base_bound", 2.0},
                                                           {"max_compare", least}}}}));
  EXPECT_EQ(Mode(Unary("LOG", DType::kFp16, {2})),
            Json({{"mode", "ABS_ERROR"}, {"abs_error_info", {{"lower_bound", 0.5}}}}));
}

Case ReduceSum(int data_set, int64_t outputs) {
  const Shape shape = {outputs, 4};
  Tensor x(DType::kFp32, shape);
  for (int64_t i = 0; i < x.size(); ++i) x.SetElement(i, static_cast<double>(i % 5) - 2);
  return CaseOf(Op("REDUCE_SUM", {"x"}, {"y"}, {{"axis", int64_t{1}}}), DType::kFp32, {outputs, 1},
                {{"x", std::move(x)}}, data_set);
}

TEST(ComplianceOf, GivesDotProductsTheLimitsOfTheEditionAndNoOthers) {
  // ksb is KS + 1 = 5, ABS_BOUND 2 ksb, VARIANCE_ERROR_BOUND 4 * 0.4 ksb.
  EXPECT_EQ(Mode(ReduceSum(3, 1000)),
            Json({{"mode", "DOT_PRODUCT"},
                  {"dot_product_info",
                   {{"s", 3}, {"ksb", 5}, {"abs_bound", 10}, {"variance_error_bound", 8.0}}}}));
  // Too few for statistics: a variance that nothing within the limit exceeds, and no bias.
  EXPECT_EQ(Mode(ReduceSum(3, 999)),
            Json({{"mode", "DOT_PRODUCT"},
                  {"dot_product_info",
                   {{"s", -1}, {"ksb", 5}, {"abs_bound", 10}, {"variance_error_bound", 100.0}}}}));
}

TEST(HonourCompliance, LeavesTheEditionsOwnRule) {
  for (Case c : {Unary("EXP", DType::kFp16, {1, 0}), Unary("ABS", DType::kFp32, {-1, 0}),
                 Unary("RSQRT", DType::kBf16, {4}), ReduceSum(4, 1200)}) {
    const ExpectedOutput before = c.outputs[0];
    EXPECT_EQ(Honour(c, Mode(c)), "same");
    EXPECT_EQ(c.outputs[0].rule, before.rule);
    EXPECT_EQ(c.outputs[0].answers[0].bound, before.answers[0].bound);
  }
}

TEST(HonourCompliance, CountsUlpsAsDescSays) {
  Case c = Unary("ERF", DType::kFp32, {1});
  EXPECT_EQ(Honour(c, {{"mode", "ULP"}, {"ulp_info", {{"ulp", 5}}}}), "same");
  EXPECT_EQ(Honour(c, {{"mode", "ULP"}, {"ulp_info", {{"ulp", 7}}}}), "looser");
  EXPECT_EQ(c.outputs[0].rule.ulp, 7);
  EXPECT_THAT(c.outputs[0].rule.clause,
              StartsWith(R"(desc.json: ULP {"ulp":7}; looser than tosa-1.0, ERF)"));
  Case tight = Unary("ERF", DType::kFp32, {1});
  EXPECT_EQ(Honour(tight, {{"mode", "ULP"}, {"ulp_info", {{"ulp", 0.5}}}}), "tighter");
  EXPECT_THAT(Honour(tight, {{"mode", "ULP"}}), HasSubstr("expected /ulp_info"));
}

// From 1 to 2 the numbers of fp32 are 2^-23 apart, below 1 half as much.
TEST(HonourCompliance, LetsUlpsDifferTowardZeroAndAwayFromIt) {
  for (const double sign : {1.0, -1.0}) {
    Case c = CaseOf(Op("CAST", {"x"}, {"y"}), DType::kFp32, {1},
                    {{"x", Tensor::OfIntegers(DType::kI32, {1}, {sign < 0 ? -3 : 3})}});
    ASSERT_EQ(Honour(c, {{"mode", "ULP"}, {"ulp_info", {{"ulp", 0.5}, {"ulp_lower", 1}}}}),
              "looser");
    const double ulp = std::ldexp(1.0, -22);  // from 2 to 4
    EXPECT_TRUE(Accepts(c, sign * 3));
    EXPECT_TRUE(Accepts(c, sign * (3 - ulp)));
    EXPECT_FALSE(Accepts(c, sign * (3 - 2 * ulp)));
    EXPECT_FALSE(Accepts(c, sign * (3 + ulp)));
  }
}

TEST(HonourCompliance, TakesTheWorstOfRelativeAndUlps) {
  Case c = Unary("ERF", DType::kFp32, {0.5});
  const double erf = c.outputs[0].answers[0].expected.Element(0);
  const Json info = {{"max", 2}, {"scale", 0.25}, {"ulp_bound", 20}};
  ASSERT_EQ(Honour(c, {{"mode", "MAX_RELATIVE"}, {"max_relative_info", info}}), "looser");
  EXPECT_EQ(c.outputs[0].answers[0].bound->Element(0), 0.5);
  EXPECT_TRUE(Accepts(c, erf + 0.49));
  EXPECT_FALSE(Accepts(c, erf + 0.51));
  Case ulps = Unary("ERF", DType::kFp32, {0.5});
  ASSERT_EQ(Honour(ulps, {{"mode", "RELATIVE"},
                          {"relative_info", {{"max", 0}, {"scale", 0.25}, {"ulp_bound", 20}}}}),
            "looser");
  EXPECT_EQ(ulps.outputs[0].answers[0].bound->Element(0), 20 * std::ldexp(1.0, -24));  // 0.5 to 1
}

Case Pow(const std::vector<double>& bases, const std::vector<double>& exponents) {
  const Shape shape = {static_cast<int64_t>(bases.size())};
  return CaseOf(Op("POW", {"x", "w"}, {"y"}), DType::kFp32, shape,
                {{"x", Tensor::OfFloats(DType::kFp32, shape, bases)},
                 {"w", Tensor::OfFloats(DType::kFp32, shape, exponents)}});
}

TEST(ComplianceOf, LeavesTheBoundsOfPowToThePublicReference) {
  EXPECT_EQ(Mode(Pow({3, 2}, {2.5, -1})), Json({{"mode", "PRECOMPUTED"}}));
  // The bound of a result far beyond the greatest number is infinite.
  const Case open = Pow({3, 0x1p-48}, {2.5, -0x1p32});
  EXPECT_THAT(Message(ComplianceOf(open, open.outputs[0]).status()),
              HasSubstr("an element of which nothing is asked, such as [1]"));
}

// The public tools know two types by other names.
TEST(EncodeConformance, NamesTheTypesOfInputsAsThePublicToolsDo) {
  for (const auto& [type, descr] :
       {std::pair(DType::kFp8E4M3, "<V1"), {DType::kFp8E5M2, "|u1"}, {DType::kBf16, "<V2"}}) {
    const Case c = Unary("IDENTITY", type, {1, 2});
    const auto files = EncodeConformance(c);
    ASSERT_TRUE(files.ok()) << files.status();
    const auto input = std::find_if(files->begin(), files->end(),
                                    [](const BundleFile& file) { return file.path == "x.npy"; });
    ASSERT_NE(input, files->end());
    EXPECT_THAT(input->bytes, HasSubstr(StrCat("'descr': '", descr, "'")));
    EXPECT_EQ(*DecodeNpy(input->bytes, type, {2}), c.inputs.at("x"));
  }
}

// Until 2026 the mode was called RELATIVE.
TEST(HonourCompliance, TakesTheOldNameOfMaxRelative) {
  const Json info = {{"max", 2}, {"scale", 0.25}, {"ulp_bound", 20}};
  Case before = Unary("ERF", DType::kFp32, {0.5}), today = before;
  ASSERT_EQ(Honour(before, {{"mode", "RELATIVE"}, {"relative_info", info}}), "looser");
  ASSERT_EQ(Honour(today, {{"mode", "MAX_RELATIVE"}, {"max_relative_info", info}}), "looser");
  EXPECT_EQ(before.outputs[0].answers[0].bound, today.outputs[0].answers[0].bound);
  Case without = Unary("ERF", DType::kFp32, {0.5});
  EXPECT_THAT(Honour(without, {{"mode", "MAX_RELATIVE"}, {"relative_info", info}}),
              HasSubstr("expected /max_relative_info with it"));
}

// Its bounds stand in a file of the public reference; ours are the edition's.
TEST(HonourCompliance, JudgesPrecomputedBoundsByTheEdition) {
  Case pow = Pow({3}, {2.5});
  const ExpectedOutput own = pow.outputs[0];
  ASSERT_EQ(Honour(pow, {{"mode", "PRECOMPUTED"}}), "same");
  EXPECT_EQ(pow.outputs[0].rule, own.rule);
  EXPECT_EQ(pow.outputs[0].answers[0].bound, own.answers[0].bound);
  Case exact = Unary("ABS", DType::kFp32, {1});
  EXPECT_THAT(Honour(exact, {{"mode", "PRECOMPUTED"}}),
              HasSubstr("expected it where the reference makes a bound for each element"));
  EXPECT_THAT(Honour(exact, {{"mode", "FROM_BLOCK"}}), HasSubstr("block-scaled tensors"));
}

TEST(HonourCompliance, TakesTheLimitsOfADotProduct) {
  Case c = ReduceSum(3, 1000);
  ASSERT_EQ(Honour(c, {{"mode", "DOT_PRODUCT"}, {"dot_product_info", {{"s", 3}, {"ksb", 4}}}}),
            "tighter");
  const Rule& rule = c.outputs[0].rule;
  EXPECT_EQ(rule.absolute_limit, 8);
  EXPECT_EQ(rule.variance_limit, 4 * 0.4 * 4 * 1000);
  EXPECT_EQ(rule.bias_limit, std::sqrt(10 * (4 * 0.4 * 4) * 1000));
  // Too few: the edition has no statistics, so neither has desc.json.
  Case few = ReduceSum(3, 10);
  ASSERT_EQ(Honour(few, {{"mode", "DOT_PRODUCT"}, {"dot_product_info", {{"s", 3}, {"ksb", 4}}}}),
            "tighter");
  EXPECT_FALSE(few.outputs[0].rule.variance_limit.has_value());
  Case exact = Unary("ABS", DType::kFp32, {1});
  EXPECT_THAT(
      Honour(exact, {{"mode", "DOT_PRODUCT"}, {"dot_product_info", {{"s", 3}, {"ksb", 4}}}}),
      HasSubstr("expected it for dot products only"));
}

// Class and sign, for every result of fp16 and references of every kind.
TEST(HonourCompliance, ComparesClassAndSignOfSpecialValues) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double ref : {0.0, -0.0, 1.0, -3.5, 65504.0, 1e-7, -1e-7, infinity, -infinity,
                           std::numeric_limits<double>::quiet_NaN()}) {
    // The first element is bound by anything: a case without would be refused.
    Case c = Unary("ERF", DType::kFp16, {1});
    c.outputs[0].answers[0].expected = Tensor::OfFloats(DType::kFp64, {1}, {ref});
    ASSERT_THAT(Honour(c, {{"mode", "FP_SPECIAL"}}),
                ::testing::AnyOf("looser", "other", "tighter"));
    Tensor result(DType::kFp16, {1});
    for (uint64_t bits = 0; bits < 1 << 16; ++bits) {
      result.SetBits(0, bits);
      const double x = result.Element(0);
      const bool zero = x == 0 && std::isfinite(ref);
      const bool same_class = std::isfinite(x) == std::isfinite(ref) &&
                              std::isnan(x) == std::isnan(ref) &&
                              (std::isnan(x) || std::signbit(x) == std::signbit(ref));
      ASSERT_EQ(ElementJudge(c.outputs[0], c.outputs[0].answers[0], result).Accepts(0),
                zero || same_class)
          << ref << " " << x;
    }
  }
}

TEST(HonourCompliance, LetsSpecialValuesOverflowWhereTheReferenceDoes) {
  Case c = Unary("ERF", DType::kFp16, {1});
  c.outputs[0].answers[0].expected = Tensor::OfFloats(DType::kFp64, {1}, {1e5});
  ASSERT_EQ(Honour(c, {{"mode", "FP_SPECIAL"}}), "looser");
  EXPECT_TRUE(Accepts(c, std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(Accepts(c, 65504));
  EXPECT_FALSE(Accepts(c, -65504));
}

TEST(HonourCompliance, RefusesWhatContradictsTheGraph) {
  Case c = CaseOf(Op("CLZ", {"x"}, {"y"}), DType::kI32, {2},
                  {{"x", Tensor::OfIntegers(DType::kI32, {2}, {1, 2})}});
  EXPECT_EQ(Honour(c, {{"mode", "EXACT"}}), "same");
  EXPECT_THAT(Honour(c, {{"mode", "ULP"}, {"ulp_info", {{"ulp", 1}}}}),
              HasSubstr("expected EXACT for i32"));
  EXPECT_THAT(Honour(c, {{"mode", "RESCALE_INEXACT"}}), HasSubstr("INEXACT_ROUND only"));
  const auto wrong = [&](const char* name, const Json& value) {
    Json entry = {{"mode", "EXACT"}, {"data_type", "INT32"}, {"shape", {2}}};
    entry[name] = value;
    return Message(HonourCompliance(entry, c, c.outputs[0]).status());
  };
  EXPECT_THAT(wrong("data_type", "INT8"), HasSubstr("found INT8, the graph has INT32"));
  EXPECT_THAT(wrong("shape", {3}), HasSubstr("found [3], the graph has"));
}

TEST(HonourCompliance, SaysWhereItCannotJudge) {
  // 2 of EXP is no value of fp32: no result would pass.
  Case c = Unary("EXP", DType::kFp32, {2});
  EXPECT_THAT(Honour(c, {{"mode", "EXACT"}}), HasSubstr("--edition-rules"));
  EXPECT_THAT(Honour(c, {{"mode", "ABS_ERROR"}, {"abs_error_info", {{"base_bound", 1}}}}),
              HasSubstr("--edition-rules"));
  EXPECT_EQ(c.outputs[0].rule.kind, RuleKind::kAbsoluteBound);
}

TEST(IdOfFolder, FoldsTheLastTwoNames) {
  EXPECT_EQ(IdOfFolder("operators/ew_binary/add/add_27_i32_is"), "add/add_27_i32_is");
  EXPECT_EQ(IdOfFolder("conv2d_1x1/conv2d_ERRORIF_PadLess.1"),
            "conv2d_1x1/conv2d_errorif_padless.1");
  EXPECT_EQ(IdOfFolder("A-b/ c"), "a_b/t_c");
  EXPECT_EQ(IdOfFolder("alone"), "test/alone");
}

}  // namespace
}  // namespace cts
