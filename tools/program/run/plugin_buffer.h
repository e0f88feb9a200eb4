// The memory that a plugin reads and writes, surrounded by inaccessible memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cts {

// Memory between inaccessible pages, aligned to 64 bytes. A pattern fills the gaps between the
// memory and those pages: at most 63 bytes after the memory, at least 64 bytes before it. The
// function Damage detects a write to a gap. A read of a gap is not detected.
class PluginBuffer {
 public:
  // If `fd` is -1, the memory is private. Otherwise the memory is a mapping of the file `fd`:
  // Room(bytes) bytes from `offset` on. Processes that the plugin forks do not have this mapping.
  explicit PluginBuffer(std::string what, size_t bytes, int fd = -1, size_t offset = 0);
  ~PluginBuffer();
  PluginBuffer(const PluginBuffer&) = delete;
  PluginBuffer& operator=(const PluginBuffer&) = delete;

  static size_t Room(size_t bytes);   // the size of the whole pages that hold a buffer
  static size_t Start(size_t bytes);  // the offset of the data in these pages

  const std::string& what() const { return what_; }
  // Null if the buffer has 0 bytes, or if memory could not be allocated.
  uint8_t* data() const { return data_; }
  size_t bytes() const { return data_ == nullptr ? 0 : bytes_; }

  // After this call, a write to the buffer ends the process. `note` follows the buffer's name in
  // the final message of the process. The text of `note` must never be freed.
  void Protect(const char* note = "");
  // Gives private memory back to the system. Afterwards the memory reads as zeros.
  void Discard();

  // Says where a gap was written; returns an empty text if no gap was written.
  std::string Damage() const;

 private:
  const std::string what_;
  const size_t bytes_;
  uint8_t *base_ = nullptr, *start_ = nullptr, *data_ = nullptr;
  size_t room_ = 0, mapped_ = 0;
  struct PluginArea* area_ = nullptr;
};

// A buffer in a form for signal handlers.
struct PluginArea {
  const char* volatile begin = nullptr;  // the beginning of the whole mapping
  const char* end = nullptr;
  const char* data = nullptr;
  size_t bytes = 0;
  const char* volatile note = "";
  char what[120] = {};
};

// Returns the buffer whose memory or surrounding pages contain an address. Returns null if there is
// no such buffer, or if the buffer is not recorded because there were too many buffers.
const PluginArea* FindPluginArea(const void* address);

}  // namespace cts
