#include "reference/base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "reference/base/folder_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class File : public FolderTest {};

TEST_F(File, WritesWhatItReads) {
  std::string bytes(300000, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  const fs::path path = root_ / "new" / "directory" / "file";
  ASSERT_TRUE(WriteFile(path, bytes).ok());
  EXPECT_EQ(*ReadFile(path), bytes);
  ASSERT_TRUE(WriteFile(path, "short").ok());
  EXPECT_EQ(*ReadFile(path), "short");
  ASSERT_TRUE(WriteFile(path, "").ok());
  EXPECT_EQ(*ReadFile(path), "");
  EXPECT_EQ(Entries(path.parent_path()), 1);
}

TEST_F(File, ReadNamesMissingFile) {
  const Status status = ReadFile(root_ / "absent").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(Message(status), (root_ / "absent").string() + ": no such file");
}

TEST_F(File, ReadRejectsWhatIsNotARegularFile) {
  EXPECT_THAT(Message(ReadFile(root_).status()), HasSubstr("found a directory"));
  EXPECT_THAT(Message(ReadFile("/dev/zero").status()), HasSubstr("found a special file"));
  // No process writes to this pipe: reading must not wait.
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(Message(ReadFile(root_ / "pipe").status()), HasSubstr("found a special file"));
}

TEST_F(File, ReadRejectsMoreThanTheLimit) {
  ASSERT_TRUE(WriteFile(root_ / "file", "12345").ok());
  EXPECT_TRUE(ReadFile(root_ / "file", 5).ok());
  const Status status = ReadFile(root_ / "file", 4).status();
  EXPECT_THAT(Message(status), HasSubstr("found 5 bytes, expected at most 4"));
}

TEST_F(File, WriteFailsWhereTheDirectoryIsAFile) {
  ASSERT_TRUE(WriteFile(root_ / "file", "kept").ok());
  const Status status = WriteFile(root_ / "file" / "below", "x");
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(status), HasSubstr((root_ / "file" / "below").string()));
  EXPECT_EQ(*ReadFile(root_ / "file"), "kept");
}

TEST_F(File, WriteOntoADirectoryFailsAndLeavesNothing) {
  fs::create_directories(root_ / "directory");
  EXPECT_THAT(Message(WriteFile(root_ / "directory", "x")), HasSubstr("cannot write"));
  EXPECT_THAT(Message(WriteFile(root_ / "directory/", "x")), HasSubstr("the path of a file"));
  EXPECT_EQ(Entries(root_), 1);
}

TEST_F(File, WriteFailsWhereNothingCanBeCreated) {
  // Not even root creates files here.
  EXPECT_EQ(WriteFile("/proc/self/file", "x").code(), absl::StatusCode::kUnavailable);
}

