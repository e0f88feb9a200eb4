// The machine and environment of a run, and the files of the implementation, for run.json.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/run_record.h"
#include "reference/base/status.h"

namespace cts {

// "2026-11-30T09:26:52Z".
std::string UtcNow();

// "name: Linux 6.1.0 x86_64".
std::string HostName();

Machine ThisMachine();

// Returns the environment variables that are set and are known to change the behaviour of numerical
// libraries and drivers. Only these variables are recorded, because an environment also contains
// secrets.
EnvironmentVariables KnownVariables();

// Returns a text as run.json records it: bytes that are not UTF-8 are replaced.
std::string AsRecorded(const std::string& text);

// Returns the files of an implementation, in this order:
// - the program that the command line starts, found by PATH;
// - every existing file that a word of the command line names (also after a "=", and FILE.py of
//   "FILE.py:FUNCTION");
// - the files that `code` names, and the code in the folders that `code` names; or, if `code` is
//   empty, the code beside each script among the files above: in the script's folder, in the Python
//   packages of that folder, and in the package ../common.
// kInvalidArgument if a path of `code` has no code; the error names the path. kCancelled if the run
// is interrupted.
StatusOr<std::vector<AdapterFile>> AdapterFiles(const std::string& command,
                                                const std::vector<std::string>& code);

// Returns the same list, except that the files that the workers announced replace the code beside
// scripts. Leaves out announced files that no longer exist.
StatusOr<std::vector<AdapterFile>> AnnouncedFiles(const std::string& command,
                                                  const std::vector<std::string>& announced);

// Returns the files that a worker announced, and the files that AdapterFiles found at the
// beginning, except the code beside scripts. Files that were found at the beginning keep their
// digests from then. kInvalidArgument if an announced path has no file. Also kInvalidArgument if an
// announced file was not found at the beginning and was written at the time `since` or later,
// because it is unknown which contents the worker loaded.
StatusOr<std::vector<AdapterFile>> Narrowed(const std::vector<AdapterFile>& beginning,
                                            std::chrono::system_clock::time_point since,
                                            const std::string& command,
                                            const std::vector<std::string>& announced);

// Compares two lists of an implementation's files. Returns the first file that differs, is missing
// or is new; empty if there is no such file.
std::string ChangedFile(const std::vector<AdapterFile>& before,
                        const std::vector<AdapterFile>& now);

// Returns the list of a plugin's files: its library alone.
StatusOr<std::vector<AdapterFile>> PluginFile(const std::filesystem::path& library);

}  // namespace cts
