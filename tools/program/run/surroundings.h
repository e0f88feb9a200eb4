// The place of a run, and the files of the implementation: the entries of run.json besides the
// results.
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

// The set variables that are known to change the behaviour of numerical libraries and drivers. Only
// these are recorded, because an environment also holds secrets.
EnvironmentVariables KnownVariables();

// A text in the form of a record: bytes that are not UTF-8 are replaced.
std::string AsRecorded(const std::string& text);

// The program that a command line starts, found by PATH, and every existing file among its words
// (also behind a "=", and FILE.py of "FILE.py:FUNCTION"), in their order. Then the files that
// `code` names, and the code in the folders that it names. If `code` is empty: for each of them
// that is a script by its name, the code beside it and in Python packages there. kInvalidArgument
// names a path of `code` that does not exist; kCancelled if the run is interrupted.
StatusOr<std::vector<AdapterFile>> AdapterFiles(const std::string& command,
                                                const std::vector<std::string>& code);

// The same with the files that the workers announced instead of the code beside a script. A file
// that is gone is left out.
StatusOr<std::vector<AdapterFile>> AnnouncedFiles(const std::string& command,
                                                  const std::vector<std::string>& announced);

// The files that AdapterFiles found at the beginning, without the code beside a script, and the
// files that a worker announced. They have the digests of the beginning, if they were found then.
// kInvalidArgument names a path without a file, or a new file that was written since the beginning:
// it is unknown which contents were loaded.
StatusOr<std::vector<AdapterFile>> Narrowed(const std::vector<AdapterFile>& beginning,
                                            std::chrono::system_clock::time_point since,
                                            const std::string& command,
                                            const std::vector<std::string>& announced);

// Compares two such lists: the first file that differs, is gone or is new; empty if there is no
// such file.
std::string ChangedFile(const std::vector<AdapterFile>& before,
                        const std::vector<AdapterFile>& now);

// The same with one file.
StatusOr<std::vector<AdapterFile>> PluginFile(const std::filesystem::path& library);

}  // namespace cts
