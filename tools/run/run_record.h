// What RESULTS/run.json and RESULTS/results.json say of a run: where it ran, what ran, what came
// out.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"

namespace cts {

// "name: Linux 6.1.0 x86_64".
std::string HostName();

// {"cpu": ..., "cores": ..., "memory_mb": ..., "os": ...}.
Json Machine();

// The variables that are known to change what numerical libraries and drivers do, and are set.
// Named ones only: an environment holds secrets, too.
Json Environment();

// [{"path": ..., "sha256": ...}]: the program that a command line starts, found by PATH, and every
// existing file among its words (also behind a "="), in their order; then, for each of those that
// is a script by its name, the code that lies beside it and in Python packages there.
StatusOr<Json> AdapterFiles(const std::string& command);

// Of two such lists: the first file that is another one, gone or new; empty if there is none.
std::string ChangedFile(const Json& before, const Json& now);

// The same with one file.
StatusOr<Json> PluginFile(const std::filesystem::path& library);

// The digest of what lies in RESULTS/<id>: name, length and bytes of every file, in order of the
// names. Files that begin with a dot are the runner's and do not count; a link or a directory is an
// error.
StatusOr<std::string> ResultDigest(const std::filesystem::path& results, const std::string& id);

// Case ids and the digests of their results.
using ResultDigests = std::map<std::string, std::string>;

// Of the cases named, by `jobs` threads; `stop` ends it early with fewer.
StatusOr<ResultDigests> DigestResults(const std::filesystem::path& results,
                                      const std::vector<std::string>& ids, int jobs,
                                      const std::function<bool()>& stop);

// SHA-256 over ids and digests: what run.json calls "results_digest".
std::string DigestOf(const ResultDigests& digests);

// RESULTS/results.json (schemas/results.schema.json).
Status WriteResultDigests(const std::filesystem::path& results, const ResultDigests& digests);
StatusOr<ResultDigests> ReadResultDigests(const std::filesystem::path& results);

}  // namespace cts
