#include "reference/base/new_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "reference/base/file.h"
#include "reference/base/folder_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NewFolderTest : public FolderTest {};

TEST_F(NewFolderTest, IsThereOnceItIsPut) {
  fs::create_directory(root_ / "like");
  fs::permissions(root_ / "like", fs::perms::owner_all | fs::perms::group_read);
  const fs::path place = root_ / "a" / "b" / "";
  {
    StatusOr<NewFolder> folder = NewFolder::Beside(place);
    ASSERT_TRUE(folder.ok()) << folder.status();
    ASSERT_TRUE(WriteFile(folder->path() / "file", "text").ok());
    EXPECT_FALSE(fs::exists(root_ / "a" / "b"));
    ASSERT_TRUE(folder->PutWithPermissionsOf(root_ / "like").ok());
  }
  EXPECT_EQ(*ReadFile(place / "file"), "text");
  EXPECT_EQ(fs::status(place).permissions(), fs::status(root_ / "like").permissions());
  EXPECT_EQ(Entries(root_ / "a"), 1);
}

TEST_F(NewFolderTest, IsGoneIfItIsNotPut) {
  {
    StatusOr<NewFolder> folder = NewFolder::Beside(root_ / "a");
    ASSERT_TRUE(folder.ok()) << folder.status();
    ASSERT_TRUE(WriteFile(folder->path() / "file", "text").ok());
    const NewFolder moved = *std::move(folder);
    EXPECT_TRUE(fs::exists(moved.path() / "file"));
  }
  EXPECT_EQ(Entries(root_), 0);
}

TEST_F(NewFolderTest, ClearsWhatAKilledCallLeftAndNothingElse) {
  const pid_t child = fork();
  if (child == 0) {
    StatusOr<NewFolder> killed = NewFolder::Beside(root_ / "a");
    if (killed.ok()) WriteFile(killed->path() / "file", "half").IgnoreError();
    _exit(killed.ok() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_EQ(status, 0);
  ASSERT_EQ(Entries(root_), 1);
  ASSERT_TRUE(WriteFile(root_ / "a.tmp-backup" / "file", "somebody's").ok());
  ASSERT_TRUE(WriteFile(root_ / "a.tmp-secret" / "file", "somebody's").ok());
  const StatusOr<NewFolder> living = NewFolder::Beside(root_ / "a");
  ASSERT_TRUE(living.ok()) << living.status();
  EXPECT_EQ(Entries(root_), 3);
  StatusOr<NewFolder> other = NewFolder::Beside(root_ / "a");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_EQ(Entries(root_), 4);
  EXPECT_TRUE(fs::exists(living->path()));
  ASSERT_TRUE(other->PutWithPermissionsOf(root_).ok());
  EXPECT_EQ(Entries(root_ / "a"), 0);
}

TEST_F(NewFolderTest, SaysThatItsPlaceWasTaken) {
  StatusOr<NewFolder> folder = NewFolder::Beside(root_ / "a");
  ASSERT_TRUE(folder.ok()) << folder.status();
  ASSERT_TRUE(WriteFile(root_ / "a" / "file", "another's").ok());
  EXPECT_THAT(Message(folder->PutWithPermissionsOf(root_)), HasSubstr("cannot be put here"));
  EXPECT_EQ(*ReadFile(root_ / "a" / "file"), "another's");
}

TEST_F(NewFolderTest, HasAPlaceThatIsMissingOrEmpty) {
  EXPECT_TRUE(RequireNoFolder(root_ / "a").ok());
  EXPECT_TRUE(RequireNoFolder(root_).ok());
  ASSERT_TRUE(WriteFile(root_ / "file", "text").ok());
  for (const fs::path& taken : {root_, root_ / "file"}) {
    EXPECT_EQ(Message(RequireNoFolder(taken)),
              taken.string() + ": expected a folder that does not exist yet, or an empty one");
  }
}

}  // namespace
}  // namespace cts
