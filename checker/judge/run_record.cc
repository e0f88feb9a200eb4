#include "checker/judge/run_record.h"

#include <utility>

#include "checker/judge/stored_result.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"

namespace cts {
namespace {

constexpr uint64_t kMaxBytes = 16 << 20;

template <class T>
void Put(Json* json, const char* member, const std::optional<T>& value) {
  if (value) (*json)[member] = *value;
}

template <class T>
std::optional<T> Get(const Json& json, const char* member) {
  const auto found = json.find(member);
  if (found == json.end()) return std::nullopt;
  return found->template get<T>();
}

Json ToJson(const Shard& shard) {
  Json json = {{"index", shard.index}, {"of", shard.of}};
  if (!shard.balanced_by.empty()) json["balanced_by"] = shard.balanced_by;
  if (!shard.positions.empty()) json["positions"] = shard.positions;
  return json;
}

Shard ShardFrom(const Json& json) {
  return {.index = json["index"].get<int>(),
          .of = json["of"].get<int>(),
          .balanced_by = json.value("balanced_by", ""),
          .positions = json.value("positions", std::vector<size_t>())};
}

Json ToJson(const Machine& machine) {
  Json json = Json::object();
  Put(&json, "cpu", machine.cpu);
  Put(&json, "cores", machine.cores);
  Put(&json, "memory_mb", machine.memory_mb);
  Put(&json, "os", machine.os);
  return json;
}

void Put(Json* json, const RunPlace& place) {
  Put(json, "started", place.started);
  Put(json, "host", place.host);
  Put(json, "ended", place.ended);
  Put(json, "last_result", place.last_result);
  if (place.machine) (*json)["machine"] = ToJson(*place.machine);
  Put(json, "environment", place.environment);
}

RunPlace PlaceFrom(const Json& json) {
  RunPlace place{.started = Get<std::string>(json, "started"),
                 .host = Get<std::string>(json, "host"),
                 .ended = Get<std::string>(json, "ended"),
                 .last_result = Get<std::string>(json, "last_result"),
                 .machine = std::nullopt,
                 .environment = Get<EnvironmentVariables>(json, "environment")};
  if (json.contains("machine")) {
    const Json& machine = json["machine"];
    place.machine = Machine{.cpu = Get<std::string>(machine, "cpu"),
                            .os = Get<std::string>(machine, "os"),
                            .cores = Get<int64_t>(machine, "cores"),
                            .memory_mb = Get<int64_t>(machine, "memory_mb")};
  }
  return place;
}

void PutResumed(Json* json, const std::vector<RunPlace>& resumed) {
  for (const RunPlace& place : resumed) {
    Json one = Json::object();
    Put(&one, place);
    (*json)["resumed"].push_back(std::move(one));
  }
}

std::vector<RunPlace> ResumedFrom(const Json& json) {
  std::vector<RunPlace> resumed;
  for (const Json& place : json.value("resumed", Json::array())) {
    resumed.push_back(PlaceFrom(place));
  }
  return resumed;
}

std::optional<RunLimits> LimitsFrom(const Json& json) {
  if (!json.contains("options")) return std::nullopt;
  const Json& options = json["options"];
  return RunLimits{.jobs = Get<int>(options, "jobs"),
                   .worker = Get<bool>(options, "worker"),
                   .symbolic = options.value("symbolic", false),
                   .timeout_seconds = Get<double>(options, "timeout_seconds"),
                   .memory_mb = options.value("memory_mb", int64_t{0})};
}

Json ToJson(const MergedShard& shard) {
  Json json = {{"shard", ToJson(shard.shard)}, {"cases", shard.cases}};
  Put(&json, shard.place);
  if (shard.options) json["options"] = ToJson(*shard.options);
  Put(&json, "seconds", shard.seconds);
  PutResumed(&json, shard.resumed);
  Put(&json, "results_digest", shard.results_digest);
  return json;
}

MergedShard MergedShardFrom(const Json& json) {
  return {.shard = ShardFrom(json["shard"]),
          .cases = json["cases"].get<int64_t>(),
          .place = PlaceFrom(json),
          .options = LimitsFrom(json),
          .seconds = Get<double>(json, "seconds"),
          .resumed = ResumedFrom(json),
          .results_digest = Get<std::string>(json, "results_digest")};
}

std::optional<BuildDigests> BuildFrom(const Json& json) {
  if (!json.contains("build")) return std::nullopt;
  const Json& build = json["build"];
  return BuildDigests{.editions = build["editions"].get<std::string>(),
                      .recipes = build["recipes"].get<std::string>(),
                      .checker = build["checker"].get<std::string>()};
}

RunRecord RunRecordFrom(const Json& json) {
  const Json& implementation = json["implementation"];
  RunRecord record{.suite = json["suite"].get<std::string>(),
                   .suite_digest = json["suite_digest"].get<std::string>(),
                   .suite_path = Get<std::string>(json, "suite_path"),
                   .suite_cases = Get<int64_t>(json, "suite_cases"),
                   .implementation = {.name = implementation["name"].get<std::string>(),
                                      .version = implementation["version"].get<std::string>(),
                                      .about = implementation.value("about", "")},
                   .command = json["command"].get<std::string>(),
                   .edition_file = Get<std::string>(json, "edition_file"),
                   .tensor_cts = Get<std::string>(json, "tensor_cts"),
                   .commit = Get<std::string>(json, "commit"),
                   .build = BuildFrom(json),
                   .place = PlaceFrom(json),
                   .options = LimitsFrom(json),
                   .adapter_files = std::nullopt,
                   .code = Get<std::vector<std::string>>(json, "code"),
                   .announced_code = Get<std::vector<std::string>>(json, "announced_code"),
                   .changed = Get<std::string>(json, "changed"),
                   .shard = std::nullopt,
                   .filter = Get<std::vector<std::string>>(json, "filter"),
                   .again = Get<std::string>(json, "again"),
                   .seconds = Get<double>(json, "seconds"),
                   .cases = Get<int64_t>(json, "cases"),
                   .restarts = Get<int64_t>(json, "restarts"),
                   .repeats = Get<int64_t>(json, "repeats"),
                   .under_load = json.value("under_load", false),
                   .unexplained = std::nullopt,
                   .complete = Get<bool>(json, "complete"),
                   .results_digest = Get<std::string>(json, "results_digest"),
                   .resumed = ResumedFrom(json),
                   .shards = {},
                   .blind = std::nullopt,
                   .given = std::nullopt,
                   .packs = Get<std::vector<std::string>>(json, "packs")};
  if (json.contains("adapter_files")) {
    record.adapter_files.emplace();
    for (const Json& file : json["adapter_files"]) {
      record.adapter_files->push_back(
          {file["path"].get<std::string>(), file["sha256"].get<std::string>()});
    }
  }
  if (json.contains("shard")) record.shard = ShardFrom(json["shard"]);
  if (json.contains("unexplained")) {
    const Json& unexplained = json["unexplained"];
    record.unexplained = {unexplained["count"].get<int64_t>(),
                          unexplained["first"].get<std::string>()};
  }
  for (const Json& shard : json.value("shards", Json::array())) {
    record.shards.push_back(MergedShardFrom(shard));
  }
  if (json.contains("blind")) {
    const Json& blind = json["blind"];
    record.blind = {blind["suite_digest"].get<std::string>(),
                    blind["results_digest"].get<std::string>()};
  }
  if (json.contains("given")) record.given = {json["given"]["taken"].get<std::string>()};
  return record;
}

}  // namespace

Json ToJson(const ImplementationName& implementation) {
  Json json = {{"name", implementation.name}, {"version", implementation.version}};
  if (!implementation.about.empty()) json["about"] = implementation.about;
  if (implementation.declared) json["declared"] = DeclaredToJson(*implementation.declared);
  return json;
}

Json ToJson(const RunLimits& limits) {
  Json json = Json::object();
  Put(&json, "jobs", limits.jobs);
  Put(&json, "worker", limits.worker);
  if (limits.symbolic) json["symbolic"] = true;
  Put(&json, "timeout_seconds", limits.timeout_seconds);
  if (limits.memory_mb > 0) json["memory_mb"] = limits.memory_mb;
  return json;
}

Json RunRecordToJson(const RunRecord& record) {
  Json json = {{"format", "tensor-cts-run-1"},
               {"suite", record.suite},
               {"suite_digest", record.suite_digest},
               {"implementation", ToJson(record.implementation)},
               {"command", record.command}};
  Put(&json, "suite_path", record.suite_path);
  Put(&json, "suite_cases", record.suite_cases);
  Put(&json, "edition_file", record.edition_file);
  Put(&json, "tensor_cts", record.tensor_cts);
  Put(&json, "commit", record.commit);
  if (record.build) {
    json["build"] = {{"editions", record.build->editions},
                     {"recipes", record.build->recipes},
                     {"checker", record.build->checker}};
  }
  Put(&json, record.place);
  if (record.options) json["options"] = ToJson(*record.options);
  if (record.adapter_files) {
    json["adapter_files"] = Json::array();
    for (const AdapterFile& file : *record.adapter_files) {
      json["adapter_files"].push_back({{"path", file.path}, {"sha256", file.sha256}});
    }
  }
  Put(&json, "code", record.code);
  Put(&json, "announced_code", record.announced_code);
  Put(&json, "changed", record.changed);
  if (record.shard) json["shard"] = ToJson(*record.shard);
  Put(&json, "filter", record.filter);
  Put(&json, "again", record.again);
  Put(&json, "seconds", record.seconds);
  Put(&json, "cases", record.cases);
  Put(&json, "restarts", record.restarts);
  Put(&json, "repeats", record.repeats);
  if (record.under_load) json["under_load"] = true;
  if (record.unexplained) {
    json["unexplained"] = {{"count", record.unexplained->count},
                           {"first", record.unexplained->first}};
  }
  Put(&json, "complete", record.complete);
  Put(&json, "results_digest", record.results_digest);
  PutResumed(&json, record.resumed);
  for (const MergedShard& shard : record.shards) json["shards"].push_back(ToJson(shard));
  Put(&json, "packs", record.packs);
  if (record.blind) {
    json["blind"] = {{"suite_digest", record.blind->suite_digest},
                     {"results_digest", record.blind->results_digest}};
  }
  if (record.given) json["given"] = {{"taken", record.given->taken}};
  return json;
}

StatusOr<RunRecord> ReadUnfinishedRun(const std::filesystem::path& results) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(results / "run.json", "run", kMaxBytes));
  RunRecord record = RunRecordFrom(json);
  if (const Json& implementation = json["implementation"]; implementation.contains("declared")) {
    CTS_ASSIGN_OR_RETURN(
        record.implementation.declared,
        DeclaredFromJson(implementation["declared"],
                         StrCat((results / "run.json").string(), ": /implementation/declared")));
  }
  return record;
}

