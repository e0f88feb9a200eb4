#include "tools/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/report.h"
#include "checker/suite_on_disk.h"
#include "reference/base/npy.h"
#include "reference/graph/testing.h"

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

// out = x + exp(log(x)): ADD and EXP start from what is only bounded.
Network OfFloats() {
  return NetworkOf(
      R("main", {"x"}, {"out"}, {Fp32("x"), Fp32("a"), Fp32("b"), Fp32("out")},
        {Op("LOG", {"x"}, {"a"}), Op("EXP", {"a"}, {"b"}), Op("ADD", {"b", "x"}, {"out"})}),
      {{"x", Floats({1, 2})}});
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

TEST(CaseOfNetwork, RefusesWhatIsIllegalOrUnpredictable) {
  Network network = OfIntegers();
  network.graph.main().tensors[2].shape = {3};
  EXPECT_THAT(Message(CaseOfNetwork(network).status()),
              AllOf(HasSubstr("the graph is illegal: "), HasSubstr("ADD")));
  network = OfIntegers();
  network.inputs.insert_or_assign("x", Integers({2147483647, 0}));
  EXPECT_THAT(Message(CaseOfNetwork(network).status()),
              HasSubstr("the graph is unpredictable with these inputs: "));
  // Behind a result that is only bounded.
  network = OfFloats();
  network.graph.main().tensors[3].shape = {3};
  EXPECT_THAT(Message(CaseOfNetwork(network).status()), HasSubstr("the graph is illegal: "));
  network = OfIntegers();
  network.inputs.clear();
  EXPECT_FALSE(CaseOfNetwork(network).ok());
  network = OfIntegers();
  network.level = "9K";
  EXPECT_THAT(Message(CaseOfNetwork(network).status()), HasSubstr("9K"));
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
  // Wrong only as a result of LOG; what follows is right for it: exp(0.5), and that plus x.
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

TEST_F(Intermediates, ThatAreAllRightMakeItConformant) {
  Report report = ReportOf(OfFloats(), Floats({2, 4}));
  std::map<std::string, Tensor> handed = Right();
  handed.erase("out");  // stands in the results
  HandOver(handed);
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_TRUE(Conformant(report));
  EXPECT_THAT(FormatText(report), Not(HasSubstr("only outcome and shapes")));
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

TEST_F(Intermediates, NameTheFirstOperatorThatBreaksItsBound) {
  Report report = ReportOf(OfFloats(), Floats({2, 4.5}));
  HandOver(Right());
  fs::remove(directory_ / "handed" / kId / "out.npy");
  ASSERT_TRUE(JudgeIntermediates(directory_ / "handed", &report).ok());
  EXPECT_EQ(report.cases[0].verdict, Verdict::kFail);
  EXPECT_THAT(report.cases[0].message,
              HasSubstr("the first operator to break its bound is operator 2 of the graph, ADD: "));
  EXPECT_THAT(FormatText(report), HasSubstr("NOT CONFORMANT"));
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

}  // namespace
}  // namespace cts
