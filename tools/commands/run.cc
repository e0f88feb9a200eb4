#include <memory>
#include <optional>

#include "checker/printable.h"
#include "tools/commands/command.h"
#include "tools/runner.h"

namespace cts {

void AddRun(CLI::App& app, Action& action) {
  struct Options {
    RunOptions run;
    std::string implementation, shard;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("run", "Run an implementation over a suite and keep what it returns");
  command->add_option("SUITE", options->run.suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  auto* builtin = command->add_option("--implementation", options->implementation,
                                      "An embedded implementation: builtin:native");
  builtin->type_name("NAME");
  command
      ->add_option("--adapter", options->run.adapter,
                   "Command that connects your own: tools/adapters/README.md")
      ->excludes(builtin)
      ->type_name("COMMAND");
  command->add_flag("--worker", options->run.worker,
                    "Keep the adapter running for many cases, not one process each");
  command->add_option("--jobs", options->run.jobs, "Adapters at a time (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command
      ->add_option("--timeout", options->run.timeout_seconds,
                   "Seconds for one case; then the adapter is killed")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 1e6))
      ->type_name("SECONDS");
  command
      ->add_option("--memory", options->run.memory_mb,
                   "Megabytes for an adapter with its children; then it is killed")
      ->check(CLI::Range(1, 1 << 30))
      ->type_name("MB");
  command
      ->add_option("--repeat", options->run.repeats,
                   "Run every case so often and compare what it gives, byte by byte")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command
      ->add_option("--shard", options->shard,
                   "Only the I-th of N parts of the suite; merge puts them together")
      ->type_name("I/N");
  command->add_option("--filter", options->run.filter, "Only cases whose id contains this text")
      ->type_name("TEXT");
  command->add_flag("--resume", options->run.resume,
                    "Go on with an interrupted run, keeping its results");
  command->add_option("--out", options->run.out, "Folder for the results")
      ->required()
      ->type_name("DIR");
  command->footer(
      "Exit code: 0 every case has a result, good or bad (check judges them); 2 usage or "
      "environment,\nor no case got an answer.");
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
      if (!options->shard.empty()) {
        CTS_ASSIGN_OR_RETURN(run.shard, ParseShard(options->shard));
      }
      std::optional<ProgressBar> bar(std::in_place, "run");
      CTS_ASSIGN_OR_RETURN(const RunSummary summary, RunSuite(run, [&bar](int done, int total) {
                             bar->Update(done, total);
                           }));
      bar.reset();
      CTS_RETURN_IF_ERROR(
          Emit("-", StrCat(summary.cases, " cases run: ", summary.ok, " ok, ", summary.error,
                           " error, ", summary.unsupported, " unsupported, ", summary.crash,
                           " crash, ", summary.timeout, " timeout, ", summary.protocol, " protocol",
                           run.shard ? StrCat("; shard ", options->shard, " only") : "", "\n")));
      if (summary.differs > 0) {
        CTS_RETURN_IF_ERROR(
            Emit("-", StrCat(summary.differs, " cases gave something else when they ran again; ",
                             "the first, ", summary.first_differs_id, ": ",
                             Printable(summary.first_difference), "\n")));
      }
      if (summary.interrupted) {
        return Unavailable(
            "run: interrupted; finished results are kept, go on with the same command and "
            "--resume");
      }
      // Hardly an implementation that fails everything; rather an adapter that does not start.
      if (!summary.AnyAnswer()) {
        const std::string log = LastLine(Printable(summary.first_log, Lines::kKeep));
        return Unavailable(
            "run: ", summary.gave_up ? StrCat("gave up after ", summary.cases, " cases: ") : "",
            "no case got an answer; ", "the first, ", summary.first_id, ", ended as ",
            Printable(summary.first_message),
            log.empty() ? "" : "; the last line of its log: " + log,
            ". Mend the adapter and run again into a new folder");
      }
      return kDone;
    };
  });
}

}  // namespace cts
