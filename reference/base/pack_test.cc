#include "reference/base/pack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/folder_testing.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class PackTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    ASSERT_TRUE(WriteFile(root_ / "suite.json", "{}").ok());
  }

  static std::string Packed(std::string_view name, std::string_view contents) {
    return PackedFile(name, contents).value_or("");
  }
  static std::string End() { return std::string(kPackEnd, '\0'); }
  static std::string Whole() {
    return Packed("abs/a/case.json", "{\"x\": 1}") + Packed("abs/a/expected/out.npy", "12345") +
           Packed("abs/b/case.json", std::string(1000, 'y')) + End();
  }

  void Write(const std::string& bytes) { ASSERT_TRUE(WriteFile(root_ / "abs.tar", bytes).ok()); }
  std::string Refusal(const std::string& bytes) {
    Write(bytes);
    return Message(Pack::Open(root_ / "abs.tar").status());
  }
};

TEST_F(PackTest, FolderReadsItsFilesAsIfTheyLayThere) {
  Write(Whole());
  const Folder folder = *Folder::Open(root_);
  EXPECT_EQ(*folder.Read("abs/a/case.json", 100), "{\"x\": 1}");
  EXPECT_EQ(*folder.Inside("abs/a")->Read("expected/out.npy", 5), "12345");
  EXPECT_EQ(*folder.Inside("abs")->Inside("a/expected")->Read("out.npy", 5), "12345");
  EXPECT_EQ(*Folder::Open(root_ / "abs/b")->Read("case.json", 1000), std::string(1000, 'y'));
  EXPECT_EQ(*Folder::Open(root_ / "abs")->Read("b/case.json", 1000), std::string(1000, 'y'));
}

TEST_F(PackTest, MissingFilesAreNotFound) {
  Write(Whole());
  const Folder folder = *Folder::Open(root_);
  for (const Status& status :
       {folder.Read("abs/c/case.json", 9).status(), folder.Read("add/a/case.json", 9).status(),
        folder.Inside("abs/c").status(), folder.Inside("abs/a/bound").status(),
        Folder::Open(root_ / "abs/c").status(), Folder::Open(root_ / "add/a").status()}) {
    EXPECT_TRUE(absl::IsNotFound(status)) << status;
  }
}

TEST_F(PackTest, LimitsAndNamesAreThoseOfAFolder) {
  Write(Whole());
  const Folder folder = *Folder::Open(root_);
  EXPECT_THAT(Message(folder.Read("abs/a/case.json", 7).status()),
              HasSubstr("abs.tar: abs/a/case.json: found 8 bytes, expected at most 7"));
  EXPECT_THAT(Message(folder.Read("abs/a", 7).status()), HasSubstr("found a directory"));
  EXPECT_THAT(Message(folder.Inside("abs/a")->Read("../b/case.json", 9999).status()),
              HasSubstr("found '..'"));
}

TEST_F(PackTest, UnpackedFolderComesFirst) {
  Write(Whole());
  ASSERT_TRUE(WriteFile(root_ / "abs/a/case.json", "other").ok());
  EXPECT_EQ(*Folder::Open(root_)->Read("abs/a/case.json", 100), "other");
}

TEST_F(PackTest, TarBesideSomethingElseIsNone) {
  fs::remove(root_ / "suite.json");
  Write(Whole());
  EXPECT_TRUE(absl::IsNotFound(Folder::Open(root_ / "abs/a").status()));
}

TEST_F(PackTest, TarUnpacksIt) {
  const std::string name = "abs/" + std::string(150, 'n') + "/expected/out.npy";
  Write(Packed("abs/a/case.json", "{}") + Packed(name, "12345") + End());
  const std::string command =
      "tar -C '" + (root_ / "").string() + "' -xf '" + (root_ / "abs.tar").string() + "' 2>&1";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(*ReadFile(root_ / "abs/a/case.json"), "{}");
  EXPECT_EQ(*ReadFile(root_ / name), "12345");
}

TEST_F(PackTest, FileThatWasWrittenAnewIsReadAnew) {
  Write(Whole());
  EXPECT_EQ((*Pack::Open(root_ / "abs.tar"))->Names().size(), 3);
  Write(Packed("abs/z", "1") + End());
  EXPECT_THAT((*Pack::Open(root_ / "abs.tar"))->Names(), ElementsAre("abs/z"));
}

