#include "tools/run/run_record.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <system_error>
#include <thread>

#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/bundle/suite.h"

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX leaves it to us, glibc has it too.
extern char** environ;

namespace cts {
namespace {

namespace fs = std::filesystem;

// The value behind the first line that begins with `key`; empty if there is none.
std::string ValueOf(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    line.erase(0, line.find_first_not_of(" \t:=\"", key.size()));
    line.erase(line.find_last_not_of(" \t\"") + 1);
    return line;
  }
  return "";
}

// The words of a command line, as far as /bin/sh would find them without expanding anything.
std::vector<std::string> WordsOf(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool any = false;  // an empty word in quotes is one, too
  char quote = 0;
  for (size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && std::strchr(" \t\n;&|<>()", c) != nullptr) {
      if (any) words.push_back(std::exchange(word, {}));
      any = false;
      continue;
    }
    any = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
    } else {
      word += c;
    }
  }
  if (any) words.push_back(word);
  return words;
}

bool IsRegularFile(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

// As the shell looks for a program; empty if there is none.
std::string FindProgram(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view directory = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), directory.size() + 1));
    const fs::path found = fs::path(directory.empty() ? "." : directory) / word;
    if (access(found.c_str(), X_OK) == 0 && IsRegularFile(found)) return found.string();
  }
  return "";
}

bool IsAssignment(const std::string& word) {
  const size_t end = word.find('=');
  return end != std::string::npos && end > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<ptrdiff_t>(end),
                     [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; });
}

// By its name: what a script's interpreter may load. No .json, which reports are as well.
bool IsCode(const fs::path& path) {
  constexpr std::string_view kSuffixes[] = {".py",  ".js", ".mjs", ".cjs", ".sh",
                                            ".lua", ".pl", ".rb",  ".so",  ".pipeline"};
  const std::string suffix = path.extension().string();
  return std::find(std::begin(kSuffixes), std::end(kSuffixes), suffix) != std::end(kSuffixes) &&
         !path.filename().string().starts_with('.');
}

// The code in a folder and in the Python packages in it, in order of the names.
Status AddCode(const fs::path& folder, std::vector<std::string>* paths) {
  std::vector<fs::path> entries;
  std::error_code error, ignored;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  if (error) return Unavailable(folder.string(), ": cannot be read: ", error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    if (IsCode(entry) && IsRegularFile(entry)) {
      paths->push_back(entry.string());
    } else if (!fs::is_symlink(entry, ignored) && IsRegularFile(entry / "__init__.py")) {
      CTS_RETURN_IF_ERROR(AddCode(entry, paths));
    }
  }
  return absl::OkStatus();
}

// In pieces: a model may be larger than memory.
StatusOr<std::string> Sha256OfFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256Stream stream;
  std::string bytes(1 << 20, '\0');
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), file.gcount() > 0) {
    stream.Add(std::string_view(bytes).substr(0, static_cast<size_t>(file.gcount())));
  }
  if (!file.eof()) return Unavailable(path.string(), ": a file of the adapter that cannot be read");
  return stream.Finish();
}

// Name, length and bytes, in pieces: an output may be larger than memory.
Status AddFile(const fs::path& path, Sha256Stream* stream) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return Unavailable(path.string(), ": cannot be read");
  stream->Add(StrCat(path.filename().string(), "\n", size, "\n"));
  std::string bytes(std::clamp<uintmax_t>(size, 1, 1 << 20), '\0');
  for (uintmax_t left = size; left > 0;) {
    const auto piece = static_cast<std::streamsize>(std::min<uintmax_t>(left, bytes.size()));
    if (!file.read(bytes.data(), piece)) {
      return Unavailable(path.string(), ": changed while it was read");
    }
    stream->Add(std::string_view(bytes).substr(0, static_cast<size_t>(piece)));
    left -= static_cast<uintmax_t>(piece);
  }
  return absl::OkStatus();
}

}  // namespace

std::string HostName() {
  utsname name;
  if (uname(&name) != 0) return "unknown";
  return StrCat(name.nodename, ": ", name.sysname, " ", name.release, " ", name.machine);
}

Json Machine() {
  std::string cpu = ValueOf("/proc/cpuinfo", "model name");
  if (cpu.empty()) cpu = ValueOf("/proc/device-tree/model", "");  // as Arm boards have it
  std::string os = ValueOf("/etc/os-release", "PRETTY_NAME");
  const auto pages = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  return {{"cpu", cpu.empty() ? "unknown" : cpu},
          {"cores", std::max(1u, std::thread::hardware_concurrency())},
          {"memory_mb", std::max<int64_t>(0, (pages * page) >> 20)},
          {"os", os.empty() ? "unknown" : os}};
}

