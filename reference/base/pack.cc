#include "reference/base/pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include "reference/base/out_of_memory.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

using Block = std::array<char, kPackBlock>;

// POSIX, ustar header block.
constexpr size_t kNameSize = 100, kPrefixAt = 345, kPrefixSize = 155, kSizeAt = 124, kSumAt = 148,
                 kTypeAt = 156, kUstarMagicAt = 257;
constexpr std::string_view kUstarMagic("ustar\00000", 8);
constexpr uint64_t kMostBytes = (uint64_t{1} << 33) - 1;  // 11 octal digits
// A suite of a million cases has some ten million files, over all its operators.
constexpr size_t kMostFiles = 16 << 20;
// As many packs stay open; a suite has about a hundred.
constexpr size_t kMostOpen = 256;

// Pieces of files, as they are read and written.
constexpr size_t kPiece = 1 << 20;

bool IsPathWithin(std::string_view name) {
  if (name.empty()) return false;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.empty() || part == "." || part == "..") return false;
    at = end + 1;
  }
  return std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; });
}

void PutOctal(Block& block, size_t at, size_t digits, uint64_t value) {
  for (size_t i = digits; i-- > 0; value >>= 3) block[at + i] = static_cast<char>('0' + value % 8);
}

// Nothing if the name does not fit.
std::optional<Block> TarHeaderOf(std::string_view name, uint64_t size) {
  // The name proper takes as many parts as fit.
  size_t cut = 0;
  while (name.size() - cut > kNameSize) {
    const size_t slash = name.find('/', cut);
    if (slash > kPrefixSize) return std::nullopt;  // or there is none
    cut = slash + 1;
  }
  Block block{};
  std::copy(name.begin() + static_cast<ptrdiff_t>(cut), name.end(), block.begin());
  if (cut > 0) std::copy_n(name.begin(), cut - 1, block.begin() + kPrefixAt);
  PutOctal(block, 100, 7, 0644);
  PutOctal(block, 108, 7, 0);  // user, group
  PutOctal(block, 116, 7, 0);
  PutOctal(block, kSizeAt, 11, size);
  PutOctal(block, 136, 11, 0);  // time
  block[kTypeAt] = '0';
  std::copy(kUstarMagic.begin(), kUstarMagic.end(), block.begin() + kUstarMagicAt);
  PutOctal(block, 329, 7, 0);  // device
  PutOctal(block, 337, 7, 0);
  // The sum counts its own field as blanks.
  uint64_t sum = 8 * ' ';
  for (const char c : block) sum += static_cast<unsigned char>(c);
  PutOctal(block, kSumAt, 6, sum);
  block[kSumAt + 7] = ' ';
  return block;
}

std::string_view TarTextAt(const Block& block, size_t at, size_t size) {
  const std::string_view text(block.data() + at, size);
  return text.substr(0, text.find('\0'));
}

std::string PackErrorText(int error) { return std::generic_category().message(error); }

// The header of a file, or why it cannot have one.
StatusOr<Block> PackedHeader(std::string_view name, uint64_t size) {
  const std::optional<Block> header =
      IsPathWithin(name) && size <= kMostBytes ? TarHeaderOf(name, size) : std::nullopt;
  if (header) return *header;
  return InvalidArgument(std::string(name), ": ", size,
                         " bytes cannot be packed: ", "expected a relative path of at most ",
                         kNameSize, " characters after a '/' among the first ", kPrefixSize + 1,
                         ", and fewer than 8 GiB; leave --pack out");
}

// The name and size of a header. The message has no place.
StatusOr<PackedEntry> ReadTarHeader(const Block& block) {
  if (std::string_view(block.data() + kUstarMagicAt, kUstarMagic.size()) != kUstarMagic) {
    return InvalidArgument("found no header of a file, expected \"ustar\" and version 00");
  }
  const std::string_view prefix = TarTextAt(block, kPrefixAt, kPrefixSize);
  PackedEntry entry;
  entry.name = StrCat(std::string(prefix), prefix.empty() ? "" : "/",
                      std::string(TarTextAt(block, 0, kNameSize)));
  if (!IsPathWithin(entry.name)) {
    return InvalidArgument("found a name that is no path within a folder");
  }
  for (size_t i = 0; i < 11; ++i) {
    const char digit = block[kSizeAt + i];
    if (digit < '0' || digit > '7') {
      return InvalidArgument(entry.name, ": found a size that is no octal number");
    }
    entry.size = entry.size * 8 + static_cast<uint64_t>(digit - '0');
  }
  if (TarHeaderOf(entry.name, entry.size) != block) {
    return InvalidArgument(entry.name,
                           ": found a header of another kind, expected a plain file as ",
                           "tensor-cts writes it with --pack");
  }
  return entry;
}

