#include "tools/program/launch/plan.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <random>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "checker/judge/run_record.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "tools/program/run/engine_shard.h"
#include "tools/program/run/launcher.h"
#include "tools/program/run/resume.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kShardPrefix = "shard-";

// An option that only one engine has.
struct OwnOption {
  const char* name;
  LaunchEngine engine;
  bool given;
};

Status CheckEngineOptions(const LaunchOptions& options) {
  const OwnOption own[] = {
      {"--sbatch", LaunchEngine::kSlurm, !options.sbatch.empty()},
      {"--image", LaunchEngine::kKubernetes, !options.image.empty()},
      {"--volume-claim", LaunchEngine::kKubernetes, !options.volume_claim.empty()},
      {"--mount", LaunchEngine::kKubernetes, !options.mount.empty()},
      {"--namespace", LaunchEngine::kKubernetes, !options.name_space.empty()},
      {"--hosts", LaunchEngine::kSsh, !options.hosts.empty()},
      {"--copy", LaunchEngine::kSsh, options.copy},
      {"--send", LaunchEngine::kSsh, !options.send.empty()},
  };
  for (const OwnOption& option : own) {
    if (option.given && option.engine != options.engine) {
      return InvalidArgument("launch: found ", option.name, ", expected it with --engine ",
                             Name(option.engine), " alone, found --engine ", Name(options.engine));
    }
  }
  const bool kubernetes = options.engine == LaunchEngine::kKubernetes;
  if (kubernetes &&
      (options.image.empty() || options.volume_claim.empty() || options.mount.empty())) {
    return InvalidArgument("launch: --engine kubernetes: expected --image IMAGE, --volume-claim ",
                           "CLAIM and --mount DIR, the folder at which the claim's volume is ",
                           "mounted here");
  }
  if (options.engine == LaunchEngine::kSsh && options.hosts.empty()) {
    return InvalidArgument("launch: --engine ssh: expected --hosts FILE with a host a line");
  }
  if (!options.send.empty() && !options.copy) {
    return InvalidArgument("launch: --send goes with --copy: without it hosts share this folder");
  }
  if (!options.edition_files.empty() && options.copy) {
    return InvalidArgument("launch: found --edition-file with --copy, expected hosts that share ",
                           "this folder: an edition is not sent");
  }
  for (const std::string& path : options.send) {
    const fs::path sent = fs::path(path).lexically_normal();
    if (!path.empty() && sent.is_relative() && *sent.begin() != "..") continue;
    return InvalidArgument("--send: found ", Quote(path), ", expected a path below this folder");
  }
  return absl::OkStatus();
}

// Pods see the volume at the same path as this machine, and nothing else of it.
Status CheckMounted(const LaunchOptions& options) {
  if (options.engine != LaunchEngine::kKubernetes) return absl::OkStatus();
  std::vector<std::pair<const char*, fs::path>> places;
  for (const auto& [what, path] :
       {std::pair("SUITE", options.run.suite), std::pair("--out", options.run.out),
        std::pair("--balance", options.run.balance)}) {
    places.emplace_back(what, path);
  }
  for (const std::string& file : options.edition_files) places.emplace_back("--edition-file", file);
  for (const auto& [what, path] : places) {
    const fs::path inside = path.lexically_relative(options.mount);
    if (path.empty() || (!inside.empty() && *inside.begin() != "..")) continue;
    return InvalidArgument("launch: ", what, ": found ", path.string(), ", expected a path in ",
                           options.mount.string(), " (--mount), the volume that pods see");
  }
  return absl::OkStatus();
}

std::string Joined(const std::vector<std::string>& words) {
  return absl::StrJoin(words, " ", [](std::string* out, const std::string& word) {
    out->append(ShellQuoted(word));
  });
}

std::string Indented(const std::string& text) {
  std::string indented;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    indented += StrCat("  ", text.substr(at, end - at), "\n");
    at = end + 1;
  }
  return indented;
}

// The paths that a shard's command names, on the machine where it runs.
struct ShardPlaces {
  fs::path suite, results, balance;
};

