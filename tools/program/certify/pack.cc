#include "tools/program/certify/pack.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <cerrno>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/evidence/evidence.h"
#include "checker/text/printable.h"
#include "reference/base/out_of_memory.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/libarchive.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// 9 takes four seconds for 260 MB of evidence; more takes much longer and saves little.
constexpr int kLevel = 9;

// A file that is compressed as it is written: one Zstandard frame, with a checksum.
class ZstdFile {
 public:
  static StatusOr<std::unique_ptr<ZstdFile>> Create(const fs::path& path) {
    CTS_ASSIGN_OR_RETURN(PlainFile file, PlainFile::Create(path));
    auto made = std::make_unique<ZstdFile>(std::move(file));
    CTS_RETURN_IF_ERROR(made->Configure());
    return made;
  }

  explicit ZstdFile(PlainFile file)
      : file_(std::move(file)), packed_(ZSTD_CStreamOutSize(), '\0') {}

  Status Write(std::string_view bytes) {
    taken_ += bytes.size();
    return Compress(bytes, ZSTD_e_continue);
  }

  Status Close() {
    CTS_RETURN_IF_ERROR(Compress("", ZSTD_e_end));
    return file_.Close();
  }

  std::string name() const { return file_.path().string(); }
  uint64_t taken() const { return taken_; }
  uint64_t written() const { return written_; }

 private:
  // Every setting that decides on the bytes. Without workers the number of cores does not.
  Status Configure() {
    if (context_ == nullptr) return OutOfMemory(name());
    for (const auto& [setting, value] :
         {std::pair(ZSTD_c_compressionLevel, kLevel),
          std::pair(ZSTD_c_windowLog, kArchiveWindowLog),
          std::pair(ZSTD_c_enableLongDistanceMatching, 1), std::pair(ZSTD_c_checksumFlag, 1),
          std::pair(ZSTD_c_nbWorkers, 0)}) {
      CTS_RETURN_IF_ERROR(Checked(ZSTD_CCtx_setParameter(context_.get(), setting, value)));
    }
    return absl::OkStatus();
  }

  Status Compress(std::string_view bytes, ZSTD_EndDirective what) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    while (true) {
      ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, what);
      CTS_RETURN_IF_ERROR(Checked(left));
      CTS_RETURN_IF_ERROR(file_.Write(std::string_view(packed_.data(), out.pos)));
      written_ += out.pos;
      if (what == ZSTD_e_end ? left == 0 : in.pos == in.size) return absl::OkStatus();
    }
  }

  Status Checked(size_t code) const {
    if (ZSTD_isError(code) == 0) return absl::OkStatus();
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return OutOfMemory(name());
    return Unavailable(name(), ": cannot be compressed: ", ZSTD_getErrorName(code));
  }

  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };
  PlainFile file_;
  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
  std::string packed_;
  uint64_t taken_ = 0, written_ = 0;
};

// Makes the tar archive, which libarchive hands on to a ZstdFile.
class Packer {
 public:
  Packer(const Libarchive& lib, ZstdFile& file, const std::atomic<bool>* stop)
      : lib_(lib),
        file_(file),
        stop_(stop),
        archive_(lib_.archive_write_new(), lib_.archive_write_free) {}

  Status Open() {
    if (archive_ == nullptr) return OutOfMemory(file_.name());
    // Names that are too long for the old header have one of POSIX before it.
    CTS_RETURN_IF_ERROR(Checked(lib_.archive_write_set_format_pax_restricted(archive_.get())));
    // No padding: the archive ends where its end says so.
    CTS_RETURN_IF_ERROR(Checked(lib_.archive_write_set_bytes_per_block(archive_.get(), 0)));
    return Checked(lib_.archive_write_open(archive_.get(), this, nullptr, HandOn, nullptr));
  }

  Status Add(const fs::path& path, const std::string& name) {
    CTS_ASSIGN_OR_RETURN(PlainFile file, PlainFile::Open(path));
    CTS_RETURN_IF_ERROR(AddHeader(name, file.size()));
    uint64_t left = file.size();
    while (true) {
      if (stop_ != nullptr && *stop_) return absl::CancelledError("interrupted");
      CTS_ASSIGN_OR_RETURN(const size_t got, file.Read(buffer_.data(), buffer_.size()));
      if (got > left || (got == 0 && left > 0)) {
        return Unavailable(path.string(), ": changed its size while being read");
      }
      if (got == 0) return absl::OkStatus();
      const la_ssize_t taken = lib_.archive_write_data(archive_.get(), buffer_.data(), got);
      if (taken != static_cast<la_ssize_t>(got)) return Failed();
      left -= got;
    }
  }

