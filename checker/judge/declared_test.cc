#include "checker/judge/declared.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/judge/check.h"
#include "checker/judge/suite_on_disk.h"
#include "checker/report/explain.h"
#include "checker/report/report.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using namespace testing_suite;  // NOLINT
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

Json DeclaredOf(Json members = Json::object()) {
  members["format"] = "tensor-cts-declared-1";
  members["edition"] = "tosa-1.0";
  return members;
}

Declared Read(Json members = Json::object()) {
  const StatusOr<Declared> declared = DeclaredFromJson(DeclaredOf(std::move(members)), "d.json");
  EXPECT_TRUE(declared.ok()) << declared.status();
  return declared.value_or(Declared());
}

// Returns the complaint about a declaration for a suite of tosa-1.0.
std::string Complaint(const Json& json) {
  const StatusOr<Declared> declared = DeclaredFromJson(json, "d.json");
  if (!declared.ok()) return Message(declared.status());
  const Status status = CheckDeclared(*declared, "tosa-1.0", "d.json");
  return status.ok() ? "fine" : Message(status);
}

// One operator on tensors of these types, in the order of its arguments.
Case CaseOf(const std::string& op, const std::vector<DType>& inputs, DType result,
            const Shape& shape = {2, 3}) {
  Case c = EmptyCase("x/a", op, {}, {"out"});
  Block& block = c.graph.main();
  GraphOperator node{op, {}, {"out"}, {}};
  for (const DType dtype : inputs) {
    node.inputs.push_back(StrCat("in", node.inputs.size()));
    block.tensors.push_back({node.inputs.back(), dtype, shape, nullptr});
  }
  block.tensors.push_back({"out", result, shape, nullptr});
  block.operators = {node};
  return c;
}

const Case kAdd = CaseOf("ADD", {DType::kI32, DType::kI32}, DType::kI32);

TEST(Declared, ReadsBackWhatItWrites) {
  const Json all = DeclaredOf({{"profiles", {"PRO-INT"}},
                               {"extensions", {"EXT-INT16"}},
                               {"operators", {"ADD", "MUL"}},
                               {"types", {"i32"}},
                               {"types_of", {{"MUL", {"i8", "i32"}}}},
                               {"illegal_graphs", false},
                               {"conformant", {"PRO-INT"}},
                               {"limits", {{"rank", 4}, {"dimension", 100}, {"elements", 1000}}}});
  EXPECT_EQ(Complaint(all), "fine");
  EXPECT_EQ(DeclaredToJson(*DeclaredFromJson(all, "d.json")), all);
  EXPECT_EQ(DeclaredToJson(Read()), DeclaredOf());
}

TEST(Declared, ComplaintsNameThePlaceAndWhatIsNear) {
  const auto with = [](const char* member, const Json& value) {
    return Complaint(DeclaredOf({{member, value}}));
  };
  EXPECT_THAT(with("operators", {"ADD", "CONV2"}),
              HasSubstr("d.json: /operators/1: found \"CONV2\", expected an operator of tosa-1.0; "
                        "the nearest: CONV2D"));
  EXPECT_THAT(with("operators", {"ADD", "ADD"}), HasSubstr("expected every name once"));
  EXPECT_THAT(with("types", {"int8"}), HasSubstr("d.json: /types/0: found \"int8\", expected a "
                                                 "type of tosa-1.0; the nearest: i"));
  EXPECT_THAT(with("profiles", {"EXT-INT16"}), HasSubstr("/profiles/0: found \"EXT-INT16\", "
                                                         "expected a profile"));
  EXPECT_THAT(with("extensions", {"EXT-INT16"}), HasSubstr("without /profiles"));
  EXPECT_THAT(with("types_of", {{"ADDD", {"i8"}}}), HasSubstr("/types_of/ADDD: expected an oper"));
  EXPECT_THAT(with("types_of", {{"ADD", {"i9"}}}), HasSubstr("/types_of/ADD/0: found \"i9\""));
  EXPECT_THAT(with("types_of", {{"CAST", {"i8->i9"}}}),
              AllOf(HasSubstr("/types_of/CAST/0: found \"i8->i9\", expected a type of tosa-1.0, or "
                              "types of CAST together"),
                    HasSubstr("i8->i")));
  EXPECT_EQ(with("types_of", {{"CONV2D", {"i8 i4 i32"}}}), "fine");
  EXPECT_THAT(with("operators", Json::array()), HasSubstr("d.json: /operators: "));
  EXPECT_THAT(with("operator", {"ADD"}), HasSubstr("unknown member \"operator\""));
  EXPECT_THAT(with("limits", {{"rank", -1}}), HasSubstr("d.json: /limits/rank: "));
  EXPECT_THAT(
      with("conformant", {"PRO-IN"}),
      HasSubstr("d.json: /conformant/0: found \"PRO-IN\", expected a profile or an extension "
                "of tosa-1.0; the nearest: PRO-INT"));
  EXPECT_THAT(Complaint(DeclaredOf({{"profiles", {"PRO-INT"}}, {"conformant", {"PRO-FP"}}})),
              HasSubstr("d.json: /conformant/0: found \"PRO-FP\", expected one of /profiles and "
                        "/extensions; the nearest: PRO-INT"));
  EXPECT_EQ(with("conformant", {"PRO-FP", "EXT-FFT"}), "fine");
  EXPECT_THAT(with("edition", "tosa-1.0"), HasSubstr("fine"));
  Json other = DeclaredOf();
  other["edition"] = "tosa-0.100";
  EXPECT_THAT(Complaint(other), HasSubstr("d.json: /edition: found \"tosa-0.100\", expected "
                                          "\"tosa-1.0\": declare what is supported of that"));
  EXPECT_THAT(Complaint(DeclaredOf({{"operators", {"ADD"}}, {"types_of", {{"MUL", {"i8"}}}}})),
              HasSubstr("/types_of/MUL: expected one of /operators"));
}

