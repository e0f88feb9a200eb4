// Options for the places of a check's reports: --json, --junit and --html.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checker/judge/check.h"

namespace cts {

struct ReportOptions {
  std::string json, junit, html;              // files, "-" for standard output, or empty
  std::string junit_unsupported = "skipped";  // or "failure"

  void Add(CLI::App& command);

  // Files that one command writes beside the reports: option -> place.
  using Places = std::vector<std::pair<const char*, std::string>>;
  // Call it before the work. Checks that at most one option is "-", no file is named twice, and
  // every file can probably be written.
  Status Probe(const Places& more = {}) const;

  // Writes the reports that were asked for, and `more`: place -> contents. Writes `text` to
  // standard output if no report goes there.
  using Files = std::vector<std::pair<std::string, std::string>>;
  Status Emit(const Report& report, const std::string& text, const Files& more = {}) const;
};

// --declared FILE: what the implementation supports.
void AddDeclaredOption(CLI::App& command, std::filesystem::path& file);
// The contents of the file, which must be of the suite's edition; nullopt without a file.
StatusOr<std::optional<DeclaredBy>> ReadDeclaredOption(const std::filesystem::path& file,
                                                       const std::filesystem::path& suite);

}  // namespace cts