ShardPlaces PlacesOf(const LaunchOptions& options) {
  if (!options.copy) return {options.run.suite, options.run.out, options.run.balance};
  const fs::path remote = RemoteFolder(options);
  return {remote / "suite", remote / "results",
          options.run.balance.empty() ? fs::path() : remote / "balance.json"};
}

std::string JobsWords(const LaunchOptions& options) {
  const int jobs = options.run.jobs;
  switch (options.engine) {
    case LaunchEngine::kLocal:
      return StrCat(" --jobs ",
                    jobs > 0 ? jobs : std::max(1, JobsOrCores(0) / std::max(1, options.at_once)));
    case LaunchEngine::kSlurm:
      return " --jobs \"$SLURM_CPUS_PER_TASK\"";
    case LaunchEngine::kKubernetes:
      return StrCat(" --jobs ", std::max(1, jobs));
    case LaunchEngine::kSsh:
      return jobs > 0 ? StrCat(" --jobs ", jobs) : "";
  }
  return "";
}

// All shards of this launch, in order.
StatusOr<std::vector<Shard>> ShardsOf(const LaunchOptions& options, const Suite& suite) {
  if (!options.run.balance.empty())
    return BalanceShards(options.run.balance, suite, options.shards);
  std::vector<Shard> shards;
  for (int index = 1; index <= options.shards; ++index) {
    shards.push_back({.index = index, .of = options.shards});
  }
  return shards;
}

// Whether a shard is there, whole. An error if its folder cannot become part of this launch.
StatusOr<bool> ExamineShard(const LaunchOptions& options, const Suite& suite, const Shard& shard) {
  const fs::path folder = ShardFolder(options.run.out, shard.index);
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(folder / "run.json"));
  if (!there) return false;
  CTS_ASSIGN_OR_RETURN(const RunRecord record, ReadUnfinishedRun(folder));
  const auto refuse = [&](const auto&... what) {
    return InvalidArgument(folder.string(), ": found results of ", what...,
                           "; go on as the launch began, or give another folder to --out");
  };
  if (record.suite_digest != suite.digest) {
    return refuse("another suite (", record.suite, ", digest ", record.suite_digest,
                  "), expected those of ", suite.name, ", digest ", suite.digest);
  }
  if (record.shard != shard) {
    return refuse(ShardText(record), ", expected those of shard ", shard.index, "/", options.shards,
                  shard.balanced_by.empty() ? "" : " by the seconds of --balance");
  }
  if (!record.packs) return refuse("a run without --pack, which a launch does not go on with");
  if (options.engine == LaunchEngine::kLocal) {
    // The implementation is on this machine: that it is the same can be known before it runs.
    RunOptions run = options.run;
    if (!run.plugin.empty()) {
      CTS_ASSIGN_OR_RETURN(run, HostPlugin(std::move(run)));
    }
    run.shard = shard;
    run.out = folder;
    CTS_ASSIGN_OR_RETURN(RunRecord now, DescribeRun(run, suite, record.implementation));
    CTS_RETURN_IF_ERROR(FindEarlierRun(run, &now).status());
  }
  return record.complete.value_or(false);
}

// Refuses folders of shards that this launch does not have.
Status CheckFolder(const LaunchOptions& options) {
  const fs::path& out = options.run.out;
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(out));
  if (!there) return absl::OkStatus();
  CTS_ASSIGN_OR_RETURN(const bool run, Exists(out / "run.json"));
  if (run) {
    return InvalidArgument(out.string(), ": holds the results of a run, expected those of a ",
                           "launch, or nothing; give another folder to --out");
  }
  std::error_code error;
  for (fs::directory_iterator it(out, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(kShardPrefix)) continue;
    int index = 0;
    const char* const last = name.data() + name.size();
    const auto [parsed, fault] = std::from_chars(name.data() + kShardPrefix.size(), last, index);
    if (fault != std::errc() || parsed != last || index <= options.shards) continue;
    return InvalidArgument(it->path().string(), ": found a shard of more than ", options.shards,
                           " (--shards); go on with as many as before, or give another folder to ",
                           "--out");
  }
  if (error) return Unavailable(out.string(), ": cannot be read: ", error.message());
  return absl::OkStatus();
}

std::string RandomDigits() {
  std::random_device random;
  std::string digits;
  for (int i = 0; i < 4; ++i) absl::StrAppend(&digits, absl::Hex(random(), absl::kZeroPad8));
  return digits;
}