// Reads up to `size` bytes; fewer at the end of the file. Negative with errno.
ssize_t ReadAt(int fd, char* out, uint64_t size, uint64_t offset) {
  uint64_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(fd, out + done, std::min(size - done, uint64_t{1} << 30),
                                static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<uint64_t>(got);
  }
  return static_cast<ssize_t>(done);
}

}  // namespace

uint64_t PackedSize(uint64_t size) { return (size + kPackBlock - 1) / kPackBlock * kPackBlock; }

StatusOr<PackedEntry> ReadPackedHeader(const Block& block) { return ReadTarHeader(block); }

StatusOr<std::string> PackedFile(std::string_view name, std::string_view contents) {
  CTS_ASSIGN_OR_RETURN(const Block header, PackedHeader(name, contents.size()));
  std::string bytes;
  bytes.reserve(kPackBlock + PackedSize(contents.size()));
  bytes.append(header.data(), header.size());
  bytes += contents;
  bytes.resize(kPackBlock + PackedSize(contents.size()));
  return bytes;
}

Status PackWriter::Begin(std::string_view name, uint64_t size) {
  CTS_ASSIGN_OR_RETURN(const Block header, PackedHeader(name, size));
  name_ = name;
  size_ = size;
  added_ = 0;
  return Put(std::string_view(header.data(), header.size()));
}

Status PackWriter::Add(std::string_view piece) {
  added_ += piece.size();
  return Put(piece);
}

Status PackWriter::End() {
  if (added_ != size_) {
    return Unavailable(name_, ": found ", added_, " bytes, expected ", size_,
                       ": changed its size while it was packed");
  }
  return Put(std::string(PackedSize(size_) - size_, '\0'));
}

Status PackWriter::Put(std::string_view bytes) {
  at_ += bytes.size();
  waiting_ += bytes;
  return waiting_.size() < kPiece ? absl::OkStatus() : Flush();
}

Status PackWriter::Flush() {
  if (waiting_.empty()) return absl::OkStatus();
  CTS_RETURN_IF_ERROR(sink_(waiting_));
  waiting_.clear();
  return absl::OkStatus();
}

PackFile::~PackFile() {
  if (fd_ >= 0) ::close(fd_);
}

Status PackFile::Create(const fs::path& path) {
  path_ = path;
  fd_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd_ >= 0) return absl::OkStatus();
  return Unavailable(path.string(), ": cannot be created: ", PackErrorText(errno));
}

Status PackFile::Write(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t done = ::write(fd_, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      return Unavailable(path_.string(),
                         ": cannot be written: ", PackErrorText(done < 0 ? errno : ENOSPC));
    }
    bytes.remove_prefix(static_cast<size_t>(done));
  }
  return absl::OkStatus();
}

Status PackFile::Close() {
  CTS_RETURN_IF_ERROR(writer_.Flush());
  CTS_RETURN_IF_ERROR(Write(std::string(kPackEnd, '\0')));
  // Network file systems report a full disk only here.
  if (::close(std::exchange(fd_, -1)) == 0) return absl::OkStatus();
  return Unavailable(path_.string(), ": cannot be written: ", PackErrorText(errno));
}

StatusOr<std::vector<PackedEntry>> EntriesOfPacked(std::string_view bytes) {
  std::vector<PackedEntry> entries;
  for (uint64_t at = 0; at < bytes.size();) {
    if (bytes.size() - at < kPackBlock) {
      return InvalidArgument("byte ", at, ": found ", bytes.size() - at,
                             " bytes, expected a header");
    }
    Block block;
    std::copy_n(bytes.begin() + static_cast<ptrdiff_t>(at), kPackBlock, block.begin());
    StatusOr<PackedEntry> entry = ReadTarHeader(block);
    if (!entry.ok()) return Annotate(entry.status(), StrCat("byte ", at));
    entry->offset = at + kPackBlock;
    if (bytes.size() - entry->offset < PackedSize(entry->size)) {
      return InvalidArgument("byte ", at, ": ", entry->name, ": found ",
                             bytes.size() - entry->offset, " bytes, expected ", entry->size);
    }
    at = entry->offset + PackedSize(entry->size);
    entries.push_back(*std::move(entry));
  }
  return entries;
}

