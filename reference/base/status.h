// Errors as values: absl::Status. The project uses absl::Status through this header, because the
// Abseil of Linux distributions has its own string_view and lacks status macros and matchers.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace cts {

using Status = absl::Status;
template <class T>
using StatusOr = absl::StatusOr<T>;

// Writes all arguments to a stream, in the C locale, and returns the text.
template <class... Args>
std::string StrCat(const Args&... args) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  // Without this line, a stream catches std::bad_alloc and keeps only part of the text. Part of a
  // path may be the path of another file.
  out.exceptions(std::ios::badbit);
  (out << ... << args);
  return std::move(out).str();
}

// The caller or user passed something wrong, such as a file or an argument. The message must give
// the file, the place, the value found, the value expected, and the remedy.
template <class... Args>
Status InvalidArgument(const Args&... args) {
  return absl::InvalidArgumentError(StrCat(args...));
}

// A named thing, such as a file or an operator, does not exist.
template <class... Args>
Status NotFound(const Args&... args) {
  return absl::NotFoundError(StrCat(args...));
}

// The environment failed: disk full, permission denied, no memory, no descriptor, a process that
// cannot start. Bytes that could not be read say nothing about the implementation under test, so
// this error is never a verdict and never counts as a wrong result. A command that meets this error
// ends with exit code 2. For wrong bytes use InvalidArgument; for a missing file use NotFound.
template <class... Args>
Status Unavailable(const Args&... args) {
  return absl::UnavailableError(StrCat(args...));
}

// The message of a status without its code, as users see it.
inline std::string Message(const Status& status) { return std::string(status.message()); }

// Returns the same status with `prefix: ` before its message. An OK status is returned unchanged.
inline Status Annotate(const Status& status, const std::string& prefix) {
  if (status.ok()) return status;
  return Status(status.code(), StrCat(prefix, ": ", Message(status)));
}

}  // namespace cts

#define CTS_CONCAT_INNER_(a, b) a##b
#define CTS_CONCAT_(a, b) CTS_CONCAT_INNER_(a, b)

#define CTS_RETURN_IF_ERROR(expr)                                                  \
  do {                                                                             \
    if (::cts::Status cts_status_ = (expr); !cts_status_.ok()) return cts_status_; \
  } while (false)

#define CTS_ASSIGN_OR_RETURN(lhs, expr) \
  CTS_ASSIGN_OR_RETURN_IMPL_(CTS_CONCAT_(cts_statusor_, __LINE__), lhs, expr)
#define CTS_ASSIGN_OR_RETURN_IMPL_(var, lhs, expr) \
  auto var = (expr);                               \
  if (!var.ok()) return var.status();              \
  lhs = *std::move(var)