TEST_F(PackTest, RefusesWhatIsNotWhole) {
  const std::string whole = Whole();
  // Cut within a header, within a file, before the end, within the end; and beyond it.
  EXPECT_THAT(Refusal(whole.substr(0, 100)), HasSubstr("byte 0: found the end of the file"));
  EXPECT_THAT(
      Refusal(whole.substr(0, 520)),
      HasSubstr("byte 0: abs/a/case.json: found 8 bytes, expected 8: the file is not whole"));
  EXPECT_THAT(Refusal(whole.substr(0, 1024)), HasSubstr("byte 1024: found the end of the file"));
  EXPECT_THAT(Refusal(whole.substr(0, whole.size() - 512)),
              HasSubstr("found 512 bytes after the last file, expected 1024"));
  EXPECT_THAT(Refusal(whole + "x"), HasSubstr("found 1025 bytes after the last file"));
  EXPECT_THAT(Refusal(""), HasSubstr("byte 0: found the end of the file"));
  for (size_t size = 0; size < whole.size(); size += 37) {
    EXPECT_NE(Refusal(whole.substr(0, size)), "") << size;
  }
}

TEST_F(PackTest, RefusesHiddenBytes) {
  std::string padding = Whole(), end = Whole();
  padding[512 + 100] = 'x';
  EXPECT_THAT(Refusal(padding), HasSubstr("other bytes than zeros behind the file"));
  end.back() = 'x';
  EXPECT_THAT(Refusal(end), HasSubstr("other bytes than zeros after the last file"));
}

TEST_F(PackTest, RefusesNamesThatRepeatOrLieElsewhere) {
  const std::string a = Packed("abs/a", "1");
  EXPECT_THAT(Refusal(a + a + End()), HasSubstr("byte 1024: found abs/a twice"));
  EXPECT_THAT(Refusal(a + Packed("abs/a/b", "1") + End()), HasSubstr("as a file and as a folder"));
  EXPECT_THAT(Refusal(Packed("abs/a/b", "1") + a + End()), HasSubstr("as a file and as a folder"));
  EXPECT_THAT(Refusal(Packed("add/a", "1") + End()),
              HasSubstr("found the name add/a, expected one below abs/"));
  EXPECT_THAT(Refusal(Packed("abs2/a", "1") + End()), HasSubstr("expected one below abs/"));
}

// Every byte of a header counts: a link, another owner, a path that leaves, another size.
TEST_F(PackTest, RefusesEveryChangeOfAHeader) {
  const std::string whole = Whole();
  for (size_t i = 0; i < 512; ++i) {
    std::string other = whole;
    other[i] = static_cast<char>(other[i] ^ 1);
    EXPECT_THAT(Refusal(other), HasSubstr("abs.tar: byte 0: ")) << i;
  }
}

TEST_F(PackTest, RefusesLinks) {
  ASSERT_TRUE(WriteFile(root_ / "elsewhere", Whole()).ok());
  fs::create_symlink("elsewhere", root_ / "abs.tar");
  EXPECT_THAT(Message(Folder::Open(root_)->Read("abs/a/case.json", 100).status()),
              HasSubstr("found a link"));
}

TEST(PackedFile, RefusesNamesThatDoNotFit) {
  for (const std::string& name :
       {std::string(), std::string("/a"), std::string("a//b"), std::string("a/../b"),
        std::string("a/./b"), std::string("a/"), std::string("a b"), std::string(101, 'a'),
        std::string(156, 'a') + "/b", "a/" + std::string(101, 'b')}) {
    EXPECT_FALSE(PackedFile(name, "").ok()) << name;
  }
  EXPECT_TRUE(PackedFile(std::string(155, 'a') + "/" + std::string(100, 'b'), "").ok());
}

TEST_F(PackTest, ListsWhatLiesInAFolder) {
  Write(Packed("abs/b/x", "1") + Packed("abs/a/expected/out.npy", "12") + Packed("abs/a/z", "") +
        Packed("abs/a/case.json", "{}") + End());
  const auto pack = *Pack::Open(root_ / "abs.tar");
  EXPECT_THAT(pack->NamesIn("abs"), ElementsAre("a", "b"));
  EXPECT_THAT(pack->NamesIn("abs/a"), ElementsAre("case.json", "expected", "z"));
  EXPECT_THAT(pack->NamesIn("abs/a/expected"), ElementsAre("out.npy"));
  EXPECT_THAT(pack->NamesIn("abs/a/z"), ElementsAre());
  EXPECT_THAT(pack->NamesIn("ab"), ElementsAre());
}

