// Preloaded into a command by a test: makes one call to the system fail.
//
//   CTS_FAIL_CALL     open, read, write, rename, link, mmap, fsync, stat, opendir, readdir or
//                     malloc
//   CTS_FAIL_AT       which of these calls, from 1; 0: none, they are counted
//   CTS_FAIL_WITH     the number of the error, or 0: the call does less than it was asked to, or
//                     -9: the process is killed instead
//   CTS_FAIL_PLACES   instead of CTS_FAIL_AT: a file of such numbers, one a line, ascending. There,
//                     and at the first call of each call stack, the process splits. A child in
//                     which the call fails goes on to the end, its output in the files
//                     REACHED.NUMBER.out and .err. Then the process goes on as if nothing had been.
//                     REACHED gets a line of number, status (as waitpid says it), the bytes of
//                     standard output, a file, so far, and the path, if known, for each. Only for
//                     what writes nothing and has one process and one thread.
//   CTS_FAIL_REACHED  a file that is made when the call is reached; it holds the path, if known.
//                     Where calls are counted it is made at the end and holds a line: the first and
//                     the last call.
//   CTS_FAIL_STACKS   how many innermost return addresses tell one call stack from another. Where
//                     calls are counted: a line for each distinct stack, not one for all
//
// Deeper levels of code that calls itself, such as a reader of JSON, look alike. The numbers of
// calls hold for the next run of the same command, if it has one thread.
//
// Calls are counted from the first open of /dev/null, with which the program begins its work. Child
// processes are left alone.
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

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

constexpr int kFrames = 64;
constexpr int kFiles = 64;  // open at a time
constexpr size_t kStacks = 1 << 17;
struct Stack {
  uint64_t hash;
  long first, last;
};
Stack stacks[kStacks];  // by hash, open addressing; a hash of 0 is a free place
std::mutex stacks_held;
thread_local bool inside = false;  // a call of ours, which is not counted
int frames_told_apart = 0;
FILE* places = nullptr;
long next_place = 0;

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

// Notes by which stack the call numbered `number` came; whether it is the first that did. A full
// table loses the stacks that are new.
bool NoteStack(long number) {
  void* frames[kFrames];
  inside = true;  // it may allocate
  const int depth = backtrace(frames, frames_told_apart);
  inside = false;
  uint64_t hash = 0xcbf29ce484222325;
  for (int i = 0; i < depth; ++i) {
    hash = (hash ^ reinterpret_cast<uint64_t>(frames[i])) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29;
  }
  if (hash == 0) hash = 1;
  const std::lock_guard lock(stacks_held);
  for (size_t i = 0; i < kStacks; ++i) {
    Stack& stack = stacks[(hash + i) % kStacks];
    if (stack.hash == 0) stack = {hash, number, number};
    if (stack.hash != hash) continue;
    stack.last = number;
    return stack.first == number;
  }
  return false;
}

void SendTo(int fd, long number, const char* suffix) {
  char name[4200];
  snprintf(name, sizeof(name), "%s.%ld.%s", reached, number, suffix);
  const long file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(static_cast<int>(file), fd);
  syscall(SYS_close, file);
}

// Whether the call fails: in the child that is made for it, which shares the offsets of open files.
bool Split(long number, const char* path) {
  inside = true;
  const int before = errno;
  const off_t said = lseek(1, 0, SEEK_CUR);
  off_t offsets[kFiles];
  for (int fd = 3; fd < kFiles; ++fd) offsets[fd] = lseek(fd, 0, SEEK_CUR);
  const pid_t child = fork();
  if (child == 0) {
    at = number;
    fclose(places);
    places = nullptr;
    SendTo(1, number, "out");
    SendTo(2, number, "err");
    alarm(100);
  } else {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    for (int fd = 3; fd < kFiles; ++fd) {
      if (offsets[fd] >= 0) lseek(fd, offsets[fd], SEEK_SET);
    }
    FILE* const file = fopen(reached, "a");
    fprintf(file, "%ld %d %ld %s\n", number, status, static_cast<long>(said), path);
    fclose(file);
    while (next_place != 0 && next_place <= number) {
      if (fscanf(places, "%ld", &next_place) != 1) next_place = 0;
    }
  }
  inside = false;
  errno = child == 0 ? error : before;
  return child == 0;
}

// Whether this call is the one. `path` or else `fd` tells which file it is.
bool IsTheOne(const char* name, const char* path, int fd = -1) {
  if (!counting || inside || strcmp(call, name) != 0) return false;
  const long number = ++calls;
  if (places == nullptr && at == 0 && frames_told_apart > 0) NoteStack(number);
  const bool splits =
      places != nullptr && ((frames_told_apart > 0 && NoteStack(number)) || number == next_place);
  if (!splits && number != at) return false;
  char link[64], there[4096] = "";
  if (path == nullptr && fd >= 0) {
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    const ssize_t size = readlink(link, there, sizeof(there) - 1);
    there[size > 0 ? size : 0] = '\0';
    path = there;
  }
  if (path == nullptr) path = "";
  if (splits) return Split(number, path);
  Note(path);
  if (error == -SIGKILL) {
    kill(getpid(), SIGKILL);
  }
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
  if (at != 0) return;
  const char* const frames = getenv("CTS_FAIL_STACKS");
  frames_told_apart = frames == nullptr ? 0 : std::min(atoi(frames), kFrames);
  void* frame;
  backtrace(&frame, 1);  // loads what unwinds
  if (const char* const file = getenv("CTS_FAIL_PLACES")) {
    places = fopen(file, "r");
    if (places == nullptr || fscanf(places, "%ld", &next_place) != 1) next_place = 0;
  }
}

__attribute__((destructor)) void End() {
  counting = false;
  if (call[0] == '\0' || at != 0 || places != nullptr) return;
  FILE* const file = fopen(reached, "w");
  if (file == nullptr) return;
  if (frames_told_apart == 0 && calls > 0) fprintf(file, "1 %ld\n", calls.load());
  for (const Stack& stack : stacks) {
    if (stack.hash != 0) fprintf(file, "%ld %ld\n", stack.first, stack.last);
  }
  fclose(file);
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

int link(const char* from, const char* to) {
  if (IsTheOne("link", to)) return -1;
  return static_cast<int>(syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
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
