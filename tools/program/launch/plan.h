// What a launch does, before it does anything: which shards are missing, and the commands, the
// script and the Job that bring them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/run_options.h"

namespace cts {

enum class LaunchEngine { kLocal, kSlurm, kKubernetes, kSsh };
inline constexpr std::string_view kLaunchEngines[] = {"local", "slurm", "kubernetes", "ssh"};
std::string_view Name(LaunchEngine engine);

struct LaunchOptions {
  LaunchEngine engine = LaunchEngine::kLocal;
  // The suite and the implementation; `out` is the folder of all shards. `shard`, `pack` and
  // `resume` are the launch's own.
  RunOptions run;
  std::vector<std::string> words;          // options of `run` as they were given, without --jobs
  std::vector<std::string> edition_files;  // of --edition-file
  int shards = 0;
  int retries = 2;                  // how often a failed shard runs again
  int at_once = 0;                  // shards at a time; 0: the engine decides
  std::string program;              // tensor-cts, as the engine's machines know it
  std::filesystem::path here;       // the working directory
  std::vector<std::string> sbatch;  // Slurm: further options of sbatch
  // Kubernetes.
  std::string image, volume_claim, name_space;
  std::filesystem::path mount;  // where the volume is, here and in the pods
  // ssh.
  std::vector<std::string> hosts;
  bool copy = false;                      // hosts share no folder with this machine
  std::vector<std::string> send;          // what `copy` sends besides the suite, relative to `here`
  std::filesystem::path remote = "/tmp";  // where `copy` makes its folder on a host
};

// Makes paths absolute and fills in what depends on others. Refuses options that another engine
// has, and those that the engine lacks.
Status Complete(LaunchOptions* options);

struct LaunchPlan {
  Suite suite;
  std::vector<int> there, missing;  // numbers of shards
};

// Looks at the suite and at the shards that are there. Refuses an `out` that holds something else,
// and shards of another suite, another division or another implementation.
StatusOr<LaunchPlan> MakeLaunchPlan(const LaunchOptions& options);

// The folder of a shard. Whether it holds the whole result of the shard is a matter of its
// run.json.
std::filesystem::path ShardFolder(const std::filesystem::path& results, int index);
StatusOr<bool> IsWhole(const LaunchOptions& options, int index);

// "1-3,7".
std::string RangesText(const std::vector<int>& numbers);
// The hosts of a file: one a line, without blank lines and what follows a "#".
StatusOr<std::vector<std::string>> ParseHosts(std::string_view text, const std::string& file);
// A name of this launch that no other one has, as long as its results go to the same folder.
std::string LaunchName(const LaunchOptions& options);

// The shell's command for the shard of number $i.
std::string ShardCommand(const LaunchOptions& options);
// A script that runs it for one shard, and ends it when standard input ends: a launch that dies
// leaves no run behind, neither here nor on a host.
std::string WatchedScript(const LaunchOptions& options, int index);

std::string SlurmScript(const LaunchOptions& options);
std::vector<std::string> SbatchWords(const LaunchOptions& options, const std::vector<int>& missing);
std::filesystem::path SlurmScriptFile(const LaunchOptions& options);
std::filesystem::path SlurmLog(const LaunchOptions& options, const std::string& index);

Json KubernetesJob(const LaunchOptions& options, const std::vector<int>& missing);
std::filesystem::path KubernetesJobFile(const LaunchOptions& options);
// The calls of kubectl, in words: the Job of an earlier call goes, with its pods; the Job comes;
// once more and again `wait` and, as it knows one condition only, `get`; `cancel` where the launch
// is interrupted. `logs` is for people.
struct KubectlCalls {
  std::vector<std::string> remove, apply, wait, get, cancel, logs;
};
KubectlCalls CallsOfKubectl(const LaunchOptions& options);

// The command that runs a script on a host, whatever the shell of the user there.
std::string SshCommand(const std::string& host, const std::string& script);
// Where the host has what `copy` sends.
std::filesystem::path RemoteFolder(const LaunchOptions& options);
// The commands, run here, that send all that a host needs, and that fetch a shard into a folder.
std::vector<std::string> SendCommands(const LaunchOptions& options, const std::string& host);
std::string FetchCommand(const LaunchOptions& options, const std::string& host, int index,
                         const std::filesystem::path& into);

// What will happen, in words; `whole`: with the files and the commands that would be submitted.
std::string Describe(const LaunchOptions& options, const LaunchPlan& plan, bool whole);

}  // namespace cts
