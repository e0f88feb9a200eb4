#include "tools/program/run/resume.h"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/judge/build_state.h"
#include "reference/base/contains.h"
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

// As ChangedFile, for each device that both have: others may have been left out, or added.
std::string ChangedFileOfDevices(const RunRecord& before, const RunRecord& run) {
  for (const DeviceRecord& earlier : before.devices.value_or(std::vector<DeviceRecord>())) {
    for (const DeviceRecord& device : *run.devices) {
      if (device.name != earlier.name || !device.files || !earlier.files) continue;
      const std::string file = ChangedFile(*earlier.files, *device.files);
      if (!file.empty()) return file;
    }
  }
  return "";
}

StatusOr<std::vector<std::vector<AdapterFile>>> FilesOfEach(const RunOptions& options,
                                                            const RunRecord& run) {
  std::vector<std::vector<AdapterFile>> each;
  for (const std::string& command : CommandsOf(options)) {
    CTS_ASSIGN_OR_RETURN(std::vector<AdapterFile> files,
                         run.announced_code ? AnnouncedFiles(command, *run.announced_code)
                                            : AdapterFiles(command, options.code));
    each.push_back(std::move(files));
  }
  return each;
}

std::vector<AdapterFile> EachOnce(const std::vector<std::vector<AdapterFile>>& each) {
  std::vector<AdapterFile> all;
  for (const std::vector<AdapterFile>& files : each) {
    for (const AdapterFile& file : files) {
      if (!Contains(all, file)) all.push_back(file);
    }
  }
  return all;
}

Status DescribeFiles(const RunOptions& options, RunRecord* run) {
  if (!options.plugin.empty()) {
    CTS_ASSIGN_OR_RETURN(run->adapter_files, PluginFile(options.plugin));
    return absl::OkStatus();
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<std::vector<AdapterFile>> each,
                       FilesOfEach(options, *run));
  PutFiles(options, each, run);
  return absl::OkStatus();
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
  for (const DeviceRecord& device : run.devices.value_or(std::vector<DeviceRecord>())) {
    for (const DeviceRecord& earlier : before.devices.value_or(std::vector<DeviceRecord>())) {
      if (earlier.name != device.name || earlier.adapter == device.adapter) continue;
      return refuse("results of the device ", device.name, " with the adapter ",
                    Quote(earlier.adapter), ", not ", Quote(device.adapter),
                    "; give the device another name, or ");
    }
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
  const std::string changed =
      run.devices
          ? ChangedFileOfDevices(before, run)
          : ChangedFile(before.adapter_files.value_or(*run.adapter_files), *run.adapter_files);
  if (!changed.empty()) {
    return refuse("results of another adapter: its file ", changed, " is not the one that ran; ",
                  IsBeside(changed, run)
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
  CTS_ASSIGN_OR_RETURN(const std::vector<std::vector<AdapterFile>> each, FilesOfEach(options, run));
  return EachOnce(each);
}

std::vector<std::string> CommandsOf(const RunOptions& options) {
  if (options.devices.empty()) return {options.adapter};
  std::vector<std::string> commands;
  for (const Device& device : options.devices) commands.push_back(device.adapter);
  return commands;
}

void PutFiles(const RunOptions& options, const std::vector<std::vector<AdapterFile>>& each,
              RunRecord* run) {
  run->adapter_files = EachOnce(each);
  for (size_t i = 0; i < options.devices.size() && run->devices; ++i) {
    for (DeviceRecord& device : *run->devices) {
      if (device.name == options.devices[i].name) device.files = each[i];
    }
  }
}

std::vector<DeviceRecord> JoinDevices(const std::vector<DeviceRecord>& before,
                                      std::vector<DeviceRecord> now) {
  for (const DeviceRecord& earlier : before) {
    const auto same = std::find_if(now.begin(), now.end(), [&](const DeviceRecord& device) {
      return device.name == earlier.name;
    });
    if (same == now.end()) {
      now.push_back(earlier);
    } else {
      same->cases = earlier.cases;
      same->positions = earlier.positions;
      same->announced = earlier.announced;
      same->hardware = earlier.hardware;
    }
  }
  return now;
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
  if (!options.devices.empty()) run.devices.emplace();
  for (const Device& device : options.devices) {
    run.devices->push_back({.name = device.name,
                            .adapter = AsRecorded(device.adapter),
                            .cases = 0,
                            .positions = std::vector<size_t>(),
                            .files = std::nullopt,
                            .hardware = std::nullopt,
                            .lost = std::nullopt,
                            .silent = std::nullopt});
  }
  CTS_RETURN_IF_ERROR(DescribeFiles(options, &run));
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
    CTS_RETURN_IF_ERROR(DescribeFiles(options, &run));
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
  if (run->devices && before.devices) {
    run->devices = JoinDevices(*before.devices, *std::move(run->devices));
  }
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
