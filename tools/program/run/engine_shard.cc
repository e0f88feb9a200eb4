#include "tools/program/run/engine_shard.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <utility>
#include <vector>

#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"

namespace cts {
namespace {

// What an engine tells a task.
struct Engine {
  const char* name;
  const char* index;  // the variable with the number of the task
  const char* count;  // the variable with the number of tasks; empty: it does not say
  int first;          // the number of the first task
  const char* smallest =
      "";  // variables with the first and the last number, where users choose them
  const char* largest = "";
  const char* how = "";    // what a user does about other numbers
  bool is_job_ad = false;  // `index` names a file, and `index_in_ad` and `count_in_ad` its lines
  const char* index_in_ad = "";
  const char* count_in_ad = "";
};

constexpr Engine kEngines[] = {
    {"Slurm", "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", 1, "SLURM_ARRAY_TASK_MIN",
     "SLURM_ARRAY_TASK_MAX", "submit with --array=1-N"},
    {"Kubernetes", "JOB_COMPLETION_INDEX", "", 0},
    {"GitLab", "CI_NODE_INDEX", "CI_NODE_TOTAL", 1},
    {"CircleCI", "CIRCLE_NODE_INDEX", "CIRCLE_NODE_TOTAL", 0},
    {"Buildkite", "BUILDKITE_PARALLEL_JOB", "BUILDKITE_PARALLEL_JOB_COUNT", 0},
    {"Bazel", "TEST_SHARD_INDEX", "TEST_TOTAL_SHARDS", 0},
    {"AWS Batch", "AWS_BATCH_JOB_ARRAY_INDEX", "AWS_BATCH_JOB_ARRAY_SIZE", 0},
    {.name = "PBS",
     .index = "PBS_ARRAY_INDEX",
     .count = "",
     .first = 1,
     .how = "submit with -J 1-N"},
    {.name = "HTCondor",
     .index = "_CONDOR_JOB_AD",
     .count = "",
     .first = 0,
     .is_job_ad = true,
     .index_in_ad = "ProcId",
     .count_in_ad = "TotalSubmitProcs"},
};

constexpr std::string_view kInstead = "; or say which part it is: --shard I/N";

std::optional<int> ToInteger(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// The text after `name =` on a line of HTCondor's job ad; empty if there is none.
std::string InJobAd(std::string_view ad, std::string_view name) {
  while (!ad.empty()) {
    const size_t end = std::min(ad.find('\n'), ad.size());
    const std::string_view line = ad.substr(0, end);
    ad.remove_prefix(std::min(end + 1, ad.size()));
    const size_t equals = line.find('=');
    if (equals == line.npos) continue;
    const auto trimmed = [](std::string_view part) {
      const size_t from = part.find_first_not_of(" \t\r"), to = part.find_last_not_of(" \t\r");
      return from == part.npos ? std::string_view() : part.substr(from, to - from + 1);
    };
    if (trimmed(line.substr(0, equals)) == name)
      return std::string(trimmed(line.substr(equals + 1)));
  }
  return "";
}

// Where a number of a task stands, and its text.
struct Said {
  std::string place, text;
};

StatusOr<int> NumberOf(const Engine& engine, const Said& said) {
  const std::optional<int> number = ToInteger(said.text);
  if (number) return *number;
  return InvalidArgument("--shard auto: ", engine.name, ": ", said.place, ": found '",
                         Printable(said.text), "', expected a number", kInstead);
}

// The number in a variable, or `instead` if it is not set.
StatusOr<int> NumberOr(const Engine& engine, const char* variable, int instead,
                       const TaskVariables& environment) {
  const auto text = environment(variable);
  return text ? NumberOf(engine, {variable, *text}) : StatusOr<int>(instead);
}

StatusOr<std::vector<Said>> IndexAndCount(const Engine& engine, const TaskVariables& environment) {
  const std::string index = *environment(engine.index);
  if (engine.is_job_ad) {
    CTS_ASSIGN_OR_RETURN(const std::string ad, ReadFile(index));
    const auto line = [&](const char* name) {
      return Said{StrCat(Printable(index), ": ", name), InJobAd(ad, name)};
    };
    std::vector<Said> said = {line(engine.index_in_ad), line(engine.count_in_ad)};
    if (said[1].text.empty()) said.pop_back();
    return said;
  }
  std::vector<Said> said = {{engine.index, index}};
  if (const auto count = environment(engine.count)) said.push_back({engine.count, *count});
  return said;
}

StatusOr<Shard> ShardOf(const Engine& engine, std::optional<int> wanted,
                        const TaskVariables& environment) {
  CTS_ASSIGN_OR_RETURN(const std::vector<Said> said, IndexAndCount(engine, environment));
  CTS_ASSIGN_OR_RETURN(const int number, NumberOf(engine, said[0]));
  std::optional<int> of = wanted;
  if (said.size() > 1) {
    CTS_ASSIGN_OR_RETURN(of, NumberOf(engine, said[1]));
    if (wanted && *wanted != *of) {
      return InvalidArgument("--shard auto/", *wanted, ": ", engine.name, ": ", said[1].place,
                             ": found ", *of, " tasks, expected ", *wanted, kInstead);
    }
  }
  if (!of) {
    return InvalidArgument("--shard auto: ", engine.name, " does not tell a task how many there ",
                           "are; expected --shard auto/N");
  }
  constexpr int kMost = 99999;  // as for ParseShard
  if (*of < 1 || *of > kMost) {
    return InvalidArgument("--shard auto: ", engine.name, ": found ", *of, " tasks, expected 1 to ",
                           kMost, kInstead);
  }
  CTS_ASSIGN_OR_RETURN(const int first,
                       NumberOr(engine, engine.smallest, engine.first, environment));
  const bool begins_well = first == 0 || first == 1;
  const int end = begins_well ? first + *of - 1 : first;
  CTS_ASSIGN_OR_RETURN(const int last, NumberOr(engine, engine.largest, end, environment));
  const bool dense = begins_well && last == end;
  if (!dense || number < first || number > last) {
    return InvalidArgument("--shard auto: ", engine.name, ": ", said[0].place, ": found ", number,
                           " in an array of ", *of, " from ", first, " to ", last, ", expected ",
                           engine.first, " to ", engine.first + *of - 1, " without gaps",
                           *engine.how ? StrCat(" (", engine.how, ")") : "", kInstead);
  }
  return ParseShard(StrCat(number - first + 1, "/", *of));
}

// The number of tasks in "auto/16"; nullopt in "auto".
StatusOr<std::optional<int>> WantedCount(std::string_view text) {
  if (text == "auto") return std::optional<int>();
  const std::optional<int> count = ToInteger(text.substr(std::string_view("auto/").size()));
  if (count && *count >= 1) return count;
  return InvalidArgument("shard: found '", Printable(text),
                         "', expected I/N, auto, or auto/N with N the number of tasks");
}

// The microseconds that each case took, by id: integers add up the same on every machine.
using CaseTimes = std::map<std::string, int64_t>;

StatusOr<CaseTimes> TimesOf(const std::string& text, const std::filesystem::path& report) {
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(text, report.string()));
  const Status valid = ValidateJson(json, "report", report.string());
  if (!valid.ok()) {
    return Annotate(valid, "--balance: expected a report, as tensor-cts check --json writes it");
  }
  constexpr double kMost = 1e9;  // 30 years: the sum of a million of them fits
  CaseTimes times;
  for (const Json& c : json["cases"]) {
    CTS_ASSIGN_OR_RETURN(const double seconds, DoubleFromJson(c["seconds"]));
    const double known = seconds > 0 ? std::min(seconds, kMost) : 0;
    times[c["id"].get<std::string>()] = std::max<int64_t>(1, std::llround(known * 1e6));
  }
  return times;
}

// The microseconds of each case of the suite.
StatusOr<std::vector<int64_t>> Costs(const CaseTimes& times, const Suite& suite,
                                     const std::filesystem::path& report) {
  std::vector<int64_t> costs(suite.cases.size());
  int64_t sum = 0, known = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    const auto found = times.find(suite.cases[i].id);
    if (found == times.end()) continue;
    costs[i] = found->second;
    sum += costs[i];
    ++known;
  }
  if (known == 0) {
    return InvalidArgument("--balance: ", report.string(), ": found no case of the suite ",
                           suite.name, ", expected the report of an earlier run over it");
  }
  for (int64_t& cost : costs) {
    if (cost == 0) cost = std::max<int64_t>(1, sum / known);
  }
  return costs;
}

}  // namespace

