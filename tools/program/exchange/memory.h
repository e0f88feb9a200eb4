// Suites for implementations without processes and files, such as simulated hardware and programs
// on bare metal: memory images (format "hex" of export) or C arrays (format "c"). Reads results
// back from a memory dump.
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

// The default limit on the memory of one case, in bytes.
inline constexpr uint64_t kMemoryBudget = 1 << 20;
// One block of memory holds the results of all cases. It begins with the SHA-256 of the manifest,
// which has this size.
inline constexpr uint64_t kMemoryDigestBytes = 32;
// Every answer begins with a status of this size, and the outputs are aligned to this size.
inline constexpr uint64_t kMemoryStatusBytes = 16;
// The most bytes that the results of all cases may have, since import-results holds them in memory.
inline constexpr uint64_t kMaxMemoryResults = 1 << 30;
inline constexpr char kMemoryManifest[] = "manifest.json";

// The first word of an answer, little-endian. Memory that was never written has kNone.
enum class MemoryStatus : uint32_t { kNone = 0, kComputed = 1, kRefused = 2, kUnsupported = 3 };

struct NotExported {
  std::string id, reason;
};

class MemoryExport {
 public:
  struct Options {
    bool as_c = false;  // C arrays; otherwise memory images
    uint64_t budget = kMemoryBudget;
    bool expected = false;  // also export the bits of outputs that have only one right result
  };
  MemoryExport(const Suite& suite, const Options& options);
  ~MemoryExport();
  MemoryExport(const MemoryExport&) = delete;

  // The files of one case, for its own folder. Any thread may call this function. kUnimplemented if
  // the format cannot represent the case (control flow, variables, symbolic programs, tensors with
  // scales), or if the case needs more memory than the budget; the message says why.
  StatusOr<std::vector<BundleFile>> Files(const Case& c, size_t position);

  // The common files of all cases for which Files was successful: the manifest
  // (schemas/memory.schema.json), and the other files that the format needs.
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
  // Memory dumps: the text that Verilog's $writememh writes for a memory of bytes, or the raw bytes
  // if the file's name ends in .bin.
  std::vector<std::filesystem::path> dumps;
  std::filesystem::path out;  // a new folder, or an empty one
  std::string name;           // of the implementation
};

struct ImportedResults {
  size_t answers = 0;    // the number of cases that were computed, refused or unsupported
  size_t malformed = 0;  // answers with an undefined bit (x, z) or an unknown status; never pass
  size_t missing = 0;    // cases of the manifest without an answer
  size_t left_out = 0;   // cases of the suite that are not in the manifest
};

// Makes results from dumps. An error names the file and the address; then nothing is written.
StatusOr<ImportedResults> ImportResults(const ImportResultsOptions& options);

}  // namespace cts