TEST(BeyondDeclared, WhatIsLeftOutIsSupportedWhole) { EXPECT_EQ(BeyondDeclared(Read(), kAdd), ""); }

TEST(BeyondDeclared, OperatorsOfTheWholeGraph) {
  EXPECT_EQ(BeyondDeclared(Read({{"operators", {"ADD"}}}), kAdd), "");
  EXPECT_EQ(BeyondDeclared(Read({{"operators", {"MUL"}}}), kAdd), "operator ADD");
  Case two = kAdd;
  two.graph.main().operators.push_back({"ABS", {"in0"}, {"out"}, {}});
  EXPECT_EQ(BeyondDeclared(Read({{"operators", {"ADD"}}}), two), "operator ABS");
  // Constants need not be named, unless a case is about them.
  Case constant = kAdd;
  constant.graph.main().operators.insert(constant.graph.main().operators.begin(),
                                         {"CONST", {}, {"in0"}, {}});
  EXPECT_EQ(BeyondDeclared(Read({{"operators", {"ADD"}}}), constant), "");
  constant.op = "CONST";
  EXPECT_EQ(BeyondDeclared(Read({{"operators", {"ADD"}}}), constant), "operator CONST");
}

TEST(BeyondDeclared, TypesThatTheTableLeavesOpen) {
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"fp32"}}}), kAdd), "i32 in ADD");
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"i32"}}}), kAdd), "");
  // The shift of MUL is i8 whatever it multiplies.
  const Case mul = CaseOf("MUL", {DType::kFp32, DType::kFp32, DType::kI8}, DType::kFp32);
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"fp32"}}}), mul), "");
  const Case cast = CaseOf("CAST", {DType::kI8}, DType::kFp32);
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"i8"}}}), cast), "fp32 in CAST");
  EXPECT_EQ(
      BeyondDeclared(Read({{"types", {"i8"}}, {"types_of", {{"CAST", {"fp32", "i8"}}}}}), cast),
      "");
  EXPECT_EQ(BeyondDeclared(Read({{"types_of", {{"CAST", {"fp32"}}}}}), cast), "i8 in CAST");
  EXPECT_EQ(BeyondDeclared(Read({{"types_of", {{"CAST", {"fp32"}}}}}), mul), "");
  // Together: one way is not the other.
  const Declared one_way = Read({{"types_of", {{"CAST", {"i8->fp32", "i32->i8"}}}}});
  EXPECT_EQ(BeyondDeclared(one_way, cast), "");
  EXPECT_EQ(BeyondDeclared(one_way, CaseOf("CAST", {DType::kFp32}, DType::kI8)),
            "fp32->i8 in CAST");
  EXPECT_EQ(BeyondDeclared(one_way, CaseOf("CAST", {DType::kI32}, DType::kI8)), "");
  const Case concat = CaseOf("CONCAT", {DType::kI8, DType::kI8, DType::kI16}, DType::kI8);
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"i8"}}}), concat), "i16 in CONCAT");
  // An illegal graph with an operand too many, or too few.
  const Case many = CaseOf("ADD", {DType::kI8, DType::kI8, DType::kI16}, DType::kI8);
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"i8"}}}), many), "");
  EXPECT_EQ(BeyondDeclared(Read({{"types", {"i8"}}}), CaseOf("ADD", {}, DType::kI8)), "");
}