// Empty if no call has written the token yet.
StatusOr<std::string> ReadToken(const LaunchOptions& options) {
  const fs::path file = TokenFile(options);
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(file));
  if (!there) return std::string();
  CTS_ASSIGN_OR_RETURN(std::string token, ReadFile(file));
  std::erase(token, '\n');
  return token;
}

std::string TimesText(int retries) {
  return retries == 0 ? "once" : StrCat("at most ", retries + 1, " times");
}

std::string DescribeEngine(const LaunchOptions& options, const std::vector<int>& missing) {
  switch (options.engine) {
    case LaunchEngine::kLocal:
      return StrCat("at most ", options.at_once, " at a time, each by:\n",
                    Indented(ShardCommand(options)));
    case LaunchEngine::kSlurm:
      return StrCat(SlurmScriptFile(options).string(), ":\n", Indented(SlurmScript(options)),
                    "submitted by:\n", Indented(Joined(SbatchWords(options, missing))));
    case LaunchEngine::kKubernetes: {
      const std::string file = KubernetesJobFile(options).string();
      std::string text = StrCat(file, ":\n", Indented(FormatJson(KubernetesJob(options, missing))),
                                "submitted by:\n");
      const KubectlCalls calls = CallsOfKubectl(options);
      for (const auto& words : {calls.remove, calls.apply, calls.wait})
        text += Indented(Joined(words));
      return text;
    }
    case LaunchEngine::kSsh: {
      std::string text =
          StrCat("by ", options.hosts.size(), " hosts: ", absl::StrJoin(options.hosts, ", "), "\n");
      const std::string& first = options.hosts.front();
      if (options.copy) {
        text += "sent first, to each of them:\n";
        for (const std::string& command : SendCommands(options, first)) text += Indented(command);
      }
      const std::string shard = WatchedScript(options, missing.front());
      text += "each shard by:\n" + Indented(SshCommand(first, shard));
      if (options.copy) {
        text +=
            "fetched by:\n" + Indented(FetchCommand(options, first, missing.front(),
                                                    ShardFolder(options.run.out, missing.front())));
      }
      return text;
    }
  }
  return "";
}

}  // namespace

std::string_view Name(LaunchEngine engine) { return kLaunchEngines[static_cast<size_t>(engine)]; }

Status Complete(LaunchOptions* options) {
  CTS_RETURN_IF_ERROR(CheckEngineOptions(*options));
  std::error_code error;
  options->here = fs::current_path(error);
  if (error) return Unavailable("the working directory: ", error.message());
  RunOptions& run = options->run;
  for (fs::path* path : {&run.suite, &run.out, &run.balance, &run.plugin, &options->mount}) {
    if (!path->empty()) *path = fs::absolute(*path, error).lexically_normal();
  }
  for (std::string& file : options->edition_files) {
    file = fs::absolute(file, error).lexically_normal().string();
  }
  CTS_RETURN_IF_ERROR(CheckMounted(*options));
  CTS_ASSIGN_OR_RETURN(options->token, ReadToken(*options));
  run.pack = run.resume = true;
  run.shard = Shard{.index = 1, .of = options->shards};
  if (options->at_once == 0 && options->engine == LaunchEngine::kLocal) {
    options->at_once = JobsOrCores(0);
  }
  if (options->at_once > 0) options->at_once = std::min(options->at_once, options->shards);
  if (!options->program.empty()) return absl::OkStatus();
  if (options->engine == LaunchEngine::kKubernetes) {
    options->program = "tensor-cts";
    return absl::OkStatus();
  }
  options->program = fs::read_symlink("/proc/self/exe", error).string();
  if (error) return Unavailable("/proc/self/exe: cannot be read: ", error.message());
  return absl::OkStatus();
}