TEST_F(PackTest, ReadsPieceByPiece) {
  std::string contents(3'000'001, 'x');
  for (size_t i = 0; i < contents.size(); ++i) contents[i] = static_cast<char>(i * 31 >> 3);
  Write(Packed("abs/a/y", "1") + Packed("abs/a/z", contents) + End());
  const auto pack = *Pack::Open(root_ / "abs.tar");
  std::string read;
  int pieces = 0;
  EXPECT_TRUE(pack->ReadPieces(*pack->Find("abs/a/z"),
                               [&](std::string_view piece) {
                                 ++pieces;
                                 read += piece;
                                 return absl::OkStatus();
                               })
                  .ok());
  EXPECT_EQ(read, contents);
  EXPECT_GT(pieces, 2);
  const Status stopped = pack->ReadPieces(*pack->Find("abs/a/y"), [](std::string_view) {
    return Status(absl::CancelledError("stop"));
  });
  EXPECT_TRUE(absl::IsCancelled(stopped));
}

// A file in pieces is the file as a whole, and its place is where it lies.
TEST_F(PackTest, WriterWritesWhatPackedFileDoes) {
  const std::string large(2'500'000, 'l');
  std::string bytes;
  PackWriter writer([&](std::string_view piece) {
    bytes += piece;
    return absl::OkStatus();
  });
  std::vector<uint64_t> places;
  for (const auto& [name, contents] :
       {std::pair("abs/a", std::string("12")), std::pair("abs/b", large),
        std::pair("abs/c", std::string())}) {
    ASSERT_TRUE(writer.Begin(name, contents.size()).ok());
    places.push_back(writer.at());
    for (size_t at = 0; at < contents.size(); at += 999'983) {
      ASSERT_TRUE(writer.Add(std::string_view(contents).substr(at, 999'983)).ok());
    }
    ASSERT_TRUE(writer.End().ok());
  }
  ASSERT_TRUE(writer.Flush().ok());
  EXPECT_EQ(bytes, Packed("abs/a", "12") + Packed("abs/b", large) + Packed("abs/c", ""));
  EXPECT_EQ(bytes.substr(places[0], 2), "12");
  EXPECT_EQ(bytes.substr(places[1], 2), "ll");
  EXPECT_EQ(places[2], bytes.size());
}

TEST_F(PackTest, WriterRefusesAFileOfAnotherLength) {
  PackWriter writer([](std::string_view) { return absl::OkStatus(); });
  ASSERT_TRUE(writer.Begin("abs/a", 3).ok());
  ASSERT_TRUE(writer.Add("12").ok());
  EXPECT_EQ(Message(writer.End()),
            "abs/a: found 2 bytes, expected 3: changed its size while it was packed");
  EXPECT_THAT(Message(writer.Begin(std::string(300, 'a'), 3)), HasSubstr("leave --pack out"));
}

TEST_F(PackTest, FileOfAWriterIsAPackOnceItIsClosed) {
  const fs::path path = root_ / "abs.tar";
  {
    PackFile file;
    ASSERT_TRUE(file.Create(path).ok());
    ASSERT_TRUE(file.writer().Begin("abs/a", 2).ok());
    ASSERT_TRUE(file.writer().Add("12").ok());
    ASSERT_TRUE(file.writer().End().ok());
    EXPECT_FALSE(Pack::Open(path).ok());
    ASSERT_TRUE(file.Close().ok());
  }
  EXPECT_EQ(*ReadFile(path), Packed("abs/a", "12") + End());
  EXPECT_EQ(*Folder::Open(root_)->Read("abs/a", 9), "12");
  EXPECT_THAT(Message(PackFile().Create(root_ / "none/abs.tar")), HasSubstr("cannot be created"));
}

TEST(EntriesOfPacked, GiveNamesAndPlaces) {
  const std::string bytes = *PackedFile("a/b", "12") + *PackedFile("a/c", "");
  const auto entries = EntriesOfPacked(bytes);
  ASSERT_TRUE(entries.ok());
  ASSERT_EQ(entries->size(), 2);
  EXPECT_EQ((*entries)[0].name, "a/b");
  EXPECT_EQ(bytes.substr((*entries)[0].offset, (*entries)[0].size), "12");
  EXPECT_EQ((*entries)[1].size, 0);
  EXPECT_FALSE(EntriesOfPacked(bytes.substr(0, bytes.size() - 1)).ok());
}

}  // namespace
}  // namespace cts