Json Environment() {
  constexpr std::string_view kPrefixes[] = {"OMP_",      "KMP_",    "GOMP_", "MKL_",
                                            "OPENBLAS_", "ONEDNN_", "DNNL_", "CUDA_"};
  constexpr std::string_view kNames[] = {"LD_LIBRARY_PATH",
                                         "LD_PRELOAD",
                                         "PYTHONPATH",
                                         "PYTHONHASHSEED",
                                         "XLA_FLAGS",
                                         "TF_XLA_FLAGS",
                                         "TF_ENABLE_ONEDNN_OPTS",
                                         "NVIDIA_VISIBLE_DEVICES",
                                         "NVIDIA_TF32_OVERRIDE",
                                         "HIP_VISIBLE_DEVICES",
                                         "ROCR_VISIBLE_DEVICES"};
  Json variables = Json::object();
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view text = *at;
    const size_t end = text.find('=');
    if (end == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, end);
    const bool known =
        std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
        std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                    [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (known) variables[std::string(name)] = std::string(text.substr(end + 1));
  }
  return variables;
}

StatusOr<Json> AdapterFiles(const std::string& command) {
  std::vector<std::string> paths;
  bool program = true;  // the next word names what is started
  for (const std::string& word : WordsOf(command)) {
    std::string path = word;
    if (program && !IsAssignment(word)) {
      program = false;
      path = FindProgram(word);
    } else if (const size_t equals = word.find('='); equals != word.npos && !IsRegularFile(word)) {
      path = word.substr(equals + 1);
    }
    if (!path.empty() && IsRegularFile(path) &&
        std::find(paths.begin(), paths.end(), path) == paths.end()) {
      paths.push_back(path);
    }
  }
  for (size_t i = 0, named = paths.size(); i < named; ++i) {
    if (!IsCode(paths[i])) continue;
    const fs::path folder = fs::path(paths[i]).parent_path();
    std::vector<std::string> beside;
    CTS_RETURN_IF_ERROR(AddCode(folder.empty() ? "." : folder, &beside));
    for (const std::string& path : beside) {
      const auto same = [&](const std::string& known) {
        std::error_code ignored;
        return fs::equivalent(known, path, ignored);
      };
      if (std::none_of(paths.begin(), paths.end(), same)) paths.push_back(path);
    }
  }
  Json files = Json::array();
  for (const std::string& path : paths) {
    CTS_ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(path));
    files.push_back({{"path", path}, {"sha256", digest}});
  }
  return files;
}

std::string ChangedFile(const Json& before, const Json& now) {
  const auto other = [](const Json& files, const Json& than) -> std::string {
    for (const Json& file : files) {
      if (std::find(than.begin(), than.end(), file) == than.end()) return file["path"];
    }
    return "";
  };
  const std::string changed = other(before, now);
  return changed.empty() ? other(now, before) : changed;
}

StatusOr<Json> PluginFile(const fs::path& library) {
  CTS_ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(library));
  return Json::array({{{"path", library.string()}, {"sha256", digest}}});
}

StatusOr<std::string> ResultDigest(const fs::path& results, const std::string& id) {
  const fs::path directory = results / id;
  std::error_code error;
  for (const fs::path& path : {directory.parent_path(), directory}) {
    if (!fs::is_directory(fs::symlink_status(path, error))) {
      return InvalidArgument(path.string(), ": expected a directory with results of ", id);
    }
  }
  std::vector<std::string> names;
  for (fs::directory_iterator it(directory, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    if (it->is_symlink(error) || !it->is_regular_file(error)) {
      return InvalidArgument(it->path().string(), ": expected a regular file, as run leaves it");
    }
    names.push_back(std::move(name));
  }
  if (error) return Unavailable(directory.string(), ": cannot be read: ", error.message());
  std::sort(names.begin(), names.end());
  Sha256Stream stream;
  for (const std::string& name : names) {
    CTS_RETURN_IF_ERROR(AddFile(directory / name, &stream));
  }
  return stream.Finish();
}

StatusOr<ResultDigests> DigestResults(const fs::path& results, const std::vector<std::string>& ids,
                                      int jobs, const std::function<bool()>& stop) {
  std::atomic<size_t> next{0};
  std::mutex mutex;
  ResultDigests digests;
  Status failure;
  const auto work = [&] {
    for (size_t i = next++; i < ids.size() && !stop(); i = next++) {
      StatusOr<std::string> digest = ResultDigest(results, ids[i]);
      const std::lock_guard<std::mutex> lock(mutex);
      if (!digest.ok()) {
        if (failure.ok()) failure = digest.status();
        return;
      }
      digests[ids[i]] = *std::move(digest);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  CTS_RETURN_IF_ERROR(failure);
  return digests;
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
