// The functions of libarchive, which is loaded when an archive is first made or read.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "reference/base/status.h"

namespace cts {

struct Libarchive {
#define CTS_LIBARCHIVE_FUNCTIONS(F)    \
  F(archive_entry_filetype)            \
  F(archive_entry_free)                \
  F(archive_entry_hardlink)            \
  F(archive_entry_new)                 \
  F(archive_entry_pathname)            \
  F(archive_entry_set_filetype)        \
  F(archive_entry_set_mtime)           \
  F(archive_entry_set_pathname)        \
  F(archive_entry_set_perm)            \
  F(archive_entry_set_size)            \
  F(archive_entry_size)                \
  F(archive_entry_size_is_set)         \
  F(archive_entry_sparse_count)        \
  F(archive_errno)                     \
  F(archive_error_string)              \
  F(archive_filter_bytes)              \
  F(archive_read_data)                 \
  F(archive_read_free)                 \
  F(archive_read_new)                  \
  F(archive_read_next_header)          \
  F(archive_read_open)                 \
  F(archive_read_support_format_tar)   \
  F(archive_set_error)                 \
  F(archive_write_close)               \
  F(archive_write_data)                \
  F(archive_write_free)                \
  F(archive_write_header)              \
  F(archive_write_new)                 \
  F(archive_write_open)                \
  F(archive_write_set_bytes_per_block) \
  F(archive_write_set_format_pax_restricted)
#define CTS_LIBARCHIVE_MEMBER(name) decltype(&::name) name = nullptr;
  CTS_LIBARCHIVE_FUNCTIONS(CTS_LIBARCHIVE_MEMBER)
#undef CTS_LIBARCHIVE_MEMBER

  // Loads the system's library once. The error says what is missing.
  static StatusOr<const Libarchive*> Get();
};

}  // namespace cts
