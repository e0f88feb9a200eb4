// Preloaded into a command by a test: makes one call to the system fail.
//
//   CTS_FAIL_CALL     open, read, write, rename, mmap, fsync, stat, opendir, readdir or malloc
//   CTS_FAIL_AT       which of these calls, from 1; 0: none, they are counted
//   CTS_FAIL_WITH     the number of the error, or 0: the call does less than it was asked to
//   CTS_FAIL_REACHED  a file that is made when the call is reached; it holds the path, if known.
//                     Where calls are counted it is made at the end and holds the count.
//
// Calls are counted from the first open of /dev/null, with which the program begins its work. Child
// processes are left alone.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" void* __libc_malloc(size_t);
extern "C" void* __libc_calloc(size_t, size_t);
extern "C" void* __libc_realloc(void*, size_t);

namespace {

std::atomic<bool> counting{false};
std::atomic<long> calls{0};
char call[16];
char reached[4096];
long at = 0;
int error = 0;

template <class F>
F* Next(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}

void Note(const char* path) {
  const int fd = static_cast<int>(
      syscall(SYS_openat, AT_FDCWD, reached, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (fd < 0) return;
  syscall(SYS_write, fd, path, strlen(path));
  syscall(SYS_close, fd);
}

// Whether this call is the one. `path` or else `fd` tells which file it is.
bool IsTheOne(const char* name, const char* path, int fd = -1) {
  if (!counting || strcmp(call, name) != 0 || ++calls != at) return false;
  char link[64], there[4096] = "";
  if (path == nullptr && fd >= 0) {
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t size = readlink(link, there, sizeof(there) - 1);
    there[size > 0 ? size : 0] = '\0';
    path = there;
  }
  Note(path == nullptr ? "" : path);
  errno = error;
  return true;
}

__attribute__((constructor)) void Begin() {
  const char* const asked = getenv("CTS_FAIL_CALL");
  if (asked == nullptr) return;
  snprintf(call, sizeof(call), "%s", asked);
  snprintf(reached, sizeof(reached), "%s", getenv("CTS_FAIL_REACHED"));
  at = atol(getenv("CTS_FAIL_AT"));
  error = atoi(getenv("CTS_FAIL_WITH"));
  unsetenv("LD_PRELOAD");
  unsetenv("CTS_FAIL_CALL");
}

__attribute__((destructor)) void End() {
  counting = false;
  if (call[0] == '\0' || at != 0) return;
  char text[24];
  snprintf(text, sizeof(text), "%ld", calls.load());
  Note(text);
}

int Open(const char* path, int flags, mode_t mode) {
  if (strcmp(path, "/dev/null") == 0) {
    counting = true;
  } else if (IsTheOne("open", path)) {
    return -1;
  }
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

mode_t Mode(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = Mode(flags, arguments);
  va_end(arguments);
  return Open(path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = Mode(flags, arguments);
  va_end(arguments);
  return Open(path, flags | O_LARGEFILE, mode);
}

int openat(int directory, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = Mode(flags, arguments);
  va_end(arguments);
  if (IsTheOne("open", path)) return -1;
  return static_cast<int>(syscall(SYS_openat, directory, path, flags, mode));
}

// openat2 has no function of its own.
long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  long a[6];
  for (long& each : a) each = va_arg(arguments, long);
  va_end(arguments);
  if (number == SYS_openat2 && IsTheOne("open", reinterpret_cast<const char*>(a[1]))) return -1;
  static auto* const next = Next<long(long, ...)>("syscall");
  return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

ssize_t read(int fd, void* bytes, size_t size) {
  if (size > 0 && IsTheOne("read", nullptr, fd)) {
    if (error != 0) return -1;
    size = (size + 1) / 2;
  }
  return syscall(SYS_read, fd, bytes, size);
}

ssize_t write(int fd, const void* bytes, size_t size) {
  if (size > 0 && IsTheOne("write", nullptr, fd)) {
    if (error != 0) return -1;
    size = (size + 1) / 2;
  }
  return syscall(SYS_write, fd, bytes, size);
}

int rename(const char* from, const char* to) {
  if (IsTheOne("rename", to)) return -1;
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

// The 64 of a name says nothing here: both are one function.
#define CTS_STAT(name, info)                               \
  int name(const char* path, struct info* found) {         \
    if (IsTheOne("stat", path)) return -1;                 \
    static auto* const next = Next<decltype(name)>(#name); \
    return next(path, found);                              \
  }
CTS_STAT(stat, stat)
CTS_STAT(stat64, stat64)
CTS_STAT(lstat, stat)
CTS_STAT(lstat64, stat64)

#define CTS_FSTAT(name, info)                              \
  int name(int fd, struct info* found) {                   \
    if (IsTheOne("stat", nullptr, fd)) return -1;          \
    static auto* const next = Next<decltype(name)>(#name); \
    return next(fd, found);                                \
  }
CTS_FSTAT(fstat, stat)
CTS_FSTAT(fstat64, stat64)

#define CTS_FSTATAT(name, info)                                              \
  int name(int directory, const char* path, struct info* found, int flags) { \
    if (IsTheOne("stat", path)) return -1;                                   \
    static auto* const next = Next<decltype(name)>(#name);                   \
    return next(directory, path, found, flags);                              \
  }
CTS_FSTATAT(fstatat, stat)
CTS_FSTATAT(fstatat64, stat64)

DIR* opendir(const char* path) {
  if (IsTheOne("opendir", path)) return nullptr;
  static auto* const next = Next<decltype(opendir)>("opendir");
  return next(path);
}

DIR* fdopendir(int fd) {
  if (IsTheOne("opendir", nullptr, fd)) return nullptr;
  static auto* const next = Next<decltype(fdopendir)>("fdopendir");
  return next(fd);
}

struct dirent* readdir(DIR* folder) {
  if (IsTheOne("readdir", nullptr, dirfd(folder))) return nullptr;
  static auto* const next = Next<decltype(readdir)>("readdir");
  return next(folder);
}

struct dirent64* readdir64(DIR* folder) {
  if (IsTheOne("readdir", nullptr, dirfd(folder))) return nullptr;
  static auto* const next = Next<decltype(readdir64)>("readdir64");
  return next(folder);
}

int fsync(int fd) {
  if (IsTheOne("fsync", nullptr, fd)) return -1;
  return static_cast<int>(syscall(SYS_fsync, fd));
}

void* mmap(void* place, size_t size, int protection, int flags, int fd, off_t offset) {
  if (IsTheOne("mmap", nullptr, fd)) return MAP_FAILED;
  return reinterpret_cast<void*>(syscall(SYS_mmap, place, size, protection, flags, fd, offset));
}

void* malloc(size_t size) { return IsTheOne("malloc", "") ? nullptr : __libc_malloc(size); }

void* calloc(size_t count, size_t size) {
  return IsTheOne("malloc", "") ? nullptr : __libc_calloc(count, size);
}

void* realloc(void* memory, size_t size) {
  return IsTheOne("malloc", "") ? nullptr : __libc_realloc(memory, size);
}

}  // extern "C"
