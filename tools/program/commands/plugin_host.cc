#include "tools/program/run/plugin_host.h"

#include <memory>

#include "tools/program/commands/command.h"

namespace cts {

// Hidden in the help: run starts it. People may start it, too, in a debugger.
void AddPluginHost(CLI::App& app, Action& action) {
  struct Options {
    std::filesystem::path library, case_dir, result_dir;
    bool worker = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("plugin-host", "Host a plugin, for run --plugin");
  command->add_option("LIBRARY", options->library, "The plugin")->required();
  auto* case_dir = command->add_option("CASE_DIR", options->case_dir, "One case");
  auto* result_dir = command->add_option("RESULT_DIR", options->result_dir, "Where outputs go");
  case_dir->needs(result_dir);
  command->add_flag("--worker", options->worker, "Answer requests, one per line")
      ->excludes(case_dir);
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      if (options->worker) return ServePlugin(options->library);
      if (!options->case_dir.empty()) {
        return ServePluginOnce(options->library, options->case_dir, options->result_dir);
      }
      return InvalidArgument("plugin-host: expected --worker, or CASE_DIR and RESULT_DIR");
    };
  });
}

}  // namespace cts
