#include "tools/program/run/merge.h"

#include <memory>

#include "reference/base/json.h"
#include "tools/program/commands/command.h"

namespace cts {

void AddMerge(CLI::App& app, Action& action) {
  auto options = std::make_shared<MergeOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("merge", "Put the results of shards together");
  command
      ->add_option("RESULTS", options->shards,
                   "The results of every shard, as run --shard wrote them")
      ->required()
      ->type_name("DIR...");
  command->add_option("--out", options->out, "Folder for the whole: a new or empty one")
      ->required()
      ->type_name("DIR");
  command->add_flag("--partial", options->partial,
                    "Shards may be missing. The results are incomplete then: for check\n"
                    "--partial, never for evidence");
  AddJsonFlag(*command, *json);
  command->footer(
      "Refuses shards that are not one whole run of one implementation over one suite.\n"
      "Exit code: 0 merged (check judges), 2 refused, 130 interrupted: then nothing is written.");
  command->callback([&action, options, json] {
    action = [options, json]() -> StatusOr<int> {
      options->stop = CatchInterrupts();
      CTS_ASSIGN_OR_RETURN(const MergeSummary summary, MergeResults(*options));
      if (*json) {
        CTS_RETURN_IF_ERROR(Emit("-", FormatJson({{"cases", summary.cases},
                                                  {"shards", summary.shards},
                                                  {"of", summary.of},
                                                  {"out", options->out.string()}})));
        return kDone;
      }
      CTS_RETURN_IF_ERROR(SayNews(StrCat(summary.cases, " results of ", summary.shards,
                                         " shards merged into ", options->out.string(),
                                         summary.shards < summary.of
                                             ? StrCat("; PARTIAL: ", summary.of - summary.shards,
                                                      " of ", summary.of, " shards are missing")
                                             : "",
                                         "\n")));
      return kDone;
    };
  });
}

}  // namespace cts
