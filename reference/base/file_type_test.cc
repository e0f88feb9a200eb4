#include "reference/base/file_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "reference/base/file.h"
#include "reference/base/folder_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

class FileType : public FolderTest {};

TEST_F(FileType, TellsWhatIsThere) {
  ASSERT_TRUE(WriteFile(root_ / "full" / "file", "").ok());
  fs::create_directory(root_ / "empty");
  fs::create_symlink("nowhere", root_ / "link");
  fs::create_symlink("itself", root_ / "itself");
  ASSERT_EQ(::mkfifo((root_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(*TypeOf(root_ / "full" / "file"), fs::file_type::regular);
  EXPECT_EQ(*TypeOf(root_ / "full"), fs::file_type::directory);
  EXPECT_EQ(*TypeOf(root_ / "pipe"), fs::file_type::unknown);
  EXPECT_TRUE(*Exists(root_ / "pipe"));
  EXPECT_FALSE(*IsEmptyDirectory(root_ / "full"));
  EXPECT_TRUE(*IsEmptyDirectory(root_ / "empty"));
  EXPECT_FALSE(*IsEmptyDirectory(root_ / "full" / "file"));
  for (const char* name : {"link", "itself"}) {
    EXPECT_FALSE(*Exists(root_ / name));
    EXPECT_TRUE(*IsTaken(root_ / name));
  }
  for (const std::string& name :
       {std::string("absent"), std::string("full/file/below"), std::string(300, 'x')}) {
    EXPECT_FALSE(*Exists(root_ / name));
    EXPECT_FALSE(*IsTaken(root_ / name));
  }
}

}  // namespace
}  // namespace cts
