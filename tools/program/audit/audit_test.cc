#include "tools/program/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>

#include "generator/generate.h"
#include "reference/base/json.h"
#include "reference/faults/symbolic.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// REVERSE of a tensor of one axis, and nothing else.
AuditOptions OneAxis() {
  AuditOptions options;
  options.recipe.name = "one-axis";
  options.recipe.edition = "tosa-1.0";
  options.recipe.level = "8K";
  options.recipe.operators = {"REVERSE"};
  options.recipe.types = {"i8"};
  options.recipe.ids = {"reverse/i8-61-*"};
  return options;
}

// Each result is right by itself.
TEST(Audit, CatchesWhatContradictsItself) {
  for (const auto& [op, fault] :
       {std::pair("MUL", "mul.flushes_some_results"), std::pair("NEGATE", "negate.mixes_zeros")}) {
    AuditOptions options;
    options.recipe.name = "some";
    options.recipe.edition = "tosa-1.0";
    options.recipe.level = "8K";
    options.recipe.operators = {op};
    options.recipe.types = {"fp32"};
    options.faults = {fault};
    const auto audit = RunAudit(options);
    ASSERT_TRUE(audit.ok()) << audit.status();
    ASSERT_EQ(audit->faults.size(), 1u) << fault;
    EXPECT_EQ(audit->Caught(), 1u) << fault;
  }
}

