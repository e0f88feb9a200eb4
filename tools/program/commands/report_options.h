// The options --json, --junit and --html, which say where to write the reports of a check.
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

  // Files that a command writes in addition to the reports, as pairs of option and place.
  using Places = std::vector<std::pair<const char*, std::string>>;
  // Call it before the work. Returns an error if a place (also "-") is named twice, or if a file
  // cannot be written.
  Status Probe(const Places& more = {}) const;

  // Writes the requested reports, and the files `more` (place -> contents). If no report or file is
  // written to standard output, writes `text` there; with --quiet, only the last line of `text`.
  using Files = std::vector<std::pair<std::string, std::string>>;
  Status Emit(const Report& report, const std::string& text, const Files& more = {}) const;
};

// Adds --declared FILE: the declaration of what the implementation supports.
void AddDeclaredOption(CLI::App& command, std::filesystem::path& file);
// Reads the declaration, which must be for the suite's edition; nullopt if `file` is empty.
StatusOr<std::optional<DeclaredBy>> ReadDeclaredOption(const std::filesystem::path& file,
                                                       const std::filesystem::path& suite);

}  // namespace cts
