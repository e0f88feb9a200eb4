#include "checker/evidence/evidence.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// Ours, made of the reference's own texts: the positive control.
bool IsEmbedded(const Report& report) {
  return report.run.name.starts_with("builtin:") || report.run.command.starts_with("builtin:");
}

std::string Shown(const std::string& path) { return Shortened(Printable(path), 300); }

StatusOr<std::string> DigestFile(const fs::path& path, const std::atomic<bool>* stop) {
  // Neither follows a link nor waits for a pipe: the file may have been replaced since it was
  // listed.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return Unavailable(path.string(), ": cannot be opened: ", std::strerror(errno));
  Sha256Stream stream;
  std::string buffer(1 << 16, '\0');
  ssize_t got = 0;
  // A file of any size: an interruption does not wait for its end.
  bool stopped = false;
  while (!stopped && (got = read(fd, buffer.data(), buffer.size())) != 0) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) break;
    stream.Add({buffer.data(), static_cast<size_t>(got)});
    stopped = stop != nullptr && *stop;
  }
  const int error = errno;
  close(fd);
  if (stopped) return absl::CancelledError("interrupted");
  if (got < 0) return Unavailable(path.string(), ": cannot be read: ", std::strerror(error));
  return stream.Finish();
}

Json Descriptor(const StatementParts& parts, const std::string& file, Json annotations) {
  const auto found = parts.digests.find(file);
  const std::string digest = found == parts.digests.end() ? "" : found->second;
  return {
      {"name", file}, {"digest", {{"sha256", digest}}}, {"annotations", std::move(annotations)}};
}

void Compare(const Json& found, const Json& expected, const std::string& pointer,
             std::vector<std::string>* differences) {
  const auto brief = [](const Json* json) {
    return json == nullptr ? "nothing" : Shortened(Printable(json->dump()), 120);
  };
  if (found == expected) return;
  if (found.is_object() && expected.is_object()) {
    std::set<std::string> names;
    for (const Json* side : {&found, &expected}) {
      for (const auto& [name, value] : side->items()) names.insert(name);
    }
    for (const std::string& name : names) {
      const std::string place = StrCat(pointer, "/", Printable(name));
      if (found.contains(name) && expected.contains(name)) {
        Compare(found[name], expected[name], place, differences);
      } else {
        differences->push_back(
            StrCat(place, ": found ", brief(found.contains(name) ? &found[name] : nullptr),
                   ", expected ", brief(expected.contains(name) ? &expected[name] : nullptr)));
      }
    }
    return;
  }
  if (found.is_array() && expected.is_array() && found.size() == expected.size()) {
    for (size_t i = 0; i < found.size(); ++i) {
      Compare(found[i], expected[i], StrCat(pointer, "/", i), differences);
    }
    return;
  }
  differences->push_back(StrCat(pointer.empty() ? "/" : pointer, ": found ", brief(&found),
                                ", expected ", brief(&expected)));
}

// How the results came about, where that is more than one run by certify: the words of the hosts
// that ran, and of the signer. An empty text is a fact that is not known.
void AddCourse(const RunInfo& run, Json* json) {
  const auto put = [](Json& to, const char* member, const std::string& text) {
    if (!text.empty()) to[member] = text;
  };
  if (!run.taken.empty()) (*json)["made_before"] = {{"taken", run.taken}};
  if (run.shards > 0) {
    Json& shards = (*json)["shards"] = {{"count", run.shards}};
    put(shards, "ended", run.shards_ended);
    if (run.shards_resumed > 0) shards["resumed"] = run.shards_resumed;
  } else if (!run.taken.empty() && run.parts.size() == 1) {
    put((*json)["made_before"], "ended", run.parts[0].ended);
  }
  if (run.parts.size() < 2) return;
  (*json)["resumed"] = run.parts.size() - 1;
  for (const RunPart& part : run.parts) {
    Json one = {{"began", part.began}, {"host", part.host}};
    put(one, "ended", part.ended);
    put(one, "last_result", part.last_result);
    (*json)["parts"].push_back(std::move(one));
  }
}

}  // namespace

