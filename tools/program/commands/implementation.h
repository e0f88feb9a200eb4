// Shared by the commands that run an implementation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tools/program/run/runner.h"

namespace cts {

struct ImplementationOptions {
  RunOptions run;
  std::string name;  // of --implementation

  bool Given() const { return !run.adapter.empty() || !name.empty() || !run.plugin.empty(); }
  // Sets run.builtin. Exactly one of --adapter, --implementation and --plugin must be there.
  Status Resolve(const std::string& command);
};

// Counts cases by outcome, and leaves out outcomes without cases: "1200 ok, 20 error, 3 crash".
std::string CountsText(const RunSummary& summary);

// --adapter, --code, --worker, --implementation, --plugin, --jobs, --timeout, --memory.
void AddImplementationOptions(CLI::App* command, ImplementationOptions& options);
// --under-load, which returns it.
CLI::Option* AddUnderLoadOption(CLI::App* command, RunOptions& options);

}  // namespace cts
