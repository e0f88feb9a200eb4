#include "tools/program/certify/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zstd.h>

#include <chrono>
#include <map>
#include <memory>

#include "checker/judge/suite_on_disk.h"
#include "reference/base/file.h"
#include "tools/program/certify/pack.h"
#include "tools/program/certify/unpack.h"

namespace cts {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using testing_suite::Directory;

using Files = std::map<std::string, std::string>;  // path and bytes

// Every kind of name and size that evidence may have.
Files SomeFiles() {
  const std::string id = "conv2d/" + std::string(120, 'x') + "/" + std::string(160, 'y');
  return {{"SHA256SUMS", "sums\n"},
          {"certificate.intoto.json", "{}"},
          {"claim.json", std::string(300'000, 'c')},
          {"results/abs/a/output.npy", std::string("\0\1\xff\0", 4)},
          {"results/abs/a/result.json", ""},
          {"results/run.json", std::string(512, 'r')},
          {"suite/" + id + "/case.json", "long"},
          {"suite/suite.json", std::string(513, '\0')}};
}

Files ReadAll(const fs::path& root) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(root).string()] = *ReadFile(entry.path());
  }
  return files;
}

void WriteAll(const Files& files, const fs::path& root) {
  for (const auto& [path, bytes] : files) ASSERT_TRUE(WriteFile(root / path, bytes).ok());
}

std::string Compressed(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string Decompressed(std::string_view packed) {
  std::string bytes(size_t{1} << 20, '\0');
  const std::unique_ptr<ZSTD_DCtx, size_t (*)(ZSTD_DCtx*)> context(ZSTD_createDCtx(),
                                                                   ZSTD_freeDCtx);
  ZSTD_outBuffer out{bytes.data(), bytes.size(), 0};
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  EXPECT_EQ(ZSTD_decompressStream(context.get(), &out, &in), 0);
  bytes.resize(out.pos);
  return bytes;
}

// An entry that a stranger puts into an archive.
struct Entry {
  std::string name, bytes;
  unsigned type = AE_IFREG;
  std::string target = {};  // of a link
  bool hard = false;
};

la_ssize_t Append(archive* /*archive*/, void* bytes, const void* more, size_t size) {
  static_cast<std::string*>(bytes)->append(static_cast<const char*>(more), size);
  return static_cast<la_ssize_t>(size);
}

std::string Tar(const std::vector<Entry>& entries) {
  std::string bytes;
  archive* const tar = archive_write_new();
  archive_write_set_format_pax_restricted(tar);
  archive_write_set_bytes_per_block(tar, 0);
  EXPECT_EQ(archive_write_open(tar, &bytes, nullptr, Append, nullptr), ARCHIVE_OK);
  for (const Entry& given : entries) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, given.name.c_str());
    archive_entry_set_filetype(entry, given.type);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_size(entry, static_cast<la_int64_t>(given.bytes.size()));
    if (given.type == AE_IFLNK) archive_entry_set_symlink(entry, given.target.c_str());
    if (given.hard) archive_entry_set_hardlink(entry, given.target.c_str());
    EXPECT_EQ(archive_write_header(tar, entry), ARCHIVE_OK) << given.name;
    archive_write_data(tar, given.bytes.data(), given.bytes.size());
    archive_entry_free(entry);
  }
  archive_write_free(tar);
  return bytes;
}

class Archive : public testing::Test {
 protected:
  fs::path file() const { return directory_ / "e.tar.zst"; }

  std::string PackedBytes(const fs::path& evidence) {
    std::error_code ignored;
    fs::remove(file(), ignored);
    const Status packed = PackEvidence(evidence, file(), {}, nullptr);
    EXPECT_TRUE(packed.ok()) << packed;
    return *ReadFile(file());
  }

