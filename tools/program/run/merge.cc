#include "tools/program/run/merge.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "checker/judge/run_record.h"
#include "checker/judge/stored_result.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "reference/base/pack.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/result_digests.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

struct Part {
  fs::path path;
  RunRecord run;
  Shard shard;
  ResultDigests digests;
};

// "a, b and 3 more".
std::string Some(const std::vector<std::string>& names) {
  constexpr size_t kShown = 5;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, names.size()); ++i) {
    text += StrCat(i == 0 ? "" : ", ", names[i].substr(0, 240));
  }
  return names.size() > kShown ? StrCat(text, " and ", names.size() - kShown, " more") : text;
}

// Folders of results that results.json does not know.
StatusOr<std::vector<std::string>> ExtraResults(const Part& part) {
  std::vector<std::string> extra;
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> operators, StoredOperators(part.path));
  for (const std::string& op : operators) {
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> cases, StoredCases(part.path, op));
    for (const std::string& name : cases) {
      std::string id = StrCat(op, "/", name);
      if (part.digests.count(id) == 0) extra.push_back(std::move(id));
    }
  }
  std::sort(extra.begin(), extra.end());
  return extra;
}

Status CheckStopped(const MergeOptions& options) {
  if (options.stop == nullptr || !*options.stop) return absl::OkStatus();
  return Unavailable("merge: interrupted, nothing is written");
}

StatusOr<std::string> DigestUnlessStopped(const fs::path& results, const std::string& id,
                                          const MergeOptions& options) {
  CTS_RETURN_IF_ERROR(CheckStopped(options));
  StatusOr<std::string> digest = ResultDigest(results, id, options.stop);
  if (absl::IsCancelled(digest.status())) CTS_RETURN_IF_ERROR(CheckStopped(options));
  return digest;
}

// Reads a shard and compares its files with the digests that it recorded when it ended.
StatusOr<Part> ReadPart(const fs::path& path, const MergeOptions& options) {
  Part part;
  part.path = path;
  StatusOr<RunRecord> run = ReadRunRecord(path);
  if (!run.ok()) {
    return Annotate(run.status(),
                    StrCat(path.string(), ": expected results as tensor-cts run writes them"));
  }
  part.run = *std::move(run);
  if (!part.run.shard) {
    return InvalidArgument(path.string(), ": found results of no shard, expected those of ",
                           "tensor-cts run --shard I/N");
  }
  part.shard = *part.run.shard;
  if (part.run.filter) {
    return InvalidArgument(path.string(), ": found results of a run with --filter ",
                           Json(part.run.filter->front()).dump(), ", expected a whole shard");
  }
  if (!part.run.complete.value_or(false) || !part.run.results_digest || !part.run.suite_cases) {
    return InvalidArgument(path.string(), ": the run did not end; go on with it by --resume first");
  }
  CTS_ASSIGN_OR_RETURN(part.digests, ReadResultDigests(path));
  const auto changed = [&](const auto&... what) {
    return InvalidArgument(path.string(), ": ", what...,
                           ": changed since the run ended; run this shard again");
  };
  if (DigestOf(part.digests) != *part.run.results_digest) {
    return changed("results.json is not the one that run.json tells of");
  }
  std::vector<std::string> ids;
  for (const auto& [id, digest] : part.digests) ids.push_back(id);
  std::vector<std::string> missing;
  for (const std::string& id : ids) {
    const StatusOr<StoredResult> result = StoredResult::Find(path, id);
    if (absl::IsUnavailable(result.status())) return result.status();
    if (absl::IsNotFound(result.status()) || (result.ok() && !result->Has("result.json"))) {
      missing.push_back(id);
    }
  }
  if (!missing.empty()) {
    return changed(missing.size(), " of ", ids.size(), " cases lack their result: ", Some(missing));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> extra, ExtraResults(part));
  if (!extra.empty()) {
    return changed("found ", extra.size(), " results of no case of this shard: ", Some(extra));
  }
  for (const std::string& id : ids) {
    CTS_ASSIGN_OR_RETURN(const std::string digest, DigestUnlessStopped(path, id, options));
    if (digest != part.digests[id]) return changed("the result of ", id);
  }
  const auto all = static_cast<size_t>(*part.run.suite_cases);
  if (!part.shard.positions.empty() && part.shard.positions.back() >= all) {
    return InvalidArgument(path.string(), ": run.json: /shard/positions: found ",
                           part.shard.positions.back(), ", expected less than the ", all,
                           " cases of the suite; run this shard again");
  }
  size_t due = 0;
  for (size_t i = 0; i < all && i < size_t{1} << 24; ++i) due += part.shard.Has(i) ? 1 : 0;
  if (ids.size() != due) {
    return InvalidArgument(path.string(), ": found ", ids.size(), " cases, expected ", due,
                           " in shard ", part.shard.index, "/", part.shard.of, " of a suite of ",
                           all, "; run this shard again");
  }
  return part;
}

