// Errors in questions to `judge`, with the place in the question.
#pragma once

#include <string>

#include "checker/text/printable.h"
#include "reference/base/json.h"
#include "reference/base/status.h"

namespace cts::judging {

inline constexpr size_t kMaxShown = 60;

// Returns the error about the part of a question at `place`, a JSON pointer.
template <class... Args>
Status Bad(const std::string& place, const Args&... args) {
  return InvalidArgument(place, ": ", args...);
}

inline std::string Found(const Json& json) {
  return Shortened(json.dump(-1, ' ', true, Json::error_handler_t::replace), kMaxShown);
}

inline std::string FoundAt(const Json& json, const char* member) {
  return json.contains(member) ? Found(json[member]) : "nothing";
}

}  // namespace cts::judging
