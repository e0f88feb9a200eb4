// Options that all commands that run an implementation share.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tools/program/run/runner.h"

namespace cts {

struct ImplementationOptions {
  RunOptions run;
  std::string name;    // the argument of --implementation
  std::string python;  // the argument of --python

  bool Given() const {
    return !run.adapter.empty() || !python.empty() || !name.empty() || !run.plugin.empty();
  }
  // Sets run.builtin, or run.adapter for a function in Python. Exactly one of --adapter, --python,
  // --implementation and --plugin must be given.
  Status Resolve(const std::string& command);
};

// The command that starts the Python module tensor_cts as a worker, which calls a function in
// Python. `place` is the argument of --python, and `code` that of --code.
StatusOr<std::string> WorkerOf(const std::string& place, const std::vector<std::string>& code);

// Returns the Python interpreter for functions and scripts: the value of the environment variable
// TENSOR_CTS_PYTHON, which the command of a Python wheel sets, or python3 if the variable is not
// set.
std::string DefaultPython();

// Returns the number of cases with each status, and leaves out statuses without cases: "1200 ok, 20
// error, 3 crash".
std::string CountsText(const RunSummary& summary);

// Adds --adapter, --python, --code, --worker, --implementation, --plugin, --jobs, --timeout and
// --memory.
void AddImplementationOptions(CLI::App* command, ImplementationOptions& options);
// Adds --under-load, and returns this option.
CLI::Option* AddUnderLoadOption(CLI::App* command, RunOptions& options);
// These functions add --repeat and --balance.
void AddRepeatOption(CLI::App* command, RunOptions& options);
void AddBalanceOption(CLI::App* command, RunOptions& options);

}  // namespace cts
