// Where a command that checks puts its reports: --json, --junit and --html.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "checker/check.h"

namespace cts {

struct ReportOptions {
  std::string json, junit, html;  // files, "-" for standard output, or empty

  void Add(CLI::App& command);

  // Before the work: at most one "-", no file twice, and every file can probably be written.
  Status Probe() const;

  // Writes what was asked for, and to standard output `text` where nothing else goes there.
  Status Emit(const Report& report, const std::string& text) const;
};

}  // namespace cts
