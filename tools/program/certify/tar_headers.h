// Checks the headers of an archive of evidence more strictly than libarchive does, so that any
// other tar program unpacks the same files that `verify` saw.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// Reads the decompressed archive piece by piece.
class TarHeaders {
 public:
  // Returns kInvalidArgument for anything that PackEvidence does not write, such as another mode or
  // owner, a record other than a path in a POSIX extended header, or a global header. The message
  // does not name the archive.
  Status Look(std::string_view bytes);

 private:
  static constexpr size_t kBlock = 512;

  Status Header();
  Status Records() const;

  std::array<char, kBlock> block_{};
  size_t filled_ = 0;        // the number of bytes in block_
  uint64_t skipped_ = 0;     // the remaining bytes of a file and its padding
  bool of_records_ = false;  // the file is an extended header, whose contents are records
  std::string records_;
  uint64_t records_size_ = 0;
  bool ended_ = false;
};

}  // namespace cts
