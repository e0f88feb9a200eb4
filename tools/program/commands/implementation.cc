#include "tools/program/commands/implementation.h"

#include <cstdlib>
#include <utility>

#include "checker/text/printable.h"
#include "reference/base/file_type.h"

namespace cts {
StatusOr<std::string> WorkerOf(const std::string& place, const std::vector<std::string>& code) {
  constexpr std::string_view kExpected =
      "expected FILE.py:FUNCTION or MODULE:FUNCTION, such as my_npu.py:execute";
  const size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == place.size()) {
    return InvalidArgument("--python: found ", place, ", ", kExpected);
  }
  const std::string file = place.substr(0, colon);
  if (file.ends_with(".py")) {
    CTS_ASSIGN_OR_RETURN(const bool there, Exists(file));
    if (!there) {
      return NotFound("--python: ", file, ": no such file; `tensor-cts init python` writes one ",
                      "to begin with");
    }
  }
  if (!file.ends_with(".py") && code.empty()) {
    return InvalidArgument("--python: found the module ", file, ", whose code cannot be recorded: ",
                           "name its files or folders by --code, or say FILE.py:FUNCTION");
  }
  return StrCat(ShellQuoted(DefaultPython()), " -m tensor_cts.worker ", ShellQuoted(place));
}

std::string DefaultPython() {
  const char* const given = std::getenv("TENSOR_CTS_PYTHON");
  return given == nullptr || *given == '\0' ? "python3" : given;
}

Status ImplementationOptions::Resolve(const std::string& command) {
  const int given = int{!run.adapter.empty()} + int{!python.empty()} + int{!name.empty()} +
                    int{!run.plugin.empty()};
  if (given != 1) {
    return InvalidArgument(
        command,
        ": name the implementation, by one of --adapter COMMAND, --python FILE.py:FUNCTION, "
        "--plugin LIB.so and --implementation builtin:native");
  }
  if (!run.code.empty() && run.adapter.empty() && python.empty()) {
    return InvalidArgument(command, ": --code goes with --adapter or --python");
  }
  if (!python.empty()) {
    CTS_ASSIGN_OR_RETURN(run.adapter, WorkerOf(python, run.code));
    run.worker = true;
  }
  if (name.empty()) return absl::OkStatus();
  constexpr std::string_view kPrefix = "builtin:";
  if (!name.starts_with(kPrefix)) {
    return InvalidArgument(
        "--implementation: found ", name,
        ", expected builtin:native; your own comes with --adapter, --python or --plugin");
  }
  run.builtin = name.substr(kPrefix.size());
  return absl::OkStatus();
}

std::string CountsText(const RunSummary& summary) {
  std::string text;
  for (const CaseStatus status : kCaseStatuses) {
    if (summary[status] == 0) continue;
    text += StrCat(text.empty() ? "" : ", ", summary[status], " ", Name(status));
  }
  return text;
}

void AddImplementationOptions(CLI::App* command, ImplementationOptions& options) {
  auto* builtin =
      command->add_option("--implementation", options.name,
                          "An embedded one: builtin:native, or builtin:fault:ID, which\n"
                          "has a fault on purpose (tensor-cts list faults)");
  builtin->type_name("NAME");
  command
      ->add_option("--adapter", options.run.adapter,
                   "Command that connects your own, of any language")
      ->excludes(builtin)
      ->type_name("COMMAND");
  command
      ->add_option("--python", options.python,
                   "Function in Python that is your own, FILE.py:FUNCTION or\n"
                   "MODULE:FUNCTION with --code; to begin with: tensor-cts init python")
      ->excludes(builtin)
      ->excludes("--adapter")
      ->type_name("FILE.py:FUNCTION");
  command
      ->add_option("--plugin", options.run.plugin,
                   "Shared library that is your own; to begin with: tensor-cts init c")
      ->excludes(builtin)
      ->excludes("--adapter")
      ->excludes("--python")
      ->type_name("LIB.so");
  command
      ->add_option("--code", options.run.code,
                   "The adapter's code is this file, or the code in this folder and\n"
                   "its packages, not all code beside its script; repeated for more")
      ->type_name("PATH");
  command->add_flag("--worker", options.run.worker, "Keep the adapter running for many cases");
  command->add_flag("--symbolic", options.run.symbolic,
                    "The implementation accepts symbolic programs; otherwise they are\n"
                    "unsupported, and it does not get them");
  command->add_option("--jobs", options.run.jobs, "Adapters at a time (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--timeout", options.run.timeout_seconds,
                   "Seconds for one case before the adapter is killed")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6))
      ->type_name("SECONDS");
  command
      ->add_option("--memory", options.run.memory_mb,
                   "Megabytes for an adapter and its children before it is killed")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("MB");
}

CLI::Option* AddUnderLoadOption(CLI::App* command, RunOptions& options) {
  return command->add_flag("--under-load", options.under_load,
                           "Afterwards run a sample three times more, in other orders, among\n"
                           "other cases, with twice as many jobs and four times the time, and\n"
                           "compare the results byte by byte");
}

void AddRepeatOption(CLI::App* command, RunOptions& options) {
  command
      ->add_option("--repeat", options.repeats,
                   "Run every case N times and compare the results byte by byte")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
}

void AddBalanceOption(CLI::App* command, RunOptions& options) {
  command
      ->add_option("--balance", options.balance,
                   "Cut the shards by the seconds of an earlier run: its report,\n"
                   "as check --json wrote it, the same for all shards")
      ->type_name("REPORT");
}

}  // namespace cts
