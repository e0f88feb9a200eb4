#include "tools/program/launch/launch.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "tools/program/ask/element_origin.h"
#include "tools/program/commands/command.h"
#include "tools/program/commands/implementation.h"
#include "tools/program/commands/report_options.h"

namespace cts {
namespace {

struct LaunchArguments {
  ImplementationOptions implementation;
  std::vector<const CLI::Option*> forwarded;  // those that `run` gets as they are
  const CLI::Option* edition_files = nullptr;
  LaunchOptions launch;
  std::string engine;
  std::filesystem::path hosts;
  ReportOptions reports;
  bool dry_run = false;
};

// The words that give these options again.
std::vector<std::string> WordsOf(const std::vector<const CLI::Option*>& options) {
  std::vector<std::string> words;
  for (const CLI::Option* option : options) {
    if (option->count() == 0) continue;
    const bool is_flag = option->get_expected_max() == 0;
    for (const std::string& value : option->results()) {
      const std::string name = option->get_name();
      if (is_flag && value == "true") {
        words.push_back(name);
      } else if (is_flag || value.starts_with('-')) {
        words.push_back(StrCat(name, "=", value));
      } else {
        words.insert(words.end(), {name, value});
      }
    }
  }
  return words;
}

// On the machines of these engines, and not here, the implementation must be there.
bool IsElsewhere(const LaunchOptions& launch) {
  return launch.engine == LaunchEngine::kKubernetes || launch.engine == LaunchEngine::kSsh;
}

StatusOr<LaunchOptions> OptionsOf(LaunchArguments& arguments) {
  LaunchOptions& launch = arguments.launch;
  const auto* const engine =
      std::find(std::begin(kLaunchEngines), std::end(kLaunchEngines), arguments.engine);
  launch.engine = static_cast<LaunchEngine>(engine - std::begin(kLaunchEngines));
  ImplementationOptions& implementation = arguments.implementation;
  if (implementation.python.empty() || !IsElsewhere(launch)) {
    CTS_RETURN_IF_ERROR(implementation.Resolve("launch"));
  } else {
    implementation.run.adapter = implementation.python;
    implementation.run.worker = true;
  }
  launch.run = implementation.run;
  launch.words = WordsOf(arguments.forwarded);
  if (arguments.edition_files != nullptr) launch.edition_files = arguments.edition_files->results();
  if (!arguments.hosts.empty()) {
    CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(arguments.hosts));
    CTS_ASSIGN_OR_RETURN(launch.hosts, ParseHosts(text, arguments.hosts.string()));
  }
  CTS_RETURN_IF_ERROR(Complete(&launch));
  CTS_RETURN_IF_ERROR(CheckRunOptions(launch.run));
  return launch;
}

// A report on standard output stands alone there.
bool IsAlone(const ReportOptions& reports) {
  return reports.json == "-" || reports.junit == "-" || reports.html == "-";
}

StatusOr<int> CheckWholeResults(const LaunchArguments& arguments, const LaunchOptions& launch,
                                const std::filesystem::path& whole) {
  CheckOptions check{launch.run.suite, whole};
  check.meaning = MeaningOf;
  std::optional<ProgressBar> bar(std::in_place, "check");
  check.progress = [&bar](size_t done, size_t total) {
    bar->Update(static_cast<int>(done), static_cast<int>(total));
  };
  CTS_ASSIGN_OR_RETURN(const Report report, CheckSuite(check));
  bar.reset();
  const std::string text = FormatText(report, {.width = Columns(STDOUT_FILENO)});
  CTS_RETURN_IF_ERROR(arguments.reports.Emit(report, LastLine(text) + "\n"));
  if (AllPassed(report)) return kDone;
  if (IsAlone(arguments.reports)) return kNotConformant;
  CTS_RETURN_IF_ERROR(
      SayNews(StrCat("all failures: tensor-cts check ", ShellQuoted(launch.run.suite.string()), " ",
                     ShellQuoted(whole.string()), "\n")));
  return kNotConformant;
}

StatusOr<int> RunLaunch(LaunchArguments& arguments) {
  CTS_RETURN_IF_ERROR(arguments.reports.Probe());
  CTS_ASSIGN_OR_RETURN(const LaunchOptions launch, OptionsOf(arguments));
  CTS_ASSIGN_OR_RETURN(const LaunchPlan plan, MakeLaunchPlan(launch));
  const std::string text = Describe(launch, plan, arguments.dry_run);
  if (arguments.dry_run) return Say(text).ok() ? kDone : kCannot;
  if (!IsAlone(arguments.reports)) CTS_RETURN_IF_ERROR(SayNews(text));
  std::optional<ProgressBar> bar(std::in_place, "shards");
  const LaunchNews news = {.tell =
                               [&bar](const std::string& line) {
                                 bar.reset();
                                 Complain(line);
                                 bar.emplace("shards");
                               },
                           .progress = [&bar](int done, int total) { bar->Update(done, total); }};
  CTS_ASSIGN_OR_RETURN(const LaunchSummary summary, Launch(launch, plan, news));
  bar.reset();
  if (summary.interrupted) {
    return Unavailable("launch: interrupted; finished shards are kept, the same command goes on");
  }
  if (summary.missing.empty()) return CheckWholeResults(arguments, launch, summary.whole);
  const int first = summary.missing.front();
  const auto why = summary.why.find(first);
  return Unavailable("launch: ", summary.missing.size(), " of ", launch.shards,
                     " shards missing: ", RangesText(summary.missing),
                     why == summary.why.end() ? "" : StrCat("; shard ", first, " ", why->second),
                     "; nothing is judged. Finished shards are kept in ", launch.run.out.string(),
                     ": the same command goes on with what is missing");
}

void AddEngineOptions(CLI::App* command, LaunchArguments& arguments) {
  LaunchOptions& launch = arguments.launch;
  command
      ->add_option("--sbatch", launch.sbatch,
                   "slurm: a further option for sbatch, repeated for more, such as\n"
                   "--sbatch=--partition=long")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("OPTION");
  command->add_option("--image", launch.image, "kubernetes: the image of the pods, with tensor-cts")
      ->type_name("IMAGE");
  command
      ->add_option("--volume-claim", launch.volume_claim,
                   "kubernetes: the claim of the volume that holds SUITE and RESULTS")
      ->type_name("CLAIM");
  command
      ->add_option("--mount", launch.mount,
                   "kubernetes: the folder at which that volume is mounted, here and\n"
                   "in the pods")
      ->type_name("DIR");
  command->add_option("--namespace", launch.name_space, "kubernetes: the namespace of the Job")
      ->type_name("NAME");
  command
      ->add_option("--hosts", arguments.hosts,
                   "ssh: a file with a host or user@host a line; a host that stands\n"
                   "there twice takes two shards at a time")
      ->type_name("FILE");
  command->add_flag("--copy", launch.copy,
                    "ssh: the hosts do not share this folder: SUITE goes to them, and\n"
                    "results come back, by tar");
  command
      ->add_option("--send", launch.send,
                   "ssh: with --copy, what else the hosts need of this folder, such as\n"
                   "the adapter; repeated for more")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("PATH");
}

}  // namespace

