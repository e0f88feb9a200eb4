// Packs evidence from a folder into one file.
#pragma once

#include <atomic>
#include <filesystem>

#include "reference/base/status.h"
#include "tools/program/certify/mandatory_suite.h"

namespace cts {

// Writes the files below `evidence` into the new file `place`, in the order of their names. Does
// not record their owners, permissions and times. The same files give the same bytes with the same
// version of libzstd. After an error, `place` does not exist. Returns kCancelled once `stop` is
// true.
Status PackEvidence(const std::filesystem::path& evidence, const std::filesystem::path& place,
                    const StageProgress& progress, const std::atomic<bool>* stop);

}  // namespace cts
