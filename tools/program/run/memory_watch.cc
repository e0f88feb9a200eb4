#include "tools/program/run/memory_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "reference/base/status.h"

namespace cts {
namespace {

using std::chrono::milliseconds;

// A file of /proc, or the beginning of it; empty if there is none.
std::string ReadProc(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  char bytes[4096];
  const ssize_t got = read(fd, bytes, sizeof(bytes));
  close(fd);
  return got > 0 ? std::string(bytes, static_cast<size_t>(got)) : "";
}

struct Member {
  pid_t pid = 0;
  pid_t group = 0;
  uint64_t resident = 0;  // bytes, shared ones included
};

// Every process that there is.
std::vector<Member> Processes() {
  static const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  std::vector<Member> members;
  DIR* const directory = opendir("/proc");
  if (directory == nullptr) return members;
  while (const dirent* const entry = readdir(directory)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    const std::string stat = ReadProc(StrCat("/proc/", pid, "/stat"));
    // proc(5): "pid (name) state ppid pgrp ..."; the name may hold anything; rss is field 24.
    const size_t name = stat.rfind(')');
    if (name == std::string::npos) continue;
    const char* at = stat.c_str() + name + 1;
    std::vector<const char*> fields;
    while ((at = std::strchr(at, ' ')) != nullptr) fields.push_back(++at);
    if (fields.size() < 22) continue;
    members.push_back({pid, std::atoi(fields[2]), std::strtoull(fields[21], nullptr, 10) * page});
  }
  closedir(directory);
  return members;
}

// Bytes of a process. A page that several processes hold counts for each in proportion. If that is
// not known: the resident bytes.
uint64_t ProportionalSize(const Member& member) {
  const std::string text = ReadProc(StrCat("/proc/", member.pid, "/smaps_rollup"));
  const size_t at = text.find("\nPss:");
  if (at == std::string::npos) return member.resident;
  return std::strtoull(text.c_str() + at + 5, nullptr, 10) << 10;
}

}  // namespace

MemoryWatch::MemoryWatch(uint64_t limit_bytes)
    : limit_(limit_bytes), thread_([this] { Watch(); }) {}

MemoryWatch::~MemoryWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void MemoryWatch::Add(pid_t group) {
  const std::lock_guard<std::mutex> lock(mutex_);
  groups_[group] = 0;
  changed_.notify_all();
}

uint64_t MemoryWatch::Remove(pid_t group) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = groups_.find(group);
  if (found == groups_.end()) return 0;
  const uint64_t used = found->second;
  groups_.erase(found);
  return used;
}

void MemoryWatch::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    if (groups_.empty()) {
      // wait() without a limit needs the C++ library of GCC 12, which RHEL 9 does not have.
      changed_.wait_for(lock, std::chrono::hours(1));
      continue;
    }
    const std::map<pid_t, uint64_t> groups = groups_;
    lock.unlock();
    const auto start = std::chrono::steady_clock::now();
    std::map<pid_t, std::vector<Member>> members;
    for (const Member& member : Processes()) {
      if (groups.count(member.group) > 0) members[member.group].push_back(member);
    }
    std::map<pid_t, uint64_t> over;
    for (const auto& [group, all] : members) {
      uint64_t resident = 0, proportional = 0;
      for (const Member& member : all) resident += member.resident;
      if (resident <= limit_) continue;
      // Forked processes share most of their pages: look more closely before killing.
      for (const Member& member : all) proportional += ProportionalSize(member);
      if (proportional > limit_) over[group] = proportional;
    }
    const auto took = std::chrono::steady_clock::now() - start;
    lock.lock();
    for (const auto& [group, used] : over) {
      const auto found = groups_.find(group);
      if (found == groups_.end() || found->second != 0) continue;
      found->second = used;
      kill(-group, SIGKILL);
    }
    // On a machine with many processes, looking takes long: it may take a tenth of the time at
    // most.
    changed_.wait_for(lock,
                      std::max<std::chrono::steady_clock::duration>(milliseconds(20), took * 9),
                      [this] { return stop_; });
  }
}

}  // namespace cts
