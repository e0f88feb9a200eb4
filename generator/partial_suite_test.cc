#include "generator/partial_suite.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "reference/base/file.h"
#include "reference/base/folder_testing.h"
#include "reference/base/pack.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

FinishedCase Finished() {
  FinishedCase finished;
  finished.entry = {"add/a", "ADD", "valid", std::string(64, 'a'), {"c"}, 0.5, "add/b"};
  finished.files = {"case.json", "in.npy"};
  return finished;
}

TEST(Journal, LineComesBack) {
  const std::string line = JournalLine(Finished());
  const auto again = ParseJournalLine(line);
  ASSERT_TRUE(again);
  EXPECT_EQ(JournalLine(*again), line);
  FinishedCase packed = Finished();
  packed.packed = {512, 1024};
  const auto place = ParseJournalLine(JournalLine(packed))->packed;
  ASSERT_TRUE(place);
  EXPECT_EQ(place->offset, 512);
  EXPECT_EQ(place->size, 1024);
}

TEST(Journal, PassesOverLinesThatAreNotWhole) {
  const std::string line = JournalLine(Finished());
  EXPECT_FALSE(ParseJournalLine(line.substr(0, line.size() - 5)));
  for (const auto& [from, to] : {std::pair("0.5", "\"x\""),
                                 {"\"add/b\"", "5"},
                                 {"[\"c\"]", "[1]"},
                                 {"\"add/a\"", "\"../../a\""}}) {
    std::string other = line;
    other.replace(other.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(ParseJournalLine(other)) << other;
  }
}

using testing::ElementsAre;
using testing::HasSubstr;

class PackedSuite : public FolderTest {
 protected:
  PackedSuite() {
    suite_.name = "by hand";
    suite_.edition = "tosa-1.0";
    suite_.level = "8K";
    suite_.generator = "tensor-cts test";
    suite_.recipe = "{}";
    for (const char* id : {"abs/a", "abs/b", "add/c"}) {
      suite_.cases.push_back({id, "ABS", "valid", BundleDigest(Files(id)), {}, {}, ""});
    }
    suite_.digest = SuiteDigest(suite_.cases);
  }
  static std::vector<BundleFile> Files(const std::string& id) {
    return {{"case.json", "of " + id}, {"expected/out.npy", std::string(600, id.back())}};
  }
  Status Write(PartialSuite& partial, size_t i) const {
    return partial.Write(suite_.cases[i], Files(suite_.cases[i].id));
  }
  fs::path Out() const { return root_ / "suite"; }

  Suite suite_;
};

TEST_F(PackedSuite, HoldsTheCasesInTheOrderOfTheManifest) {
  PartialSuite partial;
  ASSERT_TRUE(partial.Open(Out(), suite_, false, true).ok());
  for (const size_t i : {1, 2, 0}) ASSERT_TRUE(Write(partial, i).ok());
  ASSERT_TRUE(partial.MoveTo(Out(), suite_).ok());
  std::string expected;
  for (const char* id : {"abs/a", "abs/b"}) {
    for (const BundleFile& file : Files(id)) {
      expected += *PackedFile(std::string(id) + "/" + file.path, file.bytes);
    }
  }
  EXPECT_EQ(*ReadFile(Out() / "abs.tar"), expected + std::string(kPackEnd, '\0'));
  EXPECT_THAT((*Pack::Open(Out() / "add.tar"))->Names(),
              ElementsAre("add/c/case.json", "add/c/expected/out.npy"));
  EXPECT_EQ(Entries(Out()), 3);  // two packs and the manifest
}

TEST_F(PackedSuite, GoesOnWhereItWasInterrupted) {
  {
    PartialSuite partial;
    ASSERT_TRUE(partial.Open(Out(), suite_, false, true).ok());
    for (const size_t i : {1, 0}) ASSERT_TRUE(Write(partial, i).ok());
    partial.Keep();
  }
  {  // as folders it was not begun
    PartialSuite partial;
    EXPECT_THAT(Message(partial.Open(Out(), suite_, true)), HasSubstr("other options"));
  }
  PartialSuite partial;
  ASSERT_TRUE(partial.Open(Out(), suite_, true, true).ok());
  const auto complete = partial.Complete();
  EXPECT_EQ(complete.size(), 2);
  EXPECT_TRUE(complete.count("abs/a") > 0 && complete.count("abs/b") > 0);
  ASSERT_TRUE(Write(partial, 2).ok());
  ASSERT_TRUE(partial.MoveTo(Out(), suite_).ok());
  for (const SuiteEntry& entry : suite_.cases) {
    const Folder folder = *Folder::Open(Out() / entry.id);
    EXPECT_EQ(*folder.Read("case.json", 100), "of " + entry.id);
  }
}

// As after a power cut: the journal is there, the data are not.
TEST_F(PackedSuite, MakesAgainWhatWasLost) {
  {
    PartialSuite partial;
    ASSERT_TRUE(partial.Open(Out(), suite_, false, true).ok());
    for (const size_t i : {0, 1}) ASSERT_TRUE(Write(partial, i).ok());
    partial.Keep();
  }
  const fs::path data = PartialSuite::PathFor(Out()) / "cases.unsorted";
  fs::resize_file(data, fs::file_size(data) - 600);
  PartialSuite partial;
  ASSERT_TRUE(partial.Open(Out(), suite_, true, true).ok());
  EXPECT_EQ(partial.Complete().size(), 1);
}

}  // namespace
}  // namespace cts
