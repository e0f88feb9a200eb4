#include "tools/program/certify/unpack.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>

#include "checker/text/printable.h"
#include "reference/base/out_of_memory.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/libarchive.h"
#include "tools/program/certify/tar_headers.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRemedy =
    ": not as tensor-cts certify --archive writes it; get the file again from its signer";

std::string Shown(std::string_view name) { return Shortened(Printable(name), 300); }

// The bytes within one Zstandard frame, which is all that the file holds.
class ZstdFrame {
 public:
  static StatusOr<std::unique_ptr<ZstdFrame>> Open(const fs::path& path) {
    CTS_ASSIGN_OR_RETURN(PlainFile file, PlainFile::Open(path));
    auto opened = std::make_unique<ZstdFrame>(std::move(file));
    if (opened->context_ == nullptr) return OutOfMemory(path.string());
    CTS_RETURN_IF_ERROR(opened->Checked(
        ZSTD_DCtx_setParameter(opened->context_.get(), ZSTD_d_windowLogMax, kArchiveWindowLog)));
    return opened;
  }

  explicit ZstdFrame(PlainFile file)
      : file_(std::move(file)),
        packed_(ZSTD_DStreamInSize(), '\0'),
        unpacked_(ZSTD_DStreamOutSize(), '\0') {}

  // The next bytes, which stay until the next call; none at the end.
  StatusOr<std::string_view> Next() {
    while (true) {
      if (in_.pos == in_.size && !no_more_) CTS_RETURN_IF_ERROR(ReadMore());
      if (whole_ && in_.pos < in_.size) {
        return InvalidArgument(name(), ": found bytes behind the end of the compressed data, at ",
                               read_ - (in_.size - in_.pos), " of ", file_.size(),
                               ", expected none", kRemedy);
      }
      if (whole_) {
        if (no_more_) return std::string_view();
        continue;
      }
      ZSTD_outBuffer out{unpacked_.data(), unpacked_.size(), 0};
      const size_t left = ZSTD_decompressStream(context_.get(), &out, &in_);
      CTS_RETURN_IF_ERROR(Checked(left));
      whole_ = left == 0;
      if (out.pos > 0) return Counted(std::string_view(unpacked_.data(), out.pos));
      if (!whole_ && no_more_ && in_.pos == in_.size) {
        return InvalidArgument(name(), ": found the end of the file, at ", read_,
                               " bytes, expected more: it is truncated", kRemedy);
      }
    }
  }

  std::string name() const { return file_.path().string(); }
  uint64_t file_size() const { return file_.size(); }
  uint64_t packed() const { return read_ - (in_.size - in_.pos); }  // read so far
  uint64_t unpacked() const { return given_; }
  uint64_t zeros_at_end() const { return given_ - behind_last_; }  // of what was unpacked so far

 private:
  Status ReadMore() {
    CTS_ASSIGN_OR_RETURN(const size_t got, file_.Read(packed_.data(), packed_.size()));
    in_ = {packed_.data(), got, 0};
    read_ += got;
    no_more_ = got == 0;
    return absl::OkStatus();
  }

  StatusOr<std::string_view> Counted(std::string_view bytes) {
    const size_t last = bytes.find_last_not_of('\0');
    if (last != std::string_view::npos) behind_last_ = given_ + last + 1;
    given_ += bytes.size();
    const uint64_t most = MostUnpacked(file_.size());
    if (given_ <= most) return bytes;
    return InvalidArgument(name(), ": found more than ", most, " bytes in a file of ", file_.size(),
                           ", expected at most that many of evidence", kRemedy);
  }

  Status Checked(size_t code) const {
    if (ZSTD_isError(code) == 0) return absl::OkStatus();
    if (ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation) return OutOfMemory(name());
    return InvalidArgument(name(), ": found compressed data that are damaged, near byte ", packed(),
                           " of ", file_.size(), " (", ZSTD_getErrorName(code),
                           "), expected one Zstandard frame", kRemedy);
  }

  struct Free {
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  PlainFile file_;
  std::unique_ptr<ZSTD_DCtx, Free> context_{ZSTD_createDCtx()};
  std::string packed_, unpacked_;
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool no_more_ = false;  // in the file
  bool whole_ = false;    // the frame
  uint64_t read_ = 0, given_ = 0;
  uint64_t behind_last_ = 0;  // the end of the last byte that was not zero
};

// Takes a tar archive apart with libarchive, which gets its bytes from a ZstdFrame.
class Unpacker {
 public:
  Unpacker(const Libarchive& lib, ZstdFrame& frame, const fs::path& place,
           const std::atomic<bool>* stop)
      : lib_(lib),
        frame_(frame),
        place_(place),
        stop_(stop),
        archive_(lib_.archive_read_new(), lib_.archive_read_free) {}

