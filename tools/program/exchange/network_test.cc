#include "tools/program/exchange/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/judge/suite_on_disk.h"
#include "checker/report/explain.h"
#include "checker/report/report.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/base/npy.h"
#include "reference/evaluate/testing.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "tools/program/exchange/import.h"
#include "tools/program/exchange/import_network.h"
#include "tools/program/exchange/intermediates.h"
#include "tools/program/exchange/operator_verdicts.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing_suite::Directory;
using namespace testing_graph;  // NOLINT(google-build-using-namespace): the words of graphs

constexpr char kId[] = "networks/mine";

Network NetworkOf(Region region, std::map<std::string, Tensor> inputs) {
  Network network{.id = kId, .graph = {}, .inputs = std::move(inputs)};
  network.graph.regions.push_back(std::move(region));
  return network;
}

GraphTensor Fp32(const std::string& name) { return T(name, DType::kFp32, {2}); }

// out = (x + 5) - x - x: to the bit.
Network OfIntegers() {
  return NetworkOf(
      R("main", {"x"}, {"out"},
        {I32("x", {2}), Constant("five", 5), I32("a", {2}), I32("b", {2}), I32("out", {2})},
        {Op("ADD", {"x", "five"}, {"a"}), Op("SUB", {"a", "x"}, {"b"}),
         Op("SUB", {"b", "x"}, {"out"})}),
      {{"x", Integers({7, -3})}});
}

// out = x + exp(log(x)): ADD and EXP start from what is only bounded. Without enclosures, as
// behind an operator that has none.
Network OfFloats() {
  Network network = NetworkOf(
      R("main", {"x"}, {"out"}, {Fp32("x"), Fp32("a"), Fp32("b"), Fp32("out")},
        {Op("LOG", {"x"}, {"a"}), Op("EXP", {"a"}, {"b"}), Op("ADD", {"b", "x"}, {"out"})}),
      {{"x", Floats({1, 2})}});
  network.chains = Chains::kExactOnly;
  return network;
}
Network Enclosed() {
  Network network = OfFloats();
  network.chains = Chains::kEnclosed;
  return network;
}

TEST(CaseOfNetwork, OfIntegersIsCheckedEndToEnd) {
  const auto c = CaseOfNetwork(OfIntegers());
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->outputs.size(), 1);
  EXPECT_EQ(c->outputs[0].rule.kind, RuleKind::kExact);
  EXPECT_EQ(c->outputs[0].answers[0].expected, Integers({-2, 8}));
  EXPECT_EQ(c->parameters, (std::map<std::string, std::string>{{"operators", "3"}}));
}

TEST(CaseOfNetwork, OfBoundedResultsSaysThatOnlyShapesAreChecked) {
  const auto c = CaseOfNetwork(OfFloats());
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->outputs.size(), 1);
  EXPECT_EQ(c->outputs[0].rule.kind, RuleKind::kUnchecked);
  EXPECT_THAT(c->outputs[0].answers, IsEmpty());
  EXPECT_EQ(c->parameters.at("checked"), "outcome and shapes only");
}

TEST(CaseOfNetwork, OfBoundedResultsHasEnclosures) {
  const auto c = CaseOfNetwork(Enclosed());
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->outputs.size(), 1);
  const ExpectedOutput& out = c->outputs[0];
  EXPECT_EQ(out.rule.kind, RuleKind::kInterval);
  EXPECT_TRUE(out.rule.enclosure);
  ASSERT_EQ(out.answers.size(), 1);
  // By hand, for x = 1: |log| <= 2^-24, rounded half a last place beyond; exp of that is off by
  // 3 (1 + 2 * 2^-24) * 2^-23 more; the sum is off by some 2^-21 in all.
  EXPECT_LT(out.answers[0].expected.Element(0), 2);
  EXPECT_GT(out.answers[0].expected.Element(0), 2 - 0x1p-20);
  EXPECT_GT(out.answers[0].upper->Element(0), 2);
  EXPECT_LT(out.answers[0].upper->Element(0), 2 + 0x1p-20);
  EXPECT_FALSE(c->parameters.contains("checked"));
}

// BITWISE_NOT of an integer that is not settled has no enclosure.
TEST(CaseOfNetwork, NamesTheOperatorThatHasNoEnclosure) {
  Network network = NetworkOf(
      R("main", {"x"}, {"out"}, {Fp32("x"), Fp32("a"), I32("i", {2}), I32("out", {2})},
        {Op("EXP", {"x"}, {"a"}), Op("CAST", {"a"}, {"i"}), Op("BITWISE_NOT", {"i"}, {"out"})}),
      {{"x", Floats({20, 21})}});
  const auto c = CaseOfNetwork(network);
  ASSERT_TRUE(c.ok()) << c.status();
  EXPECT_EQ(c->outputs[0].rule.kind, RuleKind::kUnchecked);
  EXPECT_THAT(c->outputs[0].rule.clause, HasSubstr("there is no enclosure yet for BITWISE_NOT"));
}

