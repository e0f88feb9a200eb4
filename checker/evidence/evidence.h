// The files of an evidence directory, and the statement about them:
//   claim.json, suite/, results/, report.json, report.txt, report.html
//   answers.json              of a blind run
//   SHA256SUMS                one line a file, for `sha256sum --check`
// SIZES                     one line a file, with its number of bytes; evidence of format 1 has no
// SIZES
//   certificate.intoto.json   the signed statement, or failure.intoto.json
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/evidence/claim.h"
#include "checker/judge/build_state.h"
#include "checker/judge/check.h"
#include "reference/base/json.h"

namespace cts {

inline constexpr std::string_view kClaimFile = "claim.json";
inline constexpr std::string_view kAnswersFile = "answers.json";
inline constexpr std::string_view kSumsFile = "SHA256SUMS";
inline constexpr std::string_view kSizesFile = "SIZES";
// An evidence directory has one of the two files, so that the statement of a failure cannot be
// taken for a certificate.
inline constexpr std::string_view kCertificateFile = "certificate.intoto.json";
inline constexpr std::string_view kFailureFile = "failure.intoto.json";

// The format of evidence that this version writes. The statement names it beside SIZES. Evidence of
// format 1 has no SIZES, and names no format.
inline constexpr std::string_view kEvidenceFormat = "tensor-cts-evidence-2";

// The longest envelope of a statement: about seven times that for all cases that can be mandatory.
inline constexpr uint64_t kMaxStatement = uint64_t{16} << 20;

inline constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";

// The name of the part of a statement's configuration that tells which program judged.
inline constexpr std::string_view kBuildName = "tensor-cts";

// Path below the root, with '/', and SHA-256.
using FileDigests = std::map<std::string, std::string>;

// Lists every file below `root`. Anything that is neither a regular file nor a directory with files
// in it goes into `faults`. Errors: a file that cannot be read. Once `stop` is true, listing ends
// with an error.
StatusOr<FileDigests> DigestFiles(const std::filesystem::path& root, int jobs,
                                  std::vector<std::string>* faults,
                                  const std::atomic<bool>* stop = nullptr);

// The same in two steps: the paths of the files in order, and their digests.
StatusOr<std::vector<std::string>> ListFiles(const std::filesystem::path& root,
                                             std::vector<std::string>* faults);
StatusOr<FileDigests> DigestFiles(const std::filesystem::path& root,
                                  const std::vector<std::string>& paths, int jobs,
                                  const std::atomic<bool>* stop = nullptr);

// As `sha256sum` writes and reads them.
std::string FormatSums(const FileDigests& digests);

// A fault for each path that SHA256SUMS does not list. Call it before any file is read, since
// reading may take long.
std::vector<std::string> Unlisted(std::string_view sums, const std::vector<std::string>& paths);

// The differences between the files and the list in SHA256SUMS: missing, extra, changed.
std::vector<std::string> CompareWithSums(std::string_view sums, FileDigests files);

// Path below the root, with '/', and bytes.
using FileSizes = std::map<std::string, uint64_t>;

// Reads no file. Errors: a missing file.
StatusOr<FileSizes> SizesOf(const std::filesystem::path& root,
                            const std::vector<std::string>& paths);

// One line a file: the number of bytes, two spaces, the path.
std::string FormatSizes(const FileSizes& sizes);

// The differences between the files and the list in SIZES. Only a file of the right size is worth
// reading.
std::vector<std::string> CompareWithSizes(std::string_view list, FileSizes files);

// The most bytes of a file of evidence, by its path, where no signed list says its size.
uint64_t MostBytesOf(std::string_view path);
// A fault for each file with more bytes.
std::vector<std::string> TooLarge(const FileSizes& files);

// An in-toto Statement (github.com/in-toto/attestation, spec/v1/statement.md) with the test-result
// predicate (spec/predicates/test-result.md), determined by the evidence alone.
struct Lock {
  std::string name;    // "certify-pro-int.lock.json"; empty if there is none for the claim
  std::string digest;  // of the lock file
  std::string suite;   // the digest of the suite that it holds
};
// The suite without answers, and the seed of its data.
struct BlindSuiteName {
  std::string digest;
  uint64_t seed = 0;
};
struct StatementParts {
  const Claim& claim;
  const Report& report;
  const FileDigests& digests;        // of every file that SHA256SUMS lists
  std::string sums;                  // the text of SHA256SUMS
  std::optional<std::string> sizes;  // that of SIZES; nothing for format 1
  Lock lock;
  std::optional<BlindSuiteName> blind;         // that ran; nothing if the run was not blind
  Json build = BuildStateToJson(ThisBuild());  // that made the evidence
};
Json MakeStatement(const StatementParts& parts);

// "PASSED", "FAILED", or "WARNED": the positive control passed, which says nothing about any other
// implementation.
std::string_view ResultOf(const Report& report);

// The places at which two JSON documents differ, as "pointer: found X, expected Y".
std::vector<std::string> Differences(const Json& found, const Json& expected);

}  // namespace cts