StatusOr<std::vector<std::string>> ListFiles(const fs::path& root,
                                             std::vector<std::string>* faults) {
  std::vector<std::string> paths;
  std::vector<fs::path> directories = {root};
  while (!directories.empty()) {
    const fs::path directory = std::move(directories.back());
    directories.pop_back();
    std::error_code error;
    size_t entries = 0;
    for (fs::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
      ++entries;
      CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(it->path()));
      const std::string path = it->path().lexically_relative(root).generic_string();
      if (type == fs::file_type::directory) {
        directories.push_back(it->path());
      } else if (type != fs::file_type::regular) {
        faults->push_back(StrCat(Shown(path), ": found ",
                                 type == fs::file_type::symlink ? "a link" : "a special file",
                                 ", expected regular files and directories only"));
      } else {
        paths.push_back(path);
      }
    }
    if (error) return Unavailable(directory.string(), ": cannot be read: ", error.message());
    if (entries == 0) {
      faults->push_back(StrCat(Shown(directory.lexically_relative(root).generic_string()),
                               ": found an empty directory, expected files in it"));
    }
  }
  std::sort(faults->begin(), faults->end());
  std::sort(paths.begin(), paths.end());
  return paths;
}

StatusOr<FileDigests> DigestFiles(const fs::path& root, const std::vector<std::string>& paths,
                                  int jobs, const std::atomic<bool>* stop) {
  std::vector<std::string> digests(paths.size());
  CTS_RETURN_IF_ERROR(
      ParallelFor(paths.size(), {.jobs = jobs, .stop = stop}, [&](size_t i) -> Status {
        CTS_ASSIGN_OR_RETURN(digests[i], DigestFile(root / paths[i], stop));
        return absl::OkStatus();
      }));
  FileDigests files;
  for (size_t i = 0; i < paths.size(); ++i) files.emplace(paths[i], std::move(digests[i]));
  return files;
}

StatusOr<FileDigests> DigestFiles(const fs::path& root, int jobs, std::vector<std::string>* faults,
                                  const std::atomic<bool>* stop) {
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, ListFiles(root, faults));
  return DigestFiles(root, paths, jobs, stop);
}

std::string FormatSums(const FileDigests& digests) {
  std::string text;
  for (const auto& [path, digest] : digests) text += StrCat(digest, "  ", path, "\n");
  return text;
}

std::vector<std::string> Unlisted(std::string_view sums, const std::vector<std::string>& paths) {
  constexpr size_t kPath = 64 + 2;
  std::set<std::string_view> listed;
  while (!sums.empty()) {
    const std::string_view text = sums.substr(0, sums.find('\n'));
    sums.remove_prefix(std::min(text.size() + 1, sums.size()));
    if (text.size() > kPath) listed.insert(text.substr(kPath));
  }
  std::vector<std::string> faults;
  for (const std::string& path : paths) {
    if (!listed.contains(path)) faults.push_back(StrCat(Shown(path), ": is not in ", kSumsFile));
  }
  return faults;
}

std::vector<std::string> CompareWithSums(std::string_view sums, FileDigests files) {
  constexpr size_t kDigest = 64;
  std::vector<std::string> faults;
  size_t line = 0;
  while (!sums.empty()) {
    ++line;
    const size_t end = std::min(sums.find('\n'), sums.size());
    const std::string_view text = sums.substr(0, end);
    sums.remove_prefix(std::min(end + 1, sums.size()));
    if (text.size() < kDigest + 3 || text.substr(kDigest, 2) != "  ") {
      faults.push_back(StrCat(kSumsFile, ": line ", line, ": found ", Shown(std::string(text)),
                              ", expected a digest, two spaces, a path"));
      continue;
    }
    const std::string path(text.substr(kDigest + 2));
    const auto found = files.find(path);
    if (found == files.end()) {
      faults.push_back(StrCat(Shown(path), ": is missing"));
      continue;
    }
    if (found->second != text.substr(0, kDigest)) {
      faults.push_back(StrCat(Shown(path), ": was changed: found the digest ", found->second,
                              ", expected ", Shown(std::string(text.substr(0, kDigest))), " as in ",
                              kSumsFile));
    }
    files.erase(found);
  }
  for (const auto& [path, digest] : files) {
    faults.push_back(StrCat(Shown(path), ": is not in ", kSumsFile));
  }
  return faults;
}

