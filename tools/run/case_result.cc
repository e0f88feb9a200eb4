#include "tools/run/case_result.h"

#include <system_error>

#include "reference/base/json.h"
#include "reference/base/status.h"
#include "tools/run/protocol.h"

namespace cts {

namespace fs = std::filesystem;

Json CaseResultToJson(const CaseResult& result) {
  Json json = {{"status", result.status}, {"seconds", result.seconds}};
  if (!result.message.empty()) json["message"] = result.message;
  if (!result.log.empty()) json["log"] = result.log;
  if (!result.stdout_text.empty()) json["stdout"] = result.stdout_text;
  if (result.exit && result.exit->signal != 0) json["signal"] = result.exit->signal;
  if (result.exit && (result.exit->signal == 0 || result.exit->code != 0)) {
    json["exit_code"] = result.exit->code;
  }
  return json;
}

CaseResult CaseResultFromJson(const Json& json) {
  CaseResult result{.status = json["status"].get<std::string>(),
                    .message = json.value("message", ""),
                    .seconds = json.value("seconds", 0.0)};
  if (json.contains("signal") || json.contains("exit_code")) {
    result.exit = {.code = json.value("exit_code", 0), .signal = json.value("signal", 0)};
  }
  result.log = json.value("log", "");
  result.stdout_text = json.value("stdout", "");
  return result;
}

StatusOr<std::string> FindStray(const CaseTask& task) {
  std::error_code error;
  const auto unavailable = [&] {
    return Unavailable(task.staging.string(), ": cannot be read: ", error.message());
  };
  const fs::file_type type = fs::symlink_status(task.staging, error).type();
  if (type == fs::file_type::none && error != std::errc::permission_denied) return unavailable();
  if (type != fs::file_type::directory) {
    return "its result directory is gone or replaced";
  }
  std::set<std::string> strays;
  for (fs::directory_iterator it(task.staging, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool link = it->is_symlink(error);
    if (error) break;
    if (task.files.count(name) == 0) {
      strays.insert(StrCat("found ", Quote(name), " in its result directory"));
    } else if (link || !it->is_regular_file(error)) {
      strays.insert(
          StrCat("found ", link ? "a link" : "something else", " for the file ", Quote(name)));
    }
  }
  if (error && error != std::errc::permission_denied) return unavailable();
  if (error) return StrCat("its result directory cannot be read: ", error.message());
  if (strays.empty()) return "";
  std::string expected;
  for (const std::string& file : task.files) expected += StrCat(expected.empty() ? "" : ", ", file);
  return StrCat(*strays.begin(), ", expected no file but ", expected);
}

}  // namespace cts