TEST(Audit, TellsWhatIsCaughtFromWhatSurvives) {
  AuditOptions options = OneAxis();
  // The only axis is the same from either end.
  options.faults = {"reverse.axis_from_the_end", "reverse.begins_one_late"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  ASSERT_EQ(audit->faults.size(), 2u);
  EXPECT_EQ(audit->faults[0].fault->id, "reverse.axis_from_the_end");
  EXPECT_EQ(audit->faults[0].first, "");
  EXPECT_EQ(audit->faults[1].fault->id, "reverse.begins_one_late");
  EXPECT_THAT(audit->faults[1].first, HasSubstr("reverse/i8-61-"));
  EXPECT_EQ(audit->Survivors(), 1u);

  options.recipe.ids = {"reverse/i8-9x14-*"};
  const StatusOr<Audit> two_axes = RunAudit(options);
  ASSERT_TRUE(two_axes.ok()) << two_axes.status();
  EXPECT_EQ(two_axes->Survivors(), 0u);
}

TEST(Audit, SaysWhyNoCaseShowsAFault) {
  AuditOptions options = OneAxis();
  options.recipe.ids.clear();
  options.faults = {"reverse.axis_range.accepted", "reverse.graph.output_shape.accepted"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  ASSERT_EQ(audit->faults.size(), 2u);
  EXPECT_EQ(audit->faults[0].first, "reverse/error-axis_range-i8");
  // The output's shape is the input's by the argument table.
  EXPECT_EQ(audit->faults[1].first, "");
  EXPECT_THAT(audit->faults[1].unreachable, HasSubstr("no graph that breaks it"));
  options.recipe.error_cases = false;
  const StatusOr<Audit> valid_only = RunAudit(options);
  ASSERT_TRUE(valid_only.ok()) << valid_only.status();
  EXPECT_EQ(valid_only->faults[0].unreachable, "the recipe asks for no error cases");
}

// Some faults show only in other extensions, or in operators that the extension has nothing to do
// with.
TEST(Audit, OfOneExtensionSaysWhatTakesAnother) {
  AuditOptions options;
  const StatusOr<Recipe> recipe = FindRecipe("certify-ext-dynamic");
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  options.recipe = *recipe;
  options.recipe.operators = {"RESCALE", "AVG_POOL2D", "ARGMAX"};
  options.recipe.types = {"i8", "fp16"};
  options.faults = {"rescale.single_round_for_double", "rescale.multiplier_of_16_bits",
                    "avg_pool2d.truncates_every_sum", "argmax.compares_bits",
                    "argmax.refuses_greatest_rank_of_input"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->Survivors(), 0u) << FormatAudit(AuditToJson(*audit));
  std::map<std::string, std::set<std::string>> reasons;
  for (const AuditedFault& fault : audit->faults)
    reasons[fault.fault->id].insert(fault.unreachable);
  EXPECT_THAT(reasons["rescale.single_round_for_double"],
              ElementsAre("only what needs EXT-DOUBLEROUND shows it, which the recipe lacks"));
  EXPECT_THAT(reasons["rescale.multiplier_of_16_bits"], ElementsAre(""));
  EXPECT_THAT(reasons["avg_pool2d.truncates_every_sum"], ElementsAre(""));
  EXPECT_THAT(reasons["argmax.compares_bits"],
              ElementsAre("no case of ARGMAX, fp16 needs EXT-DYNAMIC"));
  EXPECT_THAT(reasons["argmax.refuses_greatest_rank_of_input"],
              ElementsAre("no case of ARGMAX needs EXT-DYNAMIC"));
  // With that extension it is shown.
  options.recipe.operators = {"RESCALE"};
  options.recipe.types = {"i8"};
  options.recipe.profiles.emplace_back("EXT-DOUBLEROUND");
  options.faults = {"rescale.single_round_for_double"};
  const StatusOr<Audit> with = RunAudit(options);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(with->Caught(), with->faults.size()) << FormatAudit(AuditToJson(*with));
}

// No case of another profile or extension shows a mistake of a claim of one profile.
TEST(Audit, OfOneProfileCatchesByItsOwnCases) {
  const std::map<std::string, std::string> hard = {
      {"certify-pro-int", "rescale.multiplier_of_16_bits"},
      {"certify-pro-fp", "avg_pool2d.truncates_every_sum"}};
  for (const auto& [name, fault] : hard) {
    AuditOptions options;
    const StatusOr<Recipe> recipe = FindRecipe(name);
    ASSERT_TRUE(recipe.ok()) << recipe.status();
    options.recipe = *recipe;
    options.recipe.operators = {"RESCALE", "AVG_POOL2D"};
    options.faults = {fault};
    const StatusOr<Audit> audit = RunAudit(options);
    ASSERT_TRUE(audit.ok()) << audit.status();
    EXPECT_EQ(audit->Caught(), audit->faults.size()) << FormatAudit(AuditToJson(*audit));
    EXPECT_GT(audit->faults.size(), 1u) << name;
  }
}

// A fault that the profile has no case of is no survivor.
TEST(Audit, OfOneProfileSaysWhatIsOfAnother) {
  AuditOptions options;
  const StatusOr<Recipe> recipe = FindRecipe("certify-pro-fp");
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  options.recipe = *recipe;
  options.recipe.operators = {"FLOOR", "CLZ"};
  options.faults = {"clz.refuses_greatest_rank_of_input1", "floor.refuses_greatest_rank_of_input1"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  std::map<std::string, std::string> reasons;
  for (const AuditedFault& fault : audit->faults) reasons[fault.fault->op] = fault.unreachable;
  EXPECT_EQ(reasons["CLZ"], "no case of CLZ is of the recipe's profiles and extensions");
  EXPECT_EQ(reasons["FLOOR"], "");
  EXPECT_EQ(audit->Survivors(), 0u) << FormatAudit(AuditToJson(*audit));
}

// Each of these faults takes a case of its own where an edition has no local_bound and no double
// rounding.
TEST(Audit, OfRvtensorCatchesWhatIsHardToSee) {
  AuditOptions options;
  const StatusOr<Recipe> recipe = FindRecipe("rvtensor");
  ASSERT_TRUE(recipe.ok()) << recipe.status();
  options.recipe = *recipe;
  options.recipe.operators = {"DEPTHWISE_CONV2D", "CONST_SHAPE", "RESCALE"};
  options.faults = {"depthwise_conv2d.truncates_every_sum", "rescale.multiplier_of_16_bits",
                    "const_shape.graph.shape_interface.accepted"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->Caught(), audit->faults.size()) << FormatAudit(AuditToJson(*audit));
  EXPECT_EQ(audit->faults.size(), 12u);
}

TEST(Audit, IsTheSameForAnyNumberOfJobsAndAsTheSchemaHasIt) {
  AuditOptions options = OneAxis();
  options.recipe.ids.clear();
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  const Json json = AuditToJson(*audit);
  const Status status = ValidateJson(json, "audit", "test");
  EXPECT_TRUE(status.ok()) << status;
  options.jobs = 3;
  const StatusOr<Audit> again = RunAudit(options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(AuditToJson(*again), json);
  options.count_all = true;
  const StatusOr<Audit> all = RunAudit(options);
  ASSERT_TRUE(all.ok()) << all.status();
  const Json counted = AuditToJson(*all);
  const Status status_of_all = ValidateJson(counted, "audit", "test");
  EXPECT_TRUE(status_of_all.ok()) << status_of_all;
  EXPECT_EQ(counted["caught"], json["caught"]);
}

// Faults and their first cases.
std::vector<std::string> FirstsOf(const Audit& audit) {
  std::vector<std::string> firsts;
  for (const AuditedFault& fault : audit.faults) {
    firsts.push_back(StrCat(fault.fault->id, " ", fault.mode, ": ", fault.first));
  }
  return firsts;
}

// They have faults of axes, states, sizes and conditions.
AuditOptions SomeOperators() {
  AuditOptions options;
  options.recipe = *FindRecipe("smoke");
  options.recipe.operators = {"REVERSE", "RFFT2D", "TABLE"};
  return options;
}

TEST(Audit, FindsTheFirstCasesThatItFindsWhereEveryFaultRunsOnEveryCase) {
  AuditOptions options = SomeOperators();
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  options.count_all = true;
  const StatusOr<Audit> all = RunAudit(options);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_GT(audit->Caught(), 100u);
  EXPECT_EQ(FirstsOf(*audit), FirstsOf(*all));
  EXPECT_EQ(audit->not_asked, all->not_asked);
}

// Skipping, and computing once, lose nothing: the same number of cases catches the same faults.
// These operators have sums, states, graphs, sizes and every kind of condition.
TEST(Audit, SkipsNothingThatShowsAFault) {
  AuditOptions options;
  options.recipe = *FindRecipe("smoke");
  options.recipe.operators = {"ARGMAX", "CLAMP", "CONV2D", "INTDIV",         "MATMUL",    "RESCALE",
                              "RFFT2D", "SLICE", "TABLE",  "VARIABLE_WRITE", "WHILE_LOOP"};
  options.count_all = true;
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  options.skip_nothing = true;
  const StatusOr<Audit> whole = RunAudit(options);
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_GT(audit->Caught(), 1000u);
  EXPECT_EQ(audit->not_asked, whole->not_asked);
  ASSERT_EQ(audit->faults.size(), whole->faults.size());
  for (size_t k = 0; k < audit->faults.size(); ++k) {
    const AuditedFault &found = audit->faults[k], &expected = whole->faults[k];
    const std::string name = StrCat(found.fault->id, " ", found.mode);
    EXPECT_EQ(found.first, expected.first) << name;
    EXPECT_EQ(found.caught_by, expected.caught_by) << name;
    EXPECT_EQ(found.unreachable, expected.unreachable) << name;
  }
}

TEST(Audit, SinceAnotherIsTheSame) {
  AuditOptions options = SomeOperators();
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  const std::string file = testing::TempDir() + "audit_since.json";
  ASSERT_TRUE(SaveJson(file, AuditToJson(*audit)).ok());
  const Status recalled = RecallFirstCases(file, &options);
  ASSERT_TRUE(recalled.ok()) << recalled;
  EXPECT_EQ(options.since.size(), audit->Caught());
  const StatusOr<Audit> again = RunAudit(options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(AuditToJson(*again), AuditToJson(*audit));
}

// A fault whose case no longer shows it, one whose case is gone, and one that was not there.
TEST(Audit, SinceAnotherSearchesWhereTheCaseSaysNothing) {
  AuditOptions options = SomeOperators();
  options.recipe.operators = {"REVERSE"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  std::string of_error;
  const auto plan = PlanCases(options.recipe);
  for (const PlannedCase& planned : *plan) {
    if (!planned.condition.empty()) of_error = planned.id;
  }
  ASSERT_FALSE(of_error.empty());
  for (const AuditedFault& fault : audit->faults) {
    if (fault.mode.empty()) continue;
    // No error case shows a fault of values.
    options.since[{fault.fault->id, fault.mode}] = fault.mode == "signed 8" ? of_error : "gone";
  }
  const StatusOr<Audit> again = RunAudit(options);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(FirstsOf(*again), FirstsOf(*audit));
}

TEST(Audit, SinceRefusesTheAuditOfAnotherRecipe) {
  AuditOptions options = OneAxis();
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  const std::string file = testing::TempDir() + "audit_of_another.json";
  ASSERT_TRUE(SaveJson(file, AuditToJson(*audit)).ok());
  AuditOptions other = SomeOperators();
  EXPECT_EQ(Message(RecallFirstCases(file, &other)),
            file + ": found an audit of one-axis, tosa-1.0, expected one of smoke, tosa-1.0");
}

TEST(Audit, IsAPageThatLoadsNothing) {
  AuditOptions options = OneAxis();
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  Json json = AuditToJson(*audit);
  json["entries"][0]["sentence"] = "<script>alert(1)</script>";
  const std::string page = AuditToHtml(json);
  EXPECT_THAT(page, AllOf(HasSubstr("default-src 'none'"), HasSubstr("&lt;script&gt;alert"),
                          HasSubstr(audit->Survivors() == 0 ? "EVERY FAULT" : "SURVIVE")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  for (const AuditedFault& fault : audit->faults) EXPECT_THAT(page, HasSubstr(fault.fault->id));
}

TEST(Audit, NamesTheFaultsNearestToOneThatThereIsNot) {
  AuditOptions options = OneAxis();
  options.faults = {"reverse.begins_one_lat"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_FALSE(audit.ok());
  EXPECT_THAT(std::string(audit.status().message()), HasSubstr("reverse.begins_one_late"));
}

TEST(Audit, RefusesAPatternThatNoFaultMatches) {
  AuditOptions options = OneAxis();
  options.faults = {"reverse.begins*", "revers.axis*"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_FALSE(audit.ok());
  EXPECT_THAT(std::string(audit.status().message()), HasSubstr("\"revers.axis*\""));
  options.faults = {"reverse.begins*"};
  const StatusOr<Audit> one = RunAudit(options);
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->faults.size(), 1u);
  EXPECT_EQ(one->faults[0].fault->id, "reverse.begins_one_late");
}

TEST(Audit, CountsTheBoundsThatNoCaseAsksAbout) {
  // A recipe without a case that could ask.
  AuditOptions options = OneAxis();
  options.faults = {"reverse.axis_range.*"};
  options.recipe.ids = {"reverse/error-rank-*"};
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_GT(audit->not_asked, 0u);
  const Json json = AuditToJson(*audit);
  EXPECT_EQ(json["not_asked"], audit->not_asked);
  EXPECT_THAT(FormatAudit(json), HasSubstr("bounds that no case's condition looks at"));
}

TEST(Audit, SaysThatItWasStopped) {
  AuditOptions options = OneAxis();
  const std::atomic<bool> stop = true;
  options.stop = &stop;
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_FALSE(audit.ok());
  EXPECT_TRUE(absl::IsCancelled(audit.status()));
}

// A suite on disk is asked as the recipe that made it is: the same faults by the same cases.
TEST(Audit, OfASuiteFindsWhatItsRecipeFinds) {
  AuditOptions options;
  options.recipe = *FindRecipe("smoke");
  options.recipe.operators = {"TILE"};
  const StatusOr<Audit> of_recipe = RunAudit(options);
  ASSERT_TRUE(of_recipe.ok()) << of_recipe.status();
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / StrCat("audit_suite_", getpid());
  ASSERT_TRUE(Generate({.recipe = options.recipe, .out = folder}).ok());
  options.recipe = *FindRecipe("certify");
  options.recipe.operators = {"TILE"};
  options.suite = folder;
  const StatusOr<Audit> of_suite = RunAudit(options);
  ASSERT_TRUE(of_suite.ok()) << of_suite.status();
  const auto caught = [](const Audit& audit) {
    std::map<std::pair<std::string, std::string>, std::string> first;
    for (const AuditedFault& fault : audit.faults) {
      if (fault.caught()) first[{fault.fault->id, fault.mode}] = fault.first;
    }
    return first;
  };
  EXPECT_GT(of_recipe->Caught(), 100u);
  EXPECT_EQ(caught(*of_suite), caught(*of_recipe));

  options.recipe.edition = "tosa-0.100";
  EXPECT_THAT(Message(RunAudit(options).status()),
              HasSubstr("found a suite of tosa-1.0, expected one of tosa-0.100"));
  std::filesystem::remove_all(folder);
}

// The faults of symbolic programs are those that only they can show; other recipes have none.
TEST(Audit, CatchesEveryFaultOfSymbolicPrograms) {
  AuditOptions options;
  options.recipe = *FindRecipe("symbolic");
  const StatusOr<Audit> audit = RunAudit(options);
  ASSERT_TRUE(audit.ok()) << audit.status();
  EXPECT_EQ(audit->faults.size(), SymbolicFaultsOf(**FindEdition("tosa-1.0")).size());
  for (const AuditedFault& fault : audit->faults) {
    EXPECT_TRUE(fault.caught()) << fault.fault->id;
    EXPECT_TRUE(fault.first.starts_with("symbolic/")) << fault.first;
  }
  // A suite without their operators shows nothing.
  options.recipe.ids = {"symbolic/matmul-*"};
  const StatusOr<Audit> blind = RunAudit(options);
  ASSERT_TRUE(blind.ok()) << blind.status();
  EXPECT_EQ(blind->Caught(), 0u);

  options = OneAxis();
  options.faults = {"iota.*"};
  EXPECT_THAT(Message(RunAudit(options).status()),
              HasSubstr("no fault matches what was asked for"));
}

}  // namespace
}  // namespace cts
