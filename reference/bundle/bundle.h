// The files of a case as they lie on disk.
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

// What BundleDigest says of the bundle in a folder: case.json, then every tensor file that it
// names, by path.
StatusOr<std::string> BundleDigestOnDisk(const std::filesystem::path& directory,
                                         uint64_t max_bytes = 1ull << 31);

// The files of the bundle in a folder: "case.json" and every tensor file that it names.
StatusOr<std::set<std::string>> BundleFileNames(const std::filesystem::path& directory);

// A case of a suite of `edition`, held against its entry. Every file is read once: the bytes that
// have the digest are those that were parsed. Errors name the file and what differs.
StatusOr<Case> ReadVerifiedCase(const Folder& suite, const SuiteEntry& entry,
                                std::string_view edition);

// Refuses a case of another edition than its suite's, of one that is not known here, and a graph
// with an operator of another.
Status CheckEdition(const Case& c, std::string_view edition, const std::filesystem::path& case_dir);

// The same where `files` are in memory; for fuzzing.
StatusOr<Case> ReadVerifiedCase(const std::vector<BundleFile>& files, const SuiteEntry& entry);

}  // namespace cts
