#include "tools/program/run/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cts {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ParseWorkerLine, ReadsAnswersAndAnnouncements) {
  const WorkerLine answer =
      ParseWorkerLine(R"({"case": "add/x", "status": "error", "message": "why", "more": 1})");
  EXPECT_THAT(answer.fault, IsEmpty());
  EXPECT_FALSE(answer.announcement);
  EXPECT_EQ(answer.id, "add/x");
  EXPECT_EQ(answer.status, CaseStatus::kError);
  EXPECT_EQ(answer.message, "why");

  const WorkerLine crash = ParseWorkerLine(R"({"case": "add/x", "status": "crash"})");
  EXPECT_THAT(crash.fault, IsEmpty());
  EXPECT_EQ(crash.status, CaseStatus::kCrash);

  const WorkerLine announcement =
      ParseWorkerLine(R"({"worker": "n", "version": "2", "about": "a", "batch": 8})");
  EXPECT_THAT(announcement.fault, IsEmpty());
  EXPECT_TRUE(announcement.announcement);
  EXPECT_EQ(announcement.name, "n");
  EXPECT_EQ(announcement.version, "2");
  EXPECT_EQ(announcement.about, "a");
  EXPECT_EQ(announcement.batch, 8);
  EXPECT_THAT(announcement.declared, IsEmpty());
  EXPECT_EQ(ParseWorkerLine(R"({"worker": "n", "version": "2", "declared": {"a": 1}})").declared,
            R"({"a":1})");
  EXPECT_EQ(ParseWorkerLine(R"({"worker": "n", "version": "2", "batch": 1000000})").batch, 4096);
  EXPECT_EQ(ParseWorkerLine(R"({"status": "ok"})").id, std::nullopt);
  EXPECT_EQ(announcement.code, std::nullopt);
  EXPECT_EQ(ParseWorkerLine(R"({"worker": "n", "code": []})").code, std::set<std::string>());
  EXPECT_EQ(ParseWorkerLine(R"({"worker": "n", "code": ["/b", "/a.py", "/b"]})").code,
            (std::set<std::string>{"/a.py", "/b"}));
}

TEST(ParseWorkerLine, SaysWhatIsWrong) {
  const auto fault = [](const std::string& text) { return ParseWorkerLine(text).fault; };
  EXPECT_THAT(fault("hello"),
              AllOf(HasSubstr("found \"hello\" on standard output"), HasSubstr("a JSON object")));
  EXPECT_THAT(fault("[1]"), HasSubstr("expected a JSON object"));
  EXPECT_EQ(fault(R"({"case": 3, "status": "ok"})"),
            "found \"case\": 3, expected the id as a string");
  EXPECT_EQ(fault(R"({"status": 1})"), "found \"status\": 1, expected a string");
  EXPECT_EQ(fault(R"({"status": "fine"})"),
            "found status \"fine\", expected ok, error, accepted, unsupported or crash");
  for (const char* status : {"timeout", "protocol", "CRASH", "crash ", "pass", ""}) {
    EXPECT_THAT(fault(StrCat(R"({"case": "a/b", "status": ")", status, R"("})")),
                HasSubstr("expected ok, error, accepted, unsupported or crash"));
  }
  EXPECT_EQ(fault(R"({})"), "found \"{}\", expected a member \"status\"");
  EXPECT_THAT(fault(R"({"worker": "n", "batch": 0})"),
              AllOf(HasSubstr("\"batch\": 0"), HasSubstr("an integer from 1")));
  EXPECT_THAT(fault(R"({"worker": "n", "declared": ["ADD"]})"),
              AllOf(HasSubstr("\"declared\": [\"ADD\"]"), HasSubstr("declared.schema.json")));
  for (const char* code : {"\"a.py\"", "[1]", "[\"\"]", "[\"a.py\"]", "{}", "null"}) {
    EXPECT_EQ(fault(StrCat(R"({"worker": "n", "code": )", code, "}")),
              StrCat("found \"code\": ", code, ", expected a list of absolute paths"));
  }
  // A fault that the adapter reports comes first.
  EXPECT_EQ(fault(R"({"status": "ok", "fault": "the plugin wrote to an input"})"),
            "the plugin wrote to an input");
}

TEST(WorkerRequest, IsOneLineOfJson) {
  EXPECT_EQ(
      WorkerRequest("add/x", "/s/add/x", "/r/0", true),
      "{\"case\":\"add/x\",\"case_dir\":\"/s/add/x\",\"more\":true,\"result_dir\":\"/r/0\"}\n");
}

TEST(Quote, CutsLongTexts) {
  EXPECT_EQ(Quote("a"), "\"a\"");
  EXPECT_EQ(Quote(std::string(201, 'x')), "\"" + std::string(200, 'x') + "...\"");
}

}  // namespace
}  // namespace cts
