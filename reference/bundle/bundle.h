// The files of a case on disk.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "reference/base/file.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// The BundleDigest (suite.h) of the bundle in a folder. It covers case.json first, and then every
// tensor file that case.json names, sorted by path. An error if a tensor file has more than
// `max_bytes` bytes.
StatusOr<std::string> BundleDigestOnDisk(const std::filesystem::path& directory,
                                         uint64_t max_bytes = 1ull << 31);

// The names of the bundle's files in a folder: "case.json" and every tensor file that it names.
StatusOr<std::set<std::string>> BundleFileNames(const std::filesystem::path& directory);

// Reads a case of a suite of `edition` and checks it against its entry in the suite. Reads every
// file once, so that the digest is computed from the same bytes that are parsed. Errors name the
// file and what differs.
StatusOr<Case> ReadVerifiedCase(const Folder& suite, const SuiteEntry& entry,
                                std::string_view edition);

// An error if the edition of the case is not `edition`, if it is unknown, or if it lacks an
// operator of the case's graph.
Status CheckEdition(const Case& c, std::string_view edition, const std::filesystem::path& case_dir);

// Reads a case from `files` in memory and checks it against its entry. Does not check the edition.
// For fuzzing.
StatusOr<Case> ReadVerifiedCase(const std::vector<BundleFile>& files, const SuiteEntry& entry);

}  // namespace cts