Pack::~Pack() { ::close(fd_); }

StatusOr<std::shared_ptr<const Pack>> Pack::Read(int fd, const fs::path& path,
                                                 std::string_view folder) {
  const std::shared_ptr<Pack> pack(new Pack(fd, path));
  CTS_RETURN_IF_ERROR(pack->ReadIndex(folder));
  return std::shared_ptr<const Pack>(pack);
}

Status Pack::AddName(std::string name, std::string_view folder, const File& file) {
  if (!name.starts_with(folder) || name.substr(folder.size(), 1) != "/") {
    return InvalidArgument("found the name ", name, ", expected one below ", std::string(folder),
                           "/");
  }
  if (files_.size() == kMostFiles) {
    return InvalidArgument("found more than ", kMostFiles, " files, expected no more");
  }
  for (size_t slash = name.find('/'); slash != name.npos; slash = name.find('/', slash + 1)) {
    const std::string parent = name.substr(0, slash);
    if (files_.count(parent) > 0) {
      return InvalidArgument("found ", parent, " as a file and as a folder");
    }
    if (folders_.try_emplace(parent).second) AddToFolder(parent);
  }
  if (folders_.count(name) > 0) {
    return InvalidArgument("found ", name, " as a file and as a folder");
  }
  const auto [place, is_new] = files_.emplace(std::move(name), file);
  if (!is_new) return InvalidArgument("found ", place->first, " twice, expected every name once");
  AddToFolder(place->first);
  return absl::OkStatus();
}

void Pack::AddToFolder(std::string_view name) {
  const size_t slash = name.rfind('/');
  if (slash == name.npos) return;
  folders_[std::string(name.substr(0, slash))].emplace_back(name.substr(slash + 1));
}

