#include <memory>

#include "checker/judge/build_state.h"
#include "reference/base/json.h"
#include "tools/program/commands/command.h"

namespace cts {

void AddVersion(CLI::App& app, Action& action) {
  CLI::App* command =
      app.add_subcommand("version", "Print the version, and the digests of what decides verdicts");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print a JSON object");
  command->callback([&action, json] {
    action = [json]() -> StatusOr<int> {
      const BuildState& build = ThisBuild();
      if (*json) {
        CTS_RETURN_IF_ERROR(
            Emit("-", FormatJson({{"version", StrCat(build.version, CTS_VERSION_SUFFIX)},
                                  {"commit", build.commit},
                                  {"editions", build.editions},
                                  {"recipes", build.recipes},
                                  {"checker", build.checker}})));
        return kDone;
      }
      CTS_RETURN_IF_ERROR(
          Say(StrCat("tensor-cts ", build.version, CTS_VERSION_SUFFIX, "\ncommit    ", build.commit,
                     "\neditions  ", build.editions, "\nrecipes   ", build.recipes, "\nchecker   ",
                     build.checker, "\n")));
      return kDone;
    };
  });
}

}  // namespace cts
