#include "tools/program/launch/launch.h"

#include <optional>
#include <system_error>
#include <utility>

#include "checker/judge/run_record.h"
#include "reference/base/file_type.h"
#include "tools/program/launch/engines.h"
#include "tools/program/run/directory_lock.h"
#include "tools/program/run/merge.h"
#include "tools/program/run/signals.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

StatusOr<ShardFailures> RunShards(const LaunchOptions& options, const std::vector<int>& missing,
                                  const LaunchNews& news) {
  switch (options.engine) {
    case LaunchEngine::kLocal:
      return RunLocally(options, missing, news);
    case LaunchEngine::kSlurm:
      return RunBySlurm(options, missing, news);
    case LaunchEngine::kKubernetes:
      return RunByKubernetes(options, missing, news);
    case LaunchEngine::kSsh:
      return RunBySsh(options, missing, news);
  }
  return ShardFailures();
}

// The whole of an earlier call goes; anything else in its place stays.
Status RemoveWhole(const fs::path& whole) {
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(whole));
  if (!there) return absl::OkStatus();
  const StatusOr<RunRecord> record = ReadUnfinishedRun(whole);
  if (!record.ok() || record->shards.empty()) {
    return InvalidArgument(whole.string(), ": found no merged results, expected those of an ",
                           "earlier call, or nothing; move it away");
  }
  std::error_code error;
  fs::remove_all(whole, error);
  if (error) return Unavailable(whole.string(), ": cannot be removed: ", error.message());
  return absl::OkStatus();
}

Status Merge(const LaunchOptions& options, const fs::path& whole) {
  CTS_RETURN_IF_ERROR(RemoveWhole(whole));
  MergeOptions merge = {.out = whole, .stop = &Interrupted()};
  for (int index = 1; index <= options.shards; ++index) {
    merge.shards.push_back(ShardFolder(options.run.out, index));
  }
  return MergeResults(merge).status();
}

}  // namespace

StatusOr<LaunchSummary> Launch(const LaunchOptions& given, const LaunchPlan& plan,
                               const LaunchNews& news) {
  LaunchOptions options = given;
  const fs::path& out = options.run.out;
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
  DirectoryLock lock;
  CTS_RETURN_IF_ERROR(lock.Lock(out));
  SignalScope signals;
  CTS_RETURN_IF_ERROR(signals.Install());
  LaunchSummary summary;
  if (!plan.missing.empty()) {
    if (options.engine != LaunchEngine::kLocal) CTS_RETURN_IF_ERROR(ChooseTokens(&options));
    CTS_ASSIGN_OR_RETURN(summary.why, RunShards(options, plan.missing, news));
  }
  for (const int index : plan.missing) {
    CTS_ASSIGN_OR_RETURN(const bool whole, IsWhole(options, index));
    if (!whole) summary.missing.push_back(index);
  }
  if (summary.missing.empty() && !Interrupted()) {
    const fs::path whole = out / "whole";
    const Status merged = Merge(options, whole);
    if (!Interrupted()) CTS_RETURN_IF_ERROR(merged);
    if (merged.ok()) summary.whole = whole;
  }
  summary.interrupted = Interrupted();
  return summary;
}

}  // namespace cts