Status Pack::ReadIndex(std::string_view folder) {
  struct stat info {};
  if (::fstat(fd_, &info) != 0) {
    return Unavailable(path_.string(), ": cannot be examined: ", PackErrorText(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument(path_.string(), ": found no regular file, expected a packed folder");
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  uint64_t at = 0;
  const auto refuse = [&](const auto&... what) {
    return InvalidArgument(path_.string(), ": byte ", at, ": ", what...);
  };
  while (true) {
    CTS_ASSIGN_OR_RETURN(const Block block, ReadBlock(at));
    if (block == Block{}) break;
    StatusOr<PackedEntry> entry = ReadTarHeader(block);
    if (!entry.ok()) return refuse(Message(entry.status()));
    const File file = {at + kPackBlock, entry->size};
    if (size - at < kPackBlock + PackedSize(entry->size)) {
      return refuse(entry->name, ": found ", size - file.offset, " bytes, expected ", entry->size,
                    ": the file is not whole");
    }
    if (const uint64_t rest = entry->size % kPackBlock; rest != 0) {
      CTS_ASSIGN_OR_RETURN(const Block last, ReadBlock(file.offset + entry->size - rest));
      if (std::any_of(last.begin() + static_cast<ptrdiff_t>(rest), last.end(),
                      [](char c) { return c != 0; })) {
        return refuse(entry->name, ": found other bytes than zeros behind the file");
      }
    }
    const Status added = AddName(std::move(entry->name), folder, file);
    if (!added.ok()) return refuse(Message(added));
    at = file.offset + PackedSize(file.size);
  }
  if (size != at + kPackEnd) {
    return refuse("found ", size - at, " bytes after the last file, expected ", kPackEnd);
  }
  CTS_ASSIGN_OR_RETURN(const Block last, ReadBlock(at + kPackBlock));
  if (last != Block{}) return refuse("found other bytes than zeros after the last file");
  return absl::OkStatus();
}

StatusOr<std::array<char, kPackBlock>> Pack::ReadBlock(uint64_t at) const {
  Block block{};
  const ssize_t got = ReadAt(fd_, block.data(), kPackBlock, at);
  if (got < 0) return Unavailable(path_.string(), ": cannot be read: ", PackErrorText(errno));
  if (static_cast<uint64_t>(got) == kPackBlock) return block;
  return InvalidArgument(path_.string(), ": byte ", at, ": found the end of the file, expected a ",
                         "header or two blocks of zeros: the file is not whole");
}

StatusOr<std::shared_ptr<const Pack>> Pack::Open(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
  if (fd < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return NotFound(path.string(), ": no such file");
    if (errno == ELOOP) {
      return InvalidArgument(path.string(), ": found a link, expected a packed folder itself");
    }
    return Unavailable(path.string(), ": cannot be opened: ", PackErrorText(errno));
  }
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    const int error = errno;
    ::close(fd);
    return Unavailable(path.string(), ": cannot be examined: ", PackErrorText(error));
  }
  using Key = std::tuple<dev_t, ino_t, off_t, time_t, long, std::string>;
  static std::mutex mutex;
  static auto& open = *new std::map<Key, std::shared_ptr<const Pack>>;  // until the end
  Key key(info.st_dev, info.st_ino, info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
          path.string());
  // Held while a pack is read: others that wait want the same one, as a rule.
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = open.find(key); found != open.end()) {
    ::close(fd);
    return found->second;
  }
  CTS_ASSIGN_OR_RETURN(std::shared_ptr<const Pack> pack, Read(fd, path, path.stem().string()));
  if (open.size() >= kMostOpen) open.clear();
  open.emplace(std::move(key), pack);
  return pack;
}

const Pack::File* Pack::Find(std::string_view name) const {
  const auto found = files_.find(std::string(name));
  return found == files_.end() ? nullptr : &found->second;
}

std::vector<std::string> Pack::Names() const {
  std::vector<std::string> names;
  names.reserve(files_.size());
  for (const auto& [name, file] : files_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> Pack::NamesIn(std::string_view folder) const {
  const auto found = folders_.find(std::string(folder));
  if (found == folders_.end()) return {};
  std::vector<std::string> names = found->second;
  std::sort(names.begin(), names.end());
  return names;
}

Status Pack::ReadPieces(const File& file,
                        const std::function<Status(std::string_view)>& take) const {
  std::string bytes(static_cast<size_t>(std::min<uint64_t>(file.size, kPiece)), '\0');
  for (uint64_t done = 0; done < file.size;) {
    const uint64_t wanted = std::min<uint64_t>(file.size - done, bytes.size());
    const ssize_t got = ReadAt(fd_, bytes.data(), wanted, file.offset + done);
    if (got < 0) return Unavailable(path_.string(), ": cannot be read: ", PackErrorText(errno));
    if (static_cast<uint64_t>(got) != wanted) {
      return Unavailable(path_.string(),
                         ": changed its size while being read; is it still written?");
    }
    CTS_RETURN_IF_ERROR(take(std::string_view(bytes).substr(0, static_cast<size_t>(got))));
    done += static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

StatusOr<std::string> Pack::ReadFile(std::string_view name, uint64_t max_bytes) const {
  const auto place = [&] { return StrCat(path_.string(), ": ", std::string(name)); };
  const File* const file = Find(name);
  if (file == nullptr) {
    if (!HasFolder(name)) return NotFound(place(), ": no such file");
    return InvalidArgument(place(), ": found a directory, expected a regular file");
  }
  if (file->size > max_bytes) {
    return InvalidArgument(place(), ": found ", file->size, " bytes, expected at most ", max_bytes);
  }
  std::string bytes;
  try {
    bytes.resize(file->size);
  } catch (const std::bad_alloc&) {
    return OutOfMemory(StrCat(place(), ": cannot be read, it has ", file->size, " bytes"));
  }
  const ssize_t got = ReadAt(fd_, bytes.data(), bytes.size(), file->offset);
  if (got < 0) return Unavailable(place(), ": cannot be read: ", PackErrorText(errno));
  if (static_cast<uint64_t>(got) != file->size) {
    return Unavailable(place(), ": changed its size while being read; is it still written?");
  }
  return bytes;
}

}  // namespace cts
