#include "tools/program/run/result_digests.h"

#include "checker/judge/stored_result.h"
#include "reference/base/digest.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/suite.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

}  // namespace

StatusOr<std::string> ResultDigest(const fs::path& results, const std::string& id,
                                   const std::atomic<bool>* stop, const std::string* instead) {
  const StatusOr<StoredResult> result = StoredResult::Find(results, id);
  if (absl::IsNotFound(result.status())) {
    return InvalidArgument((results / id).string(), ": expected a directory with results of ", id);
  }
  CTS_RETURN_IF_ERROR(result.status());
  Sha256Stream stream;
  for (const StoredResult::File& file : result->files()) {
    const TakePieces take = {[&](uint64_t size) {
                               stream.Add(DigestedHead(file.name, size));
                               return absl::OkStatus();
                             },
                             [&](std::string_view piece) {
                               stream.Add(piece);
                               return absl::OkStatus();
                             }};
    if (instead != nullptr && file.name == "result.json") {
      CTS_RETURN_IF_ERROR(take.begin(instead->size()));
      CTS_RETURN_IF_ERROR(take.piece(*instead));
      continue;
    }
    CTS_RETURN_IF_ERROR(result->Read(file.name, take, stop));
  }
  return stream.Finish();
}

std::string DigestedHead(std::string_view name, uint64_t size) {
  return StrCat(std::string(name), "\n", size, "\n");
}

StatusOr<ResultDigests> DigestResults(const fs::path& results, const std::vector<std::string>& ids,
                                      int jobs, const std::atomic<bool>* stop) {
  std::vector<std::string> digests(ids.size());
  CTS_RETURN_IF_ERROR(
      ParallelFor(ids.size(), {.jobs = jobs, .stop = stop}, [&](size_t i) -> Status {
        CTS_ASSIGN_OR_RETURN(digests[i], ResultDigest(results, ids[i], stop));
        return absl::OkStatus();
      }));
  ResultDigests by_id;
  for (size_t i = 0; i < ids.size(); ++i) by_id.emplace(ids[i], std::move(digests[i]));
  return by_id;
}

std::string DigestOf(const ResultDigests& digests) {
  Sha256Stream stream;
  for (const auto& [id, digest] : digests) stream.Add(StrCat(id, "\n", digest, "\n"));
  return stream.Finish();
}

Status WriteResultDigests(const fs::path& results, const ResultDigests& digests) {
  return SaveJson(results / "results.json",
                  {{"format", "tensor-cts-results-1"}, {"cases", digests}});
}

StatusOr<ResultDigests> ReadResultDigests(const fs::path& results) {
  const fs::path path = results / "results.json";
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, "results"));
  ResultDigests digests;
  for (const auto& [id, digest] : json["cases"].items()) {
    if (!IsCaseId(id)) {
      return InvalidArgument(path.string(), ": /cases: found \"", id.substr(0, 100),
                             "\", expected the id of a case");
    }
    digests[id] = digest.get<std::string>();
  }
  return digests;
}

}  // namespace cts
