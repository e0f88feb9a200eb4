// The child process that a plugin lives in: a worker of tools/adapters/README.md.
#pragma once

#include <filesystem>

namespace cts {

// Loads the library, announces it on standard output, and answers one request per line of standard
// input until that ends. What the plugin prints on standard output goes to standard error. Whatever
// the plugin does wrong ends the process or the protocol, so that the runner makes a result of it.
// Returns the exit code.
int ServePlugin(const std::filesystem::path& library);

// The same for one case, for a debugger. The answer goes to standard output.
int ServePluginOnce(const std::filesystem::path& library, const std::filesystem::path& case_dir,
                    const std::filesystem::path& result_dir);

}  // namespace cts