void AddLaunch(CLI::App& app, Action& action) {
  auto options = std::make_shared<LaunchArguments>();
  LaunchOptions& launch = options->launch;
  RunOptions& run = options->implementation.run;
  CLI::App* command =
      app.add_subcommand("launch", "Run a suite on many machines, merge and judge: one command");
  command->add_option("SUITE", run.suite, "The suite, as generate wrote it")
      ->required()
      ->type_name("DIR");
  command->add_option("--engine", options->engine, "What runs the shards")
      ->required()
      ->check(OneOf({std::begin(kLaunchEngines), std::end(kLaunchEngines)}))
      ->type_name("ENGINE");
  command->add_option("--shards", launch.shards, "How many parts the suite is cut into")
      ->required()
      ->check(CLI::Range(1, 99999))
      ->type_name("N");
  command
      ->add_option("--retries", launch.retries,
                   "How often a failed shard runs again; finished results stay")
      ->capture_default_str()
      ->check(CLI::Range(0, 100))
      ->type_name("N");
  command
      ->add_option("--at-once", launch.at_once,
                   "Shards at a time (default: local one per core, ssh one per host,\n"
                   "otherwise as many as the engine takes)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_flag("--dry-run", options->dry_run,
                    "Print what would be submitted, and write nothing");
  const size_t own = command->get_options().size();
  AddImplementationOptions(command, options->implementation);
  AddRepeatOption(command, run);
  AddUnderLoadOption(command, run);
  for (const CLI::Option* option : command->get_options()) options->forwarded.push_back(option);
  options->forwarded.erase(options->forwarded.begin(),
                           options->forwarded.begin() + static_cast<std::ptrdiff_t>(own));
  // Each engine has its own way to say how many.
  std::erase(options->forwarded, command->get_option("--jobs"));
  AddBalanceOption(command, run);
  AddEngineOptions(command, *options);
  command
      ->add_option("--program", launch.program,
                   "tensor-cts on the machines of the engine (default: kubernetes\n"
                   "tensor-cts, otherwise the path of this one)")
      ->type_name("PATH");
  options->reports.Add(*command);
  command->add_option("--out", run.out, "Folder for shards and whole results")
      ->required()
      ->type_name("DIR");
  command->footer(
      "RESULTS/whole has the results of all shards, for check, gate, explain and certify.\n"
      "The same command goes on with what is missing.\n"
      "Exit code: 0 conformant, 1 not conformant, 2 usage or environment, or shards are missing,\n"
      "130 interrupted.");
  command->callback([&app, &action, options] {
    options->edition_files = app.get_option_no_throw("--edition-file");
    action = [options] { return RunLaunch(*options); };
  });
}

}  // namespace cts
