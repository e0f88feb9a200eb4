// Writes suites as files in other formats.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/formats/spirv/spirv.h"
#include "reference/formats/tosa/tosa_flatbuffer.h"
#include "tools/program/exchange/memory.h"

namespace cts {

// The choices that a format leaves open.
struct ExportChoices {
  TosaVersion version;
  SpirvOptions spirv;
};

// One format: its name on the command line, and the function that returns the files of one case.
// Unimplemented if the format cannot hold the case; the message says why.
struct ExportFormat {
  std::string_view name;
  std::string_view description;
  // Null for the formats of memory.h, which also have files for all cases together.
  StatusOr<std::vector<BundleFile>> (*files)(const Case& c, const ExportChoices& choices);
};
std::span<const ExportFormat> ExportFormats();

// The names of the graph's file in the formats "tosa", "spirv" and "vgf".
inline constexpr std::string_view kTosaFile = "graph.tosa", kSpirvFile = "graph.spv",
                                  kVgfFile = "graph.vgf";

struct ExportOptions {
  std::filesystem::path suite;
  std::filesystem::path out;  // a new folder, or an empty one
  std::string format;         // the name of one of ExportFormats
  std::string tosa_version;   // in the form that ParseTosaVersion reads; empty: TosaVersion{}
  SpirvOptions spirv = {};
  std::vector<std::string> filter = {};   // only cases that match one of these patterns; empty: all
  uint64_t memory_bytes = kMemoryBudget;  // for "hex" and "c": the most bytes for a case
  // For "hex" and "c": also write the bits of outputs that have only one right result.
  bool expected = false;
  int jobs = 0;  // 0: one per core
  // Called after every case, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress;
  // Once true, exporting ends with an error and leaves nothing behind.
  const std::atomic<bool>* stop = nullptr;
};

struct ExportSummary {
  size_t cases = 0;     // written
  size_t left_out = 0;  // cases that the format cannot hold: OUT/left_out.txt lists ids and
                        // reasons
  size_t other = 0;     // cases that match no pattern of ExportOptions::filter
};

// Writes OUT/<id of the case>/<file> for every case of a suite, after it has compared the case with
// the manifest. First writes to a folder beside `out`, and renames this folder when it is complete.
// The bytes do not depend on the number of jobs. Returns an error if the format can hold no case of
// the suite.
StatusOr<ExportSummary> ExportSuite(const ExportOptions& options);

// These functions return the graph of the case in a folder: as a .tosa file, as a SPIR-V module,
// and as a VGF file.
StatusOr<std::string> RenderTosa(const std::filesystem::path& case_dir);
StatusOr<std::string> RenderSpirv(const std::filesystem::path& case_dir,
                                  const SpirvOptions& options);
StatusOr<std::string> RenderVgf(const std::filesystem::path& case_dir, const SpirvOptions& options);

}  // namespace cts