TEST(BeyondDeclared, OneOfTheAlternativesOfProfilesSuffices) {
  Case c = kAdd;
  c.profiles = {{"PRO-FP"}, {"PRO-INT", "EXT-INT16"}};
  EXPECT_EQ(BeyondDeclared(Read({{"profiles", {"PRO-FP"}}}), c), "");
  EXPECT_EQ(BeyondDeclared(Read({{"profiles", {"PRO-INT"}}}), c),
            "PRO-FP or PRO-INT and EXT-INT16");
  EXPECT_EQ(BeyondDeclared(Read({{"profiles", {"PRO-INT"}}, {"extensions", {"EXT-INT16"}}}), c),
            "");
  EXPECT_EQ(BeyondDeclared(Read({{"profiles", {"PRO-INT"}}}), kAdd), "");
}

TEST(BeyondDeclared, IllegalGraphsOfWhoOwesNothingForThem) {
  Case illegal = kAdd;
  illegal.outcome = Outcome::kError;
  const Declared owes_none = Read({{"illegal_graphs", false}});
  EXPECT_EQ(BeyondDeclared(owes_none, illegal), "illegal graphs");
  EXPECT_EQ(BeyondDeclared(owes_none, kAdd), "");
  EXPECT_EQ(BeyondDeclared(Read(), illegal), "");
}

TEST(CalledConformant, IsWhatNeedsNothingElse) {
  const auto called = [](const Json& members, std::vector<std::vector<std::string>> profiles,
                         Outcome outcome = Outcome::kValid) {
    Case c = kAdd;
    c.profiles = std::move(profiles);
    c.outcome = outcome;
    return CalledConformant(Read(members), c);
  };
  const Json integers = {{"conformant", {"PRO-INT"}}};
  EXPECT_TRUE(called(integers, {{"PRO-INT"}}));
  EXPECT_TRUE(called(integers, {{"PRO-FP"}, {"PRO-INT"}}));
  // The other name may be at fault, and the declaration does not call it conformant.
  EXPECT_FALSE(called(integers, {{"PRO-INT", "EXT-INT16"}}));
  EXPECT_TRUE(called({{"conformant", {"PRO-INT", "EXT-INT16"}}}, {{"PRO-INT", "EXT-INT16"}}));
  EXPECT_FALSE(called(integers, {}));
  EXPECT_FALSE(called({{"profiles", {"PRO-INT"}}}, {{"PRO-INT"}}));
  // It is conformant as a whole: what else is declared takes nothing back.
  EXPECT_TRUE(called({{"conformant", {"PRO-INT"}}, {"operators", {"MUL"}}}, {{"PRO-INT"}}));
  EXPECT_TRUE(called(integers, {{"PRO-INT"}}, Outcome::kError));
  EXPECT_FALSE(called({{"conformant", {"PRO-INT"}}, {"illegal_graphs", false}}, {{"PRO-INT"}},
                      Outcome::kError));
}

TEST(BeyondDeclared, LimitsOfEveryTensor) {
  const Case c = CaseOf("ADD", {DType::kI32, DType::kI32}, DType::kI32, {3, 70, 2});
  const auto with = [&](const char* limit, int value) {
    return BeyondDeclared(Read({{"limits", {{limit, value}}}}), c);
  };
  EXPECT_EQ(with("rank", 3), "");
  EXPECT_EQ(with("rank", 2), "rank 3 of in0, above 2");
  EXPECT_EQ(with("dimension", 70), "");
  EXPECT_EQ(with("dimension", 69), "dimension 70 of in0, above 69");
  EXPECT_EQ(with("elements", 420), "");
  EXPECT_EQ(with("elements", 419), "elements 420 of in0, above 419");
  const int64_t huge = INT64_C(1) << 40;
  EXPECT_THAT(BeyondDeclared(Read({{"limits", {{"elements", 1000}}}}),
                             CaseOf("ABS", {DType::kI32}, DType::kI32, {huge, huge, huge})),
              HasSubstr("of in0, above 1000"));
}

