// Suites for implementations without processes and files, such as simulated hardware and programs
// on bare metal: images of memories (format "hex" of export) or arrays of C (format "c"), and the
// way back, a dump of the results.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// The memory of one case, if no other number is given.
inline constexpr uint64_t kMemoryBudget = 1 << 20;
// The results of all cases begin with the SHA-256 of the manifest.
inline constexpr uint64_t kMemoryDigestBytes = 32;
// Every answer begins with its status, and the outputs are aligned to it.
inline constexpr uint64_t kMemoryStatusBytes = 16;
// The longest results of all cases: import-results holds them in memory.
inline constexpr uint64_t kMaxMemoryResults = 1 << 30;
inline constexpr char kMemoryManifest[] = "manifest.json";

// The first word of an answer, little-endian. A memory that nothing was written to says kNone.
enum class MemoryStatus : uint32_t { kNone = 0, kComputed = 1, kRefused = 2, kUnsupported = 3 };

struct NotExported {
  std::string id, reason;
};

class MemoryExport {
 public:
  struct Options {
    bool as_c = false;  // otherwise images
    uint64_t budget = kMemoryBudget;
    bool expected = false;  // with the bits of outputs that have one right result
  };
  MemoryExport(const Suite& suite, const Options& options);
  ~MemoryExport();
  MemoryExport(const MemoryExport&) = delete;

  // The files of one case, in a folder of its own. Any thread may call it. kUnimplemented: a memory
  // cannot hold the case, or the case needs more than the budget; the message says why.
  StatusOr<std::vector<BundleFile>> Files(const Case& c, size_t position);

  // The files of all cases whose own files were made: the manifest (schemas/memory.schema.json),
  // and those of the form.
  StatusOr<std::vector<BundleFile>> Whole(const std::vector<NotExported>& left_out);

 private:
  StatusOr<uint64_t> PlaceResults();

  const Suite& suite_;
  const Options options_;
  struct State;
  const std::unique_ptr<State> state_;
};

struct ImportResultsOptions {
  std::filesystem::path suite, manifest;
  // $writememh's text of a memory of bytes; of a file that ends in .bin, the bytes themselves.
  std::vector<std::filesystem::path> dumps;
  std::filesystem::path out;  // must not exist, or be an empty directory
  std::string name;           // of the implementation
};

struct ImportedResults {
  size_t answers = 0;    // computed, refused or unsupported
  size_t malformed = 0;  // an undefined bit, or an unknown status: never a pass
  size_t missing = 0;    // of the manifest's cases
  size_t left_out = 0;   // cases of the suite that are not in the manifest
};

// Makes results of dumps. An error names the file and the address, and writes nothing.
StatusOr<ImportedResults> ImportResults(const ImportResultsOptions& options);

}  // namespace cts