StatusOr<FileSizes> SizesOf(const fs::path& root, const std::vector<std::string>& paths) {
  FileSizes sizes;
  for (const std::string& path : paths) {
    struct stat info {};
    if (lstat((root / path).c_str(), &info) != 0) {
      return Unavailable((root / path).string(), ": cannot be read: ", std::strerror(errno));
    }
    sizes.emplace(path, static_cast<uint64_t>(info.st_size));
  }
  return sizes;
}

std::string FormatSizes(const FileSizes& sizes) {
  std::string text;
  for (const auto& [path, size] : sizes) text += StrCat(size, "  ", path, "\n");
  return text;
}

std::vector<std::string> CompareWithSizes(std::string_view list, FileSizes files) {
  std::vector<std::string> faults;
  for (size_t line = 1; !list.empty(); ++line) {
    const std::string_view text = list.substr(0, list.find('\n'));
    list.remove_prefix(std::min(text.size() + 1, list.size()));
    const size_t end = text.find("  ");
    uint64_t size = 0;
    const auto [behind, error] =
        std::from_chars(text.data(), text.data() + std::min(end, text.size()), size);
    if (end == std::string_view::npos || error != std::errc() || behind != text.data() + end) {
      faults.push_back(StrCat(kSizesFile, ": line ", line, ": found ", Shown(std::string(text)),
                              ", expected a number of bytes, two spaces, a path"));
      continue;
    }
    const std::string path(text.substr(end + 2));
    const auto found = files.find(path);
    if (found == files.end()) {
      faults.push_back(StrCat(Shown(path), ": is missing"));
      continue;
    }
    if (found->second != size) {
      faults.push_back(StrCat(Shown(path), ": was changed: found ", found->second,
                              " bytes, expected ", size, " as in ", kSizesFile, "; not read"));
    }
    files.erase(found);
  }
  for (const auto& [path, size] : files) {
    faults.push_back(StrCat(Shown(path), ": is not in ", kSizesFile));
  }
  return faults;
}

uint64_t MostBytesOf(std::string_view path) {
  constexpr uint64_t kMebi = uint64_t{1} << 20;
  if (path == kClaimFile || path == kAnswersFile) return kMebi;
  if (path == "results/run.json") return 16 * kMebi;
  // Lists with a line or an entry for each of a hundred thousand files.
  if (path == kSumsFile || path == kSizesFile || path == "suite/suite.json" ||
      path == "results/results.json") {
    return 64 * kMebi;
  }
  if (path.ends_with(".tar")) return 4096 * kMebi;
  return 1024 * kMebi;
}

std::vector<std::string> TooLarge(const FileSizes& files) {
  std::vector<std::string> faults;
  for (const auto& [path, size] : files) {
    const uint64_t most = MostBytesOf(path);
    if (size <= most) continue;
    faults.push_back(StrCat(Shown(path), ": found ", size, " bytes, expected at most ", most,
                            " of a file of its kind; not read"));
  }
  return faults;
}

std::string_view ResultOf(const Report& report) {
  if (!Conformant(report)) return "FAILED";
  return IsEmbedded(report) ? "WARNED" : "PASSED";
}