// Cases a (right), b (unsupported) and c (wrong) of IDENTITY and i32.
class CheckDeclaredTest : public testing::Test {
 protected:
  CheckDeclaredTest() {
    const Suite suite =
        WriteSuite(directory_ / "suite",
                   {OfIntegers("identity/a"), OfIntegers("identity/b"), OfIntegers("identity/c")});
    WriteRun(results(), suite.digest);
    WriteOutput(results(), "identity/a", Integers({10, 20, 30, 40}));
    WriteResult(results(), "identity/b", {{"status", "unsupported"}, {"message", "no kernel"}});
    WriteOutput(results(), "identity/c", Integers({10, 20, 30, 41}));
  }
  static Case OfIntegers(const std::string& id) {
    Case c = IntegerCase(id);
    c.profiles = {{"PRO-INT"}};
    return c;
  }
  std::filesystem::path results() const { return directory_ / "results"; }
  Report Check(const std::optional<Json>& members) const {
    CheckOptions options{directory_ / "suite", results(), 1};
    if (members) options.declared = DeclaredBy{"d.json", Read(*members)};
    StatusOr<Report> report = CheckSuite(options);
    EXPECT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(ValidateJson(ReportToJson(*report), "report", "report").ok());
    return *std::move(report);
  }
  // As the implementation declares it in run.json.
  void Announce(const Json& declared) const {
    Json run = *LoadJson(results() / "run.json", "run");
    run["implementation"]["declared"] = declared;
    ASSERT_TRUE(SaveJson(results() / "run.json", run).ok());
  }

  Directory directory_;
};

TEST_F(CheckDeclaredTest, ExplainSaysWhetherACaseIsDeclared) {
  const auto explain = [&](const std::optional<Json>& members) {
    std::optional<DeclaredBy> declared;
    if (members) declared = DeclaredBy{"d.json", Read(*members)};
    return Explain(directory_ / "suite", results(), "identity/b", nullptr, nullptr, false, nullptr,
                   declared)
        .value_or("");
  };
  EXPECT_THAT(explain(std::nullopt), Not(HasSubstr("declared")));
  EXPECT_THAT(explain(Json({{"operators", {"ADD"}}})),
              HasSubstr("\n  declared        no: operator IDENTITY\n"));
  EXPECT_THAT(explain(Json({{"operators", {"IDENTITY"}}})),
              AllOf(HasSubstr("\n  declared        yes: the implementation owes an answer\n"),
                    HasSubstr("declared by d.json, not answered: no kernel")));
  Announce(DeclaredOf({{"types", {"i32"}}}));
  EXPECT_THAT(explain(std::nullopt), HasSubstr("declared        yes"));
}

TEST_F(CheckDeclaredTest, WithoutADeclarationNothingIsOwed) {
  const Report report = Check(std::nullopt);
  EXPECT_EQ(report.cases[1].declared, std::nullopt);
  EXPECT_EQ(report.cases[1].message, "no kernel");
  EXPECT_THAT(FormatText(report), HasSubstr("CONFORMANT: 1 wrong, 1 not supported, 1 pass\n"));
  EXPECT_THAT(FormatText(report),
              HasSubstr("\nNot supported, by the implementation's own words: "));
  EXPECT_FALSE(ReportToJson(report).contains("declared"));
}

TEST_F(CheckDeclaredTest, DeclaredAndNotAnsweredIsWrongAndStaysUnsupported) {
  const Report report = Check(Json({{"operators", {"IDENTITY"}}}));
  EXPECT_EQ(report.cases[1].verdict, Verdict::kUnsupported);
  EXPECT_EQ(report.cases[1].message, "declared by d.json, not answered: no kernel");
  EXPECT_EQ(StandingOf(report.cases[1]), Standing::kWrong);
  const std::string text = FormatText(report);
  EXPECT_THAT(text, HasSubstr("declared by     d.json\n"));
  EXPECT_THAT(text,
              HasSubstr("\n    identity/b\n    unsupported: declared by d.json, not answered: "
                        "no kernel\n"));
  EXPECT_THAT(text,
              HasSubstr("NOT CONFORMANT: 2 wrong (1 of them declared, not answered), 1 pass\n"));
  EXPECT_THAT(text, Not(HasSubstr("Not supported, ")));
  const Json json = ReportToJson(report);
  EXPECT_EQ(json["standings"]["declared_not_answered"], 1);
  EXPECT_EQ(json["standings"]["not_supported"], 0);
  EXPECT_EQ(json["totals"]["unsupported"], 1);
  EXPECT_EQ(json["cases"][1]["declared"], true);
  EXPECT_EQ(json["declared"][0]["by"], "d.json");
  const std::string junit = FormatJUnit(report);
  EXPECT_THAT(junit, HasSubstr("<failure type=\"unsupported\" message=\"declared by d.json, not"));
  EXPECT_THAT(junit, Not(HasSubstr("<skipped")));
}

