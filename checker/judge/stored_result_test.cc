#include "checker/judge/stored_result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "checker/judge/suite_on_disk.h"
#include "reference/base/file.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// abs/a in a folder and in a pack, with the same files.
class StoredResultTest : public ::testing::Test {
 protected:
  StoredResultTest() {
    std::string pack;
    for (const auto& [name, contents] : {std::pair(".note", "runner's"), std::pair("b.npy", "12"),
                                         std::pair("result.json", "{}")}) {
      const std::string path = StrCat("abs/a/", name);
      EXPECT_TRUE(WriteFile(folders_ / path, contents).ok());
      pack += *PackedFile(path, contents);
    }
    pack += std::string(kPackEnd, '\0');
    EXPECT_TRUE(WriteFile(packed_ / "abs.tar", pack).ok());
  }
  static std::string Refusal(const StatusOr<StoredResult>& result) {
    return result.ok() ? "found" : Message(result.status());
  }

  testing_suite::Directory root_;
  const fs::path folders_ = root_ / "folders", packed_ = root_ / "packed";
};

TEST_F(StoredResultTest, IsTheSameInEitherForm) {
  for (const fs::path& results : {folders_, packed_}) {
    const StatusOr<StoredResult> result = StoredResult::Find(results, "abs/a");
    ASSERT_TRUE(result.ok()) << result.status();
    ASSERT_EQ(result->files().size(), 2u) << "a name with a dot is the runner's";
    EXPECT_EQ(result->files()[0].name, "b.npy");
    EXPECT_EQ(result->files()[0].size, 2u);
    EXPECT_EQ(result->files()[1].name, "result.json");
    EXPECT_TRUE(result->Has("result.json"));
    EXPECT_FALSE(result->Has(".note"));
    uint64_t said = 0;
    std::string bytes;
    const TakePieces take = {[&](uint64_t size) {
                               said = size;
                               return absl::OkStatus();
                             },
                             [&](std::string_view piece) {
                               bytes += piece;
                               return absl::OkStatus();
                             }};
    EXPECT_TRUE(result->Read("b.npy", take, nullptr).ok());
    EXPECT_EQ(said, 2u);
    EXPECT_EQ(bytes, "12");
    const std::atomic<bool> stop{true};
    EXPECT_TRUE(absl::IsCancelled(result->Read("b.npy", take, &stop)));
    EXPECT_FALSE(result->Read("none.npy", take, nullptr).ok());
    EXPECT_THAT(*StoredOperators(results), ElementsAre("abs"));
    EXPECT_THAT(*StoredCases(results, "abs"), ElementsAre("a"));
    EXPECT_TRUE(absl::IsNotFound(StoredResult::Find(results, "abs/b").status()));
    EXPECT_TRUE(absl::IsNotFound(StoredResult::Find(results, "add/a").status()));
  }
}

TEST_F(StoredResultTest, RefusesWhatRunDoesNotLeave) {
  fs::create_symlink(folders_ / "abs/a", folders_ / "abs/link");
  EXPECT_THAT(Refusal(StoredResult::Find(folders_, "abs/link")),
              HasSubstr("abs/link: expected a directory with results of abs/link"));
  fs::create_symlink("b.npy", folders_ / "abs/a/c.npy");
  EXPECT_THAT(Refusal(StoredResult::Find(folders_, "abs/a")),
              HasSubstr("abs/a/c.npy: expected a regular file, as run leaves it"));
  ASSERT_TRUE(WriteFile(packed_ / "add.tar",
                        *PackedFile("add/a/deeper/x", "1") + std::string(kPackEnd, '\0'))
                  .ok());
  EXPECT_THAT(Refusal(StoredResult::Find(packed_, "add/a")),
              AllOf(HasSubstr("add.tar: add/a/deeper: expected a regular file")));
}

// What a folder lacks does not come out of a pack beside it.
TEST_F(StoredResultTest, IsInOneOfTheTwo) {
  fs::copy_file(packed_ / "abs.tar", folders_ / "abs.tar");
  fs::remove(folders_ / "abs/a/b.npy");
  const StatusOr<Folder> folder = Folder::Open(folders_);
  ASSERT_TRUE(folder.ok());
  EXPECT_TRUE(absl::IsNotFound(folder->Read("abs/a/b.npy", 100).status()));
  fs::remove_all(folders_ / "abs/a");
  EXPECT_TRUE(absl::IsNotFound(folder->Inside("abs/a").status()));
  EXPECT_THAT(Message(CheckWhole(folders_, {"abs"})), HasSubstr("found the folder abs beside it"));
  EXPECT_THAT(Message(CheckWhole(folders_, {})),
              HasSubstr("abs.tar: found the folder abs beside it, and run.json"));
}

TEST_F(StoredResultTest, WholeIsWhatIsAllThere) {
  EXPECT_TRUE(CheckWhole(folders_, {}).ok());
  EXPECT_TRUE(CheckWhole(packed_, {"abs"}).ok());
  EXPECT_TRUE(CheckWhole(folders_, {"abs"}).ok()) << "unpacked";
  EXPECT_THAT(Message(CheckWhole(packed_, {"abs", "add"})), HasSubstr("add.tar: no such file"));
  ASSERT_TRUE(WriteFile(packed_ / "notes.tar", "no pack").ok());
  EXPECT_TRUE(CheckWhole(packed_, {"abs"}).ok());
  ASSERT_TRUE(WriteFile(packed_ / "add.tar", std::string(kPackEnd, '\0')).ok());
  EXPECT_THAT(Message(CheckWhole(packed_, {"abs", "add"})), HasSubstr("found no result of add"));
  fs::remove(packed_ / "add.tar");
  fs::resize_file(packed_ / "abs.tar", 1000);
  EXPECT_THAT(Message(CheckWhole(packed_, {"abs"})),
              AllOf(HasSubstr("abs.tar: byte 0"), HasSubstr("--resume")));
  fs::copy(folders_ / "abs", packed_ / "abs", fs::copy_options::recursive);
  EXPECT_THAT(Message(CheckWhole(packed_, {"abs"})), HasSubstr("found the folder abs beside it"));
  ASSERT_TRUE(WriteFile(folders_ / "results.unsorted", "").ok());
  EXPECT_THAT(Message(CheckWhole(folders_, {})),
              HasSubstr("results.unsorted: the run with --pack"));
}

}  // namespace
}  // namespace cts
