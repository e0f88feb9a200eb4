#include "tools/program/run/resume.h"

#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/judge/build_state.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/spec/edition.h"
#include "tools/program/run/builtin.h"
#include "tools/program/run/protocol.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> AllAsRecorded(std::vector<std::string> texts) {
  for (std::string& text : texts) text = AsRecorded(text);
  return texts;
}

// The members that must not change between a run and its continuation.
Json LimitsOf(const RunRecord& run) {
  Json limits = run.options ? ToJson(*run.options) : Json::object();
  limits.erase("jobs");
  if (run.again) limits["again"] = *run.again;
  limits["filter"] = run.filter.value_or(std::vector<std::string>());
  limits["code"] = run.code.value_or(std::vector<std::string>());
  return limits;
}

// Compares an earlier run of the same suite with this one.
Status CheckContinues(const fs::path& out, const RunRecord& before, const RunRecord& run) {
  const auto refuse = [&](const auto&... what) {
    return InvalidArgument(out.string(), ": holds ", what..., "give another directory");
  };
  if (!before.shards.empty()) {
    return refuse("merged results, which cannot be continued; ");
  }
  if (before.changed) {
    return refuse("results of no one implementation: ", *before.changed,
                  ", a file of the adapter, changed while it ran; ");
  }
  if (before.command != run.command) {
    return refuse("results of ", Quote(before.command), ", not of ", Quote(run.command), "; ");
  }
  if (before.shard != run.shard) {
    return refuse("results of ", ShardText(before), ", not of ", ShardText(run), "; ");
  }
  if (before.options && LimitsOf(before) != LimitsOf(run)) {
    return refuse("results of a run with ", LimitsOf(before).dump(), ", not with ",
                  LimitsOf(run).dump(), "; go on as it began, or ");
  }
  if (before.packs.has_value() != run.packs.has_value()) {
    return refuse(before.packs
                      ? "packed results, as run --pack writes them, and --pack is missing; "
                      : "results in folders, which --pack does not go on with; ",
                  "go on as it began, or ");
  }
  if (const std::string version = before.tensor_cts.value_or(CTS_VERSION); version != CTS_VERSION) {
    return refuse("results of tensor-cts ", Quote(version), ", this is ", CTS_VERSION, "; ");
  }
  if (before.commit.value_or(*run.commit) != *run.commit ||
      before.build.value_or(*run.build) != *run.build) {
    return refuse("results of tensor-cts ", CTS_VERSION, " of commit ",
                  Quote(before.commit.value_or("unknown")), ", this is ", Quote(*run.commit),
                  before.commit == run.commit ? " with other sources; " : "; ");
  }
  const std::vector<AdapterFile> files = before.adapter_files.value_or(*run.adapter_files);
  if (const std::string file = ChangedFile(files, *run.adapter_files); !file.empty()) {
    return refuse("results of another adapter: its file ", file, " is not the one that ran; ",
                  IsBeside(file, run)
                      ? "if it loads no such file, run anew and name its code by --code, or "
                      : "");
  }
  return absl::OkStatus();
}

}  // namespace

bool IsBeside(const std::string& file, const RunRecord& run) {
  return !run.code && !run.announced_code && run.command.find(file) == std::string::npos;
}

StatusOr<std::vector<AdapterFile>> FilesOf(const RunOptions& options, const RunRecord& run) {
  if (!options.plugin.empty()) return PluginFile(options.plugin);
  return run.announced_code ? AnnouncedFiles(options.adapter, *run.announced_code)
                            : AdapterFiles(options.adapter, options.code);
}

