// Reads a file of a case from the case's folder, or from the pack (base/pack.h) of the case's
// operator.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/file.h"
#include "reference/base/status.h"

namespace cts {

// Reads the file `name` in `directory` like ReadFile, but `directory` may also be a folder in a
// pack.
inline StatusOr<std::string> ReadBundleFile(const std::filesystem::path& directory,
                                            std::string_view name, uint64_t max_bytes) {
  StatusOr<std::string> bytes = ReadFile(directory / name, max_bytes);
  if (!absl::IsNotFound(bytes.status())) return bytes;
  const StatusOr<Folder> folder = Folder::Open(directory);
  if (folder.ok()) return folder->Read(name, max_bytes);
  return absl::IsNotFound(folder.status()) ? bytes.status() : folder.status();
}

}  // namespace cts