// The members that must be the same in every shard, and their names in run.json.
Status CheckSame(const Part& first, const Part& other) {
  static const auto& members =
      *new std::vector<std::pair<std::string, std::string>>{{"suite_digest", "suite"},
                                                            {"suite_cases", "suite"},
                                                            {"implementation", "implementation"},
                                                            {"command", "implementation"},
                                                            {"adapter_files", "implementation"},
                                                            {"code", "implementation"},
                                                            {"announced_code", "implementation"},
                                                            {"tensor_cts", "tensor-cts"},
                                                            {"commit", "tensor-cts"},
                                                            {"build", "tensor-cts"},
                                                            {"repeats", "number of repeats"},
                                                            {"under_load", "load"}};
  const Json first_run = RunRecordToJson(first.run), other_run = RunRecordToJson(other.run);
  for (const auto& [member, what] : members) {
    const Json a = first_run.value(member, Json());
    const Json b = other_run.value(member, Json());
    if (a == b) continue;
    return InvalidArgument(other.path.string(), ": of another ", what, " than ",
                           first.path.string(), ": run.json: /", member, ": found ",
                           b.dump().substr(0, 500), ", expected ", a.dump().substr(0, 500));
  }
  const auto symbolic = [](const Part& part) {
    return part.run.options && part.run.options->symbolic;
  };
  if (symbolic(first) != symbolic(other)) {
    const auto [with, without] =
        symbolic(first) ? std::pair(&first, &other) : std::pair(&other, &first);
    return InvalidArgument(other.path.string(), ": ", with->path.string(),
                           " was run with --symbolic, ", without->path.string(),
                           " without; expected all shards with it or none");
  }
  if (first.shard.of != other.shard.of) {
    return InvalidArgument(other.path.string(), ": shard ", other.shard.index, "/", other.shard.of,
                           " does not go with shard ", first.shard.index, "/", first.shard.of,
                           " in ", first.path.string(), ": expected shards of one division");
  }
  if (first.shard.balanced_by != other.shard.balanced_by) {
    const auto cut = [](const Part& part) {
      return part.shard.balanced_by.empty() ? "without --balance"
                                            : "by the report " + part.shard.balanced_by;
    };
    return InvalidArgument(other.path.string(), ": a shard that was cut ", cut(other), ", in ",
                           first.path.string(), " one that was cut ", cut(first),
                           ": expected shards of one division; give all the same --balance");
  }
  return absl::OkStatus();
}

