// The memory that a plugin reads and writes, without usable memory around it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cts {

// Memory aligned to 64 bytes between forbidden pages. The bytes between the memory and those pages,
// at most 63 behind it and at least 64 before it, hold a pattern. Damage finds writes to those
// bytes; reads of them are not found.
class PluginBuffer {
 public:
  // Private memory. With `fd` it is the part of that file that begins at `offset`, which must have
  // Room(bytes) bytes. Processes that the plugin forks do not share it.
  explicit PluginBuffer(std::string what, size_t bytes, int fd = -1, size_t offset = 0);
  ~PluginBuffer();
  PluginBuffer(const PluginBuffer&) = delete;
  PluginBuffer& operator=(const PluginBuffer&) = delete;

  static size_t Room(size_t bytes);   // whole pages
  static size_t Start(size_t bytes);  // of the data in them

  const std::string& what() const { return what_; }
  // Null for no bytes, or if there is not enough memory.
  uint8_t* data() const { return data_; }
  size_t bytes() const { return data_ == nullptr ? 0 : bytes_; }

  // From here on a write ends the process. `note` follows the name in the last words; its text must
  // live forever.
  void Protect(const char* note = "");
  // Gives private memory back; reading it gives zeros.
  void Discard();

  // Says which bytes around the memory were written; empty if none were.
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
  const char* volatile begin = nullptr;  // of the whole mapping
  const char* end = nullptr;
  const char* data = nullptr;
  size_t bytes = 0;
  const char* volatile note = "";
  char what[120] = {};
};

// The buffer whose memory, or pages beside it, an address belongs to. Null if there is no such
// buffer, or if there are too many buffers to remember.
const PluginArea* FindPluginArea(const void* address);

}  // namespace cts