  // The files of an archive, or the error.
  StatusOr<Files> Unpacked(const std::string& packed) {
    EXPECT_TRUE(WriteFile(file(), packed).ok());
    const Directory place;
    CTS_RETURN_IF_ERROR(UnpackEvidence(file(), place / "", {}, nullptr));
    for (const auto& entry : fs::directory_iterator(place / "")) {
      EXPECT_EQ(entry.path().filename(), kArchiveFolder);
    }
    return ReadAll(place / std::string(kArchiveFolder));
  }

  std::string Refusal(const std::string& packed) {
    const StatusOr<Files> unpacked = Unpacked(packed);
    if (unpacked.ok()) return "";
    EXPECT_TRUE(absl::IsInvalidArgument(unpacked.status())) << unpacked.status();
    EXPECT_THAT(Message(unpacked.status()),
                AllOf(StartsWith(file().string() + ": "), HasSubstr("found "),
                      HasSubstr(", expected "), HasSubstr("; get the file again")));
    return Message(unpacked.status());
  }

  std::string RefusalOf(const std::vector<Entry>& entries) {
    return Refusal(Compressed(Tar(entries)));
  }

  Directory directory_;
};

TEST_F(Archive, HoldsEveryFileAsItWas) {
  WriteAll(SomeFiles(), directory_ / "evidence");
  const StatusOr<Files> unpacked = Unpacked(PackedBytes(directory_ / "evidence"));
  ASSERT_TRUE(unpacked.ok()) << unpacked.status();
  EXPECT_EQ(*unpacked, SomeFiles());
}

TEST_F(Archive, HasTheSameBytesForTheSameFiles) {
  WriteAll(SomeFiles(), directory_ / "one");
  const std::string first = PackedBytes(directory_ / "one");
  EXPECT_EQ(PackedBytes(directory_ / "one"), first);
  // Made in another order, at another time, with other permissions.
  const Files files = SomeFiles();
  for (auto it = files.rbegin(); it != files.rend(); ++it) {
    const fs::path path = directory_ / "two" / it->first;
    ASSERT_TRUE(WriteFile(path, it->second).ok());
    fs::permissions(path, fs::perms::owner_all);
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(5000));
  }
  EXPECT_EQ(PackedBytes(directory_ / "two"), first);
  // Another byte is another archive.
  ASSERT_TRUE(WriteFile(directory_ / "two/claim.json", "c").ok());
  EXPECT_NE(PackedBytes(directory_ / "two"), first);
}

// POSIX, ustar header block: mode at 100, uid 108, gid 116, size 124, mtime 136, uname 265.
TEST_F(Archive, SaysNothingOfWhoMadeItAndWhen) {
  WriteAll({{"claim.json", "{}"}}, directory_ / "evidence");
  const std::string tar = Decompressed(PackedBytes(directory_ / "evidence"));
  ASSERT_EQ(tar.size(), 512 + 512 + 1024);
  EXPECT_THAT(tar, StartsWith("evidence/claim.json"));
  EXPECT_EQ(tar.substr(100, 6), "000644");
  EXPECT_EQ(tar.substr(108, 6), "000000");
  EXPECT_EQ(tar.substr(116, 6), "000000");
  EXPECT_EQ(tar.substr(124, 11), "00000000002");
  EXPECT_EQ(tar.substr(136, 11), "00000000000");
  EXPECT_EQ(tar.substr(265, 64), std::string(64, '\0'));
}

TEST_F(Archive, IsNotWrittenOverAnything) {
  WriteAll(SomeFiles(), directory_ / "evidence");
  ASSERT_TRUE(WriteFile(directory_ / "mine/file", "precious").ok());
  EXPECT_THAT(Message(PackEvidence(directory_ / "evidence", directory_ / "mine", {}, nullptr)),
              HasSubstr("mine: cannot be created: File exists"));
  EXPECT_TRUE(fs::exists(directory_ / "mine/file"));
}