  Status Open() {
    if (archive_ == nullptr) return OutOfMemory(frame_.name());
    CTS_RETURN_IF_ERROR(Checked(lib_.archive_read_support_format_tar(archive_.get())));
    return Checked(lib_.archive_read_open(archive_.get(), this, nullptr, HandOn, nullptr));
  }

  // Unpacks the next file; false behind the last.
  StatusOr<bool> One() {
    archive_entry* entry = nullptr;
    const int code = lib_.archive_read_next_header(archive_.get(), &entry);
    if (code == ARCHIVE_EOF) return false;
    CTS_RETURN_IF_ERROR(Checked(code));
    const char* const name = lib_.archive_entry_pathname(entry);
    entry_ = name == nullptr ? "" : name;
    CTS_RETURN_IF_ERROR(CheckEntry(entry));
    CTS_RETURN_IF_ERROR(CheckHeaders());
    CTS_RETURN_IF_ERROR(MakeFolders(fs::path(entry_).parent_path()));
    CTS_RETURN_IF_ERROR(Write(lib_.archive_entry_size(entry)));
    return true;
  }

  // The mark of the end follows the last file, and nothing else.
  Status Finish() {
    if (entry_.empty()) {
      return InvalidArgument(frame_.name(), ": found no file in it, expected evidence", kRemedy);
    }
    const auto read = static_cast<uint64_t>(lib_.archive_filter_bytes(archive_.get(), -1));
    while (true) {
      CTS_ASSIGN_OR_RETURN(const std::string_view more, frame_.Next());
      if (more.empty()) break;
    }
    if (frame_.unpacked() > read) {
      return InvalidArgument(frame_.name(), ": found ", frame_.unpacked() - read,
                             " bytes behind the end of the archive, expected none", kRemedy);
    }
    // POSIX, pax interchange format: two blocks of zeros.
    constexpr uint64_t kEnd = 1024;
    if (frame_.zeros_at_end() >= kEnd) return CheckHeaders();
    return InvalidArgument(frame_.name(), ": found no mark of the archive's end behind ",
                           Shown(entry_), ", expected ", kEnd, " bytes of zeros", kRemedy);
  }

 private:
  template <class... What>
  Status Refused(const What&... what) const {
    return InvalidArgument(frame_.name(), ": entry ", Shown(entry_), ": ", what..., kRemedy);
  }

  Status CheckEntry(archive_entry* entry) {
    if (const std::string_view kind = KindOf(entry); kind != "a regular file") {
      return Refused("found ", kind, ", expected a regular file");
    }
    if (const std::string fault = FaultOfEntryName(entry_); !fault.empty()) {
      return Refused(fault, ", expected a file of evidence below ", kArchiveFolder, "/");
    }
    if (entry_ == last_) return Refused("found it twice, expected every file once");
    if (entry_ < last_) {
      return Refused("found it behind ", Shown(last_),
                     ", expected names in ascending order, each once");
    }
    last_ = entry_;
    return absl::OkStatus();
  }

  Status CheckHeaders() const {
    return looked_.ok() ? looked_ : InvalidArgument(frame_.name(), ": ", Message(looked_), kRemedy);
  }

  std::string_view KindOf(archive_entry* entry) const {
    if (lib_.archive_entry_hardlink(entry) != nullptr) return "a hard link";
    if (lib_.archive_entry_sparse_count(entry) > 0) return "a file with holes";
    switch (lib_.archive_entry_filetype(entry)) {
      case AE_IFREG:
        return lib_.archive_entry_size_is_set(entry) != 0 ? "a regular file"
                                                          : "a file without a size";
      case AE_IFDIR:
        return "a folder";
      case AE_IFLNK:
        return "a symbolic link";
      case AE_IFCHR:
      case AE_IFBLK:
        return "a device";
      default:
        return "a special file";
    }
  }