// A limit on file sizes stands in for a full disk: the kernel writes what fits, then refuses.
TEST_F(File, WriteThatRunsOutOfSpaceLeavesTheOldFileAndNothingElse) {
  ASSERT_TRUE(WriteFile(root_ / "file", "old").ok());
  rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 4096;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = WriteFile(root_ / "file", std::string(10000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(Message(status), HasSubstr("cannot write 10000 bytes: File too large"));
  EXPECT_EQ(*ReadFile(root_ / "file"), "old");
  EXPECT_EQ(Entries(root_), 1);
}

TEST_F(File, ReadersNeverSeeHalfAFile) {
  const fs::path path = root_ / "file";
  const std::string texts[] = {std::string(200000, 'a'), std::string(100000, 'b')};
  ASSERT_TRUE(WriteFile(path, texts[0]).ok());
  std::vector<std::thread> writers;
  for (const std::string& text : texts) {
    writers.emplace_back([&path, &text] {
      for (int i = 0; i < 100; ++i) EXPECT_TRUE(WriteFile(path, text).ok());
    });
  }
  for (int i = 0; i < 100; ++i) {
    const StatusOr<std::string> read = ReadFile(path);
    EXPECT_TRUE(read.ok() && (*read == texts[0] || *read == texts[1]));
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(Entries(root_), 1);
}

TEST_F(File, PathInsideJoins) {
  EXPECT_EQ(*PathInside(root_, "a/b.npy"), root_ / "a/b.npy");
  EXPECT_EQ(*PathInside(root_, "./a//b.npy"), root_ / "a/b.npy");
  EXPECT_EQ(*PathInside(root_, "..a/b..npy"), root_ / "..a/b..npy");
  EXPECT_TRUE(PathInside(root_ / "not" / "yet", "a").ok());
}

TEST_F(File, PathInsideRejectsWaysOut) {
  for (std::string_view name : {"/etc/passwd", "..", "../x", "a/../../x", "a/..", ""}) {
    EXPECT_FALSE(PathInside(root_, name).ok()) << name;
  }
  EXPECT_FALSE(PathInside(root_, std::string_view("a\0b", 3)).ok());
  EXPECT_THAT(Message(PathInside(root_, "a/../x").status()), HasSubstr("found '..'"));
}

TEST_F(File, PathInsideFollowsLinksWithinAndRejectsThoseThatLeave) {
  fs::create_directories(root_ / "root/real");
  fs::create_directories(root_ / "rooted");
  fs::create_symlink("real", root_ / "root/within");
  fs::create_symlink("../../rooted", root_ / "root/real/out");
  fs::create_symlink("/etc/passwd", root_ / "root/file");
  fs::create_symlink(root_ / "nowhere", root_ / "root/dangling");
  fs::create_directory_symlink(root_ / "root", root_ / "link_to_root");
  EXPECT_TRUE(PathInside(root_ / "root", "within/x").ok());
  EXPECT_TRUE(PathInside(root_ / "link_to_root", "within/x").ok());
  EXPECT_THAT(Message(PathInside(root_ / "root", "real/out/x").status()),
              HasSubstr("leaves the directory"));
  EXPECT_FALSE(PathInside(root_ / "root", "within/out/x").ok());
  EXPECT_FALSE(PathInside(root_ / "root", "file").ok());
  EXPECT_THAT(Message(PathInside(root_ / "root", "dangling").status()), HasSubstr("leads nowhere"));
}

// Every kind of place, by Folder and by PathInside with ReadFile: the same answer.
TEST_F(File, FolderReadsWhatLiesInsideAndNothingElse) {
  const fs::path root = root_ / "root";
  ASSERT_TRUE(WriteFile(root / "real/file", "inside").ok());
  ASSERT_TRUE(WriteFile(root_ / "rooted/file", "outside").ok());
  fs::create_symlink("real", root / "within");
  fs::create_symlink(root / "real", root / "absolute");
  fs::create_symlink("../../rooted", root / "real/out");
  fs::create_symlink("real/file", root / "file");
  fs::create_symlink("/etc/passwd", root / "passwd");
  fs::create_symlink("loop", root / "loop");
  fs::create_symlink("nowhere", root / "dangling");
  ASSERT_EQ(::mkfifo((root / "pipe").c_str(), 0600), 0);
  const StatusOr<Folder> folder = Folder::Open(root);
  ASSERT_TRUE(folder.ok());
  int read = 0;
  for (const std::string_view name : {"real/file",
                                      "./real//file",
                                      "within/file",
                                      "absolute/file",
                                      "file",
                                      "real/out/file",
                                      "within/out/file",
                                      "passwd",
                                      "loop",
                                      "loop/file",
                                      "dangling",
                                      "pipe",
                                      "real",
                                      "absent",
                                      "absent/file",
                                      "real/file/below",
                                      "../rooted/file",
                                      "/etc/passwd",
                                      "",
                                      "..",
                                      "real/../file",
                                      "real/"}) {
    const StatusOr<fs::path> path = PathInside(root, name);
    const StatusOr<std::string> expected =
        path.ok() ? ReadFile(*path, 100) : StatusOr<std::string>(path.status());
    const StatusOr<std::string> bytes = folder->Read(name, 100);
    ASSERT_EQ(bytes.ok(), expected.ok()) << name << ": " << Message(bytes.status());
    EXPECT_EQ(bytes.status().code(), expected.status().code()) << name;
    EXPECT_EQ(bytes.value_or("inside"), "inside") << name;
    read += bytes.ok() ? 1 : 0;
  }
  EXPECT_EQ(read, 5);
  EXPECT_THAT(Message(folder->Read("real/file", 5).status()), HasSubstr("expected at most 5"));
}

TEST_F(File, FolderInsideLeadsNowhereElse) {
  const fs::path root = root_ / "root";
  ASSERT_TRUE(WriteFile(root / "real/file", "inside").ok());
  fs::create_symlink("real", root / "within");
  fs::create_symlink("..", root / "out");
  const StatusOr<Folder> folder = Folder::Open(root);
  ASSERT_TRUE(folder.ok());
  EXPECT_EQ(*folder->Inside("real")->Read("file", 100), "inside");
  EXPECT_EQ(*folder->Inside("within")->Read("file", 100), "inside");
  EXPECT_THAT(Message(folder->Inside("out").status()), HasSubstr("leaves the directory"));
  EXPECT_THAT(Message(folder->Inside("..").status()), HasSubstr("found '..'"));
  EXPECT_EQ(folder->Inside("absent").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(folder->Inside("real/file").ok());
  EXPECT_FALSE(Folder::Open(root / "real/file").ok());
}

}  // namespace
}  // namespace cts