TEST_F(Archive, EndsWhenItIsToldToAndLeavesNoFile) {
  WriteAll(SomeFiles(), directory_ / "evidence");
  const std::string packed = PackedBytes(directory_ / "evidence");
  const std::atomic<bool> stop{true};
  const fs::path place = directory_ / "x.tar.zst";
  EXPECT_TRUE(absl::IsCancelled(PackEvidence(directory_ / "evidence", place, {}, &stop)));
  EXPECT_FALSE(fs::exists(place));
  fs::create_directory(directory_ / "place");
  EXPECT_TRUE(absl::IsCancelled(UnpackEvidence(file(), directory_ / "place", {}, &stop)));
}

TEST_F(Archive, TakesFilesOfEvidenceAlone) {
  std::string long_path;
  for (int i = 0; i < 300; ++i) long_path += "0123456789/";
  long_path += "x";
  for (const auto& [name, fault] : std::vector<std::pair<std::string, std::string>>{
           {"/etc/passwd", "an absolute path"},
           {"/evidence/claim.json", "an absolute path"},
           {"../claim.json", "found '..'"},
           {"evidence/../claim.json", "found '..'"},
           {"evidence/suite/../../x", "found '..'"},
           {"evidence/suite/..", "found '..'"},
           {"./evidence/claim.json", "not in its shortest form"},
           {"evidence//claim.json", "not in its shortest form"},
           {"evidence/suite/./x", "not in its shortest form"},
           {"claim.json", "no part of evidence"},
           {"evidence", "no part of evidence"},
           {"evidence/more", "no part of evidence"},
           {"evidence/suite", "no part of evidence"},
           {"evidencesuite/x", "no part of evidence"},
           {"suite/x", "no part of evidence"},
           {"evidence/suite/a\nb", "beyond printable ASCII"},
           {"evidence/suite/\x1b[2J", "beyond printable ASCII"},
           {"evidence/suite/a b", "beyond printable ASCII"},
           {"evidence/suite/" + std::string(256, 'x'), "more than 255 bytes"},
           {"evidence/suite/" + long_path, "more than 3000 bytes"}}) {
    EXPECT_THAT(RefusalOf({{name, "x"}}), HasSubstr(fault)) << name;
    EXPECT_THAT(RefusalOf({{name, "x"}}), Not(HasSubstr("\x1b"))) << name;
  }
  EXPECT_THAT(RefusalOf({{"evidence/suite/x", "x"}}), IsEmpty());
  EXPECT_THAT(RefusalOf({}), HasSubstr("found no file in it"));
}

TEST_F(Archive, TakesRegularFilesAlone) {
  const std::string name = "evidence/suite/x";
  EXPECT_THAT(RefusalOf({{name, "", AE_IFLNK, "/etc/passwd"}}),
              AllOf(HasSubstr("entry evidence/suite/x: found a symbolic link")));
  EXPECT_THAT(
      RefusalOf({{"evidence/suite/a", "x"}, {name, "", AE_IFREG, "evidence/suite/a", true}}),
      HasSubstr("found type '1', expected '0'"));
  EXPECT_THAT(RefusalOf({{name, "", AE_IFCHR}}), HasSubstr("found a device"));
  EXPECT_THAT(RefusalOf({{name, "", AE_IFBLK}}), HasSubstr("found a device"));
  EXPECT_THAT(RefusalOf({{name, "", AE_IFIFO}}), HasSubstr("found a special file"));
  EXPECT_THAT(RefusalOf({{name, "", AE_IFDIR}}), HasSubstr("found a folder"));
}

