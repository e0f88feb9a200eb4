#include "tools/commands/command.h"

namespace cts {

void AddVersion(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("version", "Print the version");
  command->callback([&action] {
    action = []() -> StatusOr<int> {
      CTS_RETURN_IF_ERROR(Say("tensor-cts " CTS_VERSION "\n"));
      return kDone;
    };
  });
}

}  // namespace cts