Status CheckNotLeftOver(const std::filesystem::path& results, const RunRecord& record) {
  if (!record.complete.value_or(false)) return absl::OkStatus();
  const std::filesystem::path unsorted = results / kUnsortedResults;
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(unsorted));
  if (!there) return absl::OkStatus();
  return InvalidArgument(unsorted.string(), ": left over, as run.json says that the run is ",
                         "complete: it is of another run, or was copied while this one ran; ",
                         "remove it");
}

StatusOr<RunRecord> ReadRunRecord(const std::filesystem::path& results) {
  CTS_ASSIGN_OR_RETURN(RunRecord record, ReadUnfinishedRun(results));
  CTS_RETURN_IF_ERROR(CheckNotLeftOver(results, record));
  CTS_RETURN_IF_ERROR(CheckWhole(results, record.packs.value_or(std::vector<std::string>())));
  return record;
}

Status WriteRunRecord(const std::filesystem::path& results, const RunRecord& record) {
  return SaveJson(results / "run.json", RunRecordToJson(record));
}

bool IsAnonymous(const ImplementationName& implementation, const std::string& command) {
  return implementation.name == command && implementation.version == kUnknownVersion;
}

std::string ShardText(const RunRecord& record) {
  if (!record.shard) return "the whole suite";
  return StrCat(
      "shard ", record.shard->index, "/", record.shard->of,
      record.shard->balanced_by.empty()
          ? ""
          : StrCat(" by the seconds of report ", record.shard->balanced_by.substr(0, 12)));
}

}  // namespace cts
