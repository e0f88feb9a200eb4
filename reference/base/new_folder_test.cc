#include "reference/base/new_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/file.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// An empty directory for each test.
class NewFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  static int64_t Entries(const fs::path& directory) {
    return std::distance(fs::directory_iterator(directory), fs::directory_iterator());
  }

  const fs::path root_ =
      fs::path(testing::TempDir()) /
      StrCat("cts_new_folder_", testing::UnitTest::GetInstance()->current_test_info()->name());
};

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