  Status MakeFolders(const fs::path& folder) {
    if (folder.empty() || folders_.contains(folder)) return absl::OkStatus();
    CTS_RETURN_IF_ERROR(MakeFolders(folder.parent_path()));
    std::error_code error;
    const bool made = fs::create_directory(place_ / folder, error);
    if (error == std::errc::file_exists || (!error && !made)) {
      return Refused("found ", Shown(folder.string()), " as a file before, expected a folder");
    }
    if (error) {
      return Unavailable((place_ / folder).string(), ": cannot be created: ", error.message());
    }
    folders_.insert(folder);
    return absl::OkStatus();
  }

  Status Write(la_int64_t size) {
    CTS_ASSIGN_OR_RETURN(PlainFile file, PlainFile::Create(place_ / entry_));
    la_int64_t left = size;
    while (true) {
      if (stop_ != nullptr && *stop_) return absl::CancelledError("interrupted");
      const la_ssize_t got = lib_.archive_read_data(archive_.get(), buffer_.data(), buffer_.size());
      if (got < 0) return Failed();
      if (got > left || (got == 0 && left > 0)) {
        return Refused("found ", size - left + got, " bytes of it, expected ", size);
      }
      if (got == 0) return file.Close();
      CTS_RETURN_IF_ERROR(file.Write({buffer_.data(), static_cast<size_t>(got)}));
      left -= got;
    }
  }

  // Called by libarchive, which knows no exceptions.
  static la_ssize_t HandOn(archive* archive, void* self, const void** bytes) noexcept {
    Unpacker& unpacker = *static_cast<Unpacker*>(self);
    const StatusOr<std::string_view> next = unpacker.frame_.Next();
    if (!next.ok()) {
      unpacker.failure_ = next.status();
      unpacker.lib_.archive_set_error(archive, EIO, "cannot be read");
      return -1;
    }
    if (unpacker.looked_.ok()) unpacker.looked_ = unpacker.headers_.Look(*next);
    *bytes = next->data();
    return static_cast<la_ssize_t>(next->size());
  }

  // A warning is a fault as well: certify writes nothing that libarchive is not sure of.
  Status Checked(int code) const { return code == ARCHIVE_OK ? absl::OkStatus() : Failed(); }

  Status Failed() const {
    if (!failure_.ok()) return failure_;
    if (lib_.archive_errno(archive_.get()) == ENOMEM) return OutOfMemory(frame_.name());
    const char* const text = lib_.archive_error_string(archive_.get());
    return InvalidArgument(frame_.name(), ": found no tar archive, or a damaged one, ",
                           entry_.empty() ? "at its beginning" : "at or behind ", Shown(entry_),
                           " (", text == nullptr ? "libarchive says no more" : Printable(text),
                           "), expected one tar archive", kRemedy);
  }

  const Libarchive& lib_;
  ZstdFrame& frame_;
  TarHeaders headers_;
  Status looked_;  // what it says of the bytes so far; libarchive, which says more, comes first
  const fs::path& place_;
  const std::atomic<bool>* const stop_;
  Status failure_;
  std::string entry_, last_;  // names
  std::set<fs::path> folders_;
  // After what its callback needs.
  std::unique_ptr<archive, decltype(Libarchive::archive_read_free)> archive_;
  std::string buffer_ = std::string(size_t{1} << 17, '\0');
};

}  // namespace

Status UnpackEvidence(const fs::path& file, const fs::path& place, const StageProgress& progress,
                      const std::atomic<bool>* stop) {
  CTS_ASSIGN_OR_RETURN(const Libarchive* const lib, Libarchive::Get());
  CTS_ASSIGN_OR_RETURN(const std::unique_ptr<ZstdFrame> frame, ZstdFrame::Open(file));
  const LibarchiveScope scope;
  Unpacker unpacker(*lib, *frame, place, stop);
  CTS_RETURN_IF_ERROR(unpacker.Open());
  while (true) {
    if (progress) progress("unpack", frame->packed(), frame->file_size());
    CTS_ASSIGN_OR_RETURN(const bool more, unpacker.One());
    if (!more) return unpacker.Finish();
  }
}

StatusOr<NewFolder> TemporaryFolder() {
  const std::string remedy = "; give a folder for temporary files in TMPDIR";
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) {
    const char* const given = std::getenv("TMPDIR");
    return Unavailable(given == nullptr ? "/tmp" : given, ": cannot be used: ", error.message(),
                       remedy);
  }
  StatusOr<NewFolder> folder = NewFolder::Beside(parent / "tensor-cts-verify");
  if (folder.ok()) return folder;
  return Unavailable(Message(folder.status()), remedy);
}

}  // namespace cts
