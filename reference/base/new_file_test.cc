#include "reference/base/new_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/folder_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class NewFileTest : public FolderTest {
 protected:
  // Leaves what a process leaves that is killed while it writes `count` files for one place.
  void LeaveRemains(const fs::path& place, int count) {
    const pid_t child = fork();
    if (child == 0) {
      std::vector<NewFile> files;
      for (int i = 0; i < count; ++i) {
        StatusOr<NewFile> file = NewFile::Beside(place);
        if (!file.ok()) _exit(1);
        files.push_back(*std::move(file));
      }
      std::raise(SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
  }
};

TEST_F(NewFileTest, IsGoneIfItIsNotPut) {
  {
    StatusOr<NewFile> file = NewFile::Beside(root_ / "a");
    ASSERT_TRUE(file.ok()) << file.status();
    const NewFile moved = *std::move(file);
    EXPECT_TRUE(fs::exists(moved.path()));
    EXPECT_EQ(moved.path().parent_path(), root_);
  }
  EXPECT_EQ(Entries(root_), 0);
}

TEST_F(NewFileTest, IsPutInThePlaceOfWhatIsThereOrNot) {
  ASSERT_TRUE(WriteFile(root_ / "a", "before").ok());
  {
    StatusOr<NewFile> file = NewFile::Beside(root_ / "a");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_THAT(Message(file->PutWhereNothingIs("now")),
                HasSubstr("a: cannot write 3 bytes: File exists"));
  }
  EXPECT_EQ(*ReadFile(root_ / "a"), "before");
  EXPECT_EQ(Entries(root_), 1);
  {
    StatusOr<NewFile> file = NewFile::Beside(root_ / "b", 0600);
    ASSERT_TRUE(file.ok()) << file.status();
    ASSERT_TRUE(file->PutWhereNothingIs("now").ok());
  }
  EXPECT_EQ(*ReadFile(root_ / "b"), "now");
  EXPECT_EQ(fs::status(root_ / "b").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Entries(root_), 2);
}

TEST_F(NewFileTest, IsPutForGoodWhereNothingIs) {
  for (const auto& [text, code] : {std::pair("first", absl::StatusCode::kOk),
                                   std::pair("second", absl::StatusCode::kAlreadyExists)}) {
    StatusOr<NewFile> file = NewFile::Beside(root_ / "a");
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(file->PutForGood(text).code(), code);
  }
  EXPECT_EQ(*ReadFile(root_ / "a"), "first");
  EXPECT_EQ(Entries(root_), 1);
  StatusOr<NewFile> file = NewFile::Beside(root_ / "b");
  ASSERT_TRUE(file.ok()) << file.status();
  fs::remove(file->path());
  EXPECT_THAT(Message(file->PutForGood("now")), HasSubstr("b: cannot write 3 bytes: No such file"));
  EXPECT_EQ(Entries(root_), 1);
}

// A network file system may report a failure of a link that it made.
TEST_F(NewFileTest, IsPutForGoodIfItIsInItsPlaceAlready) {
  StatusOr<NewFile> file = NewFile::Beside(root_ / "a");
  ASSERT_TRUE(file.ok()) << file.status();
  fs::create_hard_link(file->path(), root_ / "a");
  const Status put = file->PutForGood("now");
  EXPECT_TRUE(put.ok()) << put;
  EXPECT_EQ(*ReadFile(root_ / "a"), "now");
  StatusOr<NewFile> other = NewFile::Beside(root_ / "b");
  ASSERT_TRUE(other.ok()) << other.status();
  fs::create_hard_link(other->path(), root_ / "c");
  ASSERT_TRUE(WriteFile(root_ / "b", "another's").ok());
  EXPECT_EQ(other->PutForGood("now").code(), absl::StatusCode::kAlreadyExists)
      << "a second name elsewhere is not the place";
}

TEST_F(NewFileTest, RemainsOfKilledProcessesGoWithTheNextCallForTheSamePlace) {
  LeaveRemains(root_ / "a", 3);
  LeaveRemains(root_ / "b", 1);
  EXPECT_EQ(Entries(root_), 4);
  ASSERT_TRUE(WriteFile(root_ / "a", "whole").ok());
  EXPECT_EQ(Entries(root_), 2) << "those of b stay";
  ASSERT_TRUE(WriteFile(root_ / "b", "whole").ok());
  EXPECT_EQ(Entries(root_), 2);
  EXPECT_EQ(*ReadFile(root_ / "a"), "whole");
  // The file of the first is in its place, so that the second's is the only one left.
  std::optional<NewFile> first;
  {
    StatusOr<NewFile> file = NewFile::Beside(root_ / "a");
    ASSERT_TRUE(file.ok()) << file.status();
    first.emplace(*std::move(file));
  }
  LeaveRemains(root_ / "a", 1);
  ASSERT_TRUE(first->Put("first").ok());
  first.reset();
  EXPECT_EQ(Entries(root_), 3);
  ASSERT_TRUE(WriteFile(root_ / "a", "next").ok());
  EXPECT_EQ(Entries(root_), 2);
}

TEST_F(NewFileTest, WhatALivingProcessWritesStays) {
  int ready[2], go[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    char byte = 'x';
    StatusOr<NewFile> file = NewFile::Beside(root_ / "a");
    const bool begun = file.ok() && write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) == 1;
    _exit(begun && file->Put("of the child").ok() ? 0 : 1);
  }
  char byte = 'x';
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  ASSERT_TRUE(WriteFile(root_ / "a", "of the parent").ok());
  EXPECT_EQ(*ReadFile(root_ / "a"), "of the parent");
  EXPECT_EQ(Entries(root_), 2);
  ASSERT_EQ(write(go[1], &byte, 1), 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(*ReadFile(root_ / "a"), "of the child");
  EXPECT_EQ(Entries(root_), 1);
  for (const int fd : {ready[0], ready[1], go[0], go[1]}) close(fd);
}

// Other things with the name of our file are not ours.
TEST_F(NewFileTest, WhatIsNoFileOfOursStays) {
  const fs::path name = NewFile::Beside(root_ / "a")->path();
  ASSERT_EQ(Entries(root_), 0);
  ASSERT_TRUE(WriteFile(root_ / "precious", "precious").ok());
  fs::create_symlink("precious", name);
  ASSERT_TRUE(WriteFile(root_ / "a", "1").ok());
  EXPECT_TRUE(fs::is_symlink(name));
  EXPECT_EQ(*ReadFile(root_ / "precious"), "precious");
  fs::remove(name);
  fs::create_directory(name);
  ASSERT_TRUE(WriteFile(root_ / "a", "2").ok());
  fs::remove(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  ASSERT_TRUE(WriteFile(root_ / "a", "3").ok());
  EXPECT_TRUE(fs::is_fifo(name));
  EXPECT_EQ(*ReadFile(root_ / "a"), "3");
  if (geteuid() == 0) {
    fs::remove(name);
    ASSERT_TRUE(WriteFile(name, "somebody's").ok());
    ASSERT_EQ(chown(name.c_str(), 12345, 12345), 0);
    ASSERT_TRUE(WriteFile(root_ / "a", "4").ok());
    EXPECT_EQ(*ReadFile(name), "somebody's");
  }
}

TEST_F(NewFileTest, ManyAtATimeAreEachWhole) {
  std::vector<std::thread> threads;
  for (char c = 'a'; c < 'i'; ++c) {
    threads.emplace_back([&, c] {
      for (int i = 0; i < 200; ++i) {
        const Status written = WriteFile(root_ / "one", std::string(1000, c));
        EXPECT_TRUE(written.ok()) << written;
        const StatusOr<std::string> found = ReadFile(root_ / "one");
        ASSERT_TRUE(found.ok()) << found.status();
        EXPECT_EQ(*found, std::string(1000, (*found)[0]));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Entries(root_), 1);
}

TEST_F(NewFileTest, MayHaveTheLongestName) {
  const fs::path place = root_ / std::string(255, 'x');
  LeaveRemains(place, 1);
  ASSERT_TRUE(WriteFile(place, "text").ok());
  EXPECT_EQ(*ReadFile(place), "text");
  EXPECT_EQ(Entries(root_), 1);
}

}  // namespace
}  // namespace cts