std::optional<std::string> VariableOfProcess(std::string_view name) {
  if (name.empty()) return std::nullopt;
  const char* const value = std::getenv(std::string(name).c_str());
  return value != nullptr && *value != '\0' ? std::optional<std::string>(value) : std::nullopt;
}

StatusOr<Shard> ShardOfTask(std::string_view text, const TaskVariables& environment) {
  if (text != "auto" && !text.starts_with("auto/")) return ParseShard(text);
  CTS_ASSIGN_OR_RETURN(const std::optional<int> wanted, WantedCount(text));
  std::vector<const Engine*> found;
  std::string known, names;
  for (const Engine& engine : kEngines) {
    known += StrCat(known.empty() ? "" : ", ", engine.index);
    if (!environment(engine.index)) continue;
    names += StrCat(found.empty() ? "" : " and ", engine.index);
    found.push_back(&engine);
  }
  if (found.empty()) {
    return InvalidArgument("--shard auto: found no task of an engine, expected one of the ",
                           "variables ", known, kInstead);
  }
  if (found.size() > 1) {
    return InvalidArgument("--shard auto: found ", names, ", expected one engine", kInstead);
  }
  return ShardOf(*found[0], wanted, environment);
}

StatusOr<std::vector<Shard>> BalanceShards(const std::filesystem::path& report, const Suite& suite,
                                           int of) {
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(report));
  CTS_ASSIGN_OR_RETURN(const CaseTimes times, TimesOf(text, report));
  CTS_ASSIGN_OR_RETURN(const std::vector<int64_t> costs, Costs(times, suite, report));
  std::vector<size_t> order(costs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  // The part with the least to do first, of equal ones that of the lowest number.
  using Part = std::pair<int64_t, int>;
  std::priority_queue<Part, std::vector<Part>, std::greater<>> parts;
  std::vector<Shard> shards;
  const std::string digest = Sha256(text);
  for (int index = 1; index <= of; ++index) {
    parts.emplace(0, index);
    shards.push_back({.index = index, .of = of, .balanced_by = digest});
  }
  for (const size_t position : order) {
    auto [load, index] = parts.top();
    parts.pop();
    shards[static_cast<size_t>(index - 1)].positions.push_back(position);
    parts.emplace(load + costs[position], index);
  }
  for (Shard& shard : shards) std::sort(shard.positions.begin(), shard.positions.end());
  return shards;
}

Status BalanceShard(const std::filesystem::path& report, const Suite& suite, Shard* shard) {
  CTS_ASSIGN_OR_RETURN(std::vector<Shard> shards, BalanceShards(report, suite, shard->of));
  *shard = std::move(shards[static_cast<size_t>(shard->index - 1)]);
  return absl::OkStatus();
}

}  // namespace cts
