// Errors as values: absl::Status, hidden behind one header because the distribution's Abseil has a
// string_view of its own and neither status macros nor matchers.
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

// Concatenates anything that can be written to a stream, in the C locale.
template <class... Args>
std::string StrCat(const Args&... args) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  // A stream swallows std::bad_alloc and leaves half a text, and half a path names another file.
  out.exceptions(std::ios::badbit);
  (out << ... << args);
  return std::move(out).str();
}

// Something given to us is wrong: a file, an argument. Say file, place, found, expected, remedy.
template <class... Args>
Status InvalidArgument(const Args&... args) {
  return absl::InvalidArgumentError(StrCat(args...));
}

// Something named does not exist.
template <class... Args>
Status NotFound(const Args&... args) {
  return absl::NotFoundError(StrCat(args...));
}

// The environment refused: disk full, permission denied, no memory, no descriptor, a process that
// cannot start. Bytes that could not be read say nothing about the implementation: an error of this
// kind is never a verdict and never a fault of the results. Every command ends with it, with exit
// code 2. Wrong bytes are InvalidArgument, missing ones NotFound. kUnavailable is made where errno
// is read and where std::bad_alloc is caught.
template <class... Args>
Status Unavailable(const Args&... args) {
  return absl::UnavailableError(StrCat(args...));
}

// The message of a status without its code: what a person reads.
inline std::string Message(const Status& status) { return std::string(status.message()); }

// The same status with `prefix: ` before its message.
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