// Every shard once, every case once.
Status CheckWhole(const std::vector<Part>& parts) {
  std::map<int, const Part*> shards;
  for (const Part& part : parts) {
    const auto [found, inserted] = shards.emplace(part.shard.index, &part);
    if (!inserted) {
      return InvalidArgument(part.path.string(), ": shard ", part.shard.index, "/", part.shard.of,
                             " is in ", found->second->path.string(), ", too; expected it once");
    }
  }
  std::vector<std::string> missing;
  for (int i = 1; i <= parts[0].shard.of; ++i) {
    if (shards.count(i) == 0) missing.push_back(std::to_string(i));
  }
  if (!missing.empty()) {
    return InvalidArgument("merge: ", missing.size(), " of ", parts[0].shard.of,
                           " shards missing: ", Some(missing), "; expected every shard once");
  }
  std::map<std::string_view, const Part*> owners;
  std::vector<std::string> twice;
  for (const Part& part : parts) {
    for (const auto& [id, digest] : part.digests) {
      const auto [found, inserted] = owners.emplace(id, &part);
      if (!inserted) {
        twice.push_back(
            StrCat(id, " (in ", found->second->path.string(), " and ", part.path.string(), ")"));
      }
    }
  }
  if (!twice.empty()) {
    return InvalidArgument("merge: ", twice.size(), " cases are there twice: ", Some(twice));
  }
  const auto all = static_cast<size_t>(*parts[0].run.suite_cases);
  if (owners.size() != all) {
    return InvalidArgument("merge: found ", owners.size(), " cases in all shards, expected the ",
                           all, " of the suite; run the shards again");
  }
  return absl::OkStatus();
}

// A link to the same file, or a copy where that cannot be.
Status Place(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_hard_link(from, to, error);
  if (error) fs::copy_file(from, to, error);
  if (!error) return absl::OkStatus();
  return Unavailable(to.string(), ": cannot be copied from ", from.string(), ": ", error.message());
}

Status PlaceResults(const Part& part, const fs::path& out, const MergeOptions& options) {
  std::error_code error;
  for (const auto& [id, digest] : part.digests) {
    CTS_RETURN_IF_ERROR(CheckStopped(options));
    fs::create_directories(out / id, error);
    if (error) return Unavailable((out / id).string(), ": cannot be created: ", error.message());
    CTS_ASSIGN_OR_RETURN(const StoredResult result, StoredResult::Find(part.path, id));
    for (const StoredResult::File& file : result.files()) {
      CTS_RETURN_IF_ERROR(Place(result.place() / file.name, out / id / file.name));
    }
  }
  return absl::OkStatus();
}

// Where a shard is packed, so is the whole. Returns the operators, each of which has a pack.
StatusOr<std::vector<std::string>> PackResults(const std::vector<Part>& parts, const fs::path& out,
                                               const MergeOptions& options) {
  std::map<std::string, const Part*> owners;
  for (const Part& part : parts) {
    for (const auto& [id, digest] : part.digests) owners.emplace(id, &part);
  }
  std::error_code error;
  fs::create_directories(out, error);
  if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
  std::vector<std::string> operators;
  std::optional<PackFile> pack;
  for (const auto& [id, part] : owners) {
    CTS_RETURN_IF_ERROR(CheckStopped(options));
    const std::string op = id.substr(0, id.find('/'));
    if (operators.empty() || operators.back() != op) {
      if (pack) CTS_RETURN_IF_ERROR(pack->Close());
      pack.emplace();
      CTS_RETURN_IF_ERROR(pack->Create(out / StrCat(op, kPackSuffix)));
      operators.push_back(op);
    }
    CTS_ASSIGN_OR_RETURN(const StoredResult result, StoredResult::Find(part->path, id));
    PackWriter& writer = pack->writer();
    for (const StoredResult::File& file : result.files()) {
      const std::string name = StrCat(id, "/", file.name);
      const TakePieces take = {[&](uint64_t size) { return writer.Begin(name, size); },
                               [&](std::string_view piece) { return writer.Add(piece); }};
      Status read = result.Read(file.name, take, options.stop);
      if (absl::IsCancelled(read)) CTS_RETURN_IF_ERROR(CheckStopped(options));
      CTS_RETURN_IF_ERROR(read);
      CTS_RETURN_IF_ERROR(writer.End());
    }
  }
  if (pack) CTS_RETURN_IF_ERROR(pack->Close());
  return operators;
}