StatusOr<LaunchPlan> MakeLaunchPlan(const LaunchOptions& options) {
  LaunchPlan plan;
  CTS_ASSIGN_OR_RETURN(plan.suite, ReadSuiteToRun(options.run.suite));
  const size_t cases = plan.suite.cases.size();
  if (static_cast<size_t>(options.shards) > cases) {
    return InvalidArgument("--shards: found ", options.shards, ", expected at most ", cases,
                           ", the cases of ", options.run.suite.string());
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<Shard> shards, ShardsOf(options, plan.suite));
  CTS_RETURN_IF_ERROR(CheckFolder(options));
  for (const Shard& shard : shards) {
    CTS_ASSIGN_OR_RETURN(const bool whole, ExamineShard(options, plan.suite, shard));
    (whole ? plan.there : plan.missing).push_back(shard.index);
  }
  return plan;
}

fs::path ShardFolder(const fs::path& results, int index) {
  return results / StrCat(kShardPrefix, index);
}

StatusOr<bool> IsWhole(const LaunchOptions& options, int index) {
  const fs::path folder = ShardFolder(options.run.out, index);
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(folder / "run.json"));
  if (!there) return false;
  CTS_ASSIGN_OR_RETURN(const RunRecord record, ReadUnfinishedRun(folder));
  return record.complete.value_or(false) && record.shard && record.shard->index == index &&
         record.shard->of == options.shards;
}

std::string RangesText(const std::vector<int>& numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size();) {
    size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    text += StrCat(text.empty() ? "" : ",", numbers[i]);
    if (end - i > 1) text += StrCat("-", numbers[end - 1]);
    i = end;
  }
  return text;
}

StatusOr<std::vector<std::string>> ParseHosts(std::string_view text, const std::string& file) {
  std::vector<std::string> hosts;
  int number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    const size_t from = line.find_first_not_of(" \t\r");
    if (from == line.npos) continue;
    const std::string host(line.substr(from, line.find_last_not_of(" \t\r") + 1 - from));
    // ssh takes a word that begins with a hyphen for an option.
    if (host.front() == '-' || host.find_first_of(" \t\r") != std::string::npos) {
      return InvalidArgument(file, ": line ", number, ": found ", Quote(host),
                             ", expected a host or user@host");
    }
    hosts.push_back(host);
  }
  if (hosts.empty()) return InvalidArgument(file, ": found no host, expected one a line");
  return hosts;
}

fs::path TokenFile(const LaunchOptions& options) { return options.run.out / "launch/token"; }

Status ChooseTokens(LaunchOptions* options) {
  options->call = RandomDigits();
  CTS_ASSIGN_OR_RETURN(options->token, ReadToken(*options));
  if (!options->token.empty()) return absl::OkStatus();
  options->token = RandomDigits();
  return WriteFile(TokenFile(*options), options->token + "\n");
}

std::string LaunchName(const LaunchOptions& options) {
  const std::string known = StrCat(options.token, "\n", options.run.out.string());
  return StrCat("tensor-cts-",
                options.token.empty() ? kNoToken : Sha256(known).substr(0, kNoToken.size()));
}

std::string ShardCommand(const LaunchOptions& options) {
  std::vector<std::string> words = {options.program};
  for (const std::string& file : options.edition_files) {
    words.insert(words.end(), {"--edition-file", file});
  }
  const ShardPlaces places = PlacesOf(options);
  words.insert(words.end(), {"run", places.suite.string()});
  words.insert(words.end(), options.words.begin(), options.words.end());
  if (!places.balance.empty()) words.insert(words.end(), {"--balance", places.balance.string()});
  return StrCat(Joined(words), JobsWords(options), " --shard \"$i/", options.shards,
                "\" --resume --pack --quiet --out ",
                ShellQuoted(StrCat(places.results.string(), "/", kShardPrefix)), "\"$i\"");
}

std::string WatchedScript(const LaunchOptions& options, int index) {
  std::string enter;
  if (options.engine == LaunchEngine::kSsh) {
    const fs::path folder = options.copy ? RemoteFolder(options) / "sent" : options.here;
    enter = StrCat("cd ", ShellQuoted(folder.string()), " || exit 2; ");
  }
  return StrCat(enter, "i=", index, "; exec 3<&0; ", ShardCommand(options),
                " </dev/null 3<&- & run=$!; ",
                "{ cat <&3; kill -TERM $run; } >/dev/null 2>&1 & watch=$!; ",
                "wait $run; code=$?; kill $watch; exit $code");
}

