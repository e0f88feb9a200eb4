#include "tools/program/run/surroundings.h"

#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/digest.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "tools/program/run/signals.h"

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

// Whether a regular file is there. A file in a folder that is closed to us does not count: the
// adapter, which has our rights, could not load it.
StatusOr<bool> IsOpenFile(const fs::path& path) {
  StatusOr<bool> file = IsRegularFile(path);
  return absl::IsPermissionDenied(file.status()) ? StatusOr<bool>(false) : file;
}

// As the shell looks for a program; empty if there is none.
StatusOr<std::string> FindProgram(const std::string& word) {
  if (word.find('/') != std::string::npos) return word;
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::string_view directory = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), directory.size() + 1));
    const fs::path found = fs::path(directory.empty() ? "." : directory) / word;
    if (access(found.c_str(), X_OK) != 0) continue;
    CTS_ASSIGN_OR_RETURN(const bool file, IsOpenFile(found));
    if (file) return found.string();
  }
  return std::string();
}

bool IsAssignment(const std::string& word) {
  const size_t end = word.find('=');
  return end != std::string::npos && end > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<ptrdiff_t>(end),
                     [](unsigned char c) { return c == '_' || std::isalnum(c) != 0; });
}

// Decides by the name: the files that a script's interpreter may load. Not .json, since reports are
// .json as well.
bool IsCode(const fs::path& path) {
  constexpr std::string_view kSuffixes[] = {".py",  ".js", ".mjs", ".cjs", ".sh",
                                            ".lua", ".pl", ".rb",  ".so",  ".pipeline"};
  const std::string suffix = path.extension().string();
  return Contains(kSuffixes, suffix) && !path.filename().string().starts_with('.');
}

// The code in a folder and in the Python packages in it, in order of the names.
Status AddCode(const fs::path& folder, std::vector<std::string>* paths) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    entries.push_back(it->path());
  }
  if (error) return Unavailable(folder.string(), ": cannot be read: ", error.message());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    CTS_ASSIGN_OR_RETURN(const bool file, IsOpenFile(entry));
    if (IsCode(entry) && file) {
      paths->push_back(entry.string());
      continue;
    }
    CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(entry));
    if (type == fs::file_type::directory) {
      CTS_ASSIGN_OR_RETURN(const bool package, IsOpenFile(entry / "__init__.py"));
      if (package) CTS_RETURN_IF_ERROR(AddCode(entry, paths));
    }
  }
  return absl::OkStatus();
}

// Adds those that are not among `paths` yet, under whatever name.
Status AddNew(const std::vector<std::string>& more, std::vector<std::string>* paths) {
  std::set<std::pair<dev_t, ino_t>> known;
  const auto is_new = [&](const std::string& path) -> StatusOr<bool> {
    struct stat info {};
    if (stat(path.c_str(), &info) == 0) return known.emplace(info.st_dev, info.st_ino).second;
    return Unavailable(path, ": cannot be examined: ", std::strerror(errno));
  };
  for (const std::string& path : *paths) CTS_RETURN_IF_ERROR(is_new(path).status());
  for (const std::string& path : more) {
    CTS_ASSIGN_OR_RETURN(const bool add, is_new(path));
    if (add) paths->push_back(path);
  }
  return absl::OkStatus();
}

// Adds the code beside the scripts among `paths`.
Status AddCodeBeside(std::vector<std::string>* paths) {
  for (size_t i = 0, named = paths->size(); i < named; ++i) {
    if (!IsCode((*paths)[i])) continue;
    const fs::path folder = fs::path((*paths)[i]).parent_path();
    std::vector<std::string> beside;
    CTS_RETURN_IF_ERROR(AddCode(folder.empty() ? "." : folder, &beside));
    const fs::path shared = (folder.empty() ? ".." : folder / "..") / "common";
    CTS_ASSIGN_OR_RETURN(const bool shares, IsOpenFile(shared / "__init__.py"));
    if (shares) CTS_RETURN_IF_ERROR(AddCode(shared, &beside));
    CTS_RETURN_IF_ERROR(AddNew(beside, paths));
  }
  return absl::OkStatus();
}

