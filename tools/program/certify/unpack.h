// Evidence from one file into a folder, where nobody trusts the file.
#pragma once

#include <atomic>
#include <filesystem>

#include "reference/base/new_folder.h"
#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"

namespace cts {

// Unpacks what PackEvidence wrote into `place`, a folder of ours: its files come to lie in
// `place` / kArchiveFolder. Refuses, with the file, the entry and what was expected: anything but
// regular files of evidence, in the order of their names, each once; more bytes than MostUnpacked;
// what is truncated or damaged; and anything behind the end. Once `stop` is true, ends with
// kCancelled. Files that an error leaves in `place` are worth nothing.
Status UnpackEvidence(const std::filesystem::path& file, const std::filesystem::path& place,
                      const StageProgress& progress, const std::atomic<bool>* stop);

// A folder for temporary files that nobody else can read; removed at the end. It also removes what
// a killed call left.
StatusOr<NewFolder> TemporaryFolder();

}  // namespace cts