std::string SlurmScript(const LaunchOptions& options) {
  return StrCat("#!/bin/sh\n",
                "# A task runs one shard; a task that goes on keeps what is finished.\n",
                "i=$SLURM_ARRAY_TASK_ID\n", "exec ", ShardCommand(options), "\n");
}

fs::path SlurmScriptFile(const LaunchOptions& options) {
  return options.run.out / "launch/slurm.sh";
}

fs::path SlurmLog(const LaunchOptions& options, const std::string& index) {
  return options.run.out / "launch" / StrCat("slurm-", index, ".log");
}

std::vector<std::string> SbatchWords(const LaunchOptions& options,
                                     const std::vector<int>& missing) {
  std::string log;  // sbatch replaces words that begin with "%"
  for (const char c : SlurmLog(options, "").string()) log += c == '%' ? "%%" : std::string(1, c);
  log.insert(log.size() - std::string_view(".log").size(), "%a");
  std::vector<std::string> words = {
      "sbatch",
      "--wait",
      "--parsable",
      "--job-name=" + LaunchName(options),
      StrCat("--array=", RangesText(missing),
             options.at_once > 0 ? StrCat("%", options.at_once) : ""),
      // A task of an earlier call that was killed may still run.
      "--dependency=singleton",
      "--ntasks=1",
      StrCat("--cpus-per-task=", std::max(1, options.run.jobs)),
      // A task that lost its node ends, and is submitted again here, a known number of times.
      "--no-requeue",
      // tensor-cts ends within two seconds of this; what is finished is kept.
      "--signal=B:TERM@60",
      "--chdir=" + options.here.string(),
      "--output=" + log,
      "--open-mode=append",
  };
  words.insert(words.end(), options.sbatch.begin(), options.sbatch.end());
  words.push_back(SlurmScriptFile(options).string());
  return words;
}

Json KubernetesJob(const LaunchOptions& options, const std::vector<int>& missing) {
  // Pods have the numbers from 0 to N - 1.
  std::string number = "i=$((JOB_COMPLETION_INDEX + 1))";
  if (missing.back() != static_cast<int>(missing.size())) {
    number =
        StrCat("set -- ", absl::StrJoin(missing, " "), "; shift \"$JOB_COMPLETION_INDEX\"; i=$1");
  }
  // Kubernetes takes "$$" for "$", and "$(NAME)" for a variable of its own.
  std::string script;
  for (const char c : StrCat(number, "; exec ", ShardCommand(options))) {
    script.append(c == '$' ? 2 : 1, c);
  }
  const Json container = {
      {"name", "shard"},
      {"image", options.image},
      {"command", {"/bin/sh", "-c", script}},
      {"resources", {{"requests", {{"cpu", std::to_string(std::max(1, options.run.jobs))}}}}},
      {"volumeMounts", Json::array({{{"name", "data"}, {"mountPath", options.mount.string()}}})}};
  const Json pod = {
      // A limit for each index goes with pods that do not start again by themselves.
      {"restartPolicy", "Never"},
      // tensor-cts ends within two seconds of SIGTERM.
      {"terminationGracePeriodSeconds", 10},
      {"containers", Json::array({container})},
      {"volumes",
       Json::array({{{"name", "data"},
                     {"persistentVolumeClaim", {{"claimName", options.volume_claim}}}}})}};
  constexpr int kDay = 24 * 60 * 60;
  Json job = {{"apiVersion", "batch/v1"},
              {"kind", "Job"},
              {"metadata", {{"name", LaunchName(options)}}},
              {"spec",
               {{"completionMode", "Indexed"},
                {"completions", missing.size()},
                {"parallelism",
                 options.at_once > 0 ? static_cast<size_t>(options.at_once) : missing.size()},
                // Without maxFailedIndexes: a shard that fails oftener does not stop the others.
                {"backoffLimitPerIndex", options.retries},
                {"ttlSecondsAfterFinished", kDay},
                {"template", {{"spec", pod}}}}}};
  if (!options.name_space.empty()) job["metadata"]["namespace"] = options.name_space;
  return job;
}

fs::path KubernetesJobFile(const LaunchOptions& options) {
  return options.run.out / "launch/job.json";
}

