#include "tools/program/certify/tar_headers.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "checker/text/printable.h"

namespace cts {
namespace {

// POSIX, ustar header block.
struct Field {
  size_t offset, size;
};
constexpr Field kName{0, 100}, kMode{100, 8}, kUser{108, 8}, kGroup{116, 8}, kSize{124, 12},
    kTime{136, 12}, kType{156, 1}, kLink{157, 100}, kMagic{257, 8}, kUserName{265, 32},
    kGroupName{297, 32}, kPrefix{345, 155};
constexpr uint64_t kMode0644 = 0644;
constexpr size_t kMostRecords = 1 << 16;  // bytes: a path and its length

std::string_view TextOf(std::string_view block, Field field) {
  const std::string_view text = block.substr(field.offset, field.size);
  return text.substr(0, text.find('\0'));
}

// Octal digits, with blanks around them.
std::optional<uint64_t> NumberOf(std::string_view block, Field field) {
  std::string_view text = TextOf(block, field);
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  text = text.substr(0, text.find(' '));
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, number, 8);
  if (error != std::errc() || last != end) return std::nullopt;
  return number;
}

bool LeadsOut(std::string_view path) {
  return path.starts_with('/') || path == ".." || path.starts_with("../") ||
         path.ends_with("/..") || path.find("/../") != path.npos;
}

}  // namespace

Status TarHeaders::Look(std::string_view bytes) {
  while (!bytes.empty() && !ended_) {
    if (skipped_ > 0) {
      const auto count = static_cast<size_t>(std::min<uint64_t>(skipped_, bytes.size()));
      if (of_records_ && records_.size() < records_size_) {
        records_ += bytes.substr(0, std::min<size_t>(count, records_size_ - records_.size()));
      }
      bytes.remove_prefix(count);
      skipped_ -= count;
      if (skipped_ == 0 && of_records_) CTS_RETURN_IF_ERROR(Records());
      continue;
    }
    const size_t count = std::min(kBlock - filled_, bytes.size());
    std::copy_n(bytes.begin(), count, block_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += count;
    bytes.remove_prefix(count);
    if (filled_ < kBlock) break;
    filled_ = 0;
    CTS_RETURN_IF_ERROR(Header());
  }
  return absl::OkStatus();
}

Status TarHeaders::Header() {
  const std::string_view block(block_.data(), kBlock);
  if (block.find_first_not_of('\0') == block.npos) {
    ended_ = true;  // libarchive and ZstdFrame see to what stands behind
    return absl::OkStatus();
  }
  const std::string name(TextOf(block, kName));
  const auto refuse = [&name](const auto&... what) {
    return InvalidArgument("header of ", Shortened(Printable(name), 200), ": ", what...);
  };
  if (block.substr(kMagic.offset, kMagic.size) != std::string_view("ustar\00000", kMagic.size)) {
    return refuse("found no header of POSIX, expected \"ustar\" and version 00");
  }
  const char type = block[kType.offset];
  if (type != '0' && type != 'x') {
    return refuse("found type '", Printable(std::string_view(&type, 1)),
                  "', expected '0', a file, or 'x', its path");
  }
  const std::optional<uint64_t> size = NumberOf(block, kSize);
  if (!size) return refuse("found no size, expected octal digits");
  of_records_ = type == 'x';
  records_.clear();
  records_size_ = *size;
  if (of_records_ && (*size == 0 || *size > kMostRecords)) {
    return refuse("found ", *size, " bytes of records, expected 1 to ", kMostRecords);
  }
  skipped_ = (*size + kBlock - 1) / kBlock * kBlock;
  for (const auto& [what, field, expected] :
       {std::tuple("user", kUser, uint64_t{0}), std::tuple("group", kGroup, uint64_t{0}),
        std::tuple("time", kTime, uint64_t{0}), std::tuple("mode", kMode, kMode0644)}) {
    const std::optional<uint64_t> found = NumberOf(block, field);
    if (found != expected) {
      return refuse("found another ", what, ", expected ",
                    field.offset == kMode.offset ? "0644" : "0");
    }
  }
  for (const Field field : {kLink, kUserName, kGroupName}) {
    if (!TextOf(block, field).empty())
      return refuse("found the name of a user, a group or a link, expected none");
  }
  if (LeadsOut(name) || LeadsOut(TextOf(block, kPrefix))) {
    return refuse("found a name that leads out of the archive's folder, expected one within");
  }
  return absl::OkStatus();
}

// "30 path=evidence/suite/...\n", once.
Status TarHeaders::Records() const {
  constexpr std::string_view kKey = " path=";
  size_t length = 0;
  const char* const end = records_.data() + records_.size();
  const auto [digits, error] = std::from_chars(records_.data(), end, length);
  const std::string_view rest =
      std::string_view(records_).substr(static_cast<size_t>(digits - records_.data()));
  const bool one = error == std::errc() && length == records_.size() && rest.starts_with(kKey) &&
                   rest.ends_with('\n') && rest.find('\0') == rest.npos;
  if (one && !LeadsOut(rest.substr(kKey.size(), rest.size() - kKey.size() - 1))) {
    return absl::OkStatus();
  }
  return InvalidArgument("found records of POSIX, \"", Shortened(Printable(records_), 200),
                         "\", expected one path");
}

}  // namespace cts
