#include "tools/run/result_digests.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "reference/base/digest.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/suite.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// Name, length and bytes, in pieces: an output may be larger than memory.
Status AddFile(const fs::path& path, const std::atomic<bool>* stop, Sha256Stream* stream) {
  // Neither follows a link nor waits for a pipe: somebody may have put one there since it was
  // listed.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return Unavailable(path.string(), ": cannot be opened: ", std::strerror(errno));
  struct CloseAtEnd {
    int fd;
    ~CloseAtEnd() { close(fd); }
  } const close_at_end{fd};
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return Unavailable(path.string(), ": changed while it was read");
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  stream->Add(StrCat(path.filename().string(), "\n", size, "\n"));
  std::string bytes(std::clamp<uint64_t>(size, 1, 1 << 20), '\0');
  for (uint64_t left = size; left > 0;) {
    if (stop != nullptr && *stop) return absl::CancelledError("interrupted");
    const ssize_t got = read(fd, bytes.data(), std::min<uint64_t>(left, bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unavailable(path.string(), ": cannot be read: ", std::strerror(errno));
    if (got == 0) return Unavailable(path.string(), ": changed while it was read");
    stream->Add(std::string_view(bytes).substr(0, static_cast<size_t>(got)));
    left -= static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::string> ResultDigest(const fs::path& results, const std::string& id,
                                   const std::atomic<bool>* stop) {
  const fs::path directory = results / id;
  for (const fs::path& path : {directory.parent_path(), directory}) {
    CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(path));
    if (type != fs::file_type::directory) {
      return InvalidArgument(path.string(), ": expected a directory with results of ", id);
    }
  }
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    const bool regular = !it->is_symlink(error) && it->is_regular_file(error);
    if (error) break;
    if (!regular) {
      return InvalidArgument(it->path().string(), ": expected a regular file, as run leaves it");
    }
    names.push_back(std::move(name));
  }
  if (error) return Unavailable(directory.string(), ": cannot be read: ", error.message());
  std::sort(names.begin(), names.end());
  Sha256Stream stream;
  for (const std::string& name : names) {
    CTS_RETURN_IF_ERROR(AddFile(directory / name, stop, &stream));
  }
  return stream.Finish();
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
