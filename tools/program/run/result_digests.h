// RESULTS/results.json. A run writes this file at the end, with a digest of every result.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"

namespace cts {

// The digest of a result in a folder or in a pack. The digest covers the name, length and bytes of
// every file of the result, ordered by name. A link or a directory is an error. Returns kCancelled
// once `stop` is true. If `instead` is not null, its bytes are used in place of those of
// result.json.
StatusOr<std::string> ResultDigest(const std::filesystem::path& results, const std::string& id,
                                   const std::atomic<bool>* stop = nullptr,
                                   const std::string* instead = nullptr);

// The text that precedes a file's bytes in the digested data.
std::string DigestedHead(std::string_view name, uint64_t size);

// Case ids and the digests of their results.
using ResultDigests = std::map<std::string, std::string>;

// Computes the digests of the results of the cases `ids` in parallel. Returns kCancelled once
// `stop` is true.
StatusOr<ResultDigests> DigestResults(const std::filesystem::path& results,
                                      const std::vector<std::string>& ids, int jobs,
                                      const std::atomic<bool>* stop);

// Returns the SHA-256 over ids and digests, which run.json calls "results_digest".
std::string DigestOf(const ResultDigests& digests);

// RESULTS/results.json (schemas/results.schema.json).
Status WriteResultDigests(const std::filesystem::path& results, const ResultDigests& digests);
StatusOr<ResultDigests> ReadResultDigests(const std::filesystem::path& results);

}  // namespace cts
