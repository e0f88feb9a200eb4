#include "checker/judge/build_state.h"
#include "tools/program/commands/command.h"

namespace cts {

void AddVersion(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("version", "Print the version, and the digests of what decides verdicts");
  command->callback([&action] {
    action = []() -> StatusOr<int> {
      const BuildState& build = ThisBuild();
      CTS_RETURN_IF_ERROR(
          Say(StrCat("tensor-cts ", build.version, CTS_VERSION_SUFFIX, "\ncommit    ", build.commit,
                     "\neditions  ", build.editions, "\nrecipes   ", build.recipes, "\nchecker   ",
                     build.checker, "\n")));
      return kDone;
    };
  });
}

}  // namespace cts
