#include "tools/run/plugin_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <utility>

#include "reference/base/status.h"

namespace cts {
namespace {

// A fixed number: a signal handler looks here.
std::array<PluginArea, 256> areas;

size_t Page() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }
size_t Aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

uint8_t Pattern(const uint8_t* at) {
  return static_cast<uint8_t>(0xA7 + 29 * reinterpret_cast<uintptr_t>(at));
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
  for (uint8_t* at = start_; at < start_ + room_; ++at) {
    if (at == data_) at += bytes_;
    if (at < start_ + room_) *at = Pattern(at);
  }
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
  for (const uint8_t* at = start_; at < start_ + room_; ++at) {
    if (at == data_) at += bytes_;
    if (at == start_ + room_ || *at == Pattern(at)) continue;
    const std::string place =
        at < data_ ? StrCat(data_ - at, " bytes before") : StrCat("at byte ", at - data_, " of");
    return StrCat("execute wrote ", place, " ", what_, ", which has ", bytes_, " bytes");
  }
  return "";
}

const PluginArea* FindPluginArea(const void* address) {
  const char* const at = static_cast<const char*>(address);
  for (const PluginArea& area : areas) {
    if (area.begin != nullptr && area.begin <= at && at < area.end) return &area;
  }
  return nullptr;
}

}  // namespace cts