// Another tar would unpack something else from these, or leave it lying about.
TEST_F(Archive, TakesHeadersAsCertifyWritesThem) {
  const std::string good = Tar({{"evidence/suite/x", "1"}});
  EXPECT_EQ(Refusal(Compressed(good)), "");
  const auto changed = [&](size_t offset, std::string_view bytes) {
    std::string tar = good;
    tar.replace(offset, bytes.size(), bytes);
    unsigned sum = 0;  // with blanks in its own place
    std::fill_n(tar.begin() + 148, 8, ' ');
    for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[i]);
    char text[8];
    std::snprintf(text, sizeof(text), "%06o", sum);
    tar.replace(148, 8, std::string(text, 7) + ' ');
    return Refusal(Compressed(tar));
  };
  EXPECT_EQ(changed(0, "evidence/suite/y"), "");
  EXPECT_THAT(changed(100, "004777"), HasSubstr("found another mode, expected 0644"));
  EXPECT_THAT(changed(108, "000001"), HasSubstr("found another user"));
  EXPECT_THAT(changed(116, "000001"), HasSubstr("found another group"));
  EXPECT_THAT(changed(136, "00000000001"), HasSubstr("found another time"));
  EXPECT_THAT(changed(265, "root"), HasSubstr("found the name of a user, a group or a link"));
  EXPECT_THAT(changed(257, "ustar  "), HasSubstr("found no header of POSIX"));

  // A header of records before the file's.
  const auto with_records = [&](char type, const std::string& records) {
    std::string tar = good.substr(0, 512);
    tar.replace(0, 16, "PaxHeader/xxxxxx");
    char size[12];
    std::snprintf(size, sizeof(size), "%011zo", records.size());
    tar.replace(124, 11, size);
    tar[156] = type;
    unsigned sum = 0;
    std::fill_n(tar.begin() + 148, 8, ' ');
    for (size_t i = 0; i < 512; ++i) sum += static_cast<unsigned char>(tar[i]);
    char text[8];
    std::snprintf(text, sizeof(text), "%06o", sum);
    tar.replace(148, 8, std::string(text, 7) + ' ');
    std::string block = records;
    block.resize((records.size() + 511) / 512 * 512, '\0');
    return Refusal(Compressed(tar + block + good));
  };
  EXPECT_EQ(with_records('x', "25 path=evidence/suite/z\n"), "");
  EXPECT_THAT(with_records('g', "25 path=evidence/suite/z\n"), HasSubstr("found type 'g'"));
  EXPECT_THAT(with_records('x', "25 path=evidence/suite/z\n12 comment=\n"),
              HasSubstr("found records of POSIX"));
  EXPECT_THAT(with_records('x', "17 comment=hello\n"), HasSubstr("expected one path"));
}

TEST_F(Archive, TakesEveryFileOnceAndInOrder) {
  const std::string a = "evidence/suite/a", b = "evidence/suite/b";
  EXPECT_THAT(RefusalOf({{a, "1"}, {a, "1"}}), HasSubstr("suite/a: found it twice"));
  EXPECT_THAT(RefusalOf({{a, "1"}, {b, "1"}, {a, "2"}}),
              HasSubstr("suite/a: found it behind evidence/suite/b"));
  EXPECT_THAT(RefusalOf({{a, "1"}, {a + ".x", "1"}, {a + "/b", "2"}}),
              HasSubstr("suite/a/b: found evidence/suite/a as a file before"));
}