KubectlCalls CallsOfKubectl(const LaunchOptions& options) {
  std::vector<std::string> kubectl = {"kubectl"};
  if (!options.name_space.empty()) kubectl.push_back("--namespace=" + options.name_space);
  const auto call = [&](const std::vector<std::string>& words) {
    std::vector<std::string> all = kubectl;
    all.insert(all.end(), words.begin(), words.end());
    return all;
  };
  const std::string job = "job/" + LaunchName(options);
  return {.remove = call({"delete", job, "--ignore-not-found", "--cascade=foreground"}),
          .apply = call({"apply", "-f", KubernetesJobFile(options).string()}),
          .wait = call({"wait", "--for=condition=Complete", "--timeout=10s", job}),
          .get = call({"get", job, "-o", "json"}),
          .cancel = call({"delete", job, "--ignore-not-found", "--wait=false"}),
          .logs = call({"logs", "--prefix", "--selector=job-name=" + LaunchName(options)})};
}

std::string SshCommand(const std::string& host, const std::string& script) {
  return Joined({"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o",
                 "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4", host,
                 "sh -c " + ShellQuoted(script)});
}

fs::path RemoteFolder(const LaunchOptions& options) { return options.remote / LaunchName(options); }

std::vector<std::string> SendCommands(const LaunchOptions& options, const std::string& host) {
  const std::string remote = ShellQuoted(RemoteFolder(options).string());
  // One machine may have two names: the first that comes removes what an earlier call sent, and the
  // second waits for that.
  const std::string mark =
      StrCat("call-", options.call.empty() ? std::string(kNoToken) : options.call);
  const std::string anew =
      StrCat("mkdir ", mark, " 2>/dev/null && rm -rf suite sent balance.json && ",
             "mkdir -p suite sent results && mkdir ", mark, "/ready; ", "n=0; until [ -e ", mark,
             "/ready ]; do n=$((n+1)); [ $n -lt 60 ] || exit 2; sleep 1; done; ");
  // The folder must belong to this user alone.
  const std::string begin = StrCat("umask 077; mkdir -p ", remote, " && [ ! -L ", remote,
                                   " ] && [ -O ", remote, " ] && cd ", remote, " || { echo ",
                                   remote, ": is no folder of this user >&2; exit 2; }; ", anew);
  std::vector<std::string> commands = {StrCat("tar -C ", ShellQuoted(options.run.suite.string()),
                                              " -cf - . | ",
                                              SshCommand(host, begin + "tar -C suite -xf -"))};
  if (!options.send.empty()) {
    commands.push_back(StrCat("tar -cf - -- ", Joined(options.send), " | ",
                              SshCommand(host, begin + "tar -C sent -xf -")));
  }
  if (!options.run.balance.empty()) {
    commands.push_back(StrCat("<", ShellQuoted(options.run.balance.string()), " ",
                              SshCommand(host, begin + "cat >balance.json")));
  }
  return commands;
}

std::string FetchCommand(const LaunchOptions& options, const std::string& host, int index,
                         const fs::path& into) {
  const std::string from =
      (RemoteFolder(options) / "results" / StrCat(kShardPrefix, index)).string();
  return StrCat(SshCommand(host, StrCat("tar -C ", ShellQuoted(from), " -cf - .")), " | tar -C ",
                ShellQuoted(into.string()), " -xf -");
}

std::string Describe(const LaunchOptions& options, const LaunchPlan& plan, bool whole) {
  const std::string to_run =
      StrCat(RangesText(plan.missing), " to run, each ", TimesText(options.retries));
  std::string text = StrCat("launch: ", options.shards, " shards of ", plan.suite.name, " (",
                            WithCommas(static_cast<int64_t>(plan.suite.cases.size())),
                            " cases) by ", Name(options.engine), ": ",
                            plan.there.empty() ? "" : StrCat(RangesText(plan.there), " there, "),
                            plan.missing.empty() ? "none to run" : to_run, "; then merged into ",
                            (options.run.out / "whole").string(), " and checked\n");
  if (!whole || plan.missing.empty()) return text;
  text += DescribeEngine(options, plan.missing);
  if (options.token.empty() && options.engine != LaunchEngine::kLocal) {
    text += StrCat(kNoToken, ": digits that the first call chooses\n");
  }
  return text;
}

}  // namespace cts
