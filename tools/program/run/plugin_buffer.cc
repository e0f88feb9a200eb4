#include "tools/program/run/plugin_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "reference/base/status.h"

namespace cts {
namespace {

// A fixed number: a signal handler looks here.
std::array<PluginArea, 256> areas;

size_t Page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
size_t Aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

// The pattern comes again every kPeriod bytes: the row holds it from any address on.
constexpr size_t kPeriod = 256;
constexpr std::array<uint8_t, 2 * kPeriod> kPattern = [] {
  std::array<uint8_t, 2 * kPeriod> row{};
  for (size_t at = 0; at < row.size(); ++at) row[at] = static_cast<uint8_t>(0xA7 + 29 * at);
  return row;
}();

const uint8_t* Pattern(const uint8_t* at) {
  return &kPattern[reinterpret_cast<uintptr_t>(at) % kPeriod];
}

void WritePattern(uint8_t* at, uint8_t* end) {
  for (; at < end; ++at) *at = *Pattern(at);
}

// The first byte that differs; null if none does.
const uint8_t* FindDamage(const uint8_t* at, const uint8_t* end) {
  while (at < end) {
    const size_t count = std::min(kPeriod, static_cast<size_t>(end - at));
    const uint8_t* const pattern = Pattern(at);
    if (std::memcmp(at, pattern, count) != 0) return std::mismatch(at, at + count, pattern).first;
    at += count;
  }
  return nullptr;
}

}  // namespace

size_t PluginBuffer::Room(size_t bytes) {
  return (Aligned(bytes) + 64 + Page() - 1) / Page() * Page();
}

size_t PluginBuffer::Start(size_t bytes) { return Room(bytes) - Aligned(bytes); }

PluginBuffer::PluginBuffer(std::string what, size_t bytes, int fd, size_t offset)
    : what_(std::move(what)), bytes_(bytes) {
  if (bytes == 0 || bytes > SIZE_MAX / 2) return;
  room_ = Room(bytes);
  mapped_ = room_ + 2 * Page();
  void* const memory =
      mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  base_ = static_cast<uint8_t*>(memory);
  start_ = base_ + Page();
  if (fd < 0) {
    if (mprotect(start_, room_, PROT_READ | PROT_WRITE) != 0) return;
  } else {
    if (mmap(start_, room_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
             static_cast<off_t>(offset)) == MAP_FAILED ||
        madvise(start_, room_, MADV_DONTFORK) != 0) {
      return;
    }
  }
  data_ = start_ + Start(bytes);
  WritePattern(start_, data_);
  WritePattern(data_ + bytes_, start_ + room_);
  for (PluginArea& area : areas) {
    if (area.begin != nullptr) continue;
    area.end = reinterpret_cast<const char*>(base_) + mapped_;
    area.data = reinterpret_cast<const char*>(data_);
    area.bytes = bytes;
    area.note = "";
    std::snprintf(area.what, sizeof(area.what), "%s", what_.c_str());
    area.begin = reinterpret_cast<const char*>(base_);
    area_ = &area;
    break;
  }
}

PluginBuffer::~PluginBuffer() {
  if (area_ != nullptr) area_->begin = nullptr;
  if (base_ != nullptr) munmap(base_, mapped_);
}

void PluginBuffer::Protect(const char* note) {
  if (data_ == nullptr) return;
  if (area_ != nullptr) area_->note = note;
  mprotect(start_, room_, PROT_READ);
}

void PluginBuffer::Discard() {
  if (data_ != nullptr) madvise(start_, room_, MADV_DONTNEED);
}

std::string PluginBuffer::Damage() const {
  if (data_ == nullptr) return "";
  const uint8_t* at = FindDamage(start_, data_);
  if (at == nullptr) at = FindDamage(data_ + bytes_, start_ + room_);
  if (at == nullptr) return "";
  const std::string place =
      at < data_ ? StrCat(data_ - at, " bytes before") : StrCat("at byte ", at - data_, " of");
  return StrCat("execute wrote ", place, " ", what_, ", which has ", bytes_, " bytes");
}

const PluginArea* FindPluginArea(const void* address) {
  const char* const at = static_cast<const char*>(address);
  for (const PluginArea& area : areas) {
    if (area.begin != nullptr && area.begin <= at && at < area.end) return &area;
  }
  return nullptr;
}

}  // namespace cts
