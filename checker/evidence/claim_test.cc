#include "checker/evidence/claim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/evidence/claim_testing.h"
#include "reference/base/json.h"

namespace cts {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string Complaint(const Json& json) {
  const auto claim = ClaimFromJson(json, "claim.json");
  return claim.ok() ? "fine" : Message(claim.status());
}

std::string ComplaintWith(const std::string& member, const Json& value) {
  Json json = ClaimOf({"PRO-INT"});
  json[member] = value;
  return Complaint(json);
}

TEST(Claim, NamesComeInTheOrderOfTheEdition) {
  const auto claim =
      ClaimFromJson(ClaimOf({"PRO-FP", "PRO-INT"}, {"EXT-FFT", "EXT-INT16"}), "claim.json");
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_THAT(claim->profiles, ElementsAre("PRO-INT", "PRO-FP"));
  EXPECT_THAT(claim->extensions, ElementsAre("EXT-INT16", "EXT-FFT"));
  EXPECT_EQ(Complaint(ClaimToJson(*claim)), "fine");
}

TEST(Claim, RefusesWhatTheEditionDoesNotHave) {
  EXPECT_THAT(Complaint(ClaimOf({"PRO-INT", "PRO-XY"})),
              AllOf(HasSubstr("claim.json: /profiles/1: found \"PRO-XY\", expected one of "),
                    HasSubstr("PRO-INT, PRO-FP of tosa-1.0")));
  // As the specification spells it, in a document of record.
  EXPECT_THAT(Complaint(ClaimOf({"pro-int"})), HasSubstr("/profiles/0"));
  EXPECT_THAT(Complaint(ClaimOf({"BI"})), HasSubstr("/profiles/0"));
  EXPECT_THAT(Complaint(ClaimOf({"PRO-INT"}, {"EXT-NONE"})),
              AllOf(HasSubstr("/extensions/0: found \"EXT-NONE\""), HasSubstr("EXT-INT16")));
  EXPECT_THAT(Complaint(ClaimOf({"EXT-INT16"})),
              HasSubstr("/profiles/0: found \"EXT-INT16\", which is an extension: expected it "
                        "under \"extensions\""));
  EXPECT_THAT(Complaint(ClaimOf({"PRO-INT"}, {"PRO-FP"})),
              HasSubstr("/extensions/0: found \"PRO-FP\", which is a profile"));
  EXPECT_THAT(Complaint(ClaimOf({"PRO-INT"}, {}, "tosa-9")),
              AllOf(HasSubstr("claim.json: /edition: "), HasSubstr("tosa-1.0")));
  EXPECT_THAT(ComplaintWith("level", "9K"),
              AllOf(HasSubstr("/level: found \"9K\", expected one of"), HasSubstr("none"),
                    HasSubstr("8K")));
}

TEST(Claim, WaivesTheOneFindingThatHasAName) {
  Json json = ClaimOf({"PRO-FP"});
  json["waived_findings"] = {"moved_not_computed"};
  const auto claim = ClaimFromJson(json, "claim.json");
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_THAT(claim->waived_findings, ElementsAre("moved_not_computed"));
  EXPECT_EQ(ClaimToJson(*claim)["waived_findings"], json["waived_findings"]);
  EXPECT_FALSE(ClaimToJson(*ClaimFromJson(ClaimOf({"PRO-FP"}), "")).contains("waived_findings"));
  EXPECT_THAT(ComplaintWith("waived_findings", {"mixed_flushing"}),
              HasSubstr("/waived_findings/0"));
}

TEST(Claim, MayDeclareWhatIsSupported) {
  Json json = ClaimOf({"PRO-INT"});
  json["declared"] = {
      {"format", "tensor-cts-declared-1"}, {"edition", "tosa-1.0"}, {"operators", {"ADD"}}};
  const auto claim = ClaimFromJson(json, "claim.json");
  ASSERT_TRUE(claim.ok()) << claim.status();
  EXPECT_EQ(ClaimToJson(*claim), json);
  json["declared"]["operators"] = {"ADDD"};
  EXPECT_THAT(Complaint(json), HasSubstr("claim.json: /declared: /operators/0: found \"ADDD\""));
  json["declared"]["edition"] = "rvtensor";
  EXPECT_THAT(Complaint(json), HasSubstr("/declared: /edition: found \"rvtensor\", expected "
                                         "\"tosa-1.0\""));
  EXPECT_THAT(ComplaintWith("declared", {{"operators", {"ADD"}}}),
              HasSubstr("/declared: /: missing required member"));
}

TEST(Claim, RefusesNoProfileAndNamesTwice) {
  EXPECT_THAT(Complaint(ClaimOf({})), HasSubstr("/profiles"));
  EXPECT_THAT(Complaint(ClaimOf({"PRO-INT", "PRO-INT"})),
              HasSubstr("/profiles/1: found \"PRO-INT\", expected every name once"));
}

TEST(Claim, AnExtensionNeedsAProfileThatItExtends) {
  EXPECT_THAT(Complaint(ClaimOf({"PRO-FP"}, {"EXT-FFT", "EXT-INT16"})),
              HasSubstr("/extensions/1: found \"EXT-INT16\", which extends PRO-INT: expected it "
                        "among the profiles"));
  // Either of its two suffices.
  EXPECT_EQ(Complaint(ClaimOf({"PRO-FP"}, {"EXT-CONTROLFLOW"})), "fine");
  EXPECT_EQ(Complaint(ClaimOf({"PRO-INT"}, {"EXT-CONTROLFLOW"})), "fine");
}

TEST(Claim, OfTheDraftIncludesBaseInferenceAndNoTraining) {
  EXPECT_EQ(Complaint(ClaimOf({"BI"}, {"EXT-INT16"}, "tosa-0.100")), "fine");
  EXPECT_EQ(Complaint(ClaimOf({"MI", "BI"}, {}, "tosa-0.100")), "fine");
  EXPECT_THAT(Complaint(ClaimOf({"MI"}, {}, "tosa-0.100")),
              HasSubstr("/profiles/0: found \"MI\", which includes BI"));
  EXPECT_THAT(Complaint(ClaimOf({"BI", "MT"}, {}, "tosa-0.100")),
              HasSubstr("/profiles/1: found \"MT\", which tosa-0.100 has in development"));
}

TEST(Claim, RefusesWhatNobodyCanRead) {
  for (const char* member : {"name", "version", "vendor", "hardware"}) {
    EXPECT_THAT(ComplaintWith(member, ""), HasSubstr(StrCat("/", member))) << member;
    EXPECT_THAT(ComplaintWith(member, "  "), HasSubstr(StrCat("/", member))) << member;
    EXPECT_THAT(ComplaintWith(member, "a\nb"), HasSubstr(StrCat("/", member))) << member;
    EXPECT_THAT(ComplaintWith(member, 3), HasSubstr(StrCat("/", member))) << member;
  }
  EXPECT_THAT(ComplaintWith("waivers", Json::array()), HasSubstr("unknown member \"waivers\""));
  Json without = ClaimOf({"PRO-INT"});
  without.erase("hardware");
  EXPECT_THAT(Complaint(without), HasSubstr("missing required member \"hardware\""));
}

}  // namespace
}  // namespace cts
