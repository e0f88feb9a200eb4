// The child process that runs a plugin. It is a worker as described in tools/adapters/README.md.
#pragma once

#include <filesystem>

namespace cts {

// Loads the library, announces it on standard output, and answers one request per line of standard
// input until the input ends. The plugin's standard output goes to standard error. If the plugin
// crashes or breaks a rule of plugin.h, the process ends, sometimes after an answer that breaks the
// protocol. The runner makes the case's result from the way in which the process ended. Returns the
// exit code.
int ServePlugin(const std::filesystem::path& library);

// Does the same for one case, for use in a debugger. Writes the answer to standard output.
int ServePluginOnce(const std::filesystem::path& library, const std::filesystem::path& case_dir,
                    const std::filesystem::path& result_dir);

}  // namespace cts