StatusOr<RunRecord> DescribeRun(const RunOptions& options, const Suite& suite,
                                const std::optional<ImplementationName>& plugin) {
  RunRecord run;
  run.suite = suite.name;
  run.suite_digest = suite.digest;
  run.suite_path = options.suite.string();
  run.suite_cases = static_cast<int64_t>(suite.cases.size());
  run.command = AsRecorded(CommandText(options));
  // A suite of an unknown edition is refused when its cases are looked at.
  const StatusOr<const Edition*> edition = FindEdition(suite.edition);
  if (edition.ok() && !(*edition)->file.empty()) run.edition_file = (*edition)->file.string();
  run.implementation = plugin.value_or(ImplementationName{
      run.command, options.builtin.empty() ? kUnknownVersion : BuiltinVersion(), ""});
  run.tensor_cts = CTS_VERSION;
  const BuildState& build = ThisBuild();
  run.commit = build.commit;
  run.build = BuildDigests{.editions = std::string(build.editions),
                           .recipes = std::string(build.recipes),
                           .checker = std::string(build.checker)};
  run.place = {.started = UtcNow(),
               .host = HostName(),
               .machine = ThisMachine(),
               .environment = KnownVariables()};
  run.options = RunLimits{.jobs = options.jobs,
                          .worker = options.worker,
                          .symbolic = options.symbolic,
                          .timeout_seconds = options.timeout_seconds,
                          .memory_mb = options.memory_mb};
  CTS_ASSIGN_OR_RETURN(run.adapter_files, FilesOf(options, run));
  run.shard = options.shard;
  if (!options.filter.empty()) run.filter = AllAsRecorded(options.filter);
  if (!options.again.empty()) run.again = options.again;
  if (!options.code.empty()) run.code = AllAsRecorded(options.code);
  if (options.pack) run.packs.emplace();
  run.complete = false;
  return run;
}

StatusOr<std::optional<RunRecord>> FindEarlierRun(const RunOptions& options, RunRecord* record) {
  RunRecord& run = *record;
  const fs::path& out = options.out;
  CTS_ASSIGN_OR_RETURN(const bool there, Exists(out / "run.json"));
  if (!there) {
    std::error_code error;
    // A file that was being written when an earlier run was killed begins like that.
    for (fs::directory_iterator it(out, error), end; !error && it != end; it.increment(error)) {
      if (it->path().filename().string().starts_with(".tmp")) continue;
      return InvalidArgument(out.string(), ": not empty, and no run.json in it: expected an empty ",
                             "directory, one that does not exist yet, or earlier results");
    }
    if (error) return Unavailable(out.string(), ": cannot be read: ", error.message());
    return std::optional<RunRecord>();
  }
  CTS_ASSIGN_OR_RETURN(RunRecord before, ReadUnfinishedRun(out));
  CTS_RETURN_IF_ERROR(CheckNotLeftOver(out, before));
  if (before.suite_digest != run.suite_digest) {
    return InvalidArgument(out.string(), ": holds results of another suite (", before.suite,
                           ", digest ", before.suite_digest, "), expected those of ", run.suite,
                           ", digest ", run.suite_digest, "; give another directory");
  }
  if (!options.resume) {
    return InvalidArgument(out.string(), ": holds results of this suite already; continue them ",
                           "with --resume, or give another directory");
  }
  if (before.announced_code && before.command == run.command && !run.code) {
    run.announced_code = before.announced_code;
    CTS_ASSIGN_OR_RETURN(run.adapter_files, FilesOf(options, run));
  }
  CTS_RETURN_IF_ERROR(CheckContinues(out, before, run));
  return std::optional<RunRecord>(std::move(before));
}

RunPlace& LastPart(RunRecord& run) { return run.resumed.empty() ? run.place : run.resumed.back(); }

RunPlace GoOn(const RunRecord& before, const RunWitness* witness, RunRecord* run) {
  // An implementation that has announced itself must do so again.
  run->implementation = before.implementation;
  run->resumed = before.resumed;
  run->unexplained = before.unexplained;
  run->packs = before.packs;  // until others take their place
  // The place and time at which the run began. For a continuation only the members that differ are
  // recorded.
  RunPlace now = {.started = run->place.started, .host = run->place.host};
  if (before.place.started) run->place.started = before.place.started;
  if (before.place.host) run->place.host = before.place.host;
  run->place.ended = before.place.ended;
  run->place.last_result = before.place.last_result;
  if (RunPlace& last = LastPart(*run); witness != nullptr && !last.ended && !last.last_result) {
    const std::optional<std::string> came = witness->last_result();
    if (came >= last.started) last.last_result = came;
  }
  if (before.place.machine) {
    if (run->place.machine != before.place.machine) now.machine = run->place.machine;
    run->place.machine = before.place.machine;
  }
  if (before.place.environment) {
    if (run->place.environment != before.place.environment) {
      now.environment = run->place.environment;
    }
    run->place.environment = before.place.environment;
  }
  return now;
}

}  // namespace cts