Json MakeStatement(const StatementParts& parts) {
  const Report& report = parts.report;
  Json totals = Json::object();
  const VerdictCounts counts = CountVerdicts(report);
  for (int i = 0; i < kVerdictCount; ++i) {
    totals[std::string(Name(static_cast<Verdict>(i)))] = counts[static_cast<size_t>(i)];
  }
  Json passed = Json::array(), disputed = Json::array(), failed = Json::array();
  for (const CaseReport& c : report.cases) {
    const Standing standing = StandingOf(c);
    (standing == Standing::kRight      ? passed
     : standing == Standing::kDisputed ? disputed
                                       : failed)
        .push_back(c.id);
  }
  Json waived = Json::array();
  for (const Finding& finding : report.findings) {
    (finding.waived ? waived : failed).push_back(StrCat("finding/", finding.kind));
  }
  const Json claim = {{"name", kClaimFile},
                      {"digest", {{"sha256", parts.digests.at(std::string(kClaimFile))}}},
                      {"annotations", ClaimToJson(parts.claim)}};
  const Json evidence = {{"name", kSumsFile},
                         {"digest", {{"sha256", Sha256(parts.sums)}}},
                         {"annotations",
                          {{"conformant", Conformant(report)},
                           {"positive_control", IsEmbedded(report)},
                           {"cases", report.cases.size()},
                           {"totals", std::move(totals)},
                           {"elements", ElementsToJson(report)},
                           {"findings", report.findings.size()},
                           {"waived", std::move(waived)},
                           {"choices", ChoiceLines(report)}}}};
  Json subject = Json::array({claim, evidence});
  if (parts.sizes) {
    subject.push_back({{"name", kSizesFile},
                       {"digest", {{"sha256", Sha256(*parts.sizes)}}},
                       {"annotations", {{"format", kEvidenceFormat}}}});
  }
  Json run = {{"implementation", report.run.name}, {"version", report.run.version},
              {"command", report.run.command},     {"host", report.run.host},
              {"started", report.run.started},     {"seconds", DoubleToJson(report.run.seconds)},
              {"commit", report.run.commit}};
  if (!report.run.code.empty()) run["code"] = report.run.code;
  if (report.run.announced_code) run["announced_code"] = *report.run.announced_code;
  if (report.run.under_load) run["under_load"] = true;
  AddCourse(report.run, &run);
  Json configuration = Json::array(
      {Descriptor(
           parts, "suite/suite.json",
           {{"edition", report.suite.edition},
            {"level", report.suite.level},
            {"generator", Printable(report.suite.generator)},
            {"digest", report.suite.digest},
            {"recipe", report.suite.recipe.empty() ? Json() : Json::parse(report.suite.recipe)}}),
       Descriptor(parts, "results/run.json", std::move(run))});
  if (!parts.lock.name.empty()) {
    configuration.push_back({{"name", parts.lock.name},
                             {"digest", {{"sha256", parts.lock.digest}}},
                             {"annotations", {{"suite", parts.lock.suite}}}});
  }
  if (parts.blind) {
    configuration.push_back(
        Descriptor(parts, std::string(kAnswersFile),
                   {{"blind", parts.blind->digest}, {"seed", parts.blind->seed}}));
  }
  configuration.push_back({{"name", kBuildName},
                           {"digest", {{"sha256", parts.build["checker"]}}},
                           {"annotations", parts.build}});
  Json predicate = {{"result", ResultOf(report)},
                    {"configuration", std::move(configuration)},
                    {"passedTests", std::move(passed)},
                    {"failedTests", std::move(failed)}};
  if (!disputed.empty()) predicate["warnedTests"] = std::move(disputed);
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", std::move(subject)},
          {"predicateType", "https://in-toto.io/attestation/test-result/v0.1"},
          {"predicate", std::move(predicate)}};
}

std::vector<std::string> Differences(const Json& found, const Json& expected) {
  std::vector<std::string> differences;
  Compare(found, expected, "", &differences);
  return differences;
}

}  // namespace cts