// Adds the files that `code` names, and the code in the folders that it names.
Status AddNamedCode(const std::vector<std::string>& code, std::vector<std::string>* paths) {
  for (const std::string& name : code) {
    std::vector<std::string> found;
    std::error_code error;
    if (fs::is_directory(name, error)) {
      CTS_RETURN_IF_ERROR(AddCode(name, &found));
    } else {
      CTS_ASSIGN_OR_RETURN(const bool file, IsOpenFile(name));
      if (file) found.push_back(name);
    }
    if (found.empty()) {
      return InvalidArgument("--code: found ", error ? error.message() : "no code", " at ", name,
                             ", expected a file of the adapter, or a folder with code in it");
    }
    CTS_RETURN_IF_ERROR(AddNew(found, paths));
  }
  return absl::OkStatus();
}

// In pieces: a model may be larger than memory. kCancelled if the run is interrupted.
StatusOr<std::string> Sha256OfFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Sha256Stream stream;
  std::string bytes(1 << 20, '\0');
  while (file.read(bytes.data(), static_cast<std::streamsize>(bytes.size())), file.gcount() > 0) {
    if (Interrupted()) return absl::CancelledError("run: interrupted before the first case ran");
    stream.Add(std::string_view(bytes).substr(0, static_cast<size_t>(file.gcount())));
  }
  if (!file.eof()) return Unavailable(path.string(), ": a file of the adapter that cannot be read");
  return stream.Finish();
}

// The program that a command line starts, and every path among its words; there may be nothing.
StatusOr<std::vector<std::string>> PathsOfCommand(const std::string& command) {
  std::vector<std::string> paths;
  bool program = true;  // the next word names what is started
  for (const std::string& word : WordsOf(command)) {
    std::string path = word;
    if (program && !IsAssignment(word)) {
      program = false;
      CTS_ASSIGN_OR_RETURN(path, FindProgram(word));
      paths.push_back(path);
      continue;
    }
    // What is behind a "=", and FILE.py of "FILE.py:FUNCTION", unless the whole is a file.
    paths.push_back(word);
    CTS_ASSIGN_OR_RETURN(const bool whole, IsOpenFile(word));
    if (whole) continue;
    if (const size_t equals = word.find('='); equals != word.npos) {
      path = word.substr(equals + 1);
      paths.push_back(path);
    }
    if (const size_t colon = path.rfind(".py:"); colon != path.npos) {
      paths.push_back(path.substr(0, colon + 3));
    }
  }
  return paths;
}

// The paths of PathsOfCommand that are files.
StatusOr<std::vector<std::string>> FilesOfCommand(const std::string& command) {
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> paths, PathsOfCommand(command));
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (path.empty() || Contains(files, path)) continue;
    CTS_ASSIGN_OR_RETURN(const bool file, IsOpenFile(path));
    if (file) files.push_back(path);
  }
  return files;
}

StatusOr<std::vector<AdapterFile>> WithDigests(const std::vector<std::string>& paths) {
  std::vector<AdapterFile> files;
  for (const std::string& path : paths) {
    CTS_ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(path));
    files.push_back({AsRecorded(path), digest});
  }
  return files;
}

}  // namespace

std::string UtcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string HostName() {
  utsname name;
  if (uname(&name) != 0) return "unknown";
  return StrCat(name.nodename, ": ", name.sysname, " ", name.release, " ", name.machine);
}

Machine ThisMachine() {
  std::string cpu = ValueOf("/proc/cpuinfo", "model name");
  if (cpu.empty()) cpu = ValueOf("/proc/device-tree/model", "");  // as Arm boards have it
  std::string os = ValueOf("/etc/os-release", "PRETTY_NAME");
  const auto pages = static_cast<int64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<int64_t>(sysconf(_SC_PAGESIZE));
  return {.cpu = cpu.empty() ? "unknown" : cpu,
          .os = os.empty() ? "unknown" : os,
          .cores = JobsOrCores(0),
          .memory_mb = std::max<int64_t>(0, (pages * page) >> 20)};
}

