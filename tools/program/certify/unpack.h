// Unpacks evidence from an untrusted file into a folder.
#pragma once

#include <atomic>
#include <filesystem>

#include "reference/base/new_folder.h"
#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"

namespace cts {

// Unpacks what PackEvidence wrote into `place`, a folder of ours: its files then lie in `place` /
// kArchiveFolder. An archive may have only regular files of evidence, in the order of their names,
// each once. Refuses anything else, more bytes than MostUnpacked, a truncated or damaged file, and
// bytes behind the end. The error names the file, the entry and what was expected. Once `stop` is
// true, ends with kCancelled. Ignore files that an error leaves in `place`.
Status UnpackEvidence(const std::filesystem::path& file, const std::filesystem::path& place,
                      const StageProgress& progress, const std::atomic<bool>* stop);

// A folder for temporary files that only this user can read; removed at the end. It also removes
// the remains of a killed call.
StatusOr<NewFolder> TemporaryFolder();

}  // namespace cts
