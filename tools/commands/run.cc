#include <iostream>
#include <memory>

#include "tools/commands/command.h"
#include "tools/runner.h"

namespace cts {

void AddRun(CLI::App& app, Action& action) {
  struct Options {
    RunOptions run;
    std::string implementation;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "Run an implementation over a suite and keep what it returns");
  command->add_option("SUITE", options->run.suite, "Folder of the suite")->required();
  auto* builtin = command->add_option("--implementation", options->implementation,
                                      "An embedded implementation: builtin:native");
  command
      ->add_option("--adapter", options->run.adapter,
                   "Command that runs a case; see tools/adapters/README.md")
      ->excludes(builtin);
  command->add_flag("--worker", options->run.worker,
                    "Keep the adapter running and send it cases as lines");
  command->add_option("--jobs", options->run.jobs, "Adapters at a time (default: one per core)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--timeout", options->run.timeout_seconds, "Seconds for one case")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  command->add_option("--filter", options->run.filter, "Only cases whose id contains this text");
  command->add_flag("--resume", options->run.resume, "Keep the results that are already there");
  command->add_option("--out", options->run.out, "Folder for the results")->required();
  command->callback([&action, options] {
    action = [options]() -> StatusOr<int> {
      RunOptions& run = options->run;
      if (run.adapter.empty() == options->implementation.empty()) {
        return InvalidArgument(
            "run: name the implementation, by --adapter COMMAND or --implementation "
            "builtin:native");
      }
      if (!options->implementation.empty()) {
        constexpr std::string_view kPrefix = "builtin:";
        if (!options->implementation.starts_with(kPrefix)) {
          return InvalidArgument("--implementation: found ", options->implementation,
                                 ", expected builtin:native; your own comes with --adapter");
        }
        run.builtin = options->implementation.substr(kPrefix.size());
      }
      ProgressBar bar("run");
      CTS_ASSIGN_OR_RETURN(const RunSummary summary,
                           RunSuite(run, [&bar](int done, int total) { bar.Update(done, total); }));
      std::cout << summary.cases << " cases run: " << summary.ok << " ok, " << summary.error
                << " error, " << summary.unsupported << " unsupported, " << summary.crash
                << " crash, " << summary.timeout << " timeout, " << summary.protocol
                << " protocol\n";
      if (summary.interrupted) {
        return Unavailable("run: interrupted; finished results are kept, go on with --resume");
      }
      return kDone;
    };
  });
}

}  // namespace cts