TEST_F(Archive, TakesNoMoreBytesThanEvidenceHas) {
  // Two hundred megabytes of zeros in some kilobytes.
  const std::string packed = Compressed(Tar({{"evidence/suite/x", std::string(200 << 20, '\0')}}));
  ASSERT_LT(packed.size(), 100'000);
  EXPECT_THAT(Refusal(packed), HasSubstr(StrCat("found more than ", MostUnpacked(packed.size()),
                                                " bytes in a file of ", packed.size())));
  WriteAll({{"claim.json", std::string(200 << 20, '\0')}}, directory_ / "evidence");
  EXPECT_THAT(Message(PackEvidence(directory_ / "evidence", directory_ / "big", {}, nullptr)),
              HasSubstr("verify would refuse that"));
  EXPECT_FALSE(fs::exists(directory_ / "big"));
  EXPECT_EQ(MostUnpacked(UINT64_MAX), UINT64_MAX);
}

TEST_F(Archive, IsRefusedWhereverItIsCutOff) {
  WriteAll(SomeFiles(), directory_ / "evidence");
  const std::string packed = PackedBytes(directory_ / "evidence");
  ASSERT_LT(packed.size(), 2000);
  for (size_t size = 0; size < packed.size(); ++size) {
    EXPECT_THAT(Refusal(packed.substr(0, size)), HasSubstr("truncated")) << size;
  }
}

TEST_F(Archive, NoChangedByteChangesAFile) {
  WriteAll(SomeFiles(), directory_ / "evidence");
  const std::string packed = PackedBytes(directory_ / "evidence");
  size_t refused = 0;
  for (size_t i = 0; i < packed.size(); ++i) {
    for (const int bit : {0, 3, 7}) {
      std::string bad = packed;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      const StatusOr<Files> unpacked = Unpacked(bad);
      refused += unpacked.ok() ? 0 : 1;
      // RFC 8878, 3.1.1.1: some bits of the frame's header change nothing.
      if (unpacked.ok()) {
        EXPECT_EQ(*unpacked, SomeFiles()) << i;
      } else {
        EXPECT_TRUE(absl::IsInvalidArgument(unpacked.status())) << unpacked.status();
      }
    }
  }
  EXPECT_GT(refused, 29 * packed.size() / 10);
}

TEST_F(Archive, HasNothingBehindItsEnd) {
  const std::string tar = Tar({{"evidence/claim.json", "{}"}});
  const std::string good = Compressed(tar);
  EXPECT_THAT(Refusal(good), IsEmpty());
  EXPECT_THAT(Refusal(good + "x"), HasSubstr("found bytes behind the end of the compressed data"));
  EXPECT_THAT(Refusal(good + good), HasSubstr("found bytes behind the end"));
  // A frame that decoders skip (RFC 8878, 3.1.2), behind and before.
  const std::string skipped("\x50\x2a\x4d\x18\x04\0\0\0more", 12);
  EXPECT_THAT(Refusal(good + skipped), HasSubstr("found bytes behind the end"));
  EXPECT_THAT(Refusal(skipped + good), HasSubstr("found bytes behind the end"));
  for (const std::string& more : {std::string(1, '\0'), std::string(512, '\0'), std::string("x"),
                                  std::string(1 << 20, '\0'), tar}) {
    EXPECT_THAT(Refusal(Compressed(tar + more)), HasSubstr("behind the end of the archive"));
  }
  EXPECT_THAT(Refusal(Compressed(tar.substr(0, tar.size() - 1024))),
              HasSubstr("found no mark of the archive's end behind evidence/claim.json"));
  EXPECT_THAT(Refusal(Compressed(tar.substr(0, tar.size() - 512))), HasSubstr("found no mark"));
  EXPECT_THAT(Refusal(Compressed(tar.substr(0, 700))), HasSubstr("damaged"));
}

TEST_F(Archive, IsNoOtherKindOfFile) {
  EXPECT_THAT(Refusal(Tar({{"evidence/claim.json", "{}"}})),
              HasSubstr("found compressed data that are damaged"));
  EXPECT_THAT(Refusal("{}" + std::string(5000, ' ')), HasSubstr("expected one Zstandard frame"));
  EXPECT_THAT(Refusal(Compressed("PK\3\4 no tar" + std::string(2000, 'x'))),
              HasSubstr("found no tar archive"));
  EXPECT_THAT(Message(UnpackEvidence(directory_ / "", directory_ / "x", {}, nullptr)),
              HasSubstr("expected a regular file"));
  EXPECT_THAT(Message(UnpackEvidence(directory_ / "none", directory_ / "x", {}, nullptr)),
              HasSubstr("No such file"));
}

}  // namespace
}  // namespace cts