TEST_F(CheckDeclaredTest, WhatIsNotDeclaredIsCountedApartAndNeverExcused) {
  const Report report = Check(Json({{"operators", {"ADD"}}}));
  EXPECT_EQ(report.cases[1].beyond, "operator IDENTITY");
  EXPECT_EQ(report.cases[1].message, "no kernel");
  const std::string text = FormatText(report);
  // A wrong answer stays wrong, whatever is declared; and declaring less makes no implementation
  // conformant.
  EXPECT_THAT(text, HasSubstr("NOT CONFORMANT: 1 wrong, 1 not supported, 1 pass\n"));
  EXPECT_THAT(text, HasSubstr("\nNot supported, and not declared: 1 case\n"));
  EXPECT_THAT(text, HasSubstr("note: 1 case passes that no declaration covers, the first "
                              "identity/a (operator IDENTITY)"));
  EXPECT_EQ(ReportToJson(report)["cases"][2]["beyond"], "operator IDENTITY");
}

TEST_F(CheckDeclaredTest, TheImplementationsOwnWordsHoldAndEitherOneOwes) {
  Announce(DeclaredOf({{"types", {"i32"}}}));
  const Report alone = Check(std::nullopt);
  EXPECT_EQ(alone.cases[1].message, "declared by the implementation, not answered: no kernel");
  // A file that declares less takes nothing back.
  const Report both = Check(Json({{"operators", {"ADD"}}}));
  EXPECT_EQ(both.cases[1].declared, true);
  EXPECT_EQ(both.cases[1].beyond, "");
  EXPECT_THAT(FormatText(both), HasSubstr("2 wrong (1 of them declared, not answered), 1 pass\n"));
}

std::vector<std::string> NotAsAnnounced(const Report& report) {
  std::vector<std::string> messages;
  for (const Finding& finding : report.findings) {
    if (finding.kind == "not_as_announced") messages.push_back(finding.message);
  }
  return messages;
}

TEST_F(CheckDeclaredTest, WhoCallsAProfileConformantIsHeldToIt) {
  EXPECT_THAT(NotAsAnnounced(Check(Json({{"profiles", {"PRO-INT"}}}))), testing::IsEmpty());
  const Report report = Check(Json({{"conformant", {"PRO-INT"}}, {"operators", {"ADD"}}}));
  EXPECT_THAT(NotAsAnnounced(report),
              testing::ElementsAre("conformant according to d.json: PRO-INT; but 1 case of that is "
                                   "wrong, the first identity/c, and 1 case of that is not "
                                   "answered, the first identity/b"));
  EXPECT_THAT(FormatText(report), HasSubstr("  not as announced: conformant according to d.json"));
  // Nothing of it is judged otherwise.
  EXPECT_EQ(StandingOf(report.cases[1]), Standing::kNotSupported);
  Announce(DeclaredOf({{"conformant", {"PRO-FP", "PRO-INT"}}}));
  EXPECT_THAT(NotAsAnnounced(Check(Json({{"conformant", {"PRO-INT"}}}))),
              testing::ElementsAre(HasSubstr("according to d.json, the implementation: "
                                             "PRO-INT; but 1 case")));
}

TEST_F(CheckDeclaredTest, WhatIsCalledConformantAndNotAskedIsNoted) {
  const Report report = Check(Json({{"conformant", {"PRO-FP"}}}));
  EXPECT_THAT(NotAsAnnounced(report), testing::IsEmpty());
  EXPECT_THAT(FormatText(report), HasSubstr("note: conformant according to d.json: PRO-FP; no case "
                                            "here asks about that\n"));
}

TEST_F(CheckDeclaredTest, WhatDidNotRunContradictsNobody) {
  for (const char* id : {"identity/b", "identity/c"}) {
    std::filesystem::remove(results() / id / "result.json");
  }
  EXPECT_THAT(NotAsAnnounced(Check(Json({{"conformant", {"PRO-INT"}}}))), testing::IsEmpty());
}

TEST_F(CheckDeclaredTest, WordsAboutAnotherEditionAreNoted) {
  Json other = DeclaredOf();
  other["edition"] = "tosa-0.100";
  Announce(other);
  const Report report = Check(std::nullopt);
  EXPECT_EQ(report.cases[1].declared, std::nullopt);
  EXPECT_THAT(FormatText(report), HasSubstr("note: the implementation declares what it supports of "
                                            "tosa-0.100, and nothing of tosa-1.0\n"));
}

TEST_F(CheckDeclaredTest, ABrokenDeclarationInRunJsonIsAnError) {
  Announce({{"format", "tensor-cts-declared-1"}});
  EXPECT_THAT(Message(CheckSuite({directory_ / "suite", results(), 1}).status()),
              AllOf(HasSubstr("run.json: /implementation/declared"),
                    HasSubstr("missing required member \"edition\"")));
}

}  // namespace
}  // namespace cts