  Status Close() { return Checked(lib_.archive_write_close(archive_.get())); }

 private:
  // Everything that an archive says of a file; members that are not set are zero or empty.
  Status AddHeader(const std::string& name, uint64_t size) {
    const std::unique_ptr<archive_entry, decltype(Libarchive::archive_entry_free)> entry(
        lib_.archive_entry_new(), lib_.archive_entry_free);
    if (entry == nullptr) return OutOfMemory(name);
    lib_.archive_entry_set_pathname(entry.get(), name.c_str());
    lib_.archive_entry_set_filetype(entry.get(), AE_IFREG);
    lib_.archive_entry_set_perm(entry.get(), 0644);
    lib_.archive_entry_set_mtime(entry.get(), 0, 0);
    lib_.archive_entry_set_size(entry.get(), static_cast<la_int64_t>(size));
    return Checked(lib_.archive_write_header(archive_.get(), entry.get()));
  }

  // Called by libarchive, which knows no exceptions.
  static la_ssize_t HandOn(archive* archive, void* self, const void* bytes, size_t size) noexcept {
    Packer& packer = *static_cast<Packer*>(self);
    const Status written =
        packer.file_.Write(std::string_view(static_cast<const char*>(bytes), size));
    if (written.ok()) return static_cast<la_ssize_t>(size);
    packer.failure_ = written;
    packer.lib_.archive_set_error(archive, EIO, "cannot be written");
    return -1;
  }

  Status Checked(int code) const { return code == ARCHIVE_OK ? absl::OkStatus() : Failed(); }

  Status Failed() const {
    if (!failure_.ok()) return failure_;
    if (lib_.archive_errno(archive_.get()) == ENOMEM) return OutOfMemory(file_.name());
    const char* const text = lib_.archive_error_string(archive_.get());
    return Unavailable(
        file_.name(), ": cannot be archived: ", text == nullptr ? "libarchive says no more" : text);
  }

  const Libarchive& lib_;
  ZstdFile& file_;
  const std::atomic<bool>* const stop_;
  Status failure_;
  // After what its callback needs.
  std::unique_ptr<archive, decltype(Libarchive::archive_write_free)> archive_;
  std::string buffer_ = std::string(size_t{1} << 17, '\0');
};

Status WriteArchive(const fs::path& evidence, const fs::path& place, const StageProgress& progress,
                    const std::atomic<bool>* stop) {
  std::vector<std::string> faults;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, ListFiles(evidence, &faults));
  if (!faults.empty()) return InvalidArgument(evidence.string(), ": ", faults.front());
  CTS_ASSIGN_OR_RETURN(const Libarchive* const lib, Libarchive::Get());
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<ZstdFile> file, ZstdFile::Create(place));
  const LibarchiveScope scope;
  Packer packer(*lib, *file, stop);
  CTS_RETURN_IF_ERROR(packer.Open());
  for (size_t i = 0; i < paths.size(); ++i) {
    if (progress) progress("archive", i, paths.size());
    const std::string name = StrCat(kArchiveFolder, "/", paths[i]);
    if (const std::string fault = FaultOfEntryName(name); !fault.empty()) {
      return InvalidArgument(evidence.string(), ": ", Printable(paths[i]), ": ", fault,
                             ": cannot be archived; leave --archive out");
    }
    CTS_RETURN_IF_ERROR(packer.Add(evidence / paths[i], name));
  }
  CTS_RETURN_IF_ERROR(packer.Close());
  CTS_RETURN_IF_ERROR(file->Close());
  if (file->taken() <= MostUnpacked(file->written())) return absl::OkStatus();
  return InvalidArgument(evidence.string(), ": found ", file->taken(), " bytes that compress to ",
                         file->written(), ": verify would refuse that as an attack; leave ",
                         "--archive out");
}

}  // namespace

Status PackEvidence(const fs::path& evidence, const fs::path& place, const StageProgress& progress,
                    const std::atomic<bool>* stop) {
  Status packed = WriteArchive(evidence, place, progress, stop);
  std::error_code ignored;
  if (!packed.ok()) fs::remove(place, ignored);
  return packed;
}

}  // namespace cts