std::string AsRecorded(const std::string& text) {
  return Json::parse(FormatJson(Json(text))).get<std::string>();
}

EnvironmentVariables KnownVariables() {
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
  EnvironmentVariables variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) {
    const std::string_view text = *at;
    const size_t end = text.find('=');
    if (end == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, end);
    const bool known =
        Contains(kNames, name) ||
        std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                    [&](std::string_view prefix) { return name.starts_with(prefix); });
    if (known) variables[std::string(name)] = std::string(text.substr(end + 1));
  }
  return variables;
}

StatusOr<std::vector<AdapterFile>> AdapterFiles(const std::string& command,
                                                const std::vector<std::string>& code) {
  CTS_ASSIGN_OR_RETURN(std::vector<std::string> paths, FilesOfCommand(command));
  if (code.empty()) {
    CTS_RETURN_IF_ERROR(AddCodeBeside(&paths));
  } else {
    CTS_RETURN_IF_ERROR(AddNamedCode(code, &paths));
  }
  return WithDigests(paths);
}

StatusOr<std::vector<AdapterFile>> AnnouncedFiles(const std::string& command,
                                                  const std::vector<std::string>& announced) {
  CTS_ASSIGN_OR_RETURN(std::vector<std::string> paths, FilesOfCommand(command));
  for (const std::string& path : announced) {
    CTS_ASSIGN_OR_RETURN(const bool file, IsOpenFile(path));
    if (file && !Contains(paths, path)) paths.push_back(path);
  }
  return WithDigests(paths);
}

StatusOr<std::vector<AdapterFile>> Narrowed(const std::vector<AdapterFile>& beginning,
                                            std::chrono::system_clock::time_point since,
                                            const std::string& command,
                                            const std::vector<std::string>& announced) {
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> words, PathsOfCommand(command));
  std::vector<AdapterFile> files;
  std::set<std::string> known;
  for (const AdapterFile& file : beginning) {
    const bool named = std::any_of(words.begin(), words.end(), [&](const std::string& word) {
      return AsRecorded(word) == file.path;
    });
    if (named && known.insert(file.path).second) files.push_back(file);
  }
  for (const std::string& path : announced) {
    struct stat info {};
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      return InvalidArgument("the worker's announcement: code: found no file at ", Printable(path),
                             ", expected one of this machine; an adapter whose ",
                             "code lies elsewhere announces none, or --code names what counts");
    }
    const auto file =
        std::find_if(beginning.begin(), beginning.end(), [&](const AdapterFile& each) {
          struct stat other {};
          return each.path == path || (stat(each.path.c_str(), &other) == 0 &&
                                       other.st_dev == info.st_dev && other.st_ino == info.st_ino);
        });
    if (file != beginning.end()) {
      if (known.insert(path).second) files.push_back({path, file->sha256});
      continue;
    }
    const auto changed =
        std::chrono::seconds(info.st_ctim.tv_sec) + std::chrono::nanoseconds(info.st_ctim.tv_nsec);
    if (changed >= since.time_since_epoch()) {
      return InvalidArgument(
          Printable(path), ": a file of the adapter, as a worker announced, written ",
          "since the run began: it is unknown which contents were loaded; run again");
    }
    CTS_ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(path));
    if (known.insert(path).second) files.push_back({path, digest});
  }
  return files;
}

std::string ChangedFile(const std::vector<AdapterFile>& before,
                        const std::vector<AdapterFile>& now) {
  const auto other = [](const std::vector<AdapterFile>& files,
                        const std::vector<AdapterFile>& than) -> std::string {
    for (const AdapterFile& file : files) {
      if (!Contains(than, file)) return file.path;
    }
    return "";
  };
  const std::string changed = other(before, now);
  return changed.empty() ? other(now, before) : changed;
}

StatusOr<std::vector<AdapterFile>> PluginFile(const fs::path& library) {
  CTS_ASSIGN_OR_RETURN(const std::string digest, Sha256OfFile(library));
  return std::vector<AdapterFile>{{AsRecorded(library.string()), digest}};
}

}  // namespace cts
