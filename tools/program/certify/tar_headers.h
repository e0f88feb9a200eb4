// Checks the headers of an archive of evidence, in addition to libarchive, which tolerates much:
// any other tar must unpack the same files that `verify` saw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// Takes the unpacked archive piece by piece.
class TarHeaders {
 public:
  // Invalid argument: something that PackEvidence does not write, such as another mode or owner, a
  // record of POSIX other than a path, or one for all files. The message names no place.
  Status Look(std::string_view bytes);

 private:
  static constexpr size_t kBlock = 512;

  Status Header();
  Status Records() const;

  std::array<char, kBlock> block_{};
  size_t filled_ = 0;     // of block_
  uint64_t skipped_ = 0;  // bytes of a file and its padding that are still to come
  bool of_records_ = false;
  std::string records_;
  uint64_t records_size_ = 0;
  bool ended_ = false;
};

}  // namespace cts
