// Reads the files of a case on disk, and checks them against the suite.
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

// Returns the BundleDigest (suite.h) of the bundle in a folder. The digest covers case.json first,
// and then every tensor file that case.json names, sorted by path. An error if a tensor file has
// more than `max_bytes` bytes.
StatusOr<std::string> BundleDigestOnDisk(const std::filesystem::path& directory,
                                         uint64_t max_bytes = 1ull << 31);

// Returns the names of the bundle's files in a folder: "case.json", and every tensor file that
// case.json names.
StatusOr<std::set<std::string>> BundleFileNames(const std::filesystem::path& directory);

// Reads a case of a suite of `edition`, and checks the case against its entry in the suite. The
// digest is computed from the same bytes that are parsed. Errors name the file and the difference.
StatusOr<Case> ReadVerifiedCase(const Folder& suite, const SuiteEntry& entry,
                                std::string_view edition);

// Returns an error if the edition of the case is not `edition` or is unknown. Also returns an error
// if the edition does not have an operator of the case's graph.
Status CheckEdition(const Case& c, std::string_view edition, const std::filesystem::path& case_dir);

// Reads a case from `files` in memory, and checks the case against its entry. Does not check the
// edition. For fuzzing.
StatusOr<Case> ReadVerifiedCase(const std::vector<BundleFile>& files, const SuiteEntry& entry);

}  // namespace cts
