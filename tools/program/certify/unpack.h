// Unpacks evidence from an untrusted file into a folder.
#pragma once

#include <atomic>
#include <filesystem>

#include "reference/base/new_folder.h"
#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"

namespace cts {

// Unpacks an archive, as PackEvidence writes it, into the folder `place`, which the caller owns.
// The unpacked files are in `place` / kArchiveFolder. An archive may have only regular files of
// evidence, in the order of their names, each once. Refuses anything else, more bytes than
// MostUnpacked, a truncated or damaged archive, and bytes after the archive's end. The error names
// the file, the entry and what was expected. Returns kCancelled once `stop` is true. After an
// error, ignore the files in `place`.
Status UnpackEvidence(const std::filesystem::path& file, const std::filesystem::path& place,
                      const StageProgress& progress, const std::atomic<bool>* stop);

// Makes a folder for temporary files. Only this user can read the folder, and the destructor of
// NewFolder removes it. The function also removes such folders that killed processes left behind.
StatusOr<NewFolder> TemporaryFolder();

}  // namespace cts
