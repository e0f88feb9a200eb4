#include "generator/draft/labels.h"

#include <gtest/gtest.h>

#include "generator/ops/domain.h"

namespace cts {
namespace {

std::shared_ptr<const DeclaredAxes> ClampAxes() {
  return std::make_shared<DeclaredAxes>(
      DeclaredAxes{"CLAMP", {{"bounds", {"full", "narrow"}}, {"nan_mode", {"ignore"}}}});
}

Labels Narrow() {
  Labels labels(ClampAxes());
  labels.Set("bounds", "narrow");
  return labels;
}

TEST(Labels, CompareWithLabelsOfTheirAxis) {
  const Labels labels = Narrow();
  EXPECT_TRUE(labels["bounds"] == "narrow");
  EXPECT_TRUE(labels["bounds"] != "full");
  EXPECT_TRUE(labels["bounds"].starts_with("nar"));
  EXPECT_FALSE(labels["bounds"].ends_with("ll"));
  EXPECT_TRUE(labels["nan_mode"].empty()) << "an axis that other type rows have";
}

TEST(Labels, AMisspeltLabelEndsTheProgram) {
  const Labels labels = Narrow();
  EXPECT_DEATH((void)(labels["bounds"] == "narow"),
               "CLAMP: axis bounds has no label `narow`; its labels are `full`, `narrow`");
  EXPECT_DEATH((void)labels["bounds"].starts_with("nra"),
               "CLAMP: axis bounds has no label that starts with `nra`; its labels are");
  EXPECT_DEATH((void)labels["bounds"].ends_with("roww"),
               "CLAMP: axis bounds has no label that ends with `roww`; its labels are");
  EXPECT_DEATH((void)(labels["nan_mode"] == "ignored"),
               "CLAMP: axis nan_mode has no label `ignored`; its labels are `ignore`");
}

TEST(Labels, AMisspeltAxisEndsTheProgram) {
  EXPECT_DEATH((void)Narrow()["bound"],
               "CLAMP: found axis `bound`, expected one that the domain has: `bounds`, `nan_mode`");
}

TEST(Labels, AConstraintMayAskForTheAxesThatItNamesOnly) {
  const std::vector<std::string_view> named = {"nan_mode"};
  Labels labels(ClampAxes(), &named);
  EXPECT_TRUE(labels["nan_mode"].empty());
  EXPECT_DEATH((void)labels["bounds"],
               "CLAMP: found axis `bounds`, expected one that the constraint names: `nan_mode`");
}

TEST(Labels, ATableOfMeaningsHasAllLabelsAndNoOther) {
  const Labels labels = Narrow();
  EXPECT_EQ(labels["bounds"].In<int>({{"full", 1}, {"narrow", 2}}), 2);
  EXPECT_DEATH((void)labels["bounds"].In<int>({{"full", 1}}),
               "CLAMP: axis bounds has no meaning for label `narrow`; its labels are");
  EXPECT_DEATH((void)labels["bounds"].In<int>({{"narrow", 2}, {"fulll", 1}}),
               "CLAMP: axis bounds has no label `fulll`; its labels are `full`, `narrow`");
}

TEST(Labels, TheEndOfAChainHasNoOtherLabel) {
  const Labels labels = Narrow();
  labels["bounds"].MustBe({"full", "narrow"});
  EXPECT_DEATH(labels["bounds"].MustBe({"full"}),
               "CLAMP: axis bounds has no meaning for label `narrow`; its labels are");
  EXPECT_DEATH(labels["bounds"].MustBe({"narrow", "fulll"}),
               "CLAMP: axis bounds has no label `fulll`; its labels are `full`, `narrow`");
}

constexpr ListedAxis<int> kBoundsAxis{"bounds", "b", {{"full", 1}}, {{"narrow", 2}}};

TEST(TypedAxes, GiveTheMeaningOfALabel) {
  EXPECT_EQ(Narrow()[kBoundsAxis], 2);
  EXPECT_EQ(Narrow().Text(kBoundsAxis), "narrow");
  EXPECT_EQ(Labels()[kBoundsAxis], 1) << "a type row without the axis has its first meaning";
  EXPECT_TRUE(Narrow().Is(kBoundsAxis, "narrow"));
  EXPECT_FALSE(Narrow().Is(kBoundsAxis, "full"));
  EXPECT_DEATH((void)Narrow().Is(kBoundsAxis, "narow"), "axis bounds has no label `narow`");
  EXPECT_TRUE(kBoundsAxis.Lists("narrow"));
  EXPECT_FALSE(kBoundsAxis.Lists("3"))
      << "an attribute of a user's edition may be called as an axis";
  const Labels shape = {{"shape", "2x3"}};
  EXPECT_EQ(shape[kShapeAxis], (Shape{2, 3}));
}

TEST(TypedAxes, HaveTheLabelsOfATypeRow) {
  const Axis all = kBoundsAxis.All();
  EXPECT_EQ(all.values, std::vector<std::string>{"full"});
  EXPECT_EQ(all.more, std::vector<std::string>{"narrow"});
  EXPECT_EQ(kBoundsAxis.With({"narrow"}).values, std::vector<std::string>{"narrow"});
  EXPECT_DEATH(kBoundsAxis.With({"narow"}),
               "found label `narow`, expected one that axis bounds lists");
}

TEST(Constraints, ExcludeLabelsTogetherAndKeepLabelsTogether) {
  const auto holds = [](const Constraint& constraint, const Labels& labels) {
    return constraint.holds(Setting(), labels);
  };
  const Constraint excluded = Excluded({{"a", "1"}, {"b", "1"}}, "");
  EXPECT_FALSE(holds(excluded, {{"a", "1"}, {"b", "1"}}));
  EXPECT_TRUE(holds(excluded, {{"a", "1"}, {"b", "2"}}));
  const Constraint only = OnlyWith({"a", "1"}, {{"b", "1"}, {"c", "1"}}, "");
  EXPECT_TRUE(holds(only, {{"a", "1"}, {"b", "1"}, {"c", "1"}}));
  EXPECT_FALSE(holds(only, {{"a", "1"}, {"b", "1"}, {"c", "2"}}));
  EXPECT_TRUE(holds(only, {{"a", "2"}, {"b", "2"}, {"c", "2"}}));
  EXPECT_EQ(only.axes, (std::vector<std::string_view>{"a", "b", "c"}));
}

// A domain like those of ops/, with one fault each.
Domain ClampWith(std::vector<Constraint> constraints, const Labels& of_breaker) {
  return {[](const Setting&) -> std::vector<Axis> {
            return {{"bounds", "", {"full"}, {"narrow"}}, {"data", "", {"full-range"}}};
          },
          std::move(constraints),
          [](const Choice&) { return CaseDraft(); },
          {{"clamp.bounds", of_breaker, nullptr, nullptr}}};
}

TEST(DeclareAxes, FindsTheLabelsOfEveryTypeRow) {
  Domain domain = ClampWith({}, {{"bounds", "narrow"}});
  DeclareAxes("CLAMP", "CLAMP", nullptr, nullptr, domain);
  EXPECT_EQ(domain.declared->labels.at("bounds"), (std::set<std::string>{"full", "narrow"}));
}

TEST(DeclareAxes, RefusesABreakerOrConstraintOfAMisspeltLabelOrAxis) {
  Domain label = ClampWith({}, {{"bounds", "narow"}});
  EXPECT_DEATH(DeclareAxes("CLAMP", "CLAMP", nullptr, nullptr, label),
               "CLAMP: axis bounds has no label `narow`; its labels are `full`, `narrow`");
  Domain axis = ClampWith({}, {{"bound", "narrow"}});
  EXPECT_DEATH(DeclareAxes("CLAMP", "CLAMP", nullptr, nullptr, axis),
               "CLAMP: found axis `bound`, expected one that the domain has: `bounds`, `data`");
  Domain constraint =
      ClampWith({{{"dta"}, "", [](const Setting&, const Labels&) { return true; }}}, {});
  EXPECT_DEATH(DeclareAxes("CLAMP", "CLAMP", nullptr, nullptr, constraint),
               "CLAMP: found axis `dta`, expected one that the domain has: `bounds`, `data`");
}

}  // namespace
}  // namespace cts
