// The files of an evidence directory, and the statement about them:
//   claim.json, suite/, results/, report.json, report.txt, report.html
//   answers.json              the answers of a blind run
//   challenge/                of a blind run that answers a challenge: challenge.json, answer.json
//                             and receipt.json
//   SHA256SUMS                one line for each file above, for `sha256sum --check`
//   SIZES                     one line for each file above: its number of bytes (not in format 1)
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
inline constexpr std::string_view kChallengeFolder = "challenge";
inline constexpr std::string_view kChallengeFiles[] = {"challenge.json", "answer.json",
                                                       "receipt.json"};
inline constexpr std::string_view kSumsFile = "SHA256SUMS";
inline constexpr std::string_view kSizesFile = "SIZES";
// An evidence directory has only one of these two files, so that the statement of a failure cannot
// be mistaken for a certificate.
inline constexpr std::string_view kCertificateFile = "certificate.intoto.json";
inline constexpr std::string_view kFailureFile = "failure.intoto.json";

// The format of evidence that this version writes. The statement names this format if the evidence
// has a SIZES file. Evidence of format 1 has no SIZES file, and its statement names no format.
inline constexpr std::string_view kEvidenceFormat = "tensor-cts-evidence-2";

// The maximum size in bytes of a statement's envelope. A statement about all cases that can be
// mandatory for a claim takes about a seventh of this size.
inline constexpr uint64_t kMaxStatement = uint64_t{16} << 20;

inline constexpr std::string_view kPayloadType = "application/vnd.in-toto+json";

// A statement's configuration has an entry that identifies the program that judged the results.
// This is the name of that entry.
inline constexpr std::string_view kBuildName = "tensor-cts";

// Maps a file's path below the root, with '/' as separator, to the file's SHA-256.
using FileDigests = std::map<std::string, std::string>;

// Returns the digest of every file below `root`. Adds a fault for each entry that is neither a
// regular file nor a directory, and for each empty directory. A file that cannot be read is an
// error. Once `*stop` is true, the call ends with an error.
StatusOr<FileDigests> DigestFiles(const std::filesystem::path& root, int jobs,
                                  std::vector<std::string>* faults,
                                  const std::atomic<bool>* stop = nullptr);

// The two steps of the DigestFiles above. ListFiles returns the paths of the files below `root` in
// ascending order. The DigestFiles below returns the digests of the files at these paths.
StatusOr<std::vector<std::string>> ListFiles(const std::filesystem::path& root,
                                             std::vector<std::string>* faults);
StatusOr<FileDigests> DigestFiles(const std::filesystem::path& root,
                                  const std::vector<std::string>& paths, int jobs,
                                  const std::atomic<bool>* stop = nullptr);

// Returns the digests in the format that `sha256sum` writes and reads.
std::string FormatSums(const FileDigests& digests);

// Returns a fault for each path that `sums`, the text of SHA256SUMS, does not list. Call this
// function before any file is read, since reading may take long.
std::vector<std::string> Unlisted(std::string_view sums, const std::vector<std::string>& paths);

// Returns the differences between the files and the list `sums`, the text of SHA256SUMS: missing,
// extra and changed files.
std::vector<std::string> CompareWithSums(std::string_view sums, FileDigests files);

// Maps a file's path below the root, with '/' as separator, to the file's number of bytes.
using FileSizes = std::map<std::string, uint64_t>;

// Returns the sizes without reading the files. A missing file is an error.
StatusOr<FileSizes> SizesOf(const std::filesystem::path& root,
                            const std::vector<std::string>& paths);

// Returns one line for each file: the number of bytes, two spaces, the path.
std::string FormatSizes(const FileSizes& sizes);

// Returns the differences between the files and `list`, the text of SIZES. Call this function
// before the files are read: a file of the wrong size need not be read.
std::vector<std::string> CompareWithSizes(std::string_view list, FileSizes files);

// Returns the maximum number of bytes of the evidence file at this path. This limit is for files
// whose size is not in a signed list.
uint64_t MostBytesOf(std::string_view path);
// Returns a fault for each file that is larger than MostBytesOf allows.
std::vector<std::string> TooLarge(const FileSizes& files);

// The lock file that fits the claim. A lock file has the counts and the digest of a recipe's suite.
struct Lock {
  std::string name;    // "certify-pro-int.lock.json"; empty if no lock file fits the claim
  std::string digest;  // the SHA-256 of the lock file
  std::string suite;   // the digest of the suite, as the lock file has it
};
// Identifies the blind suite (a suite without answers) of a blind run, by the suite's digest and
// the seed of the suite's data.
struct BlindSuiteName {
  std::string digest;
  uint64_t seed = 0;
};
struct StatementParts {
  const Claim& claim;
  const Report& report;
  const FileDigests& digests;        // the digests of all files that SHA256SUMS lists
  std::string sums;                  // the text of SHA256SUMS
  std::optional<std::string> sizes;  // the text of SIZES; nullopt for format 1
  Lock lock;
  std::optional<BlindSuiteName> blind;         // nullopt if no blind suite ran
  Json build = BuildStateToJson(ThisBuild());  // the build that made the evidence
};
// Returns an in-toto Statement (github.com/in-toto/attestation, spec/v1/statement.md) with the
// test-result predicate (spec/predicates/test-result.md). The Statement depends only on `parts`.
Json MakeStatement(const StatementParts& parts);

// Returns "FAILED" if the report is not conformant. Otherwise returns "PASSED", or "WARNED" for an
// embedded implementation ("builtin:..."), because the pass of such an implementation says nothing
// about any other implementation.
std::string_view ResultOf(const Report& report);

// Returns the differences between two JSON documents, each as "pointer: found X, expected Y".
std::vector<std::string> Differences(const Json& found, const Json& expected);

}  // namespace cts
