// Plans a launch without starting anything: finds the missing shards, and makes the shell commands,
// the Slurm script and the Kubernetes Job that run them.
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
  // The suite and the implementation. `out` is the folder of all shards. The members `shard`,
  // `pack` and `resume` are set by the function Complete.
  RunOptions run;
  // The options that the command `run` of a shard gets unchanged.
  std::vector<std::string> words;
  std::vector<std::string> edition_files;  // the arguments of --edition-file
  int shards = 0;
  int retries = 2;  // how often a shard may run again after a failure
  int at_once = 0;  // the most shards that run at a time; 0: the engine decides
  // Two texts of random hexadecimal digits, which ChooseTokens sets. `token` is the same in all
  // calls for one results folder, since a file in that folder keeps it (TokenFile). Complete reads
  // the token from the file, and leaves it empty if there is no file yet. `call` differs from call
  // to call.
  std::string token, call;
  // The path or name of tensor-cts on the machines that run shards; if empty, Complete sets it.
  std::string program;
  std::filesystem::path here;       // the working directory; Complete sets it
  std::vector<std::string> sbatch;  // for Slurm: further options of sbatch
  // For Kubernetes.
  std::string image, volume_claim, name_space;
  // The path at which the volume of `volume_claim` is mounted: the same on this machine and in the
  // pods.
  std::filesystem::path mount;
  // For ssh.
  std::vector<std::string> hosts;
  // Set it if the hosts share no folder with this machine: the launch then sends and fetches all
  // files.
  bool copy = false;
  // With `copy`: files and folders to send in addition to the suite, as paths relative to `here`.
  std::vector<std::string> send;
  // With `copy`: the folder on a host in which the launch makes its RemoteFolder.
  std::filesystem::path remote = "/tmp";
};

// Makes the paths absolute, and sets the members that can be derived from other members. Returns an
// error if an option belongs to another engine, or if an option that the engine needs is missing.
Status Complete(LaunchOptions* options);

struct LaunchPlan {
  Suite suite;
  // `there` has the numbers of the shards whose results are whole, `missing` the numbers of the
  // other shards. The first shard has the number 1.
  std::vector<int> there, missing;
};

// Reads the suite, and examines the shards in `out`. Returns an error if `out` is the results
// folder of a single run, or if a shard in it has another suite or another division into shards.
// With the local engine, a shard of another implementation is an error, too.
StatusOr<LaunchPlan> MakeLaunchPlan(const LaunchOptions& options);

// The folder of the shard with the number `index`.
std::filesystem::path ShardFolder(const std::filesystem::path& results, int index);
// Whether the run.json in a shard's folder says that the results of the shard are complete.
StatusOr<bool> IsWhole(const LaunchOptions& options, int index);

// Writes numbers in ascending order as ranges: "1-3,7".
std::string RangesText(const std::vector<int>& numbers);
// Reads a list of hosts, one per line. Ignores blank lines and everything after a "#". `file` is
// the name of the list in errors.
StatusOr<std::vector<std::string>> ParseHosts(std::string_view text, const std::string& file);
// The file in the results folder that keeps LaunchOptions::token.
std::filesystem::path TokenFile(const LaunchOptions& options);
// Sets LaunchOptions::token and LaunchOptions::call. Writes TokenFile if there is none.
Status ChooseTokens(LaunchOptions* options);
// The name of the launch in the engine and on hosts. It follows from the token and from the path of
// the results folder. So a launch that continues an earlier one has the same name. A launch into
// another folder has another name, even if the two folders have the same path on different volumes
// or machines. Without a token, the name ends in kNoToken.
std::string LaunchName(const LaunchOptions& options);
inline constexpr std::string_view kNoToken = "XXXXXXXXXX";

// The shell command that runs the shard whose number is in the shell variable `i`.
std::string ShardCommand(const LaunchOptions& options);
// A shell script that runs ShardCommand for the shard `index`, and ends this run when the script's
// standard input ends. So no run continues after the end of its launch, on this machine or on a
// host.
std::string WatchedScript(const LaunchOptions& options, int index);

std::string SlurmScript(const LaunchOptions& options);
std::vector<std::string> SbatchWords(const LaunchOptions& options, const std::vector<int>& missing);
std::filesystem::path SlurmScriptFile(const LaunchOptions& options);
std::filesystem::path SlurmLog(const LaunchOptions& options, const std::string& index);

Json KubernetesJob(const LaunchOptions& options, const std::vector<int>& missing);
std::filesystem::path KubernetesJobFile(const LaunchOptions& options);
// The calls of kubectl, each as a list of words. `remove` deletes the Job of an earlier launch,
// with its pods. `apply` submits the new Job. `wait` waits until the Job is complete, for ten
// seconds at most. If the Job is still not complete, `get` tells whether it has failed; if it has
// not failed, `wait` is called again. `cancel` deletes the Job of an interrupted launch. `logs` is
// for people: it prints what the pods wrote.
struct KubectlCalls {
  std::vector<std::string> remove, apply, wait, get, cancel, logs;
};
KubectlCalls CallsOfKubectl(const LaunchOptions& options);

// The command that runs a script on a host by `sh`, whichever shell the user has there.
std::string SshCommand(const std::string& host, const std::string& script);
// The folder, on a host, for the files that `copy` sends and for the results of the host's shards.
std::filesystem::path RemoteFolder(const LaunchOptions& options);
// SendCommands returns the commands that send a host the suite and all other files that the host
// needs. These commands also remove the files that an earlier call sent, but no results.
// FetchCommand returns the command that fetches the results of a shard into the folder `into`. The
// commands of both functions run on this machine.
std::vector<std::string> SendCommands(const LaunchOptions& options, const std::string& host);
std::string FetchCommand(const LaunchOptions& options, const std::string& host, int index,
                         const std::filesystem::path& into);

// Says in words what Launch will do with the plan. With `whole`, adds the files and the commands
// for the engine.
std::string Describe(const LaunchOptions& options, const LaunchPlan& plan, bool whole);

}  // namespace cts
