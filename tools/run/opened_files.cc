#include "tools/run/opened_files.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "reference/base/contains.h"
#include "tools/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

std::string Normal(const fs::path& path) { return path.lexically_normal().string(); }

bool IsIn(const std::optional<std::set<std::string>>& opened, const AdapterFile& file) {
  return !opened || opened->contains(Normal(file.path));
}

const AdapterFile* Find(const std::vector<AdapterFile>& files, const std::string& path) {
  const auto at = std::find_if(files.begin(), files.end(),
                               [&](const AdapterFile& file) { return file.path == path; });
  return at == files.end() ? nullptr : &*at;
}

}  // namespace

std::unique_ptr<OpenedFiles> OpenedFiles::Watch(const std::vector<AdapterFile>& files) {
  // Python's compiled files would lie elsewhere.
  if (std::getenv("PYTHONPYCACHEPREFIX") != nullptr) return nullptr;
  const int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (fd < 0) return nullptr;
  std::unique_ptr<OpenedFiles> watch(new OpenedFiles(fd));
  watch->stop_ = eventfd(0, EFD_CLOEXEC);
  if (watch->stop_ < 0) return nullptr;
  std::set<std::string> folders;
  for (const AdapterFile& file : files) {
    if (file.named && !IsCode(file.path)) continue;
    if (file.named) watch->named_.insert(Normal(file.path));
    folders.insert(Normal(fs::path(".") / fs::path(file.path).parent_path()));
  }
  if (watch->named_.empty()) return nullptr;
  for (const std::string& folder : folders) {
    const int at = inotify_add_watch(fd, folder.c_str(), IN_OPEN | IN_ONLYDIR);
    if (at < 0 || watch->folders_.contains(at)) return nullptr;
    watch->folders_[at] = folder;
    const fs::path cache = fs::path(folder) / "__pycache__";
    const int compiled = inotify_add_watch(fd, cache.c_str(), IN_OPEN | IN_ONLYDIR);
    if (compiled < 0) continue;  // Whatever is compiled anew was opened as a source.
    watch->folders_[compiled] = folder;
    watch->caches_.insert(compiled);
  }
  watch->thread_ = std::thread([at = watch.get()] { at->Collect(); });
  return watch;
}

OpenedFiles::~OpenedFiles() {
  Stop();
  if (stop_ >= 0) close(stop_);
  close(watch_);
}

void OpenedFiles::Take(const char* events, size_t bytes) {
  for (size_t at = 0; at + sizeof(inotify_event) <= bytes;) {
    const auto* const event = reinterpret_cast<const inotify_event*>(events + at);
    at += sizeof(inotify_event) + event->len;
    if ((event->mask & (IN_Q_OVERFLOW | IN_UNMOUNT)) != 0) overflow_ = true;
    const auto folder = folders_.find(event->wd);
    if (folder == folders_.end() || event->len == 0) continue;
    std::string name = event->name;
    // "worker.cpython-311.pyc" was made of "worker.py".
    if (caches_.contains(event->wd)) name = name.substr(0, name.find('.')) + ".py";
    opened_.insert(Normal(folder->second / name));
  }
}

void OpenedFiles::Collect() {
  alignas(inotify_event) char events[1 << 16];
  pollfd fds[] = {{watch_, POLLIN, 0}, {stop_, POLLIN, 0}};
  for (bool last = false; !last;) {
    if (poll(fds, 2, -1) < 0 && errno != EINTR) {
      overflow_ = true;
      return;
    }
    // Everything that happened before the watch ends is there already.
    last = (fds[1].revents & POLLIN) != 0;
    for (ssize_t size; (size = read(watch_, events, sizeof events)) > 0;) {
      Take(events, static_cast<size_t>(size));
    }
  }
}

std::optional<std::set<std::string>> OpenedFiles::Stop() {
  if (thread_.joinable()) {
    const uint64_t one = 1;
    while (write(stop_, &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_.join();
  }
  const bool seen = std::any_of(named_.begin(), named_.end(), [this](const std::string& script) {
    return opened_.contains(script);
  });
  if (overflow_ || !seen) return std::nullopt;
  return opened_;
}

void SettleFiles(const std::optional<std::set<std::string>>& opened,
                 const std::optional<RunRecord>& before, RunRecord* run) {
  if (!run->adapter_files) return;
  for (AdapterFile& file : *run->adapter_files) {
    std::error_code error;
    file.loaded = file.named || IsIn(opened, file) ||
                  // The target of a link is opened elsewhere.
                  fs::is_symlink(fs::symlink_status(file.path, error));
    if (!before || !before->adapter_files) continue;
    const AdapterFile* const then = Find(*before->adapter_files, file.path);
    file.loaded = file.loaded || (then != nullptr && *then == file && then->loaded);
  }
  run->adapter_observed = opened && (!before || before->adapter_observed);
}

std::string ChangedWhileItRan(const std::optional<std::set<std::string>>& opened,
                              const std::optional<RunRecord>& before, const RunRecord& run,
                              const std::vector<AdapterFile>& now) {
  for (const AdapterFile& file : *run.adapter_files) {
    if (!file.loaded) continue;
    const AdapterFile* const there = Find(now, file.path);
    if (there == nullptr || !(*there == file)) return file.path;
    if (before && before->adapter_files && IsIn(opened, file) &&
        Find(*before->adapter_files, file.path) == nullptr) {
      return file.path;
    }
  }
  for (const AdapterFile& file : now) {
    if (Find(*run.adapter_files, file.path) == nullptr && IsIn(opened, file)) return file.path;
  }
  return "";
}

std::string ChangedSince(const RunRecord& before, const std::vector<AdapterFile>& now) {
  const std::vector<AdapterFile> then = before.adapter_files.value_or(now);
  if (!before.adapter_observed) return ChangedFile(then, now);
  for (const AdapterFile& file : then) {
    if (file.loaded && !Contains(now, file)) return file.path;
  }
  return "";
}

}  // namespace cts
