// Shared by the commands that run an implementation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tools/program/run/runner.h"

namespace cts {

struct ImplementationOptions {
  RunOptions run;
  std::string name;    // of --implementation
  std::string python;  // of --python

  bool Given() const {
    return !run.adapter.empty() || !python.empty() || !name.empty() || !run.plugin.empty();
  }
  // Sets run.builtin, or run.adapter for a function in Python. Exactly one of --adapter, --python,
  // --implementation and --plugin must be there.
  Status Resolve(const std::string& command);
};

// The Python for functions and scripts: TENSOR_CTS_PYTHON of the environment, which a wheel's own
// command sets, or python3.
std::string DefaultPython();

// Counts cases by outcome, and leaves out outcomes without cases: "1200 ok, 20 error, 3 crash".
std::string CountsText(const RunSummary& summary);

// --adapter, --python, --code, --worker, --implementation, --plugin, --jobs, --timeout, --memory.
void AddImplementationOptions(CLI::App* command, ImplementationOptions& options);
// --under-load, which returns it.
CLI::Option* AddUnderLoadOption(CLI::App* command, RunOptions& options);

}  // namespace cts
