#include "tools/program/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "reference/base/json.h"
#include "tools/program/launch/plan.h"

namespace cts {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Refusal(const Status& status) { return Message(status); }

LaunchOptions Options(LaunchEngine engine) {
  LaunchOptions options;
  options.engine = engine;
  options.run.suite = "/data/suite";
  options.run.out = "/data/my results";
  options.run.adapter = "./adapter";
  options.words = {"--adapter", "./adapter --fast", "--worker"};
  options.shards = 8;
  options.program = "/opt/tensor-cts";
  options.image = engine == LaunchEngine::kKubernetes ? "image:1" : "";
  options.volume_claim = engine == LaunchEngine::kKubernetes ? "claim" : "";
  options.mount = engine == LaunchEngine::kKubernetes ? "/data" : "";
  if (engine == LaunchEngine::kSsh) options.hosts = {"a", "me@b"};
  options.here = "/home/me";
  return options;
}

// What a shell makes of a script.
std::string Output(const std::string& script) {
  std::string output;
  FILE* const pipe = popen(script.c_str(), "r");
  std::array<char, 4096> bytes;
  while (pipe != nullptr && fgets(bytes.data(), bytes.size(), pipe) != nullptr) {
    output += bytes.data();
  }
  if (pipe != nullptr) pclose(pipe);
  return output;
}

TEST(LaunchPlan, NumbersBecomeRanges) {
  EXPECT_EQ(RangesText({}), "");
  EXPECT_EQ(RangesText({3}), "3");
  EXPECT_EQ(RangesText({1, 2, 3}), "1-3");
  EXPECT_EQ(RangesText({1, 2, 4, 6, 7, 8}), "1-2,4,6-8");
}

TEST(LaunchPlan, HostsStandALine) {
  const auto hosts = ParseHosts("# all\n\n one \nme@two # fast\r\none", "hosts");
  ASSERT_TRUE(hosts.ok()) << hosts.status();
  EXPECT_THAT(*hosts, ElementsAre("one", "me@two", "one"));
  EXPECT_THAT(Refusal(ParseHosts("one\n-oProxyCommand=evil\n", "hosts").status()),
              HasSubstr("hosts: line 2: found \"-oProxyCommand=evil\", expected a host"));
  EXPECT_THAT(Refusal(ParseHosts("one two", "hosts").status()),
              HasSubstr("line 1: found \"one two\""));
  EXPECT_THAT(Refusal(ParseHosts("#\n", "hosts").status()), HasSubstr("hosts: found no host"));
}

TEST(LaunchPlan, OneLaunchHasOneName) {
  LaunchOptions options = Options(LaunchEngine::kSlurm);
  EXPECT_EQ(LaunchName(options), "tensor-cts-XXXXXXXXXX");
  options.token = "0";
  const std::string name = LaunchName(options);
  EXPECT_THAT(name, StartsWith("tensor-cts-"));
  EXPECT_EQ(LaunchName(options), name);
  // The same path on another volume.
  options.token = "1";
  EXPECT_NE(LaunchName(options), name);
  options.token = "0";
  options.run.out = "/data/others";
  EXPECT_NE(LaunchName(options), name);
}

TEST(LaunchPlan, TheCommandOfAShardIsThatOfRun) {
  LaunchOptions options = Options(LaunchEngine::kLocal);
  options.program = "printf %s\\n";
  options.run.jobs = 3;
  options.edition_files = {"/an edition.json"};
  options.run.balance = "/data/report.json";
  // `printf` writes each of its words.
  std::string command = ShardCommand(options);
  command.replace(0, std::string_view("'printf %s\\n'").size(), "printf '%s\\n'");
  EXPECT_EQ(Output("i=5; " + command),
            "--edition-file\n/an edition.json\nrun\n/data/suite\n--adapter\n./adapter --fast\n"
            "--worker\n--balance\n/data/report.json\n--jobs\n3\n--shard\n5/8\n--resume\n--pack\n"
            "--quiet\n--out\n/data/my results/shard-5\n");
}

TEST(LaunchPlan, AWatchedScriptEndsWithItsInput) {
  LaunchOptions options = Options(LaunchEngine::kLocal);
  options.program = "sleep 100; echo";
  options.words = {};
  std::string script = WatchedScript(options, 2);
  // In the place of the program: one that says how it ends.
  const std::string command = ShardCommand(options);
  const auto with = [&](const std::string& program) {
    std::string text = script;
    text.replace(text.find(command), command.size(), program);
    return text;
  };
  // The input stays open for longer than that takes.
  const std::string open = "{ sleep 1 & } | (";
  EXPECT_EQ(Output(open + with("sh -c 'exit 7'") + "); echo $?"), "7\n");
  EXPECT_EQ(Output(open + with("sh -c 'kill -KILL $$'") + ") 2>/dev/null; echo $?"), "137\n");
  // The input ends at once: SIGTERM, which is 15.
  EXPECT_EQ(Output("(" + with("sleep 100") + ") </dev/null 2>/dev/null; echo $?"), "143\n");
}

TEST(LaunchPlan, SlurmGetsTheMissingTasksAlone) {
  LaunchOptions options = Options(LaunchEngine::kSlurm);
  options.run.out = "/data/100%";
  options.run.jobs = 4;
  options.sbatch = {"--partition=long"};
  const std::vector<std::string> words = SbatchWords(options, {2, 3, 7});
  EXPECT_THAT(words, AllOf(Contains("--wait"), Contains("--array=2-3,7"), Contains("--no-requeue"),
                           Contains("--cpus-per-task=4"), Contains("--chdir=/home/me"),
                           Contains("--dependency=singleton"), Contains("--partition=long"),
                           Contains("--job-name=" + LaunchName(options)),
                           Contains("--output=/data/100%%/launch/slurm-%a.log")));
  EXPECT_EQ(words.front(), "sbatch");
  EXPECT_EQ(words.back(), "/data/100%/launch/slurm.sh");
  options.at_once = 2;
  EXPECT_THAT(SbatchWords(options, {1}), Contains("--array=1%2"));
  EXPECT_THAT(SlurmScript(options),
              AllOf(StartsWith("#!/bin/sh\n"), HasSubstr("\ni=$SLURM_ARRAY_TASK_ID\nexec /opt/"),
                    HasSubstr(" --jobs \"$SLURM_CPUS_PER_TASK\" --shard \"$i/8\"")));
}

// What Kubernetes makes of the command of a container without variables.
std::string Expanded(const std::string& text) {
  std::string expanded;
  for (size_t i = 0; i < text.size(); ++i) {
    expanded += text[i];
    if (text.substr(i, 2) == "$$") ++i;
  }
  return expanded;
}

// What the pod of an index says instead of running its shard.
std::string PodSays(const Json& job, int index) {
  const Json& container = job["spec"]["template"]["spec"]["containers"][0];
  const std::string script = Expanded(container["command"][2].get<std::string>());
  const size_t exec = script.find("exec ");
  return Output(StrCat("JOB_COMPLETION_INDEX=", index, "; ", script.substr(0, exec), "echo $i"));
}

TEST(LaunchPlan, PodsTakeTheMissingShards) {
  const LaunchOptions options = Options(LaunchEngine::kKubernetes);
  const Json all = KubernetesJob(options, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(all["spec"]["completions"], 8);
  EXPECT_EQ(all["spec"]["parallelism"], 8);
  EXPECT_EQ(PodSays(all, 0), "1\n");
  EXPECT_EQ(PodSays(all, 7), "8\n");
  const Json some = KubernetesJob(options, {2, 5, 8});
  EXPECT_EQ(some["spec"]["completions"], 3);
  EXPECT_EQ(PodSays(some, 0), "2\n");
  EXPECT_EQ(PodSays(some, 1), "5\n");
  EXPECT_EQ(PodSays(some, 2), "8\n");
  EXPECT_FALSE(some["spec"].contains("maxFailedIndexes"));
  EXPECT_FALSE(some["metadata"].contains("namespace"));
}

TEST(LaunchPlan, KubernetesReplacesNothingInACommand) {
  LaunchOptions options = Options(LaunchEngine::kKubernetes);
  options.words = {"--adapter", "./adapter $$ $(JOB_COMPLETION_INDEX)"};
  const Json job = KubernetesJob(options, {1, 2});
  const Json& container = job["spec"]["template"]["spec"]["containers"][0];
  const std::string script = container["command"][2].get<std::string>();
  EXPECT_THAT(script, HasSubstr("'./adapter $$$$ $$(JOB_COMPLETION_INDEX)'"));
  EXPECT_THAT(Expanded(script), EndsWith("; exec " + ShardCommand(options)));
}

TEST(LaunchPlan, AHostGetsOneWordForItsShell) {
  LaunchOptions options = Options(LaunchEngine::kSsh);
  // ssh joins its words by blanks, and the user's shell reads them again.
  const std::string text = SshCommand("me@b", "echo \"it's $((1 + 1))\"");
  EXPECT_THAT(text, StartsWith("ssh -o BatchMode=yes "));
  const size_t host = text.find(" me@b ");
  ASSERT_NE(host, std::string::npos);
  EXPECT_EQ(Output("eval " + text.substr(host + 6)), "it's 2\n");
  EXPECT_THAT(WatchedScript(options, 1), StartsWith("cd /home/me || exit 2; i=1; "));
  options.copy = true;
  EXPECT_THAT(WatchedScript(options, 1), StartsWith("cd /tmp/" + LaunchName(options) + "/sent "));
  EXPECT_THAT(ShardCommand(options),
              AllOf(HasSubstr(" run /tmp/" + LaunchName(options) + "/suite "),
                    EndsWith("/results/shard-\"$i\""), Not(HasSubstr("/data/"))));
}

TEST(LaunchPlan, OptionsOfAnotherEngineAreRefused) {
  LaunchOptions options = Options(LaunchEngine::kSlurm);
  options.image = "image:1";
  EXPECT_EQ(
      Refusal(Complete(&options)),
      "launch: found --image, expected it with --engine kubernetes alone, found --engine slurm");
  options = Options(LaunchEngine::kKubernetes);
  options.mount.clear();
  EXPECT_THAT(Refusal(Complete(&options)),
              HasSubstr("expected --image IMAGE, --volume-claim CLAIM"));
  options = Options(LaunchEngine::kKubernetes);
  options.run.balance = "/database/report.json";
  EXPECT_EQ(Refusal(Complete(&options)),
            "launch: --balance: found /database/report.json, expected a path in /data (--mount), "
            "the volume that pods see");
  options = Options(LaunchEngine::kKubernetes);
  options.edition_files = {"/home/me/edition.json"};
  EXPECT_THAT(Refusal(Complete(&options)),
              HasSubstr("--edition-file: found /home/me/edition.json, expected a path in /data"));
  options = Options(LaunchEngine::kSsh);
  options.edition_files = {"/home/me/edition.json"};
  EXPECT_TRUE(Complete(&options).ok());
  options.copy = true;
  EXPECT_THAT(Refusal(Complete(&options)), HasSubstr("found --edition-file with --copy"));
  options = Options(LaunchEngine::kSsh);
  options.hosts.clear();
  EXPECT_THAT(Refusal(Complete(&options)), HasSubstr("expected --hosts FILE"));
  options = Options(LaunchEngine::kSsh);
  options.send = {"adapter.py"};
  EXPECT_THAT(Refusal(Complete(&options)), HasSubstr("--send goes with --copy"));
  for (const char* const path : {"/etc/passwd", "../adapter.py", "a/../../b", ""}) {
    options = Options(LaunchEngine::kSsh);
    options.copy = true;
    options.send = {path};
    EXPECT_THAT(Refusal(Complete(&options)), HasSubstr("expected a path below this folder"))
        << path;
  }
  options = Options(LaunchEngine::kSsh);
  options.copy = true;
  options.send = {"adapter.py", "lib/"};
  EXPECT_TRUE(Complete(&options).ok());
}

}  // namespace
}  // namespace cts
