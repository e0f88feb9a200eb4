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

using Stop = const std::atomic<bool>*;

Status CheckStopped(Stop stop) {
  if (stop == nullptr || !*stop) return absl::OkStatus();
  return Unavailable("merge: interrupted, nothing is written");
}

StatusOr<std::string> DigestUnlessStopped(const fs::path& results, const std::string& id,
                                          Stop stop) {
  CTS_RETURN_IF_ERROR(CheckStopped(stop));
  StatusOr<std::string> digest = ResultDigest(results, id, stop);
  if (absl::IsCancelled(digest.status())) CTS_RETURN_IF_ERROR(CheckStopped(stop));
  return digest;
}

// Compares the files of results with the digests that their run recorded when it ended, and reads
// these. `again`: what to do when they differ.
Status CheckUnchanged(Part& part, const std::string& again, Stop stop) {
  const fs::path& path = part.path;
  CTS_ASSIGN_OR_RETURN(part.digests, ReadResultDigests(path));
  const auto changed = [&](const auto&... what) {
    return InvalidArgument(path.string(), ": ", what..., ": changed since the run ended; ", again);
  };
  if (DigestOf(part.digests) != *part.run.results_digest) {
    return changed("results.json is not the one that run.json tells of");
  }
  std::vector<std::string> missing;
  for (const auto& [id, digest] : part.digests) {
    const StatusOr<StoredResult> result = StoredResult::Find(path, id);
    if (absl::IsUnavailable(result.status())) return result.status();
    if (absl::IsNotFound(result.status()) || (result.ok() && !result->Has("result.json"))) {
      missing.push_back(id);
    }
  }
  if (!missing.empty()) {
    return changed(missing.size(), " of ", part.digests.size(),
                   " cases lack their result: ", Some(missing));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> extra, ExtraResults(part));
  if (!extra.empty()) {
    return changed("found ", extra.size(), " results of no case that ran: ", Some(extra));
  }
  for (const auto& [id, digest] : part.digests) {
    CTS_ASSIGN_OR_RETURN(const std::string now, DigestUnlessStopped(path, id, stop));
    if (now != digest) return changed("the result of ", id);
  }
  return absl::OkStatus();
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
  CTS_RETURN_IF_ERROR(CheckUnchanged(part, "run this shard again", options.stop));
  const auto all = static_cast<size_t>(*part.run.suite_cases);
  if (!part.shard.positions.empty() && part.shard.positions.back() >= all) {
    return InvalidArgument(path.string(), ": run.json: /shard/positions: found ",
                           part.shard.positions.back(), ", expected less than the ", all,
                           " cases of the suite; run this shard again");
  }
  size_t due = 0;
  for (size_t i = 0; i < all && i < size_t{1} << 24; ++i) due += part.shard.Has(i) ? 1 : 0;
  if (part.digests.size() != due) {
    return InvalidArgument(path.string(), ": found ", part.digests.size(), " cases, expected ", due,
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
Status CheckWhole(const std::vector<Part>& parts, bool partial) {
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
  if (!missing.empty() && !partial) {
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
  if (missing.empty() && owners.size() != all) {
    return InvalidArgument("merge: found ", owners.size(), " cases in all shards, expected the ",
                           all, " of the suite; run the shards again");
  }
  return absl::OkStatus();
}

enum class Placing { kLink, kCopy };

// A link to the same file, or a copy where that cannot be or is asked for.
Status Place(const fs::path& from, const fs::path& to, Placing placing) {
  std::error_code error;
  if (placing == Placing::kLink) fs::create_hard_link(from, to, error);
  if (placing == Placing::kCopy || error) fs::copy_file(from, to, error);
  if (!error) return absl::OkStatus();
  return Unavailable(to.string(), ": cannot be copied from ", from.string(), ": ", error.message());
}

Status PlaceResults(const Part& part, const fs::path& out, Placing placing, Stop stop) {
  std::error_code error;
  for (const auto& [id, digest] : part.digests) {
    CTS_RETURN_IF_ERROR(CheckStopped(stop));
    fs::create_directories(out / id, error);
    if (error) return Unavailable((out / id).string(), ": cannot be created: ", error.message());
    CTS_ASSIGN_OR_RETURN(const StoredResult result, StoredResult::Find(part.path, id));
    for (const StoredResult::File& file : result.files()) {
      CTS_RETURN_IF_ERROR(Place(result.place() / file.name, out / id / file.name, placing));
    }
  }
  return absl::OkStatus();
}

// Where a shard is packed, so is the whole. Returns the operators, each of which has a pack.
StatusOr<std::vector<std::string>> PackResults(const std::vector<Part>& parts, const fs::path& out,
                                               Stop stop) {
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
    CTS_RETURN_IF_ERROR(CheckStopped(stop));
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
      Status read = result.Read(file.name, take, stop);
      if (absl::IsCancelled(read)) CTS_RETURN_IF_ERROR(CheckStopped(stop));
      CTS_RETURN_IF_ERROR(read);
      CTS_RETURN_IF_ERROR(writer.End());
    }
  }
  if (pack) CTS_RETURN_IF_ERROR(pack->Close());
  return operators;
}

// Once more, for the files that will be judged: the results may have changed meanwhile.
Status CheckPlaced(const fs::path& out, const ResultDigests& digests, Stop stop) {
  for (const auto& [id, digest] : digests) {
    CTS_ASSIGN_OR_RETURN(const std::string found, DigestUnlessStopped(out, id, stop));
    if (found != digest) return Unavailable(id, ": changed while it was copied; try again");
  }
  return absl::OkStatus();
}

// Whether it is a whole run of the suite, as run.json says.
Status CheckWholeRun(const fs::path& results, const RunRecord& run, const Suite& suite) {
  const std::string file = (results / "run.json").string();
  if (run.suite_digest != suite.digest) {
    return InvalidArgument(file, ": /suite_digest: found ", run.suite_digest,
                           ", expected that of the suite, ", suite.digest,
                           ": the results answer other questions");
  }
  if (run.shard) {
    return InvalidArgument(file, ": /shard: found results of shard ", run.shard->index, "/",
                           run.shard->of,
                           ", expected those of the whole suite: merge all shards first");
  }
  if (run.again) {
    return InvalidArgument(file, ": /again: found results of run --again, of cases that failed ",
                           "before: nothing may be retried, run the whole suite");
  }
  if (run.filter) {
    return InvalidArgument(file, ": /filter: found results of selected cases, expected those of ",
                           "the whole suite");
  }
  if (run.changed) {
    return InvalidArgument(file, ": /changed: found ", Json(*run.changed).dump(),
                           ", a file of the adapter that changed while it ran: the results are ",
                           "of no one implementation");
  }
  if (!run.complete.value_or(false) || !run.results_digest) {
    return InvalidArgument(file, ": /complete: the run did not end; go on with it by --resume");
  }
  return absl::OkStatus();
}

Status CheckCases(const Part& part, const Suite& suite) {
  std::vector<std::string> missing, others;
  for (const SuiteEntry& entry : suite.cases) {
    if (part.digests.count(entry.id) == 0) missing.push_back(entry.id);
  }
  for (const auto& [id, digest] : part.digests) {
    if (suite.Find(id) == nullptr) others.push_back(id);
  }
  if (missing.empty() && others.empty()) return absl::OkStatus();
  return InvalidArgument(
      (part.path / "results.json").string(), ": found ",
      missing.empty() ? StrCat(others.size(), " results of no case of the suite: ", Some(others))
                      : StrCat("no result of ", missing.size(), " of ", suite.cases.size(),
                               " cases: ", Some(missing)),
      "; expected one of each case");
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
  if (first.options && first.options->symbolic) run.options.emplace().symbolic = true;
  run.complete = parts.size() == static_cast<size_t>(parts[0].shard.of);
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
    run.shards.push_back({.shard = part.shard,
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
  if (*run.complete) run.results_digest = DigestOf(digests);
  return run;
}

// Where its cases are among `all`.
std::vector<size_t> PositionsOf(const Shard& shard, size_t all) {
  if (!shard.balanced_by.empty()) return shard.positions;
  std::vector<size_t> positions;
  for (size_t k = static_cast<size_t>(shard.index) - 1; k < all;
       k += static_cast<size_t>(shard.of)) {
    positions.push_back(k);
  }
  return positions;
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
  CTS_RETURN_IF_ERROR(CheckWhole(parts, options.partial));
  std::sort(parts.begin(), parts.end(),
            [](const Part& a, const Part& b) { return a.shard.index < b.shard.index; });
  ResultDigests digests;
  for (const Part& part : parts) digests.insert(part.digests.begin(), part.digests.end());

  CTS_ASSIGN_OR_RETURN(NewFolder out, NewFolder::Beside(options.out));
  RunRecord run = MergedRun(parts, digests);
  if (std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.run.packs; })) {
    CTS_ASSIGN_OR_RETURN(run.packs, PackResults(parts, out.path(), options.stop));
  } else {
    for (const Part& part : parts)
      CTS_RETURN_IF_ERROR(PlaceResults(part, out.path(), Placing::kLink, options.stop));
  }
  CTS_RETURN_IF_ERROR(CheckPlaced(out.path(), digests, options.stop));
  CTS_RETURN_IF_ERROR(WriteResultDigests(out.path(), digests));
  CTS_RETURN_IF_ERROR(WriteRunRecord(out.path(), run));
  CTS_RETURN_IF_ERROR(out.PutWithPermissionsOf(parts[0].path));
  return MergeSummary{parts.size(), digests.size(), static_cast<size_t>(parts[0].shard.of)};
}

std::vector<std::string> ShardFaults(const RunRecord& run, const std::vector<std::string>& ids,
                                     const ResultDigests& results) {
  std::vector<std::string> faults;
  const auto fault = [&](size_t i, const auto&... what) {
    faults.push_back(StrCat("/shards/", i, ": ", what...));
  };
  std::vector<size_t> owners(ids.size());
  for (size_t i = 0; i < run.shards.size(); ++i) {
    const MergedShard& one = run.shards[i];
    if (one.shard.index != static_cast<int>(i) + 1 ||
        one.shard.of != static_cast<int>(run.shards.size())) {
      fault(i, "found shard ", one.shard.index, "/", one.shard.of, ", expected ", i + 1, "/",
            run.shards.size());
      continue;
    }
    ResultDigests own;
    for (const size_t k : PositionsOf(one.shard, ids.size())) {
      if (k >= ids.size()) {
        fault(i, "found the position ", k, ", expected less than ", ids.size());
        break;
      }
      ++owners[k];
      if (const auto found = results.find(ids[k]); found != results.end()) own.insert(*found);
    }
    if (one.cases != static_cast<int64_t>(own.size())) {
      fault(i, "found ", one.cases, " cases, expected ", own.size());
    }
    if (one.results_digest != DigestOf(own)) {
      fault(i, "found the digest ", one.results_digest.value_or("none"), ", expected ",
            DigestOf(own), " of its results");
    }
  }
  if (!run.shards.empty() && faults.empty()) {
    for (size_t k = 0; k < ids.size(); ++k) {
      if (owners[k] == 1) continue;
      faults.push_back(
          StrCat("/shards: found ", ids[k], " in ", owners[k], " shards, expected it in one"));
      break;
    }
  }
  return faults;
}

namespace {

StatusOr<Part> ReadWhole(const fs::path& results, const Suite& suite, Stop stop) {
  Part part;
  part.path = results;
  CTS_ASSIGN_OR_RETURN(part.run, ReadRunRecord(results));
  CTS_RETURN_IF_ERROR(CheckWholeRun(results, part.run, suite));
  CTS_RETURN_IF_ERROR(CheckUnchanged(part, "expected the results as run left them", stop));
  CTS_RETURN_IF_ERROR(CheckCases(part, suite));
  std::vector<std::string> ids;
  for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
  if (const auto faults = ShardFaults(part.run, ids, part.digests); !faults.empty()) {
    return InvalidArgument((part.path / "run.json").string(), ": ", faults.front());
  }
  return part;
}

}  // namespace

StatusOr<RunRecord> CheckWholeResults(const fs::path& results, const Suite& suite, Stop stop) {
  CTS_ASSIGN_OR_RETURN(const Part part, ReadWhole(results, suite, stop));
  return part.run;
}

StatusOr<RunRecord> CopyWholeResults(const CopyOptions& options, const Suite& suite) {
  CTS_ASSIGN_OR_RETURN(Part part, ReadWhole(options.results, suite, options.stop));
  if (part.run.packs || options.pack) {
    CTS_ASSIGN_OR_RETURN(part.run.packs, PackResults({part}, options.out, options.stop));
  } else {
    CTS_RETURN_IF_ERROR(PlaceResults(part, options.out, Placing::kCopy, options.stop));
  }
  CTS_RETURN_IF_ERROR(CheckPlaced(options.out, part.digests, options.stop));
  CTS_RETURN_IF_ERROR(WriteResultDigests(options.out, part.digests));
  CTS_RETURN_IF_ERROR(WriteRunRecord(options.out, part.run));
  return part.run;
}

}  // namespace cts