RunRecord MergedRun(const std::vector<Part>& parts, const ResultDigests& digests) {
  // The members that all shards have in common, as CheckSame has made sure.
  const RunRecord& first = parts[0].run;
  RunRecord run;
  run.suite = first.suite;
  run.suite_digest = first.suite_digest;
  run.suite_cases = first.suite_cases;
  run.implementation = first.implementation;
  run.command = first.command;
  run.edition_file = first.edition_file;
  run.tensor_cts = first.tensor_cts;
  run.commit = first.commit;
  run.build = first.build;
  run.adapter_files = first.adapter_files;
  run.code = first.code;
  run.announced_code = first.announced_code;
  run.repeats = first.repeats;
  run.under_load = first.under_load;
  run.complete = true;
  run.seconds = 0;
  run.restarts = 0;
  std::set<std::string> hosts;
  for (const Part& part : parts) {
    const RunRecord& own = part.run;
    *run.seconds += own.seconds.value_or(0);
    *run.restarts += own.restarts.value_or(0);
    if (own.unexplained) {
      if (!run.unexplained) run.unexplained = {0, own.unexplained->first};
      run.unexplained->count += own.unexplained->count;
    }
    if (own.place.started && (!run.place.started || *own.place.started < *run.place.started)) {
      run.place.started = own.place.started;
    }
    hosts.insert(own.place.host.value_or("unknown"));
    // results.json has the cases of each; the list of positions would be a second one.
    Shard shard = part.shard;
    shard.positions.clear();
    run.shards.push_back({.shard = std::move(shard),
                          .cases = static_cast<int64_t>(part.digests.size()),
                          .place = own.place,
                          .options = own.options,
                          .seconds = own.seconds,
                          .resumed = own.resumed,
                          .results_digest = own.results_digest});
  }
  run.place.host = hosts.size() == 1
                       ? *hosts.begin()
                       : StrCat(hosts.size(), " hosts: ", Some({hosts.begin(), hosts.end()}));
  run.cases = static_cast<int64_t>(digests.size());
  run.results_digest = DigestOf(digests);
  return run;
}

}  // namespace

StatusOr<MergeSummary> MergeResults(const MergeOptions& options) {
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  std::vector<Part> parts;
  for (const fs::path& path : options.shards) {
    CTS_ASSIGN_OR_RETURN(Part part, ReadPart(path, options));
    if (!parts.empty()) CTS_RETURN_IF_ERROR(CheckSame(parts[0], part));
    parts.push_back(std::move(part));
  }
  if (parts.empty()) return InvalidArgument("merge: expected the results of every shard");
  CTS_RETURN_IF_ERROR(CheckWhole(parts));
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.shard.index < b.shard.index; });
  ResultDigests digests;
  for (const Part& part : parts) digests.insert(part.digests.begin(), part.digests.end());

  CTS_ASSIGN_OR_RETURN(NewFolder out, NewFolder::Beside(options.out));
  RunRecord run = MergedRun(parts, digests);
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.run.packs; })) {
    CTS_ASSIGN_OR_RETURN(run.packs, PackResults(parts, out.path(), options));
  } else {
    for (const Part& part : parts) CTS_RETURN_IF_ERROR(PlaceResults(part, out.path(), options));
  }
  // Once more, for the files that will be judged: the shards may have changed meanwhile.
  for (const auto& [id, digest] : digests) {
    CTS_ASSIGN_OR_RETURN(const std::string found, DigestUnlessStopped(out.path(), id, options));
    if (found != digest) return Unavailable(id, ": changed while it was merged; merge again");
  }
  CTS_RETURN_IF_ERROR(WriteResultDigests(out.path(), digests));
  CTS_RETURN_IF_ERROR(WriteRunRecord(out.path(), run));
  CTS_RETURN_IF_ERROR(out.PutWithPermissionsOf(parts[0].path));
  return MergeSummary{parts.size(), digests.size()};
}

}  // namespace cts
