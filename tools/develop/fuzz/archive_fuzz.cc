// Evidence as one file, as `verify` unpacks it.
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tools/develop/fuzz/fuzz.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/unpack.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// A folder to unpack to, and around it one that must stay empty else.
class UnpackPlace {
 public:
  UnpackPlace() {
    std::string name = (fs::temp_directory_path() / "tensor-cts-fuzz-XXXXXX").string();
    Assert(mkdtemp(name.data()) != nullptr, "there is room for temporary files");
    path_ = name;
    fs::create_directory(inside());
  }
  ~UnpackPlace() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  UnpackPlace(const UnpackPlace&) = delete;

  fs::path inside() const { return path_ / "inside"; }
  // Every file lies where files of evidence do; then there is none.
  void CheckAndEmpty() const {
    for (const auto& entry : fs::recursive_directory_iterator(path_)) {
      const std::string name = entry.path().lexically_relative(inside()).string();
      if (entry.is_directory() && !entry.is_symlink()) continue;
      Assert(entry.is_regular_file() && !entry.is_symlink(), "regular files alone are unpacked");
      Assert(FaultOfEntryName(name).empty(), "a file lies where evidence has one");
    }
    fs::remove_all(inside() / kArchiveFolder);
    Assert(fs::is_empty(inside()), "all that is unpacked lies in one folder");
  }

 private:
  fs::path path_;
};

// One context for all: making one costs more than all else.
std::string Compressed(std::string_view bytes) {
  static ZSTD_CCtx* const context = ZSTD_createCCtx();
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(
      ZSTD_compressCCtx(context, packed.data(), packed.size(), bytes.data(), bytes.size(), -5));
  return packed;
}

}  // namespace

// The first byte decides: the rest is the file, or the tar archive in it, which a checksum would
// keep from being changed.
void FuzzArchive(std::string_view bytes) {
  const bool is_tar = TakeByte(&bytes) % 4 != 0;
  const std::string packed = is_tar ? Compressed(bytes) : std::string(bytes);
  const int fd = memfd_create("archive", 0);
  Assert(write(fd, packed.data(), packed.size()) == static_cast<ssize_t>(packed.size()),
         "memory can be written");
  const std::string file = "/proc/self/fd/" + std::to_string(fd);
  static const UnpackPlace place;
  const Status unpacked = UnpackEvidence(file, place.inside(), {}, nullptr);
  close(fd);
  Assert(unpacked.ok() || Message(unpacked).starts_with(file + ": "), "a refusal names the file");
  place.CheckAndEmpty();
}

}  // namespace cts