// out as of integers; exp(log(z)) and, of both, a sum.
Network Mixed() {
  Network network = OfIntegers();
  network.chains = Chains::kExactOnly;
  Block& block = network.graph.main();
  block.inputs.push_back("z");
  for (const char* name : {"z", "log", "exp", "cast", "sum"}) block.tensors.push_back(Fp32(name));
  block.operators.push_back(Op("LOG", {"z"}, {"log"}));
  block.operators.push_back(Op("EXP", {"log"}, {"exp"}));
  block.operators.push_back(Op("CAST", {"out"}, {"cast"}));
  block.operators.push_back(Op("ADD", {"cast", "exp"}, {"sum"}));
  block.outputs = {"sum", "out", "log"};
  network.inputs.emplace("z", Floats({1, 2}));
  return network;
}

TEST(CaseOfNetwork, OfIntegersAndFloatsHasTheAnswersThatThereAre) {
  const auto c = CaseOfNetwork(Mixed());
  ASSERT_TRUE(c.ok()) << c.status();
  ASSERT_EQ(c->outputs.size(), 3);
  EXPECT_EQ(c->outputs[0].name, "sum");
  EXPECT_EQ(c->outputs[0].rule.kind, RuleKind::kUnchecked);
  EXPECT_THAT(c->outputs[0].rule.clause, HasSubstr("EXP"));
  EXPECT_EQ(c->outputs[1].name, "out");
  EXPECT_EQ(c->outputs[1].rule.kind, RuleKind::kExact);
  EXPECT_EQ(c->outputs[1].answers[0].expected, Integers({-2, 8}));
  EXPECT_EQ(c->outputs[2].name, "log");
  EXPECT_EQ(c->outputs[2].rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_EQ(c->outputs[2].answers[0].expected.Element(0), 0);
  EXPECT_EQ(c->parameters.at("checked"), "values of 2 of 3 outputs");
}

TEST(CaseOfNetwork, RefusesWhatIsIllegalOrUnpredictable) {
  Network network = OfIntegers();
  network.graph.main().tensors[2].shape = {3};
  EXPECT_THAT(Message(CaseOfNetwork(network).status()),
              AllOf(HasSubstr("the graph is illegal: "), HasSubstr("ADD")));
  network = OfIntegers();
  network.inputs.insert_or_assign("x", Integers({2147483647, 0}));
  EXPECT_THAT(Message(CaseOfNetwork(network).status()),
              HasSubstr("the graph is unpredictable with these inputs: "));
  // The operator follows a result that is only bounded.
  network = OfFloats();
  network.graph.main().tensors[3].shape = {3};
  EXPECT_THAT(Message(CaseOfNetwork(network).status()), HasSubstr("the graph is illegal: "));
  network = OfIntegers();
  network.graph.main().outputs.push_back("x");
  EXPECT_THAT(Message(CaseOfNetwork(network).status()),
              HasSubstr("outputs: found x, an input of the graph; expected what operators make"));
  network = OfIntegers();
  network.inputs.clear();
  EXPECT_FALSE(CaseOfNetwork(network).ok());
  network = OfIntegers();
  network.level = "9K";
  EXPECT_THAT(Message(CaseOfNetwork(network).status()), HasSubstr("9K"));
}

// out = OP(CUSTOM(x)), or IDENTITY of x where a value of CUSTOM's says so.
Network BehindCustom(bool in_branch, DType type) {
  const std::map<std::string, AttributeValue> custom = {{"operator_name", std::string("warp")},
                                                        {"domain_name", std::string("example.org")},
                                                        {"implementation_attrs", std::string()}};
  const std::map<std::string, AttributeValue> branches = {{"then_graph", std::string("then")},
                                                          {"else_graph", std::string("else")}};
  const auto tensor = [](const std::string& name, DType dtype) {
    return GraphTensor{name, dtype, {2}, nullptr};
  };
  Network network =
      in_branch
          ? NetworkOf(R("main", {"x"}, {"out"},
                        {tensor("x", type), {"c", DType::kBool, {1}, nullptr}, tensor("out", type)},
                        {Op("CUSTOM", {"x"}, {"c"}, custom),
                         Op("COND_IF", {"c", "x"}, {"out"}, branches)}),
                      {})
          : NetworkOf(R("main", {"x"}, {"out"},
                        {tensor("x", type), tensor("c", type), tensor("out", type)},
                        {Op("CUSTOM", {"x"}, {"c"}, custom), Op("ABS", {"c"}, {"out"})}),
                      {});
  network.graph.regions.push_back(R("then", {"x1"}, {"y1"},
                                    {tensor("x1", type), tensor("y1", type)},
                                    {Op("ABS", {"x1"}, {"y1"})}));
  network.graph.regions.push_back(R("else", {"x2"}, {"y2"},
                                    {tensor("x2", type), tensor("y2", type)},
                                    {Op("IDENTITY", {"x2"}, {"y2"})}));
  network.inputs.emplace("x", Tensor(type, {2}));
  return network;
}

TEST(CaseOfNetwork, RefusesWhatIsIllegalBehindCustom) {
  EXPECT_TRUE(CaseOfNetwork(BehindCustom(false, DType::kI32)).ok());
  EXPECT_THAT(
      Message(CaseOfNetwork(BehindCustom(false, DType::kI8)).status()),
      AllOf(HasSubstr("the graph is illegal: ABS (operator 1)"), HasSubstr("(graph.type_row)")));
  EXPECT_TRUE(CaseOfNetwork(BehindCustom(true, DType::kI32)).ok());
  EXPECT_THAT(Message(CaseOfNetwork(BehindCustom(true, DType::kI8)).status()),
              AllOf(HasSubstr("if this operator runs, which is not known: "),
                    HasSubstr("ABS (operator 0 of block then)"), HasSubstr("(graph.type_row)")));
}

// --- Operators, each by what it was handed.

std::vector<std::string> Verdicts(const Case& c, const std::map<std::string, Tensor>& handed) {
  const auto verdicts = JudgeOperators(c, [&](const GraphTensor& tensor, int) -> StatusOr<Tensor> {
    const auto found = handed.find(tensor.name);
    if (found == handed.end()) return NotFound("");
    return found->second;
  });
  EXPECT_TRUE(verdicts.ok()) << verdicts.status();
  std::vector<std::string> words;
  for (const OperatorVerdict& v : *verdicts) {
    constexpr const char* kWords[] = {"pass", "fail", "missing", "not judged"};
    words.push_back(StrCat(v.op, ": ", kWords[static_cast<int>(v.kind)],
                           v.message.empty() ? "" : ", ", v.message));
  }
  return words;
}

// ln 2 in fp32 is 0.69314718; the double nearest to exp of that and all sums are worked by hand.
std::map<std::string, Tensor> Right() {
  return {
      {"a", Floats({0, 0.693147182464599609375})}, {"b", Floats({1, 2})}, {"out", Floats({2, 4})}};
}

TEST(JudgeOperators, AcceptsWhatEachMadeOfWhatItWasHanded) {
  const Case c = *CaseOfNetwork(OfFloats());
  EXPECT_THAT(Verdicts(c, Right()), ElementsAre("operator 0 of the graph, LOG: pass",
                                                "operator 1 of the graph, EXP: pass",
                                                "operator 2 of the graph, ADD: pass"));
  // Wrong only as a result of LOG; the operators behind it are right for it: exp(0.5), and that
  // plus x.
  std::map<std::string, Tensor> handed = Right();
  handed.insert_or_assign("a", Floats({0, 0.5}));
  handed.insert_or_assign("b", Floats({1, 1.64872127070012814685}));
  handed.insert_or_assign("out", Floats({2, 3.64872127070012814685}));
  EXPECT_THAT(
      Verdicts(c, handed),
      ElementsAre(AllOf(HasSubstr("LOG: fail, output a, element [1]"), HasSubstr("0.5")),
                  "operator 1 of the graph, EXP: pass", "operator 2 of the graph, ADD: pass"));
}

TEST(JudgeOperators, SaysWhatWasNotHandedOver) {
  std::map<std::string, Tensor> handed = Right();
  handed.erase("b");
  EXPECT_THAT(Verdicts(*CaseOfNetwork(OfFloats()), handed),
              ElementsAre("operator 0 of the graph, LOG: pass",
                          HasSubstr("EXP: missing, its result b was not handed over"),
                          HasSubstr("ADD: missing, its input b was not handed over")));
}

TEST(JudgeOperators, JudgesIntegersAndConstantsToTheBit) {
  const Case c = *CaseOfNetwork(OfIntegers());
  EXPECT_THAT(
      Verdicts(c, {{"a", Integers({12, 3})}, {"b", Integers({5, 5})}, {"out", Integers({-2, 8})}}),
      ElementsAre(HasSubstr("ADD: fail, output a, element [1]: expected 2, got 3"),
                  HasSubstr("SUB: fail, output b, element [1]: expected 6, got 5"),
                  HasSubstr("SUB: pass")));
}

TEST(JudgeOperators, DoesNotJudgeWhatIsUnpredictable) {
  Network network = OfIntegers();
  EXPECT_THAT(Verdicts(*CaseOfNetwork(network), {{"a", Integers({2147483647, 2})},
                                                 {"b", Integers({2147483640, 5})},
                                                 {"out", Integers({0, 8})}}),
              testing::Contains(HasSubstr("pass")));
  network.inputs.insert_or_assign("x", Integers({-1, -1}));
  EXPECT_THAT(Verdicts(*CaseOfNetwork(network), {{"a", Integers({2147483647, 4})},
                                                 {"b", Integers({0, 5})},
                                                 {"out", Integers({0, 6})}}),
              testing::Contains(HasSubstr("SUB: not judged, with these inputs it is unpred")));
}

// --- A report.

class Intermediates : public testing::Test {
 protected:
  // Checks the results given, of a suite of one network.
  Report ReportOf(const Network& network, const Tensor& out) {
    const Suite suite = testing_suite::WriteSuite(directory_ / "suite", {*CaseOfNetwork(network)});
    testing_suite::WriteRun(directory_ / "results", suite.digest);
    testing_suite::WriteOutput(directory_ / "results", kId, out);
    const auto report = CheckSuite({directory_ / "suite", directory_ / "results", 1});
    EXPECT_TRUE(report.ok()) << report.status();
    return *report;
  }
  void HandOver(const std::map<std::string, Tensor>& tensors) {
    for (const auto& [name, tensor] : tensors) {
      EXPECT_TRUE(WriteNpy(directory_ / "handed" / kId / (name + ".npy"), tensor).ok());
    }
  }
  const Directory directory_;
};

TEST_F(Intermediates, AbsentLeaveAFloatNetworkPartlyChecked) {
  const Report report = ReportOf(OfFloats(), Floats({7, 7}));
  EXPECT_EQ(report.cases[0].verdict, Verdict::kPass);
  EXPECT_FALSE(AllPassed(report));
  EXPECT_THAT(FormatText(report), AllOf(HasSubstr("NOT CONFORMANT"),
                                        HasSubstr("only outcome and shapes were checked")));
  EXPECT_EQ(ReportOf(OfFloats(), Tensor::OfFloats(DType::kFp32, {1}, {7})).cases[0].verdict,
            Verdict::kMalformed);
}

TEST_F(Intermediates, AreNotNeededToRefuteWhatLiesOutsideOfTheEnclosure) {
  const Report report = ReportOf(Enclosed(), Floats({2, 4.0001F}));
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
  EXPECT_THAT(report.cases[0].message, HasSubstr("output out, element [1]: expected 3.99999"));
}

TEST_F(Intermediates, AreNotNeededWhereNothingIsRefuted) {
  const Report report = ReportOf(Enclosed(), Floats({2, 4}));
  EXPECT_TRUE(Conformant(report)) << FormatText(report);
  EXPECT_THAT(report.notes,
              testing::Contains(HasSubstr(
                  "1 case is not refuted, the first networks/mine: 1 output lies within what "
                  "operators in a row may give; 2 of 2 elements are known to half")));
  const Json json = ReportToJson(report);
  EXPECT_TRUE(ValidateJson(json, "report", "test").ok());
  EXPECT_EQ(json["cases"][0]["outputs"][0]["enclosure"]["unlimited"], 0);
  EXPECT_LT(json["cases"][0]["outputs"][0]["enclosure"]["median_width"], 1e-6);
}

// The log of what may be negative.
TEST_F(Intermediates, AreNeededWhereTheEnclosureSaysNothing) {
  Network network = NetworkOf(
      R("main", {"x"}, {"out"}, {Fp32("x"), Fp32("a"), Fp32("b"), Fp32("out")},
        {Op("LOG", {"x"}, {"a"}), Op("SUB", {"a", "a"}, {"b"}), Op("LOG", {"b"}, {"out"})}),
      {{"x", Floats({2, 3})}});
  const Report report = ReportOf(network, Floats({7, 7}));
  EXPECT_EQ(report.cases[0].verdict, Verdict::kPass);
  EXPECT_FALSE(AllPassed(report));
  EXPECT_THAT(
      FormatText(report),
      HasSubstr(
          "not checked: of 1 case too little can be judged, the first networks/mine (output out: "
          "not\n"
          "    checked: 0 % of elements judged (0 of 2), 2 not limited by an enclosure): hand"));
}

TEST_F(Intermediates, ThatAreAllRightMakeItConformant) {
  Report report = ReportOf(OfFloats(), Floats({2, 4}));
  std::map<std::string, Tensor> handed = Right();
  handed.erase("out");  // stands in the results
  HandOver(handed);
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_TRUE(Conformant(report));
  EXPECT_THAT(FormatText(report), Not(HasSubstr("only outcome and shapes")));
}

TEST_F(Intermediates, AbsentLeaveTheOtherOutputsOfAMixedNetworkChecked) {
  Report report = ReportOf(Mixed(), Integers({-2, 8}));
  const auto check = [&](const std::string& name, const Tensor& value) {
    EXPECT_TRUE(WriteNpy(directory_ / "results" / kId / (name + ".npy"), value).ok());
    report = *CheckSuite({directory_ / "suite", directory_ / "results", 1});
  };
  check("sum", Floats({9, 9}));
  check("log", Floats({0, 0.693147182464599609375}));
  EXPECT_EQ(report.cases[0].verdict, Verdict::kPass);
  EXPECT_THAT(report.findings.at(0).message,
              HasSubstr("shapes were checked for 1 of 3 outputs, the first networks/mine"));
  // Nothing was compared of "sum".
  EXPECT_EQ(Histograms(report).size(), 2u);
  EXPECT_FALSE(ReportToJson(report)["cases"][0]["outputs"][0].contains("ulps"));
  check("out", Integers({-2, 9}));
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
  EXPECT_THAT(report.cases[0].message, HasSubstr("output out, element [1]: expected 8, got 9"));
}

TEST_F(Intermediates, DoNotStandInForAnOutput) {
  Report report = ReportOf(OfFloats(), Floats({9e9, -1}));
  HandOver(Right());
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
}

TEST_F(Intermediates, DoNotShowWhatNoOperatorMakes) {
  Network network = OfFloats();
  network.graph.main().tensors.push_back(Constant("c", 5));
  network.graph.main().operators.insert(network.graph.main().operators.begin(),
                                        Op("CONST", {}, {"c"}));
  network.graph.main().outputs.push_back("c");
  Report report = ReportOf(network, Floats({2, 4}));
  EXPECT_TRUE(WriteNpy(directory_ / "results" / kId / "c.npy", Integers({7})).ok());
  HandOver(Right());
  report = *CheckSuite({directory_ / "suite", directory_ / "results", 1});
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_FALSE(Conformant(report));
}

TEST_F(Intermediates, LeaveAnOutputThatNoOperatorMakesToTheCheck) {
  Network network = OfFloats();
  network.graph.main().tensors.push_back(Constant("c", 5));
  network.graph.main().operators.push_back(Op("CONST", {}, {"c"}));
  network.graph.main().outputs.push_back("c");
  Report report = ReportOf(network, Floats({2, 4}));
  EXPECT_TRUE(WriteNpy(directory_ / "results" / kId / "c.npy", Integers({5})).ok());
  HandOver(Right());
  report = *CheckSuite({directory_ / "suite", directory_ / "results", 1});
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_TRUE(Conformant(report)) << FormatText(report);
}

TEST_F(Intermediates, AreJudgedWhereAnOutputIsMalformed) {
  Report report = ReportOf(OfFloats(), Tensor::OfFloats(DType::kFp32, {1}, {7}));
  std::map<std::string, Tensor> handed = Right();
  handed.insert_or_assign("b", Floats({1, 2.5}));
  HandOver(handed);
  const Status judged = JudgeIntermediates(directory_ / "handed", &report);
  ASSERT_TRUE(judged.ok()) << judged;
  EXPECT_EQ(report.cases[0].verdict, Verdict::kMalformed);
  EXPECT_THAT(report.cases[0].message,
              AllOf(HasSubstr("out.npy"), HasSubstr("operator 1 of the graph, EXP: ")));
}

// Reports on out = exp(ceil(x)) + ceil(x) where x[0] is subnormal: 1 and 1, or 0 if it is flushed.
Report WithSubnormals(const fs::path& directory, double a, double b) {
  Network network =
      NetworkOf(R("main", {"x"}, {"out"}, {Fp32("x"), Fp32("a"), Fp32("b"), Fp32("e"), Fp32("out")},
                  {Op("CEIL", {"x"}, {"a"}), Op("CEIL", {"x"}, {"b"}), Op("EXP", {"a"}, {"e"}),
                   Op("ADD", {"e", "b"}, {"out"})}),
                {{"x", Floats({0x1p-140, 0})}});
  network.chains = Chains::kExactOnly;
  const double e = a == 0 ? 1 : 2.718281828459045;
  const Suite suite = testing_suite::WriteSuite(directory / "suite", {*CaseOfNetwork(network)});
  testing_suite::WriteRun(directory / "results", suite.digest);
  testing_suite::WriteOutput(directory / "results", kId, Floats({e + b, 1}));
  for (const auto& [name, value] : {std::pair("a", Floats({a, 0})), std::pair("b", Floats({b, 0})),
                                    std::pair("e", Floats({e, 1}))}) {
    EXPECT_TRUE(WriteNpy(directory / "handed" / kId / StrCat(name, ".npy"), value).ok());
  }
  Report report = *CheckSuite({directory / "suite", directory / "results", 1});
  EXPECT_TRUE(JudgeIntermediates(directory / "handed", &report).ok());
  EXPECT_EQ(report.cases[0].verdict, Verdict::kPass) << report.cases[0].message;
  return report;
}

TEST_F(Intermediates, ThatFlushAndKeepSubnormalsAreAFinding) {
  const Report mixed = WithSubnormals(directory_ / "mixed", 1, 0);
  EXPECT_FALSE(Conformant(mixed));
  ASSERT_EQ(mixed.findings.size(), 1U) << FormatText(mixed);
  EXPECT_EQ(mixed.findings[0].kind, "mixed_flushing");
  EXPECT_THAT(mixed.findings[0].message,
              AllOf(HasSubstr("networks/mine, operator 0 of the graph, CEIL keeps subnormal "),
                    HasSubstr("networks/mine, operator 1 of the graph, CEIL flushes subnormal ")));
  EXPECT_THAT(mixed.findings[0].cases, ElementsAre(kId));
  EXPECT_TRUE(Conformant(WithSubnormals(directory_ / "kept", 1, 1)));
  EXPECT_TRUE(Conformant(WithSubnormals(directory_ / "flushed", 0, 0)));
}

TEST_F(Intermediates, NameTheFirstOperatorThatBreaksItsBound) {
  Report report = ReportOf(OfFloats(), Floats({2, 4.5}));
  HandOver(Right());
  fs::remove(directory_ / "handed" / kId / "out.npy");
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
  EXPECT_THAT(report.cases[0].message,
              HasSubstr("the first operator to break its bound is operator 2 of the graph, ADD: "));
  EXPECT_EQ(report.cases[0].wrong_operator, "ADD");
  EXPECT_THAT(FormatText(report), HasSubstr(" 1. 1 case of ADD"));
  EXPECT_THAT(FormatText(report), AllOf(HasSubstr("NOT CONFORMANT"), HasSubstr("--intermediates")));
  const Json json = ReportToJson(report);
  EXPECT_TRUE(ValidateJson(json, "report", "report").ok());
  const Json& output = json["cases"][0]["outputs"][0];
  EXPECT_EQ(output["verdict"], "fail");
  EXPECT_THAT(output["message"].get<std::string>(),
              HasSubstr("output out depends on operator 2 of the graph, ADD, which breaks its "));
  EXPECT_FALSE(output.contains("ulps"));
}

// The operator was handed nothing that is disputed: it is wrong, whatever else the case asks.
TEST_F(Intermediates, ShowThatADisputedCaseIsWrong) {
  Report report = ReportOf(OfFloats(), Floats({2, 4.5}));
  report.cases[0].disputed = "this clause against that one";
  SetDisputed(&report.cases[0]);
  HandOver(Right());
  fs::remove(directory_ / "handed" / kId / "out.npy");
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
  EXPECT_EQ(StandingOf(report.cases[0]), Standing::kWrong);
}

TEST_F(Intermediates, FailOnlyTheOutputsThatDependOnTheOperator) {
  Network network = OfFloats();
  Block& block = network.graph.main();
  for (const char* name : {"c", "d"}) block.tensors.push_back(Fp32(name));
  block.operators.push_back(Op("LOG", {"x"}, {"c"}));
  block.operators.push_back(Op("EXP", {"c"}, {"d"}));
  block.outputs.push_back("d");
  Report report = ReportOf(network, Floats({2, 4.5}));
  EXPECT_TRUE(WriteNpy(directory_ / "results" / kId / "d.npy", Floats({1, 2})).ok());
  report = *CheckSuite({directory_ / "suite", directory_ / "results", 1});
  std::map<std::string, Tensor> handed = Right();
  handed.emplace("c", handed.at("a"));
  HandOver(handed);
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
  EXPECT_EQ(report.cases[0].outputs[0].verdict, Verdict::kFail);
  EXPECT_EQ(report.cases[0].outputs[1].verdict, Verdict::kPass);
}

TEST_F(Intermediates, ThatBelongToNothingAreNamed) {
  Report report = ReportOf(OfFloats(), Floats({2, 4}));
  HandOver(Right());
  HandOver({{"aa", Floats({1, 2})}, {"out.1", Floats({1, 2})}});
  fs::create_directories(directory_ / "handed/networks/mien");
  fs::create_directories(directory_ / "handed/other");
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_TRUE(Conformant(report));
  EXPECT_THAT(report.notes,
              testing::IsSupersetOf({AllOf(HasSubstr("networks/mine: 2 files of no tensor in "),
                                           HasSubstr(": aa.npy, out.1.npy; expected names")),
                                     AllOf(HasSubstr("2 folders of no case of this suite in "),
                                           HasSubstr("networks/mien, other"))}));
}

TEST_F(Intermediates, AreExplained) {
  ReportOf(OfFloats(), Floats({2, 4}));
  std::map<std::string, Tensor> handed = Right();
  handed.insert_or_assign("b", Floats({1, 2.5}));
  HandOver(handed);
  const auto explain = [&](const MoreEvidence& more) {
    return *Explain(directory_ / "suite", directory_ / "results", kId, nullptr, nullptr, false,
                    more);
  };
  EXPECT_THAT(
      explain(nullptr),
      HasSubstr(
          "networks/mine: pass, but not checked: 0 % of elements judged (0 of 2), 2 with nothing"));
  const std::string text = explain([&](CheckedCase* checked) {
    return ExplainIntermediates(directory_ / "handed", directory_ / "results", false, checked);
  });
  EXPECT_THAT(text,
              AllOf(HasSubstr("networks/mine: fail\n"), HasSubstr("output out: fp32[2], fail"),
                    HasSubstr("3 operators: 1 pass, 2 fail, 0 were not handed over"),
                    HasSubstr("the first operator to break its bound: operator 1 of the "
                              "graph, EXP\n\noutput b: fp32[2], fail"),
                    HasSubstr("    b[1]\n"), HasSubstr("2.5"),
                    HasSubstr("made of         a[1] = 0.693147182")));
  EXPECT_THAT(
      Message(ExplainIntermediates(directory_ / "none", directory_ / "results", false, nullptr)
                  .status()),
      HasSubstr("none"));
}

TEST_F(Intermediates, OfAFailingIntegerNetworkNameTheOperator) {
  Report report = ReportOf(OfIntegers(), Integers({-2, 9}));
  HandOver({{"a", Integers({12, 3})}, {"b", Integers({5, 6})}});
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_THAT(report.cases[0].message,
              AllOf(HasSubstr("output out, element [1]: expected 8, got 9"),
                    HasSubstr("the first operator to break its bound is operator 1 of the graph, "
                              "ADD: output a, element [1]: expected 2, got 3")));
}

TEST_F(Intermediates, ThatAreIncompleteAreNamed) {
  Report report = ReportOf(OfFloats(), Floats({2, 4}));
  HandOver({{"a", Right().at("a")}});
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_FALSE(Conformant(report));
  EXPECT_THAT(report.notes, testing::Contains(HasSubstr("1 of 3 operators were checked; not "
                                                        "operator 1 of the graph, EXP")));
}

TEST_F(Intermediates, ThatCannotBeReadAreErrors) {
  Report report = ReportOf(OfFloats(), Floats({2, 4}));
  EXPECT_THAT(Message(JudgeIntermediates(directory_ / "none", &report)), HasSubstr("none"));
  fs::create_directories(directory_ / "handed/other");
  EXPECT_THAT(Message(JudgeIntermediates(directory_ / "handed", &report)),
              HasSubstr("found no folder of a case"));
  HandOver({{"a", Integers({1, 2})}});
  EXPECT_THAT(Message(JudgeIntermediates(directory_ / "handed", &report)),
              AllOf(HasSubstr("networks/mine/a.npy"), HasSubstr("fp32")));
}

// --- Files.

class NetworkFile : public testing::Test {
 protected:
  // A network y = a - b of MLIR with these two arguments, and the inputs given, as files 5 and 3.
  std::string Import(const std::string& a, const std::string& b,
                     const std::vector<std::string>& inputs) {
    const fs::path file = directory_ / "net.mlir";
    EXPECT_TRUE(WriteFile(file, StrCat("func.func @f(", a, ": tensor<1xi32>, ", b,
                                       ": tensor<1xi32>) -> tensor<1xi32> {\n  %y = tosa.sub ", a,
                                       ", ", b, " : (tensor<1xi32>, tensor<1xi32>) -> ",
                                       "tensor<1xi32>\n  return %y : tensor<1xi32>\n}\n"))
                    .ok());
    EXPECT_TRUE(WriteNpy(directory_ / "5=.npy", Tensor::OfIntegers(DType::kI32, {1}, {5})).ok());
    EXPECT_TRUE(WriteNpy(directory_ / "3.npy", Tensor::OfIntegers(DType::kI32, {1}, {3})).ok());
    NetworkOptions options{.file = file, .inputs = inputs, .id = kId, .out = directory_ / "suite"};
    const auto suite = ImportNetwork(options);
    if (!suite.ok()) return Message(suite.status());
    const auto c = ReadCase(directory_ / "suite" / kId);
    EXPECT_TRUE(c.ok()) << c.status();
    return ToString(c->outputs[0].answers[0].expected.Integers());
  }
  std::string Five(const std::string& name) const {
    return StrCat(name, "=", (directory_ / "5=.npy").string());
  }
  std::string Three(const std::string& name) const {
    return StrCat(name, "=", (directory_ / "3.npy").string());
  }
  const Directory directory_;
};

TEST_F(NetworkFile, HasInputsByTheNamesThatStandInIt) {
  EXPECT_EQ(Import("%a", "%b", {Five("a"), Three("b")}), "[2]");
}

TEST_F(NetworkFile, HasInputsByNamesThatAreNoneOfOurs) {
  EXPECT_EQ(Import("%0", "%x.y", {Five("0"), Three("%x.y")}), "[2]");
}

TEST_F(NetworkFile, MeansItsOwnNamesFirst) {
  // %0 is v0 in the case, so that %v0 is not.
  EXPECT_EQ(Import("%0", "%v0", {Three("v0"), Five("0")}), "[2]");
}

TEST_F(NetworkFile, HasInputsByTheNamesInTheCase) {
  EXPECT_EQ(Import("%0", "%x.y", {Five("v0"), Three("x_y")}), "[2]");
}

TEST_F(NetworkFile, WithoutAnInputNamesThemAll) {
  EXPECT_THAT(Import("%0", "%b", {Three("b")}),
              AllOf(HasSubstr("input 0 (in the case v0) has no values"),
                    HasSubstr("0 (in the case v0): i32[1], b: i32[1]")));
  EXPECT_THAT(Import("%0", "%b", {Three("c")}),
              AllOf(HasSubstr("--input: found \"c="), HasSubstr("0 (in the case v0): i32[1]")));
  EXPECT_THAT(Import("%0", "%b", {Five("0"), Five("v0"), Three("b")}),
              HasSubstr("found 0 (in the case v0) twice"));
}

TEST_F(NetworkFile, MayHaveNamesWithAnEqualsSign) {
  Graph graph;
  graph.regions = {
      R("main", {"a", "b"}, {"y"}, {I32("a"), I32("b"), I32("y")}, {Op("SUB", {"a", "b"}, {"y"})})};
  std::string bytes = *EncodeTosa(graph, **FindEdition("tosa-1.0"));
  // The name as the FlatBuffer holds it: its length and its bytes.
  const std::string is = std::string("\1\0\0\0", 4) + "a";
  ASSERT_NE(bytes.find(is), bytes.npos);
  for (size_t at; (at = bytes.find(is)) != bytes.npos;) bytes[at + 4] = '=';
  ASSERT_TRUE(WriteFile(directory_ / "net.tosa", bytes).ok());
  Import("%a", "%b", {});  // writes the inputs
  NetworkOptions options{.file = directory_ / "net.tosa",
                         .inputs = {Five("="), Three("b")},
                         .out = directory_ / "suite"};
  const auto suite = ImportNetwork(options);
  EXPECT_TRUE(suite.ok()) << suite.status();
}

// --- Files of the drafts before 1.0: "1.1.0 draft" without a release, in which 8 is FP32. ---

class OldDraft : public NetworkFile {
 protected:
  // y = op(x) of two elements, as such a draft would write it: the type `dtype` stands for the
  // number.
  fs::path Write(const std::string& op, DType dtype, const std::string& name = "net.tosa") {
    Graph graph;
    graph.regions = {
        R("main", {"x"}, {"y"}, {T("x", dtype, {2}), T("y", dtype, {2})}, {Op(op, {"x"}, {"y"})})};
    const TosaVersion version = {.minor = 1, .draft = true};
    const fs::path file = directory_ / name;
    EXPECT_TRUE(WriteFile(file, *EncodeTosa(graph, **FindEdition("tosa-1.0"), version)).ok());
    return file;
  }
  // The notes, or the error.
  std::string ImportOf(const fs::path& file, std::vector<std::string> inputs,
                       std::optional<uint64_t> random = {}) {
    fs::remove_all(directory_ / "suite");
    NetworkOptions options{.file = file, .inputs = std::move(inputs), .out = directory_ / "suite"};
    options.random = random;
    const auto made = ImportNetwork(options);
    if (!made.ok()) return Message(made.status());
    return made->notes.empty() ? "" : made->notes[0];
  }
  std::string Stored(DType dtype) {
    const fs::path file = directory_ / StrCat(Name(dtype), ".npy");
    EXPECT_TRUE(WriteNpy(file, IsFloat(dtype) ? Tensor::OfFloats(dtype, {2}, {1, 2})
                                              : Tensor::OfIntegers(dtype, {2}, {1, 2}))
                    .ok());
    return "x=" + file.string();
  }
};

TEST_F(OldDraft, IsRefusedByTheTypeOfAnInput) {
  const fs::path file = Write("ABS", DType::kFp16);
  EXPECT_THAT(ImportOf(file, {Stored(DType::kFp32)}),
              AllOf(HasSubstr("fp32.npy: found elements of '<f4' for an input of fp16, a type "
                              "whose number was that of FP32; the file says 1.1.0 draft"),
                    HasSubstr("until January 2025"), HasSubstr("store the input as '<f2'")));
  EXPECT_EQ(ImportOf(file, {Stored(DType::kFp16)}), "");
  // Without inputs nothing tells.
  EXPECT_THAT(ImportOf(file, {}, 1), HasSubstr("number types and operators otherwise"));
}

TEST_F(OldDraft, IsSuspectedWhereTheGraphIsIllegal) {
  EXPECT_THAT(ImportOf(Write("ABS", DType::kI8), {Stored(DType::kI8)}),
              AllOf(HasSubstr("the graph is illegal: ABS"), HasSubstr("until January 2025")));
}

// A folder of the public layout.
class OldDraftFolder : public OldDraft {
 protected:
  // What is wrong with a test of ABS of this type, with x stored as `npy`; empty if nothing is.
  std::string ImportTest(DType dtype, DType npy, const Json& meta, bool fails = false) {
    const fs::path folder = directory_ / "tests" / "abs";
    fs::remove_all(directory_ / "tests");
    fs::remove_all(directory_ / "suite");
    fs::create_directories(folder);
    fs::copy(Write("ABS", dtype), folder / "test.tosa");
    EXPECT_TRUE(WriteNpy(folder / "x.npy", IsFloat(npy) ? Tensor::OfFloats(npy, {2}, {1, 2})
                                                        : Tensor::OfIntegers(npy, {2}, {1, 2}))
                    .ok());
    Json desc = {{"tosa_file", "test.tosa"}, {"ifm_name", {"x"}},     {"ifm_file", {"x.npy"}},
                 {"ofm_name", {"y"}},        {"ofm_file", {"y.npy"}}, {"expected_failure", fails}};
    desc.update(meta);
    EXPECT_TRUE(SaveJson(folder / "desc.json", desc).ok());
    const auto made = ImportTests(
        {.tests = directory_ / "tests", .out = directory_ / "suite", .edition = "tosa-1.0"});
    return made.ok() ? "" : Message(made.status());
  }
  static Json Compliance(const char* type) {
    return {{"meta",
             {{"compliance",
               {{"version", "0.1"},
                {"tensors", {{"y", {{"mode", "EXACT"}, {"data_type", type}, {"shape", {2}}}}}}}}}}};
  }
  static Json DataGen(const char* type) {
    return {{"meta",
             {{"data_gen",
               {{"version", "0.1"},
                {"tensors", {{"x", {{"generator", "PSEUDO_RANDOM"}, {"data_type", type}}}}}}}}}};
  }
};

TEST_F(OldDraftFolder, IsRefusedByTheTypesOfDesc) {
  const auto expected = [](const char* place, const char* tensor) {
    return AllOf(
        HasSubstr(StrCat("desc.json: ", place, ": found FP32, the graph has fp16 for ", tensor,
                         ", by a number that was FP32; the file says 1.1.0 draft")),
        HasSubstr("have it written again by a serializer of 1.0 or later"));
  };
  EXPECT_THAT(ImportTest(DType::kFp16, DType::kFp32, Compliance("FP32")),
              expected("/meta/compliance/tensors/y/data_type", "y"));
  EXPECT_THAT(ImportTest(DType::kFp16, DType::kFp32, DataGen("FP32")),
              expected("/meta/data_gen/tensors/x/data_type", "x"));
  EXPECT_THAT(
      ImportTest(DType::kFp16, DType::kFp32, {{"test_details", {{"output_types", {"FP32"}}}}}),
      expected("/test_details/output_types/0", "y"));
  EXPECT_EQ(ImportTest(DType::kFp16, DType::kFp16, Compliance("FP16")), "");
  EXPECT_EQ(ImportTest(DType::kFp16, DType::kFp16, DataGen("FP16")), "");
}

TEST_F(OldDraftFolder, IsRefusedByTheTypesOfItsFiles) {
  EXPECT_THAT(ImportTest(DType::kFp16, DType::kFp32, Json::object()),
              HasSubstr("x.npy: found <f4, the graph has fp16 for x, by a number that was FP32"));
  EXPECT_EQ(ImportTest(DType::kFp16, DType::kFp16, Json::object()), "");
  // An error case, too: it fails for another reason than it should.
  EXPECT_THAT(ImportTest(DType::kI16, DType::kI8, Json::object(), true),
              HasSubstr("x.npy: found |i1, the graph has i16 for x, by a number that was INT8"));
}

TEST_F(OldDraftFolder, IsRefusedWhereNothingTells) {
  EXPECT_THAT(ImportTest(DType::kI8, DType::kI8, Json::object(), true),
              HasSubstr("desc.json: found no type that tells which: the file says 1.1.0 draft"));
  // ABS of i8 is illegal, as the test says.
  EXPECT_EQ(ImportTest(DType::kI8, DType::kI8, DataGen("INT8"), true), "");
}

}  // namespace
}  // namespace cts
